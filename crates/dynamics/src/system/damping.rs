//! [`StiffnessDamping`]: g = β K(x) v with the stiffness of the moment.
//!
//! The matrix B = Σ β K of the damped models is assembled together with their forces, once for each x. It then
//! serves the damping force B v, the tangent (wx K + wv β K is a multiple of it), and the balance of energy.
//!
//! As K v is the rate of the forces f of the models, a method that finds velocities as differences of positions can find it
//! as the same differences of forces. That form needs no matrix, leaves no derivative of K out of the tangent, and comes from
//! a potential, s Π(x) + c·x, which Newton's method lowers where K v would leave it without one.

use std::ops::Range;
use std::sync::Arc;

use pliant_algebra::sparse::{Block, Pattern, Product};
use pliant_algebra::vec3::Vec3;
use pliant_forces::{Character, Energy, ForceError, ForceModel, TimeDependence, Velocity};

use super::Entry;
use crate::DynamicsError;
use crate::vector::add_scaled;

/// How the force of damping by stiffness is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum DampingForm<'a> {
    /// β K(x) v
    Tangent,
    /// s Σ β f(x) + c: the rate of Σ β f that a method finds as it finds velocities of positions.
    Secant {
        /// s, 1/s.
        slope: f64,
        /// c, N.
        fixed: &'a [Vec3],
    },
}

/// B = Σ β K(x) of all damped models, and the x it belongs to.
pub(super) struct StiffnessDamping {
    pub(super) values: Vec<Block>,
    product: Product,
    /// Rows of the matrix and their β; none where models with different β meet in a row, or where the tangents
    /// of models are more than B tells.
    rows: Option<Vec<(Range<usize>, f64)>>,
    /// Whether K of all damped models is a function of x alone, so that B may be used again.
    of_positions: bool,
    pattern: Arc<Pattern>,
    x: Vec<Vec3>,
    known: bool,
    /// Positions at the start of a step, and forces there, of one damped model after the other.
    start: Vec<Vec3>,
    start_forces: Vec<Vec<Vec3>>,
    start_known: bool,
    /// The damping force of the place that is evaluated, by secants.
    secant: Vec<Vec3>,
    /// Forces of the last evaluation, which [`Seen`](super::seen::Seen) tells the positions of.
    seen_forces: Vec<Vec<Vec3>>,
}

/// Refuses a β that is none, and models whose stiffness cannot damp.
pub(super) fn check(model: &dyn ForceModel, beta: f64) -> Result<(), DynamicsError> {
    if !(beta >= 0.0 && beta.is_finite()) {
        let accepted = "a finite number of 0 or more is needed".to_owned();
        let what = format!("stiffness damping β of {}", model.name());
        return Err(ForceError::Parameter { what, found: beta, accepted }.into());
    }
    if beta > 0.0 && !model.character().symmetric {
        return Err(DynamicsError::Unsupported(format!(
            "damping by stiffness needs a symmetric stiffness, which {} does not have",
            model.name()
        )));
    }
    Ok(())
}

/// Whether forces of a model are functions of positions alone, not of velocities, time or memory.
pub(super) fn of_positions(character: &Character) -> bool {
    character.velocity == Velocity::None
        && character.time == TimeDependence::None
        && character.memory.is_none()
}

impl StiffnessDamping {
    /// For the damped ones of some models, if there are any.
    pub(super) fn of(entries: &[Entry], pattern: &Arc<Pattern>) -> Option<Self> {
        let damped = || entries.iter().filter(|e| e.damping != 0.0);
        let mut rows: Vec<_> = damped().map(|e| (e.vertices.clone(), e.damping)).collect();
        if rows.is_empty() {
            return None;
        }
        rows.sort_by_key(|(range, _)| (range.start, range.end));
        rows.dedup();
        let apart = rows.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start);
        let of_positions = damped()
            .all(|e| e.character.energy != Energy::Incremental && of_positions(&e.character));
        Some(Self {
            values: vec![[0.0; 9]; pattern.blocks()],
            product: Product::new(pattern),
            rows: (apart && of_positions).then_some(rows),
            of_positions,
            pattern: pattern.clone(),
            x: vec![[0.0; 3]; pattern.rows()],
            known: false,
            start: vec![[0.0; 3]; pattern.rows()],
            start_forces: damped().map(|e| vec![[0.0; 3]; e.vertices.len()]).collect(),
            start_known: false,
            secant: vec![[0.0; 3]; pattern.rows()],
            seen_forces: damped().map(|e| vec![[0.0; 3]; e.vertices.len()]).collect(),
        })
    }

    /// Whether B is that of x.
    pub(super) fn knows(&self, x: &[Vec3]) -> bool {
        self.known && self.of_positions && self.x == x
    }

    /// Clears B, to be assembled for x.
    pub(super) fn clear(&mut self) {
        self.known = false;
        self.values.fill([0.0; 9]);
    }

    /// B has been assembled for x.
    pub(super) fn take(&mut self, x: &[Vec3]) {
        self.x.copy_from_slice(x);
        self.known = true;
    }

    /// Forgets what B was assembled for.
    pub(super) fn forget(&mut self) {
        (self.known, self.start_known) = (false, false);
    }

    /// Whether secants serve: forces of all damped models are functions of x alone.
    pub(super) fn has_secants(&self) -> bool {
        self.of_positions
    }

    /// Whether the forces at the start are those of x.
    pub(super) fn knows_start(&self, x: &[Vec3]) -> bool {
        self.start_known && self.start == x
    }

    /// The forces at the start, of all damped models.
    pub(super) fn start_forces(&self) -> &[Vec<Vec3>] {
        &self.start_forces
    }

    /// The same, to be written until [`StiffnessDamping::take_start`].
    pub(super) fn new_start_forces(&mut self) -> &mut [Vec<Vec3>] {
        self.start_known = false;
        &mut self.start_forces
    }

    /// The forces at the start are those of x.
    pub(super) fn take_start(&mut self, x: &[Vec3]) {
        self.start.copy_from_slice(x);
        self.start_known = true;
    }

    /// Keeps the forces f of a damped model, for a step that may begin there.
    pub(super) fn see(&mut self, model: usize, forces: &[Vec3]) {
        self.seen_forces[model].copy_from_slice(forces);
    }

    /// Makes the forces that were kept, at x, those of the start.
    pub(super) fn take_seen(&mut self, x: &[Vec3]) {
        std::mem::swap(&mut self.start_forces, &mut self.seen_forces);
        self.take_start(x);
    }

    /// Begins the damping force of a place with its fixed part.
    pub(super) fn begin_secant(&mut self, fixed: &[Vec3]) {
        self.secant.copy_from_slice(fixed);
    }

    /// Adds s f to it, of the forces f of a damped model.
    pub(super) fn add_secant(&mut self, vertices: Range<usize>, s: f64, forces: &[Vec3]) {
        add_scaled(&mut self.secant[vertices], forces, s);
    }

    /// The damping force of the place.
    pub(super) fn secant(&self) -> &[Vec3] {
        &self.secant
    }

    /// y = B v
    pub(super) fn multiply(&mut self, v: &[Vec3], y: &mut [Vec3]) {
        self.product.apply(&self.values, v, y);
    }

    /// Whether wx K + wv β K of all damped models follows from B.
    pub(super) fn tells_tangent(&self) -> bool {
        self.rows.is_some()
    }

    /// Adds wx K + wv β K of all damped models, if B says how.
    pub(super) fn add_tangent(&self, (position, velocity): (f64, f64), to: &mut [Block]) {
        for (rows, beta) in self.rows.iter().flatten() {
            let s = position / beta + velocity;
            let offsets = self.pattern.offsets();
            let blocks = offsets[rows.start] as usize..offsets[rows.end] as usize;
            let (to, from) = (&mut to[blocks.clone()], &self.values[blocks]);
            for (to, from) in to.as_flattened_mut().iter_mut().zip(from.as_flattened()) {
                *to += s * from;
            }
        }
    }
}

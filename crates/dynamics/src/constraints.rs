//! [`Constraints`]: vertices that are held, guided along an axis or in a plane, or moved.

use std::sync::Arc;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, is_finite, scale, sub};
use pliant_forces::loads::TimeCurve;
use pliant_solvers::Constrained;

use crate::DynamicsError;

/// Position, velocity and acceleration of a point at some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// m
    pub x: Vec3,
    /// m/s
    pub v: Vec3,
    /// m/s²
    pub a: Vec3,
}

/// A motion of one's own: from the place at which a vertex was taken hold of, and time.
pub type MotionFunction = Arc<dyn Fn(Vec3, f64) -> Moment + Send + Sync>;

/// How what holds a vertex moves.
#[derive(Clone)]
pub enum Motion {
    /// Not at all.
    Still,
    /// By `direction` times the curve, m.
    Translation {
        /// m
        direction: Vec3,
        /// A factor.
        curve: TimeCurve,
    },
    /// About an axis through `centre` by the angle that the curve gives, rad.
    Rotation {
        /// A point of the axis, m.
        centre: Vec3,
        /// Its direction, of length 1.
        axis: Vec3,
        /// The angle, rad.
        curve: TimeCurve,
    },
    /// Any.
    Function(MotionFunction),
}

impl Motion {
    /// Where a vertex that was taken hold of at `anchor` is to be at time t.
    pub fn at(&self, anchor: Vec3, t: f64) -> Moment {
        match self {
            Self::Still => Moment { x: anchor, v: [0.0; 3], a: [0.0; 3] },
            Self::Translation { direction, curve } => Moment {
                x: add_scaled(anchor, *direction, curve.value(t)),
                v: scale(*direction, curve.rate(t)),
                a: [0.0; 3],
            },
            Self::Rotation { centre, axis, curve } => {
                let (angle, rate) = (curve.value(t), curve.rate(t));
                let arm = sub(anchor, *centre);
                let along = scale(*axis, dot(*axis, arm));
                let (radial, side) = (sub(arm, along), cross(*axis, arm));
                let (s, c) = angle.sin_cos();
                let turned = add(scale(radial, c), scale(side, s));
                Moment {
                    x: add(*centre, add(along, turned)),
                    v: scale(cross(*axis, turned), rate),
                    a: scale(turned, -rate * rate),
                }
            }
            Self::Function(function) => function(anchor, t),
        }
    }
}

impl std::fmt::Debug for Motion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Still => write!(f, "Still"),
            Self::Translation { direction, curve } => {
                write!(f, "Translation({direction:?}, {curve:?})")
            }
            Self::Rotation { centre, axis, curve } => {
                write!(f, "Rotation({centre:?}, {axis:?}, {curve:?})")
            }
            Self::Function(_) => write!(f, "Function"),
        }
    }
}

/// What is held of each vertex, and how that moves: nᵀ x = nᵀ p(t) for up to three directions n.
#[derive(Debug, Clone, Default)]
pub struct Constraints {
    /// Directions, with values of zero: corrections of Newton have no part along them.
    held: pliant_solvers::Constraints,
    /// Of each held vertex in the same order: where it was taken hold of, and by which motion.
    holds: Vec<(u32, Vec3, usize)>,
    motions: Vec<Motion>,
    touched: Vec<Touched>,
}

/// A block of the matrix in the row or column of a held vertex; places in the list of held ones.
#[derive(Debug, Clone, Copy)]
struct Touched {
    block: u32,
    row: Option<u32>,
    column: Option<u32>,
    diagonal: bool,
}

impl Constraints {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.holds.is_empty()
    }

    /// Unknowns that are taken away.
    pub fn count(&self) -> usize {
        self.held.count()
    }

    /// The held vertices and their directions, ascending.
    pub fn vertices(&self) -> &[Constrained] {
        self.held.vertices()
    }

    /// Whether anything that holds a vertex may move.
    pub fn moves(&self) -> bool {
        self.motions.iter().any(|m| !matches!(m, Motion::Still))
    }

    /// Adds a motion that vertices can follow.
    fn motion(&mut self, motion: Motion) -> usize {
        if matches!(motion, Motion::Still)
            && let Some(at) = self.motions.iter().position(|m| matches!(m, Motion::Still))
        {
            return at;
        }
        self.motions.push(motion);
        self.motions.len() - 1
    }

    /// Whole vertices stay where `x` has them.
    pub fn fix(&mut self, vertices: &[u32], x: &[Vec3]) -> Result<(), DynamicsError> {
        self.drive(vertices, x, Motion::Still)
    }

    /// Whole vertices follow a motion from where `x` has them.
    pub fn drive(
        &mut self,
        vertices: &[u32],
        x: &[Vec3],
        motion: Motion,
    ) -> Result<(), DynamicsError> {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        self.hold(vertices, x, &axes, motion)
    }

    /// Vertices keep their coordinate along the chosen axes: rollers.
    pub fn fix_axes(
        &mut self,
        vertices: &[u32],
        x: &[Vec3],
        axes: [bool; 3],
    ) -> Result<(), DynamicsError> {
        for (k, axis) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().enumerate()
        {
            if axes[k] {
                self.hold(vertices, x, &[axis], Motion::Still)?;
            }
        }
        Ok(())
    }

    /// Vertices stay in the plane through where `x` has them.
    pub fn fix_plane(
        &mut self,
        vertices: &[u32],
        x: &[Vec3],
        normal: Vec3,
    ) -> Result<(), DynamicsError> {
        self.hold(vertices, x, &[normal], Motion::Still)
    }

    /// Vertices keep, along the directions, to a point that moves from where `x` has them.
    pub fn hold(
        &mut self,
        vertices: &[u32],
        x: &[Vec3],
        directions: &[Vec3],
        motion: Motion,
    ) -> Result<(), DynamicsError> {
        let motion = self.motion(motion);
        for &vertex in vertices {
            let Some(&anchor) = x.get(vertex as usize) else {
                return Err(DynamicsError::Unsupported(format!(
                    "constraint of vertex {vertex}, but there are {} vertices, numbered from 0",
                    x.len()
                )));
            };
            if !is_finite(anchor) {
                let (what, vertex) = ("position", vertex as usize);
                return Err(DynamicsError::NotFinite { what, vertex, value: anchor });
            }
            let at = self.holds.partition_point(|h| h.0 < vertex);
            match self.holds.get(at) {
                Some(&(v, old, by)) if v == vertex => {
                    if by != motion || old != anchor {
                        return Err(DynamicsError::Unsupported(format!(
                            "vertex {vertex} is held twice, by different motions or at different places: hold it once, with all its directions"
                        )));
                    }
                }
                _ => self.holds.insert(at, (vertex, anchor, motion)),
            }
            for &direction in directions {
                self.held.constrain(vertex, direction, 0.0)?;
            }
        }
        self.touched.clear();
        Ok(())
    }

    /// Finds the blocks that [`Constraints::project`] changes.
    pub(crate) fn bind(&mut self, pattern: &Pattern) {
        let mut place = vec![None; pattern.rows()];
        for (k, hold) in self.holds.iter().enumerate() {
            place[hold.0 as usize] = Some(k as u32);
        }
        self.touched.clear();
        for i in 0..pattern.rows() {
            for (block, &j) in pattern.range(i).zip(pattern.row(i)) {
                let (row, column) = (place[i], place[j as usize]);
                if row.is_some() || column.is_some() {
                    let diagonal = i == j as usize;
                    self.touched.push(Touched { block: block as u32, row, column, diagonal });
                }
            }
        }
    }

    /// r ← S r: what is free of it.
    pub fn filter(&self, r: &mut [Vec3]) {
        self.held.filter(r);
    }

    /// A ← S A S + s (I − S), s the mean diagonal of the vertex. No allocation.
    pub fn project(&self, matrix: &mut BlockMatrix) {
        let symmetric = matrix.pattern().is_symmetric();
        let free = |place: Option<u32>| {
            let held = place.and_then(|k| self.held.vertices().get(k as usize))?;
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            // S is symmetric: its rows are its columns.
            let [a, b, c] = axes.map(|e| held.filtered(e));
            Some(Mat3::from_array([a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]))
        };
        for touched in &self.touched {
            let values = &mut matrix.values[touched.block as usize];
            let mut a = Mat3::from_array(*values);
            let mean = a.trace() / 3.0;
            let weight = if mean > 0.0 && mean.is_finite() { mean } else { 1.0 };
            if let Some(s) = free(touched.column) {
                a = a * s;
            }
            if let Some(s) = free(touched.row) {
                a = s * a;
                if touched.diagonal {
                    a = if symmetric { a.symmetric_part() } else { a };
                    a += (Mat3::identity() - s).scale(weight);
                }
            }
            *values = a.to_array();
        }
    }

    /// Sets the held part of `to` to that of what the motions say at time t.
    fn impose(&self, t: f64, to: &mut [Vec3], part: impl Fn(&Moment) -> Vec3) {
        for (held, &(vertex, anchor, motion)) in self.held.vertices().iter().zip(&self.holds) {
            let target = part(&self.motions[motion].at(anchor, t));
            let to = &mut to[vertex as usize];
            // Exact where everything is held: nothing free is left, and the target is taken whole.
            *to = match held.directions().count() {
                3 => target,
                _ => held
                    .directions()
                    .fold(*to, |x, (n, _)| add_scaled(x, n, dot(n, sub(target, x)))),
            };
        }
    }

    /// Puts held vertices where they are to be at time t.
    pub fn impose_positions(&self, t: f64, x: &mut [Vec3]) {
        self.impose(t, x, |m| m.x);
    }

    /// The same for velocities.
    pub fn impose_velocities(&self, t: f64, v: &mut [Vec3]) {
        self.impose(t, v, |m| m.v);
    }

    /// The same for accelerations.
    pub fn impose_accelerations(&self, t: f64, a: &mut [Vec3]) {
        self.impose(t, a, |m| m.a);
    }
}

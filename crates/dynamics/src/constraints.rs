//! [`Constraints`]: vertices that are held, guided along an axis or in a plane, or moved.

use std::sync::Arc;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{
    Vec3, add, add_scaled, cross, dot, is_finite, norm, normalized, scale, sub,
};
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

/// What is held of each vertex, and how that moves: nᵀ x = nᵀ p(t) for up to three directions n, each with a motion p
/// of its own. So several holds of one vertex are joined by axis.
#[derive(Debug, Clone, Default)]
pub struct Constraints {
    /// Directions, with values of zero: corrections of Newton have no part along them.
    held: pliant_solvers::Constraints,
    /// Of each held vertex in the same order: what holds it.
    holds: Vec<Held>,
    motions: Vec<Motion>,
    /// How many times vertices were taken hold of.
    made: u32,
    /// Motions that agree up to this time may hold the same direction, s.
    until: f64,
    touched: Vec<Touched>,
}

/// What holds a vertex, by direction.
#[derive(Debug, Clone, Copy)]
struct Held {
    vertex: u32,
    by: [Holder; 3],
}

/// What holds a direction of a vertex.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Holder {
    /// Where the vertex was taken hold of, m.
    anchor: Vec3,
    motion: u32,
    /// The number of the hold, from 0.
    hold: u32,
}

impl Holder {
    /// Whether both lead to the same place at all times.
    fn moves_as(&self, other: &Self) -> bool {
        self.motion == other.motion && self.anchor == other.anchor
    }
}

/// Directions with a smaller cosine than this are orthogonal.
const ORTHOGONAL: f64 = 1e-9;
/// How many times motions that hold the same direction are compared at.
const COMPARED: usize = 64;

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

    /// Compares motions that hold the same direction of a vertex up to this time, s: those that agree may both hold it.
    /// Without, only one motion may.
    pub fn compare_until(&mut self, time: f64) {
        self.until = time;
    }

    /// How many holds were made so far: the number of the next one.
    pub fn holds_made(&self) -> usize {
        self.made as usize
    }

    /// Counts a hold of nothing, so that later ones keep their numbers.
    pub fn skip_hold(&mut self) {
        self.made += 1;
    }

    /// Of each held vertex, in the order of [`Constraints::vertices`], its directions with the number of the hold that
    /// holds each, counted from 0 in the order in which they were made. What two hold is the first one's.
    pub fn holders(&self) -> impl Iterator<Item = impl Iterator<Item = (Vec3, usize)>> {
        self.held.vertices().iter().zip(&self.holds).map(|(held, by)| {
            held.directions().zip(by.by).map(|((n, _), holder)| (n, holder.hold as usize))
        })
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

    /// Vertices keep, along the directions, to a point that moves from where `x` has them. A direction that is held
    /// already must be held by a motion that agrees, and directions of different motions must be orthogonal.
    pub fn hold(
        &mut self,
        vertices: &[u32],
        x: &[Vec3],
        directions: &[Vec3],
        motion: Motion,
    ) -> Result<(), DynamicsError> {
        let motion = self.motion(motion) as u32;
        let hold = self.made;
        self.made += 1;
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
            let holder = Holder { anchor, motion, hold };
            for &direction in directions {
                self.hold_along(vertex, direction, holder)?;
            }
        }
        self.touched.clear();
        Ok(())
    }

    /// Adds one direction of one vertex.
    fn hold_along(
        &mut self,
        vertex: u32,
        direction: Vec3,
        holder: Holder,
    ) -> Result<(), DynamicsError> {
        let at = self.holds.partition_point(|h| h.vertex < vertex);
        if self.holds.get(at).is_none_or(|h| h.vertex != vertex) {
            self.held.constrain(vertex, direction, 0.0)?;
            self.holds.insert(at, Held { vertex, by: [holder; 3] });
            return Ok(());
        }
        let count = self.held.vertices()[at].directions().count();
        if let Some(first) = self.disagreement(at, direction, &holder) {
            let (first, second) = (first as usize, holder.hold as usize);
            let vertex = vertex as usize;
            return Err(DynamicsError::HeldTwice { vertex, direction, first, second });
        }
        self.held.constrain(vertex, direction, 0.0)?;
        if self.held.vertices()[at].directions().count() > count {
            self.holds[at].by[count] = holder;
        }
        Ok(())
    }

    /// The number of the hold whose motion differs from that of another one along a direction which both have a part
    /// in; none if there is no such hold.
    fn disagreement(&self, at: usize, direction: Vec3, holder: &Holder) -> Option<u32> {
        let n = normalized(direction)?;
        let held = self.held.vertices()[at];
        let shared = held.directions().zip(self.holds[at].by).map(|((d, _), by)| (d, by));
        let shared: Vec<(Vec3, Holder)> = shared
            .filter(|(d, by)| dot(*d, n).abs() > ORTHOGONAL && !by.moves_as(holder))
            .collect();
        let first = shared.first()?.1.hold;
        // What is new of the direction would be held by a mean of both motions.
        let left = held.directions().fold(n, |n, (d, _)| add_scaled(n, d, -dot(n, d)));
        let depends = dot(left, left) <= ORTHOGONAL * ORTHOGONAL;
        let at_time = |d: Vec3, by: &Holder, t: f64| {
            let place = |h: &Holder| self.motions[h.motion as usize].at(h.anchor, t).x;
            let (a, b) = (place(holder), place(by));
            let moved = norm(sub(a, holder.anchor)).max(norm(sub(b, by.anchor)));
            dot(d, sub(a, b)).abs() <= 1e-9 * moved + 1e-14 * norm(a).max(norm(b))
        };
        let mut times = (0..=COMPARED).map(|k| self.until * k as f64 / COMPARED as f64);
        let agrees = depends
            && self.until > 0.0
            && times.all(|t| shared.iter().all(|(d, by)| at_time(*d, by, t)));
        (!agrees).then_some(first)
    }

    /// Finds the blocks that [`Constraints::project`] changes.
    pub(crate) fn bind(&mut self, pattern: &Pattern) {
        let mut place = vec![None; pattern.rows()];
        for (k, hold) in self.holds.iter().enumerate() {
            place[hold.vertex as usize] = Some(k as u32);
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
        for (held, hold) in self.held.vertices().iter().zip(&self.holds) {
            let target = |by: &Holder| part(&self.motions[by.motion as usize].at(by.anchor, t));
            let to = &mut to[hold.vertex as usize];
            let count = held.directions().count();
            let first = hold.by[0];
            let one = hold.by[..count].iter().all(|by| by.moves_as(&first));
            *to = if one {
                let target = target(&first);
                match count {
                    // Exact where everything is held: nothing free is left, and the target is taken whole.
                    3 => target,
                    _ => held
                        .directions()
                        .fold(*to, |x, (n, _)| add_scaled(x, n, dot(n, sub(target, x)))),
                }
            } else {
                // Free part first, so that nothing of it is left where everything is held.
                let along = held.directions().zip(&hold.by);
                along.fold(held.filtered(*to), |x, ((n, _), by)| {
                    add_scaled(x, n, dot(n, target(by)))
                })
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

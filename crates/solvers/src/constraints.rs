//! [`Constraints`]: vertices that are held, guided or moved, inside the solver.
//!
//! With S the projection onto what is free and c the prescribed part of x, the answer is
//! x = c + S y, S A S y = S (b − A c). Solvers without knowledge of constraints are given the projected
//! system ([`Constraints::project`]); CG filters what it computes and leaves the matrix alone.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, is_finite, norm, scale};

use crate::SolverError;

/// Directions shorter than this part of what they were count as dependent on those before.
const DEPENDENT: f64 = 1e-9;

/// Up to three orthonormal directions of one vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constrained {
    /// The vertex.
    pub vertex: u32,
    count: u8,
    directions: [Vec3; 3],
    values: [f64; 3],
}

impl Constrained {
    /// Directions n with their values v: nᵀ x = v.
    pub fn directions(&self) -> impl Iterator<Item = (Vec3, f64)> {
        self.directions.into_iter().zip(self.values).take(self.count as usize)
    }

    /// S v, the part of v that is free.
    pub fn filtered(&self, v: Vec3) -> Vec3 {
        // Exact where nothing is left.
        if self.count == 3 {
            return [0.0; 3];
        }
        self.directions().fold(v, |v, (n, _)| add_scaled(v, n, -dot(n, v)))
    }

    /// The prescribed part of x.
    pub fn prescribed(&self) -> Vec3 {
        self.directions().fold([0.0; 3], |c, (n, value)| add_scaled(c, n, value))
    }

    /// I − S
    fn held(&self) -> Mat3<f64> {
        if self.count == 3 {
            return Mat3::identity();
        }
        self.directions().fold(Mat3::zero(), |m, (n, _)| m + Mat3::outer(n, n))
    }
}

/// Linear constraints on single vertices: nᵀ x_i = v.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Constraints {
    /// By vertex, ascending.
    list: Vec<Constrained>,
}

impl Constraints {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Removes all of them.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The constrained vertices, ascending.
    pub fn vertices(&self) -> &[Constrained] {
        &self.list
    }

    /// The number of unknowns that are taken away.
    pub fn count(&self) -> usize {
        self.list.iter().map(|c| c.count as usize).sum()
    }

    /// x of this vertex is `value`, whatever was said of it before.
    pub fn fix(&mut self, vertex: u32, value: Vec3) -> Result<(), SolverError> {
        if !is_finite(value) {
            return Err(SolverError::NotFinite {
                what: "the prescribed value",
                vertex: vertex as usize,
            });
        }
        let entry = self.entry(vertex);
        *entry = Constrained {
            vertex,
            count: 3,
            directions: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            values: value,
        };
        Ok(())
    }

    /// directionᵀ x of this vertex is `value` times the length of the direction. Directions need not
    /// be orthogonal to those the vertex has; one that depends on them must agree with them.
    pub fn constrain(
        &mut self,
        vertex: u32,
        direction: Vec3,
        value: f64,
    ) -> Result<(), SolverError> {
        let length = norm(direction);
        if !(length > 0.0 && length.is_finite() && value.is_finite()) {
            return Err(SolverError::Usage(format!(
                "constraint of vertex {vertex}: direction {direction:?} and value {value} must be finite, the direction not zero"
            )));
        }
        let entry = self.entry(vertex);
        let (mut n, mut v) = (scale(direction, 1.0 / length), value);
        // Twice, as once leaves rounding of nearly dependent directions.
        for _ in 0..2 {
            for (d, value) in entry.directions() {
                let along = dot(n, d);
                n = add_scaled(n, d, -along);
                v -= along * value;
            }
        }
        let left = norm(n);
        if left > DEPENDENT && entry.count < 3 {
            let at = entry.count as usize;
            entry.directions[at] = scale(n, 1.0 / left);
            entry.values[at] = v / left;
            entry.count += 1;
            return Ok(());
        }
        let largest = entry.values.iter().fold(value.abs(), |m, v| m.max(v.abs()));
        if v.abs() <= 1e-9 * largest {
            return Ok(());
        }
        Err(SolverError::Usage(format!(
            "constraint of vertex {vertex}: direction {direction:?} depends on those it has, and value {value} contradicts theirs by {v:.3e}"
        )))
    }

    fn entry(&mut self, vertex: u32) -> &mut Constrained {
        let at = self.list.partition_point(|c| c.vertex < vertex);
        if self.list.get(at).is_none_or(|c| c.vertex != vertex) {
            let none =
                Constrained { vertex, count: 0, directions: [[0.0; 3]; 3], values: [0.0; 3] };
            self.list.insert(at, none);
        }
        &mut self.list[at]
    }

    /// Fails where a vertex is not among `rows`.
    pub fn check(&self, rows: usize) -> Result<(), SolverError> {
        match self.list.last() {
            Some(c) if c.vertex as usize >= rows => Err(SolverError::Usage(format!(
                "constraint of vertex {}, but there are {rows} vertices",
                c.vertex
            ))),
            _ => Ok(()),
        }
    }

    /// r ← S r
    pub fn filter(&self, r: &mut [Vec3]) {
        for c in &self.list {
            let r = &mut r[c.vertex as usize];
            *r = c.filtered(*r);
        }
    }

    /// x ← S x + c
    pub fn impose(&self, x: &mut [Vec3]) {
        for c in &self.list {
            let x = &mut x[c.vertex as usize];
            let (free, held) = (c.filtered(*x), c.prescribed());
            *x = std::array::from_fn(|k| free[k] + held[k]);
        }
    }

    /// Turns A x = b into (S A S + s (I − S)) x = S (b − A c) + s c, in place, with A's pattern and
    /// symmetry; s is the mean diagonal of the vertex, which keeps the condition. Any solver
    /// of the new system then gives the constrained answer.
    pub fn project(&self, matrix: &mut BlockMatrix, b: &mut [Vec3]) -> Result<(), SolverError> {
        let n = matrix.rows();
        self.check(n)?;
        if b.len() != n {
            return Err(SolverError::Usage(format!("{n} rows, but {} entries in b", b.len())));
        }
        if self.list.is_empty() {
            return Ok(());
        }
        let pattern = matrix.pattern().clone();
        let mut place = vec![u32::MAX; n];
        for (k, c) in self.list.iter().enumerate() {
            place[c.vertex as usize] = k as u32;
        }
        let of = |i: usize| self.list.get(place[i] as usize);
        for i in 0..n {
            for k in pattern.range(i) {
                let j = pattern.columns()[k] as usize;
                let (ci, cj) = (of(i), of(j));
                if ci.is_none() && cj.is_none() {
                    continue;
                }
                let mut a = Mat3::from_array(matrix.values[k]);
                if let Some(c) = cj {
                    let moved = a.mul_vec(c.prescribed());
                    b[i] = add_scaled(b[i], moved, -1.0);
                }
                if pattern.is_symmetric()
                    && i != j
                    && let Some(c) = ci
                {
                    let moved = a.transpose_mul_vec(c.prescribed());
                    b[j] = add_scaled(b[j], moved, -1.0);
                }
                let s = weight(&a);
                if let Some(c) = cj {
                    a = a * (Mat3::identity() - c.held());
                }
                if let Some(c) = ci {
                    a = (Mat3::identity() - c.held()) * a;
                    if i == j {
                        // S A S is symmetric but for rounding.
                        a = if pattern.is_symmetric() { a.symmetric_part() } else { a };
                        a += c.held().scale(s);
                    }
                }
                matrix.values[k] = a.to_array();
            }
        }
        for c in &self.list {
            let i = c.vertex as usize;
            let Some(slot) = pattern.slot(c.vertex, c.vertex) else { continue };
            let a = Mat3::from_array(matrix.values[slot.index() as usize]);
            let (free, held) = (c.filtered(b[i]), a.mul_vec(c.prescribed()));
            b[i] = std::array::from_fn(|k| free[k] + held[k]);
        }
        Ok(())
    }
}

/// The weight of held directions: the mean diagonal of the block, 1 where that is not positive.
fn weight(a: &Mat3<f64>) -> f64 {
    let mean = a.trace() / 3.0;
    if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
}

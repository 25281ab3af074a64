//! [`Basis`]: a body that moves in a few shapes, x = x̄ + B q.

use pliant_algebra::vec3::{Vec3, add_scaled, scale, sub};
use pliant_solvers::sums;

/// Shapes of one body, orthonormal in the inner product of its masses and scaled by the root of its mass: BᵀMB = m, and
/// q is in metres.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    pub(super) vertices: std::ops::Range<usize>,
    /// Its first unknown in the border.
    pub(super) first: usize,
    /// One list a shape, of the vertices of the body.
    pub(super) shapes: Vec<Vec<Vec3>>,
    /// x̄
    rest: Vec<Vec3>,
    /// kg
    masses: Vec<f64>,
    mass: f64,
    /// x̄ − base of the solve under way.
    offsets: Vec<Vec3>,
    /// A displacement of the body.
    work: Vec<Vec3>,
}

impl Basis {
    /// Of shapes φ with φᵀMφ = 1, one entry for each vertex of the body.
    pub(super) fn new(
        vertices: std::ops::Range<usize>,
        shapes: &[Vec<Vec3>],
        rest: &[Vec3],
        masses: &[f64],
    ) -> Self {
        let (rest, masses) = (rest[vertices.clone()].to_vec(), masses[vertices.clone()].to_vec());
        let mass: f64 = masses.iter().sum();
        let scaled = |shape: &Vec<Vec3>| shape.iter().map(|&s| scale(s, mass.sqrt())).collect();
        let shapes: Vec<Vec<Vec3>> = shapes.iter().map(scaled).collect();
        let zero = vec![[0.0; 3]; rest.len()];
        Self { vertices, first: 0, shapes, mass, masses, offsets: zero.clone(), work: zero, rest }
    }

    /// Number of shapes.
    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// q of the configuration nearest to the displacement in `work`, by mass.
    fn nearest(&self, q: &mut [f64]) {
        for (q, shape) in q.iter_mut().zip(&self.shapes) {
            let (work, masses) = (&self.work, &self.masses);
            let [sum] = sums::over(work.len(), &|range| {
                let dot = |i: usize| pliant_algebra::vec3::dot(shape[i], work[i]);
                [range.map(|i| masses[i] * dot(i)).sum()]
            });
            *q = sum / self.mass;
        }
    }

    /// Adds B q.
    pub(super) fn add(&self, q: &[f64], to: &mut [Vec3]) {
        for (&q, shape) in q.iter().zip(&self.shapes) {
            sums::add_scaled(to[self.vertices.clone()].as_flattened_mut(), q, shape.as_flattened());
        }
    }

    /// Begins a solve.
    pub(super) fn begin(&mut self, base: &[Vec3], guess: &[Vec3], q: &mut [f64]) {
        for (k, i) in self.vertices.clone().enumerate() {
            self.offsets[k] = sub(self.rest[k], base[i]);
            self.work[k] = sub(guess[i], self.offsets[k]);
        }
        self.nearest(q);
    }

    /// x̄ + B q − base
    pub(super) fn deviations(&self, q: &[f64], y: &mut [Vec3]) {
        y[self.vertices.clone()].copy_from_slice(&self.offsets);
        self.add(q, y);
    }

    /// Bᵀ r
    pub(super) fn pull(&self, r: &[Vec3], to: &mut [f64]) {
        let own = r[self.vertices.clone()].as_flattened();
        for (to, shape) in to.iter_mut().zip(&self.shapes) {
            *to = sums::dot(shape.as_flattened(), own);
        }
    }

    /// Brings a list to the space of the shapes, about x̄ if it is one of positions.
    pub(super) fn settle(&mut self, list: &mut [Vec3], positions: bool, q: &mut [f64]) {
        for (k, i) in self.vertices.clone().enumerate() {
            let about = if positions { self.rest[k] } else { [0.0; 3] };
            self.work[k] = sub(list[i], about);
            list[i] = about;
        }
        self.nearest(q);
        self.add(q, list);
    }

    /// The norm of the largest column of B.
    pub(super) fn gain(&self) -> f64 {
        self.shapes.iter().map(|s| sums::norm(s.as_flattened())).fold(1.0, f64::max)
    }

    /// M-inner product of two shapes over the mass: 1 or 0 but for rounding.
    pub(super) fn inner(&self, i: usize, j: usize) -> f64 {
        let weighed = self.shapes[j].iter().zip(&self.masses).map(|(&s, &m)| scale(s, m));
        let sum = self.shapes[i].iter().zip(weighed).fold([0.0; 3], |sum, (a, b)| {
            add_scaled(sum, std::array::from_fn(|k| a[k] * b[k]), 1.0)
        });
        (sum[0] + sum[1] + sum[2]) / self.mass
    }
}

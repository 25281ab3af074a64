//! Positive semi-definite part of the tangent of a pair, in the few dimensions where it is not zero.
//!
//! The matrix b″ ∇d∇dᵀ + b′ H_d lives in the span of ĉ⊗ê_k and {c, q₁, q₂}⊗n: five dimensions for
//! point-triangle and edge-edge, three for point-edge. (H_d alone needs one less.) What is outside of
//! it, the directions t of point-edge and point-point, is an eigenvector of its own with eigenvalue b′ |c|² / d.
//! With q_k in coordinates of an orthonormal basis of span {c, q₁, q₂} that begins with ĉ, the small matrix is
//!
//! ⎡ 0          −b′ |c| q_kᵀ                     ⎤
//! ⎣ −b′ |c| q_k   b″ |c|² e₁e₁ᵀ − b′ d Σ q_k q_kᵀ ⎦.

use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, scale};

use super::derivatives::{Frame, two_products};
use super::jacobi::keep_positive;
use super::{Blocks, Closest};

fn dot4(a: [f64; 4], b: [f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + (a[2] * b[2] + a[3] * b[3])
}

/// a / |a| after its parts along `others` are taken out; zero where nothing is left.
fn orthonormal(mut a: [f64; 4], others: &[[f64; 4]]) -> [f64; 4] {
    for o in others {
        let along = dot4(a, *o);
        for k in 0..4 {
            a[k] -= along * o[k];
        }
    }
    let length = dot4(a, a).sqrt();
    if length > 0.0 { a.map(|a| a / length) } else { a }
}

/// A matrix over (ê₁, ê₂ | ĉ, f₁, f₂), with the basis of the second part.
struct Small {
    frame: Frame,
    /// ĉ, f₁, f₂
    basis: [[f64; 4]; 3],
    matrix: [[f64; 5]; 5],
}

impl Small {
    fn new(closest: &Closest, frame: Frame, first: f64, second: f64) -> Self {
        let (c, d) = (closest.weights, closest.distance);
        let unit = orthonormal(c, &[]);
        let f1 = orthonormal(frame.slopes[0], &[unit]);
        let f2 = orthonormal(frame.slopes[1], &[unit, f1]);
        let basis = [unit, f1, f2];
        let length_squared = dot4(c, c);
        let coupling = -first * length_squared.sqrt();
        let q = frame.slopes.map(|q| basis.map(|b| dot4(q, b)));
        let mut matrix = [[0.0; 5]; 5];
        for m in 0..3 {
            for k in 0..2 {
                matrix[k][2 + m] = coupling * q[k][m];
                matrix[2 + m][k] = matrix[k][2 + m];
            }
            for l in 0..3 {
                matrix[2 + m][2 + l] = -first * d * (q[0][m] * q[0][l] + q[1][m] * q[1][l]);
            }
        }
        matrix[2][2] += second * length_squared;
        Self { frame, basis, matrix }
    }

    fn project(&mut self) {
        if self.frame.parameters == 2 {
            keep_positive(&mut self.matrix);
            return;
        }
        const USED: [usize; 3] = [0, 2, 3];
        let part = eigen3(&Mat3(USED.map(|i| USED.map(|j| self.matrix[i][j])))).positive_part();
        for (i, row) in USED.iter().zip(part.0) {
            for (j, value) in USED.iter().zip(row) {
                self.matrix[*i][*j] = value;
            }
        }
    }

    /// The matrix over vertices; `free` times cᵢ cⱼ is added to block (i, j).
    fn expand(&self, closest: &Closest, free: &Mat3<f64>) -> Blocks {
        let n = closest.normal;
        let [unit, ..] = self.basis;
        let [t1, t2] = self.frame.tangents;
        let m = &self.matrix;
        let mut tangential = free.scale(dot4(closest.weights, closest.weights));
        for k in 0..3 {
            for l in 0..3 {
                tangential.0[k][l] += m[0][0] * t1[k] * t1[l]
                    + m[1][1] * t2[k] * t2[l]
                    + m[0][1] * (t1[k] * t2[l] + t2[k] * t1[l]);
            }
        }
        // Rows of the basis of a vertex, and what they make of the blocks of m.
        let of = |i: usize| self.basis.map(|b| b[i]);
        let row = |k: usize, i: usize| {
            let b = of(i);
            m[k][2] * b[0] + m[k][3] * b[1] + m[k][4] * b[2]
        };
        let mixed: [Vec3; 4] = std::array::from_fn(|i| {
            let (a, b) = (row(0, i), row(1, i));
            std::array::from_fn(|k| a * t1[k] + b * t2[k])
        });
        let normal: [[f64; 3]; 4] = std::array::from_fn(|i| std::array::from_fn(|k| row(2 + k, i)));
        Blocks::from_fn(|i, j| {
            let b = of(j);
            let along = normal[i][0] * b[0] + normal[i][1] * b[1] + normal[i][2] * b[2];
            let pair = unit[i] * unit[j];
            let left = add_scaled(scale(mixed[j], unit[i]), n, along);
            two_products(left, n, scale(mixed[i], unit[j])) + tangential.scale(pair)
        })
    }
}

impl Closest {
    /// Returns the positive semi-definite matrix that is nearest to [`Closest::tangent`] in the
    /// Frobenius norm: that without its negative eigenvalues. `first` and `second` are derivatives by the distance.
    pub fn projected_tangent(&self, x: &[Vec3; 4], first: f64, second: f64) -> Blocks {
        let frame = Frame::new(self, x);
        let bend = if self.distance == 0.0 { 0.0 } else { (first / self.distance).max(0.0) };
        let free = frame.free(self.normal).scale(bend);
        let n = self.normal;
        if frame.parameters == 0 {
            let block = Mat3::outer(n, n).scale(second.max(0.0)) + free;
            return Blocks::from_fn(|i, j| block.scale(self.weights[i] * self.weights[j]));
        }
        let mut small = Small::new(self, frame, first, second);
        small.project();
        small.expand(self, &free)
    }
}

//! Derivatives of a mollified potential m b(d) of two edges.
//!
//! g = b ∇m + m ∇b and H = b ∇²m + ∇m ∇bᵀ + ∇b ∇mᵀ + m ∇²b, over all four vertices also where the
//! closest points are at ends. A translation changes nothing, so nine of the twelve dimensions are left for the projection.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, scale};

use super::jacobi::keep_positive;
use super::mollifier::Mollifier;
use super::{Blocks, Closest};

/// An orthonormal basis of what is orthogonal to (1, 1, 1, 1).
const BASIS: [[f64; 4]; 3] = {
    let h = std::f64::consts::FRAC_1_SQRT_2;
    [[h, -h, 0.0, 0.0], [0.0, 0.0, h, -h], [0.5, 0.5, -0.5, -0.5]]
};

impl Closest {
    /// Returns the gradient of m b for a potential whose `value` and `first` derivative by the distance are given.
    pub fn mollified_gradient(&self, m: &Mollifier, value: f64, first: f64) -> [Vec3; 4] {
        let gradient = m.gradient();
        std::array::from_fn(|i| {
            let normal = scale(self.normal, m.value * first * self.weights[i]);
            add_scaled(normal, gradient[i], value)
        })
    }

    /// Returns the Hessian of m b; `jet` is b, b′ and b″.
    pub fn mollified_tangent(&self, x: &[Vec3; 4], m: &Mollifier, jet: [f64; 3]) -> Blocks {
        let [value, first, second] = jet;
        let plain = self.tangent(x, m.value * first, m.value * second);
        if !m.is_active() {
            return plain;
        }
        let (bend, of_m, of_d) = (m.hessian(), m.gradient(), self.gradient());
        Blocks::from_fn(|i, j| {
            let mixed = Mat3::outer(of_m[i], of_d[j]) + Mat3::outer(of_d[i], of_m[j]);
            plain.block(i, j) + bend.block(i, j).scale(value) + mixed.scale(first)
        })
    }

    /// Returns the positive semi-definite matrix that is nearest to [`Closest::mollified_tangent`].
    pub fn projected_mollified_tangent(
        &self,
        x: &[Vec3; 4],
        m: &Mollifier,
        jet: [f64; 3],
    ) -> Blocks {
        if !m.is_active() {
            return self.projected_tangent(x, jet[1], jet[2]);
        }
        let full = self.mollified_tangent(x, m, jet);
        let mut small = [[0.0; 9]; 9];
        for (p, left) in BASIS.iter().enumerate() {
            for (q, right) in BASIS.iter().enumerate() {
                let mut sum = Mat3::<f64>::zero();
                for i in 0..4 {
                    for j in 0..4 {
                        sum += full.block(i, j).scale(left[i] * right[j]);
                    }
                }
                for k in 0..3 {
                    small[3 * p + k][3 * q..3 * q + 3].copy_from_slice(&sum.0[k]);
                }
            }
        }
        keep_positive(&mut small);
        Blocks::from_fn(|i, j| {
            let mut sum = Mat3::<f64>::zero();
            for (p, left) in BASIS.iter().enumerate() {
                for (q, right) in BASIS.iter().enumerate() {
                    let part = Mat3(std::array::from_fn(|k| {
                        std::array::from_fn(|l| small[3 * p + k][3 * q + l])
                    }));
                    sum += part.scale(left[i] * right[j]);
                }
            }
            sum
        })
    }
}

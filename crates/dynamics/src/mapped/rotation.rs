//! Rotation vectors: exp θ, its first and its second derivatives.
//!
//! With σ = |θ|², A = sin|θ|/|θ|, B = (1 − cos|θ|)/σ and C = (1 − A)/σ,
//!
//! ```text
//! exp(θ) a = a + A θ×a + B θ×(θ×a)
//! d(exp(θ) a) = (T dθ) × exp(θ) a,   T = 1 + B [θ]× + C [θ]×²
//! ```

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, cross, dot, scale};

/// Below this σ power series take the place of quotients, which cancel there.
const SMALL: f64 = 0.25;
/// Terms of a series: 0.25¹⁰/21! is below rounding.
const TERMS: usize = 10;

/// exp θ for one θ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rotation {
    theta: Vec3,
    /// A, dA/dσ, d²A/dσ².
    a: [f64; 3],
    /// B and its derivatives.
    b: [f64; 3],
    c: f64,
}

impl Rotation {
    pub(super) fn new(theta: Vec3) -> Self {
        let sigma = dot(theta, theta);
        if sigma < SMALL {
            let [c, _, _] = series(sigma, 3);
            return Self { theta, a: series(sigma, 1), b: series(sigma, 2), c };
        }
        let t = sigma.sqrt();
        let (sin, cos) = t.sin_cos();
        let a = sin / t;
        let b = (1.0 - cos) / sigma;
        let (da, db) = ((cos - a) / (2.0 * sigma), (0.5 * a - b) / sigma);
        let (dda, ddb) = (-(a + 6.0 * da) / (4.0 * sigma), (0.5 * da - 2.0 * db) / sigma);
        Self { theta, a: [a, da, dda], b: [b, db, ddb], c: (1.0 - a) / sigma }
    }

    /// exp(θ) a − a, without cancellation for small θ.
    pub(super) fn change(&self, arm: Vec3) -> Vec3 {
        let side = cross(self.theta, arm);
        add(scale(side, self.a[0]), scale(cross(self.theta, side), self.b[0]))
    }

    /// T
    pub(super) fn jacobian(&self) -> Mat3<f64> {
        let turn = Mat3::cross_matrix(self.theta);
        Mat3::identity() + turn.scale(self.b[0]) + (turn * turn).scale(self.c)
    }

    /// ∂²/∂θ² of Σ rᵢ·exp(θ)aᵢ from S = Σ aᵢ rᵢᵀ, for constant r. At θ = 0 it is ½ (S + Sᵀ) − tr S.
    pub(super) fn hessian(&self, s: &Mat3<f64>) -> Mat3<f64> {
        let (theta, [_, da, dda], [b, db, ddb]) = (self.theta, self.a, self.b);
        let sigma = dot(theta, theta);
        // f = w + A θ·u + B (½ θ·Pθ − σ w) with u = Σ a×r, P = S + Sᵀ, w = tr S.
        let (s, w, p) = (s.0, s.trace(), *s + s.transpose());
        let u = [s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]];
        let along = dot(theta, u);
        let turned = p.mul_vec(theta);
        let square = 0.5 * dot(theta, turned) - sigma * w;
        let slope = add(turned, scale(theta, -2.0 * w));
        let both = |x: Vec3| Mat3::outer(x, theta) + Mat3::outer(theta, x);
        both(scale(u, 2.0 * da))
            + both(scale(slope, 2.0 * db))
            + (p + Mat3::identity().scale(-2.0 * w)).scale(b)
            + Mat3::identity().scale(2.0 * da * along + 2.0 * db * square)
            + Mat3::outer(theta, theta).scale(4.0 * dda * along + 4.0 * ddb * square)
    }
}

/// Σ (−σ)ᵏ/(2k + n)! and its first two derivatives.
fn series(sigma: f64, n: usize) -> [f64; 3] {
    let mut sums = [0.0; 3];
    let mut factorial: f64 = (1..=n).map(|k| k as f64).product();
    // (−1)ᵏ σᵏ⁻ʲ for j = 0, 1, 2.
    let (mut powers, mut sign) = ([1.0, 0.0, 0.0], 1.0);
    for k in 0..TERMS {
        let order = k as f64;
        let factors = [1.0, order, order * (order - 1.0)];
        for j in 0..3 {
            sums[j] += sign * factors[j] * powers[j] / factorial;
        }
        let next = 2 * k + n;
        factorial *= ((next + 1) * (next + 2)) as f64;
        powers = [powers[0] * sigma, powers[0], powers[1]];
        sign = -sign;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_algebra::vec3::{norm, sub};

    const ARM: Vec3 = [0.7, -0.3, 1.1];
    const FORCE: Vec3 = [-0.4, 1.3, 0.6];

    fn rotated(theta: Vec3) -> Vec3 {
        add(ARM, Rotation::new(theta).change(ARM))
    }

    #[test]
    fn lengths_stay_and_series_meet_quotients() {
        for t in [1e-9, 0.1, 0.499, 0.501, 2.0, 9.0] {
            let theta = scale([0.6, 0.0, -0.8], t);
            assert!((norm(rotated(theta)) - norm(ARM)).abs() < 1e-14, "{t}");
        }
        let [low, high] = [0.25 - 1e-13, 0.25].map(|s: f64| Rotation::new([s.sqrt(), 0.0, 0.0]));
        for (a, b) in low.a.iter().chain(&low.b).zip(high.a.iter().chain(&high.b)) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        // A quarter turn about z.
        let x = add(
            [1.0, 0.0, 0.0],
            Rotation::new([0.0, 0.0, std::f64::consts::FRAC_PI_2]).change([1.0, 0.0, 0.0]),
        );
        assert!(norm(sub(x, [0.0, 1.0, 0.0])) < 1e-15, "{x:?}");
    }

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        let s = Mat3::outer(ARM, FORCE);
        for theta in [[0.0; 3], [0.01, -0.02, 0.015], [0.9, -0.4, 1.2], [-2.0, 1.5, 0.3]] {
            let rotation = Rotation::new(theta);
            let (t, hessian) = (rotation.jacobian(), rotation.hessian(&s));
            let gradient = |theta: Vec3| {
                let moment = cross(rotated(theta), FORCE);
                Rotation::new(theta).jacobian().transpose_mul_vec(moment)
            };
            for k in 0..3 {
                let h = 1e-5;
                let [above, below] = [h, -h].map(|h| {
                    let mut moved = theta;
                    moved[k] += h;
                    moved
                });
                let difference = scale(sub(rotated(above), rotated(below)), 0.5 / h);
                let exact = cross(t.column(k), rotated(theta));
                assert!(norm(sub(difference, exact)) < 1e-9, "{theta:?} {k}");
                let difference = scale(sub(gradient(above), gradient(below)), 0.5 / h);
                assert!(norm(sub(difference, hessian.column(k))) < 1e-9, "{theta:?} {k}");
            }
        }
    }
}

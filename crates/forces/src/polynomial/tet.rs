//! [`TetPolynomial`]: one tetrahedron as a polynomial of its nodal displacements.

use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::vec3::{Vec3, add, add_scaled, scale, sub};

use super::ThirdDerivative;

/// The coefficients of one tetrahedron: dot products of its shape gradients.
///
/// With constant shape gradients n_a the integrals of Barbič (2007; Vega section 4.2) are
///
/// - A_ab = V n_a n_bᵀ and B_ab = V n_a·n_b of the linear terms,
/// - C_abc = V n_a (n_b·n_c) of the quadratic ones,
/// - D_abcd = V (n_a·n_b)(n_c·n_d) of the cubic ones:
///
/// g_a = (λ A_ab + μ B_ab + μ A_ba) u_b
///     + (½ λ C_abc + μ C_bca)(u_b·u_c) + u_b (λ C_cab + μ C_bac + μ C_abc)·u_c
///     + (½ λ D_abcd + μ D_acbd) u_b (u_c·u_d),
///
/// summed over repeated nodes. That is 4⁴ terms; as every coefficient is a product, the sums go one
/// index at a time through h_a = Σ_b (n_a·n_b) u_b, t = Σ n_b·u_b, s = Σ u_b·h_b, G = Σ u_b n_bᵀ and
/// H = Σ u_b h_bᵀ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TetPolynomial {
    /// Shape gradients n_a, 1/m.
    pub(super) n: [Vec3; 4],
    /// n_a·n_b, 1/m².
    pub(super) dots: [[f64; 4]; 4],
    /// V, m³.
    pub(super) volume: f64,
    /// λ V and μ V, N·m.
    pub(super) lambda: f64,
    pub(super) mu: f64,
}

/// The parts of the force by degree in the displacements, N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceParts {
    /// K(0) u
    pub linear: [Vec3; 4],
    /// Of degree two.
    pub quadratic: [Vec3; 4],
    /// Of degree three.
    pub cubic: [Vec3; 4],
}

/// The sums over displacements that all terms share.
struct Sums {
    h: [Vec3; 4],
    t: f64,
    s: f64,
    g: Mat3<f64>,
    hh: Mat3<f64>,
}

impl TetPolynomial {
    /// From shape gradients (1/m), volume at rest (m³) and Lamé's constants (Pa).
    pub fn new(gradients: [Vec3; 4], volume: f64, lambda: f64, mu: f64) -> Self {
        let dots = gradients.map(|a| gradients.map(|b| dot(a, b)));
        Self { n: gradients, dots, volume, lambda: lambda * volume, mu: mu * volume }
    }

    /// A_ab = ∫ n_a n_bᵀ
    pub fn a(&self, a: usize, b: usize) -> Mat3<f64> {
        Mat3::outer(self.n[a], self.n[b]).scale(self.volume)
    }
    /// B_ab = ∫ n_a·n_b
    pub fn b(&self, a: usize, b: usize) -> f64 {
        self.volume * self.dots[a][b]
    }
    /// C_abc = ∫ n_a (n_b·n_c)
    pub fn c(&self, a: usize, b: usize, c: usize) -> Vec3 {
        scale(self.n[a], self.b(b, c))
    }
    /// D_abcd = ∫ (n_a·n_b)(n_c·n_d)
    pub fn d(&self, a: usize, b: usize, c: usize, d: usize) -> f64 {
        self.b(a, b) * self.dots[c][d]
    }

    /// Σ_b (n_a·n_b) u_b for each node.
    pub(super) fn weigh(&self, u: &[Vec3; 4]) -> [Vec3; 4] {
        std::array::from_fn(|a| {
            (0..4).fold([0.0; 3], |sum, b| add_scaled(sum, u[b], self.dots[a][b]))
        })
    }

    fn sums(&self, u: &[Vec3; 4]) -> Sums {
        let h = self.weigh(u);
        let (mut t, mut s, mut g, mut hh) = (0.0, 0.0, Mat3::zero(), Mat3::zero());
        for b in 0..4 {
            t += dot(self.n[b], u[b]);
            s += dot(u[b], h[b]);
            g += Mat3::outer(u[b], self.n[b]);
            hh += Mat3::outer(u[b], h[b]);
        }
        // Symmetric but for rounding.
        Sums { h, t, s, g, hh: hh.symmetric_part() }
    }

    /// F at these displacements (m).
    pub fn deformation_gradient(&self, u: &[Vec3; 4]) -> Mat3<f64> {
        (0..4).fold(Mat3::identity(), |f, b| f + Mat3::outer(u[b], self.n[b]))
    }

    /// Forces by degree at these displacements (m).
    pub fn force_parts(&self, u: &[Vec3; 4]) -> ForceParts {
        let Sums { h, t, s, g, hh } = self.sums(u);
        let Self { lambda, mu, .. } = *self;
        let mut parts =
            ForceParts { linear: [[0.0; 3]; 4], quadratic: [[0.0; 3]; 4], cubic: [[0.0; 3]; 4] };
        for a in 0..4 {
            let (n, h) = (self.n[a], h[a]);
            let linear = add(h, g.transpose_mul_vec(n));
            parts.linear[a] = add_scaled(scale(n, lambda * t), linear, mu);
            let quadratic = add(add(g.transpose_mul_vec(h), g.mul_vec(h)), hh.mul_vec(n));
            let volumetric = add_scaled(scale(n, 0.5 * lambda * s), h, lambda * t);
            parts.quadratic[a] = add_scaled(volumetric, quadratic, mu);
            parts.cubic[a] = add_scaled(scale(h, 0.5 * lambda * s), hh.mul_vec(h), mu);
        }
        parts
    }

    /// K_ab for a ≤ b at these displacements (m), N/m: constant, linear and quadratic terms.
    pub fn stiffness(&self, u: &[Vec3; 4]) -> [[Mat3<f64>; 4]; 4] {
        let Sums { h, t, s, g, hh } = self.sums(u);
        let Self { lambda, mu, n, dots, .. } = self;
        // What stands with n_a·n_b: I + G + Gᵀ + H, which is F Fᵀ.
        let left = Mat3::identity() + g + g.transpose() + hh;
        upper(|a, b| {
            let volumetric = Mat3::outer(n[a], n[b])
                + Mat3::outer(n[a], h[b])
                + Mat3::outer(h[a], n[b])
                + Mat3::outer(h[a], h[b]);
            let deviatoric = Mat3::outer(n[b], n[a])
                + Mat3::outer(n[b], h[a])
                + Mat3::outer(h[b], n[a])
                + Mat3::outer(h[b], h[a])
                + left.scale(dots[a][b]);
            let geometric = lambda * dots[a][b] * (t + 0.5 * s)
                + mu * (dot(n[b], h[a]) + dot(n[a], h[b]) + dot(h[a], h[b]));
            volumetric.scale(*lambda) + deviatoric.scale(*mu) + Mat3::diagonal([geometric; 3])
        })
    }

    /// ∂³Π/∂u³ at these displacements (m).
    pub fn third_derivative(&self, u: &[Vec3; 4]) -> ThirdDerivative<'_> {
        ThirdDerivative::new(self, u)
    }
}

impl ForceParts {
    /// g, N.
    pub fn total(&self) -> [Vec3; 4] {
        std::array::from_fn(|a| add(add(self.linear[a], self.quadratic[a]), self.cubic[a]))
    }

    /// Π = ½ u·g₁ + ⅓ u·g₂ + ¼ u·g₃, as Euler's theorem on homogeneous functions has it, J.
    pub fn energy(&self, u: &[Vec3; 4]) -> f64 {
        let work = |g: &[Vec3; 4]| (0..4).map(|a| dot(u[a], g[a])).sum::<f64>();
        work(&self.linear) / 2.0 + work(&self.quadratic) / 3.0 + work(&self.cubic) / 4.0
    }
}

/// A table of blocks for a ≤ b, zero below.
pub(super) fn upper(block: impl Fn(usize, usize) -> Mat3<f64>) -> [[Mat3<f64>; 4]; 4] {
    std::array::from_fn(|a| {
        std::array::from_fn(|b| if a <= b { block(a, b) } else { Mat3::zero() })
    })
}

/// Displacements relative to those of the first node: what is common to all takes no digits away.
pub(super) fn displacements(x: &[Vec3; 4], rest: &[Vec3; 4]) -> [Vec3; 4] {
    let u: [Vec3; 4] = std::array::from_fn(|a| sub(x[a], rest[a]));
    u.map(|v| sub(v, u[0]))
}

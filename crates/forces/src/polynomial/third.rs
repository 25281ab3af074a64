//! [`ThirdDerivative`]: how the stiffness of one tetrahedron changes.

use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::vec3::{Vec3, add, add_scaled, scale};

use super::TetPolynomial;
use super::tet::upper;

/// ∂³Π/∂u³ of one tetrahedron: linear in the displacements, symmetric in all three indices.
///
/// Π has no terms above degree four, and with m_a = n_a + Σ_d (n_a·n_d) u_d
///
/// ∂³Π / ∂u_ai ∂u_bj ∂u_ck = δ_jk (y_abc)_i + δ_ik (y_bca)_j + δ_ij (y_cab)_k,
/// y_abc = V (λ (n_b·n_c) m_a + μ (n_a·n_b) m_c + μ (n_a·n_c) m_b).
///
/// At u = 0 these are the quadratic coefficients (C of [`TetPolynomial`]), and what u adds are the
/// cubic ones (D).
#[derive(Debug, Clone, Copy)]
pub struct ThirdDerivative<'a> {
    tet: &'a TetPolynomial,
    m: [Vec3; 4],
}

impl<'a> ThirdDerivative<'a> {
    pub(super) fn new(tet: &'a TetPolynomial, u: &[Vec3; 4]) -> Self {
        let h = tet.weigh(u);
        Self { tet, m: std::array::from_fn(|a| add(tet.n[a], h[a])) }
    }

    /// y_abc, N/m².
    pub fn coefficient(&self, a: usize, b: usize, c: usize) -> Vec3 {
        let TetPolynomial { dots, lambda, mu, .. } = self.tet;
        let y = scale(self.m[a], lambda * dots[b][c]);
        add_scaled(add_scaled(y, self.m[c], mu * dots[a][b]), self.m[b], mu * dots[a][c])
    }

    /// The 3×3×3 block of nodes a, b, c, N/m²: entry \[i\]\[j\]\[k\].
    pub fn block(&self, a: usize, b: usize, c: usize) -> [[[f64; 3]; 3]; 3] {
        let [ya, yb, yc] =
            [self.coefficient(a, b, c), self.coefficient(b, c, a), self.coefficient(c, a, b)];
        let mut block = [[[0.0; 3]; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                // One entry may get all three.
                block[i][j][j] += ya[i];
                block[j][i][j] += yb[i];
                block[j][j][i] += yc[i];
            }
        }
        block
    }

    /// Σ ∂³Π/∂u_a∂u_b∂u_c : d_b ⊗ e_c for each node a: the second derivative of the force along two
    /// directions.
    pub fn contract(&self, d: &[Vec3; 4], e: &[Vec3; 4]) -> [Vec3; 4] {
        let TetPolynomial { lambda, mu, .. } = *self.tet;
        let (p, q) = (self.tet.weigh(d), self.tet.weigh(e));
        let m = &self.m;
        let work = |a: &[Vec3; 4], b: &[Vec3; 4]| (0..4).map(|c| dot(a[c], b[c])).sum::<f64>();
        let (de, md, me) = (work(d, &q), work(m, d), work(m, e));
        std::array::from_fn(|a| {
            let volumetric = add_scaled(add_scaled(scale(m[a], de), q[a], md), p[a], me);
            let mut deviatoric = [0.0; 3];
            for c in 0..4 {
                let along_m = dot(p[a], e[c]) + dot(q[a], d[c]);
                deviatoric = add_scaled(deviatoric, m[c], along_m);
                let along_d = dot(m[a], q[c]) + dot(m[c], q[a]);
                deviatoric = add_scaled(deviatoric, d[c], along_d);
                let along_e = dot(m[a], p[c]) + dot(m[c], p[a]);
                deviatoric = add_scaled(deviatoric, e[c], along_e);
            }
            add_scaled(scale(volumetric, lambda), deviatoric, mu)
        })
    }

    /// The change of K_ab along d for a ≤ b: Σ_c ∂³Π/∂u_a∂u_b∂u_c d_c.
    pub fn along(&self, d: &[Vec3; 4]) -> [[Mat3<f64>; 4]; 4] {
        let TetPolynomial { dots, lambda, mu, .. } = self.tet;
        let p = self.tet.weigh(d);
        let m = &self.m;
        let mut left = Mat3::zero();
        for c in 0..4 {
            left += Mat3::outer(m[c], d[c]);
        }
        let trace = left.trace();
        let left = left + left.transpose();
        upper(|a, b| {
            let volumetric = Mat3::outer(m[a], p[b]) + Mat3::outer(p[a], m[b]);
            let deviatoric =
                Mat3::outer(m[b], p[a]) + Mat3::outer(p[b], m[a]) + left.scale(dots[a][b]);
            let geometric = lambda * dots[a][b] * trace + mu * (dot(m[b], p[a]) + dot(m[a], p[b]));
            volumetric.scale(*lambda) + deviatoric.scale(*mu) + Mat3::diagonal([geometric; 3])
        })
    }
}

//! [`CorotatedTet`]: a linear tetrahedron in a frame that others choose.

use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::vec3::{Vec3, add, scale, sub};
use pliant_elements::{Element, Tet4};

use super::FrameRule;
use crate::error::ForceError;
use crate::stencils::{Local, RestPoint};
use crate::worst::deformation_gradient;

/// A tetrahedron with Hooke's law on the strain ε = ½ (RᵀF + FᵀR) − I in a frame R:
/// g_a = V R σ(ε) n_a, which is R K (Rᵀx − X) (Kharevych 2.2.3; errata on its factors).
#[derive(Debug, Clone, Copy)]
pub(super) struct CorotatedTet {
    /// Shape gradients n_a, 1/m.
    n: [Vec3; 4],
    /// z_a of the matrix A = Σ x_a z_aᵀ from which the frame comes; they add up to zero.
    pub(super) z: [Vec3; 4],
    /// λ V and μ V, N·m.
    lambda: f64,
    mu: f64,
}

/// One way in which the frame turns with the nodes: δR = δθ \[axis\]× R with δθ = Σ_b rate_b·δx_b.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub(super) axis: Vec3,
    pub(super) rates: [Vec3; 4],
}

/// What is wanted of an element: energy and forces; the weight of the stiffness, if any.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) forces: bool,
    pub(super) weight: Option<f64>,
}

impl CorotatedTet {
    pub(super) fn new(
        cell: usize,
        rest: &[Vec3; 4],
        lame: &[f64],
        rule: FrameRule,
    ) -> Result<Self, ForceError> {
        let RestPoint { shape, weight } = RestPoint::new::<Tet4, 3>(cell, &Tet4::POINTS[0], rest)?;
        let z = match rule {
            FrameRule::Polar => shape,
            FrameRule::LeastDisplacement => {
                let centre = scale(rest.iter().fold([0.0; 3], |sum, &x| add(sum, x)), 0.25);
                let arms = rest.map(|x| sub(x, centre));
                // A scale of A changes nothing; this one makes its trace 1 at rest.
                let size: f64 = arms.iter().map(|&arm| dot(arm, arm)).sum();
                arms.map(|arm| scale(arm, 1.0 / size))
            }
        };
        Ok(Self { n: shape, z, lambda: lame[0] * weight, mu: lame[1] * weight })
    }

    /// F
    pub(super) fn deformation_gradient(&self, x: &[Vec3; 4]) -> Mat3<f64> {
        deformation_gradient(x, &self.n)
    }

    /// Σ (x_a − x_0) z_aᵀ
    pub(super) fn frame_matrix(&self, x: &[Vec3; 4]) -> Mat3<f64> {
        sum(x, &self.z)
    }

    /// V σ of a strain.
    fn hooke(&self, strain: &Mat3<f64>) -> Mat3<f64> {
        strain.scale(2.0 * self.mu) + Mat3::diagonal([self.lambda * strain.trace(); 3])
    }

    /// Adds what is wanted in the frame R.
    pub(super) fn add(
        &self,
        x: &[Vec3; 4],
        r: &Mat3<f64>,
        turns: &[Turn],
        wanted: Wanted,
        local: &mut Local<4>,
    ) {
        let f = sum(x, &self.n);
        let strain = r.transpose_mul(&f).symmetric_part() - Mat3::identity();
        let sigma = self.hooke(&strain);
        let p = *r * sigma;
        if wanted.forces {
            local.energy += 0.5 * sigma.contract(&strain);
            for a in 0..4 {
                local.gradient[a] = add(local.gradient[a], p.mul_vec(self.n[a]));
            }
        }
        let Some(weight) = wanted.weight else { return };
        let m = self.n.map(|n| r.mul_vec(n));
        let changes: [Mat3<f64>; 3] = std::array::from_fn(|k| match turns.get(k) {
            Some(turn) => self.change(turn.axis, r, &f, &p),
            None => Mat3::zero(),
        });
        for a in 0..4 {
            for b in 0..4 {
                // R K_ab Rᵀ
                let mut block = Mat3::outer(m[a], m[b]).scale(self.lambda)
                    + Mat3::outer(m[b], m[a]).scale(self.mu)
                    + Mat3::diagonal([self.mu * dot(self.n[a], self.n[b]); 3]);
                for (turn, change) in turns.iter().zip(&changes) {
                    block += Mat3::outer(change.mul_vec(self.n[a]), turn.rates[b]);
                }
                local.blocks[a][b] = block.scale(weight).to_array();
            }
        }
    }

    /// ∂P/∂θ where δR = δθ \[axis\]× R: \[axis\]× P + R σ(sym(−Rᵀ\[axis\]× F)).
    fn change(&self, axis: Vec3, r: &Mat3<f64>, f: &Mat3<f64>, p: &Mat3<f64>) -> Mat3<f64> {
        let spin = Mat3::cross_matrix(axis);
        let strain = -r.transpose_mul(&(spin * *f)).symmetric_part();
        spin * *p + *r * self.hooke(&strain)
    }
}

/// Σ (x_a − x_0) w_aᵀ for weights that add up to zero: differences, so that what is common to all
/// nodes takes no digits away.
fn sum(x: &[Vec3; 4], w: &[Vec3; 4]) -> Mat3<f64> {
    (1..4).fold(Mat3::zero(), |m, a| m + Mat3::outer(sub(x[a], x[0]), w[a]))
}

//! Second derivatives of the distance.
//!
//! With s = d², e_k = Σ c_{i,k} xᵢ, A_kl = 2 e_k·e_l and B_{k,i} = 2 (cᵢ e_k + c_{i,k} r) the Hessian is
//! H_s = 2 (c cᵀ)⊗I − Bᵀ A⁻¹ B, and H_d = H_s / 2d − ∇s ∇sᵀ / 4d³. Its terms in 1/d cancel but for directions t that are orthogonal
//! to n and to all e_k. So they are left out from the start: let ê_k be the
//! orthonormalised e_k, q_k the slopes ∂c/∂β_k combined and scaled alike, and vᵢ = Σ_k q_{k,i} ê_k, then
//!
//! (H_d)ᵢⱼ = cᵢ cⱼ (Σ t tᵀ) / d − cᵢ vⱼ nᵀ − cⱼ n vᵢᵀ − d (vᵢ·vⱼ) n nᵀ.
//!
//! There is one t for point-edge, two for point-point, and none else.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, norm, scale, sub};

use super::{Blocks, Closest};

/// Directions in which the distance bends.
pub(super) struct Frame {
    /// ê_k
    pub(super) tangents: [Vec3; 2],
    /// q_k
    pub(super) slopes: [[f64; 4]; 2],
    /// Number of parameters.
    pub(super) parameters: usize,
}

impl Frame {
    #[inline]
    pub(super) fn new(closest: &Closest, x: &[Vec3; 4]) -> Self {
        let parameters = closest.parameters();
        let mut frame = Self { tangents: [[0.0; 3]; 2], slopes: [[0.0; 4]; 2], parameters };
        for k in 0..parameters {
            let [i, j] = closest.edges[k].map(usize::from);
            let (mut e, mut q) = (sub(x[i], x[j]), [0.0; 4]);
            (q[i], q[j]) = (1.0, -1.0);
            if k == 1 {
                let along = dot(e, frame.tangents[0]);
                e = add_scaled(e, frame.tangents[0], -along);
                for (q, first) in q.iter_mut().zip(frame.slopes[0]) {
                    *q -= along * first;
                }
            }
            let length = norm(e);
            // A length of zero has no region inside: it cannot be here.
            let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
            frame.tangents[k] = scale(e, inverse);
            frame.slopes[k] = q.map(|q| q * inverse);
        }
        frame
    }

    /// Σ t tᵀ over the directions in which only the rotation of n bends the distance.
    #[inline]
    pub(super) fn free(&self, n: Vec3) -> Mat3<f64> {
        match self.parameters {
            0 => Mat3::identity() - Mat3::outer(n, n),
            1 => {
                let t = cross(n, self.tangents[0]);
                Mat3::outer(t, t)
            }
            _ => Mat3::zero(),
        }
    }

    /// vᵢ
    #[inline]
    fn turns(&self) -> [Vec3; 4] {
        let [a, b] = self.tangents;
        let [p, q] = self.slopes;
        std::array::from_fn(|i| std::array::from_fn(|k| p[i] * a[k] + q[i] * b[k]))
    }
}

/// a nᵀ + n bᵀ
#[inline]
pub(super) fn two_products(a: Vec3, n: Vec3, b: Vec3) -> Mat3<f64> {
    let mut m = Mat3::zero();
    for k in 0..3 {
        for l in 0..3 {
            m.0[k][l] = a[k] * n[l] + n[k] * b[l];
        }
    }
    m
}

impl Closest {
    /// Returns `second` ∇d∇dᵀ + `first` H_d, the Hessian of a function of the distance with
    /// these derivatives. `x` must be what the closest points were found for. Zero where the primitives touch.
    #[inline]
    pub fn tangent(&self, x: &[Vec3; 4], first: f64, second: f64) -> Blocks {
        let Self { weights: c, distance: d, normal: n, .. } = *self;
        let frame = Frame::new(self, x);
        let v = frame.turns();
        // −b′ vᵢ, so that block (i, j) is a nᵀ + n (cⱼ wᵢ)ᵀ with a = cᵢ wⱼ + (b″ cᵢ cⱼ + d vᵢ·wⱼ) n.
        let w = v.map(|v| scale(v, -first));
        let with_free = frame.parameters < 2 && d != 0.0;
        let free = if with_free { frame.free(n).scale(first / d) } else { Mat3::zero() };
        Blocks::from_fn(|i, j| {
            let pair = c[i] * c[j];
            let along = second * pair + d * dot(v[i], w[j]);
            let left = add_scaled(scale(w[j], c[i]), n, along);
            let block = two_products(left, n, scale(w[i], c[j]));
            if with_free { block + free.scale(pair) } else { block }
        })
    }

    /// Returns H_d, 1/m.
    pub fn hessian(&self, x: &[Vec3; 4]) -> Blocks {
        self.tangent(x, 1.0, 0.0)
    }
}

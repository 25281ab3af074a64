//! [`Mollifier`]: makes contact of two edges vanish where they become parallel.
//!
//! The distance of two edges has a kink where they are parallel, as the closest points jump from end to end. Its
//! potential is multiplied by m(x) = (x/ε) (2 − x/ε) of x = |u×w|², one from x = ε on, so that the
//! product is smooth; point-edge pairs take over meanwhile.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, norm_squared, scale, sub};

use super::Blocks;

/// ε over the product of the squared lengths of the edges at rest: about the square of the sine below which edges count as nearly parallel.
pub const PARALLEL: f64 = 1e-3;

/// m and its derivatives for two edges at given positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mollifier {
    /// m, between 0 and 1.
    pub value: f64,
    /// dm/dx and d²m/dx², 1/m⁴ and 1/m⁸.
    slopes: [f64; 2],
    /// The edges u = a₁ − a₀ and w = b₁ − b₀.
    edges: [Vec3; 2],
}

impl Mollifier {
    /// The edges a₀–a₁ and b₀–b₁ at `x`, whose lengths at rest, squared, are `rest_squared` (m²). Edges
    /// without a length at rest are not mollified.
    pub fn new(x: &[Vec3; 4], rest_squared: [f64; 2]) -> Self {
        let edges = [sub(x[1], x[0]), sub(x[3], x[2])];
        let epsilon = PARALLEL * rest_squared[0] * rest_squared[1];
        let across = norm_squared(cross(edges[0], edges[1]));
        if across >= epsilon || epsilon == 0.0 {
            return Self { value: 1.0, slopes: [0.0; 2], edges };
        }
        let y = across / epsilon;
        let slopes = [2.0 * (1.0 - y) / epsilon, -2.0 / (epsilon * epsilon)];
        Self { value: y * (2.0 - y), slopes, edges }
    }

    /// True where m < 1, so that its derivatives are not all zero.
    pub fn is_active(&self) -> bool {
        self.slopes[1] != 0.0
    }

    /// ∂x/∂u and ∂x/∂w
    fn across_gradient(&self) -> [Vec3; 2] {
        let [u, w] = self.edges;
        let uw = dot(u, w);
        [
            scale(add_scaled(scale(u, norm_squared(w)), w, -uw), 2.0),
            scale(add_scaled(scale(w, norm_squared(u)), u, -uw), 2.0),
        ]
    }

    /// ∂m/∂xᵢ
    pub fn gradient(&self) -> [Vec3; 4] {
        let [u, w] = self.across_gradient().map(|g| scale(g, self.slopes[0]));
        [u.map(|u| -u), u, w.map(|w| -w), w]
    }

    /// ∂²m/∂xᵢ∂xⱼ
    pub fn hessian(&self) -> Blocks {
        let [u, w] = self.edges;
        let [gu, gw] = self.across_gradient();
        let uw = dot(u, w);
        let one = |s: f64| Mat3::<f64>::diagonal([s; 3]);
        // Second derivatives of x = |u|²|w|² − (u·w)² by u, by u and w, by w.
        let x_uu = (one(norm_squared(w)) - Mat3::outer(w, w)).scale(2.0);
        let x_ww = (one(norm_squared(u)) - Mat3::outer(u, u)).scale(2.0);
        let x_uw = (Mat3::outer(u, w).scale(2.0) - Mat3::outer(w, u) - one(uw)).scale(2.0);
        let [m1, m2] = self.slopes;
        let whole = |bend: Mat3<f64>, a, b| bend.scale(m1) + Mat3::outer(a, b).scale(m2);
        let (uu, uw, ww) = (whole(x_uu, gu, gu), whole(x_uw, gu, gw), whole(x_ww, gw, gw));
        const SIGN: [f64; 4] = [-1.0, 1.0, -1.0, 1.0];
        Blocks::from_fn(|i, j| {
            let block = if j < 2 {
                uu
            } else if i < 2 {
                uw
            } else {
                ww
            };
            block.scale(SIGN[i] * SIGN[j])
        })
    }
}

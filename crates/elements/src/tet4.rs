//! The linear tetrahedron: constant gradients, one point.

use pliant_algebra::real::Real;
use pliant_algebra::vec3::{Vec3, sub, triple};

use crate::Point;
use crate::element::Element;
use crate::quadrature::{Rule, tetrahedron_rule};

/// Four nodes: N₀ = 1 − ξ − η − ζ, N₁ = ξ, N₂ = η, N₃ = ζ.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tet4;

const GRADIENTS: [[f64; 3]; 4] =
    [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Element<3, 4> for Tet4 {
    const NAME: &'static str = "tet4";
    const POINTS: &'static [Point<3, 4>] =
        &[Point { at: [0.25; 3], weight: 1.0 / 6.0, values: [0.25; 4], gradients: GRADIENTS }];
    const ANY_ORDER: bool = true;
    const LUMP_BY_DIAGONAL: bool = false;

    fn values([a, b, c]: [f64; 3]) -> [f64; 4] {
        [1.0 - a - b - c, a, b, c]
    }
    fn gradients(_: [f64; 3]) -> [[f64; 3]; 4] {
        GRADIENTS
    }
    fn mass_rule() -> Rule<3> {
        tetrahedron_rule(2)
    }
    fn is_affine(_: &[[f64; 3]; 4]) -> bool {
        true
    }

    fn measure(x: &[[f64; 3]; 4]) -> f64 {
        corner_volume(*x)
    }

    // With these gradients the sums are differences.
    #[inline(always)]
    fn jacobian<R: Real>(_: &Point<3, 4>, x: &[[R; 3]; 4]) -> [[R; 3]; 3] {
        let mut m = [[R::zero(); 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] = x[j + 1][i] - x[0][i];
            }
        }
        m
    }
    #[inline(always)]
    fn spread<R: Real>(_: &Point<3, 4>, t: &[[R; 3]; 3], f: &mut [[R; 3]; 4]) {
        for i in 0..3 {
            let [a, b, c] = t[i];
            f[0][i] -= a + b + c;
            f[1][i] += a;
            f[2][i] += b;
            f[3][i] += c;
        }
    }
    #[inline(always)]
    fn physical_gradients<R: Real>(_: &Point<3, 4>, inverse: &[[R; 3]; 3]) -> [[R; 3]; 4] {
        let [a, b, c] = *inverse;
        let zero = R::zero();
        let first =
            [zero - (a[0] + b[0] + c[0]), zero - (a[1] + b[1] + c[1]), zero - (a[2] + b[2] + c[2])];
        [first, a, b, c]
    }
}

/// Signed volume of a tetrahedron with straight edges, m³.
pub(crate) fn corner_volume([a, b, c, d]: [Vec3; 4]) -> f64 {
    triple(sub(b, a), sub(c, a), sub(d, a)) / 6.0
}

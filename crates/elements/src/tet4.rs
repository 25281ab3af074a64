//! The linear tetrahedron: constant gradients, one point.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::Point;
use crate::element::Element;
use crate::quadrature::{Rule, tetrahedron_rule};

/// Four nodes: N₀ = 1 − ξ − η − ζ, N₁ = ξ, N₂ = η, N₃ = ζ.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tet4;

const GRADIENTS: [[f64; 3]; 4] =
    [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Element<4> for Tet4 {
    const NAME: &'static str = "tet4";
    const POINTS: &'static [Point<4>] =
        &[Point { at: [0.25; 3], weight: 1.0 / 6.0, values: [0.25; 4], gradients: GRADIENTS }];
    const ANY_ORDER: bool = true;
    const LUMP_BY_DIAGONAL: bool = false;

    fn values([a, b, c]: [f64; 3]) -> [f64; 4] {
        [1.0 - a - b - c, a, b, c]
    }
    fn gradients(_: [f64; 3]) -> [[f64; 3]; 4] {
        GRADIENTS
    }
    fn mass_rule() -> Rule {
        tetrahedron_rule(2)
    }
    fn is_affine(_: &[[f64; 3]; 4]) -> bool {
        true
    }

    // With these gradients the sums are differences.
    #[inline(always)]
    fn jacobian<R: Real>(_: &Point<4>, x: &[[R; 3]; 4]) -> Mat3<R> {
        let mut m = Mat3::zero();
        for i in 0..3 {
            for j in 0..3 {
                m.0[i][j] = x[j + 1][i] - x[0][i];
            }
        }
        m
    }
    #[inline(always)]
    fn spread<R: Real>(_: &Point<4>, t: &Mat3<R>, f: &mut [[R; 3]; 4]) {
        for i in 0..3 {
            let [a, b, c] = t.0[i];
            f[0][i] -= a + b + c;
            f[1][i] += a;
            f[2][i] += b;
            f[3][i] += c;
        }
    }
    #[inline(always)]
    fn physical_gradients<R: Real>(_: &Point<4>, inverse: &Mat3<R>) -> [[R; 3]; 4] {
        let [a, b, c] = inverse.0;
        let zero = R::zero();
        let first =
            [zero - (a[0] + b[0] + c[0]), zero - (a[1] + b[1] + c[1]), zero - (a[2] + b[2] + c[2])];
        [first, a, b, c]
    }
}

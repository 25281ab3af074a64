//! The quadratic tetrahedron.

use crate::Point;
use crate::element::{Element, measure};
use crate::quadrature::{Rule, tetrahedron_rule};
use crate::tet4::corner_volume;

/// Ten nodes: the corners, then the middles of edges 01, 12, 02, 03, 13, 23. With barycentric
/// coordinates L, corners have L(2L − 1) and middles 4 L_a L_b.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tet10;

/// Where the nodes are.
const NODES: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [0.0, 0.5, 0.5],
];
/// Edges in the order of the middle nodes.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
/// ∂L_a/∂ξ
const L_GRADIENTS: [[f64; 3]; 4] =
    [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

const fn values([a, b, c]: [f64; 3]) -> [f64; 10] {
    let l = [1.0 - a - b - c, a, b, c];
    let mut n = [0.0; 10];
    let mut k = 0;
    while k < 4 {
        n[k] = l[k] * (2.0 * l[k] - 1.0);
        k += 1;
    }
    while k < 10 {
        let [i, j] = EDGES[k - 4];
        n[k] = 4.0 * l[i] * l[j];
        k += 1;
    }
    n
}

const fn gradients([a, b, c]: [f64; 3]) -> [[f64; 3]; 10] {
    let l = [1.0 - a - b - c, a, b, c];
    let mut g = [[0.0; 3]; 10];
    let mut axis = 0;
    while axis < 3 {
        let mut k = 0;
        while k < 4 {
            g[k][axis] = (4.0 * l[k] - 1.0) * L_GRADIENTS[k][axis];
            k += 1;
        }
        while k < 10 {
            let [i, j] = EDGES[k - 4];
            g[k][axis] = 4.0 * (l[i] * L_GRADIENTS[j][axis] + l[j] * L_GRADIENTS[i][axis]);
            k += 1;
        }
        axis += 1;
    }
    g
}

const fn point(at: [f64; 3]) -> Point<3, 10> {
    Point { at, weight: 1.0 / 24.0, values: values(at), gradients: gradients(at) }
}

/// (5 − √5)/20 and (5 + 3√5)/20: the symmetric rule of four points, exact for degree 2
/// (P. Hammer, O. Marlowe and A. Stroud, Math. Tables Aids Comput. 10, 1956).
const NEAR: f64 = 0.138_196_601_125_010_5;
const FAR: f64 = 0.585_410_196_624_968_5;

impl Element<3, 10> for Tet10 {
    const NAME: &'static str = "tet10";
    /// The stiffness of a linear material on a straight element has degree 2. On curved ones, whose middle nodes are off
    /// by O(h²), a rule of that degree keeps the order of convergence (P. Ciarlet and P.-A. Raviart, 1972).
    const POINTS: &'static [Point<3, 10>] = &[
        point([NEAR, NEAR, NEAR]),
        point([FAR, NEAR, NEAR]),
        point([NEAR, FAR, NEAR]),
        point([NEAR, NEAR, FAR]),
    ];
    const ANY_ORDER: bool = false;
    const LUMP_BY_DIAGONAL: bool = true;
    const CURVED_CHECKS: &'static [[f64; 3]] = &NODES;

    fn values(xi: [f64; 3]) -> [f64; 10] {
        values(xi)
    }
    fn gradients(xi: [f64; 3]) -> [[f64; 3]; 10] {
        gradients(xi)
    }
    /// N_a N_b has degree 4 and det ∂X/∂ξ of a curved element 3.
    fn mass_rule() -> Rule<3> {
        tetrahedron_rule(7)
    }
    fn measure(x: &[[f64; 3]; 10]) -> f64 {
        if Self::is_affine(x) {
            return corner_volume([x[0], x[1], x[2], x[3]]);
        }
        // det ∂X/∂ξ of a curved element has degree 3.
        let rule = tetrahedron_rule(3);
        rule.iter().map(|&(at, weight)| weight * measure(&Self::jacobian(&point(at), x))).sum()
    }
    fn is_affine(x: &[[f64; 3]; 10]) -> bool {
        let mut size: f64 = 0.0;
        let mut off: f64 = 0.0;
        for (middle, [i, j]) in x[4..].iter().zip(EDGES) {
            for k in 0..3 {
                size = size.max((x[j][k] - x[i][k]).abs());
                off = off.max((middle[k] - 0.5 * (x[i][k] + x[j][k])).abs());
            }
        }
        off <= 1e-13 * size
    }
}

/// [`Tet10`] with the mean dilatation of the element in place of that of the point: quadratic displacements with one pressure an element.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tet10Bbar;

impl Element<3, 10> for Tet10Bbar {
    const NAME: &'static str = "tet10-bbar";
    const POINTS: &'static [Point<3, 10>] = Tet10::POINTS;
    const ANY_ORDER: bool = Tet10::ANY_ORDER;
    const LUMP_BY_DIAGONAL: bool = Tet10::LUMP_BY_DIAGONAL;
    const MEAN_DILATATION: bool = true;
    const CURVED_CHECKS: &'static [[f64; 3]] = Tet10::CURVED_CHECKS;

    fn values(xi: [f64; 3]) -> [f64; 10] {
        values(xi)
    }
    fn gradients(xi: [f64; 3]) -> [[f64; 3]; 10] {
        gradients(xi)
    }
    fn mass_rule() -> Rule<3> {
        Tet10::mass_rule()
    }
    fn measure(x: &[[f64; 3]; 10]) -> f64 {
        Tet10::measure(x)
    }
    fn is_affine(x: &[[f64; 3]; 10]) -> bool {
        Tet10::is_affine(x)
    }
}

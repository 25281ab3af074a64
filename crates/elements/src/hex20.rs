//! The quadratic hexahedron of the serendipity family.

use crate::Point;
use crate::element::{Element, spanned};
use crate::quadrature::{Rule, cube_rule};

/// Twenty nodes: the corners of [−1, 1]³, then the middles of edges 01, 12, 23, 30, 45, 56, 67, 74, 04, 15, 26, 37.
///
/// Corners have ⅛ (1+sξ)(1+tη)(1+uζ)(sξ+tη+uζ−2), the middle of an edge along ξ ¼ (1−ξ²)(1+tη)(1+uζ), and so on
/// (J. Ergatoudis, B. Irons and O. Zienkiewicz, Int. J. Solids Struct. 4, 1968). All quadratic functions are held.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hex20;

/// Where the nodes are: ±1, or 0 along the edge that a node is in the middle of.
const NODES: [[f64; 3]; 20] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [0.0, -1.0, -1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, -1.0],
    [-1.0, 0.0, -1.0],
    [0.0, -1.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [-1.0, 0.0, 1.0],
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];

/// The factor of a shape function along one axis, and its derivative: 1 + sξ, or 1 − ξ² in the middle of an edge.
const fn factor(s: f64, xi: f64) -> [f64; 2] {
    if s == 0.0 { [1.0 - xi * xi, -2.0 * xi] } else { [1.0 + s * xi, s] }
}

const fn values(xi: [f64; 3]) -> [f64; 20] {
    let mut n = [0.0; 20];
    let mut a = 0;
    while a < 20 {
        let [s, t, u] = NODES[a];
        let product = factor(s, xi[0])[0] * factor(t, xi[1])[0] * factor(u, xi[2])[0];
        let sum = s * xi[0] + t * xi[1] + u * xi[2] - 2.0;
        n[a] = if a < 8 { 0.125 * product * sum } else { 0.25 * product };
        a += 1;
    }
    n
}

const fn gradients(xi: [f64; 3]) -> [[f64; 3]; 20] {
    let mut g = [[0.0; 3]; 20];
    let mut a = 0;
    while a < 20 {
        let [s, t, u] = NODES[a];
        let (p, q, r) = (factor(s, xi[0]), factor(t, xi[1]), factor(u, xi[2]));
        let slopes = [p[1] * q[0] * r[0], p[0] * q[1] * r[0], p[0] * q[0] * r[1]];
        let (product, sum) = (p[0] * q[0] * r[0], s * xi[0] + t * xi[1] + u * xi[2] - 2.0);
        let mut axis = 0;
        while axis < 3 {
            g[a][axis] = if a < 8 {
                0.125 * (slopes[axis] * sum + product * NODES[a][axis])
            } else {
                0.25 * slopes[axis]
            };
            axis += 1;
        }
        a += 1;
    }
    g
}

/// √0.6: Gauss points of the three-point rule, with weights 5/9 and 8/9.
const GAUSS: f64 = 0.774_596_669_241_483_4;
const LINE: [(f64, f64); 3] = [(-GAUSS, 5.0 / 9.0), (0.0, 8.0 / 9.0), (GAUSS, 5.0 / 9.0)];

// Made while compiling.
#[allow(clippy::large_stack_arrays)]
const fn points() -> [Point<3, 20>; 27] {
    let mut points =
        [Point { at: [0.0; 3], weight: 0.0, values: [0.0; 20], gradients: [[0.0; 3]; 20] }; 27];
    let mut q = 0;
    while q < 27 {
        let ((x, u), (y, v), (z, w)) = (LINE[q % 3], LINE[q / 3 % 3], LINE[q / 9]);
        let at = [x, y, z];
        points[q] = Point { at, weight: u * v * w, values: values(at), gradients: gradients(at) };
        q += 1;
    }
    points
}

static POINTS: [Point<3, 20>; 27] = points();

impl Element<3, 20> for Hex20 {
    const NAME: &'static str = "hex20";
    /// Products of gradients have degree 4 along every axis, for which 3×3×3 points are exact. Of the cheaper rules,
    /// 2×2×2 points leave six modes without energy, and the fourteen points of Irons (total degree 5) are not exact
    /// for all products, whose total degree is 6.
    const POINTS: &'static [Point<3, 20>] = &POINTS;
    const ANY_ORDER: bool = false;
    const LUMP_BY_DIAGONAL: bool = true;
    const CURVED_CHECKS: &'static [[f64; 3]] = &NODES;

    fn values(xi: [f64; 3]) -> [f64; 20] {
        values(xi)
    }
    fn gradients(xi: [f64; 3]) -> [[f64; 3]; 20] {
        gradients(xi)
    }
    /// Along every axis N_a N_b has degree 4 and det ∂X/∂ξ of a curved element 5.
    fn mass_rule() -> Rule<3> {
        cube_rule(5)
    }
    fn is_affine(x: &[[f64; 3]; 20]) -> bool {
        spanned(x, &NODES, [1, 3, 4])
    }
}

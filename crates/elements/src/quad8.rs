//! The quadratic quadrilateral of the serendipity family: faces of quadratic hexahedra.

use crate::Point;
use crate::element::{Element, spanned};
use crate::quadrature::{Rule, square_rule};

/// Eight nodes: the corners of [−1, 1]², counter-clockwise, then the middles of edges 01, 12, 23, 30. Corners have
/// ¼ (1+sξ)(1+tη)(sξ+tη−1), the middle of an edge along ξ ½ (1−ξ²)(1+tη), of one along η ½ (1+sξ)(1−η²).
#[derive(Clone, Copy, Debug, Default)]
pub struct Quad8;

/// Where the nodes are.
const NODES: [[f64; 2]; 8] = [
    [-1.0, -1.0],
    [1.0, -1.0],
    [1.0, 1.0],
    [-1.0, 1.0],
    [0.0, -1.0],
    [1.0, 0.0],
    [0.0, 1.0],
    [-1.0, 0.0],
];

/// The factor of a shape function along one axis, and its derivative.
const fn factor(s: f64, xi: f64) -> [f64; 2] {
    if s == 0.0 { [1.0 - xi * xi, -2.0 * xi] } else { [1.0 + s * xi, s] }
}

const fn values(xi: [f64; 2]) -> [f64; 8] {
    let mut n = [0.0; 8];
    let mut a = 0;
    while a < 8 {
        let [s, t] = NODES[a];
        let product = factor(s, xi[0])[0] * factor(t, xi[1])[0];
        n[a] = if a < 4 { 0.25 * product * (s * xi[0] + t * xi[1] - 1.0) } else { 0.5 * product };
        a += 1;
    }
    n
}

const fn gradients(xi: [f64; 2]) -> [[f64; 2]; 8] {
    let mut g = [[0.0; 2]; 8];
    let mut a = 0;
    while a < 8 {
        let [s, t] = NODES[a];
        let (p, q) = (factor(s, xi[0]), factor(t, xi[1]));
        let slopes = [p[1] * q[0], p[0] * q[1]];
        let (product, sum) = (p[0] * q[0], s * xi[0] + t * xi[1] - 1.0);
        g[a] = if a < 4 {
            [0.25 * (slopes[0] * sum + product * s), 0.25 * (slopes[1] * sum + product * t)]
        } else {
            [0.5 * slopes[0], 0.5 * slopes[1]]
        };
        a += 1;
    }
    g
}

/// √0.6: Gauss points of the three-point rule, with weights 5/9 and 8/9.
const GAUSS: f64 = 0.774_596_669_241_483_4;
const LINE: [(f64, f64); 3] = [(-GAUSS, 5.0 / 9.0), (0.0, 8.0 / 9.0), (GAUSS, 5.0 / 9.0)];

const fn points() -> [Point<2, 8>; 9] {
    let mut points =
        [Point { at: [0.0; 2], weight: 0.0, values: [0.0; 8], gradients: [[0.0; 2]; 8] }; 9];
    let mut q = 0;
    while q < 9 {
        let ((x, u), (y, v)) = (LINE[q % 3], LINE[q / 3]);
        let at = [x, y];
        points[q] = Point { at, weight: u * v, values: values(at), gradients: gradients(at) };
        q += 1;
    }
    points
}

const POINTS: [Point<2, 8>; 9] = points();

impl Element<2, 8> for Quad8 {
    const NAME: &'static str = "quad8";
    /// Products of gradients have degree 4 along both axes.
    const POINTS: &'static [Point<2, 8>] = &POINTS;
    const ANY_ORDER: bool = false;
    const LUMP_BY_DIAGONAL: bool = true;
    const CURVED_CHECKS: &'static [[f64; 2]] = &NODES;

    fn values(xi: [f64; 2]) -> [f64; 8] {
        values(xi)
    }
    fn gradients(xi: [f64; 2]) -> [[f64; 2]; 8] {
        gradients(xi)
    }
    /// Along both axes N_a N_b has degree 4 and, in a plane, the measure of a curved element 3.
    fn mass_rule() -> Rule<2> {
        square_rule(4)
    }
    fn is_affine(x: &[[f64; 3]; 8]) -> bool {
        spanned(x, &NODES, [1, 3])
    }
}

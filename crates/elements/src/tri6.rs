//! The quadratic triangle.

use crate::Point;
use crate::element::Element;
use crate::quadrature::{Rule, triangle_rule};

/// Six nodes: the corners, then the middles of edges 01, 12, 20. With barycentric coordinates L, corners have
/// L(2L − 1) and middles 4 L_a L_b.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tri6;

/// Edges in the order of the middle nodes.
const EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
/// ∂L_a/∂ξ
const L_GRADIENTS: [[f64; 2]; 3] = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];

const fn values([a, b]: [f64; 2]) -> [f64; 6] {
    let l = [1.0 - a - b, a, b];
    let mut n = [0.0; 6];
    let mut k = 0;
    while k < 3 {
        let [i, j] = EDGES[k];
        n[k] = l[k] * (2.0 * l[k] - 1.0);
        n[3 + k] = 4.0 * l[i] * l[j];
        k += 1;
    }
    n
}

const fn gradients([a, b]: [f64; 2]) -> [[f64; 2]; 6] {
    let l = [1.0 - a - b, a, b];
    let mut g = [[0.0; 2]; 6];
    let mut axis = 0;
    while axis < 2 {
        let mut k = 0;
        while k < 3 {
            let [i, j] = EDGES[k];
            g[k][axis] = (4.0 * l[k] - 1.0) * L_GRADIENTS[k][axis];
            g[3 + k][axis] = 4.0 * (l[i] * L_GRADIENTS[j][axis] + l[j] * L_GRADIENTS[i][axis]);
            k += 1;
        }
        axis += 1;
    }
    g
}

const fn point(at: [f64; 2]) -> Point<2, 6> {
    Point { at, weight: 1.0 / 6.0, values: values(at), gradients: gradients(at) }
}

/// The symmetric rule of three points, exact for degree 2.
const NEAR: f64 = 1.0 / 6.0;
const FAR: f64 = 2.0 / 3.0;

impl Element<2, 6> for Tri6 {
    const NAME: &'static str = "tri6";
    /// The stiffness of a linear material on a straight element has degree 2.
    const POINTS: &'static [Point<2, 6>] =
        &[point([NEAR, NEAR]), point([FAR, NEAR]), point([NEAR, FAR])];
    const ANY_ORDER: bool = false;
    const LUMP_BY_DIAGONAL: bool = true;

    fn values(xi: [f64; 2]) -> [f64; 6] {
        values(xi)
    }
    fn gradients(xi: [f64; 2]) -> [[f64; 2]; 6] {
        gradients(xi)
    }
    /// N_a N_b has degree 4 and, in a plane, the measure of a curved element 2.
    fn mass_rule() -> Rule<2> {
        triangle_rule(6)
    }
    fn is_affine(x: &[[f64; 3]; 6]) -> bool {
        let mut size: f64 = 0.0;
        let mut off: f64 = 0.0;
        for (middle, [i, j]) in x[3..].iter().zip(EDGES) {
            for k in 0..3 {
                size = size.max((x[j][k] - x[i][k]).abs());
                off = off.max((middle[k] - 0.5 * (x[i][k] + x[j][k])).abs());
            }
        }
        off <= 1e-13 * size
    }
}

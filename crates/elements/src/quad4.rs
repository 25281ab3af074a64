//! The bilinear quadrilateral: faces of hexahedra.

use crate::Point;
use crate::element::{Element, spanned};
use crate::quadrature::{Rule, square_rule};

/// Four nodes, counter-clockwise: N_a = ¼ (1 + s_a ξ)(1 + t_a η) on [−1, 1]².
#[derive(Clone, Copy, Debug, Default)]
pub struct Quad4;

/// Signs (s, t) of the corners.
const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

const fn values(xi: [f64; 2]) -> [f64; 4] {
    let mut n = [0.0; 4];
    let mut a = 0;
    while a < 4 {
        let [s, t] = CORNERS[a];
        n[a] = 0.25 * (1.0 + s * xi[0]) * (1.0 + t * xi[1]);
        a += 1;
    }
    n
}

const fn gradients(xi: [f64; 2]) -> [[f64; 2]; 4] {
    let mut g = [[0.0; 2]; 4];
    let mut a = 0;
    while a < 4 {
        let [s, t] = CORNERS[a];
        g[a] = [0.25 * s * (1.0 + t * xi[1]), 0.25 * t * (1.0 + s * xi[0])];
        a += 1;
    }
    g
}

/// 1/√3: Gauss points of the two-point rule.
const GAUSS: f64 = 0.577_350_269_189_625_7;

const fn point(s: f64, t: f64) -> Point<2, 4> {
    let at = [s * GAUSS, t * GAUSS];
    Point { at, weight: 1.0, values: values(at), gradients: gradients(at) }
}

impl Element<2, 4> for Quad4 {
    const NAME: &'static str = "quad4";
    const POINTS: &'static [Point<2, 4>] =
        &[point(-1.0, -1.0), point(1.0, -1.0), point(1.0, 1.0), point(-1.0, 1.0)];
    const ANY_ORDER: bool = false;
    const LUMP_BY_DIAGONAL: bool = false;

    fn values(xi: [f64; 2]) -> [f64; 4] {
        values(xi)
    }
    fn gradients(xi: [f64; 2]) -> [[f64; 2]; 4] {
        gradients(xi)
    }
    /// Along each axis N_a N_b has degree 2 and, in a plane, the measure degree 1.
    fn mass_rule() -> Rule<2> {
        square_rule(2)
    }
    fn is_affine(x: &[[f64; 3]; 4]) -> bool {
        spanned(x, &CORNERS, [1, 3])
    }
}

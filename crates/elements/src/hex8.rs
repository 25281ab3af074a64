//! The trilinear hexahedron.

use pliant_algebra::vec3::triple;

use crate::Point;
use crate::element::{Element, spanned};
use crate::quadrature::{Rule, cube_rule};

/// Eight nodes: N_a = ⅛ (1 + s_a ξ)(1 + t_a η)(1 + u_a ζ) on [−1, 1]³.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hex8;

/// Signs (s, t, u) of the corners.
const CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

const fn values(xi: [f64; 3]) -> [f64; 8] {
    let mut n = [0.0; 8];
    let mut a = 0;
    while a < 8 {
        let [s, t, u] = CORNERS[a];
        n[a] = 0.125 * (1.0 + s * xi[0]) * (1.0 + t * xi[1]) * (1.0 + u * xi[2]);
        a += 1;
    }
    n
}

const fn gradients(xi: [f64; 3]) -> [[f64; 3]; 8] {
    let mut g = [[0.0; 3]; 8];
    let mut a = 0;
    while a < 8 {
        let [s, t, u] = CORNERS[a];
        let (p, q, r) = (1.0 + s * xi[0], 1.0 + t * xi[1], 1.0 + u * xi[2]);
        g[a] = [0.125 * s * q * r, 0.125 * t * p * r, 0.125 * u * p * q];
        a += 1;
    }
    g
}

/// 1/√3: Gauss points of the two-point rule.
const GAUSS: f64 = 0.577_350_269_189_625_7;

const fn points() -> [Point<3, 8>; 8] {
    let mut points =
        [Point { at: [0.0; 3], weight: 1.0, values: [0.0; 8], gradients: [[0.0; 3]; 8] }; 8];
    let mut q = 0;
    while q < 8 {
        let [s, t, u] = CORNERS[q];
        let at = [s * GAUSS, t * GAUSS, u * GAUSS];
        points[q] = Point { at, weight: 1.0, values: values(at), gradients: gradients(at) };
        q += 1;
    }
    points
}

const POINTS: [Point<3, 8>; 8] = points();

impl Element<3, 8> for Hex8 {
    const NAME: &'static str = "hex8";
    const POINTS: &'static [Point<3, 8>] = &POINTS;
    const ANY_ORDER: bool = false;
    const LUMP_BY_DIAGONAL: bool = false;

    fn values(xi: [f64; 3]) -> [f64; 8] {
        values(xi)
    }
    fn gradients(xi: [f64; 3]) -> [[f64; 3]; 8] {
        gradients(xi)
    }
    /// N_a N_b and det ∂X/∂ξ have degree 2 each along every axis.
    fn mass_rule() -> Rule<3> {
        cube_rule(3)
    }
    /// det ∂X/∂ξ has degree 2 along every axis: the 2×2×2 points are exact.
    fn measure(x: &[[f64; 3]; 8]) -> f64 {
        let gauss = 1.0 / 3.0_f64.sqrt();
        let at = |corner: [f64; 3]| {
            let gradients = gradients(corner.map(|s| s * gauss));
            let mut columns = [[0.0; 3]; 3];
            for (x, g) in x.iter().zip(gradients) {
                for (column, g) in columns.iter_mut().zip(g) {
                    for (entry, x) in column.iter_mut().zip(x) {
                        *entry += g * x;
                    }
                }
            }
            triple(columns[0], columns[1], columns[2])
        };
        CORNERS.iter().map(|&corner| at(corner)).sum()
    }
    fn is_affine(x: &[[f64; 3]; 8]) -> bool {
        spanned(x, &CORNERS, [1, 3, 4])
    }
}

/// [`Hex8`] with the mean dilatation of the element in place of that of the point ("B-bar").
#[derive(Clone, Copy, Debug, Default)]
pub struct Hex8Bbar;

impl Element<3, 8> for Hex8Bbar {
    const NAME: &'static str = "hex8-bbar";
    const POINTS: &'static [Point<3, 8>] = Hex8::POINTS;
    const ANY_ORDER: bool = Hex8::ANY_ORDER;
    const LUMP_BY_DIAGONAL: bool = Hex8::LUMP_BY_DIAGONAL;
    const MEAN_DILATATION: bool = true;

    fn values(xi: [f64; 3]) -> [f64; 8] {
        values(xi)
    }
    fn gradients(xi: [f64; 3]) -> [[f64; 3]; 8] {
        gradients(xi)
    }
    fn mass_rule() -> Rule<3> {
        Hex8::mass_rule()
    }
    fn measure(x: &[[f64; 3]; 8]) -> f64 {
        Hex8::measure(x)
    }
    fn is_affine(x: &[[f64; 3]; 8]) -> bool {
        Hex8::is_affine(x)
    }
}

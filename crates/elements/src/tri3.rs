//! The flat triangle: membranes, surfaces.

use crate::Point;
use crate::element::Element;
use crate::quadrature::{Rule, triangle_rule};

/// Three nodes: N₀ = 1 − ξ − η, N₁ = ξ, N₂ = η.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tri3;

const GRADIENTS: [[f64; 2]; 3] = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];

const fn values([a, b]: [f64; 2]) -> [f64; 3] {
    [1.0 - a - b, a, b]
}

impl Element<2, 3> for Tri3 {
    const NAME: &'static str = "tri3";
    const POINTS: &'static [Point<2, 3>] = &[Point {
        at: [1.0 / 3.0; 2],
        weight: 0.5,
        values: values([1.0 / 3.0; 2]),
        gradients: GRADIENTS,
    }];
    const ANY_ORDER: bool = true;
    const LUMP_BY_DIAGONAL: bool = false;

    fn values(xi: [f64; 2]) -> [f64; 3] {
        values(xi)
    }
    fn gradients(_: [f64; 2]) -> [[f64; 2]; 3] {
        GRADIENTS
    }
    fn mass_rule() -> Rule<2> {
        triangle_rule(2)
    }
    fn is_affine(_: &[[f64; 3]; 3]) -> bool {
        true
    }
}

//! The straight segment: bars, edges, fibres.

use crate::Point;
use crate::element::Element;
use crate::quadrature::{Rule, line_rule};

/// Two nodes: N₀ = 1 − ξ, N₁ = ξ on [0, 1].
#[derive(Clone, Copy, Debug, Default)]
pub struct Seg2;

const GRADIENTS: [[f64; 1]; 2] = [[-1.0], [1.0]];

impl Element<1, 2> for Seg2 {
    const NAME: &'static str = "seg2";
    const POINTS: &'static [Point<1, 2>] =
        &[Point { at: [0.5], weight: 1.0, values: [0.5; 2], gradients: GRADIENTS }];
    const ANY_ORDER: bool = true;
    const LUMP_BY_DIAGONAL: bool = false;

    fn values([a]: [f64; 1]) -> [f64; 2] {
        [1.0 - a, a]
    }
    fn gradients(_: [f64; 1]) -> [[f64; 1]; 2] {
        GRADIENTS
    }
    fn mass_rule() -> Rule<1> {
        line_rule(2)
    }
    fn is_affine(_: &[[f64; 3]; 2]) -> bool {
        true
    }
}

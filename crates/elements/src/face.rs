//! [`Face`]: elements of dimension 2 as faces of volume elements, which loads and areas are integrated over.

use crate::element::Element;
use crate::quadrature::{Rule, square_rule, triangle_rule};
use crate::{Point, Quad4, Quad8, Tri3, Tri6};

/// A face of a volume element with N nodes, counter-clockwise seen from outside: its corners, then, on a quadratic one, the
/// middles of the edges from each corner to the next. With the vectors a = ∂x/∂ξ and b = ∂x/∂η its area vector is
/// (a × b) dξ dη, which points outward.
pub trait Face<const N: usize>: Element<2, N> {
    /// Number of corners.
    const CORNERS: usize;

    /// A rule that is exact for N_c (a × b), whatever the positions of the nodes in space: the forces of a pressure, and
    /// the volume under the face, ⅓ x·(a × b).
    fn load_rule() -> Rule<2>;

    /// A rule for N_c |a × b|: exact on flat faces, and of a higher degree where the face is curved and the area no
    /// polynomial. For what is integrated once, at rest.
    fn area_rule() -> Rule<2>;

    /// A rule for N_c p (a × b) with p that varies over the face: exact on flat faces at least for p that is linear in the
    /// position.
    fn field_rule() -> Rule<2> {
        Self::area_rule()
    }

    /// The nodes of the edge that begins at corner `k`: its corners, and its middle if it has one.
    fn edge(k: usize) -> (usize, usize, Option<usize>) {
        let middle = (N > Self::CORNERS).then_some(Self::CORNERS + k);
        (k, (k + 1) % Self::CORNERS, middle)
    }
}

/// N_c has degree 1, and the normal is constant: the middle serves.
impl Face<3> for Tri3 {
    const CORNERS: usize = 3;

    fn load_rule() -> Rule<2> {
        vec![([1.0 / 3.0; 2], 0.5)]
    }
    fn area_rule() -> Rule<2> {
        Self::load_rule()
    }
    fn field_rule() -> Rule<2> {
        triangle_rule(4)
    }
}

/// N_c and a × b have degree 2.
impl Face<6> for Tri6 {
    const CORNERS: usize = 3;

    fn load_rule() -> Rule<2> {
        triangle_rule(4)
    }
    fn area_rule() -> Rule<2> {
        triangle_rule(8)
    }
}

/// N_c and a × b have degree 1 along each axis.
impl Face<4> for Quad4 {
    const CORNERS: usize = 4;

    fn load_rule() -> Rule<2> {
        square_rule(2)
    }
    fn area_rule() -> Rule<2> {
        square_rule(4)
    }
}

/// Along each axis N_c has degree 2 and a × b degree 3.
impl Face<8> for Quad8 {
    const CORNERS: usize = 4;

    fn load_rule() -> Rule<2> {
        square_rule(3)
    }
    fn area_rule() -> Rule<2> {
        square_rule(5)
    }
}

/// Shape functions of an element at the points of a rule.
pub fn points<E: Element<D, N>, const D: usize, const N: usize>(
    rule: &Rule<D>,
) -> Vec<Point<D, N>> {
    let point = |&(at, weight): &([f64; D], f64)| Point {
        at,
        weight,
        values: E::values(at),
        gradients: E::gradients(at),
    };
    rule.iter().map(point).collect()
}

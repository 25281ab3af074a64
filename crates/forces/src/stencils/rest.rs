//! [`RestPoint`]: shape gradients and weight of an element at rest.

use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Point, measure, pseudo_inverse};

use crate::error::ForceError;

/// An element at rest at one of its points.
#[derive(Debug, Clone, Copy)]
pub struct RestPoint<const N: usize> {
    /// ∇N_a, 1/m; within the element, if that has less than three dimensions.
    pub shape: [Vec3; N],
    /// Length (m), area (m²) or volume (m³) that the point stands for.
    pub weight: f64,
}

impl<const N: usize> RestPoint<N> {
    /// Returns the rest state of element `cell` at `point`, or why it has none.
    pub fn new<E: Element<D, N>, const D: usize>(
        cell: usize,
        point: &Point<D, N>,
        rest: &[Vec3; N],
    ) -> Result<Self, ForceError> {
        let jacobian = E::jacobian(point, rest);
        let size = measure(&jacobian);
        match pseudo_inverse(&jacobian) {
            Some(inverse) if size > 0.0 => Ok(Self {
                shape: E::physical_gradients(point, &inverse),
                weight: point.weight * size,
            }),
            _ => Err(flat(cell, size)),
        }
    }
}

/// The error of an element without measure at rest.
pub(crate) fn flat(cell: usize, size: f64) -> ForceError {
    ForceError::Unsupported(format!(
        "element {cell} is inverted or flat at rest (det ∂X/∂ξ = {size:.3e}): `pliant mesh check --fix` turns or removes such cells"
    ))
}

//! Shape gradients and weights of an element at rest.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Point};

use crate::error::ForceError;

/// An element at rest at one of its points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RestPoint<const N: usize> {
    /// ∇N_a, 1/m.
    pub(crate) shape: [Vec3; N],
    /// Volume that the point stands for, m³.
    pub(crate) weight: f64,
}

/// The rest state of element `cell` at `point`, or why it has none.
pub(crate) fn rest_point<E: Element<N>, const N: usize>(
    cell: usize,
    point: &Point<N>,
    rest: &[Vec3; N],
) -> Result<RestPoint<N>, ForceError> {
    let jacobian: Mat3<f64> = E::jacobian(point, rest);
    let volume = jacobian.determinant();
    let inverse = jacobian.inverse();
    if volume > 0.0 && inverse.norm_squared().is_finite() {
        let shape = E::physical_gradients(point, &inverse);
        return Ok(RestPoint { shape, weight: point.weight * volume });
    }
    Err(ForceError::Unsupported(format!(
        "element {cell} is inverted or flat at rest (det ∂X/∂ξ = {volume:.3e}): `pliant mesh check --fix` turns or removes such cells"
    )))
}

//! [`pliant_solvers::sums`] for lists of vectors, and checks of such lists.

use pliant_algebra::vec3::{self, Vec3};
use pliant_solvers::sums;

use crate::DynamicsError;

/// a · b
pub(crate) fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    sums::dot(a.as_flattened(), b.as_flattened())
}

/// |a|
pub(crate) fn norm(a: &[Vec3]) -> f64 {
    dot(a, a).sqrt()
}

/// y ← y + s x
pub(crate) fn add_scaled(y: &mut [Vec3], x: &[Vec3], s: f64) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = vec3::add_scaled(*y, x, s);
    }
}

/// y ← a + s b
pub(crate) fn set_sum(y: &mut [Vec3], a: &[Vec3], b: &[Vec3], s: f64) {
    for ((y, &a), &b) in y.iter_mut().zip(a).zip(b) {
        *y = vec3::add_scaled(a, b, s);
    }
}

/// An error for the first vector that is not finite.
pub(crate) fn check_finite(what: &'static str, a: &[Vec3]) -> Result<(), DynamicsError> {
    match a.iter().position(|&a| !vec3::is_finite(a)) {
        None => Ok(()),
        Some(vertex) => Err(DynamicsError::NotFinite { what, vertex, value: a[vertex] }),
    }
}

/// An error where a list is not as long as there are vertices.
pub(crate) fn check_length(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), DynamicsError> {
    if found == expected {
        return Ok(());
    }
    Err(DynamicsError::Length { what, found, expected })
}

//! [`crate::sums`] for lists of vectors, as the iterations have them.

use crate::sums;
use pliant_algebra::vec3::Vec3;

pub(crate) use crate::sums::{piece_dot, sweep};

/// a · b
pub(crate) fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    sums::dot(a.as_flattened(), b.as_flattened())
}

/// |a|
pub(crate) fn norm(a: &[Vec3]) -> f64 {
    sums::norm(a.as_flattened())
}

/// a ← a + s b
pub(crate) fn add_scaled(a: &mut [Vec3], s: f64, b: &[Vec3]) {
    sums::add_scaled(a.as_flattened_mut(), s, b.as_flattened());
}

/// a ← s a
pub(crate) fn scale(a: &mut [Vec3], s: f64) {
    sums::scale(a.as_flattened_mut(), s);
}

/// a ← b
pub(crate) fn copy(a: &mut [Vec3], b: &[Vec3]) {
    sums::copy(a.as_flattened_mut(), b.as_flattened());
}

/// r ← b − r, and |r|².
pub(crate) fn subtract_from(r: &mut [Vec3], b: &[Vec3]) -> f64 {
    sums::subtract_from(r.as_flattened_mut(), b.as_flattened())
}

/// Returns the first vertex with a value that is NaN or infinite.
pub(crate) fn first_not_finite(a: &[Vec3]) -> Option<usize> {
    sums::first_not_finite(a.as_flattened()).map(|at| at / 3)
}

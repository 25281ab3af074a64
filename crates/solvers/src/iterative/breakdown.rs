//! What incomplete factorisations do when a pivot is not positive: shift the diagonal and start again
//! (Manteuffel, An incomplete factorization technique for positive definite linear systems, 1980).

use super::triangular::inverse_cholesky;
use crate::SolverError;

/// The first shift after a breakdown; each further one is four times as large.
const FIRST_SHIFT: f64 = 4e-3;
/// With diagonal blocks enlarged by this factor, factors of any stiffness exist.
const LARGEST_SHIFT: f64 = 20.0;
/// A pivot below this part of the diagonal counts as broken down: its inverse would be noise.
const SMALLEST_PIVOT: f64 = 1e-6;

/// Where a factorisation broke down.
pub(super) struct Breakdown {
    pub vertex: usize,
    pub axis: usize,
    pub pivot: f64,
}

/// The inverse Cholesky factor of a pivot block, checked against the block of A it came from.
pub(super) fn pivot_inverse(
    vertex: usize,
    pivot: &[f64; 6],
    a: &[f64; 6],
) -> Result<[f64; 6], Breakdown> {
    let d = inverse_cholesky(pivot).map_err(|(axis, pivot)| Breakdown { vertex, axis, pivot })?;
    for (axis, at) in [0, 2, 5].into_iter().enumerate() {
        // d² is one over the pivot.
        let sound = d[at] * d[at] * a[at] * SMALLEST_PIVOT < 1.0;
        if !sound {
            return Err(Breakdown { vertex, axis, pivot: 1.0 / (d[at] * d[at]) });
        }
    }
    Ok(d)
}

/// Factors with shifts 0, σ, 4σ, … until one succeeds, and says which.
pub(super) fn with_shifts(
    mut factor: impl FnMut(f64) -> Result<(), Breakdown>,
) -> Result<f64, SolverError> {
    let mut shift = 0.0;
    loop {
        let Err(Breakdown { vertex, axis, pivot }) = factor(shift) else { return Ok(shift) };
        shift = if shift == 0.0 { FIRST_SHIFT } else { 4.0 * shift };
        if shift > LARGEST_SHIFT {
            return Err(SolverError::NotPositiveDefinite { vertex, axis, pivot });
        }
    }
}

/// What to tell of a shift.
pub(super) fn shift_note(shift: f64) -> Option<String> {
    (shift > 0.0).then(|| {
        format!("the incomplete factor broke down: diagonal blocks were enlarged by {shift:.1e}")
    })
}

//! [`Places`]: where the 3×3 blocks of small stencils lie in the system matrix.
//!
//! A stencil of n vertices offers all n² blocks. In symmetric storage the block (i, j) and its
//! transpose share one place: the one whose orientation the storage keeps is written, the other is
//! passed over. In full storage both are written. So no model asks which storage it serves.

use crate::model::ForceError;

const PASS_OVER: u32 = u32::MAX;

/// Places of the blocks of a list of stencils.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    index: Vec<u32>,
    one_triangle: bool,
}

impl Places {
    /// Looks up all blocks of all stencils, row by row.
    pub(crate) fn bind<'a>(
        stencils: impl Iterator<Item = &'a [u32]>,
        slot: &dyn Fn(u32, u32) -> (u32, bool),
    ) -> Self {
        let mut places = Self::default();
        for stencil in stencils {
            for &i in stencil {
                for &j in stencil {
                    let (place, transposed) = slot(i, j);
                    places.one_triangle |= transposed;
                    places.index.push(if transposed { PASS_OVER } else { place });
                }
            }
        }
        places
    }

    /// Refuses symmetric storage, for models whose tangent is not symmetric, and calls before
    /// [`Places::bind`].
    pub(crate) fn check(
        &self,
        model: &str,
        blocks: usize,
        symmetric: bool,
    ) -> Result<(), ForceError> {
        if self.index.len() != blocks {
            return Err(ForceError::Unsupported(format!(
                "{model} was asked for its tangent before it was bound to a pattern"
            )));
        }
        if self.one_triangle && !symmetric {
            return Err(ForceError::Unsupported(format!(
                "the tangent of {model} is not symmetric: it needs a matrix that stores both triangles"
            )));
        }
        Ok(())
    }

    /// Adds block number `block` (counted over all stencils) if its place keeps that orientation.
    #[inline]
    pub(crate) fn add(
        &self,
        tangent: &mut [[f64; 9]],
        block: usize,
        value: impl FnOnce() -> [f64; 9],
    ) {
        let place = self.index[block];
        if place != PASS_OVER {
            for (entry, add) in tangent[place as usize].iter_mut().zip(value()) {
                *entry += add;
            }
        }
    }
}

/// Names the pairs of a stencil as [`ForceModel::couplings`](crate::ForceModel::couplings) wants.
pub(crate) fn couple_all(stencil: &[u32], symmetric: bool, couple: &mut dyn FnMut(u32, u32)) {
    for &i in stencil {
        for &j in stencil {
            if i <= j || !symmetric {
                couple(i, j);
            }
        }
    }
}

/// The largest stable step of central differences for M a + D v + K x = 0 with eigenvalues of M⁻¹K
/// up to `omega_squared` (1/s²) and of M⁻¹D up to `rate` (1/s), the damping force taken from the
/// last half step: h = (2/ω)(√(1+ξ²) − ξ) with ξ = rate / 2ω, written so that ω = 0 needs no case.
pub(crate) fn stable_step(omega_squared: f64, rate: f64) -> f64 {
    4.0 / ((4.0 * omega_squared + rate * rate).sqrt() + rate)
}

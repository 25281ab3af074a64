//! [`BlockSlots`]: where the 3×3 blocks of small stencils lie in the system matrix.
//!
//! A stencil of n vertices offers all n² blocks. In symmetric storage the block (i, j) and its
//! transpose share one slot: the one whose orientation the storage keeps is written, the other is
//! passed over. In full storage both are written. So no model asks which storage it serves.

use crate::error::ForceError;
use crate::slots::Slots;

/// Slots of the blocks of a list of stencils.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockSlots {
    /// `None` where the storage keeps the transposed block instead.
    index: Vec<Option<u32>>,
    /// Whether it was bound.
    bound: bool,
}

impl BlockSlots {
    /// Looks up all blocks of all stencils, row by row.
    pub(crate) fn bind<'a>(
        stencils: impl Iterator<Item = &'a [u32]>,
        symmetric: bool,
        slots: &Slots<'_>,
    ) -> Result<Self, ForceError> {
        slots.check_symmetry(symmetric)?;
        let mut index = Vec::new();
        for stencil in stencils {
            for &i in stencil {
                for &j in stencil {
                    index.push(slots.get(i, j)?.stored());
                }
            }
        }
        Ok(Self { index, bound: true })
    }

    /// Refuses calls before [`BlockSlots::bind`].
    pub(crate) fn check(&self, model: &str) -> Result<(), ForceError> {
        if self.bound { Ok(()) } else { Err(not_bound(model)) }
    }

    /// Adds block number `block` (counted over all stencils) if its slot keeps that orientation.
    #[inline]
    pub(crate) fn add(
        &self,
        tangent: &mut [[f64; 9]],
        block: usize,
        value: impl FnOnce() -> [f64; 9],
    ) {
        if let Some(slot) = self.index[block] {
            for (entry, add) in tangent[slot as usize].iter_mut().zip(value()) {
                *entry += add;
            }
        }
    }
}

/// The error of a model that is asked for its tangent before it was bound.
pub(crate) fn not_bound(model: &str) -> ForceError {
    ForceError::Unsupported(format!(
        "{model} was asked for its tangent before it was bound to a pattern"
    ))
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

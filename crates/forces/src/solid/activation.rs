//! Solids that a curve of time brings to bear: active fibres.

use pliant_algebra::lanes::{F64x8, LANES};
use pliant_elements::Element;

use super::Solid;
use crate::error::ForceError;
use crate::loads::TimeCurve;

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// Multiplies the first parameter of the law by a factor of time. The law is to be linear in it, as
    /// [`ActiveTension`](pliant_materials::fibres::ActiveTension) is in its tension: limits of explicit steps, and stresses, are
    /// those of the factor 1. Laws of more than four parameters are refused.
    pub fn activate(&mut self, curve: TimeCurve) -> Result<(), ForceError> {
        curve.check()?;
        let count = self.law().parameters().len();
        if count > MOST {
            let text = format!("a law of {count} parameters cannot follow a curve: at most {MOST}");
            return Err(ForceError::Unsupported(text));
        }
        self.activation = Some(curve.into());
        Ok(())
    }

    /// The factor at a time; none where the law is as it is.
    pub(super) fn activity(&self, time: f64) -> Result<Option<f64>, ForceError> {
        let Some(curve) = &self.activation else { return Ok(None) };
        crate::loads::curve_factor(&self.parts.name, curve, time).map(Some)
    }
}

/// The parameters of a pack with their first one multiplied by the factor, if there is one.
pub(super) fn scaled<'a>(
    parameters: &'a [F64x8],
    factor: Option<f64>,
    room: &'a mut Room,
) -> &'a [F64x8] {
    let Some(factor) = factor else { return parameters };
    let room = &mut room[..parameters.len()];
    room.copy_from_slice(parameters);
    if let Some(first) = room.first_mut() {
        *first = F64x8(first.0.map(|p| p * factor));
    }
    room
}

/// Most parameters of a law that follows a curve.
const MOST: usize = 4;
/// Room for them.
pub(super) type Room = [F64x8; MOST];
/// The same, empty.
pub(super) const ROOM: Room = [F64x8([0.0; LANES]); MOST];

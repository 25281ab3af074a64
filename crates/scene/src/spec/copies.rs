//! `copies` of a body: where each of them is put.

use pliant_algebra::vec3::{Vec3, add, add_scaled, sub};
use pliant_units::Dimension;

use crate::error::SceneError;
use crate::file::table::Table;
use crate::spec::mesh::Turn;
use crate::spec::select::direction;

/// The displacement of a copy from where the body itself is put.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CopyStep {
    turn: Turn,
    centre: Vec3,
    by: Vec3,
}

impl CopyStep {
    /// `copies = { count = 25, translation = […], rotation = { axis, angle, centre } }`, or `{ offsets = [[…], …] }`. The
    /// first copy is where the body is put; the k-th is turned by k − 1 angles and moved by k − 1 translations.
    pub(crate) fn read(t: &Table<'_>) -> Result<Option<Self>, SceneError> {
        let Some(c) = t.table("copies")? else { return Ok(None) };
        let past = t.copy().map_or(0, |copy| copy.number - 1);
        let count = c.count("count")?;
        let translation = c.vector("translation", Dimension::LENGTH)?;
        let offsets = c.vectors("offsets", Dimension::LENGTH)?;
        let (mut turn, mut centre) = (Turn::default(), [0.0; 3]);
        let rotation = c.table("rotation")?;
        if let Some(r) = &rotation {
            let axis = direction(r, "axis", "[0, 0, 1]")?;
            let angle = r.quantity("angle", Dimension::ANGLE)?;
            let angle = angle.ok_or_else(|| r.missing("angle", "\"30 deg\""))?;
            centre = r.vector("centre", Dimension::LENGTH)?.unwrap_or(centre);
            r.finish()?;
            turn = Turn::about(axis, past as f64 * angle);
        }
        c.finish()?;
        let steps = translation.is_some() || rotation.is_some();
        let by = match offsets {
            Some(_) if count.is_some() || steps => {
                let text =
                    "copies have either offsets, or a count with a translation, a rotation or both";
                return Err(c.error("offsets", text));
            }
            Some(list) => list.get(past).copied().unwrap_or_default(),
            None if !steps && count.is_some_and(|count| count > 1) => {
                let text = format!("{} would all be at one place", c.path());
                let hint = "add translation = [\"20 cm\", 0, 0], from each to the next, or a rotation, or give offsets";
                return Err(SceneError::new(text).at(c.location()).hint(hint));
            }
            None => add_scaled([0.0; 3], translation.unwrap_or_default(), past as f64),
        };
        Ok(Some(Self { turn, centre, by }))
    }

    /// Puts a point of the body where it is in the copy.
    pub(crate) fn apply(&self, p: Vec3) -> Vec3 {
        let turned = add(self.turn.apply(sub(p, self.centre)), self.centre);
        add(turned, self.by)
    }
}

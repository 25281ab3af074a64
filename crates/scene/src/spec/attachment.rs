//! What joins a body to another, or to a place.

use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::select::Selection;

/// An attachment of a scene: every selected vertex of `body` is joined to where it is at rest, in `to` or
/// in the world.
#[derive(Debug, Clone)]
pub struct AttachmentSpec {
    /// The body whose vertices are joined.
    pub body: (String, Location),
    /// The other body; the world if none.
    pub to: Option<(String, Location)>,
    /// Which vertices.
    pub on: Option<Selection>,
    /// Only vertices nearer to the other body than this, m.
    pub within: Option<f64>,
    /// Of each spring, N/m; stiff by the bodies' material if none.
    pub stiffness: Option<f64>,
    /// Of each spring, N·s/m.
    pub damping: f64,
    /// Where it stands in the scene.
    pub location: Location,
}

impl AttachmentSpec {
    /// Reads a table.
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let named = |key| {
            let text = t.text(key)?;
            Ok::<_, SceneError>(text.map(|name| (name.to_owned(), t.place_of(key))))
        };
        let body = named("body")?.ok_or_else(|| t.missing("body", "\"jelly\""))?;
        let to = named("to")?;
        let glue = t.choice("kind", &[("glue", true), ("springs", false)])?.unwrap_or(true);
        let stiffness = t.positive("stiffness", Dimension::STIFFNESS)?;
        if !glue && stiffness.is_none() {
            return Err(t.missing("stiffness", "\"100 N/m\""));
        }
        // N·s/m
        let damping = t.quantity("damping", Dimension { exponents: [0, 1, -1, 0] })?;
        let spec = Self {
            body,
            to,
            on: Selection::read(t)?,
            within: t.positive("within", Dimension::LENGTH)?,
            stiffness,
            damping: damping.unwrap_or(0.0),
            location: t.location().clone(),
        };
        t.finish()?;
        if spec.on.is_none() && (spec.within.is_none() || spec.to.is_none()) {
            let text = format!("{} says not which vertices it joins", t.path());
            let hint = "select them by set, box, …, or give 'to' and 'within'";
            return Err(SceneError::new(text).at(t.location()).hint(hint));
        }
        Ok(spec)
    }
}

//! `[constraint.NAME]`: what keeps parts of a body together.

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::select::Selection;

/// The kinds of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintKind {
    /// The part moves as one rigid body.
    Rigid,
}

/// A constraint of a scene.
#[derive(Debug, Clone)]
pub struct ConstraintSpec {
    /// Its name.
    pub name: String,
    /// What it keeps.
    pub kind: ConstraintKind,
    /// The body, and where it is named.
    pub body: (String, Location),
    /// Which vertices: the union of these.
    pub on: Vec<Selection>,
    /// Where it stands in the scene.
    pub location: Location,
}

impl ConstraintSpec {
    /// Reads a table.
    pub(crate) fn read(name: &str, t: &Table<'_>) -> Result<Self, SceneError> {
        let kind = t.choice("kind", &[("rigid", ConstraintKind::Rigid)])?;
        let kind = kind.ok_or_else(|| t.missing("kind", "\"rigid\""))?;
        let body = t.text("body")?.ok_or_else(|| t.missing("body", "\"jelly\""))?;
        let body = (body.to_owned(), t.place_of("body"));
        let on = t.rows(
            "on",
            |name, location| Some(Selection::named(name, location)),
            |s| {
                let selection = Selection::read(&s)?.ok_or_else(|| {
                    s.missing_or("set", "select by set, file, vertices, box, sphere, plane, normal, surface or where")
                })?;
                s.finish()?;
                Ok(selection)
            },
        )?;
        if on.is_empty() {
            return Err(t.missing("on", "\"x-max\", or { box = { min = [0, 0, 0] } }"));
        }
        t.finish()?;
        Ok(Self { name: name.to_owned(), kind, body, on, location: t.location().clone() })
    }
}

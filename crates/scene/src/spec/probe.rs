//! What is watched.

use pliant_algebra::vec3::Vec3;
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::select::Selection;

/// A probe of a scene.
#[derive(Debug, Clone)]
pub struct ProbeSpec {
    /// Its name.
    pub name: String,
    /// Its body; the only one if none.
    pub body: Option<(String, Location)>,
    /// What it follows.
    pub at: ProbeAt,
    /// Whether the history has the stress there.
    pub stress: bool,
    /// Where it stands in the scene.
    pub location: Location,
}

/// What a probe follows.
#[derive(Debug, Clone)]
pub enum ProbeAt {
    /// The point of the body that is here at rest, m.
    Point(Vec3),
    /// The mean of vertices.
    Vertices(Selection),
}

impl ProbeSpec {
    /// Reads a table.
    pub(crate) fn read(name: &str, t: &Table<'_>) -> Result<Self, SceneError> {
        // How many there are has been seen to where the file was read.
        t.count("copies")?;
        let body = t.text("body")?.map(|b| (b.to_owned(), t.place_of("body")));
        let at = t.vector("at", Dimension::LENGTH)?;
        let on = Selection::read(t)?;
        let at = match (at, on) {
            (Some(at), None) => ProbeAt::Point(at),
            (None, Some(on)) => ProbeAt::Vertices(on),
            _ => {
                let hint = "a probe has either a point (at), or a selection whose mean it follows";
                return Err(t.missing_or("at", hint));
            }
        };
        let stress = t.switch("stress")?.unwrap_or(false);
        t.finish()?;
        Ok(Self { name: name.to_owned(), body, at, stress, location: t.location().clone() })
    }
}

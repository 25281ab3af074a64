//! `[norm.NAME]`: one number of a field over a part of a body, in every row of the history.

use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::expression::OF_PLACE_AND_TIME;
use crate::file::table::Table;
use crate::spec::field::VectorField;
use crate::spec::select::Selection;

/// The fields there are norms of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NormOf {
    /// x − X, m.
    #[default]
    Displacement,
    /// v, m/s.
    Velocity,
}

impl NormOf {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Displacement => "m",
            Self::Velocity => "m/s",
        }
    }

    fn dimension(self) -> Dimension {
        match self {
            Self::Displacement => Dimension::LENGTH,
            Self::Velocity => Dimension::VELOCITY,
        }
    }
}

/// How one number is made of the lengths of many vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NormKind {
    /// Root of the mean of the squares.
    #[default]
    Rms,
    /// The largest.
    Max,
    /// The mean.
    Mean,
}

/// A norm of a scene.
#[derive(Debug, Clone)]
pub struct NormSpec {
    /// Its name.
    pub name: String,
    /// Its body; the only one if none.
    pub body: Option<(String, Location)>,
    /// Over which vertices; all if none.
    pub on: Option<Selection>,
    /// Of what.
    pub of: NormOf,
    /// Which norm.
    pub kind: NormKind,
    /// What is taken away from the field first, such as its closed form.
    pub minus: Option<VectorField>,
    /// Where it stands in the scene.
    pub location: Location,
}

impl NormSpec {
    /// Reads a table.
    pub(crate) fn read(name: &str, t: &Table<'_>) -> Result<Self, SceneError> {
        // How many there are has been seen to where the file was read.
        t.count("copies")?;
        let body = t.text("body")?.map(|b| (b.to_owned(), t.place_of("body")));
        let fields = [("displacement", NormOf::Displacement), ("velocity", NormOf::Velocity)];
        let of = t.choice("of", &fields)?.unwrap_or_default();
        let kinds = [("rms", NormKind::Rms), ("max", NormKind::Max), ("mean", NormKind::Mean)];
        let kind = t.choice("kind", &kinds)?.unwrap_or_default();
        let minus = VectorField::read(t, "minus", of.dimension(), OF_PLACE_AND_TIME)?;
        let on = Selection::read(t)?;
        t.finish()?;
        let (name, location) = (name.to_owned(), t.location().clone());
        Ok(Self { name, body, on, of, kind, minus, location })
    }
}

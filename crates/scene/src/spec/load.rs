//! What pushes a part of a body.

use pliant_forces::loads::TimeCurve;
pub use pliant_model::LoadKind;
use pliant_model::{Body, Load};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::curve;
use crate::spec::select::{Selection, direction};
use crate::spec::stage::{ActsIn, acts_in};

/// A load of a scene.
#[derive(Debug, Clone)]
pub struct LoadSpec {
    /// What it is.
    pub kind: LoadKind,
    /// Where it acts; everywhere if none.
    pub on: Option<Selection>,
    /// Whether it turns with the surface, or keeps its direction.
    pub follows: bool,
    /// How it changes with time.
    pub curve: TimeCurve,
    /// The stages in which it acts; all if none.
    pub stages: ActsIn,
    /// Whether it acts now.
    pub(crate) active: bool,
    /// Where it stands in the scene.
    pub location: Location,
}

impl LoadSpec {
    /// As bodies take it.
    pub(crate) fn load(&self, body: &Body) -> Result<Load, SceneError> {
        let on = self.on.as_ref().map(|on| on.on(body)).transpose()?;
        Ok(Load { kind: self.kind, on, follows: self.follows, curve: self.curve.clone() })
    }

    /// Reads a table.
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let on = Selection::read(t)?;
        // N/m³
        let per_volume = Dimension { exponents: [-2, 1, -2, 0] };
        let shear = match t.quantity("shear", Dimension::PRESSURE)? {
            Some(shear) => Some(LoadKind::Shear(shear, direction(t, "axis", "[0, 0, 1]")?)),
            None => None,
        };
        let kinds = [
            t.vector("force", Dimension::FORCE)?.map(LoadKind::Total),
            t.vector("force_per_vertex", Dimension::FORCE)?.map(LoadKind::Each),
            t.vector("traction", Dimension::PRESSURE)?.map(LoadKind::Traction),
            t.quantity("pressure", Dimension::PRESSURE)?.map(LoadKind::Pressure),
            shear,
            t.vector("body_force", per_volume)?.map(LoadKind::Body),
        ];
        let curve = curve::read(t)?;
        let follows = t.switch("follows")?;
        let stages = acts_in(t)?;
        let mut kinds = kinds.into_iter().flatten();
        let Some(kind) = kinds.next() else {
            let hint =
                "a load is one of force, force_per_vertex, traction, pressure, shear, body_force";
            return Err(t.missing_or("force", hint));
        };
        t.finish()?;
        if kinds.next().is_some() {
            let text = format!("{} has several loads: give each a table of its own", t.path());
            return Err(SceneError::new(text).at(t.location()));
        }
        let (of_normals, of_faces) = match kind {
            LoadKind::Pressure(_) | LoadKind::Shear(..) => (true, true),
            LoadKind::Total(_) | LoadKind::Traction(_) => (false, true),
            LoadKind::Each(_) | LoadKind::Body(_) => (false, false),
        };
        if follows == Some(true) && !of_faces {
            let error = t.error("follows", "only what acts on faces can turn with them");
            return Err(error.hint("give a force, a traction, a pressure or a shear"));
        }
        let follows = follows.unwrap_or(of_normals);
        let location = t.location().clone();
        Ok(Self { kind, on, follows, curve, stages, active: true, location })
    }
}

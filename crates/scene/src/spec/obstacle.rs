//! What bodies cannot enter.

use pliant_forces::obstacles::{Shape, Side};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::between::friction;
use crate::spec::select::direction;

/// An obstacle of a scene.
#[derive(Debug, Clone)]
pub struct ObstacleSpec {
    /// Its name.
    pub name: String,
    /// Its form.
    pub shape: Shape,
    /// N/m³: pressure for each metre of depth; chosen by the bodies if none.
    pub stiffness: Option<f64>,
    /// Depth over which that sets in, m; chosen by the bodies if none.
    pub smoothing: Option<f64>,
    /// Coefficient of friction; that of [`Barrier::new`](pliant_model::Barrier::new) if none.
    pub friction: Option<f64>,
    /// How far what sticks gives way, m; chosen by the bodies and the step if none.
    pub stick: Option<f64>,
    /// The bodies it acts on; all if none.
    pub bodies: Vec<(String, Location)>,
    /// Where it stands in the scene.
    pub location: Location,
}

impl ObstacleSpec {
    /// Reads a table.
    pub(crate) fn read(name: &str, t: &Table<'_>) -> Result<Self, SceneError> {
        let vector = |key, example: &str| {
            t.vector(key, Dimension::LENGTH)?.ok_or_else(|| t.missing(key, example))
        };
        let kinds = [("floor", 0), ("plane", 1), ("sphere", 2), ("box", 3)];
        let Some(kind) = t.choice("shape", &kinds)? else {
            return Err(t.missing("shape", "\"floor\""));
        };
        let side = match t.switch("room")? {
            Some(true) => Side::Inside,
            _ => Side::Outside,
        };
        let shape = match kind {
            0 => Shape::floor(t.quantity("height", Dimension::LENGTH)?.unwrap_or(0.0)),
            1 => Shape::Plane {
                point: vector("point", "[0, 0, 0]")?,
                normal: direction(t, "normal", "[0, 1, 0]")?,
            },
            2 => {
                let centre = vector("centre", "[0, 0, 0]")?;
                let radius = t.positive("radius", Dimension::LENGTH)?;
                let radius = radius.ok_or_else(|| t.missing("radius", "\"10 cm\""))?;
                Shape::Sphere { centre, radius, side }
            }
            _ => Shape::Box {
                min: vector("min", "[0, 0, 0]")?,
                max: vector("max", "[1, 1, 1]")?,
                side,
            },
        };
        // N/m³
        let per_depth = Dimension { exponents: [-2, 1, -2, 0] };
        let spec = Self {
            name: name.to_owned(),
            shape,
            stiffness: t.positive("stiffness", per_depth)?,
            smoothing: t.positive("smoothing", Dimension::LENGTH)?,
            friction: friction(t)?,
            stick: t.positive("stick", Dimension::LENGTH)?,
            bodies: t.texts("bodies")?.into_iter().map(|(n, p)| (n.to_owned(), p)).collect(),
            location: t.location().clone(),
        };
        t.finish()?;
        Ok(spec)
    }
}

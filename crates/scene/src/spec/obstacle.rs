//! What bodies cannot enter.

use pliant_forces::obstacles::{Shape, Side};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::between::friction;
use crate::spec::scenery::ScenerySpec;
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

/// Forms by name.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Floor,
    Plane,
    Sphere,
    Box,
    Capsule,
    Cylinder,
    Mesh,
}

/// What stands in a table of an obstacle.
pub(crate) enum AnyObstacle {
    Shape(ObstacleSpec),
    Scenery(ScenerySpec),
}

impl ObstacleSpec {
    /// Refuses keys of a penalty where obstacles act by the barrier of contact.
    pub(crate) fn check_barrier(&self) -> Result<(), SceneError> {
        let given = [("stiffness", self.stiffness), ("smoothing", self.smoothing)];
        let Some((key, _)) = given.iter().find(|(_, value)| value.is_some()) else { return Ok(()) };
        let text = format!(
            "obstacle.{}.{key} is that of a penalty, and with contact.mode = \"barrier\" obstacles repel by the barrier",
            self.name
        );
        let hint =
            "leave it out, and give contact.distance and contact.stiffness (a pressure) instead";
        Err(SceneError::new(text).at(&self.location).hint(hint))
    }

    /// Reads a table.
    pub(crate) fn read(name: &str, t: &Table<'_>) -> Result<AnyObstacle, SceneError> {
        let vector = |key, example: &str| {
            t.vector(key, Dimension::LENGTH)?.ok_or_else(|| t.missing(key, example))
        };
        let kinds = [
            ("floor", Form::Floor),
            ("plane", Form::Plane),
            ("sphere", Form::Sphere),
            ("box", Form::Box),
            ("capsule", Form::Capsule),
            ("cylinder", Form::Cylinder),
            ("mesh", Form::Mesh),
        ];
        let Some(kind) = t.choice("shape", &kinds)? else {
            return Err(t.missing("shape", "\"floor\""));
        };
        if kind == Form::Mesh {
            return Ok(AnyObstacle::Scenery(ScenerySpec::read(name, t)?));
        }
        let side = match t.switch("room")? {
            Some(true) => Side::Inside,
            _ => Side::Outside,
        };
        let radius = || {
            let radius = t.positive("radius", Dimension::LENGTH)?;
            radius.ok_or_else(|| t.missing("radius", "\"10 cm\""))
        };
        let ends =
            || Ok::<_, SceneError>((vector("from", "[0, 0, 0]")?, vector("to", "[0, 1, 0]")?));
        let shape = match kind {
            Form::Floor => Shape::floor(t.quantity("height", Dimension::LENGTH)?.unwrap_or(0.0)),
            Form::Plane => Shape::Plane {
                point: vector("point", "[0, 0, 0]")?,
                normal: direction(t, "normal", "[0, 1, 0]")?,
            },
            Form::Sphere => {
                let centre = vector("centre", "[0, 0, 0]")?;
                Shape::Sphere { centre, radius: radius()?, side }
            }
            Form::Capsule => {
                let (from, to) = ends()?;
                Shape::Capsule { from, to, radius: radius()?, side }
            }
            Form::Cylinder => {
                let (from, to) = ends()?;
                Shape::Cylinder { from, to, radius: radius()?, side }
            }
            Form::Box | Form::Mesh => Shape::Box {
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
        Ok(AnyObstacle::Shape(spec))
    }
}

//! A body of a scene: mesh, material, place, what holds and pushes it.

use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_dynamics::Motion;
use pliant_model::MassKind;
pub use pliant_model::{Damping as DampingSpec, Initial};
use pliant_units::Dimension;

use crate::build::surface::SurfaceSpec;
use crate::error::{Location, SceneError};
use crate::file::copies::CopyOf;
use crate::file::expression::{Expression, OF_PLACE};
use crate::file::table::Table;
use crate::spec::cell_quantity::CellQuantity;
use crate::spec::copies::CopyStep;
use crate::spec::field::VectorField;
use crate::spec::load::LoadSpec;
use crate::spec::material::MaterialSpec;
use crate::spec::mesh::{MeshSpec, Turn};
use crate::spec::motion;
use crate::spec::select::{Selection, direction};
use crate::spec::stage::{ActsIn, acts_in};

/// A body.
#[derive(Debug, Clone)]
pub struct BodySpec {
    /// Its name.
    pub name: String,
    /// The body that it is a copy of, if it is one.
    pub copy: Option<CopyOf>,
    /// Its mesh.
    pub mesh: MeshSpec,
    /// What it is made of; none where the mesh says.
    pub material: Option<MaterialSpec>,
    /// kg/m³; none where the mesh says, or 1000.
    pub density: Option<CellQuantity>,
    /// How its mass is spread.
    pub mass: MassKind,
    /// How often the energy, forces and stiffness of each cell count, its mass excepted; once if none.
    pub weights: Option<CellQuantity>,
    /// Parts of another material or density, by the names of regions or cell sets.
    pub regions: Vec<RegionSpec>,
    /// Where its mesh is put: scaled, turned, moved.
    pub(crate) pose: Pose,
    /// How it starts.
    pub initial: Initial,
    /// What is added to that, by the position at rest.
    pub start: StartFields,
    /// What holds it.
    pub holds: Vec<Hold>,
    /// What pushes it.
    pub loads: Vec<LoadSpec>,
    /// What takes energy out of its motion.
    pub damping: DampingSpec,
    /// The few shapes that it moves in; free if none.
    pub reduced: Option<ReducedSpec>,
    /// What is drawn of it; the boundary of its mesh if none.
    pub surface: Option<SurfaceSpec>,
    /// Whether it touches others with that surface, not with the boundary of its mesh.
    pub touches_as_drawn: bool,
    /// Where it stands in the scene.
    pub location: Location,
}

/// Fields of the position at rest with which a body starts.
#[derive(Debug, Clone, Default)]
pub struct StartFields {
    /// Displacements, m.
    pub displacement: Option<VectorField>,
    /// Velocities, m/s.
    pub velocity: Option<VectorField>,
}

/// A body that moves in a few shapes.
#[derive(Debug, Clone)]
pub struct ReducedSpec {
    /// How many of its lowest modes about rest.
    pub modes: usize,
    /// Where it stands in the scene.
    pub location: Location,
}

/// A part of a body.
#[derive(Debug, Clone)]
pub struct RegionSpec {
    /// Of a region or cell set of the mesh, or of the cell set that its condition makes.
    pub name: String,
    /// The condition that the middles of its cells fulfil, and its text.
    pub(crate) chosen: Option<(Expression, String)>,
    /// Its material, if it is another one.
    pub material: Option<MaterialSpec>,
    /// Its density, if it is another one, kg/m³.
    pub density: Option<CellQuantity>,
    /// Where it stands in the scene.
    pub location: Location,
}

/// Scale, rotation and position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pose {
    pub(crate) scale: f64,
    pub(crate) turn: Turn,
    pub(crate) position: Vec3,
    /// Where a copy is put from there.
    pub(crate) copy: Option<CopyStep>,
}

impl Pose {
    /// Reads `scale`, `rotation` and `position`.
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        Ok(Self {
            scale: t.positive("scale", Dimension::NONE)?.unwrap_or(1.0),
            turn: Turn::read(t)?,
            position: t.vector("position", Dimension::LENGTH)?.unwrap_or([0.0; 3]),
            copy: None,
        })
    }

    /// Puts points where the body is put.
    pub(crate) fn put(&self, points: &mut [Vec3]) {
        for p in points {
            *p = add(self.turn.apply(scale(*p, self.scale)), self.position);
            if let Some(copy) = &self.copy {
                *p = copy.apply(*p);
            }
        }
    }
}

/// What holds or moves a part.
#[derive(Debug, Clone)]
pub struct Hold {
    /// Which part.
    pub on: Selection,
    /// Directions that are held.
    pub axes: [bool; 3],
    /// How it moves.
    pub motion: Motion,
    /// That in words, where the motion is a function.
    pub words: String,
    /// Whether it says where vertices are to be at all times, whatever was before.
    pub(crate) by_expression: bool,
    /// Its name, for the force that it exerts.
    pub name: Option<String>,
    /// The point about which the moment of its force is told, m; none where nobody asks for it.
    pub moment: Option<Vec3>,
    /// The stages in which it acts; all if none.
    pub stages: ActsIn,
    /// Whether it acts now.
    pub(crate) active: bool,
    /// Where it stands in the scene.
    pub location: Location,
}

const AXES: &[(&str, [bool; 3])] = &[
    ("xyz", [true, true, true]),
    ("x", [true, false, false]),
    ("y", [false, true, false]),
    ("z", [false, false, true]),
    ("xy", [true, true, false]),
    ("yz", [false, true, true]),
    ("xz", [true, false, true]),
];

/// `where`, of a region: a condition on the middles of cells.
fn condition_on_cells(t: &Table<'_>) -> Result<Option<(Expression, String)>, SceneError> {
    let Some(text) = t.text("where")? else { return Ok(None) };
    let expression = Expression::parse(text).map_err(|e| t.error_within("where", text, e))?;
    if expression.uses_normal() {
        return Err(t.error("where", "cells have no normal: a condition on x, y and z is needed"));
    }
    Ok(Some((expression, text.to_owned())))
}

impl BodySpec {
    /// Reads a table.
    pub(crate) fn read(name: &str, t: &Table<'_>) -> Result<Self, SceneError> {
        let material =
            |t: &Table<'_>| t.table("material")?.map(|m| MaterialSpec::read(&m)).transpose();
        let density = |t: &Table<'_>| CellQuantity::read_positive(t, "density", Dimension::DENSITY);
        let mut regions = Vec::new();
        for (name, r) in t.named("region")? {
            let (material, density) = (material(&r)?, density(&r)?);
            let chosen = condition_on_cells(&r)?;
            r.finish()?;
            regions.push(RegionSpec {
                name: name.to_owned(),
                chosen,
                material,
                density,
                location: r.location().clone(),
            });
        }
        let pose = Pose { copy: CopyStep::read(t)?, ..Pose::read(t)? };
        let body = Self {
            name: name.to_owned(),
            copy: t.copy().cloned(),
            mesh: MeshSpec::read(t)?,
            material: material(t)?,
            density: density(t)?,
            mass: t.choice("mass", &MassKind::NAMES)?.unwrap_or_default(),
            weights: CellQuantity::read(t, "weights", Dimension::NONE)?,
            regions,
            pose,
            initial: initial(t)?,
            start: start(t)?,
            holds: holds(t)?,
            loads: t.rows("load", |_, _| None, |l| LoadSpec::read(&l))?,
            damping: damping(t)?,
            reduced: reduced(t)?,
            surface: SurfaceSpec::read(t)?,
            touches_as_drawn: touches_as_drawn(t)?,
            location: t.location().clone(),
        };
        t.finish()?;
        Ok(body)
    }
}

fn initial(t: &Table<'_>) -> Result<Initial, SceneError> {
    let velocity = t.vector("velocity", Dimension::VELOCITY)?.unwrap_or([0.0; 3]);
    let mut spin = [0.0; 3];
    if let Some(s) = t.table("spin")? {
        let axis = direction(&s, "axis", "[0, 1, 0]")?;
        let rate = s.quantity("rate", Dimension::ANGULAR_VELOCITY)?;
        let rate = rate.ok_or_else(|| s.missing("rate", "\"2 rad/s\""))?;
        s.finish()?;
        spin = axis.map(|a| rate * a);
    }
    let stretch = t.vector("stretch", Dimension::NONE)?;
    let scatter = t.quantity("scatter", Dimension::NONE)?;
    let seed = t.count("seed")?.unwrap_or(0) as u64;
    Ok(Initial { velocity, spin, stretch, scatter: scatter.map(|part| (part, seed)) })
}

/// `initial = { velocity = ["-2*Y", "2*X", 0], displacement = [ … ] }`
fn start(t: &Table<'_>) -> Result<StartFields, SceneError> {
    let Some(i) = t.table("initial")? else { return Ok(StartFields::default()) };
    let displacement = VectorField::read(&i, "displacement", Dimension::LENGTH, OF_PLACE)?;
    let velocity = VectorField::read(&i, "velocity", Dimension::VELOCITY, OF_PLACE)?;
    i.finish()?;
    Ok(StartFields { displacement, velocity })
}

fn holds(t: &Table<'_>) -> Result<Vec<Hold>, SceneError> {
    let all = [true; 3];
    let short = |name: &str, location: Location| {
        let on = Selection::named(name, location.clone());
        Some(Hold {
            on,
            axes: all,
            motion: Motion::Still,
            words: String::new(),
            by_expression: false,
            name: None,
            moment: None,
            stages: None,
            active: true,
            location,
        })
    };
    let one = |h: &Table<'_>, moves: bool| {
        let on = Selection::read(h)?.ok_or_else(|| {
            h.missing_or(
                "set",
                "select by set, file, vertices, box, sphere, plane, normal, surface or where",
            )
        })?;
        let axes = h.choice("axes", AXES)?.unwrap_or(all);
        let (motion, words) = if moves { motion::read(h)? } else { (Motion::Still, String::new()) };
        let name = h.text("name")?.map(str::to_owned);
        let moment = h.vector("moment_about", Dimension::LENGTH)?;
        let (by_expression, stages) = (moves && h.has("expression"), acts_in(h)?);
        h.finish()?;
        let location = h.location().clone();
        Ok(Hold {
            on,
            axes,
            motion,
            words,
            by_expression,
            name,
            moment,
            stages,
            active: true,
            location,
        })
    };
    let mut list = t.rows("fixed", short, |h| one(&h, false))?;
    list.extend(t.rows("moved", |_, _| None, |h| one(&h, true))?);
    Ok(list)
}

fn reduced(t: &Table<'_>) -> Result<Option<ReducedSpec>, SceneError> {
    let Some(r) = t.table("reduced")? else { return Ok(None) };
    let modes = r.count("modes")?.ok_or_else(|| r.missing("modes", "12"))?;
    if modes == 0 {
        return Err(r.error("modes", "at least one is needed"));
    }
    r.finish()?;
    Ok(Some(ReducedSpec { modes, location: r.location().clone() }))
}

fn damping(t: &Table<'_>) -> Result<DampingSpec, SceneError> {
    let Some(d) = t.table("damping")? else { return Ok(DampingSpec::default()) };
    let not_negative = |key, dimension| match d.quantity(key, dimension)? {
        Some(v) if v < 0.0 => Err(d.error(key, "damping of 0 or more is needed")),
        value => Ok(value.unwrap_or(0.0)),
    };
    let damping = DampingSpec {
        mass: not_negative("mass", Dimension::FREQUENCY)?,
        stiffness: not_negative("stiffness", Dimension::TIME)?,
        viscosity: not_negative("viscosity", Dimension::VISCOSITY)?,
        volume_viscosity: not_negative("volume_viscosity", Dimension::VISCOSITY)?,
    };
    d.finish()?;
    Ok(damping)
}

/// Reads `contact_surface`.
fn touches_as_drawn(t: &Table<'_>) -> Result<bool, SceneError> {
    let choices = [("boundary", false), ("embedded", true)];
    let drawn = t.choice("contact_surface", &choices)?.unwrap_or(false);
    if drawn && !t.has("surface") {
        let error = t.error("contact_surface", "\"embedded\" needs a surface to touch with");
        return Err(error.hint("give the body surface = \"skin.obj\", which it carries along"));
    }
    Ok(drawn)
}

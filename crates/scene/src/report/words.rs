//! A scene in words.

mod methods;

use pliant_algebra::vec3::{Vec3, norm};
use pliant_dynamics::Motion;
use pliant_forces::loads::TimeCurve;
use pliant_forces::obstacles::{Shape, Side};
use pliant_materials::{Constant, Constants, Inversion};
use pliant_mesh::VolumeMesh;
use pliant_model::{Body, ContactMode, FRICTION, SpringDamping};
use pliant_units::{Dimension, count, number, si, vector};

use crate::build::model::cells_called;
use crate::spec::body::{BodySpec, Hold};
use crate::spec::cell_quantity::CellQuantity;
use crate::spec::contact::ContactSpec;
use crate::spec::load::{LoadKind, LoadSpec, VaryingLoad};
use crate::spec::material::{
    MaterialConstants, MaterialKind, MaterialSpec, SpringStiffness, of_record,
};
use crate::spec::scene::Scene;
use crate::spec::select::Selection;
use crate::spec::time::Analysis;

pub(super) use self::methods::{done, method};

/// Names and what they are.
type Facts = Vec<(String, String)>;

fn fact(list: &mut Facts, name: &str, value: impl Into<String>) {
    list.push((name.to_owned(), value.into()));
}

/// One body.
pub(super) fn body(spec: &BodySpec, body: &Body) -> Facts {
    let mut list = Facts::new();
    fact(&mut list, "Mesh", spec.mesh.words());
    match &spec.material {
        Some(material) => fact(&mut list, "Material", self::material(material, &body.mesh, None)),
        None => fact(&mut list, "Material", "stable-neo-hookean, constants of the mesh"),
    }
    let from_mesh = spec.material.as_ref().is_none_or(|m| {
        matches!(m.kind, MaterialKind::Elastic { constants: MaterialConstants::OfMesh, .. })
    });
    if from_mesh {
        for region in &body.mesh.regions {
            let record = region.material.and_then(|m| body.mesh.materials.get(m as usize));
            if let Some(record) = record {
                let density = spec.density.clone();
                let density = density.unwrap_or(CellQuantity::Uniform(record.density));
                let density = quantity(&density, "kg/m³", &body.mesh, None);
                let text = format!("{}, {density}", constants(&of_record(record), &[]));
                fact(&mut list, &format!("Region {}", region.name), text);
            }
        }
    } else {
        let density = spec.density.clone().unwrap_or(CellQuantity::Uniform(1000.0));
        fact(&mut list, "Density", quantity(&density, "kg/m³", &body.mesh, None));
    }
    for region in &spec.regions {
        let mut parts = Vec::new();
        let (mesh, cells) = (&body.mesh, cells_called(&region.name, &body.mesh));
        let cells = cells.as_deref();
        parts.extend(region.material.as_ref().map(|m| self::material(m, mesh, cells)));
        parts.extend(region.density.as_ref().map(|d| quantity(d, "kg/m³", mesh, cells)));
        fact(&mut list, &format!("Region {}", region.name), parts.join(", "));
    }
    let initial = &spec.initial;
    let mut start = Vec::new();
    if initial.velocity != [0.0; 3] {
        start.push(format!("velocity {}", vector(initial.velocity, "m/s")));
    }
    if initial.spin != [0.0; 3] {
        start.push(format!("spin {}", vector(initial.spin, "rad/s")));
    }
    if let Some(stretch) = initial.stretch {
        start.push(format!("stretched by {}", vector(stretch, "")));
    }
    if let Some((part, seed)) = initial.scatter {
        start.push(format!("vertices scattered over {} of the box, seed {seed}", number(part)));
    }
    if let Some(field) = &spec.start.displacement {
        start.push(format!("displacement {} m", field.words()));
    }
    if let Some(field) = &spec.start.velocity {
        start.push(format!("velocity {} m/s", field.words()));
    }
    if !start.is_empty() {
        fact(&mut list, "Starts with", start.join("; "));
    }
    for hold in &spec.holds {
        let name = if matches!(hold.motion, Motion::Still) { "Fixed" } else { "Moved" };
        fact(&mut list, name, self::hold(hold, body));
    }
    for load in &spec.loads {
        fact(&mut list, "Load", self::load(load, body));
    }
    let d = &spec.damping;
    let damping: Vec<String> = [
        ("mass", d.mass, "1/s"),
        ("stiffness", d.stiffness, "s"),
        ("viscosity", d.viscosity, "Pa s"),
        ("volume viscosity", d.volume_viscosity, "Pa s"),
    ]
    .into_iter()
    .filter(|(_, value, _)| *value > 0.0)
    .map(|(name, value, unit)| format!("{name} {}", si(value, unit)))
    .collect();
    let text = if damping.is_empty() { "none".into() } else { damping.join(", ") };
    fact(&mut list, "Damping", text);
    list
}

/// A number, or the least and the largest of the cells (of all of them, if none are named).
fn quantity(q: &CellQuantity, unit: &str, mesh: &VolumeMesh, cells: Option<&[u32]>) -> String {
    match (q, q.range(mesh, cells)) {
        (CellQuantity::Uniform(value), _) => si(*value, unit),
        (CellQuantity::PerCell(_), Some((low, high))) => {
            format!("per cell, {} to {}", si(low, unit), si(high, unit))
        }
        (CellQuantity::PerCell(of), None) => format!("per cell, '{}'", of.name),
        (CellQuantity::Formula(of), Some((low, high))) => {
            format!("{}, {} to {}", of.text, si(low, unit), si(high, unit))
        }
        (CellQuantity::Formula(of), None) => of.text.clone(),
    }
}

/// The label of a constant in sentences.
fn label(name: &str) -> &str {
    match name {
        "young" => "Young's modulus",
        "poisson" => "Poisson's ratio",
        "lambda" => "λ",
        "mu" => "μ",
        other => other,
    }
}

/// The SI unit of a constant.
fn unit(constant: &Constant) -> &'static str {
    match constant.dimension {
        Dimension::NONE => "",
        Dimension::PRESSURE => "Pa",
        _ => "1/Pa",
    }
}

fn material(spec: &MaterialSpec, mesh: &VolumeMesh, cells: Option<&[u32]>) -> String {
    match &spec.kind {
        MaterialKind::Springs { stiffness, damping } => {
            let mut text = match stiffness {
                SpringStiffness::Young(young) => {
                    let young = quantity(young, "Pa", mesh, cells);
                    format!("springs along the edges, Young's modulus {young}")
                }
                SpringStiffness::Rigidity(ea) => {
                    format!("springs along the edges, EA {} each", si(*ea, "N"))
                }
            };
            match *damping {
                SpringDamping::Constant(0.0) => {}
                SpringDamping::Constant(r) => {
                    text += &format!(", damping {} each", si(r, "N s/m"));
                }
                SpringDamping::PerStiffness(time) => {
                    text += &format!(", damping {} times the constant of each", si(time, "s"));
                }
                SpringDamping::Quality { quality, .. } => {
                    text += &format!(", damped for a quality of {}", number(quality));
                }
            }
            text
        }
        MaterialKind::Elastic { material, constants, resistance, memory, fibres } => {
            let law = material.law();
            let mut text = law.name().to_owned();
            if !matches!(material.inversion(), Inversion::Plain) {
                text += ", continued to inverted elements";
            }
            if *resistance > 0.0 {
                text += &format!(", resistance to compression {}", number(*resistance));
            }
            for family in fibres {
                text += &format!(", {}", family.words());
                if family.tension > 0.0 {
                    text += &format!(" that pull with up to {}", si(family.tension, "Pa"));
                }
            }
            text += &match constants {
                MaterialConstants::Uniform(list) => {
                    format!(", {}", self::constants(list, law.constants()))
                }
                MaterialConstants::OfEnergy(energy) => {
                    let one = |(name, value): &(String, f64)| format!("{name} {}", number(*value));
                    let list = std::iter::once(energy.text.clone())
                        .chain(energy.constants.iter().map(one));
                    format!(" {}", list.collect::<Vec<_>>().join(", "))
                }
                MaterialConstants::OfMesh => ", constants of the mesh".to_owned(),
                MaterialConstants::PerCell(list) => {
                    let one = |(name, q): &(&'static str, CellQuantity)| {
                        let unit = law.constant(name).map_or("", unit);
                        format!("{} {}", label(name), quantity(q, unit, mesh, cells))
                    };
                    format!(", {}", list.iter().map(one).collect::<Vec<_>>().join(", "))
                }
            };
            if let Some(memory) = memory {
                text += &format!(", remembering {}", memory.words());
            }
            text
        }
    }
}

/// Constants with their units; `own` are those of the law.
fn constants(list: &Constants, own: &[Constant]) -> String {
    let three = |v: &[f64; 3], unit: &str| v.map(|c| si(c, unit)).join(", ");
    match list {
        Constants::YoungPoisson { young, poisson } => {
            format!("Young's modulus {}, Poisson's ratio {poisson}", si(*young, "Pa"))
        }
        Constants::Lame { lambda, mu } => format!("λ {}, μ {}", si(*lambda, "Pa"), si(*mu, "Pa")),
        Constants::Orthotropic { young, poisson, shear, .. } => format!(
            "Young's moduli {}; Poisson's ratios {}; shear moduli {}",
            three(young, "Pa"),
            three(poisson, ""),
            three(shear, "Pa")
        ),
        Constants::Anisotropic { .. } => "21 constants".into(),
        Constants::Own(values) => {
            let one = |(c, v): (&Constant, &f64)| format!("{} {}", c.name, si(*v, unit(c)));
            let text = own.iter().zip(values).map(one);
            let text = text.collect::<Vec<_>>().join(", ");
            if text.is_empty() { format!("{} constants", values.len()) } else { text }
        }
    }
}

fn selected(on: Option<&Selection>, body: &Body) -> String {
    let Some(on) = on else { return "everywhere".into() };
    let vertices = on.vertices(body).map_or(0, |list| list.len());
    format!("{} ({} vertices)", on.words(), count(vertices as u64))
}

fn hold(hold: &Hold, body: &Body) -> String {
    let mut text = selected(Some(&hold.on), body);
    if hold.axes != [true; 3] {
        let axes = ["x", "y", "z"].into_iter().zip(hold.axes).filter(|(_, held)| *held);
        text += &format!(", along {}", axes.map(|(name, _)| name).collect::<String>());
    }
    match &hold.motion {
        Motion::Still => text,
        Motion::Translation { direction, curve } => {
            format!("{text}, by {}{}", vector(*direction, "m"), self::curve(curve))
        }
        Motion::Rotation { centre, axis, curve } => format!(
            "{text}, turned about {} through {}, rad{}",
            vector(*axis, ""),
            vector(*centre, "m"),
            self::curve(curve)
        ),
        Motion::Function(_) => format!("{text}, {}", hold.words),
    }
}

fn load(load: &LoadSpec, body: &Body) -> String {
    let text = load.text.as_deref().unwrap_or_default();
    let what = match load.kind {
        LoadKind::Total(f) => format!("force {}, spread", vector(f, "N")),
        LoadKind::Each(f) => format!("force {} on each vertex", vector(f, "N")),
        LoadKind::Traction(t) => format!("traction {}", vector(t, "Pa")),
        LoadKind::Pressure(p) => format!("pressure {}", si(p, "Pa")),
        LoadKind::Shear(t, axis) => {
            format!("shear of {} about {}", si(t, "Pa"), vector(axis, ""))
        }
        LoadKind::Body(f) => format!("body force {}", vector(f, "N/m³")),
        LoadKind::Varying(ref kind) => match kind {
            VaryingLoad::Total(_) => format!("force {text} N, spread"),
            VaryingLoad::Each(_) => format!("force {text} N on each vertex"),
            VaryingLoad::Traction(_) => format!("traction {text} Pa"),
            VaryingLoad::Pressure(_) => format!("pressure {text} Pa"),
            VaryingLoad::Shear(_, axis) => {
                format!("shear of {text} Pa about {}", vector(*axis, ""))
            }
            VaryingLoad::Body(_) => format!("body force {text} N/m³"),
        },
    };
    let direction = if load.follows { ", turning with the surface" } else { "" };
    format!("{what}{direction}; {}{}", selected(load.on.as_ref(), body), curve(&load.curve))
}

fn curve(curve: &TimeCurve) -> String {
    match curve {
        TimeCurve::Constant(1.0) => String::new(),
        TimeCurve::Constant(value) => format!(", times {}", number(*value)),
        TimeCurve::Ramp { start, end, from, to } => format!(
            ", from {} to {} times that between {} and {}",
            number(*from),
            number(*to),
            si(*start, "s"),
            si(*end, "s")
        ),
        TimeCurve::Pulse { start, rise, hold, height } => format!(
            ", {} times that for {} from {} on, rising within {}",
            number(*height),
            si(*hold, "s"),
            si(*start, "s"),
            si(*rise, "s")
        ),
        TimeCurve::Table { times, .. } => format!(", by a table of {} times", times.len()),
    }
}

/// What is not of a single body.
pub(super) fn surroundings(scene: &Scene) -> Facts {
    let mut list = Facts::new();
    let gravity =
        if scene.gravity == [0.0; 3] { "none".into() } else { vector(scene.gravity, "m/s²") };
    fact(&mut list, "Gravity", gravity);
    for obstacle in &scene.obstacles {
        let inside = |side: Side| if side == Side::Inside { "room in a " } else { "" };
        let mut text = match obstacle.shape {
            Shape::Plane { point, normal } => {
                format!("plane through {} with normal {}", vector(point, "m"), vector(normal, ""))
            }
            Shape::Sphere { centre, radius, side } => {
                format!(
                    "{}sphere of radius {} at {}",
                    inside(side),
                    si(radius, "m"),
                    vector(centre, "m")
                )
            }
            Shape::Capsule { from, to, radius, side } => {
                let (from, to) = (vector(from, "m"), vector(to, "m"));
                format!("{}capsule of radius {} from {from} to {to}", inside(side), si(radius, "m"))
            }
            Shape::Cylinder { from, to, radius, side } => {
                let (from, to) = (vector(from, "m"), vector(to, "m"));
                format!(
                    "{}cylinder of radius {} from {from} to {to}",
                    inside(side),
                    si(radius, "m")
                )
            }
            Shape::Box { min, max, side } => {
                format!("{}box from {} to {}", inside(side), vector(min, "m"), vector(max, "m"))
            }
        };
        let touched = |c: &ContactSpec| c.contact.mode == ContactMode::Barrier;
        if scene.time.analysis == Analysis::Dynamic || scene.contact.as_ref().is_some_and(touched) {
            text += &match obstacle.friction.unwrap_or(FRICTION) {
                0.0 => ", without friction".to_owned(),
                friction => format!(", friction {}", number(friction)),
            };
        }
        if !obstacle.bodies.is_empty() {
            let names: Vec<&str> = obstacle.bodies.iter().map(|(n, _)| n.as_str()).collect();
            text += &format!(", for {}", names.join(", "));
        }
        fact(&mut list, &format!("Obstacle {}", obstacle.name), text);
    }
    if let Some(spec) = &scene.contact {
        let rubs = |friction: f64| match friction {
            0.0 => "without friction".to_owned(),
            friction => format!("friction {}", number(friction)),
        };
        let mut text = format!("by a barrier, {}", rubs(spec.contact.friction));
        for between in &spec.between {
            if let Some(friction) = between.friction {
                let [(a, _), (b, _)] = &between.names;
                text += &format!("; {a} and {b} {}", rubs(friction));
            }
        }
        let rests = scene.time.analysis != Analysis::Dynamic;
        let rough = scene.obstacles.iter().any(|o| o.friction.unwrap_or(FRICTION) > 0.0);
        if rests && spec.contact.mode == ContactMode::Barrier && (spec.rubs() || rough) {
            text += "; with friction a state of rest depends on the path of supports and loads";
        }
        fact(&mut list, "Contact", text);
    }
    for obstacle in &scene.scenery {
        fact(&mut list, &format!("Obstacle {}", obstacle.name), obstacle.words());
    }
    for a in &scene.attachments {
        let to = a.to.as_ref().map_or("the world", |(name, _)| name.as_str());
        let mut text = format!("{} to {to}", a.body.0);
        if let Some(on) = &a.on {
            text += &format!(", {}", on.words());
        }
        if let Some(within) = a.within {
            text += &format!(", where nearer than {}", si(within, "m"));
        }
        text += &match a.stiffness {
            Some(k) => format!(", springs of {}", si(k, "N/m")),
            None => ", glued".into(),
        };
        fact(&mut list, "Attachment", text);
    }
    for constraint in &scene.constraints {
        let parts: Vec<String> = constraint.on.iter().map(Selection::words).collect();
        let text = format!("{}: rigid, {}", constraint.body.0, parts.join("; "));
        fact(&mut list, &format!("Constraint {}", constraint.name), text);
    }
    for (body, reduced) in scene.bodies.iter().filter_map(|b| Some((b, b.reduced.as_ref()?))) {
        let text = format!("moves in its {} lowest modes", count(reduced.modes as u64));
        fact(&mut list, &format!("Body {}", body.name), text);
    }
    list
}

/// Extent, m.
pub(super) fn extent(v: Vec3) -> String {
    let prefix = pliant_units::Prefix::of(v.iter().copied().fold(norm(v) * 1e-9, f64::max), "m");
    let [x, y, z] = v.map(|c| number(prefix.scaled(c)));
    format!("{x} × {y} × {z} {}", prefix.unit("m"))
}

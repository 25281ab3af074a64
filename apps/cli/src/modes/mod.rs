//! `pliant modes`: natural frequencies and shapes of a mesh, or of the bodies of a scene.

mod flags;
mod mesh;
mod shapes;

use std::path::Path;

use pliant::dynamics::{Mode, ModeSettings, Modes};
use pliant::mesh::VolumeMesh;
use pliant::mesh::io::{SurfaceFormat, VolumeFormat};
use pliant::scene::Simulation;
use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;
use crate::run::scene;

pub use flags::{MeshFlags, ModesFlags};

/// What was found, and what it can be drawn on.
struct Found {
    modes: Modes,
    /// Size of the whole, m.
    size: f64,
    bodies: Vec<Drawn>,
    /// Keys of the document that say what it was found for.
    about: Value,
}

/// A body that shapes are drawn on.
struct Drawn {
    /// None if there is only one, which has no name.
    name: Option<String>,
    mesh: VolumeMesh,
    /// Of each vertex of the mesh, its number in the shapes.
    numbers: Vec<u32>,
}

/// Finds the modes, prints them, writes their shapes.
pub fn run(flags: &ModesFlags, context: &Context) -> Result<(), Failure> {
    let path = Path::new(&flags.source);
    let ModesFlags { count, tolerance, subspace: largest_subspace, long_term, .. } = *flags;
    let settings = ModeSettings { count, tolerance, largest_subspace, long_term };
    let found = if VolumeFormat::of(path).is_some() {
        if !flags.set.is_empty() {
            return Err(Failure::Input("--set is of scenes: a mesh has no keys".into()));
        }
        mesh::find(path, (&flags.mesh, flags.mass.unwrap_or_default()), &settings, context)?
    } else if SurfaceFormat::of(path).is_some() {
        let text = format!(
            "{}: a volume mesh is needed (.veg .msh .vtu .vtk .mesh .node .ele), or a scene; 'pliant mesh fill' makes one of a surface",
            flags.source
        );
        return Err(Failure::Input(text));
    } else {
        if let Some(flag) = flags.mesh.given() {
            let text =
                format!("{flag} is of meshes: a scene says that itself, and --set changes it");
            return Err(Failure::Input(text));
        }
        of_scene(flags, &settings, context)?
    };
    let modes = &found.modes.modes;
    if modes.len() < flags.count {
        context.warn(&format!("there are {} modes, not {}", modes.len(), flags.count));
    }
    if let Some(folder) = &flags.out {
        shapes::write(folder, &found, flags.frames)?;
    }
    let rigid = modes.iter().filter(|m| m.rigid).count();
    let mut document = found.about.clone();
    document["rigid"] = rigid.into();
    document["frequencies"] = modes.iter().map(Mode::frequency).collect();
    document["angular"] = modes.iter().map(Mode::angular).collect();
    document["residuals"] = modes.iter().map(|m| m.residual).collect();
    document["out"] = json!(flags.out.as_ref().map(|f| f.display().to_string()));
    context.emit(&document, || table(&found.modes, rigid, flags.out.as_deref()))
}

/// All bodies of a scene together.
fn of_scene(
    flags: &ModesFlags,
    settings: &ModeSettings,
    context: &Context,
) -> Result<Found, Failure> {
    let mut scene = scene::load(&scene::origin(Some(&flags.source), flags.set.clone()))?;
    if let Some(mass) = flags.mass {
        scene.bodies.iter_mut().for_each(|body| body.mass = mass);
    }
    let mut simulation = Simulation::build(&scene)?;
    for warning in &simulation.warnings {
        context.warn(warning);
    }
    let modes = simulation.modes(settings)?;
    let size = simulation.system().size();
    let fixed = simulation.system().constraints().vertices().len();
    let of_bodies: Vec<Value> = simulation
        .bodies
        .iter()
        .map(|b| {
            json!({
                "name": b.name,
                "vertices": b.mesh.vertex_count(),
                "cells": b.mesh.cell_count(),
                "element": b.element.name(),
                "mass": b.mass_kind().name(),
            })
        })
        .collect();
    let mut kinds: Vec<_> = simulation.bodies.iter().map(|b| b.mass_kind().name()).collect();
    kinds.dedup();
    let about = json!({
        "scene": scene.title,
        "vertices": simulation.vertices(),
        "cells": simulation.cells(),
        "bodies": of_bodies,
        "mass": if let [kind] = kinds[..] { kind } else { "mixed" },
        "fixed_vertices": fixed,
    });
    let bodies = simulation.bodies.iter().map(|b| Drawn {
        name: Some(b.name.clone()),
        mesh: b.mesh.clone(),
        numbers: (0..b.mesh.vertex_count() as u32).map(|v| b.system_vertex(v)).collect(),
    });
    Ok(Found { modes, size, bodies: bodies.collect(), about })
}

fn table(found: &Modes, rigid: usize, out: Option<&Path>) -> String {
    let mut text = format!("{:>5}  {:>14}  {:>12}\n", "mode", "frequency, Hz", "error up to");
    for (k, mode) in found.modes.iter().enumerate() {
        if mode.rigid {
            text += &format!("{:>5}  {:>14}  rigid motion\n", k + 1, 0);
        } else {
            let (f, residual) = (mode.frequency(), mode.residual);
            // Half of the relative error of ω².
            text += &format!("{:>5}  {f:>14.6}  {:>12.1e}\n", k + 1, 0.5 * residual * f);
        }
    }
    if rigid > 0 {
        text += &format!("{rigid} rigid motions, which nothing holds\n");
    }
    if let Some(folder) = out {
        text += &format!("{}: the shapes, as modes.pvd\n", folder.display());
    }
    text
}

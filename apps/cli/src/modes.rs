//! `pliant modes`: natural frequencies and shapes of a mesh.

use std::path::{Path, PathBuf};

use pliant::algebra::vec3::{Vec3, norm};
use pliant::dynamics::{Constraints, Mass, Mode, ModeSettings, Modes, Role, State, System};
use pliant::forces::{ElementName, Parameters, Partition, solid::elastic};
use pliant::materials::parameters::check_density;
use pliant::materials::{Constants, LawName, Material};
use pliant::mesh::io::{Source, VolumeFormat, bou, pvd, read_volume, vtu, write_file};
use pliant::mesh::measure::bounding_box;
use pliant::mesh::{NamedSet, VolumeMesh};
use serde_json::json;

use crate::arguments::ModesFlags;
use crate::context::Context;
use crate::failure::Failure;

/// Of the size of the body: how large a shape is drawn.
const DRAWN: f64 = 0.1;
/// Vertices this near a side, of the size of the body, are on it.
const ON_SIDE: f64 = 1e-6;

/// Finds the modes, prints them, writes their shapes.
pub fn run(flags: &ModesFlags, context: &Context) -> Result<(), Failure> {
    if VolumeFormat::of(&flags.mesh).is_none() {
        let text = format!(
            "{}: a volume mesh is needed (.veg .msh .vtu .vtk .mesh .node .ele)",
            flags.mesh.display()
        );
        return Err(Failure::Input(text));
    }
    let read = read_volume(&flags.mesh)?;
    context.warn_notes(&flags.mesh, &read.notes);
    let mesh = read.mesh;
    let element = match &flags.element {
        Some(name) => name.parse()?,
        None => ElementName::of(mesh.cell_type),
    };
    let partition = Partition::new(&mesh)?;
    let fixed = fixed_vertices(&mesh, &flags.fix)?;
    let (mut system, state) = system(&mesh, &partition, element, &fixed, flags)?;
    let settings = ModeSettings { count: flags.count, ..ModeSettings::default() };
    let found = system.modes(&state, &settings)?;
    if found.modes.len() < flags.count {
        let text = format!("the body has {} modes, not {}", found.modes.len(), flags.count);
        context.warn(&text);
    }
    if let Some(folder) = &flags.out {
        write_shapes(folder, &mesh, &partition, &found, system.size())?;
    }
    let frequencies: Vec<f64> = found.modes.iter().map(Mode::frequency).collect();
    let rigid = found.modes.iter().filter(|m| m.rigid).count();
    let document = json!({
        "mesh": flags.mesh.display().to_string(),
        "vertices": mesh.vertex_count(),
        "cells": mesh.cell_count(),
        "element": element.name(),
        "mass": if flags.lumped { "lumped" } else { "consistent" },
        "fixed_vertices": fixed.len(),
        "rigid": rigid,
        "frequencies": frequencies,
        "angular": found.modes.iter().map(Mode::angular).collect::<Vec<_>>(),
        "residuals": found.modes.iter().map(|m| m.residual).collect::<Vec<_>>(),
        "out": flags.out.as_ref().map(|f| f.display().to_string()),
    });
    context.emit(&document, || table(&found, rigid, flags.out.as_deref()))
}

/// Elements at rest: all laws have the same stiffness there, so the simplest one serves.
fn system(
    mesh: &VolumeMesh,
    partition: &Partition,
    element: ElementName,
    fixed: &[u32],
    flags: &ModesFlags,
) -> Result<(System, State), Failure> {
    // The mean dilatation is a finite-strain method, which linear strain knows nothing of.
    let law = match element {
        ElementName::Hex8Bbar => LawName::StVenantKirchhoff,
        _ => LawName::Linear,
    };
    let constants = Constants::YoungPoisson { young: flags.young, poisson: flags.poisson };
    let parameters = constants.parameters(law)?;
    let density = check_density(flags.density)?;
    let uniform = Parameters::Uniform(&parameters);
    let model = elastic(mesh, partition, element, &Material::new(law), uniform, &|_| true)?;
    let rest = partition.vertices().apply(&mesh.vertices);
    let system = System::new(&rest, vec![(Role::Elastic, model)])?;
    let mass = if flags.lumped {
        Mass::Lumped(element.lumped_mass(mesh, partition, &|_| density)?)
    } else {
        let pattern = system.pattern();
        Mass::Consistent(element.consistent_mass(mesh, partition, &|_| density, pattern)?)
    };
    let mut constraints = Constraints::new();
    let new = partition.vertices().old_to_new();
    let fixed: Vec<u32> = fixed.iter().map(|&v| new[v as usize]).collect();
    constraints.fix(&fixed, &rest)?;
    Ok((system.with_mass(mass)?.with_constraints(constraints)?, State::at_rest(&rest)))
}

/// The vertices of all that is named, ascending: vertex sets, `.bou` files, sides of the box around the mesh.
fn fixed_vertices(mesh: &VolumeMesh, names: &[String]) -> Result<Vec<u32>, Failure> {
    let mut all = Vec::new();
    for name in names {
        let found = if let Some(set) = mesh.vertex_set(name) {
            set.items.clone()
        } else if Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("bou")) {
            listed(mesh, name)?
        } else if let Some(side) = side(mesh, name) {
            side
        } else {
            let sets: Vec<&str> = mesh.vertex_sets.iter().map(|s: &NamedSet| &*s.name).collect();
            let sets = if sets.is_empty() { "none".to_owned() } else { sets.join(", ") };
            return Err(Failure::Input(format!(
                "--fix {name}: no such vertex set (the mesh has: {sets}), .bou file or side (x-min, x-max, y-min, y-max, z-min, z-max)"
            )));
        };
        if found.is_empty() {
            return Err(Failure::Input(format!("--fix {name}: selects no vertex")));
        }
        all.extend(found);
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Vertices of a `.bou` file.
fn listed(mesh: &VolumeMesh, name: &str) -> Result<Vec<u32>, Failure> {
    let list = bou::read(Source::open(Path::new(name))?)?;
    match list.iter().find(|&&v| v as usize >= mesh.vertex_count()) {
        Some(v) => {
            let count = mesh.vertex_count();
            Err(Failure::Input(format!("{name}: vertex {}, but the mesh has {count}", v + 1)))
        }
        None => Ok(list),
    }
}

/// Vertices on a side of the box around the mesh.
fn side(mesh: &VolumeMesh, name: &str) -> Option<Vec<u32>> {
    let (axis, end) = name.split_once('-')?;
    let axis = ["x", "y", "z"].iter().position(|a| *a == axis)?;
    let bounds = bounding_box(mesh);
    let at = match end {
        "min" => bounds.min[axis],
        "max" => bounds.max[axis],
        _ => return None,
    };
    let extent = (0..3).map(|k| bounds.max[k] - bounds.min[k]).fold(0.0, f64::max);
    let on = |x: &Vec3| (x[axis] - at).abs() <= ON_SIDE * extent;
    Some((0..mesh.vertex_count() as u32).filter(|&v| on(&mesh.vertices[v as usize])).collect())
}

/// One `.vtu` a mode with its shape as the vector `shape`, its largest a tenth of the body; and a series of all,
/// the number of the mode as its time.
fn write_shapes(
    folder: &Path,
    mesh: &VolumeMesh,
    partition: &Partition,
    found: &Modes,
    size: f64,
) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::Input(format!("{} cannot be made: {e}", folder.display())))?;
    let mut series = pvd::Series::new(folder.join("modes.pvd"));
    let new = partition.vertices().old_to_new();
    for (k, mode) in found.modes.iter().enumerate() {
        let largest = mode.shape.iter().map(|&v| norm(v)).fold(f64::MIN_POSITIVE, f64::max);
        let shape: Vec<f64> = new
            .iter()
            .flat_map(|&v| mode.shape[v as usize].map(|c| c * DRAWN * size / largest))
            .collect();
        let data =
            vtu::DataArray { name: "shape", components: 3, values: vtu::DataValues::F64(&shape) };
        let name = format!("mode-{:03}.vtu", k + 1);
        let path: PathBuf = folder.join(&name);
        let time = (k + 1) as f64;
        write_file(&path, |sink| {
            vtu::write_with_data(mesh, &[data], &[], Some(time), sink, &vtu::Options::default())
        })?;
        series.push(time, &name)?;
    }
    Ok(())
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

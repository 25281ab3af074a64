//! Modes of a mesh.

use std::path::Path;

use pliant::algebra::vec3::Vec3;
use pliant::dynamics::{Acting, Constraints, Mass, ModeSettings, Role, State, System};
use pliant::forces::{ElementName, Parameters, Partition, solid::elastic};
use pliant::materials::parameters::check_density;
use pliant::materials::{Constants, LawName, Material};
use pliant::mesh::io::{Source, bou, read_volume};
use pliant::mesh::measure::bounding_box;
use pliant::mesh::{NamedSet, VolumeMesh};
use serde_json::json;

use super::{Drawn, Found, MeshFlags};
use crate::context::Context;
use crate::failure::Failure;

/// Vertices this near a side, of the size of the body, are on it.
const ON_SIDE: f64 = 1e-6;

/// Of a mesh of one material.
pub(super) fn find(
    path: &Path,
    flags: &MeshFlags,
    settings: &ModeSettings,
    context: &Context,
) -> Result<Found, Failure> {
    let read = read_volume(path)?;
    context.warn_notes(path, &read.notes);
    let mesh = read.mesh;
    let element = match &flags.element {
        Some(name) => name.parse()?,
        None => ElementName::of(mesh.cell_type),
    };
    let partition = Partition::new(&mesh)?;
    let fixed = fixed_vertices(&mesh, &flags.fix)?;
    let (mut system, state) = system(&mesh, &partition, element, &fixed, flags)?;
    let modes = system.modes(&state, settings)?;
    let about = json!({
        "mesh": path.display().to_string(),
        "vertices": mesh.vertex_count(),
        "cells": mesh.cell_count(),
        "element": element.name(),
        "mass": if flags.lumped { "lumped" } else { "consistent" },
        "fixed_vertices": fixed.len(),
    });
    let numbers = partition.vertices().old_to_new().to_vec();
    let size = system.size();
    Ok(Found { modes, size, bodies: vec![Drawn { name: None, mesh, numbers }], about })
}

/// Elements at rest: all laws have the same stiffness there, so the simplest one serves.
fn system(
    mesh: &VolumeMesh,
    partition: &Partition,
    element: ElementName,
    fixed: &[u32],
    flags: &MeshFlags,
) -> Result<(System, State), Failure> {
    let law = LawName::LINEAR;
    let constants = Constants::YoungPoisson {
        young: flags.young.unwrap_or(1e6),
        poisson: flags.poisson.unwrap_or(0.45),
    };
    let parameters = constants.parameters(law)?;
    let density = check_density(flags.density.unwrap_or(1000.0))?;
    let uniform = Parameters::Uniform(&parameters);
    let model = elastic(mesh, partition, element, &Material::new(law), uniform, &|_| true)?;
    let rest = partition.vertices().apply(&mesh.vertices);
    let system = System::new(&rest, [Acting::new(Role::Elastic, model)])?;
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

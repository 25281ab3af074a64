//! Modes of a mesh.

use std::path::Path;

use pliant::dynamics::ModeSettings;
use pliant::forces::ElementName;
use pliant::materials::Constants;
use pliant::mesh::VolumeMesh;
use pliant::mesh::io::{Source, bou, read_volume};
use pliant::model::{
    Body, BodyBuilder, Elastic, MassKind, ModelError, Select, World, WorldBuilder,
};
use serde_json::json;

use super::{Drawn, Found, MeshFlags};
use crate::context::Context;
use crate::failure::Failure;

/// Of a mesh of one material.
pub(super) fn find(
    path: &Path,
    (flags, mass): (&MeshFlags, MassKind),
    settings: &ModeSettings,
    context: &Context,
) -> Result<Found, Failure> {
    let read = read_volume(path)?;
    context.warn_notes(path, &read.notes);
    let (World { mut bodies, mut system, state, .. }, fixed) = world(read.mesh, flags, mass)?;
    let modes = system.modes(&state, settings)?;
    let Some(Body { mesh, element, partition, .. }) = bodies.pop() else {
        return Err(Failure::Input(format!("{}: there is no body", path.display())));
    };
    let about = json!({
        "mesh": path.display().to_string(),
        "vertices": mesh.vertex_count(),
        "cells": mesh.cell_count(),
        "element": element.name(),
        "mass": mass.name(),
        "fixed_vertices": fixed,
    });
    let numbers = partition.vertices().old_to_new().to_vec();
    let size = system.size();
    Ok(Found { modes, size, bodies: vec![Drawn { name: None, mesh, numbers }], about })
}

/// Elements at rest: all laws have the same stiffness there, so the simplest one serves. Also returns how many
/// vertices are fixed.
fn world(mesh: VolumeMesh, flags: &MeshFlags, mass: MassKind) -> Result<(World, usize), Failure> {
    let element = match &flags.element {
        Some(name) => name.parse()?,
        None => ElementName::of(mesh.cell_type),
    };
    let constants = Constants::YoungPoisson {
        young: flags.young.unwrap_or(1e6),
        poisson: flags.poisson.unwrap_or(0.45),
    };
    let body = BodyBuilder::new("mesh", mesh)
        .element(element)
        .material(Elastic::new("linear", &constants)?)
        .density(flags.density.unwrap_or(1000.0))
        .mass(mass);
    let mut builder = WorldBuilder::new();
    let id = builder.add(body)?;
    let fixed = fixed_vertices(builder.body(id), &flags.fix)?;
    if !fixed.is_empty() {
        builder.fix(id, &fixed)?;
    }
    Ok((builder.build()?, fixed.len()))
}

/// The vertices of all that is named, ascending: vertex sets, `.bou` files, sides of the box around the mesh.
fn fixed_vertices(body: &Body, names: &[String]) -> Result<Vec<u32>, Failure> {
    let mut all = Vec::new();
    for name in names {
        let bou = Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("bou"));
        let listed = if bou && body.mesh.vertex_set(name).is_none() {
            Select::vertices(&listed(&body.mesh, name)?)
        } else {
            Select::named(name)
        };
        let found = body.select(&listed).map_err(|error| match error {
            ModelError::UnknownSet { known, .. } => {
                let sets = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                Failure::Input(format!(
                    "--fix {name}: no such set (the mesh has: {sets}), .bou file or side (x-min, x-max, y-min, y-max, z-min, z-max)"
                ))
            }
            ModelError::Empty { .. } => Failure::Input(format!("--fix {name}: selects no vertex")),
            other => other.into(),
        })?;
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

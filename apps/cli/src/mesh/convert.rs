//! `pliant mesh convert`

use std::path::Path;

use pliant::mesh::io::{Source, SurfaceFormat, bou, write_file};
use pliant::mesh::refine::{Split, hex_to_tets, to_linear, to_quadratic};
use pliant::mesh::{CellType, NamedSet, VolumeMesh, reorder};
use serde_json::json;

use super::load::{self, AnyMesh};
use crate::arguments::{CellChange, Reorder, WriteFlags};
use crate::context::Context;
use crate::failure::Failure;

/// What to change on the way.
pub(super) struct Change {
    pub(super) scale: Option<f64>,
    pub(super) cells: Option<CellChange>,
    pub(super) reorder: Option<Reorder>,
    pub(super) add_set: Vec<String>,
}

pub(super) fn run(
    input: &Path,
    output: &Path,
    write: &WriteFlags,
    change: &Change,
    set: Option<&str>,
    context: &Context,
) -> Result<(), Failure> {
    let (mesh, mut notes) = load::any(input, context)?;
    let to_bou = output.extension().is_some_and(|e| e.eq_ignore_ascii_case("bou"));
    let (vertices, cells) = match mesh {
        AnyMesh::Volume(mesh) => {
            let mesh = changed(mesh, change)?;
            if to_bou {
                write_set(&mesh, set, input, output)?;
            } else if SurfaceFormat::of(output).is_some() {
                let text = format!(
                    "{} is a surface format: 'pliant mesh surface' writes the boundary of a volume mesh",
                    output.display()
                );
                return Err(Failure::Input(text));
            } else {
                notes.extend(load::save_volume(output, &mesh, write, context)?);
            }
            (mesh.vertex_count(), mesh.cell_count())
        }
        AnyMesh::Surface(mut surface) => {
            if change.cells.is_some()
                || change.reorder.is_some()
                || !change.add_set.is_empty()
                || to_bou
            {
                let text = "--cells, --reorder, --add-set and .bou are for volume meshes";
                return Err(Failure::Input(text.into()));
            }
            if let Some(factor) = checked_scale(change.scale)? {
                surface.vertices.as_flattened_mut().iter_mut().for_each(|x| *x *= factor);
            }
            notes.extend(load::save_surface(output, &surface, write, context)?);
            (surface.vertices.len(), surface.triangles.len())
        }
    };
    let result = json!({
        "output": output.display().to_string(),
        "vertices": vertices,
        "cells": cells,
        "notes": load::note_texts(&notes),
    });
    context.emit(&result, || format!("{}: {vertices} vertices, {cells} cells\n", output.display()))
}

fn checked_scale(scale: Option<f64>) -> Result<Option<f64>, Failure> {
    match scale {
        Some(s) if !(s.is_finite() && s > 0.0) => {
            Err(Failure::Input(format!("--scale {s}: use a positive number, such as 0.001")))
        }
        scale => Ok(scale),
    }
}

fn changed(mut mesh: VolumeMesh, change: &Change) -> Result<VolumeMesh, Failure> {
    if let Some(factor) = checked_scale(change.scale)? {
        mesh.vertices.as_flattened_mut().iter_mut().for_each(|x| *x *= factor);
    }
    for addition in &change.add_set {
        let Some((name, file)) = addition.split_once('=') else {
            let text = format!("--add-set {addition}: use NAME=FILE.bou");
            return Err(Failure::Input(text));
        };
        let vertices = bou::read(Source::open(Path::new(file))?)?;
        mesh.vertex_sets.push(NamedSet::new(name, vertices));
        mesh.validate().map_err(|e| e.in_file(file))?;
    }
    mesh = match (change.cells, mesh.cell_type) {
        (None, _)
        | (Some(CellChange::Tet4), CellType::Tet4)
        | (Some(CellChange::Tet10), CellType::Tet10)
        | (Some(CellChange::Hex8), CellType::Hex8)
        | (Some(CellChange::Hex20), CellType::Hex20) => mesh,
        (Some(CellChange::Tet5), _) => hex_to_tets(&mesh, Split::Five)?,
        (Some(CellChange::Tet6), _) => hex_to_tets(&mesh, Split::Six)?,
        (Some(CellChange::Tet10), CellType::Tet4) | (Some(CellChange::Hex20), CellType::Hex8) => {
            to_quadratic(&mesh)?
        }
        (Some(CellChange::Tet4), CellType::Tet10) | (Some(CellChange::Hex8), CellType::Hex20) => {
            to_linear(&mesh)?
        }
        (Some(CellChange::Tet4 | CellChange::Tet10), cells) => {
            let text = format!(
                "the mesh has {cells} cells, and these need tetrahedra: split them first, with --cells tet6"
            );
            return Err(Failure::Input(text));
        }
        (Some(CellChange::Hex8 | CellChange::Hex20), cells) => {
            let text =
                format!("the mesh has {cells} cells: hexahedra cannot be made of tetrahedra");
            return Err(Failure::Input(text));
        }
    };
    if let Some(order) = change.reorder {
        let vertices = match order {
            Reorder::Hilbert => reorder::hilbert_vertices(&mesh),
            Reorder::Rcm => reorder::cuthill_mckee(&mesh),
        };
        let cells = reorder::cells_by_lowest_vertex(&mesh, &vertices);
        mesh = reorder::reordered(&mesh, &vertices, &cells);
    }
    Ok(mesh)
}

fn write_set(
    mesh: &VolumeMesh,
    set: Option<&str>,
    input: &Path,
    output: &Path,
) -> Result<(), Failure> {
    let names: Vec<&str> = mesh.vertex_sets.iter().map(|s| s.name.as_str()).collect();
    let listed = if names.is_empty() { "it has none".into() } else { names.join(", ") };
    let chosen = match set {
        Some(name) => mesh.vertex_set(name).ok_or_else(|| {
            Failure::Input(format!("{}: no vertex set '{name}' ({listed})", input.display()))
        })?,
        None if mesh.vertex_sets.len() == 1 => &mesh.vertex_sets[0],
        None => {
            let text =
                format!("{}: choose a vertex set with --set NAME ({listed})", input.display());
            return Err(Failure::Input(text));
        }
    };
    Ok(write_file(output, |sink| bou::write(&chosen.items, sink))?)
}

//! `pliant bench mesh-read`: each reader on a large mesh, against the time to read the file and split
//! it into numbers, with the peak memory against the arrays that result.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use pliant::mesh::VolumeMesh;
use pliant::mesh::io::{VolumeFormat, WriteOptions, gmsh, read_volume, write_volume};
use serde_json::{Value, json};

use super::memory;
use super::numbers::{Layout, split};
use crate::context::Context;
use crate::failure::Failure;

const REPEATS: usize = 3;

/// Times one file: the best of a few runs.
pub(crate) fn one(file: &Path) -> Result<Value, Failure> {
    let layout = layout_of(file);
    let failed = |e: std::io::Error| Failure::Input(format!("{}: {e}", file.display()));
    // The first read pays for the page cache, for both alike.
    let bytes = std::fs::read(file).map_err(failed)?.len();
    let before = memory::resident();
    let reset = memory::reset_peak();
    let imported = read_volume(file)?;
    let peak = memory::peak();
    let arrays = array_bytes(&imported.mesh);
    let (cells, vertices) = (imported.mesh.cell_count(), imported.mesh.vertex_count());
    drop(imported);
    let mut read = f64::INFINITY;
    let mut baseline = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        std::hint::black_box(split(file, layout).map_err(failed)?);
        baseline = baseline.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        std::hint::black_box(read_volume(file)?);
        read = read.min(start.elapsed().as_secs_f64());
    }
    let memory = before.zip(peak).filter(|_| reset).map(|(b, p)| p.saturating_sub(b));
    Ok(json!({
        "file": file.file_name().map(|n| n.to_string_lossy().into_owned()),
        "file_mb": bytes as f64 * 1e-6,
        "cells": cells,
        "vertices": vertices,
        "read_ms": read * 1e3,
        "split_numbers_ms": baseline * 1e3,
        "time_ratio": read / baseline,
        "array_mb": arrays as f64 * 1e-6,
        "peak_mb": memory.map(|m| m as f64 * 1e-6),
        "memory_ratio": memory.map(|m| m as f64 / arrays as f64),
    }))
}

/// Writes a box of about `cells` tetrahedra in every format and times each file in a process of its
/// own, so that one reader's memory does not hide another's.
pub(crate) fn all(cells: usize, context: &Context) -> Result<Value, Failure> {
    let folder = std::env::temp_dir().join(format!("pliant-bench-{}", std::process::id()));
    let failed = |e: std::io::Error| Failure::Input(format!("{}: {e}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let rows = write_and_time(cells, &folder, context);
    std::fs::remove_dir_all(&folder).map_err(failed)?;
    Ok(json!({ "machine": super::machine::Limits::measure().json(), "rows": rows? }))
}

fn write_and_time(cells: usize, folder: &Path, context: &Context) -> Result<Vec<Value>, Failure> {
    let mesh = large_mesh(cells)?;
    let this = std::env::current_exe().map_err(|e| Failure::Input(format!("own program: {e}")))?;
    let mut rows = Vec::new();
    for (name, options) in variants() {
        if context.interrupted() {
            return Err(Failure::Interrupted("stopped between two formats".into()));
        }
        let path = folder.join(name);
        write_volume(&path, &mesh, &options)?;
        let output = Command::new(&this)
            .args(["--json", "--quiet", "bench", "mesh-read", "--file"])
            .arg(&path)
            .output()
            .map_err(|e| Failure::Input(format!("own program: {e}")))?;
        let row = serde_json::from_slice(&output.stdout)
            .map_err(|e| Failure::Input(format!("{name}: no result ({e})")))?;
        rows.push(row);
    }
    Ok(rows)
}

fn variants() -> Vec<(&'static str, WriteOptions)> {
    let binary = WriteOptions::default();
    let ascii = WriteOptions { ascii: true, ..binary };
    let v22 = gmsh::Version::V22;
    vec![
        ("a.veg", ascii),
        ("msh41-ascii.msh", ascii),
        ("msh41-binary.msh", binary),
        ("msh22-ascii.msh", WriteOptions { gmsh_version: v22, ..ascii }),
        ("msh22-binary.msh", WriteOptions { gmsh_version: v22, ..binary }),
        ("ascii.vtu", ascii),
        ("base64.vtu", WriteOptions { compress: false, ..binary }),
        ("zlib.vtu", binary),
        ("ascii.vtk", ascii),
        ("binary.vtk", binary),
        ("a.mesh", ascii),
        ("a.ele", ascii),
    ]
}

fn layout_of(file: &Path) -> Layout {
    let head = head_of(file);
    let has = |text: &str| head.windows(text.len()).any(|w| w == text.as_bytes());
    match VolumeFormat::of(file) {
        Some(VolumeFormat::Gmsh) if has("2.2 1 8") || has("4.1 1 8") => Layout::Words,
        Some(VolumeFormat::Vtk) if has("BINARY") => Layout::Words,
        Some(VolumeFormat::Vtu) if has("vtkZLibDataCompressor") => Layout::Zlib,
        Some(VolumeFormat::Vtu) if has("format=\"binary\"") => Layout::Base64,
        _ => Layout::Text,
    }
}

fn head_of(file: &Path) -> Vec<u8> {
    use std::io::Read as _;
    let mut head = Vec::new();
    if let Ok(file) = std::fs::File::open(file) {
        // What cannot be read here is reported when the mesh is read.
        let _ = file.take(4096).read_to_end(&mut head);
    }
    head
}

fn array_bytes(mesh: &VolumeMesh) -> usize {
    mesh.vertices.len() * 24 + (mesh.cells.len() + mesh.cell_region.len()) * 4
}

fn large_mesh(cells: usize) -> Result<VolumeMesh, Failure> {
    let side = ((cells as f64 / 6.0).cbrt().round() as usize).max(1);
    Ok(crate::mesh::make::plain_box([1.0, 0.7, 0.9], [side; 3])?)
}

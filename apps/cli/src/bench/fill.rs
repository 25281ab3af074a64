//! `pliant bench fill`: a closed surface of about 70,000 triangles filled with about 100,000
//! tetrahedra.

use std::time::Instant;

use pliant::mesh::fill::{FillOptions, fill};
use pliant::mesh::generate::surface_torus;
use serde_json::{Value, json};

use super::machine::Limits;
use crate::context::Context;
use crate::failure::Failure;

/// Gives about 100,000 tetrahedra in the torus below.
const SIZE: f64 = 0.055;

pub(crate) fn run(size: Option<f64>, context: &Context) -> Result<Value, Failure> {
    let surface = surface_torus(0.7, 0.3, 264, 133)?;
    let size = size.unwrap_or(SIZE);
    let mut seconds = f64::INFINITY;
    let mut filled = None;
    for _ in 0..3 {
        let start = Instant::now();
        let options = FillOptions { size, ..FillOptions::default() };
        filled = Some(fill(&surface, &options, &|_| !context.interrupted())?);
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let report = filled.as_ref().map(|f| &f.report);
    Ok(json!({
        "triangles": surface.triangles.len(),
        "cells": filled.as_ref().map(|f| f.mesh.cell_count()),
        "vertices": filled.as_ref().map(|f| f.mesh.vertex_count()),
        "size": size,
        "seconds": seconds,
        "volume_error": report.map(|r| r.volume_error),
        "min_dihedral": report.map(|r| r.min_dihedral),
        "max_dihedral": report.map(|r| r.max_dihedral),
        "machine": Limits::measure().json(),
    }))
}

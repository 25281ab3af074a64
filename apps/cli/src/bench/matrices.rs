//! `pliant bench matrices`: the stiffness of one body, assembled and exported as compressed rows in the numbering of
//! its mesh.

use std::path::Path;

use pliant::algebra::sparse::Csr;
use pliant::dynamics::Weights;
use serde_json::{Value, json};

use super::assembly::best;
use super::body::Body;
use crate::arguments::MaterialFlags;
use crate::context::Context;
use crate::failure::Failure;

pub(crate) fn run(
    file: &Path,
    flags: &MaterialFlags,
    element: Option<&str>,
    context: &Context,
) -> Result<Value, Failure> {
    let mut body = Body::new(file, flags, element, context)?;
    body.world.state.x = body.twisted();
    let numbering = body.world.numbering();
    let mut matrix = body.matrix();
    let weights = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
    let assembly_ms = best(context, || {
        let at = body.world.state.configuration();
        body.world.system.tangent(&at, weights, false, &mut matrix)
    })?;
    let mut csr = numbering.csr(&matrix)?;
    let csr_ms = best(context, || {
        // Freed first: the time is that of a fresh export, memory included.
        csr = Csr::default();
        csr = numbering.csr(&matrix)?;
        Ok::<(), Failure>(())
    })?;
    let blocks = body.pattern().blocks();
    Ok(json!({
        "mesh": file.display().to_string(),
        "cells": body.mesh.cell_count(),
        "vertices": body.mesh.vertex_count(),
        "blocks": blocks,
        "entries": csr.entries(),
        "assembly_ms": assembly_ms,
        "csr_ms": csr_ms,
        "csr_ms_per_million_blocks": csr_ms * 1e6 / blocks as f64,
        "threads": rayon::current_num_threads(),
    }))
}

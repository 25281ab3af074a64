//! `pliant bench assembly`: energy, force and stiffness of one body, beside the limits of the machine.

use std::path::Path;
use std::time::Instant;

use pliant::algebra::mat3::Mat3;
use pliant::algebra::sparse::Product;
use pliant::forces::{Ask, Configuration, Memory, StepStart, Tried, Workspace};
use serde_json::{Value, json};

use super::body::Body;
use super::machine::Limits;
use super::memory;
use crate::arguments::MaterialFlags;
use crate::context::Context;
use crate::failure::Failure;

/// Length of the step that materials which remember are asked in, s.
const STEP: f64 = 0.01;
/// Data beyond this do not stay in the caches.
const IN_CACHE: f64 = 24e6;

pub(crate) fn run(
    file: &Path,
    flags: &MaterialFlags,
    element: Option<&str>,
    project: bool,
    context: &Context,
) -> Result<Value, Failure> {
    let counted = memory::reset_peak();
    let start = Instant::now();
    let body = Body::new(file, flags, element, context)?;
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let build_bytes = if counted { memory::peak() } else { None };

    let x = body.twisted();
    let n = body.mesh.vertex_count();
    let v = vec![[0.0; 3]; n];
    let rest = body.rest();
    let begun = StepStart { x: &rest, v: &v, time: 0.0, step: STEP };
    let mut matrix = body.matrix();
    let mut gradient = vec![[0.0; 3]; n];
    let model = body.model()?;
    let mut work = Workspace::new();
    // As in the first step of a run.
    let mut memories = Vec::new();
    if !model.character().memory.is_none() {
        let mut memory = Memory::default();
        model.start_memory(&Configuration::new(&rest, &v, 0.0), &mut memory)?;
        memories.push(memory);
    }
    let state =
        Configuration { start: Some(begun), memory: &memories, ..Configuration::new(&x, &v, STEP) };

    let energy_ms = if model.character().has_energy() {
        let mut energy = 0.0;
        Some(best(context, || {
            let mut ask = Ask { energy: Some(&mut energy), ..Ask::default() };
            model.evaluate(&state, &mut ask, &mut work)
        })?)
    } else {
        None
    };
    let force_ms = best(context, || {
        gradient.fill([0.0; 3]);
        let mut ask = Ask { gradient: Some(&mut gradient), ..Ask::default() };
        model.evaluate(&state, &mut ask, &mut work)
    })?;
    let stiffness_ms = best(context, || {
        matrix.clear();
        let tangent = Some(&mut matrix.values[..]);
        let mut ask = Ask { tangent, position_weight: 1.0, project, ..Ask::default() };
        model.evaluate(&state, &mut ask, &mut work)
    })?;
    let force_and_stiffness_ms = best(context, || {
        matrix.clear();
        gradient.fill([0.0; 3]);
        let mut ask = Ask {
            gradient: Some(&mut gradient),
            tangent: Some(&mut matrix.values),
            position_weight: 1.0,
            project,
            ..Ask::default()
        };
        model.evaluate(&state, &mut ask, &mut work)
    })?;
    let mut tried = memories.first().cloned();
    let commit_ms = match &mut tried {
        None => None,
        Some(Memory { numbers, keyed }) => {
            let mut dissipated = 0.0;
            Some(best(context, || {
                let memory = Some(Tried { numbers, keyed });
                let mut ask = Ask { memory, dissipated: Some(&mut dissipated), ..Ask::default() };
                model.evaluate(&state, &mut ask, &mut work)
            })?)
        }
    };
    let mut product = Product::new(body.pattern());
    let mut y = vec![[0.0; 3]; n];
    let spmv_ms = best(context, || {
        product.apply(&matrix.values, &x, &mut y);
        Ok::<(), Failure>(())
    })?;

    let cost = Cost::of(&body, project);
    let limits = Limits::measure();
    let bandwidth = |bytes: f64| {
        if bytes > IN_CACHE { limits.bandwidth_gbs } else { limits.cache_bandwidth_gbs }
    };
    let spmv_bytes = body.pattern().blocks() as f64 * 76.0 + n as f64 * 52.0;
    let bound = (cost.bytes / bandwidth(cost.bytes)).max(cost.flops / limits.peak_gflops) * 1e-6;
    let cells = body.mesh.cell_count();
    let per_cell = |ms: f64| ms * 1e6 / cells as f64;
    Ok(json!({
        "mesh": file.display().to_string(),
        "material": flags.material,
        "element": if body.has_springs() { "springs" } else { body.element.name() },
        "invertible": flags.invertible,
        "project": project,
        "memory": flags.memory,
        "cells": cells,
        "vertices": n,
        "blocks": body.pattern().blocks(),
        "build_ms": build_ms,
        "build_peak_bytes": build_bytes,
        "energy_ms": energy_ms,
        "force_ms": force_ms,
        "stiffness_ms": stiffness_ms,
        "force_and_stiffness_ms": force_and_stiffness_ms,
        "commit_ms": commit_ms,
        "spmv_ms": spmv_ms,
        "ns_per_cell": {
            "energy": energy_ms.map(per_cell),
            "force": per_cell(force_ms),
            "stiffness": per_cell(stiffness_ms),
            "force_and_stiffness": per_cell(force_and_stiffness_ms),
        },
        "bytes_moved": cost.bytes,
        "flops": cost.flops,
        "roofline_fraction": bound / force_and_stiffness_ms,
        "spmv_gbs": spmv_bytes / spmv_ms * 1e-6,
        "spmv_bandwidth_fraction": spmv_bytes / spmv_ms * 1e-6 / bandwidth(spmv_bytes),
        "machine": limits.json(),
    }))
}

/// What force and stiffness together must do at least.
struct Cost {
    /// Each array once: element data, positions, and gradient and matrix both read and written.
    bytes: f64,
    flops: f64,
}

impl Cost {
    fn of(body: &Body, project: bool) -> Self {
        let (n, cells) = (body.mesh.vertex_count() as f64, body.mesh.cell_count() as f64);
        let blocks = body.pattern().blocks() as f64;
        let system = n * 72.0 + blocks * 144.0;
        let Some((law, parameters)) = body.law() else {
            // For each spring: length, direction, force and a block, twice added.
            let springs = blocks - n;
            return Self { bytes: system + springs * 24.0, flops: springs * 60.0 };
        };
        let sample = Mat3([[1.1, 0.0, 0.0], [0.1, 0.8, -0.6], [-0.2, 0.6, 0.8]]);
        let law = law.operations(parameters, &sample, project);
        let nodes = body.mesh.cell_type.nodes() as f64;
        let points = body.element.points() as f64;
        let inner = nodes - 1.0;
        let pairs = inner * nodes / 2.0;
        // F, its determinant, and the forces; gradients; then blocks, sums for node 0 and scattering.
        let point = 3.0 * 45.0
            + 36.0 * inner
            + law.tangent as f64
            + inner * (18.0 + law.node as f64)
            + pairs * (law.block as f64 + 9.0);
        let element = points * point + 9.0 * inner * nodes + 9.0 * nodes * (nodes + 1.0) / 2.0;
        let data = points * 80.0 + nodes * 4.0 + nodes * (nodes + 1.0) / 2.0 * 4.0;
        Self { bytes: system + cells * data, flops: cells * element }
    }
}

/// Milliseconds of the best of many runs, for about a second.
pub(super) fn best<E: Into<Failure>>(
    context: &Context,
    mut work: impl FnMut() -> Result<(), E>,
) -> Result<f64, Failure> {
    work().map_err(Into::into)?;
    let mut best = f64::INFINITY;
    let start = Instant::now();
    let mut runs = 0;
    while runs < 5 || (start.elapsed().as_secs_f64() < 1.0 && !context.interrupted()) {
        let begin = Instant::now();
        work().map_err(Into::into)?;
        best = best.min(begin.elapsed().as_secs_f64());
        runs += 1;
    }
    Ok(best * 1e3)
}

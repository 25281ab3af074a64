//! `pliant bench solve`: one linear system with one solver.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use pliant::solvers::iterative::PreconditionerName;
use pliant::solvers::ordering::OrderingName;
use pliant::solvers::{BlockSolver, Choice, SolverError};
use serde_json::{Value, json};

use super::machine::Limits;
use super::memory;
use super::system::System;
use crate::context::Context;
use crate::failure::Failure;

/// Best times of several runs, ms.
pub(crate) struct Times {
    pub(crate) analyze: f64,
    /// Of the first matrix after an analysis.
    pub(crate) first_factor: f64,
    /// Of further matrices with the same pattern.
    pub(crate) factor: f64,
    pub(crate) solve: f64,
}

pub(crate) fn run(
    system: &System,
    choice: Choice,
    save: Option<&Path>,
    machine: bool,
    context: &Context,
) -> Result<Value, Failure> {
    if let Some(path) = save {
        save_matrix(system, path)?;
    }
    let mut solver = choice.build()?;
    let counted = memory::reset_peak();
    let mut x = vec![[0.0; 3]; system.b.len()];
    let (times, report) = time(&mut *solver, system, &mut x, context)?;
    let peak = if counted { memory::peak() } else { None };
    Ok(json!({
        "solver": solver.name(),
        "preconditioner": choice.preconditioner.map(PreconditionerName::name),
        "ordering": choice.ordering.map(OrderingName::name),
        "note": solver.note(),
        "cells": system.cells,
        "vertices": system.matrix.rows(),
        "fixed_vertices": system.fixed,
        "blocks": system.matrix.pattern().blocks(),
        "analyze_ms": times.analyze,
        "first_factor_ms": times.first_factor,
        "factor_ms": times.factor,
        "solve_ms": times.solve,
        "iterations": report.iterations,
        "relative_residual": report.relative_residual,
        "reason": format!("{:?}", report.reason),
        "factor_nonzeros": solver.factor_nonzeros(),
        "solver_bytes": solver.memory(),
        "peak_bytes": peak,
        "machine": machine.then(|| Limits::measure().json()),
    }))
}

/// Analyses, factors and solves: the first run warms up, the best of the others counts.
pub(crate) fn time(
    solver: &mut dyn BlockSolver,
    system: &System,
    x: &mut [[f64; 3]],
    context: &Context,
) -> Result<(Times, pliant::solvers::Report), SolverError> {
    let never = f64::INFINITY;
    let mut times = Times { analyze: never, first_factor: never, factor: never, solve: never };
    let start = Instant::now();
    let mut runs = 0;
    loop {
        // Analysis is repeated once; factorisations after the first reuse its memory.
        let first = runs < 2;
        if first {
            let begin = Instant::now();
            solver.analyze(system.matrix.pattern(), &system.layout())?;
            times.analyze = times.analyze.min(ms(begin));
        }
        let begin = Instant::now();
        solver.factor(&system.matrix)?;
        let factor = if first { &mut times.first_factor } else { &mut times.factor };
        *factor = factor.min(ms(begin));
        x.fill([0.0; 3]);
        let begin = Instant::now();
        let report = solver.solve(&system.matrix, &system.b, x)?;
        times.solve = times.solve.min(ms(begin));
        runs += 1;
        if runs >= 3 && (start.elapsed().as_secs_f64() > 2.0 || runs >= 20) || context.interrupted()
        {
            return Ok((times, report));
        }
    }
}

fn ms(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1e3
}

fn save_matrix(system: &System, path: &Path) -> Result<(), Failure> {
    let write = || -> std::io::Result<()> {
        let mut sink = BufWriter::new(File::create(path)?);
        system.matrix.write_matrix_market(&mut sink)?;
        sink.flush()
    };
    write().map_err(|e| Failure::Input(format!("{} cannot be written: {e}", path.display())))
}

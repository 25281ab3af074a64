//! `pliant bench tables virtis`: direct and iterative solvers on a sphere, a body of a liver's size and a cube.

use pliant::mesh::VolumeMesh;
use pliant::mesh::generate::{BoxShape, Sphere};
use pliant::solvers::iterative::{PreconditionerName, Settings};
use pliant::solvers::ordering::{OrderingName, order};
use pliant::solvers::{Choice, Report, SolverError, SolverName};
use serde_json::{Value, json};

use super::counts::Counts;
use super::interrupted;
use super::virtis_paper::{CELLS, NONZEROS, TABLE_3_3, TABLE_3_4, TABLE_3_5, UNKNOWNS};
use crate::arguments::MaterialFlags;
use crate::bench::body::Body;
use crate::bench::solve::{Times, time};
use crate::bench::system::System;
use crate::context::Context;
use crate::failure::Failure;

/// Amount of shear of the bodies.
const SHEAR: f64 = 0.2;
/// Where the iterations of table 3.4 stop.
const TOLERANCE: f64 = 1e-6;
/// Where those of table 3.5 do.
const TOLERANCES: [f64; 4] = [1e-4, 1e-5, 1e-6, 1e-7];

pub(super) fn run(
    largest: usize,
    material: &MaterialFlags,
    step: f64,
    context: &Context,
) -> Result<Value, Failure> {
    let mut problems = Vec::new();
    let progress = context.progress("bodies");
    for (k, (name, body, mesh)) in bodies()?.into_iter().enumerate() {
        if 3 * mesh.vertex_count() > largest {
            break;
        }
        let solid = Body::of(mesh, material, None)?;
        let x = sheared(&solid);
        let system = System::of(&solid, &x, step)?;
        let pattern = system.matrix.pattern();
        let entries = 9 * (2 * pattern.blocks() - pattern.rows());
        problems.push(json!({
            "problem": name,
            "body": body,
            "unknowns": 3 * pattern.rows(),
            "paper_unknowns": UNKNOWNS[k],
            "cells": system.cells,
            "paper_cells": CELLS[k],
            "nonzeros": entries,
            "paper_nonzeros": NONZEROS[k],
            "table_3_3": factors(&system, k)?,
            "table_3_4": preconditioners(&system, k, context)?,
            "table_3_5": times(&system, k, context)?,
        }));
        progress.set_position([20, 100, 1000][k]);
        if context.interrupted() {
            return Err(interrupted());
        }
    }
    progress.finish_and_clear();
    if problems.is_empty() {
        return Err(Failure::Input(format!(
            "--largest {largest}: the smallest body has 237 unknowns"
        )));
    }
    Ok(json!({
        "source": "Hauth, Visual Simulation of Deformable Models (2004), tables 3.3, 3.4 and 3.5",
        "material": material.material,
        "young": material.young,
        "poisson": material.poisson,
        "step": step,
        "shear": SHEAR,
        "problems": problems,
    }))
}

/// The bodies: name, what it is, mesh. The generator's sphere that is nearest to his 70 nodes and 175 cells, a slab
/// of about the nodes and cells of his liver, and his cube.
fn bodies() -> Result<[(&'static str, &'static str, VolumeMesh); 3], Failure> {
    let sphere = Sphere { core: 2, rings: 2, ..Sphere::default() }.generate()?;
    let slab = BoxShape { size: [0.18, 0.12, 0.03], cells: [18, 12, 2], ..BoxShape::default() };
    let cube = BoxShape { size: [1.0; 3], cells: [16; 3], ..BoxShape::default() };
    Ok([
        ("sphere", "sphere, core 2, rings 2", sphere),
        ("liver", "slab of 18 x 12 x 2 cells, tet6", slab.generate()?),
        ("cube", "cube of 16 x 16 x 16 cells, tet6", cube.generate()?),
    ])
}

/// His cube is sheared; how the others are deformed he does not say.
fn sheared(body: &Body) -> Vec<[f64; 3]> {
    body.rest().iter().map(|p| [p[0] + SHEAR * p[1], p[1], p[2]]).collect()
}

/// Table 3.3: entries and operations of direct solvers.
fn factors(system: &System, k: usize) -> Result<Vec<Value>, Failure> {
    let pattern = system.matrix.pattern();
    let unknowns = 3 * pattern.rows() as u64;
    let mut counts = Vec::new();
    for name in OrderingName::ALL {
        let order = order(name, pattern, &system.layout())?;
        counts.push((name, Counts::new(pattern, &order)?));
    }
    let of = |wanted: OrderingName| counts.iter().find(|(name, _)| *name == wanted).copied();
    let best = || counts.iter().copied().min_by_key(|(_, c)| c.entries);
    let rows = TABLE_3_3.iter().filter_map(|paper| {
        // L + U of a symmetric matrix costs twice the operations of L Lᵀ.
        let (found, operations) = match paper.method {
            "direct lu" => (of(OrderingName::Natural), 2.0),
            "lu/SYMMMD" => (of(OrderingName::Amd), 2.0),
            "chol/SYMAMD" => (of(OrderingName::Amd), 1.0),
            "lu/best P" => (best(), 2.0),
            _ => (of(OrderingName::Metis), 2.0),
        };
        let (name, counts) = found?;
        let what = if operations > 1.0 { "L U" } else { "L Lᵀ" };
        Some(json!({
            "paper_method": paper.method,
            "ours": format!("{what}, {name}"),
            "nonzeros": 2 * counts.entries - unknowns,
            "paper_nonzeros": paper.nonzeros[k],
            "flops": operations * counts.flops,
            "paper_flops": 1e6 * paper.megaflops[k],
        }))
    });
    Ok(rows.collect())
}

fn solve(
    system: &System,
    choice: Choice,
    context: &Context,
) -> Result<(Times, Report), SolverError> {
    let mut x = vec![[0.0; 3]; system.b.len()];
    time(&mut *choice.build()?, system, &mut x, context)
}

/// Table 3.4: iterations, set-up and solve of CG by preconditioners.
fn preconditioners(system: &System, k: usize, context: &Context) -> Result<Vec<Value>, Failure> {
    let names = [
        PreconditionerName::Diagonal,
        PreconditionerName::BlockDiagonal,
        PreconditionerName::Ic0,
        PreconditionerName::Ict,
        PreconditionerName::Ssor,
        PreconditionerName::Eisenstat,
    ];
    let mut diagonal = None;
    TABLE_3_4
        .iter()
        .zip(names)
        .map(|(paper, name)| {
            let (times, report) = solve(system, cg(name, TOLERANCE), context)?;
            let total = times.factor + times.solve;
            let reference = *diagonal.get_or_insert(total);
            let [setup, iterations] = paper.megaflops[k];
            let paper_diagonal: f64 = TABLE_3_4[0].megaflops[k].iter().sum();
            Ok(json!({
                "paper_method": paper.method,
                "ours": format!("cg, {}", name.name()),
                "iterations": report.iterations,
                "paper_iterations": paper.iterations[k],
                "analyze_ms": times.analyze,
                "setup_ms": times.factor,
                "solve_ms": times.solve,
                "paper_setup_flops": 1e6 * setup,
                "paper_solve_flops": 1e6 * iterations,
                "total_ratio": total / reference,
                "paper_total_ratio": (setup + iterations) / paper_diagonal,
            }))
        })
        .collect()
}

fn cg(name: PreconditionerName, tolerance: f64) -> Choice {
    let settings = Settings { tolerance, ..Settings::default() };
    Choice { solver: SolverName::Cg, preconditioner: Some(name), settings, ..Choice::default() }
}

/// Table 3.5: times of direct and iterative solvers.
fn times(system: &System, k: usize, context: &Context) -> Result<Vec<Value>, Failure> {
    let direct = |solver, ordering| {
        let choice = Choice { solver, ordering: Some(ordering), ..Choice::default() };
        (format!("{}, {ordering}", solver.name()), vec![choice])
    };
    let iterative = |name: PreconditionerName| {
        (format!("cg, {}", name.name()), TOLERANCES.map(|t| cg(name, t)).to_vec())
    };
    TABLE_3_5
        .iter()
        .map(|paper| {
            let (ours, choices) = match paper.method {
                "UMFPACK" => direct(SolverName::Lu, OrderingName::Amd),
                "SuperLU" => direct(SolverName::Cholesky, OrderingName::Amd),
                "SuperLU_MT" => direct(SolverName::Cholesky, OrderingName::Metis),
                "cg/blockDiag" => iterative(PreconditionerName::BlockDiagonal),
                _ => iterative(PreconditionerName::Eisenstat),
            };
            let mut all = Vec::new();
            for &choice in &choices {
                all.push(solve(system, choice, context)?);
            }
            let mean = |of: fn(&Times) -> f64| {
                all.iter().map(|(times, _)| of(times)).sum::<f64>() / all.len() as f64
            };
            let iterations: Vec<usize> = all.iter().map(|(_, report)| report.iterations).collect();
            let [setup, solve] = paper.ms[k];
            Ok(json!({
                "paper_method": paper.method,
                "ours": ours,
                "analyze_ms": mean(|t| t.analyze),
                "setup_ms": mean(|t| t.factor),
                "solve_ms": mean(|t| t.solve),
                "paper_setup_ms": setup,
                "paper_solve_ms": solve,
                "iterations": paper.iterations.map(|_| iterations),
                "paper_iterations": paper.iterations.map(|i| i[k]),
            }))
        })
        .collect()
}

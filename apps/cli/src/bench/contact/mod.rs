//! `pliant bench contact`: whole steps of bodies that touch, as `pliant run` and `pliant view` take them.

mod scenes;
mod table;

use std::time::Instant;

use pliant::scene::run::{Progress, run as run_scene};
use pliant::scene::{Scene, Simulation};
use serde_json::{Value, json};

use crate::arguments::ContactBenchFlags;
use crate::context::{Context, STACK};
use crate::failure::Failure;

const BARRIER: &str = "mode = \"barrier\"\nfriction = 0.4";
/// Steps of the bar that touches nothing, in each of so many rounds.
const IDLE: (u64, usize) = (40, 5);

/// All parts, or those that are asked for.
pub(crate) fn run(flags: &ContactBenchFlags, context: &Context) -> Result<Value, Failure> {
    let asked = |name: &str| flags.only.is_empty() || flags.only.iter().any(|n| n == name);
    let mut result = json!({"threads": rayon::current_num_threads()});
    if asked("idle") {
        result["idle"] = idle(flags.cells, context)?;
    }
    if asked("piles") {
        result["piles"] = piles(context)?;
    }
    if asked("page") {
        result["page"] = page(context)?;
    }
    if asked("growth") {
        result["growth"] = growth(flags.triangles, context)?;
    }
    if asked("table") {
        result["table"] = table::run(context)?;
    }
    Ok(result)
}

fn parse(text: &str) -> Result<Scene, Failure> {
    Ok(Scene::parse(text, "bench.toml".as_ref())?)
}

/// Does something on so many threads.
fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = pool.map_err(|e| Failure::Input(format!("cannot start {threads} threads: {e}")))?;
    Ok(pool.install(work))
}

/// Runs a scene to its end, without output, and tells where its time went.
fn whole(text: &str, context: &Context) -> Result<Value, Failure> {
    let scene = parse(text)?;
    let mut simulation = Simulation::build(&scene)?;
    let mut times = Vec::new();
    let mut clock = Instant::now();
    let mut watch = |_: &Progress| {
        times.push(clock.elapsed().as_secs_f64());
        clock = Instant::now();
        !context.interrupted()
    };
    let outcome = run_scene(&scene, &mut simulation, None, &mut watch)?;
    if let Some(error) = outcome.failure {
        return Err(error.into());
    }
    let summary = outcome.summary;
    let counters = simulation.counters();
    let total: f64 = times.iter().sum();
    times.sort_by(f64::total_cmp);
    let steps = times.len().max(1) as f64;
    let per_step = |count: u64| count as f64 / steps;
    let contact = summary.contact;
    let phases = summary.phases.map(|p| {
        let part = |seconds: f64| 1e3 * seconds / steps;
        json!({
            "residuals_ms": part(p.residuals),
            "jacobians_ms": part(p.jacobians),
            "factorizations_ms": part(p.factorizations),
            "linear_solves_ms": part(p.linear_solves),
            "rest_ms": part(p.rest_of_steps),
        })
    });
    Ok(json!({
        "threads": rayon::current_num_threads(),
        "cells": summary.cells,
        "vertices": summary.vertices,
        "steps": times.len(),
        "steps_in_contact": contact.map(|c| c.steps),
        "most_pairs": contact.map(|c| c.most_pairs),
        "step_ms": 1e3 * total / steps,
        "median_ms": times.get(times.len() / 2).map(|t| 1e3 * t),
        "slowest_ms": times.last().map(|t| 1e3 * t),
        "real_time_factor": summary.simulated_seconds / total,
        "newton_iterations": per_step(summary.newton_iterations),
        "linear_iterations": per_step(summary.linear_iterations),
        "force_evaluations": per_step(summary.force_evaluations),
        "jacobians": per_step(summary.factorizations),
        "patterns": counters.patterns,
        "phases": phases,
        "solver": summary.solver.map(|s| s.text()),
    }))
}

/// The same on one thread and on all.
fn both(name: &str, text: &str, context: &Context) -> Result<Value, Failure> {
    let all = rayon::current_num_threads();
    let mut rows = Vec::new();
    for threads in [1, all].into_iter().take(if all > 1 { 2 } else { 1 }) {
        let mut row = on(threads, || whole(text, context))??;
        row["scene"] = json!(name);
        context.tell(&line(&row));
        rows.push(row);
    }
    let ms = |row: &Value| row["step_ms"].as_f64().unwrap_or_default();
    let gain = rows.get(1).map(|second| ms(&rows[0]) / ms(second));
    Ok(json!({"scene": name, "rows": rows, "second_core": gain}))
}

/// A row as people read it.
fn line(row: &Value) -> String {
    let number = |key: &str| row[key].as_f64().unwrap_or_default();
    format!(
        "{} on {}: {:.2} ms a step, {:.2} times real time, {:.1} Newton and {:.1} linear iterations, {} patterns",
        row["scene"].as_str().unwrap_or_default(),
        row["threads"],
        number("step_ms"),
        number("real_time_factor"),
        number("newton_iterations"),
        number("linear_iterations"),
        row["patterns"],
    )
}

/// What contact costs where nothing touches: steps of a bar that swings, without contact and with each mode, in turns.
fn idle(cells: usize, context: &Context) -> Result<Value, Failure> {
    let modes = [("none", ""), ("barrier", BARRIER), ("soft", "mode = \"soft\"")];
    let mut simulations = Vec::new();
    for (_, contact) in modes {
        let mut simulation = Simulation::build(&parse(&scenes::bar(cells, contact))?)?;
        // What is made once is not counted.
        for _ in 0..5 {
            simulation.step()?;
        }
        simulations.push(simulation);
    }
    let mut times = vec![Vec::new(); modes.len()];
    for _ in 0..IDLE.1 {
        for (simulation, times) in simulations.iter_mut().zip(&mut times) {
            if context.interrupted() {
                break;
            }
            let clock = Instant::now();
            for _ in 0..IDLE.0 {
                simulation.step()?;
            }
            times.push(1e3 * clock.elapsed().as_secs_f64() / IDLE.0 as f64);
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let medians: Vec<f64> = times.iter_mut().map(median).collect();
    let rows: Vec<Value> = modes
        .iter()
        .zip(&medians)
        .map(|((name, _), ms)| json!({"mode": name, "step_ms": ms, "more": ms / medians[0] - 1.0}))
        .collect();
    Ok(
        json!({"cells": simulations[0].cells(), "vertices": simulations[0].vertices(), "rows": rows}),
    )
}

/// Blocks on each other, with the barrier.
fn piles(context: &Context) -> Result<Value, Failure> {
    let rows = [
        ("stack of three", scenes::pile(1, 3, 3, 1.5, BARRIER)),
        ("five cubes", scenes::five_cubes(BARRIER)),
        ("slope", scenes::slope()),
        ("pile of 18", scenes::pile(3, 2, 3, 0.6, BARRIER)),
        ("slider", scenes::slider(6, BARRIER)),
    ];
    let rows = rows.iter().map(|(name, text)| both(name, text, context));
    Ok(Value::Array(rows.collect::<Result<_, _>>()?))
}

/// Two bodies of about 5,000 tetrahedra each in soft contact, as the page steps them.
fn page(context: &Context) -> Result<Value, Failure> {
    let mut rows = Vec::new();
    for cells in [2_500, 5_000] {
        let file = super::view::SceneFile::of(&scenes::two(cells, "mode = \"soft\""))?;
        rows.push(super::view::steps_of(&file.origin(), context)?);
    }
    Ok(Value::Array(rows))
}

/// How time grows with the triangles of all surfaces together: n, and log(t/t′)/log(n/n′) from one size to the next.
fn growth(most: usize, context: &Context) -> Result<Value, Failure> {
    let mut rows: Vec<Value> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for size in [1_000, 4_000, 16_000, 50_000, 100_000].into_iter().filter(|&size| size <= most) {
        let mut row = both(&format!("{size} triangles"), &scenes::slabs(size), context)?;
        let last = row["rows"].as_array().and_then(|rows| rows.last());
        let time = last.and_then(|row| row["step_ms"].as_f64()).unwrap_or(f64::NAN);
        row["triangles"] = json!(size);
        if let Some((n, t)) = before {
            row["exponent"] = json!((time / t).ln() / (size as f64 / n).ln());
        }
        before = Some((size as f64, time));
        rows.push(row);
    }
    let ends = rows.first().zip(rows.last()).and_then(|(first, last)| {
        let of = |row: &Value| {
            let ms = row["rows"].as_array()?.last()?["step_ms"].as_f64()?;
            Some((row["triangles"].as_f64()?, ms))
        };
        let ((n, t), (m, u)) = (of(first)?, of(last)?);
        Some((u / t).ln() / (m / n).ln())
    });
    Ok(json!({"rows": rows, "exponent": ends}))
}

//! `pliant bench auto`: what solver `auto` chooses, beside every solver that could be named. Bodies hang from one end under
//! gravity, as scenes that `pliant run` would run.

use std::time::Instant;

use pliant::scene::{Scene, SceneError, Simulation};
use serde_json::{Value, json};

use crate::arguments::AutoBenchFlags;
use crate::context::Context;
use crate::failure::Failure;

/// A body and how it is computed.
struct Case {
    name: &'static str,
    /// m
    size: [f64; 3],
    cells: [usize; 3],
    element: &'static str,
    /// Pa
    young: f64,
    poisson: f64,
    /// ms; none is a state of rest.
    step: Option<f64>,
}

const fn case(
    name: &'static str,
    (size, cells, element): ([f64; 3], [usize; 3], &'static str),
    (young, poisson): (f64, f64),
    step: Option<f64>,
) -> Case {
    Case { name, size, cells, element, young, poisson, step }
}

const BAR: [f64; 3] = [1.0, 0.25, 0.25];
const CUBE: [f64; 3] = [1.0, 1.0, 1.0];
const ROD: [f64; 3] = [1.0, 0.02, 0.02];
const PLATE: [f64; 3] = [1.0, 1.0, 0.03];
const SHEET: [f64; 3] = [1.0, 1.0, 0.005];
const SOFT: (f64, f64) = (1e5, 0.3);
const STIFF: (f64, f64) = (1e8, 0.3);
const RUBBER: (f64, f64) = (1e6, 0.495);

/// What `auto` was tuned on.
const CASES: [Case; 30] = [
    case("bar", (BAR, [16, 4, 4], "tet4"), SOFT, Some(10.0)),
    case("bar", (BAR, [36, 9, 9], "tet4"), SOFT, Some(10.0)),
    case("bar", (BAR, [36, 9, 9], "tet4"), STIFF, Some(10.0)),
    case("bar", (BAR, [36, 9, 9], "tet4"), RUBBER, Some(10.0)),
    case("bar", (BAR, [36, 9, 9], "tet4"), STIFF, None),
    case("bar", (BAR, [64, 16, 16], "tet4"), SOFT, Some(40.0)),
    case("bar", (BAR, [64, 16, 16], "tet4"), STIFF, Some(1.0)),
    case("bar", (BAR, [64, 16, 16], "tet4"), STIFF, None),
    case("bar", (BAR, [144, 36, 36], "tet4"), SOFT, Some(10.0)),
    case("bar", (BAR, [24, 6, 6], "tet10"), SOFT, Some(10.0)),
    case("bar", (BAR, [24, 6, 6], "tet10"), STIFF, None),
    case("bar", (BAR, [32, 8, 8], "hex8"), STIFF, Some(10.0)),
    case("cube", (CUBE, [8, 8, 8], "tet4"), SOFT, Some(10.0)),
    case("cube", (CUBE, [16, 16, 16], "tet4"), SOFT, Some(1.0)),
    case("cube", (CUBE, [16, 16, 16], "tet4"), STIFF, Some(10.0)),
    case("cube", (CUBE, [20, 20, 20], "hex8"), RUBBER, Some(10.0)),
    case("cube", (CUBE, [28, 28, 28], "tet4"), SOFT, Some(10.0)),
    case("cube", (CUBE, [28, 28, 28], "tet4"), STIFF, None),
    case("cube", (CUBE, [10, 10, 10], "tet10"), STIFF, Some(10.0)),
    case("rod", (ROD, [100, 2, 2], "tet4"), STIFF, Some(10.0)),
    case("rod", (ROD, [200, 4, 4], "tet4"), STIFF, Some(10.0)),
    case("rod", (ROD, [200, 4, 4], "tet4"), STIFF, None),
    case("rod", (ROD, [200, 4, 4], "tet4"), SOFT, Some(1.0)),
    case("rod", (ROD, [150, 3, 3], "hex8"), STIFF, Some(40.0)),
    case("plate", (PLATE, [60, 60, 2], "tet4"), STIFF, Some(10.0)),
    case("plate", (PLATE, [60, 60, 2], "tet4"), STIFF, None),
    case("plate", (PLATE, [40, 40, 2], "hex8"), RUBBER, Some(10.0)),
    case("plate", (PLATE, [24, 24, 1], "tet10"), SOFT, Some(40.0)),
    case("sheet", (SHEET, [100, 100, 1], "tet4"), SOFT, Some(10.0)),
    case("sheet", (SHEET, [60, 60, 1], "hex8"), STIFF, None),
];

/// What it was not tuned on.
const HELD_OUT: [Case; 10] = [
    case("bar", (BAR, [48, 12, 12], "tet4"), RUBBER, Some(20.0)),
    case("bar", (BAR, [20, 5, 5], "hex8"), SOFT, None),
    case("bar", (BAR, [80, 20, 20], "tet4"), STIFF, Some(10.0)),
    case("cube", (CUBE, [12, 12, 12], "tet4"), RUBBER, None),
    case("cube", (CUBE, [22, 22, 22], "tet4"), STIFF, Some(5.0)),
    case("rod", (ROD, [120, 3, 3], "tet10"), STIFF, Some(10.0)),
    case("rod", (ROD, [300, 4, 4], "tet4"), SOFT, Some(40.0)),
    case("plate", (PLATE, [80, 80, 2], "tet4"), SOFT, Some(10.0)),
    case("plate", (PLATE, [50, 50, 2], "hex8"), STIFF, None),
    case("sheet", (SHEET, [80, 80, 1], "tet4"), STIFF, Some(5.0)),
];

/// The solvers that could be named, as scenes name them. Those that would take minutes are left out where that is certain.
const NAMED: [(&str, &str); 5] = [
    ("stale-cholesky", "linear = \"cg\"\npreconditioner = \"stale-cholesky\""),
    ("cholesky", "linear = \"cholesky\""),
    ("multigrid", "linear = \"cg\"\npreconditioner = \"multigrid\"\niterations = 300"),
    ("eisenstat", "linear = \"cg\"\npreconditioner = \"eisenstat\"\niterations = 1000"),
    ("block-diagonal", "linear = \"cg\"\npreconditioner = \"block-diagonal\"\niterations = 1000"),
];

/// Steps of a motion, at most.
const STEPS: usize = 12;
/// Steps of a run that bear its first, with all that is made once.
const RUN: f64 = 100.0;
/// Corners of cells from which on factors are not waited for.
const MOST_FOR_A_FACTOR: usize = 60_000;

/// Measures all cases, or those that are asked for, and tells how far `auto` is from the best.
pub(crate) fn run(flags: &AutoBenchFlags, context: &Context) -> Result<Value, Failure> {
    let cases: &[Case] = if flags.held_out { &HELD_OUT } else { &CASES };
    let count = cases.len();
    if let Some(wrong) = flags.only.iter().find(|&&number| !(1..=count).contains(&number)) {
        return Err(Failure::Input(format!(
            "--only {wrong}: cases are numbered from 1 to {count}"
        )));
    }
    if flags.seconds.is_nan() || flags.seconds <= 0.0 {
        return Err(Failure::Input(format!("--seconds {}: must be above 0", flags.seconds)));
    }
    let mut rows = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let asked = flags.only.is_empty() || flags.only.contains(&(number + 1));
        if !asked || context.interrupted() {
            continue;
        }
        let row = one(number + 1, case, flags, context)?;
        context.tell(&line(&row));
        rows.push(row);
    }
    let ratios = || rows.iter().filter_map(|row| row["ratio"].as_f64());
    let within = ratios().filter(|&ratio| ratio <= 1.3).count();
    let worst = ratios().fold(0.0, f64::max);
    Ok(json!({
        "threads": rayon::current_num_threads(),
        "cases": rows,
        "within_1_3": within,
        "of": rows.len(),
        "worst": worst,
    }))
}

/// A row as people read it.
fn line(row: &Value) -> String {
    let number = |key: &str| row[key].as_f64().unwrap_or_default();
    let word = |key: &str| row[key].as_str().unwrap_or_default();
    let (case, name) = (&row["case"], word("name"));
    let auto = format!("{case} {name}: auto {:.1} ms ({})", number("auto_ms"), word("chosen"));
    if row["best"].is_null() {
        return auto;
    }
    let (best, ratio) = (number("best_ms"), number("ratio"));
    format!("{auto}, best {best:.1} ms ({}), {ratio:.2}x", word("best"))
}

fn one(
    number: usize,
    case: &Case,
    flags: &AutoBenchFlags,
    context: &Context,
) -> Result<Value, Failure> {
    let corners: usize = case.cells.iter().map(|n| n + 1).product();
    let thin = case.size[2] < 0.1 * case.size[0];
    let asked = |name: &str| {
        let hopeless = match name {
            "cholesky" | "stale-cholesky" => corners > MOST_FOR_A_FACTOR,
            "eisenstat" => case.step.is_none() && thin,
            "block-diagonal" => case.step.is_none(),
            _ => false,
        };
        !hopeless && (flags.beside.is_empty() || flags.beside.iter().any(|n| n == name))
    };
    let mut named: Vec<(&str, Result<f64, Value>)> = Vec::new();
    let mut auto: Option<Found> = None;
    // Machines are not as fast at one moment as at another: the better of two rounds counts.
    for round in 0..2 {
        let found = time(case, "", f64::INFINITY, context)?;
        auto = match (auto, found) {
            (Some(a), Some(b)) => Some(if a.ms < b.ms { a } else { b }),
            (a, b) => a.or(b),
        };
        for (name, text) in NAMED.into_iter().filter(|(name, _)| asked(name)) {
            let best = best(&named).map_or(f64::INFINITY, |(_, ms)| ms);
            let known = named.iter().position(|(other, _)| *other == name);
            // What takes three times the best is not waited for, nor measured again.
            let slow = |at: usize| !matches!(named[at].1, Ok(ms) if ms < 3.0 * best);
            if context.interrupted() || round > 0 && known.is_none_or(slow) {
                continue;
            }
            let limit = (3.0 * best / 1e3).min(flags.seconds);
            let ms = match time(case, text, limit, context) {
                Ok(Some(found)) => Ok(found.ms),
                Ok(None) => Err(Value::Null),
                Err(error) => Err(json!(error.to_string())),
            };
            match (known, ms) {
                (None, ms) => named.push((name, ms)),
                (Some(at), Ok(ms)) => {
                    if let Ok(before) = &mut named[at].1 {
                        *before = before.min(ms);
                    }
                }
                (Some(_), Err(_)) => {}
            }
        }
    }
    let Some(auto) = auto else {
        return Err(Failure::Interrupted("nothing was measured".into()));
    };
    let best = best(&named);
    let named: serde_json::Map<String, Value> = named
        .into_iter()
        .map(|(name, ms)| (name.to_owned(), ms.map_or_else(|other| other, |ms| json!(ms))))
        .collect();
    Ok(json!({
        "case": number,
        "name": format!("{} of {}", case.name, case.element),
        "cells": auto.cells,
        "vertices": auto.vertices,
        "young": case.young,
        "poisson": case.poisson,
        "step_ms": case.step,
        "named_ms": named,
        "best": best.map(|(name, _)| name),
        "best_ms": best.map(|(_, ms)| ms),
        "auto_ms": auto.ms,
        "chosen": auto.chosen,
        "why": auto.why,
        "ratio": best.map(|(_, ms)| auto.ms / ms.min(auto.ms)),
    }))
}

/// The fastest so far.
fn best<'a>(named: &[(&'a str, Result<f64, Value>)]) -> Option<(&'a str, f64)> {
    let known = named.iter().filter_map(|(name, ms)| Some((*name, *ms.as_ref().ok()?)));
    known.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// What one solver took.
struct Found {
    /// Of a step in a run of a hundred, or of the state of rest with all that it takes.
    ms: f64,
    cells: usize,
    vertices: usize,
    chosen: String,
    why: String,
}

/// None where it took longer than `limit` seconds a step, or was interrupted.
fn time(
    case: &Case,
    solver: &str,
    limit: f64,
    context: &Context,
) -> Result<Option<Found>, SceneError> {
    let mut simulation =
        Simulation::build(&Scene::parse(&scene(case, solver), "bench.toml".as_ref())?)?;
    let clock = Instant::now();
    simulation.step()?;
    let first = clock.elapsed().as_secs_f64();
    let mut ms = 1e3 * first;
    if case.step.is_some() {
        let clock = Instant::now();
        let mut taken = 0;
        while taken < STEPS {
            // A first step has the analysis in it.
            let spent = clock.elapsed().as_secs_f64();
            if context.interrupted() || taken > 2 && spent > limit * taken as f64 {
                return Ok(None);
            }
            if taken > 2 && spent > 4.0 {
                break;
            }
            simulation.step()?;
            taken += 1;
        }
        ms = 1e3 * (clock.elapsed().as_secs_f64() / taken as f64 + first / RUN);
    }
    let used = simulation.linear_solver().unwrap_or_default();
    let chosen = used.preconditioner.clone().unwrap_or_else(|| used.linear.clone());
    let (cells, vertices) = (simulation.cells(), simulation.vertices());
    Ok(Some(Found { ms, cells, vertices, chosen, why: used.why }))
}

fn scene(case: &Case, solver: &str) -> String {
    let Case { size, cells, element, young, poisson, step, .. } = case;
    let cell = match *element {
        "hex8" => "hex",
        "tet4" => "tet6",
        other => other,
    };
    let time = match step {
        Some(step) => format!("step = \"{step} ms\"\nsteps = {}", STEPS + 1),
        None => "analysis = \"static\"".to_owned(),
    };
    format!(
        "title = \"bench\"\ngravity = [0, -9.81, 0]\n\
         [time]\n{time}\n\
         [solver]\n{solver}\n\
         [body.body]\nmesh = {{ shape = \"box\", size = {size:?}, cells = {cells:?}, cell = \"{cell}\" }}\n\
         element = \"{element}\"\ndensity = 1000\n\
         material = {{ law = \"stable-neo-hookean\", young = {young:e}, poisson = {poisson} }}\n\
         fixed = [\"x-min\"]\n"
    )
}

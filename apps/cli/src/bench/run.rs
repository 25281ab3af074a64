//! `pliant bench run`: what a run costs beside its steps: set-up, frames, and runs side by side.

use std::time::Instant;

use pliant::scene::run::{Destination, Progress, run as run_scene};
use pliant::scene::{Folder, Origin, Scene, SceneError, Simulation, Summary};
use pliant::study::{Axis, Plan, compare};
use serde_json::{Value, json};

use super::memory;
use crate::arguments::BenchRunFlags;
use crate::context::Context;
use crate::failure::Failure;

/// Of a second with frames as often as films have them, in steps of 10 ms.
const FRAMES: &str = "40 ms";

/// Measures all four, or those that are asked for.
pub(crate) fn run(flags: &BenchRunFlags, context: &Context) -> Result<Value, Failure> {
    if !(flags.seconds > 0.0 && flags.seconds.is_finite()) {
        let text = format!("--seconds {}: must be above 0", flags.seconds);
        return Err(Failure::Input(text));
    }
    let all = flags.only.is_empty();
    let asked = |name: &str| all || flags.only.iter().any(|n| n == name);
    let mut result = json!({"threads": rayon::current_num_threads()});
    if asked("outside") {
        result["outside"] = outside(flags, context)?;
    }
    if asked("frames") {
        result["frames"] = frames(flags, context)?;
    }
    if asked("setup") {
        result["setup"] = setup(flags.setup_cells)?;
    }
    if asked("compare") {
        result["compare"] = side_by_side(flags.seconds, context)?;
    }
    Ok(result)
}

/// A bar of about so many tetrahedra that swings under gravity.
fn bar(cells: usize, output: &str) -> String {
    // 4 n × n × n cubes of six tetrahedra.
    let n = ((cells as f64 / 24.0).cbrt().round() as usize).max(1);
    format!(
        "title = \"bench\"\n[body.bar]\n\
         mesh = {{ shape = \"box\", size = [4, 1, 1], cells = [{}, {n}, {n}], cell = \"tet6\" }}\n\
         material = {{ law = \"stable-neo-hookean\", young = \"1 MPa\", poisson = 0.45 }}\nfixed = \"x-min\"\n\
         [time]\nstep = \"10 ms\"\nend = 1000\n[output]\nreport = false\ncheckpoint_every = 100\n{output}\n",
        4 * n
    )
}

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, "bench.toml".as_ref())
}

/// Goes on for some seconds of this clock; the summary of that.
fn for_seconds(
    seconds: f64,
    scene: &Scene,
    simulation: &mut Simulation,
    place: Option<&Destination<'_>>,
    context: &Context,
) -> Result<Summary, Failure> {
    let clock = Instant::now();
    let mut watch =
        |_: &Progress| clock.elapsed().as_secs_f64() < seconds && !context.interrupted();
    let outcome = run_scene(scene, simulation, place, &mut watch)?;
    match outcome.failure {
        Some(error) => Err(error.into()),
        None => Ok(outcome.summary),
    }
}

/// Parsing, set-up and all that is not a step, as a part of a run without output.
fn outside(flags: &BenchRunFlags, context: &Context) -> Result<Value, Failure> {
    let clock = Instant::now();
    let scene = parse(&bar(flags.cells, "frames = 0"))?;
    let parsing = clock.elapsed().as_secs_f64();
    let mut simulation = Simulation::build(&scene)?;
    let setup = clock.elapsed().as_secs_f64() - parsing;
    let left = (flags.seconds - parsing - setup).max(0.0);
    let summary = for_seconds(left, &scene, &mut simulation, None, context)?;
    let wall = clock.elapsed().as_secs_f64();
    let stepping = stepping(&summary);
    Ok(json!({
        "cells": simulation.cells(),
        "steps": summary.steps,
        "wall_seconds": wall,
        "parsing_seconds": parsing,
        "setup_seconds": setup,
        "stepping_seconds": stepping,
        "share": 1.0 - stepping / wall,
    }))
}

/// Time within steps, s.
fn stepping(summary: &Summary) -> f64 {
    summary.phases.map_or(0.0, |phases| phases.stepping())
}

/// The same steps without and with frames: how long the simulation waits for them.
fn frames(flags: &BenchRunFlags, context: &Context) -> Result<Value, Failure> {
    let folder = std::env::temp_dir().join(format!("pliant-bench-run-{}", std::process::id()));
    let origin = Origin { scene: "bench".into(), sets: Vec::new() };
    let measure = |frames: &str| -> Result<Summary, Failure> {
        // A file system in memory or a disk, as the machine has it for temporary files.
        let place = Folder::create(&folder, &origin, false)?;
        let scene = parse(&bar(flags.cells, &format!("frames = \"{frames}\"")))?;
        let mut simulation = Simulation::build(&scene)?;
        let place = Destination { folder: &place, resume: false };
        for_seconds(0.5 * flags.seconds, &scene, &mut simulation, Some(&place), context)
    };
    let both = measure("0 s").and_then(|without| Ok((without, measure(FRAMES)?)));
    // What cannot be removed stays where temporary files are.
    let _ = std::fs::remove_dir_all(&folder);
    let (without, with) = both?;
    let per_step =
        |summary: &Summary, seconds: f64| 1e3 * seconds / (summary.steps as f64).max(1.0);
    let waiting = |summary: &Summary| summary.phases.map_or(0.0, |phases| phases.output);
    let steps = |summary: &Summary| per_step(summary, stepping(summary));
    Ok(json!({
        "cells": with.cells,
        "frames_every": FRAMES,
        "steps": with.steps,
        "step_ms_without": steps(&without),
        "step_ms": steps(&with),
        "output_ms_a_step_without": per_step(&without, waiting(&without)),
        "output_ms_a_step": per_step(&with, waiting(&with)),
        "output_share": waiting(&with) / with.wall_seconds,
    }))
}

/// Mesh, numbering, models and masses of a large body, until the first step could be taken.
fn setup(cells: usize) -> Result<Value, Failure> {
    let text = bar(cells, "frames = 0");
    let clock = Instant::now();
    let scene = parse(&text)?;
    let simulation = Simulation::build(&scene)?;
    let seconds = clock.elapsed().as_secs_f64();
    Ok(json!({
        "cells": simulation.cells(),
        "vertices": simulation.vertices(),
        "seconds": seconds,
        "peak_mb": memory::peak().map(|bytes| bytes as f64 * 1e-6),
    }))
}

/// A comparison one run after the other, and on all threads.
fn side_by_side(seconds: f64, context: &Context) -> Result<Value, Failure> {
    let end = format!("time.end={}", (0.1 * seconds).max(0.02));
    let origin = Origin { scene: "bar".into(), sets: vec![end] };
    let axes = [
        Axis::integrators("backward-euler,implicit-midpoint,generalized-alpha,bdf2")?,
        Axis::steps("0.01,0.005")?,
    ];
    let plan = Plan::new(&origin, &axes, Some("implicit-midpoint@0.0025"))?;
    let measure = |threads: usize| {
        let clock = Instant::now();
        let made = compare(&plan, None, threads, &|_| !context.interrupted())?;
        Ok::<_, Failure>((clock.elapsed().as_secs_f64(), made))
    };
    let threads = rayon::current_num_threads();
    let (alone, one) = measure(1)?;
    let (together, many) = measure(threads)?;
    let bits = |made: &pliant::study::Comparison| -> Vec<Option<u64>> {
        made.rows.iter().map(|row| row.error.map(f64::to_bits)).collect()
    };
    Ok(json!({
        "runs": plan.runs(),
        "one_by_one_seconds": alone,
        "side_by_side_seconds": together,
        "speedup": alone / together,
        "same_numbers": bits(&one) == bits(&many),
    }))
}

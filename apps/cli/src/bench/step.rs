//! `pliant bench step`: steps of a body that hangs from one end, under gravity, from rest. They are those of a
//! scene, as `pliant run` takes them.

use std::time::{Duration, Instant};

use pliant::dynamics::{NewtonSettings, Options, Phases};
use pliant::forces::springs::MASS_SPRING;
use pliant::mesh::io::read_volume;
use pliant::mesh::measure::{bounding_box, longest_axis};
use pliant::scene::{Scene, Simulation, Tally};
use pliant::solvers::Choice;
use pliant::solvers::iterative::Settings;
use serde_json::{Value, json};

use super::machine::Limits;
use super::system::{DENSITY, check_step};
use crate::arguments::{MaterialFlags, StepFlags};
use crate::context::Context;
use crate::failure::Failure;

/// Takes the steps and tells where their time went.
pub(crate) fn run(flags: &StepFlags, context: &Context) -> Result<Value, Failure> {
    if flags.steps == 0 {
        return Err(Failure::Input("--steps 0: there must be at least one".into()));
    }
    check_step(flags.step)?;
    let mut simulation = Simulation::build(&scene(flags)?)?;
    for warning in &simulation.warnings {
        context.warn(warning);
    }
    // The first step makes room for everything; it counts for what is done, not for the time.
    let clock = Instant::now();
    simulation.step()?;
    let first = clock.elapsed();
    let before = Totals::of(&simulation);
    let clock = Instant::now();
    let mut taken = 0;
    while taken < flags.steps && !context.interrupted() {
        simulation.step()?;
        taken += 1;
    }
    let wall = clock.elapsed();
    let after = Totals::of(&simulation);
    let per_step = |time: Duration| time.as_secs_f64() * 1e3 / taken.max(1) as f64;
    let spent =
        |pick: fn(&Totals) -> Duration| per_step(pick(&after).saturating_sub(pick(&before)));
    let count = |pick: fn(&Tally) -> u64| {
        (pick(&after.tally) - pick(&before.tally)) as f64 / taken.max(1) as f64
    };
    let assembly = spent(|t| t.phases.residuals) + spent(|t| t.phases.jacobians);
    let solve = spent(|t| t.phases.factors) + spent(|t| t.phases.solves);
    let (step, implicit) = (per_step(wall), solve > 0.0);
    let (_, speed) = simulation.state().fastest();
    Ok(json!({
        "integrator": simulation.time().integrator.name(),
        "solver": flags.solver,
        "preconditioner": flags.preconditioner,
        "cells": simulation.cells(),
        "vertices": simulation.vertices(),
        "step": flags.step,
        "steps": taken,
        "first_step_ms": first.as_secs_f64() * 1e3,
        "step_ms": step,
        "residual_ms": implicit.then(|| spent(|t| t.phases.residuals)),
        "assembly_ms": implicit.then_some(assembly),
        "factor_ms": implicit.then(|| spent(|t| t.phases.factors)),
        "solve_ms": implicit.then_some(solve),
        "other_ms": implicit.then_some(step - assembly - solve),
        "real_time_factor": flags.step * 1e3 / step,
        "newton_iterations": count(|t| t.newton_iterations),
        "linear_iterations": count(|t| t.linear_iterations),
        "force_evaluations": count(|t| t.evaluations),
        "time": simulation.state().time,
        "fastest": speed,
        "machine": (!flags.no_machine).then(|| Limits::measure().json()),
    }))
}

fn options(flags: &StepFlags) -> Result<Options, Failure> {
    let mut options = match flags.newton {
        Some(1) => Options::semi_implicit(),
        _ => Options::default(),
    };
    options.newton = NewtonSettings { force_tolerance: flags.tolerance, ..options.newton };
    if let Some(most) = flags.newton {
        options.newton.max_iterations = most;
        options.newton.accept_last = true;
    }
    options.newton.check()?;
    options.solver = Choice {
        solver: flags.solver.parse()?,
        preconditioner: flags.preconditioner.as_ref().map(|p| p.parse()).transpose()?,
        ordering: None,
        settings: Settings::default(),
    };
    Ok(options)
}

/// The scene of the flags.
fn scene(flags: &StepFlags) -> Result<Scene, Failure> {
    // The size is needed before the scene has a mesh: the body is scaled to 1 m.
    let mesh = read_volume(&flags.mesh)?.mesh;
    let (bounds, axis) = (bounding_box(&mesh), longest_axis(&mesh));
    let extent = bounds.max[axis] - bounds.min[axis];
    let scale = if extent > 0.0 { 1.0 / extent } else { 1.0 };
    let end = scale * (bounds.min[axis] + 0.01 * extent);
    let path = std::path::absolute(&flags.mesh).map_err(|e| Failure::Input(e.to_string()))?;
    let text = format!(
        "title = \"bench\"\ngravity = [0, -9.81, 0]\n\
         [body.body]\nmesh = {{ file = {} }}\nscale = {scale:e}\ndensity = {DENSITY:e}\n\
         material = {}\nfixed = [{{ where = \"{} <= {end:e}\" }}]\n\
         [time]\nintegrator = {}\nstep = {:e}\nsteps = {}\n",
        json!(path.display().to_string()),
        material(&flags.material),
        ["x", "y", "z"][axis],
        json!(flags.integrator),
        flags.step,
        flags.steps + 1,
    );
    let mut scene = Scene::parse(&text, "bench.toml".as_ref())?;
    scene.time.options = options(flags)?;
    Ok(scene)
}

/// As scenes write it.
fn material(flags: &MaterialFlags) -> String {
    let (law, young) = (json!(flags.material), flags.young);
    if flags.material == MASS_SPRING {
        return format!("{{ law = {law}, young = {young:e} }}");
    }
    let (poisson, invertible) = (flags.poisson, flags.invertible);
    format!(
        "{{ law = {law}, young = {young:e}, poisson = {poisson:e}, invertible = {invertible} }}"
    )
}

/// What a simulation has done.
struct Totals {
    phases: Phases,
    tally: Tally,
}

impl Totals {
    fn of(simulation: &Simulation) -> Self {
        Self { phases: simulation.phases(), tally: simulation.tally() }
    }
}

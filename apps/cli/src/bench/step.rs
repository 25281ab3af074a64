//! `pliant bench step`: steps of a body that hangs from one end, under gravity, from rest.

use std::time::{Duration, Instant};

use pliant::dynamics::{
    Constraints, Integrator, IntegratorName, Mass, NewtonSettings, Options, Role, State, System,
    critical_step,
};
use pliant::forces::loads::{DeadLoad, TimeCurve};
use pliant::mesh::measure::{bounding_box, longest_axis};
use pliant::solvers::Choice;
use pliant::solvers::iterative::Settings;
use serde_json::{Value, json};

use super::body::Body;
use super::machine::Limits;
use super::system::DENSITY;
use crate::arguments::StepFlags;
use crate::context::Context;
use crate::failure::Failure;

/// m/s²
const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

/// Takes the steps and tells where their time went.
pub(crate) fn run(flags: &StepFlags, context: &Context) -> Result<Value, Failure> {
    if flags.steps == 0 {
        return Err(Failure::Input("--steps 0: there must be at least one".into()));
    }
    let name: IntegratorName = flags.integrator.parse()?;
    let mut integrator = name.build(&options(flags)?)?;
    let (mut system, cells) = build(flags, context)?;
    let mut state = State::at_rest(system.rest());
    if name.imaginary_interval() > 0.0
        && let Some(warning) = critical_step(&mut system, &state, name)?.warning(flags.step)
    {
        context.warn(&warning);
    }
    // The first step makes room for everything; it counts for what is done, not for the time.
    let clock = Instant::now();
    integrator.step(&mut system, &mut state, flags.step)?;
    let first = clock.elapsed();
    let before = Totals::of(&*integrator, &system);
    let clock = Instant::now();
    let mut taken = 0;
    while taken < flags.steps && !context.interrupted() {
        integrator.step(&mut system, &mut state, flags.step)?;
        taken += 1;
    }
    let wall = clock.elapsed();
    let after = Totals::of(&*integrator, &system);
    let per_step = |time: Duration| time.as_secs_f64() * 1e3 / taken.max(1) as f64;
    let spent =
        |pick: fn(&Totals) -> Duration| per_step(pick(&after).saturating_sub(pick(&before)));
    let count =
        |pick: fn(&Totals) -> usize| (pick(&after) - pick(&before)) as f64 / taken.max(1) as f64;
    let assembly = spent(|t| t.phases.residuals) + spent(|t| t.phases.jacobians);
    let solve = spent(|t| t.phases.factors) + spent(|t| t.phases.solves);
    let (step, implicit) = (per_step(wall), solve > 0.0);
    let (_, speed) = state.fastest();
    Ok(json!({
        "integrator": integrator.name(),
        "solver": flags.solver,
        "preconditioner": flags.preconditioner,
        "cells": cells,
        "vertices": system.vertices(),
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
        "newton_iterations": count(|t| t.iterations),
        "linear_iterations": count(|t| t.linear_iterations),
        "force_evaluations": count(|t| t.evaluations),
        "time": state.time,
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

/// The body, held at its end, and its number of cells.
fn build(flags: &StepFlags, context: &Context) -> Result<(System, usize), Failure> {
    let Body { mesh, partition, element, model, .. } =
        Body::new(&flags.mesh, &flags.material, None, context)?;
    let rest = partition.vertices().apply(&mesh.vertices);
    let masses = element.lumped_mass(&mesh, &partition, &|_| DENSITY)?;
    let weight = DeadLoad::gravity(&rest, &masses, GRAVITY, TimeCurve::default())?;
    let (bounds, axis) = (bounding_box(&mesh), longest_axis(&mesh));
    let end = bounds.min[axis] + 0.01 * (bounds.max[axis] - bounds.min[axis]);
    let held: Vec<u32> =
        (0..rest.len() as u32).filter(|&v| rest[v as usize][axis] <= end).collect();
    let mut constraints = Constraints::new();
    constraints.fix(&held, &rest)?;
    let system =
        System::new(&rest, vec![(Role::Elastic, model), (Role::Gravity, Box::new(weight))])?
            .with_mass(Mass::Lumped(masses))?
            .with_constraints(constraints)?;
    Ok((system, mesh.cell_count()))
}

/// What an integrator and its system have done.
struct Totals {
    phases: pliant::dynamics::Phases,
    iterations: usize,
    linear_iterations: usize,
    evaluations: usize,
}

impl Totals {
    fn of(integrator: &dyn Integrator, system: &System) -> Self {
        let counters = integrator.counters();
        Self {
            phases: integrator.phases(),
            iterations: counters.iterations,
            linear_iterations: counters.linear_iterations,
            evaluations: system.evaluations(),
        }
    }
}

//! A smooth nonlinear motion, and the order at which a method converges to it.

use std::sync::Arc;

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{IntegratorName, Moment, Motion, Role, State, System};
use pliant_forces::damping::{CurrentRayleigh, RayleighTangent};
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::{Ask, ForceError, ForceModel};

use super::{Body, strict};

/// The mass of the bar, and whether its clamped end is shaken.
#[derive(Clone, Copy)]
pub struct Case {
    pub consistent: bool,
    pub shaken: bool,
    pub forces: Forces,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Forces {
    /// Of the body alone.
    Elastic,
    /// Damped, with loads that come and go.
    Damped,
    /// With a tangent that is 0.7 of what it should be.
    Crude,
}

pub const PLAIN: Case = Case { consistent: false, shaken: false, forces: Forces::Elastic };

/// A force model whose tangent is wrong.
struct Crude(Box<dyn ForceModel>);

impl ForceModel for Crude {
    fn name(&self) -> &'static str {
        "crude"
    }
    fn is_symmetric(&self) -> bool {
        true
    }
    fn has_energy(&self) -> bool {
        true
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.0.couplings(couple);
    }
    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.0.bind(slot);
    }
    fn add(
        &mut self,
        state: &pliant_forces::State<'_>,
        ask: &mut Ask<'_>,
    ) -> Result<(), ForceError> {
        ask.position_weight *= 0.7;
        self.0.add(state, ask)
    }
    fn largest_step(&self, state: &pliant_forces::State<'_>, mass: &[f64]) -> f64 {
        self.0.largest_step(state, mass)
    }
}

/// Pulls one vertex along z by 1 − cos 12 t: time goes into it smoothly, and it does not tell its rate.
struct Wave(u32);

impl ForceModel for Wave {
    fn name(&self) -> &'static str {
        "wave"
    }
    fn is_symmetric(&self) -> bool {
        true
    }
    fn has_energy(&self) -> bool {
        false
    }
    fn couplings(&self, _: &mut dyn FnMut(u32, u32)) {}
    fn bind(&mut self, _: &dyn Fn(u32, u32) -> (u32, bool)) {}
    fn add(
        &mut self,
        state: &pliant_forces::State<'_>,
        ask: &mut Ask<'_>,
    ) -> Result<(), ForceError> {
        if let Some(g) = ask.gradient.as_deref_mut() {
            g[self.0 as usize][2] -= 3.0 * (1.0 - (12.0 * state.time).cos());
        }
        Ok(())
    }
    fn largest_step(&self, _: &pliant_forces::State<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

/// Up and down by 4 cm, from rest.
fn shake(anchor: Vec3, t: f64) -> Moment {
    let w = 15.0_f64;
    let (s, c) = (w * t).sin_cos();
    Moment {
        x: [anchor[0], anchor[1] + 0.02 * (1.0 - c), anchor[2]],
        v: [0.0, 0.02 * w * s, 0.0],
        a: [0.0, 0.02 * w * w * c, 0.0],
    }
}

/// A clamped neo-Hookean bar of a few tetrahedra, bent and twisted by its velocities.
fn swinging(case: Case) -> (System, State) {
    let mut body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let end = body.at_x(0.0);
    let motion = if case.shaken { Motion::Function(Arc::new(shake)) } else { Motion::Still };
    body.constraints.drive(&end, &body.rest, motion).unwrap();
    if case.forces == Forces::Crude {
        let (role, exact) = body.models.remove(0);
        body.models.push((role, Box::new(Crude(exact))));
    }
    if case.forces == Forces::Damped {
        // A ramp is linear over the whole motion, a wave is not.
        let ramp = TimeCurve::Ramp { start: -0.1, end: 0.9, from: 0.0, to: 1.0 };
        let loads: Vec<(u32, Vec3)> =
            body.at_x(1.0).iter().map(|&v| (v, [0.0, 10.0, 0.0])).collect();
        let load = DeadLoad::points(&body.rest, &loads, ramp).unwrap();
        let wave = Wave(loads[0].0);
        let elastic = body.models.remove(0).1;
        let exact = RayleighTangent::Difference;
        let damped = CurrentRayleigh::new(elastic, &body.masses, 2.0, 2e-3, exact).unwrap();
        body.models.push((Role::Elastic, Box::new(damped)));
        body.models.push((Role::Load, Box::new(load)));
        body.models.push((Role::Load, Box::new(wave)));
    }
    let (system, mut state) =
        if case.consistent { body.consistent_system() } else { body.system() };
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        // Zero at the clamped end.
        *v = [0.1 * x[0], -0.8 * x[0] * x[0], 0.6 * x[0] * (x[1] - 0.1)];
    }
    (system, state)
}

const END: f64 = 0.24;

fn run(name: IntegratorName, steps: usize, case: Case) -> Vec<[Vec3; 2]> {
    let (mut system, mut state) = swinging(case);
    let mut integrator = name.build(&strict()).unwrap();
    for _ in 0..steps {
        integrator.step(&mut system, &mut state, END / steps as f64).unwrap();
    }
    state.x.into_iter().zip(state.v).map(|(x, v)| [x, v]).collect()
}

/// Root mean square over positions and velocities.
fn error(a: &[[Vec3; 2]], b: &[[Vec3; 2]]) -> f64 {
    let (a, b) = (a.as_flattened().as_flattened(), b.as_flattened().as_flattened());
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    (sum / a.len() as f64).sqrt()
}

pub type Motions = [[Vec3; 2]];

/// What all are compared with.
pub fn reference(case: Case) -> Vec<[Vec3; 2]> {
    run(IntegratorName::DormandPrince853, 800, case)
}

/// Orders over four halvings of the step.
pub fn observed(name: IntegratorName, first: usize, case: Case, reference: &Motions) -> Vec<f64> {
    let errors: Vec<f64> = (0..5).map(|k| error(&run(name, first << k, case), reference)).collect();
    let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("| {} | {:.3?} | {:?} |", name.name(), orders, errors);
    orders
}

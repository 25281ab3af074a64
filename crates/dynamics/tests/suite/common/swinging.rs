//! A smooth nonlinear motion, and the order at which a method converges to it.

use std::sync::Arc;

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{IntegratorName, Moment, Motion, Role, State, System};
use pliant_forces::damping::LinearDamping;
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::{
    Ask, Character, Configuration, Energy, ForceError, ForceModel, Slots, Split, TimeDependence,
    Velocity, Workspace,
};

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
    fn character(&self) -> Character {
        Character::POTENTIAL
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.0.couplings(couple);
    }
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.0.bind(slots)
    }
    fn evaluate(
        &self,
        state: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        ask.position_weight *= 0.7;
        self.0.evaluate(state, ask, work)
    }
    fn stable_step(&self, state: &Configuration<'_>, mass: &[f64]) -> f64 {
        self.0.stable_step(state, mass)
    }
}

/// A model and its damping β K v, as a difference of its forces half a delay before and after on the straight
/// way: g(x) + β (g(x + δ v) − g(x − δ v)) / 2δ. Unlike [`Acting::damped`](pliant_dynamics::Acting::damped) it
/// has an exact tangent, which Rosenbrock methods need.
struct Damped {
    model: Box<dyn ForceModel>,
    /// β, s
    beta: f64,
    /// δ, s
    delay: f64,
}

impl ForceModel for Damped {
    fn name(&self) -> &'static str {
        "damped by differences"
    }
    fn character(&self) -> Character {
        let (energy, velocity) = (Energy::Stored, Velocity::General);
        Character { energy, velocity, has_elements: false, ..self.model.character() }
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.model.couplings(couple);
    }
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.model.bind(slots)
    }
    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let (wx, wv) = (ask.position_weight, ask.velocity_weight);
        self.model.evaluate(at, ask, work)?;
        for sign in [1.0, -1.0] {
            let moved =
                |(x, v): (&Vec3, &Vec3)| std::array::from_fn(|k| x[k] + sign * self.delay * v[k]);
            let x: Vec<Vec3> = at.x.iter().zip(at.v).map(moved).collect();
            let mut g = vec![[0.0; 3]; x.len()];
            // ∂/∂x and ∂/∂v of sign β g(x ± δ v) / 2δ
            let factor = sign * self.beta / (2.0 * self.delay);
            let mut part = Ask {
                gradient: Some(&mut g),
                tangent: ask.tangent.as_deref_mut(),
                position_weight: factor * (wx + sign * self.delay * wv),
                ..Ask::default()
            };
            self.model.evaluate(&Configuration { x: &x, ..*at }, &mut part, work)?;
            for (to, g) in ask.gradient.iter_mut().flat_map(|to| to.iter_mut()).zip(&g) {
                (0..3).for_each(|k| to[k] += factor * g[k]);
            }
        }
        Ok(())
    }
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        self.model.stable_step(at, mass)
    }
}

/// Pulls one vertex along z by 1 − cos 12 t: time goes into it smoothly, and it does not tell its rate.
struct Wave(u32);

impl ForceModel for Wave {
    fn name(&self) -> &'static str {
        "wave"
    }
    fn character(&self) -> Character {
        let (energy, time) = (Energy::None, TimeDependence::Unknown);
        Character { energy, time, split: Split::Soft, ..Character::POTENTIAL }
    }
    fn couplings(&self, _: &mut dyn FnMut(u32, u32)) {}
    fn bind(&mut self, _: &Slots<'_>) -> Result<(), ForceError> {
        Ok(())
    }
    fn evaluate(
        &self,
        state: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        if let Some(g) = ask.gradient.as_deref_mut() {
            g[self.0 as usize][2] -= 3.0 * (1.0 - (12.0 * state.time).cos());
        }
        Ok(())
    }
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
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
        let damped = Damped { model: elastic, beta: 2e-3, delay: 1e-3 };
        let mass = LinearDamping::mass_proportional(&body.masses, 2.0).unwrap();
        body.models.push((Role::Elastic, Box::new(damped)));
        body.models.push((Role::Damping, Box::new(mass)));
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

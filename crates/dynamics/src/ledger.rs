//! [`Ledger`]: where the energy of a motion came from and went to, step by step.
//!
//! What works is summed up over the step from one state to the next:
//!
//! - **loads** in motion as f·Δx with f where the method takes its forces ([`LoadRule`]), or by Simpson's rule on ∫ f·v dt
//!   along the cubic through positions and velocities at both ends, so that forces that follow a curve of time count as
//!   they were within the step; a constant force does f·Δx by all rules;
//! - **supports that move** by the trapezoidal rule for the forces of the body, and by ½ (v₀ + v₁)·M Δv for what they do to masses,
//!   which is exact where a support starts with a jerk too;
//! - **damping** by the trapezoidal rule;
//! - between **states of rest** all of them by the trapezoidal rule, which is exact where forces are linear along the way.

mod parts;

pub use parts::PartEntries;

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::{Vec3, dot, norm_squared, sub};
use pliant_forces::{Configuration, Energy, ForceError};

use crate::equilibrium::STIFFNESS;
use crate::system::Entry;
use crate::vector::norm;
use crate::{DynamicsError, Energies, Role, State, System};

/// Energies since the ledger was opened, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Balance {
    /// Of the state now; that of loads counts as work instead.
    pub energies: Energies,
    /// Work that loads, and supports that move, have done on the body.
    pub external_work: f64,
    /// What models without energy have taken out.
    pub dissipated: f64,
    /// What is missing from the sum of all these: the loss of the method itself, and the error of the rules by which works
    /// are summed up.
    pub numerical_loss: f64,
    /// The largest energy that has been in one place, or gone one way, so far: kinetic, elastic, of gravity since the
    /// start, other, the sum of all |work| and of all |dissipation|. What a loss is to be compared with.
    pub through: f64,
    /// How wrong the balance may be as equations were solved to a tolerance, Σ |r| |Δx|, and as energies are rounded: strains of
    /// 1 are, however small the energy.
    pub uncertain: f64,
}

impl Balance {
    /// What the method has lost, as a part of the energy that went through the system; 0 where none did, or where the loss
    /// is within what the tolerance of the solves allows. Below zero it has made energy.
    pub fn lost_part(&self) -> f64 {
        let meant = self.through > 0.0 && self.numerical_loss.abs() > self.uncertain;
        if meant { self.numerical_loss / self.through } else { 0.0 }
    }
}

/// How the work of loads within a step of a motion is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LoadRule {
    /// Simpson's rule on ∫ f·v dt along the cubic through positions and velocities at both ends.
    #[default]
    Cubic,
    /// f·Δx with f the sum of the forces at the start, in the middle and at the end with these weights: exact for a method
    /// that takes its forces there.
    Chord([f64; 3]),
    /// Between states of rest: all works by the trapezoidal rule, and none on masses, whatever velocities the first state has.
    Rest,
}

/// Keeps the balance of a motion.
#[derive(Debug, Clone)]
pub struct Ledger {
    rule: LoadRule,
    start: f64,
    /// The energy of gravity that it was opened with, J.
    gravity: f64,
    /// Σ |work| and Σ |dissipation|, J.
    ways: [f64; 2],
    balance: Balance,
    /// The last state.
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    time: f64,
    /// Energy dissipated by models with memory up to the last state, J.
    by_memory: f64,
    /// |r| of the last solve, N.
    residual: f64,
    /// Forces at the last state: of loads, on supports that move, and of what dissipates.
    before: Forces,
    /// The same at the state that is taken in.
    now: Forces,
    /// Within the step.
    middle_x: Vec<Vec3>,
    middle_v: Vec<Vec3>,
    middle: Vec<Vec3>,
    still: Vec<Vec3>,
}

/// Forces that do work, as gradients, N.
#[derive(Debug, Clone)]
struct Forces {
    loads: Vec<Vec3>,
    supports: Vec<Vec3>,
    damping: Vec<Vec3>,
    /// Σ β f of models damped by their stiffness, N s.
    by_stiffness: Vec<Vec3>,
}

impl Ledger {
    /// Opens it.
    pub fn new(system: &mut System, state: &State) -> Result<Self, DynamicsError> {
        let mut ledger = Self::opened(system, state)?;
        ledger.balance.uncertain = 16.0 * f64::EPSILON * ledger.energy_of_large_strain(system);
        Ok(ledger)
    }

    /// Opened, with nothing that is uncertain.
    fn opened(system: &mut System, state: &State) -> Result<Self, DynamicsError> {
        state.check(system.vertices())?;
        let zero = vec![[0.0; 3]; system.vertices()];
        let forces = Forces {
            loads: zero.clone(),
            supports: zero.clone(),
            damping: zero.clone(),
            by_stiffness: zero.clone(),
        };
        let mut ledger = Self {
            rule: LoadRule::default(),
            start: 0.0,
            gravity: 0.0,
            ways: [0.0; 2],
            balance: Balance::default(),
            x: state.x.clone(),
            v: state.v.clone(),
            time: state.time,
            by_memory: state.dissipated,
            residual: 0.0,
            before: forces.clone(),
            now: forces,
            middle_x: zero.clone(),
            middle_v: zero.clone(),
            middle: zero.clone(),
            still: zero,
        };
        ledger.look(system, state)?;
        std::mem::swap(&mut ledger.now, &mut ledger.before);
        ledger.balance.energies = stored(system, state)?;
        ledger.start = ledger.balance.energies.total();
        ledger.gravity = ledger.balance.energies.gravity;
        ledger.balance.through = ledger.largest();
        Ok(ledger)
    }

    /// With a rule for the work of loads: that of the method whose steps are recorded
    /// ([`IntegratorName::load_rule`](crate::IntegratorName::load_rule)).
    #[must_use]
    pub fn with_rule(self, rule: LoadRule) -> Self {
        Self { rule, ..self }
    }

    /// Goes on from a checkpoint: what a ledger had written ([`Ledger::carried`]) when the state was this one. Forces at the
    /// state are evaluated again, which gives the bits they had: `record` has evaluated the same models at the same state.
    pub fn resume(
        system: &mut System,
        state: &State,
        [start, gravity, work, dissipation]: [f64; 4],
        balance: Balance,
    ) -> Result<Self, DynamicsError> {
        let ways = [work, dissipation];
        Ok(Self { start, gravity, ways, balance, ..Self::new(system, state)? })
    }

    /// What is carried on besides the balance: the energy it was opened with and that of gravity then, and the sums of
    /// |work| and of |dissipation|, J.
    pub fn carried(&self) -> [f64; 4] {
        [self.start, self.gravity, self.ways[0], self.ways[1]]
    }

    /// The energy it was opened with, J.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Says how well the equations of the step that is recorded next were solved: |r|, N.
    pub fn solved_to(&mut self, residual: f64) {
        self.residual = residual;
    }

    /// The energy of strains of 1, J: Σ |Kᵢⱼ| |Xᵢ − Xⱼ|² over pairs of vertices, with the stiffness of the rest shape; 0 where
    /// there is none.
    fn energy_of_large_strain(&self, system: &mut System) -> f64 {
        let mut matrix = BlockMatrix::zero(system.pattern().clone());
        let rest = system.rest().to_vec();
        let at = Configuration::new(&rest, &self.still, self.time);
        if system.tangent(&at, STIFFNESS, false, &mut matrix).is_err() {
            return 0.0;
        }
        let pattern = system.pattern();
        let mut sum = 0.0;
        for i in 0..pattern.rows() {
            for (k, &j) in pattern.range(i).zip(pattern.row(i)) {
                let size = matrix.values[k].iter().map(|b| b * b).sum::<f64>().sqrt();
                sum += size * norm_squared(sub(rest[i], rest[j as usize]));
            }
        }
        if sum.is_finite() { sum } else { 0.0 }
    }

    /// Forces at a state, into `now`.
    fn look(&mut self, system: &mut System, state: &State) -> Result<(), DynamicsError> {
        let Self { now: Forces { loads, supports, damping, by_stiffness }, still, .. } = self;
        let at = state.configuration();
        load_forces(system, &at, loads)?;
        if system.constraints().moves() {
            // What holds the body in place of its own forces: in a step areas of contact were those of its start.
            let stepped = self.time < state.time && self.rule != LoadRule::Rest;
            let settled = stepped.then_some(&self.x[..]);
            system.forces(&Configuration { settled, ..at }, supports, false)?;
            let mut held = system.constraints().vertices().iter().peekable();
            for (v, g) in supports.iter_mut().enumerate() {
                match held.next_if(|held| held.vertex as usize == v) {
                    Some(held) => *g = sub(held.filtered(*g), *g),
                    None => *g = [0.0; 3],
                }
            }
        }
        damping_forces(system, &at, still, damping)?;
        if !system.secant_damping(&at, by_stiffness)? {
            system.add_stiffness_damping(&at, damping)?;
        }
        Ok(())
    }

    /// Work of loads within the step, J: Simpson's rule, with the force in the middle of the cubic.
    fn load_work(&mut self, system: &mut System, state: &State) -> Result<f64, DynamicsError> {
        let (h, rule) = (state.time - self.time, self.rule);
        let loaded = system.entries.iter().any(|e| e.role == Role::Load);
        let moves = |v: &[Vec3]| v.iter().any(|v| *v != [0.0; 3]);
        let in_motion = rule != LoadRule::Rest && (moves(&self.v) || moves(&state.v));
        if !(loaded && h > 0.0 && in_motion) {
            let Self { before, now, x, .. } = self;
            return Ok(-trapezoid(&before.loads, &now.loads, x, &state.x));
        }
        let Self { x, v, middle_x, middle_v, middle, before, now, .. } = self;
        let bow = if rule == LoadRule::Cubic { 0.125 * h } else { 0.0 };
        for i in 0..x.len() {
            let (x0, x1, v0, v1) = (x[i], state.x[i], v[i], state.v[i]);
            middle_x[i] = std::array::from_fn(|k| 0.5 * (x0[k] + x1[k]) + bow * (v0[k] - v1[k]));
            middle_v[i] =
                std::array::from_fn(|k| 1.5 * (x1[k] - x0[k]) / h - 0.25 * (v0[k] + v1[k]));
        }
        let at = Configuration {
            memory: &state.memory,
            ..Configuration::new(middle_x, middle_v, self.time + 0.5 * h)
        };
        load_forces(system, &at, middle)?;
        if let LoadRule::Chord(weights) = rule {
            let [first, middle, last] =
                [&before.loads, &*middle, &now.loads].map(|g| trapezoid(g, g, x, &state.x));
            return Ok(-(weights[0] * first + weights[1] * middle + weights[2] * last));
        }
        let power = |g: &[Vec3], v: &[Vec3]| g.iter().zip(v).map(|(g, v)| dot(*g, *v)).sum::<f64>();
        let ends = power(&before.loads, v) + power(&now.loads, &state.v);
        Ok(-h / 6.0 * (ends + 4.0 * power(middle, middle_v)))
    }

    /// Work of supports that move, J.
    fn support_work(&mut self, system: &mut System, state: &State) -> f64 {
        if !system.constraints().moves() {
            return 0.0;
        }
        let Self { x, v, middle_v: change, middle: momentum, before, now, .. } = self;
        let work = -trapezoid(&before.supports, &now.supports, x, &state.x);
        if system.is_massless() || self.rule == LoadRule::Rest {
            return work;
        }
        for ((d, v), now) in change.iter_mut().zip(&*v).zip(&state.v) {
            *d = sub(*now, *v);
        }
        system.multiply_mass(change, momentum);
        let given = system.constraints().vertices().iter().map(|held| {
            let i = held.vertex as usize;
            let impulse = sub(momentum[i], held.filtered(momentum[i]));
            let mean = std::array::from_fn(|k| 0.5 * (v[i][k] + state.v[i][k]));
            dot(impulse, mean)
        });
        work + given.sum::<f64>()
    }

    /// Takes in the state after a step. On error nothing has changed.
    pub fn record(&mut self, system: &mut System, state: &State) -> Result<Balance, DynamicsError> {
        self.look(system, state)?;
        let energies = stored(system, state)?;
        let loads = self.load_work(system, state)?;
        let work = loads + self.support_work(system, state);
        let Self { before, now, x, time, .. } = self;
        let mut dissipated = trapezoid(&before.damping, &now.damping, x, &state.x);
        // ∫ vᵀ β K v dt, with the mean of K v over the step, Δf/h, and that of v, Δx/h.
        let h = state.time - *time;
        if h > 0.0 {
            let ends = now.by_stiffness.iter().zip(&before.by_stiffness);
            let ends = ends.zip(state.x.iter().zip(&*x));
            dissipated +=
                ends.map(|((a, b), (to, from))| dot(sub(*a, *b), sub(*to, *from))).sum::<f64>() / h;
        }
        Ok(self.enter(state, energies, work, dissipated))
    }

    /// Takes in a state of rest to which loads were brought up from none, and supports moved, slowly. Where all forces of
    /// the body come from an energy, the work that this takes is the energy that it stores, whatever the path; what gravity
    /// does on the way, as it is brought up too, is half of what it does at its full size.
    pub fn record_rest(
        &mut self,
        system: &mut System,
        state: &State,
    ) -> Result<Balance, DynamicsError> {
        self.look(system, state)?;
        let energies = stored(system, state)?;
        let own = |e: &Entry| !matches!(e.role, Role::Load | Role::Gravity);
        let mut known = system.entries.iter().filter(|e| own(e));
        let known = known.all(|e| e.character.has_potential_at_rest());
        let work = if known {
            let was = self.balance.energies;
            let change = |of: fn(&Energies) -> f64| of(&energies) - of(&was);
            change(|e| e.elastic + e.memory)
                + change(|e| e.other)
                + 0.5 * change(|e| e.gravity)
                + state.dissipated
                - self.by_memory
        } else {
            let Self { before, now, still, x, .. } = self;
            -trapezoid(still, &now.loads, x, &state.x)
                - trapezoid(&before.supports, &now.supports, x, &state.x)
        };
        Ok(self.enter(state, energies, work, 0.0))
    }

    /// Makes the entries of a step.
    fn enter(&mut self, state: &State, energies: Energies, work: f64, dissipated: f64) -> Balance {
        // What models with memory have dissipated they know exactly.
        let dissipated = dissipated + (state.dissipated - self.by_memory);
        self.by_memory = state.dissipated;
        let Self { x, v, middle, balance, .. } = self;
        for ((d, x), now) in middle.iter_mut().zip(&*x).zip(&state.x) {
            *d = sub(*now, *x);
        }
        balance.uncertain += self.residual * norm(middle);
        x.copy_from_slice(&state.x);
        v.copy_from_slice(&state.v);
        (self.time, self.residual) = (state.time, 0.0);
        std::mem::swap(&mut self.now, &mut self.before);
        self.add(energies, work, dissipated)
    }

    /// Adds what a step has done to the sums.
    fn add(&mut self, energies: Energies, work: f64, dissipated: f64) -> Balance {
        let balance = &mut self.balance;
        balance.external_work += work;
        balance.dissipated += dissipated;
        balance.energies = energies;
        balance.numerical_loss =
            self.start + balance.external_work - balance.dissipated - energies.total();
        self.ways[0] += work.abs();
        self.ways[1] += dissipated.abs();
        self.balance.through = self.balance.through.max(self.largest());
        self.balance
    }

    /// The largest energy in one place now, or that went one way so far, J.
    fn largest(&self) -> f64 {
        let Energies { kinetic, elastic, memory, gravity, load: _, other } = self.balance.energies;
        let [work, dissipation] = self.ways;
        let all = [kinetic, elastic, memory, gravity - self.gravity, other, work, dissipation];
        all.iter().fold(0.0, |most, part| part.abs().max(most))
    }

    /// As it stands.
    pub fn balance(&self) -> Balance {
        self.balance
    }
}

/// Energies without those of loads, which count as work.
fn stored(system: &mut System, state: &State) -> Result<Energies, ForceError> {
    Ok(Energies { load: 0.0, ..system.energies(state)? })
}

/// ∫ g dx by the trapezoidal rule.
fn trapezoid(before: &[Vec3], after: &[Vec3], from: &[Vec3], to: &[Vec3]) -> f64 {
    let ends = before.iter().zip(after).zip(from.iter().zip(to));
    ends.map(|((&b, &a), (&from, &to))| {
        0.5 * dot([a[0] + b[0], a[1] + b[1], a[2] + b[2]], sub(to, from))
    })
    .sum()
}

/// Σ g of what does work from outside.
fn load_forces(
    system: &mut System,
    at: &Configuration<'_>,
    g: &mut [Vec3],
) -> Result<(), ForceError> {
    g.fill([0.0; 3]);
    let loads = |entry: &Entry| (entry.role == Role::Load).then_some(1.0);
    system.add_forces_of(at, loads, g)
}

/// Σ g of what takes energy out, but for damping by stiffness. Of models that store energy too, what they do besides at
/// rest counts; models with memory say themselves what they have dissipated.
fn damping_forces(
    system: &mut System,
    at: &Configuration<'_>,
    still: &[Vec3],
    g: &mut [Vec3],
) -> Result<(), ForceError> {
    g.fill([0.0; 3]);
    let takes = |entry: &Entry| {
        entry.role != Role::Load
            && entry.character.memory.is_none()
            && !matches!(entry.character.energy, Energy::Conservative | Energy::Incremental)
    };
    system.add_forces_of(at, |entry| takes(entry).then_some(1.0), g)?;
    let stores = |entry: &Entry| takes(entry) && entry.character.energy == Energy::Stored;
    let at_rest = at.with_velocities(still);
    system.add_forces_of(&at_rest, |entry| stores(entry).then_some(-1.0), g)
}

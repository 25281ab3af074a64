//! [`Ledger`]: where the energy of a motion came from and went to, step by step.

use pliant_algebra::vec3::{Vec3, dot, sub};
use pliant_forces::{Energy, ForceError};

use crate::system::Entry;
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
    /// What is missing from the sum of all these: the loss of the method itself, and the error of the
    /// trapezoidal rule by which works are summed up, which is of order 2.
    pub numerical_loss: f64,
}

/// Keeps the balance of a motion. Forces are summed up over displacements by the trapezoidal rule, which
/// is exact where they are constant or linear along the step.
#[derive(Debug, Clone)]
pub struct Ledger {
    start: f64,
    balance: Balance,
    x: Vec<Vec3>,
    /// Energy dissipated by models with memory up to the last state, J.
    by_memory: f64,
    /// Forces at the last state: of loads and moving supports, and of what dissipates.
    work: Vec<Vec3>,
    damping: Vec<Vec3>,
    /// The same at the state that is taken in.
    now: Vec<Vec3>,
    damping_now: Vec<Vec3>,
    still: Vec<Vec3>,
    reactions: Vec<(u32, Vec3)>,
}

impl Ledger {
    /// Opens it.
    pub fn new(system: &mut System, state: &State) -> Result<Self, DynamicsError> {
        state.check(system.vertices())?;
        let zero = vec![[0.0; 3]; system.vertices()];
        let mut ledger = Self {
            start: 0.0,
            balance: Balance::default(),
            x: state.x.clone(),
            by_memory: state.dissipated,
            work: zero.clone(),
            damping: zero.clone(),
            now: zero.clone(),
            damping_now: zero.clone(),
            still: zero,
            reactions: Vec::new(),
        };
        ledger.work_forces(system, state)?;
        std::mem::swap(&mut ledger.now, &mut ledger.work);
        let Self { still, damping, .. } = &mut ledger;
        damping_forces(system, state, still, damping)?;
        ledger.balance.energies = stored(system, state)?;
        ledger.start = ledger.balance.energies.total();
        Ok(ledger)
    }

    /// Goes on from a checkpoint: what a ledger had written when the state was this one. Forces at the state are
    /// evaluated again, which gives the bits they had: `record` has evaluated the same models at the same state.
    pub fn resume(
        system: &mut System,
        state: &State,
        start: f64,
        balance: Balance,
    ) -> Result<Self, DynamicsError> {
        Ok(Self { start, balance, ..Self::new(system, state)? })
    }

    /// The energy it was opened with, J.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// What loads and moving supports push with, into `now`.
    fn work_forces(&mut self, system: &mut System, state: &State) -> Result<(), DynamicsError> {
        load_forces(system, state, &mut self.now)?;
        if system.constraints().moves() {
            system.reactions(state, &mut self.reactions)?;
            for &(v, force) in &self.reactions {
                // As a gradient, like the others.
                let g = &mut self.now[v as usize];
                *g = sub(*g, force);
            }
        }
        Ok(())
    }

    /// Takes in the state after a step. On error nothing has changed.
    pub fn record(&mut self, system: &mut System, state: &State) -> Result<Balance, DynamicsError> {
        self.work_forces(system, state)?;
        let Self { still, damping_now, .. } = self;
        damping_forces(system, state, still, damping_now)?;
        let energies = stored(system, state)?;
        self.balance.external_work -= trapezoid(&self.work, &self.now, &self.x, &state.x);
        self.balance.dissipated += trapezoid(&self.damping, &self.damping_now, &self.x, &state.x);
        std::mem::swap(&mut self.now, &mut self.work);
        // What models with memory have dissipated they know exactly.
        self.balance.dissipated += state.dissipated - self.by_memory;
        self.by_memory = state.dissipated;
        std::mem::swap(&mut self.damping_now, &mut self.damping);
        self.x.copy_from_slice(&state.x);
        self.balance.energies = energies;
        self.balance.numerical_loss = self.start + self.balance.external_work
            - self.balance.dissipated
            - self.balance.energies.total();
        Ok(self.balance)
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
fn load_forces(system: &mut System, state: &State, g: &mut [Vec3]) -> Result<(), ForceError> {
    g.fill([0.0; 3]);
    let loads = |entry: &Entry| (entry.role == Role::Load).then_some(1.0);
    system.add_forces_of(&state.configuration(), loads, g)
}

/// Σ g of what takes energy out. Of models that store energy too, what they do besides at rest counts.
fn damping_forces(
    system: &mut System,
    state: &State,
    still: &[Vec3],
    g: &mut [Vec3],
) -> Result<(), ForceError> {
    g.fill([0.0; 3]);
    let at = state.configuration();
    let takes = |entry: &Entry| {
        entry.role != Role::Load
            && !matches!(entry.character.energy, Energy::Conservative | Energy::Incremental)
    };
    system.add_forces_of(&at, |entry| takes(entry).then_some(1.0), g)?;
    let stores = |entry: &Entry| takes(entry) && entry.character.energy == Energy::Stored;
    let at_rest = at.with_velocities(still);
    system.add_forces_of(&at_rest, |entry| stores(entry).then_some(-1.0), g)?;
    system.add_stiffness_damping(&at, g)
}

//! [`Ledger`]: where the energy of a motion came from and went to, step by step.

use pliant_algebra::vec3::{Vec3, dot, sub};
use pliant_forces::model::State as Place;
use pliant_forces::{Ask, ForceError};

use crate::implicit::place;
use crate::system::factor;
use crate::vector::add_scaled;
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
    /// Forces at the last state: of loads and moving supports, and of what dissipates.
    work: Vec<Vec3>,
    damping: Vec<Vec3>,
    now: Vec<Vec3>,
    still: Vec<Vec3>,
    reactions: Vec<(u32, Vec3)>,
}

/// What a model's force counts as.
#[derive(Clone, Copy, PartialEq)]
enum Account {
    Work,
    Damping,
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
            work: zero.clone(),
            damping: zero.clone(),
            now: zero.clone(),
            still: zero,
            reactions: Vec::new(),
        };
        ledger.work_forces(system, state)?;
        std::mem::swap(&mut ledger.now, &mut ledger.work);
        let Self { still, damping, .. } = &mut ledger;
        forces(system, &place(state), Account::Damping, still, damping)?;
        ledger.balance.energies = stored(system, state)?;
        ledger.start = ledger.balance.energies.total();
        Ok(ledger)
    }

    /// Goes on from a checkpoint: what a ledger had written when the state was this one.
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
        forces(system, &place(state), Account::Work, &self.still, &mut self.now)?;
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

    /// Takes in the state after a step.
    pub fn record(&mut self, system: &mut System, state: &State) -> Result<Balance, DynamicsError> {
        self.work_forces(system, state)?;
        self.balance.external_work -= trapezoid(&self.work, &self.now, &self.x, &state.x);
        std::mem::swap(&mut self.now, &mut self.work);
        forces(system, &place(state), Account::Damping, &self.still, &mut self.now)?;
        self.balance.dissipated += trapezoid(&self.damping, &self.now, &self.x, &state.x);
        std::mem::swap(&mut self.now, &mut self.damping);
        self.x.copy_from_slice(&state.x);
        self.balance.energies = stored(system, state)?;
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

/// Σ g of the models of one account. Of models that store energy and take some out, what they do besides
/// at rest counts.
fn forces(
    system: &mut System,
    place: &Place<'_>,
    account: Account,
    still: &[Vec3],
    g: &mut [Vec3],
) -> Result<(), ForceError> {
    g.fill([0.0; 3]);
    for (role, model) in &mut system.models {
        let its = match role {
            Role::Load => Account::Work,
            _ if !model.has_energy() => Account::Damping,
            _ => continue,
        };
        if its == account {
            system.part.fill([0.0; 3]);
            model.add(place, &mut Ask { gradient: Some(&mut system.part), ..Ask::default() })?;
            let factor = factor(*role, system.load_factor);
            add_scaled(g, &system.part, factor);
            if its == Account::Damping && model.stores_energy() {
                system.part.fill([0.0; 3]);
                let at_rest = Place { v: still, ..*place };
                let mut ask = Ask { gradient: Some(&mut system.part), ..Ask::default() };
                model.add(&at_rest, &mut ask)?;
                add_scaled(g, &system.part, -factor);
            }
        }
    }
    Ok(())
}

//! One balance of a system whose parts are stepped as systems of their own: each part has a ledger, and the ledger of the whole adds up
//! what they record.

use super::{Ledger, LoadRule};
use crate::{DynamicsError, Energies, State, System};

/// What the ledger of a part has recorded since it was last asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PartEntries {
    energies: Energies,
    /// J
    work: f64,
    dissipated: f64,
    uncertain: f64,
}

impl PartEntries {
    /// Sums of both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let (a, b) = (&self.energies, &other.energies);
        let energies = Energies {
            kinetic: a.kinetic + b.kinetic,
            elastic: a.elastic + b.elastic,
            memory: a.memory + b.memory,
            gravity: a.gravity + b.gravity,
            load: a.load + b.load,
            other: a.other + b.other,
        };
        Self {
            energies,
            work: self.work + other.work,
            dissipated: self.dissipated + other.dissipated,
            uncertain: self.uncertain + other.uncertain,
        }
    }
}

impl Ledger {
    /// Opens the ledger of a part, whose state counts what was dissipated from here on.
    pub fn of_part(
        system: &mut System,
        state: &mut State,
        rule: LoadRule,
    ) -> Result<Self, DynamicsError> {
        state.dissipated = 0.0;
        Ok(Self::opened(system, state)?.with_rule(rule))
    }

    /// Hands over what was recorded since this was last called, and counts anew from the state of the part, its last one.
    /// Returns also what its models with memory have dissipated meanwhile, J.
    pub fn drain(&mut self, state: &mut State) -> (PartEntries, f64) {
        let balance = self.balance;
        let entries = PartEntries {
            energies: balance.energies,
            work: balance.external_work,
            dissipated: balance.dissipated,
            uncertain: balance.uncertain,
        };
        (self.balance.external_work, self.balance.dissipated) = (0.0, 0.0);
        self.balance.uncertain = 0.0;
        self.by_memory = 0.0;
        (entries, std::mem::take(&mut state.dissipated))
    }

    /// Takes in a step that was recorded by the ledgers of all parts. Forces at the state are not known afterwards: before a
    /// step of the whole [`Ledger::catch_up`] finds them.
    pub fn record_parts(&mut self, entries: &PartEntries) {
        self.balance.uncertain += entries.uncertain;
        self.add(entries.energies, entries.work, entries.dissipated);
    }

    /// Goes on from a state that parts have led to, with steps of the whole system.
    pub fn catch_up(&mut self, system: &mut System, state: &State) -> Result<(), DynamicsError> {
        self.look(system, state)?;
        std::mem::swap(&mut self.now, &mut self.before);
        self.x.copy_from_slice(&state.x);
        self.v.copy_from_slice(&state.v);
        (self.time, self.by_memory, self.residual) = (state.time, state.dissipated, 0.0);
        Ok(())
    }
}

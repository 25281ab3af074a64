//! Symplectic Euler: v₁ = v₀ + h a(x₀, v₀), x₁ = x₀ + h v₁.

use pliant_sections::Sections;

use super::entry::{IntegratorEntry, explicit};
use super::{ExplicitScheme, Method, Next};
use crate::vector::set_sum;
use crate::{DynamicsError, State, System};

/// Order 1, stable for h ω below 2, without drift of energy.
#[derive(Debug, Clone, Copy)]
pub struct SymplecticEuler;

impl Method for SymplecticEuler {
    fn name(&self) -> &'static str {
        "symplectic-euler"
    }

    fn order(&self) -> usize {
        1
    }

    /// Nothing: a step depends on the state alone.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, _: &System) -> Result<(), DynamicsError> {
        Ok(())
    }
}

impl ExplicitScheme for SymplecticEuler {
    fn takes_velocity_forces(&self) -> bool {
        true
    }

    fn advance(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        next: &mut Next,
    ) -> Result<bool, DynamicsError> {
        system.accelerations(&state.configuration(), &mut next.a)?;
        set_sum(&mut next.v, &state.v, &next.a, h);
        set_sum(&mut next.x, &state.x, &next.v, h);
        Ok(false)
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "symplectic-euler",
    about: "explicit, order 1; no drift of energy",
    make: |_| explicit(SymplecticEuler),
    ..IntegratorEntry::SYMPLECTIC
};

//! Störmer-Verlet in its velocity form: v½ = v₀ + h/2 a₀, x₁ = x₀ + h v½, v₁ = v½ + h/2 a₁.

use pliant_sections::Sections;

use super::entry::{IntegratorEntry, explicit};
use super::{ExplicitScheme, Method, Next};
use crate::vector::{add_scaled, set_sum};
use crate::{DynamicsError, State, System};

/// Order 2, symplectic, stable for h ω up to 2; keeps linear and angular momentum. One evaluation of
/// forces a step.
#[derive(Debug, Clone, Copy)]
pub struct Verlet;

impl Method for Verlet {
    fn name(&self) -> &'static str {
        "verlet"
    }

    fn order(&self) -> usize {
        2
    }

    /// Nothing: a step depends on the state alone.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, _: &System) -> Result<(), DynamicsError> {
        Ok(())
    }
}

impl ExplicitScheme for Verlet {
    fn takes_velocity_forces(&self) -> bool {
        false
    }

    fn advance(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        next: &mut Next,
    ) -> Result<bool, DynamicsError> {
        drift(system, state, h, next)?;
        let end = state.ahead(&next.x, &next.v, state.time + h, h);
        system.accelerations(&end, &mut next.a)?;
        add_scaled(&mut next.v, &next.a, 0.5 * h);
        Ok(true)
    }
}

/// The first half: positions of the end, velocities of the middle.
pub(super) fn drift(
    system: &mut System,
    state: &State,
    h: f64,
    next: &mut Next,
) -> Result<(), DynamicsError> {
    if state.knows_acceleration {
        next.a.copy_from_slice(&state.a);
    } else {
        system.accelerations(&state.configuration(), &mut next.a)?;
    }
    set_sum(&mut next.v, &state.v, &next.a, 0.5 * h);
    set_sum(&mut next.x, &state.x, &next.v, h);
    system.constraints().impose_positions(state.time + h, &mut next.x);
    Ok(())
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "verlet",
    about: "explicit, order 2; symplectic, one evaluation a step; no damping",
    make: |_| explicit(Verlet),
    ..IntegratorEntry::SYMPLECTIC
};

//! Central differences: a_n = (x₁ − 2 x₀ + x₋₁)/h², v_n = (x₁ − x₋₁)/2h, written for velocities between
//! the steps as v½ = v₀ + h/2 a₀, x₁ = x₀ + h v½, v₁ = v½ + h/2 a₁.
//!
//! Where forces depend on velocities, a₁ and v₁ are found together from (M + h/2 D) (v₁ − v½) =
//! −h/2 g(x₁, v½), D = ∂g/∂v: exact if damping is linear, and still of order 2 if not. The matrix is factored
//! only where it differs from the last one, so once for all where damping is linear; otherwise every so many
//! steps, which keeps the order, as D changes little in between.

use pliant_sections::Sections;

use super::damped_mass::DampedMass;
use super::entry::{IntegratorEntry, explicit};
use super::options::{REFACTOR_EVERY, TOLERANCE};
use super::verlet::drift;
use super::{ExplicitScheme, Method, Next};
use crate::vector::add_scaled;
use crate::{DynamicsError, State, System};

/// Order 2, stable for h ω up to 2. Without damping it is Verlet's method.
pub struct CentralDifferences {
    damped: Option<bool>,
    matrix: Option<DampedMass>,
    /// Steps between factorisations, since the last one, and its step length.
    period: usize,
    age: usize,
    h: f64,
}

impl Default for CentralDifferences {
    fn default() -> Self {
        Self::new()
    }
}

impl CentralDifferences {
    /// With D of every step.
    pub fn new() -> Self {
        Self { damped: None, matrix: None, period: 1, age: 0, h: 0.0 }
    }

    /// With a new D every `period` steps.
    pub fn refactored_every(period: usize) -> Result<Self, DynamicsError> {
        if period == 0 {
            let accepted = "a whole number of 1 or more is needed";
            let what = "steps between factorisations";
            return Err(DynamicsError::Setting { what, found: 0.0, accepted });
        }
        Ok(Self { period, ..Self::new() })
    }

    /// v₁ and a₁ with damping, from v½ in `next.v`.
    fn damped_kick(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        next: &mut Next,
    ) -> Result<(), DynamicsError> {
        let matrix = match &mut self.matrix {
            Some(matrix) if matrix.serves(system) => matrix,
            other => {
                self.age = 0;
                other.insert(DampedMass::new(system)?)
            }
        };
        let end = state.ahead(&next.x, &next.v, state.time + h, h);
        if self.age == 0 || self.h != h {
            (self.age, self.h) = (0, h);
            matrix.renew(system, &end, h)?;
        }
        matrix.accelerations(system, &end, &mut next.a)?;
        self.age = (self.age + 1) % self.period;
        Ok(())
    }
}

impl Method for CentralDifferences {
    fn name(&self) -> &'static str {
        "central-differences"
    }

    fn order(&self) -> usize {
        2
    }

    /// Whether there is damping, and between two factorisations the matrix of the last one.
    fn save(&self, to: &mut Sections) {
        let mut section = to.write("central differences");
        section.flag(self.damped.is_some()).flag(self.damped == Some(true));
        section.count(self.age).number(self.h);
        let kept = self.matrix.as_ref().filter(|_| self.age > 0);
        section.flag(kept.is_some());
        if let Some(matrix) = kept {
            matrix.save(&mut section);
        }
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        let mut section = from.read("central differences")?;
        let (known, damped) = (section.flag()?, section.flag()?);
        let (age, h, kept) = (section.count()?, section.number()?, section.flag()?);
        if age >= self.period || kept != (age > 0) {
            let found = format!("a matrix of {age} steps ago, made every {} steps", self.period);
            return Err(section.wrong(found).into());
        }
        if kept {
            let mut matrix = DampedMass::new(system)?;
            matrix.load(&mut section, system)?;
            self.matrix = Some(matrix);
        }
        section.finish()?;
        (self.damped, self.age, self.h) = (known.then_some(damped), age, h);
        Ok(())
    }

    fn forget(&mut self) {
        self.age = 0;
    }
}

impl ExplicitScheme for CentralDifferences {
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
        let damped = match self.damped {
            Some(damped) => damped,
            None => *self.damped.insert(system.is_damped()),
        };
        drift(system, state, h, next)?;
        let time = state.time + h;
        if damped {
            self.damped_kick(system, state, h, next)?;
        } else {
            let end = state.ahead(&next.x, &next.v, time, h);
            system.accelerations(&end, &mut next.a)?;
        }
        add_scaled(&mut next.v, &next.a, 0.5 * h);
        system.collide([&state.x, &state.v], h, &next.x, [&mut next.v, &mut next.a]);
        Ok(true)
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "central-differences",
    about: "explicit, order 2; as verlet, with damping",
    options: &[REFACTOR_EVERY, TOLERANCE],
    make: |o| explicit(CentralDifferences::refactored_every(o.refactor_every)?),
    ..IntegratorEntry::SYMPLECTIC
};

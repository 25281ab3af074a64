//! A point on three springs.

use pliant_forces::{Ask, Character, Configuration, ForceError, ForceModel, Slots, Workspace};

/// Π = ½ Σ kᵢ xᵢ² at one vertex.
pub struct Spring {
    stiffness: [f64; 3],
    place: u32,
}

impl Spring {
    /// N/m along each axis.
    pub fn new(stiffness: [f64; 3]) -> Self {
        Self { stiffness, place: 0 }
    }
}

impl ForceModel for Spring {
    fn name(&self) -> &'static str {
        "spring"
    }
    fn character(&self) -> Character {
        Character::POTENTIAL
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        couple(0, 0);
    }
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.place = slots.get(0, 0)?.index();
        Ok(())
    }
    fn evaluate(
        &self,
        state: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        for i in 0..3 {
            let (k, x) = (self.stiffness[i], state.x[0][i]);
            if let Some(energy) = ask.energy.as_deref_mut() {
                *energy += 0.5 * k * x * x;
            }
            if let Some(g) = ask.gradient.as_deref_mut() {
                g[0][i] += k * x;
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                tangent[self.place as usize][4 * i] += ask.position_weight * k;
            }
        }
        Ok(())
    }
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

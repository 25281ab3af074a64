//! A point on three springs.

use pliant_forces::{Ask, ForceError, ForceModel};

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
    fn is_symmetric(&self) -> bool {
        true
    }
    fn has_energy(&self) -> bool {
        true
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        couple(0, 0);
    }
    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.place = slot(0, 0).0;
    }
    fn add(
        &mut self,
        state: &pliant_forces::State<'_>,
        ask: &mut Ask<'_>,
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
    fn largest_step(&self, _: &pliant_forces::State<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

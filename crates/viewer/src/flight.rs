//! Whether bodies have flown apart. An explicit method with too large a step grows from step to step until numbers end; what comes
//! before that is nothing to be shown.

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_scene::{SceneError, Simulation};

/// A body that is so many times as large as at rest has flown apart.
const LARGEST: f64 = 100.0;

/// An error if one has, or if an energy is no number.
pub(crate) fn check(simulation: &Simulation) -> Result<(), SceneError> {
    let state = simulation.state();
    let hint = "take a smaller step, or an implicit integrator";
    for body in &simulation.bodies {
        let (x, most) = (&state.x[body.range.clone()], LARGEST * body.size());
        let first = x.first().copied().unwrap_or_default();
        let near = |at: &Vec3| norm(sub(*at, first)) <= most;
        if !x.iter().all(near) {
            let text = format!("body '{}' flew apart at t = {:.3} s", body.name, state.time);
            return Err(SceneError::computation(text).hint(hint));
        }
    }
    let b = simulation.balance();
    let sum = b.energies.total() + b.external_work + b.dissipated + b.numerical_loss;
    if !sum.is_finite() {
        let text = format!("the energies are no numbers any more at t = {:.3} s", state.time);
        return Err(SceneError::computation(text).hint(hint));
    }
    Ok(())
}

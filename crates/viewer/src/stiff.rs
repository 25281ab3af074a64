//! How stiff a spring may be at all.

use pliant_scene::Simulation;

/// Of m/h², for methods whose steps have a limit: of what such a method takes, the body itself may need nearly
/// all.
const PART: f64 = 0.2;

/// The stiffness that was asked for, or the highest that the method of the scene can take at these vertices, N/m.
/// Implicit methods take any.
pub(crate) fn admitted(asked: f64, nodes: &[(u32, f64)], simulation: &Simulation) -> f64 {
    let time = simulation.time();
    if !time.integrator.imaginary_interval().is_finite() {
        return asked;
    }
    // 1/m = Σ w²/m of the point.
    let mut inverse = 0.0;
    for &(v, w) in nodes {
        let v = v as usize;
        if let Some(body) = simulation.bodies.iter().find(|b| b.range.contains(&v)) {
            inverse += w * w / body.masses()[v - body.range.start];
        }
    }
    asked.min(PART / (inverse.max(f64::MIN_POSITIVE) * time.step * time.step))
}

//! A free body that flies, spins and vibrates.

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_dynamics::{IntegratorName, State, System};

use super::{Body, strict};

/// The methods that keep angular momentum, whatever the step. All are symplectic.
pub const KEEP_ANGULAR_MOMENTUM: [IntegratorName; 5] = [
    IntegratorName::SymplecticEuler,
    IntegratorName::Verlet,
    IntegratorName::CentralDifferences,
    IntegratorName::ExplicitNewmark,
    IntegratorName::ImplicitMidpoint,
];

/// A free neo-Hookean block that flies, spins and vibrates.
pub fn spinning(consistent: bool) -> (System, State) {
    let body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let (system, mut state) = if consistent { body.consistent_system() } else { body.system() };
    System::spin(&mut state, [0.5, 0.15, 0.15], [0.3, -1.0, 2.0]);
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [v[0] + 0.5 + 0.1 * x[0], v[1] - 0.2, v[2] + 0.1 * x[1]];
    }
    (system, state)
}

/// The largest changes of linear and angular momentum, relative to what they are.
pub fn drift(name: IntegratorName, h: f64, steps: usize, consistent: bool) -> (f64, f64) {
    let (mut system, mut state) = spinning(consistent);
    let mut integrator = name.build(&strict()).unwrap();
    let (linear, angular) = system.momenta(&state);
    let mut worst = (0.0_f64, 0.0_f64);
    let relative = |now: Vec3, then: Vec3| norm(sub(now, then)) / norm(then);
    for _ in 0..steps {
        integrator.step(&mut system, &mut state, h).unwrap();
        let now = system.momenta(&state);
        worst = (worst.0.max(relative(now.0, linear)), worst.1.max(relative(now.1, angular)));
    }
    println!("| {} | {:.1e} | {:.1e} |", name.name(), worst.0, worst.1);
    worst
}

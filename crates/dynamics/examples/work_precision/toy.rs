//! The toy problem of VirTis (figure 3.7): a mass on a spring with a damper, pulled down by gravity.

use pliant_dynamics::{DynamicsError, Mass, Role, State, System};
use pliant_forces::ForceModel;
use pliant_forces::damping::LinearDamping;
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::springs::{Attachment, Attachments, End, Point};

const MASS: f64 = 0.1;
const STIFFNESS: f64 = 100.0;
const LENGTH: f64 = -1.0;
const DAMPING: f64 = 1.0;
const GRAVITY: f64 = -10.0;

/// m z″ = k (l₀ − z) − d z′ + m g from z = l₀, z′ = −5 m/s.
pub(crate) fn toy() -> Result<(System, State), DynamicsError> {
    let rest = [[0.0, 0.0, LENGTH]];
    let spring = Attachment::new(Point::vertex(0), End::Fixed(rest[0]), STIFFNESS);
    let spring = Attachments::new(1, vec![spring])?;
    let damper = LinearDamping::mass_proportional(&[MASS], DAMPING / MASS)?;
    let weight = DeadLoad::gravity(&rest, &[MASS], [0.0, 0.0, GRAVITY], TimeCurve::default())?;
    let models: Vec<(Role, Box<dyn ForceModel>)> = vec![
        (Role::Elastic, Box::new(spring)),
        (Role::Damping, Box::new(damper)),
        (Role::Gravity, Box::new(weight)),
    ];
    let system = System::new(&rest, models)?.with_mass(Mass::Lumped(vec![MASS]))?;
    Ok((system, State::new(&rest, &[[0.0, 0.0, -5.0]], 0.0)))
}

/// z and z′ at a time, in closed form. The matrix beside figure 3.7 has the wrong sign on k l₀ / m; this is
/// the solution of the scalar equation.
pub(crate) fn exact(t: f64) -> [f64; 2] {
    let root = 39.0_f64.sqrt();
    let (a, b) = (-33.0 * root / 1300.0, 0.01);
    let (s, c) = (5.0 * root * t).sin_cos();
    let decay = (-5.0 * t).exp();
    let z = decay * (a * s + b * c) - 1.01;
    let v = decay * (5.0 * root * (a * c - b * s) - 5.0 * (a * s + b * c));
    [z, v]
}

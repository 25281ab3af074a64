//! Bodies in motion: the swinging cube, a spinning bar, falling bodies.

use std::f64::consts::{FRAC_PI_2, PI};

use pliant_algebra::vec3::{Vec3, add, norm, sub};
use pliant_dynamics::{Form, IntegratorName, NewtonSettings, Options, System};
use pliant_forces::ElementName;
use pliant_materials::Constants;
use pliant_solvers::{Choice, SolverName};

use crate::body::{Body, Elastic, strict};
use crate::{Progress, Row, VerifyError, shapes};

fn options() -> Options {
    let solver = Choice { solver: SolverName::Cholesky, ..Choice::default() };
    Options { newton: strict(), solver, ..Options::default() }
}

/// A unit cube on rollers at X, Y, Z = 0, held along the sides X, Y, Z = 1: u = U₀ cos(ωt) of products of sines
/// and cosines (Gil, Lee and Bonet). Cells and steps are refined together.
pub(crate) fn swinging_cube(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (lambda, mu, density, u0): (f64, f64, f64, f64) = (1.5e6, 1e6, 1000.0, 1e-5);
    let mut rows = Vec::new();
    for (amplitudes, modulus, text) in
        [([1.0, 1.0, 1.0], lambda + 2.0 * mu, "A = B = C"), ([1.0, 1.0, -2.0], mu, "A + B + C = 0")]
    {
        let omega = 3.0_f64.sqrt() * FRAC_PI_2 * (modulus / density).sqrt();
        let field = |x: Vec3| {
            let [s, c] = [x.map(|x| (FRAC_PI_2 * x).sin()), x.map(|x| (FRAC_PI_2 * x).cos())];
            [
                u0 * amplitudes[0] * s[0] * c[1] * c[2],
                u0 * amplitudes[1] * c[0] * s[1] * c[2],
                u0 * amplitudes[2] * c[0] * c[1] * s[2],
            ]
        };
        let mut errors = [0.0_f64; 3];
        for (k, n) in [3_usize, 6, 12].into_iter().enumerate() {
            progress(&format!("{text}, {n}³ hex8"));
            let hex = ElementName::Hex8;
            let stuff = Elastic::new("linear", &Constants::Lame { lambda, mu })?;
            let mut body = Body::new(shapes::block([1.0; 3], [n; 3], hex)?, hex, &stuff)?;
            body.prescribe(|x| {
                // The normal at 0; both tangents at 1.
                std::array::from_fn(|k| {
                    let held = x[k] == 0.0 || (0..3).any(|j| j != k && x[j] == 1.0);
                    held.then_some(0.0)
                })
            })?;
            let mut built = body.build_consistent(density)?;
            for v in 0..built.mesh().vertex_count() as u32 {
                let (at, rest) = (built.number(v), built.mesh().vertices[v as usize]);
                built.state.x[at] = add(rest, field(rest));
            }
            built.state.restart();
            // Linear: one factorisation serves all steps.
            let form = Form::Simplified { slowest: 0.5 };
            let newton = NewtonSettings { form, ..strict() };
            let options = Options { newton, ..options() };
            let mut method = IntegratorName::Trapezoidal.build(&options)?;
            // A tenth beyond half a period, where neither u nor its rate vanishes.
            let end = 1.2 * PI / omega;
            let steps = 3 * n;
            for _ in 0..steps {
                method.step(&mut built.system, &mut built.state, end / steps as f64)?;
            }
            let swing = (omega * end).cos();
            errors[k] = (0..built.mesh().vertex_count() as u32)
                .map(|v| {
                    let exact = field(built.mesh().vertices[v as usize]).map(|u| u * swing);
                    norm(sub(built.displacement(v), exact)) / u0
                })
                .fold(0.0, f64::max);
        }
        let what = format!("{text}: largest error of the displacement, of U₀");
        rows.push(Row::zero(&what, "12³ hex8, 36 steps", errors[2], 2e-2));
        let what = format!("{text}: order in h and dt");
        rows.push(Row::order(&what, "3³ to 6³ hex8", 2.0, [errors[0], errors[1]], 0.1));
        rows.push(Row::order(&what, "6³ to 12³ hex8", 2.0, [errors[1], errors[2]], 0.1));
    }
    Ok(rows)
}

/// A free bar that spins about its middle: the ends stretch by u = ρ ω² l³ / 3E, momenta stay.
pub(crate) fn spinning_bar(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (young, density, half, omega) = (1e6, 1000.0, 0.5, 3.0_f64);
    let hex = ElementName::Hex8;
    let exact = density * omega * omega * half * half * half / (3.0 * young);
    let mut stretches = [0.0; 3];
    let mut rows = Vec::new();
    for (k, n) in [8_usize, 16, 32].into_iter().enumerate() {
        progress(&format!("{n} x 1 x 1 hex8"));
        let mesh = shapes::mapped([n, 1, 1], hex, |[u, v, w]| {
            [2.0 * half * (u - 0.5), 0.05 * (v - 0.5), 0.05 * (w - 0.5)]
        })?;
        let body = Body::new(mesh, hex, &Elastic::young("neo-hookean", young, 0.0)?)?;
        let ends = [body.nearest([-half, -0.025, -0.025]), body.nearest([half, 0.025, 0.025])];
        let mut built = body.build_lumped(density)?;
        let rest_length = norm(sub(built.position(ends[1]), built.position(ends[0])));
        // Near its stretched shape: what is left are small vibrations about it.
        for x in &mut built.state.x {
            let s = x[0];
            x[0] += density * omega * omega / young * (half * half * s / 2.0 - s * s * s / 6.0);
        }
        System::spin(&mut built.state, [0.0; 3], [0.0, 0.0, omega]);
        let (linear, angular) = built.system.momenta(&built.state);
        let mut method = IntegratorName::ImplicitMidpoint.build(&options())?;
        // Ten periods of the first longitudinal vibration.
        let period = 4.0 * half / (young / density).sqrt();
        let (steps, mut sum) = (400, 0.0);
        for _ in 0..steps {
            method.step(&mut built.system, &mut built.state, 10.0 * period / f64::from(steps))?;
            let length = norm(sub(built.position(ends[1]), built.position(ends[0])));
            sum += 0.5 * (length - rest_length);
        }
        stretches[k] = sum / f64::from(steps);
        if k == 2 {
            let (p, l) = built.system.momenta(&built.state);
            let scale = norm(angular);
            let name = "32 x 1 x 1 hex8, implicit-midpoint";
            let drift = norm(sub(l, angular)) / scale;
            rows.push(Row::zero("change of the angular momentum, relative", name, drift, 1e-10));
            let drift = norm(sub(p, linear)) / (scale / half);
            rows.push(Row::zero("change of the momentum, relative", name, drift, 1e-12));
        }
    }
    let what = "mean stretch of each half";
    rows.push(Row::relative(what, "32 x 1 x 1 hex8", exact, stretches[2], 1e-2));
    rows.push(Row::converges(what, "8, 16, 32 hex8", Some(2.0), stretches));
    Ok(rows)
}

/// A free body under M g falls as a point does and keeps its shape, whatever its elements and its mass: on quadratic
/// elements a weight that is shared otherwise than the mass would bend it.
pub(crate) fn falling_body(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    use ElementName as E;
    let (h, steps, g) = (0.01, 50, 9.81);
    let t = h * f64::from(steps);
    let fall = -0.5 * g * t * (t + h);
    let stuff = Elastic::young("neo-hookean", 1e4, 0.3)?;
    let mut rows = Vec::new();
    for element in [E::Tet4, E::Tet10, E::Tet10Bbar, E::Hex8, E::Hex8Bbar, E::Hex20] {
        for consistent in [false, true] {
            let mut body =
                Body::new(shapes::block([0.3, 0.2, 0.1], [2, 1, 1], element)?, element, &stuff)?;
            let mesh = body.describe();
            let mass = if consistent { "consistent" } else { "lumped" };
            progress(&format!("{mesh}, {mass}"));
            body.falls([0.0, -g, 0.0]);
            let mut built = if consistent {
                body.build_consistent(1000.0)?
            } else {
                body.build_lumped(1000.0)?
            };
            let mut method = IntegratorName::BackwardEuler.build(&options())?;
            for _ in 0..steps {
                method.step(&mut built.system, &mut built.state, h)?;
            }
            let count = built.mesh().vertex_count() as u32;
            let off = |v| norm(sub(built.displacement(v), [0.0, fall, 0.0]));
            let worst = (0..count).map(off).fold(0.0, f64::max);
            let what = format!("distance from a rigid fall of 1.25 m, {mass} mass, m");
            rows.push(Row::zero(what, mesh, worst, 1e-12));
        }
    }
    Ok(rows)
}

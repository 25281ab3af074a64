//! Single masses: the toy problem, integrators on one frequency, pendulums, free fall.

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{
    Acting, Constraints, Integrator, IntegratorName, Mass, NewtonSettings, Options, Role, State,
    System,
};
use pliant_forces::ForceModel;
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::springs::{
    Attachment, Attachments, DampingTangent, End, Point, Spring, Springs,
};

use crate::{Progress, Row, VerifyError};

/// Masses at places with forces between them.
fn particles(
    x: &[Vec3],
    mass: f64,
    models: Vec<(Role, Box<dyn ForceModel>)>,
    fixed: &[u32],
) -> Result<(System, State), VerifyError> {
    let mut constraints = Constraints::new();
    constraints.fix(fixed, x)?;
    let system = System::new(x, models)?
        .with_mass(Mass::Lumped(vec![mass; x.len()]))?
        .with_constraints(constraints)?;
    Ok((system, State::at_rest(x)))
}

/// The weight of masses.
fn weight(x: &[Vec3], mass: f64, g: Vec3) -> Result<Box<dyn ForceModel>, VerifyError> {
    let masses = vec![mass; x.len()];
    Ok(Box::new(DeadLoad::gravity(x, &masses, g, TimeCurve::default())?))
}

fn integrator(name: &str) -> Result<Box<dyn Integrator>, VerifyError> {
    let newton = NewtonSettings { force_tolerance: 1e-14, ..NewtonSettings::default() };
    let name: IntegratorName = name.parse()?;
    Ok(name.build(&Options { newton, ..Options::default() })?)
}

/// m z'' = −k (z − l₀) − d z' + m g with m = 0.1, k = 100, l₀ = −1, d = 1, g = −10; z(0) = −1, z'(0) = −5.
fn toy() -> Result<(System, State), VerifyError> {
    let x = [[0.0; 3], [0.0, 0.0, -1.0]];
    let spring = Spring { ends: [0, 1], rest: 1.0, stiffness: 100.0, damping: 1.0 };
    let springs = Springs::new(2, &[spring], DampingTangent::Exact)?;
    let models: Vec<(Role, Box<dyn ForceModel>)> = vec![
        (Role::Elastic, Box::new(springs)),
        (Role::Gravity, weight(&x, 0.1, [0.0, 0.0, -10.0])?),
    ];
    let (system, mut state) = particles(&x, 0.1, models, &[0])?;
    state.v[1] = [0.0, 0.0, -5.0];
    state.restart();
    Ok((system, state))
}

pub(crate) fn hauth(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    let times = [
        (0.05, -1.13338087643770),
        (0.1, -1.01789997123649),
        (0.5, -1.01205752379539),
        (1.0, -1.00973113393785),
    ];
    let (mut system, mut state) = toy()?;
    let mut rk4 = integrator("rk4")?;
    let h = 1e-4;
    for (t, z) in times {
        while state.time < t - 0.5 * h {
            rk4.step(&mut system, &mut state, h)?;
        }
        let what = format!("z({t})");
        rows.push(Row::absolute(what, "rk4, 0.1 ms", z, state.x[1][2], 1e-10));
    }
    // Order 2 with two steps a factor of two apart.
    let mut errors = [0.0; 2];
    for (error, h) in errors.iter_mut().zip([2e-3, 1e-3]) {
        let (mut system, mut state) = toy()?;
        let mut method = integrator("implicit-midpoint")?;
        for _ in 0..(0.1 / h + 0.5) as usize {
            method.step(&mut system, &mut state, h)?;
        }
        *error = (state.x[1][2] - times[1].1).abs();
    }
    rows.push(Row::order("order of the error at 0.1 s", "implicit-midpoint", 2.0, errors, 0.1));
    for (h, stable) in [(0.0099, true), (0.0101, false)] {
        let (mut system, mut state) = toy()?;
        let mut euler = integrator("forward-euler")?;
        let mut largest = [0.0_f64; 2];
        for step in 0..2000 {
            // A motion that grows ends beyond what the spring's direction allows: that is growth too.
            if euler.step(&mut system, &mut state, h).is_err() {
                largest[1] = f64::INFINITY;
                break;
            }
            let off = (state.x[1][2] + 1.01).abs();
            let half = usize::from(step >= 1000);
            largest[half] = largest[half].max(off);
        }
        let what = format!("forward-euler is {}stable", if stable { "" } else { "un" });
        let so = (largest[1] < largest[0]) == stable;
        rows.push(Row::holds(what, format!("step {h} s, limit 0.01 s"), so));
    }
    Ok(rows)
}

/// A mass on a spring without length: x'' = −ω² x.
fn oscillator(omega: f64) -> Result<(System, State), VerifyError> {
    let x = [[1.0, 0.0, 0.0]];
    let spring = Attachment::new(Point::vertex(0), End::Fixed([0.0; 3]), omega * omega);
    let springs = Attachments::new(1, vec![spring])?;
    particles(&x, 1.0, vec![(Role::Elastic, Box::new(springs))], &[])
}

pub(crate) fn one_frequency(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (omega, steps) = (10.0, 200);
    let mut rows = Vec::new();
    for h in [0.01, 0.05, 0.15] {
        let wh: f64 = omega * h;
        let run = |name: &str| -> Result<(State, f64), VerifyError> {
            let (mut system, mut state) = oscillator(omega)?;
            let before = system.energies(&state)?.total();
            let mut method = integrator(name)?;
            for _ in 0..steps {
                method.step(&mut system, &mut state, h)?;
            }
            let after = system.energies(&state)?.total();
            Ok((state, after / before))
        };
        let mesh = format!("{steps} steps of {h} s, ω = 10 /s");
        let (_, energy) = run("backward-euler")?;
        let exact = wh.hypot(1.0).recip();
        let got = energy.powf(0.5 / f64::from(steps));
        rows.push(Row::relative("backward-euler: |R|", &mesh, exact, got, 1e-12));
        for name in ["trapezoidal", "implicit-midpoint"] {
            let (state, energy) = run(name)?;
            let phase = f64::from(steps) * 2.0 * (0.5 * wh).atan();
            let what = format!("{name}: x at ω_h = (2/h) atan(ωh/2)");
            rows.push(Row::absolute(what, &mesh, phase.cos(), state.x[0][0], 1e-11));
            rows.push(Row::absolute(format!("{name}: energy"), &mesh, 1.0, energy, 1e-12));
        }
        for name in ["verlet", "central-differences"] {
            let (state, _) = run(name)?;
            let phase = f64::from(steps) * 2.0 * (0.5 * wh).asin();
            let what = format!("{name}: x at ω_h = (2/h) asin(ωh/2)");
            rows.push(Row::absolute(what, &mesh, phase.cos(), state.x[0][0], 1e-11));
        }
    }
    Ok(rows)
}

pub(crate) fn free_fall(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (h, steps, g) = (0.01, 100, 9.81);
    let t = h * f64::from(steps);
    let mut rows = Vec::new();
    for (name, exact) in [
        ("trapezoidal", -0.5 * g * t * t),
        ("implicit-midpoint", -0.5 * g * t * t),
        ("verlet", -0.5 * g * t * t),
        ("backward-euler", -0.5 * g * t * (t + h)),
    ] {
        let x = [[0.0; 3]];
        let models = vec![(Role::Gravity, weight(&x, 2.0, [0.0, -g, 0.0])?)];
        let (mut system, mut state) = particles(&x, 2.0, models, &[])?;
        let mut method = integrator(name)?;
        for _ in 0..steps {
            method.step(&mut system, &mut state, h)?;
        }
        let what = format!("{name}: fall in 1 s");
        rows.push(Row::relative(what, "100 steps of 10 ms", exact, state.x[0][1], 1e-12));
    }
    Ok(rows)
}

/// T/T₀ of a pendulum; its thread is a spring that weight stretches by a part in 1e6.
pub(crate) fn pendulum(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (length, g, stiffness) = (1.0, 10.0, 1e7);
    let mut rows = Vec::new();
    for (degrees, ratio) in [(30.0_f64, 1.017408798), (90.0, 1.180340599), (150.0, 1.76220373)] {
        progress(&format!("{degrees}°"));
        let (s, c) = degrees.to_radians().sin_cos();
        let stretched = length + g * c / stiffness;
        let x = [[stretched * s, -stretched * c, 0.0]];
        let thread = Attachment {
            rest: length,
            ..Attachment::new(Point::vertex(0), End::Fixed([0.0; 3]), stiffness)
        };
        let models: Vec<(Role, Box<dyn ForceModel>)> = vec![
            (Role::Elastic, Box::new(Attachments::new(1, vec![thread])?)),
            (Role::Gravity, weight(&x, 1.0, [0.0, -g, 0.0])?),
        ];
        let (mut system, mut state) = particles(&x, 1.0, models, &[])?;
        let mut verlet = integrator("verlet")?;
        let h = 5e-5;
        let mut before = (state.time, state.x[0][0]);
        // A quarter of the period ends where it hangs straight down.
        while state.x[0][0] > 0.0 && state.time < 10.0 {
            before = (state.time, state.x[0][0]);
            verlet.step(&mut system, &mut state, h)?;
        }
        let part = before.1 / (before.1 - state.x[0][0]);
        let period = 4.0 * (before.0 + part * h);
        let small = std::f64::consts::TAU * (length / g).sqrt();
        let what = format!("T/T₀ of a pendulum released at {degrees}°");
        rows.push(Row::relative(what, "verlet, 0.05 ms", ratio, period / small, 1e-5));
    }
    Ok(rows)
}

/// Natural frequencies of springs.
pub(crate) fn spring_modes(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (k, m) = (7.0, 2.0);
    let spring = |a: u32, b: u32| Spring { ends: [a, b], rest: 1.0, stiffness: k, damping: 0.0 };
    let settings = pliant_dynamics::ModeSettings { count: 9, ..Default::default() };
    let mut rows = Vec::new();
    let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.75_f64.sqrt(), 0.0]];
    let list = [spring(0, 1), spring(1, 2), spring(0, 2)];
    let springs = Springs::new(3, &list, DampingTangent::VelocityOnly)?;
    let (mut system, state) = particles(&x, m, vec![(Role::Elastic, Box::new(springs))], &[])?;
    let found = system.modes(&state, &settings)?;
    let zeros = found.modes.iter().filter(|m| m.square == 0.0).count();
    let what = "triangle: zero frequencies (3 in its plane, 3 out of it)";
    rows.push(Row::absolute(what, "3 springs", 6.0, zeros as f64, 0.0));
    for (mode, factor) in found.modes.iter().skip(6).zip([1.5, 1.5, 3.0]) {
        let exact = (factor * k / m).sqrt();
        let what = format!("triangle: ω = √({factor} k/m)");
        rows.push(Row::relative(what, "3 springs", exact, mode.angular(), 1e-12));
    }
    let x: Vec<Vec3> = (0..5).map(|i| [f64::from(i), 0.0, 0.0]).collect();
    let list: Vec<Spring> = (0..4).map(|i| spring(i, i + 1)).collect();
    let springs = Springs::new(5, &list, DampingTangent::VelocityOnly)?;
    let mut constraints = Constraints::new();
    for v in 0..5 {
        constraints.fix_axes(&[v], &x, [v == 0 || v == 4, true, true])?;
    }
    let mut system = System::new(&x, [Acting::new(Role::Elastic, Box::new(springs))])?
        .with_mass(Mass::Lumped(vec![m; 5]))?
        .with_constraints(constraints)?;
    let found = system.modes(&State::at_rest(&x), &settings)?;
    for (n, mode) in found.modes.iter().enumerate() {
        let n = (n + 1) as f64;
        let exact = 2.0 * (k / m).sqrt() * (n * std::f64::consts::PI / 8.0).sin();
        let what = format!("chain between walls: ω = 2 √(k/m) sin({n} π/8)");
        rows.push(Row::relative(what, "4 springs", exact, mode.angular(), 1e-12));
    }
    Ok(rows)
}

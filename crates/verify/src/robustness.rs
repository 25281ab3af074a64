//! What a user may do to a body: turn it inside out, stretch, press and twist it, and let go.

use pliant_algebra::vec3::{Vec3, distance, is_finite};
use pliant_dynamics::{
    DynamicsError, IntegratorName, Motion, NewtonSettings, Options, StaticSettings,
};
use pliant_forces::loads::TimeCurve;
use pliant_forces::{ElementName, ForceError};
use pliant_mesh::VolumeMesh;
use pliant_solvers::{Choice, SolverName};

use crate::body::{Body, Built, Stuff, statics};
use crate::{Progress, Row, VerifyError, shapes};

const HEX: ElementName = ElementName::Hex8;

/// How a cube is spoilt.
#[derive(Debug, Clone, Copy)]
enum Spoilt {
    Random(u64),
    Plane,
    Line,
    Point,
    Mirror,
}

impl Spoilt {
    fn apply(self, x: Vec3, seed: &mut u64) -> Vec3 {
        let mut number = || {
            *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (*seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        match self {
            Self::Random(_) => [number(), number(), number()],
            Self::Plane => [0.0, x[1], x[2]],
            Self::Line => [x[0], 0.5, 0.5],
            Self::Point => [0.5; 3],
            Self::Mirror => [-x[0], x[1], x[2]],
        }
    }
}

/// A cube of 8³ hexahedra pinned at x = 0, everything else spoilt.
fn spoilt(stuff: &Stuff, how: Spoilt) -> Result<Built, VerifyError> {
    let mut body = Body::new(shapes::block([1.0; 3], [8; 3], HEX)?, HEX, stuff)?;
    let pinned = body.set("u-min")?;
    body.fix(&pinned)?;
    let mut built = body.build_lumped(1000.0)?;
    let mut seed = match how {
        Spoilt::Random(seed) => seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        _ => 0,
    };
    for v in 0..built.mesh.vertex_count() as u32 {
        let x = built.mesh.vertices[v as usize];
        if x[0] != 0.0 {
            let at = built.number(v);
            built.state.x[at] = how.apply(x, &mut seed);
        }
    }
    Ok(built)
}

/// Steps of damped motion before an attempt to find the state of rest, their length in s, and how often it is begun
/// anew with steps half as long.
const MOTION: (usize, f64, usize) = (60, 0.01, 5);

/// Random starts of each law and ratio.
const SEEDS: u64 = 5;

/// The largest |x − X| after the cube was let go: backward Euler with 60 steps of 10 ms, which damps what moves, and
/// then a static solve. Long steps damp so much that a body may come to rest tangled up, or fail; then it is let go once
/// more with steps half as long and twice as many, five times at most, with at most 1000 Newton iterations each. An
/// error if the last of them is one.
fn recovered(stuff: &Stuff, how: Spoilt) -> Result<Result<f64, VerifyError>, VerifyError> {
    let newton =
        NewtonSettings { max_iterations: 1000, force_tolerance: 1e-3, ..NewtonSettings::default() };
    let solver = Choice { solver: SolverName::Cholesky, ..Choice::default() };
    let options = Options { newton, solver, ..Options::default() };
    let rest = NewtonSettings { force_tolerance: 1e-13, displacement_tolerance: 1e-10, ..newton };
    let (mut steps, mut h, rounds) = MOTION;
    let mut outcome = Ok(f64::NAN);
    for _ in 0..rounds {
        let mut built = spoilt(stuff, how)?;
        let mut method = IntegratorName::BackwardEuler.build(&options)?;
        let moved = (0..steps)
            .try_for_each(|_| method.step(&mut built.system, &mut built.state, h).map(drop));
        outcome = match moved {
            Err(error) => Err(error.into()),
            Ok(()) if built.solve_with(rest, StaticSettings::default()).is_ok() => Ok(off(&built)),
            Ok(()) => Ok(f64::NAN),
        };
        if matches!(outcome, Ok(distance) if distance < 1e-6) {
            break;
        }
        (steps, h) = (2 * steps, 0.5 * h);
    }
    Ok(outcome)
}

/// The largest |x − X|; not a number where a position is none.
fn off(built: &Built) -> f64 {
    let mut largest = 0.0_f64;
    for (x, &rest) in built.positions().into_iter().zip(&built.mesh.vertices) {
        if !is_finite(x) {
            return f64::NAN;
        }
        largest = largest.max(distance(x, rest));
    }
    largest
}

/// The larger of two numbers; not a number once the first is none.
fn sticky(a: f64, b: f64) -> f64 {
    if a.is_nan() { a } else { a.max(b) }
}

fn recovery(law: &str, seeds: u64, progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for poisson in [0.3, 0.45, 0.49, 0.495] {
        let mut stuff = Stuff::young(law, 1e5, poisson)?;
        // The others are defined for any F as they are, and have no kink there.
        if law == "neo-hookean" {
            stuff = stuff.invertible()?;
        }
        let mut kinds: Vec<(String, Vec<Spoilt>)> =
            [Spoilt::Plane, Spoilt::Line, Spoilt::Point, Spoilt::Mirror]
                .into_iter()
                .map(|how| (format!("{how:?}").to_lowercase(), vec![how]))
                .collect();
        kinds.insert(
            0,
            (format!("random, {seeds} seeds"), (0..seeds).map(Spoilt::Random).collect()),
        );
        for (name, all) in kinds {
            let (mut worst, mut failed, count) = (0.0_f64, 0, all.len());
            for how in all {
                progress(&format!("{law}, Poisson {poisson}, {how:?}"));
                match recovered(&stuff, how)? {
                    Ok(distance) => {
                        worst = if distance.is_nan() { distance } else { sticky(worst, distance) };
                        failed += usize::from(distance.is_nan() || distance >= 1e-6);
                    }
                    Err(error) => {
                        progress(&format!("  {error}"));
                        (worst, failed) = (f64::NAN, failed + 1);
                    }
                }
            }
            let what = format!(
                "{law}, Poisson {poisson}, from {name}: not at rest {failed} of {count}; |x − X|"
            );
            rows.push(Row::zero(what, "8³ hex8, backward-euler and newton", worst, 1e-6));
        }
    }
    Ok(rows)
}

pub(crate) fn recovery_neo_hookean(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery("neo-hookean", SEEDS, progress)
}

pub(crate) fn recovery_stable(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery("stable-neo-hookean", SEEDS, progress)
}

pub(crate) fn recovery_corotational(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery("corotational", SEEDS, progress)
}

/// Laws with ln J and without their continuation must refuse, with an error that names the element.
pub(crate) fn refusal(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for law in ["neo-hookean", "mooney-rivlin", "veronda-westmann"] {
        let stuff = Stuff::young(law, 1e5, 0.45)?;
        for how in [Spoilt::Random(1), Spoilt::Plane, Spoilt::Line, Spoilt::Point, Spoilt::Mirror] {
            let refused = match recovered(&stuff, how)? {
                Err(VerifyError::Dynamics(DynamicsError::Failed { cause, .. })) => {
                    matches!(*cause, DynamicsError::Force(ForceError::Inverted { .. }))
                }
                _ => false,
            };
            let what = format!("plain {law} refuses {how:?}").to_lowercase();
            rows.push(Row::holds(what, "8³ hex8", refused));
        }
    }
    Ok(rows)
}

/// A bar with both ends held, one of them driven over time 0 … 1 … and back.
fn driven(mesh: VolumeMesh, stuff: &Stuff, motion: &Motion) -> Result<Built, VerifyError> {
    let mut body = Body::new(mesh, HEX, stuff)?;
    let (start, end) = (body.set("u-min")?, body.set("u-max")?);
    body.fix(&start)?;
    body.hold(&end, &crate::body::AXES, motion)?;
    body.build()
}

/// Goes through the times, one static solve each; how many failed.
fn follow(built: &mut Built, times: &[f64], progress: Progress<'_>) -> Result<(), VerifyError> {
    let newton = NewtonSettings { max_iterations: 200, ..NewtonSettings::default() };
    let mut statics = statics(newton, StaticSettings::default(), true)?;
    for &t in times {
        built.state.time = t;
        let report = statics.solve(&mut built.system, &mut built.state)?;
        progress(&format!("{t:.3}: {} iterations, {} cuts", report.iterations, report.cuts));
    }
    Ok(())
}

/// To ten times the length, to 5 % of it, and back.
pub(crate) fn stretch(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    // Corotation contracts by Poisson's ratio times the stretch: to nothing, were it not small.
    for (law, poisson, continued) in [
        ("neo-hookean", 0.3, false),
        ("neo-hookean", 0.3, true),
        ("stable-neo-hookean", 0.3, true),
        ("corotational", 0.1, false),
    ] {
        let mut stuff = Stuff::young(law, 1e5, poisson)?;
        if continued {
            stuff = stuff.invertible()?;
        }
        let law = format!("{law}{}", if continued { ", continued" } else { "" });
        let motion = Motion::Translation {
            direction: [1.0, 0.0, 0.0],
            curve: TimeCurve::Table {
                times: vec![0.0, 1.0, 2.0, 3.0, 4.0],
                values: vec![0.0, 9.0, 0.0, -0.95, 0.0],
            },
        };
        let mut built = driven(shapes::block([1.0; 3], [4; 3], HEX)?, &stuff, &motion)?;
        let times: Vec<f64> = (1..=40).map(|i| f64::from(i) * 0.1).collect();
        let what = format!("{law}: |x − X| after a stretch of 10 and a compression to 5 %");
        let got = match follow(&mut built, &times, &mut *progress) {
            Ok(()) => off(&built),
            Err(error) => {
                progress(&format!("  {law}: {error}"));
                f64::NAN
            }
        };
        rows.push(Row::zero(what, "4³ hex8", got, 1e-8));
    }
    Ok(rows)
}

/// A 4:1 bar after one end was turned, and turned back.
fn twisted(stuff: &Stuff, turns: f64, progress: Progress<'_>) -> Result<Built, VerifyError> {
    let full = turns * std::f64::consts::TAU;
    let motion = Motion::Rotation {
        centre: [0.0, 0.5, 0.5],
        axis: [1.0, 0.0, 0.0],
        curve: TimeCurve::Table { times: vec![0.0, 1.0, 2.0], values: vec![0.0, full, 0.0] },
    };
    let mut built = driven(shapes::block([4.0, 1.0, 1.0], [32, 3, 3], HEX)?, stuff, &motion)?;
    // 15° a step.
    let steps = (48.0 * turns) as u32;
    let times: Vec<f64> = (1..=steps).map(|i| f64::from(2 * i) / f64::from(steps)).collect();
    follow(&mut built, &times, progress)?;
    Ok(built)
}

/// A 4:1 bar twisted by eight full turns, and back.
///
/// The bar leaves its axis after one and a half turns, makes a loop and, as nothing keeps it from passing through
/// itself, comes out of it with two turns less (the belt trick; its energy over the angle repeats every two turns). What
/// is left at the end is another state of rest. So it must come back to its shape from less than that; over eight turns it
/// must find a state of rest at every step, and where it ends is listed without a tolerance.
pub(crate) fn twist(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    let mesh = "32 x 3 x 3 hex8";
    for law in ["neo-hookean", "stable-neo-hookean"] {
        let stuff = Stuff::young(law, 1e5, 0.3)?.invertible()?;
        for turns in [1.25, 8.0] {
            let end = twisted(&stuff, turns, &mut *progress);
            if let Err(error) = &end {
                progress(&format!("  {law}, {turns} turns: {error}"));
            }
            let got = end.as_ref().map_or(f64::NAN, off);
            let what = format!("{law}: |x − X| after {turns} turns and back, of the width");
            if turns < 1.5 {
                rows.push(Row::zero(what, mesh, got, 1e-6));
                continue;
            }
            let rests = format!("{law}: rest at every step of {turns} turns and back");
            rows.push(Row::holds(rests, mesh, end.is_ok() && got.is_finite()));
            rows.push(Row::zero(what, mesh, got, f64::INFINITY));
        }
    }
    Ok(rows)
}

/// A cantilever under gravity, some steps of backward Euler; whether all went well.
fn drop_steps(
    young: f64,
    h: f64,
    steps: usize,
    progress: Progress<'_>,
) -> Result<bool, VerifyError> {
    let stuff = Stuff::young("neo-hookean", young, 0.45)?.invertible()?;
    let mut body = Body::new(shapes::block([0.4, 0.1, 0.1], [8, 2, 2], HEX)?, HEX, &stuff)?;
    let clamp = body.set("u-min")?;
    body.fix(&clamp)?;
    body.gravity(1000.0, [0.0, -9.81, 0.0])?;
    let mut built = body.build_lumped(1000.0)?;
    let newton = NewtonSettings { max_iterations: 200, ..NewtonSettings::default() };
    let options = Options { newton, ..Options::default() };
    let mut method = IntegratorName::BackwardEuler.build(&options)?;
    for _ in 0..steps {
        if let Err(error) = method.step(&mut built.system, &mut built.state, h) {
            progress(&format!("  {error}"));
            return Ok(false);
        }
    }
    Ok(built.state.x.iter().all(|&x| is_finite(x)))
}

pub(crate) fn sweeps(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for exponent in 2..=8 {
        let young = 10_f64.powi(exponent);
        progress(&format!("E = {young:e}"));
        let what = format!("20 steps of 10 ms, E = {young:.0e} Pa");
        rows.push(Row::holds(what, "8 x 2 x 2 hex8", drop_steps(young, 0.01, 20, progress)?));
    }
    for exponent in -5..=0 {
        let h = 10_f64.powi(exponent);
        progress(&format!("h = {h:e}"));
        let what = format!("20 steps of {h:.0e} s, E = 1e5 Pa");
        rows.push(Row::holds(what, "8 x 2 x 2 hex8", drop_steps(1e5, h, 20, progress)?));
    }
    Ok(rows)
}

/// The middle of a cube is moved near one of its sides: tetrahedra with angles of 0.1°, and flat to 1e-4.
pub(crate) fn slivers(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let element = ElementName::Tet4;
    let mut rows = Vec::new();
    let angle = 0.1_f64.to_radians().tan() * 0.5;
    let mut sag = |height: f64| -> Result<f64, VerifyError> {
        progress(&format!("height {height:e}"));
        let mut mesh = shapes::block([1.0; 3], [2; 3], element)?;
        for x in &mut mesh.vertices {
            if *x == [0.5; 3] {
                x[2] = height;
            }
        }
        let mut body = Body::new(mesh, element, &Stuff::young("neo-hookean", 1e5, 0.3)?)?;
        let clamp = body.set("u-min")?;
        body.fix(&clamp)?;
        body.gravity(1000.0, [0.0, -9.81, 0.0])?;
        let tip = body.nearest([1.0; 3]);
        let mut built = body.build()?;
        let newton = NewtonSettings { force_tolerance: 1e-8, ..NewtonSettings::default() };
        built.solve_with(newton, StaticSettings::default())?;
        Ok(built.displacement(tip)[1])
    };
    let good = sag(0.5)?;
    for (height, name) in [(angle, "angles of 0.1°"), (1e-4, "flat to 1e-4 of its width")] {
        let what = format!(
            "sag of a cube with slivers, {name}, against that without: not finite, or half of it off"
        );
        let got = sag(height).unwrap_or(f64::NAN);
        rows.push(Row::relative(what, "48 tet4", good, got, 0.5));
    }
    Ok(rows)
}

/// A free body at rest stays for 1e5 steps.
pub(crate) fn drift(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for name in ["backward-euler", "implicit-midpoint", "verlet"] {
        progress(name);
        let stuff = Stuff::young("neo-hookean", 1e5, 0.45)?;
        let body = Body::new(shapes::block([1.0; 3], [1; 3], HEX)?, HEX, &stuff)?;
        let mut built = body.build_lumped(1000.0)?;
        let name: IntegratorName = name.parse()?;
        let mut method = name.build(&Options::default())?;
        for _ in 0..100_000 {
            method.step(&mut built.system, &mut built.state, 1e-3)?;
        }
        let what = format!("drift of a free body at rest, 1e5 steps of {}, m", name.name());
        rows.push(Row::zero(what, "1 hex8", off(&built), 1e-9));
    }
    Ok(rows)
}

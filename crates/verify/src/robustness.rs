//! What a user may do to a body: turn it inside out, stretch, press and twist it, and let go.

use pliant_algebra::vec3::{Vec3, distance, is_finite};
use pliant_dynamics::{
    DynamicsError, IntegratorName, Motion, NewtonSettings, Options, StaticSettings,
};
use pliant_forces::loads::TimeCurve;
use pliant_forces::{ElementName, ForceError};
use pliant_mesh::VolumeMesh;
use pliant_solvers::{Choice, SolverName};

use crate::body::{Body, Built, Elastic, statics};
use crate::{Progress, Row, VerifyError, shapes};

const HEX: ElementName = ElementName::Hex8;

/// How a cube is spoilt.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spoilt {
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

    /// Moves all vertices of a cube but those at x = 0.
    pub(crate) fn spoil(self, built: &mut Built) {
        let mut seed = match self {
            Self::Random(seed) => seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            _ => 0,
        };
        for v in 0..built.mesh().vertex_count() as u32 {
            let x = built.mesh().vertices[v as usize];
            if x[0] != 0.0 {
                let at = built.number(v);
                built.state.x[at] = self.apply(x, &mut seed);
            }
        }
    }
}

/// A motion that brings a body to rest.
#[derive(Debug, Clone, Copy)]
struct Damped {
    method: IntegratorName,
    steps: usize,
    /// s
    h: f64,
    /// Damping by masses, 1/s, of methods that do not damp by themselves.
    rate: f64,
}

impl Damped {
    /// Backward Euler, which damps what moves, the more the longer its steps.
    const IMPLICIT: Self =
        Self { method: IntegratorName::BackwardEuler, steps: 120, h: 5e-3, rate: 0.0 };
    /// Kinks do not trouble a method that solves no equations.
    const EXPLICIT: Self =
        Self { method: IntegratorName::SymplecticEuler, steps: 10_000, h: 2e-4, rate: 10.0 };

    /// With half the damping.
    fn gentler(self) -> Self {
        let steps = 2 * self.steps;
        if self.rate == 0.0 {
            Self { steps, h: 0.5 * self.h, ..self }
        } else {
            Self { steps, rate: 0.5 * self.rate, ..self }
        }
    }
}

/// A cube of 8³ hexahedra pinned at x = 0, everything else spoilt.
fn spoilt(stuff: &Elastic, how: Spoilt, rate: f64) -> Result<Built, VerifyError> {
    let mut body = Body::new(shapes::block([1.0; 3], [8; 3], HEX)?, HEX, stuff)?;
    let pinned = body.set("u-min")?;
    body.fix(&pinned)?;
    if rate > 0.0 {
        body.mass_damping(1000.0, rate)?;
    }
    let mut built = body.build_lumped(1000.0)?;
    how.spoil(&mut built);
    Ok(built)
}

/// How often a body is let go, the damping halved each time.
const ROUNDS: usize = 5;

/// Random starts of each law and ratio.
const SEEDS: u64 = 5;

/// The largest |x − X| after the cube was let go: a damped motion, and then a static solve. What damps much may come to
/// rest tangled up, or fail; then the cube is let go once more with half the damping, five times at most, with at most 1000
/// Newton iterations a step. An error if the last of them is one.
fn recovered(
    stuff: &Elastic,
    how: Spoilt,
    mut motion: Damped,
) -> Result<Result<f64, VerifyError>, VerifyError> {
    let newton =
        NewtonSettings { max_iterations: 1000, force_tolerance: 1e-3, ..NewtonSettings::default() };
    let solver = Choice { solver: SolverName::Cholesky, ..Choice::default() };
    let options = Options { newton, solver, ..Options::default() };
    let rest = NewtonSettings { force_tolerance: 1e-13, displacement_tolerance: 1e-10, ..newton };
    let mut outcome = Ok(f64::NAN);
    for _ in 0..ROUNDS {
        let mut built = spoilt(stuff, how, motion.rate)?;
        let mut method = motion.method.build(&options)?;
        let moved = (0..motion.steps)
            .try_for_each(|_| method.step(&mut built.system, &mut built.state, motion.h).map(drop));
        outcome = match moved {
            Err(error) => Err(error.into()),
            Ok(()) if built.solve_with(rest, StaticSettings::default()).is_ok() => Ok(off(&built)),
            Ok(()) => Ok(f64::NAN),
        };
        if matches!(outcome, Ok(distance) if distance < 1e-6) {
            break;
        }
        motion = motion.gentler();
    }
    Ok(outcome)
}

/// The largest |x − X|; not a number where a position is none.
fn off(built: &Built) -> f64 {
    let mut largest = 0.0_f64;
    for (x, &rest) in built.positions().into_iter().zip(&built.mesh().vertices) {
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

fn recovery(
    law: &str,
    threshold: fn(f64) -> Option<f64>,
    motion: Damped,
    progress: Progress<'_>,
) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for poisson in [0.3, 0.45, 0.49, 0.495] {
        let mut stuff = Elastic::young(law, 1e5, poisson)?;
        // The others are defined for any F as they are.
        if law == "neo-hookean" {
            stuff = stuff.invertible(threshold(poisson))?;
        }
        let mut kinds: Vec<(String, Vec<Spoilt>)> =
            [Spoilt::Plane, Spoilt::Line, Spoilt::Point, Spoilt::Mirror]
                .into_iter()
                .map(|how| (format!("{how:?}").to_lowercase(), vec![how]))
                .collect();
        kinds.insert(
            0,
            (format!("random, {SEEDS} seeds"), (0..SEEDS).map(Spoilt::Random).collect()),
        );
        for (name, all) in kinds {
            let (mut worst, mut failed, count) = (0.0_f64, 0, all.len());
            for how in all {
                progress(&format!("{law}, Poisson {poisson}, {how:?}"));
                match recovered(&stuff, how, motion)? {
                    Ok(distance) => {
                        progress(&format!("  |x − X| = {distance:.1e}"));
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
            let mesh = format!("8³ hex8, {} and newton", motion.method.name());
            rows.push(Row::zero(what, mesh, worst, 1e-6));
        }
    }
    Ok(rows)
}

/// Nearly incompressible bodies, whose J is never far from 1 unless they are tangled up, are continued below J = 0.9:
/// with 0.5 they come to rest tangled up though no point is inverted.
pub(crate) fn recovery_neo_hookean(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let threshold = |poisson| (poisson > 0.48).then_some(0.9);
    recovery("neo-hookean", threshold, Damped::IMPLICIT, progress)
}

pub(crate) fn recovery_stable(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery("stable-neo-hookean", |_| None, Damped::IMPLICIT, progress)
}

/// Its energy has a kink where σ₂ = −σ₃, by −4μ + 2λ (tr S − 3) in slope: a valley where bodies are stretched and λ is
/// large. A step of backward Euler that ends in it has no zero of the residual to find.
pub(crate) fn recovery_corotational(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    recovery("corotational", |_| None, Damped::EXPLICIT, progress)
}

/// Laws with ln J and without their continuation must refuse, with an error that names the element.
pub(crate) fn refusal(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for law in ["neo-hookean", "mooney-rivlin", "veronda-westmann"] {
        let stuff = Elastic::young(law, 1e5, 0.45)?;
        for how in [Spoilt::Random(1), Spoilt::Plane, Spoilt::Line, Spoilt::Point, Spoilt::Mirror] {
            let refused = match recovered(&stuff, how, Damped::IMPLICIT)? {
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
fn driven(mesh: VolumeMesh, stuff: &Elastic, motion: &Motion) -> Result<Body, VerifyError> {
    let mut body = Body::new(mesh, HEX, stuff)?;
    let (start, end) = (body.set("u-min")?, body.set("u-max")?);
    body.fix(&start)?;
    body.hold(&end, &crate::body::AXES, motion)?;
    Ok(body)
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
        let mut stuff = Elastic::young(law, 1e5, poisson)?;
        if continued {
            stuff = stuff.invertible(None)?;
        }
        let law = format!("{law}{}", if continued { ", continued" } else { "" });
        let motion = Motion::Translation {
            direction: [1.0, 0.0, 0.0],
            curve: TimeCurve::Table {
                times: vec![0.0, 1.0, 2.0, 3.0, 4.0],
                values: vec![0.0, 9.0, 0.0, -0.95, 0.0],
            },
        };
        let mut built = driven(shapes::block([1.0; 3], [4; 3], HEX)?, &stuff, &motion)?.build()?;
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

/// A 4:1 bar after one end was turned, and turned back; free between its ends, or guided so that every section stays in its
/// plane.
fn twisted(
    stuff: &Elastic,
    turns: f64,
    guided: bool,
    progress: Progress<'_>,
) -> Result<Built, VerifyError> {
    let full = turns * std::f64::consts::TAU;
    let motion = Motion::Rotation {
        centre: [0.0, 0.5, 0.5],
        axis: [1.0, 0.0, 0.0],
        curve: TimeCurve::Table { times: vec![0.0, 1.0, 2.0], values: vec![0.0, full, 0.0] },
    };
    let mut body = driven(shapes::block([4.0, 1.0, 1.0], [32, 3, 3], HEX)?, stuff, &motion)?;
    if guided {
        let between = body.select(|x| x[0] > 0.0 && x[0] < 4.0);
        body.roll(&between, 0)?;
    }
    let mut built = body.build()?;
    // 15° a step.
    let steps = (48.0 * turns) as u32;
    let times: Vec<f64> = (1..=steps).map(|i| f64::from(2 * i) / f64::from(steps)).collect();
    follow(&mut built, &times, progress)?;
    Ok(built)
}

/// A 4:1 bar twisted by eight full turns, and back.
///
/// Free between its ends it leaves its axis after one and a half turns, makes a loop and, as nothing keeps it from passing
/// through itself, comes out of it with two turns less (the belt trick; its energy over the angle repeats every two turns).
/// So it must come back to its shape from less than that; over eight turns it must find a state of rest at every step.
///
/// Where its sections are kept in their planes it can make no loop, but two things let it slip all the same: a
/// compressible bar gets a neck, since a thin section twists for nothing, and stable neo-Hookean layers pass through
/// themselves. A neo-Hookean bar of Poisson's ratio 0.45 does neither, and must come back from all eight turns.
pub(crate) fn twist(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for (law, poisson, turns, guided) in [
        ("neo-hookean", 0.3, 1.25, false),
        ("neo-hookean", 0.3, 8.0, false),
        ("neo-hookean", 0.45, 8.0, true),
        ("stable-neo-hookean", 0.3, 1.25, false),
        ("stable-neo-hookean", 0.3, 8.0, false),
    ] {
        let stuff = Elastic::young(law, 1e5, poisson)?.invertible(None)?;
        let end = twisted(&stuff, turns, guided, &mut *progress);
        if let Err(error) = &end {
            progress(&format!("  {law}, {turns} turns: {error}"));
        }
        let got = end.as_ref().map_or(f64::NAN, off);
        let way = if guided { ", sections in their planes" } else { "" };
        let what = format!("{law}, Poisson {poisson}, {turns} turns and back{way}");
        progress(&format!("  {what}: |x − X| = {got:.1e} of the width"));
        let mesh = "32 x 3 x 3 hex8";
        rows.push(if turns < 1.5 || guided {
            Row::zero(format!("{what}: |x − X|, of the width"), mesh, got, 1e-6)
        } else {
            Row::holds(format!("{what}: rest at every step"), mesh, got.is_finite())
        });
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
    let stuff = Elastic::young("neo-hookean", young, 0.45)?.invertible(None)?;
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
        let mut body = Body::new(mesh, element, &Elastic::young("neo-hookean", 1e5, 0.3)?)?;
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
        let stuff = Elastic::young("neo-hookean", 1e5, 0.45)?;
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

//! Bodies that touch: Hertz's contact of a ball with a block, and of two elastic bodies.

use std::f64::consts::PI;

use pliant_algebra::vec3::Vec3;
use pliant_contact::analytic::ShapeContact;
use pliant_contact::normal::NormalContact;
use pliant_dynamics::{Motion, NewtonSettings, StaticSettings};
use pliant_forces::loads::TimeCurve;
use pliant_forces::obstacles::{Shape, Side};
use pliant_forces::{Ask, Configuration, ElementName, ForceModel, Workspace};
use pliant_model::{
    AXES, Barrier, BodyBuilder, BodyId, Contact, Elastic, MassKind, Select, World, WorldBuilder,
};

use crate::body::statics;
use crate::{Progress, Row, VerifyError, shapes};

/// Radius of the ball and how far it is pressed in, m.
const RADIUS: f64 = 0.1;
const WAY: f64 = 1e-3;
/// Size of the blocks, m. Where one of 1 m is held, a half space has come along by 0.7 % of the way.
const SIZE: f64 = 1.0;
/// Contact distance and stiffness.
const DISTANCE: f64 = 2e-5;
const STIFFNESS: f64 = 1e6;

/// Young's modulus, Pa, and Poisson's ratio.
type Moduli = [f64; 2];

/// Coordinates from 0 to [`SIZE`] whose steps grow by a factor.
fn lines(cells: usize, growth: f64) -> Vec<f64> {
    let at = |i: usize| growth.powi(i as i32) - 1.0;
    (0..=cells).map(|i| SIZE * at(i) / at(cells)).collect()
}

/// A quarter of a block that is fine at the origin, with a surface y = `height`(x, z) and all of it beyond that along `side`.
fn quarter(
    lines: &[f64],
    side: f64,
    height: impl Fn(f64) -> f64,
) -> Result<pliant_mesh::VolumeMesh, VerifyError> {
    let n = lines.len() - 1;
    let at = |u: f64| lines[(u * n as f64).round() as usize];
    shapes::mapped([n; 3], ElementName::Hex8Bbar, |[u, v, w]| {
        let (x, z) = (at(u), at(w));
        let h = height(x.hypot(z));
        [x, side * (h + (SIZE - h) * at(v) / SIZE), z]
    })
}

fn add(
    world: &mut WorldBuilder,
    name: &str,
    mesh: pliant_mesh::VolumeMesh,
    [young, poisson]: Moduli,
    way: Vec3,
) -> Result<BodyId, VerifyError> {
    let body = BodyBuilder::new(name, mesh).material(Elastic::young("linear", young, poisson)?);
    let id = world.add(body.element(ElementName::Hex8Bbar).mass(MassKind::None))?;
    for (set, axis) in [("u-min", 0), ("w-min", 2)] {
        world.hold(id, Select::named(set), &AXES[axis..=axis], Motion::Still, None)?;
    }
    let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 1.0 };
    let motion = Motion::Translation { direction: way, curve };
    world.hold(id, Select::named("v-max"), &AXES[1..=1], motion, Some(format!("{name}.base")))?;
    Ok(id)
}

/// What a quarter of the first body bears.
struct Pressed {
    /// N
    force: f64,
    /// From Σ F r² / Σ F = ⅖ a², m.
    radius: f64,
    /// From the force on what lies within 0.4 a, Pa.
    peak: f64,
    iterations: usize,
}

fn measure<M: ForceModel>(world: &World, lines: &[f64], iterations: usize) -> Pressed {
    let x = &world.state.x;
    let v = vec![[0.0; 3]; x.len()];
    let mut gradient = v.clone();
    for model in world.system.models_of::<M>() {
        let mut ask = Ask { gradient: Some(&mut gradient), ..Ask::default() };
        let at = Configuration::new(x, &v, 0.0);
        // What cannot be evaluated leaves no force, and fails the row.
        let _ = model.evaluate(&at, &mut ask, &mut Workspace::new());
    }
    let body = &world.bodies[0];
    let width = |at: f64| {
        let i = lines.iter().position(|line| (line - at).abs() < 1e-9).unwrap_or(0);
        let next = lines[(i + 1).min(lines.len() - 1)];
        0.5 * (next - lines[i.saturating_sub(1)])
    };
    let (mut force, mut second) = (0.0, 0.0);
    let mut points = Vec::new();
    for (number, &[a, _, c]) in body.mesh.vertices.iter().enumerate() {
        let own = gradient[body.system_vertex(number as u32) as usize][1];
        if own != 0.0 {
            let r = a.hypot(c);
            force += own;
            second += own * r * r;
            points.push((r, own, width(a) * width(c)));
        }
    }
    let radius = (2.5 * second / force).sqrt();
    let inner = points.iter().filter(|(r, ..)| *r < 0.4 * radius);
    let sums = inner.fold([0.0; 2], |[f, s], &(r, own, area)| {
        [f + own, s + area * (1.0 - (r / radius).powi(2)).sqrt()]
    });
    Pressed { force: 4.0 * force, radius, peak: sums[0] / sums[1], iterations }
}

fn contact() -> Contact {
    Contact {
        distance: Some(DISTANCE),
        stiffness: Some(STIFFNESS),
        with_themselves: false,
        ..Contact::default()
    }
}

fn settle(mut world: World) -> Result<(World, usize), VerifyError> {
    world.state.time = 1.0;
    let report = statics(NewtonSettings::default(), StaticSettings::default(), true)?
        .solve(&mut world.system, &mut world.state)?;
    Ok((world, report.iterations))
}

/// A rigid ball in a block.
fn ball(cells: usize, growth: f64, moduli: Moduli) -> Result<Pressed, VerifyError> {
    let lines = lines(cells, growth);
    let mut builder = WorldBuilder::new();
    let block =
        add(&mut builder, "block", quarter(&lines, -1.0, |_| 0.0)?, moduli, [0.0, WAY, 0.0])?;
    let centre = [0.0, RADIUS + DISTANCE, 0.0];
    let shape = Shape::Sphere { centre, radius: RADIUS, side: Side::Outside };
    let barrier = Barrier { friction: 0.0, ..Barrier::new(shape) };
    builder.contact(&contact(), &[None], &[("ball", barrier, vec![block])])?;
    let (world, iterations) = settle(builder.build()?)?;
    Ok(measure::<ShapeContact>(&world, &lines, iterations))
}

/// A block against another one with a bump that is a part of a ball of the same radius.
fn bump(cells: [usize; 2], growth: f64, moduli: [Moduli; 2]) -> Result<Pressed, VerifyError> {
    let [lower, upper] = cells.map(|cells| lines(cells, growth));
    let mut builder = WorldBuilder::new();
    add(&mut builder, "lower", quarter(&lower, -1.0, |_| 0.0)?, moduli[0], [0.0, WAY, 0.0])?;
    // Three contact radii wide.
    let height = |r: f64| DISTANCE + r.min(3.0 * (RADIUS * WAY).sqrt()).powi(2) / (2.0 * RADIUS);
    add(&mut builder, "upper", quarter(&upper, 1.0, height)?, moduli[1], [0.0; 3])?;
    builder.contact(&contact(), &[None, None], &[])?;
    let (world, iterations) = settle(builder.build()?)?;
    Ok(measure::<NormalContact>(&world, &lower, iterations))
}

/// Force, radius of contact and peak pressure by Hertz.
fn hertz(modulus: f64) -> [f64; 3] {
    let force = 4.0 / 3.0 * modulus * RADIUS.sqrt() * WAY.powf(1.5);
    let radius = (RADIUS * WAY).sqrt();
    [force, radius, 1.5 * force / (PI * radius * radius)]
}

fn rows(what: &str, mesh: &str, expected: [f64; 3], got: &Pressed, rows: &mut Vec<Row>) {
    let names = ["force, N", "radius of contact, m", "peak pressure, Pa"];
    let got = [got.force, got.radius, got.peak];
    for ((name, expected), got) in names.iter().zip(expected).zip(got) {
        rows.push(Row::relative(format!("{what}: {name}"), mesh, expected, got, 0.05));
    }
}

/// A ball of 10 cm that is pressed by 1 mm: into a half space of E = 1 MPa and ν = 0.3, and as elastic as that.
pub(crate) fn ball_in_block(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let [soft, hard]: [Moduli; 2] = [[1e6, 0.3], [2e6, 0.2]];
    let plane = |[young, poisson]: Moduli| (1.0 - poisson * poisson) / young;
    let mut list = Vec::new();
    progress("rigid ball");
    let got = ball(20, 1.33, soft)?;
    progress(&format!("{} iterations", got.iterations));
    rows("rigid ball", "quarter of 20³ hex8-bbar", hertz(1.0 / plane(soft)), &got, &mut list);
    progress("elastic ball");
    // Meshes that match: others share their area to some hundredths, and the peak pressure with it.
    let got = bump([16, 16], 1.4, [soft, hard])?;
    progress(&format!("{} iterations", got.iterations));
    let both = hertz(1.0 / (plane(soft) + plane(hard)));
    rows("elastic ball", "quarters of 16³ hex8-bbar", both, &got, &mut list);
    Ok(list)
}

//! Slender beams that bend far: the elastica.

use std::f64::consts::TAU;
use std::sync::Arc;

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{Moment, Motion, NewtonSettings, StaticSettings};
use pliant_forces::ElementName;
use pliant_forces::loads::TimeCurve;

use crate::body::{Body, Elastic, strict};
use crate::{Progress, Row, VerifyError, loads, shapes};

const LENGTH: f64 = 1.0;
/// L/h = 100.
const HEIGHT: f64 = 0.01;
const YOUNG: f64 = 1e9;
/// E I
const RIGIDITY: f64 = YOUNG * HEIGHT * HEIGHT * HEIGHT * HEIGHT / 12.0;

/// P L² / E I, and w / L and u / L of the tip.
const END_LOADS: [[f64; 3]; 9] = [
    [0.25, 0.08274592, 0.00411782],
    [0.5, 0.16214358, 0.01591896],
    [1.0, 0.30172077, 0.05643324],
    [2.0, 0.49345748, 0.16064172],
    [3.0, 0.60325344, 0.25442018],
    [4.0, 0.66996418, 0.32894124],
    [5.0, 0.71379152, 0.38762836],
    [7.5, 0.77670200, 0.48957425],
    [10.0, 0.81060902, 0.55499560],
];

/// A beam along x, clamped at x = 0, of `cells` blocks of six quadratic tetrahedra.
fn beam(cells: usize) -> Result<Body, VerifyError> {
    let stuff = Elastic::young("neo-hookean", YOUNG, 0.0)?;
    let element = ElementName::Tet10;
    let size = [LENGTH, HEIGHT, HEIGHT];
    let mesh = shapes::block(size, [cells, 1, 1], element)?;
    let mut body = Body::new(mesh, element, &stuff)?;
    let clamp = body.set("u-min")?;
    body.fix(&clamp)?;
    Ok(body)
}

const MESHES: [usize; 3] = [12, 25, 50];

pub(crate) fn end_load(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut found = [[[0.0; 2]; 9]; 3];
    let mut mesh = String::new();
    for (k, cells) in MESHES.into_iter().enumerate() {
        let mut body = beam(cells)?;
        let end = body.set("u-max")?;
        let unit = RIGIDITY / (LENGTH * LENGTH) / (HEIGHT * HEIGHT);
        let forces = loads::traction(body.mesh(), &end, |_, _| [0.0, unit, 0.0])?;
        // Time is the load.
        let ramp = TimeCurve::Ramp { start: 0.0, end: 10.0, from: 0.0, to: 10.0 };
        body.forces_over_time(&forces, ramp)?;
        mesh = body.describe();
        let tip = body.nearest([LENGTH, 0.5 * HEIGHT, 0.5 * HEIGHT]);
        let mut built = body.build()?;
        for (at, load) in END_LOADS.iter().enumerate() {
            progress(&format!("{mesh}, load {}", load[0]));
            built.state.time = load[0];
            let newton = NewtonSettings { force_tolerance: 1e-8, ..strict() };
            built.solve_with(newton, StaticSettings::default())?;
            let u = built.displacement(tip);
            found[k][at] = [u[1] / LENGTH, -u[0] / LENGTH];
        }
    }
    let mut rows = Vec::new();
    for (at, load) in END_LOADS.iter().enumerate() {
        for (c, name) in ["across", "along"].into_iter().enumerate() {
            let what = format!("tip {name}, P L²/EI = {}", load[0]);
            rows.push(Row::relative(&what, &mesh, load[1 + c], found[2][at][c], 1e-2));
            let three = [0, 1, 2].map(|k| found[k][at][c]);
            rows.push(Row::converges(&what, &mesh, None, three));
        }
    }
    Ok(rows)
}

/// The end is led round until the beam is a circle, its section turning by 2π: that takes the moment 2π E I / L
/// and no force. (A pressure that follows the end would do for a moment only if the end stayed flat: a tilt of
/// half of it by h/L makes a force as strong as the moment.)
pub(crate) fn circle(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (mut moments, mut forces) = ([0.0; 3], [0.0; 3]);
    let mut mesh = String::new();
    let exact = TAU * RIGIDITY / LENGTH;
    for (k, cells) in MESHES.into_iter().enumerate() {
        let mut body = beam(cells)?;
        mesh = body.describe();
        progress(&mesh);
        let end = body.set("u-max")?;
        body.hold(&end, &crate::body::AXES, &Motion::Function(Arc::new(led)))?;
        // A full circle may turn about its tangent at the clamp at no cost, and what the mesh makes of that is
        // not the question.
        let clamp = body.set("u-min")?;
        let inside: Vec<u32> = (0..body.mesh().vertex_count() as u32)
            .filter(|v| !end.contains(v) && !clamp.contains(v))
            .collect();
        let still = Motion::Translation { direction: [0.0; 3], curve: TimeCurve::default() };
        body.hold(&inside, &crate::body::AXES[2..], &still)?;
        let mut built = body.build()?;
        let newton = NewtonSettings { force_tolerance: 1e-9, ..strict() };
        built.solve_gradually(80, newton, progress)?;
        let (force, moment) = built.reaction(&end)?;
        // About the middle of the end, where the force has no moment.
        moments[k] = moment[2] + 0.5 * HEIGHT * force[0];
        // What holds the beam in its plane is no part of it.
        forces[k] = force[0].hypot(force[1]) * LENGTH / exact;
    }
    let what = "moment at the end, of 2π EI/L";
    let mut rows = vec![Row::relative(what, &mesh, 1.0, moments[2] / exact, 1e-2)];
    rows.push(Row::converges(what, &mesh, None, moments));
    rows.push(Row::zero("force at the end times L, of 2π EI/L", &mesh, forces[2], 1e-2));
    Ok(rows)
}

/// Where a point of the end is when the beam is bent to an arc of 2π t.
fn led(anchor: Vec3, t: f64) -> Moment {
    let off = anchor[1] - 0.5 * HEIGHT;
    let (angle, curvature) = (TAU * t, TAU * t / LENGTH);
    let (s, c) = angle.sin_cos();
    let axis = if t == 0.0 { [LENGTH, 0.0] } else { [s / curvature, (1.0 - c) / curvature] };
    let x = [axis[0] - off * s, 0.5 * HEIGHT + axis[1] + off * c, anchor[2]];
    Moment { x, v: [0.0; 3], a: [0.0; 3] }
}

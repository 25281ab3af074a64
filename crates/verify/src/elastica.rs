//! Slender beams that bend far: the elastica.

use std::f64::consts::TAU;

use pliant_algebra::vec3::{cross, norm, scale, sub};
use pliant_dynamics::{NewtonSettings, StaticSettings};
use pliant_forces::ElementName;
use pliant_forces::loads::TimeCurve;

use crate::body::{Body, Stuff, strict};
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
    let stuff = Stuff::young("neo-hookean", YOUNG, 0.0)?;
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
        let forces = loads::traction(&body.mesh, &end, |_, _| [0.0, unit, 0.0]);
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

/// M = 2π E I / L, by a pressure on the end that varies across it and follows it.
pub(crate) fn circle(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut gaps = [0.0; 3];
    let mut mesh = String::new();
    for (k, cells) in [25, 50, 100].into_iter().enumerate() {
        let mut body = beam(cells)?;
        mesh = body.describe();
        progress(&mesh);
        let end = body.set("u-max")?;
        let off = |x: pliant_algebra::vec3::Vec3| x[1] - 0.5 * HEIGHT;
        // The pressure of a face acts at its middle; the moment for a pressure of 1 a metre.
        let unit: f64 = loads::flat_faces(&body.mesh, &end)
            .iter()
            .map(|f| {
                let [a, b, c] = [0, 1, 2].map(|k| body.mesh.vertices[f[k] as usize]);
                let area = 0.5 * norm(cross(sub(b, a), sub(c, a)));
                let middle =
                    scale(pliant_algebra::vec3::add(pliant_algebra::vec3::add(a, b), c), 1.0 / 3.0);
                area * off(middle) * off(middle)
            })
            .sum();
        let slope = TAU * RIGIDITY / LENGTH / unit;
        body.pressure(&[(&end, &|x| slope * off(x))])?;
        let (root, tip) = (
            body.nearest([0.0, 0.5 * HEIGHT, 0.5 * HEIGHT]),
            body.nearest([LENGTH, 0.5 * HEIGHT, 0.5 * HEIGHT]),
        );
        let mut built = body.build()?;
        // Without an energy, steps would be shortened until |r| falls, which stretching keeps it from:
        // full steps lead over that hill.
        let newton = NewtonSettings { force_tolerance: 1e-8, line_search: false, ..strict() };
        built.solve_gradually(40, newton, progress)?;
        gaps[k] = norm(scale(sub(built.position(tip), built.position(root)), 1.0 / LENGTH));
    }
    progress(&format!("{gaps:?}"));
    let what = "distance of tip and root, of the length";
    let mut rows = vec![Row::zero(what, &mesh, gaps[2], 1e-2)];
    rows.push(Row::converges(what, &mesh, None, gaps));
    Ok(rows)
}

//! Published problems with curved bodies: NAFEMS LE1 and LE10, the 45° bend, the twisted beam.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use pliant_algebra::vec3::{Vec3, scale};
use pliant_dynamics::{NewtonSettings, StaticSettings};
use pliant_forces::ElementName;
use pliant_forces::loads::TimeCurve;

use crate::body::{Body, Elastic, strict};
use crate::{Progress, Row, VerifyError, loads, shapes};

const TET10: ElementName = ElementName::Tet10;

/// A quarter of the elliptic plate between half axes 2, 1 and 3.25, 2.75, with v = 0 on the x axis.
fn plate(element: ElementName, cells: [usize; 3], thickness: f64) -> Result<Body, VerifyError> {
    let mesh = shapes::mapped(cells, element, |[u, v, w]| {
        let (sin, cos) = shapes::quarter_turn(v);
        let a = 2.0 * (1.0 - u) + 3.25 * u;
        let b = 1.0 * (1.0 - u) + 2.75 * u;
        [a * cos, b * sin, thickness * w]
    })?;
    let mut body = Body::new(mesh, element, &Elastic::young("linear", 210e3, 0.3)?)?;
    let (x_axis, y_axis) = (body.set("v-min")?, body.set("v-max")?);
    body.roll(&x_axis, 1)?;
    body.roll(&y_axis, 0)?;
    Ok(body)
}

/// σ_yy at D = (2, 0) under 10 MPa outward on the rim, plane stress; MPa and m.
pub(crate) fn le1(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for element in [TET10, ElementName::Hex20] {
        rows.extend(le1_of(element, progress)?);
    }
    Ok(rows)
}

fn le1_of(element: ElementName, progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut values = [0.0; 3];
    let mut mesh = String::new();
    for (value, n) in values.iter_mut().zip([4, 8, 16]) {
        let mut body = plate(element, [n, 3 * n / 2, 1], 0.1)?;
        mesh = body.describe();
        progress(&mesh);
        let bottom = body.set("w-min")?;
        body.roll(&bottom, 2)?;
        let rim = body.set("u-max")?;
        let forces = loads::traction(body.mesh(), &rim, |_, n| scale(n, 10.0))?;
        body.forces(&forces)?;
        let corners = [body.nearest([2.0, 0.0, 0.0]), body.nearest([2.0, 0.0, 0.1])];
        let mut built = body.build()?;
        built.solve()?;
        let [a, b] = [built.piola_at_vertex(corners[0])?, built.piola_at_vertex(corners[1])?];
        *value = 0.5 * (a.0[1][1] + b.0[1][1]);
    }
    let what = "σ_yy at D, MPa";
    let mut rows = vec![Row::relative(what, &mesh, 92.7, values[2], 2e-2)];
    rows.push(Row::converges(what, &mesh, None, values));
    Ok(rows)
}

/// σ_yy at D on top under 1 MPa on top; the rim is held across, and its middle line in height.
pub(crate) fn le10(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    le10_of(TET10, [2, 4, 8], progress)
}

/// The same on hexahedra.
pub(crate) fn le10_hex20(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    le10_of(ElementName::Hex20, [2, 4, 6], progress)
}

fn le10_of(
    element: ElementName,
    sizes: [usize; 3],
    progress: Progress<'_>,
) -> Result<Vec<Row>, VerifyError> {
    let (mut values, mut heights) = ([0.0; 3], [0.0; 3]);
    let mut mesh = String::new();
    for ((value, height), n) in values.iter_mut().zip(&mut heights).zip(sizes) {
        let mut body = plate(element, [2 * n, 3 * n, n.max(2)], 0.6)?;
        mesh = body.describe();
        progress(&mesh);
        let rim = body.set("u-max")?;
        body.roll(&rim, 0)?;
        body.roll(&rim, 1)?;
        let middle: Vec<u32> = rim
            .iter()
            .copied()
            .filter(|&v| (body.mesh().vertices[v as usize][2] - 0.3).abs() < 1e-9)
            .collect();
        body.roll(&middle, 2)?;
        let top = body.set("w-max")?;
        let forces = loads::traction(body.mesh(), &top, |_, n| scale(n, -1.0))?;
        body.forces(&forces)?;
        let corner = body.nearest([2.0, 0.0, 0.6]);
        let mut built = body.build()?;
        built.solve()?;
        *value = built.piola_at_vertex(corner)?.0[1][1];
        *height = built.displacement(corner)[2];
    }
    let what = "σ_yy at D on top, MPa";
    let mut rows = vec![Row::relative(what, &mesh, -5.38, values[2], 2e-2)];
    // Stresses at a corner of hex20 come to within a percent at once, and then go to and fro; displacements do not.
    if element == TET10 {
        rows.push(Row::converges(what, &mesh, None, values));
    }
    rows.push(Row::converges("u_z at D on top, m", &mesh, None, heights));
    Ok(rows)
}

/// R = 100, 1 × 1, E = 1e7, ν = 0, a dead load across at the tip.
pub(crate) fn bend(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let cases = [(300.0, [58.84, 22.33, 40.08]), (600.0, [47.23, 15.79, 53.37])];
    let mut tips = [[[0.0; 3]; 3]; 2];
    let mut mesh = String::new();
    for (k, n) in [8, 16, 32].into_iter().enumerate() {
        let block = shapes::mapped([n, 1, 1], TET10, |[u, v, w]| {
            let (sin, cos) = (FRAC_PI_4 * u).sin_cos();
            let r = 100.0 - (v - 0.5);
            [r * sin, 100.0 - r * cos, w - 0.5]
        })?;
        let mut body = Body::new(block, TET10, &Elastic::young("neo-hookean", 1e7, 0.0)?)?;
        mesh = body.describe();
        let clamp = body.set("u-min")?;
        body.fix(&clamp)?;
        let end = body.set("u-max")?;
        let forces = loads::traction(body.mesh(), &end, |_, _| [0.0, 0.0, 1.0])?;
        let ramp = TimeCurve::Ramp { start: 0.0, end: 600.0, from: 0.0, to: 600.0 };
        body.forces_over_time(&forces, ramp)?;
        let half = 0.5_f64.sqrt();
        let tip = body.nearest([100.0 * half, 100.0 * (1.0 - half), 0.0]);
        let mut built = body.build()?;
        for (case, (load, _)) in cases.iter().enumerate() {
            progress(&format!("{mesh}, {load}"));
            built.state.time = *load;
            let newton = NewtonSettings { force_tolerance: 1e-8, ..strict() };
            built.solve_with(newton, StaticSettings::default())?;
            tips[case][k] = built.position(tip);
        }
    }
    let mut rows = Vec::new();
    for (tip, (load, published)) in tips.into_iter().zip(cases) {
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let what = format!("{name} of the tip, load {load}");
            rows.push(Row::relative(&what, &mesh, published[axis], tip[2][axis], 1.5e-2));
            rows.push(Row::converges(&what, &mesh, None, tip.map(|t: Vec3| t[axis])));
        }
    }
    Ok(rows)
}

/// L = 12, 1.1 × 0.32, E = 0.29e8, ν = 0.22, twisted by 90°; a unit load at the tip either way.
pub(crate) fn twisted_beam(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    // Across the thickness of the clamped end it is soft.
    for (axis, published, name) in
        [(2, 0.005424535, "across the thickness"), (1, 0.001753248, "along the width")]
    {
        let mut values = [0.0; 3];
        let mut mesh = String::new();
        for (value, n) in values.iter_mut().zip([1_usize, 2, 4]) {
            let cells = [12 * n, n.max(1), n.div_ceil(2)];
            let block = shapes::mapped(cells, TET10, |[u, v, w]| {
                let (sin, cos) = (FRAC_PI_2 * u).sin_cos();
                let (y, z) = (1.1 * (v - 0.5), 0.32 * (w - 0.5));
                [12.0 * u, y * cos - z * sin, y * sin + z * cos]
            })?;
            let mut body = Body::new(block, TET10, &Elastic::young("linear", 0.29e8, 0.22)?)?;
            mesh = body.describe();
            progress(&mesh);
            let clamp = body.set("u-min")?;
            body.fix(&clamp)?;
            let end = body.set("u-max")?;
            let mut traction = [0.0; 3];
            traction[axis] = 1.0 / (1.1 * 0.32);
            let forces = loads::traction(body.mesh(), &end, |_, _| traction)?;
            body.forces(&forces)?;
            let tip = body.nearest([12.0, 0.0, 0.0]);
            let mut built = body.build()?;
            built.solve()?;
            *value = built.displacement(tip)[axis];
        }
        let what = format!("tip under a load {name} of the clamped end");
        rows.push(Row::relative(&what, &mesh, published, values[2], 1e-2));
        rows.push(Row::converges(&what, &mesh, None, values));
    }
    Ok(rows)
}

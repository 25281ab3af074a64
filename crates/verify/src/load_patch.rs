//! The patch test of loads: a load that a uniform stress balances gives a uniform stress, on every element.

use std::f64::consts::FRAC_1_SQRT_2;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, dot, norm, sub};
use pliant_forces::ElementName;
use pliant_mesh::VolumeMesh;
use pliant_model::{Load, LoadKind, Rule, Select};

use crate::body::{AXES, Body, Built, Elastic};
use crate::structure::noise;
use crate::{Progress, Row, VerifyError, shapes};

/// N/m², about a fifth of Young's modulus.
const T: f64 = 2e4;

/// A unit cube with flat sides, on which and in which no vertex keeps its place; turned by −45° about z if wanted.
fn cube(element: ElementName, turned: bool) -> Result<VolumeMesh, VerifyError> {
    let linear = match element {
        ElementName::Tet10 | ElementName::Tet10Bbar => ElementName::Tet4,
        ElementName::Hex20 => ElementName::Hex8,
        other => other,
    };
    let mut mesh = shapes::block([1.0; 3], [3, 3, 2], linear)?;
    for (v, x) in mesh.vertices.iter_mut().enumerate() {
        *x = std::array::from_fn(|k| x[k] + 0.3 * noise(3 * v + k) * x[k] * (1.0 - x[k]));
        if turned {
            let c = FRAC_1_SQRT_2;
            *x = [c * (x[0] + x[1]), c * (x[1] - x[0]), x[2]];
        }
    }
    if element != linear {
        mesh = pliant_mesh::refine::to_quadratic(&mesh)?;
    }
    Ok(mesh)
}

/// A side by a point and its normal.
fn side(point: Vec3, normal: Vec3) -> Select {
    Select::all().and(Rule::Plane { point, normal, within: None })
}

/// The largest deviation of σ from its mean, and of P from what is expected, each relative to the load.
fn deviations(built: &Built, expected: &Mat3<f64>) -> Result<[f64; 2], VerifyError> {
    let stresses = built.stresses()?;
    let mut mean = Mat3::zero();
    for stress in &stresses {
        mean += stress.cauchy.scale(1.0 / stresses.len() as f64);
    }
    let mut worst = [0.0_f64; 2];
    for stress in &stresses {
        worst[0] = worst[0].max((stress.cauchy - mean).norm() / T);
        worst[1] = worst[1].max((stress.piola - *expected).norm() / T);
    }
    Ok(worst)
}

/// F from the stretches along the axes, which all of these states have.
fn stretches(built: &Built) -> Vec3 {
    std::array::from_fn(|k| {
        let mesh = built.mesh();
        let by_place = |a: &u32, b: &u32| {
            mesh.vertices[*a as usize][k].total_cmp(&mesh.vertices[*b as usize][k])
        };
        let all = 0..mesh.vertex_count() as u32;
        let (low, high) =
            (all.clone().min_by(by_place).unwrap_or(0), all.max_by(by_place).unwrap_or(0));
        let length = mesh.vertices[high as usize][k] - mesh.vertices[low as usize][k];
        (built.position(high)[k] - built.position(low)[k]) / length
    })
}

/// Expected P of the stretches, over [`T`].
type Expected = fn(Vec3) -> Mat3<f64>;

/// Along the normal of a side, on all sides, and along four sides.
pub(crate) fn all(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for element in ElementName::ALL {
        progress(element.name());
        normal(element, &mut rows)?;
        closed(element, &mut rows)?;
        shear(element, &mut rows)?;
    }
    Ok(rows)
}

fn push(
    rows: &mut Vec<Row>,
    what: &str,
    element: ElementName,
    body: Body,
    expected: Expected,
) -> Result<(), VerifyError> {
    let mesh = body.describe();
    let mut built = body.build()?;
    built.solve()?;
    let [spread, off] = deviations(&built, &expected(stretches(&built)).scale(T))?;
    let name = element.name();
    rows.push(Row::zero(
        format!("{name}, {what}: spread of stress over load"),
        &mesh,
        spread,
        1e-10,
    ));
    rows.push(Row::zero(format!("{name}, {what}: error of stress over load"), &mesh, off, 1e-9));
    Ok(())
}

fn made(element: ElementName, turned: bool) -> Result<Body, VerifyError> {
    Body::new(cube(element, turned)?, element, &Elastic::young("neo-hookean", 1e5, 0.3)?)
}

fn normal(element: ElementName, rows: &mut Vec<Row>) -> Result<(), VerifyError> {
    let t = [T, 0.0, 0.0];
    let given: Expected = |_| Mat3::diagonal([1.0, 0.0, 0.0]);
    let current: Expected = |f| Mat3::diagonal([f[1] * f[2], 0.0, 0.0]);
    let cases: [(&str, LoadKind, bool, Expected); 6] = [
        ("traction", LoadKind::Traction(t), false, given),
        ("following traction", LoadKind::Traction(t), true, given),
        ("force", LoadKind::Total(t), false, given),
        ("following force", LoadKind::Total(t), true, given),
        ("dead pressure", LoadKind::Pressure(-T), false, given),
        ("pressure", LoadKind::Pressure(-T), true, current),
    ];
    for (what, kind, follows, expected) in cases {
        let mut body = made(element, false)?;
        for k in 0..3 {
            let on = body.select(|x| x[k] < 1e-9);
            body.roll(&on, k)?;
        }
        let load = Load::new(kind).on(side(AXES[0], AXES[0])).following(follows);
        body.load(&load)?;
        push(rows, what, element, body, expected)?;
    }
    Ok(())
}

/// Six supports that a stretch along the axes leaves without force: at the origin, at `b` and at `c`.
fn hold(body: &mut Body, b: Vec3, c: Vec3) -> Result<(), VerifyError> {
    for (at, directions) in [([0.0; 3], &AXES[..]), (b, &AXES[1..]), (c, &AXES[2..])] {
        let vertex = body.nearest(at);
        let place = body.mesh().vertices[vertex as usize];
        if norm(sub(place, at)) > 1e-9 || dot(place, AXES[2]) > 1e-9 {
            return Err(VerifyError::SetUp(format!("no vertex at {at:?}")));
        }
        body.hold(&[vertex], directions, &pliant_dynamics::Motion::Still)?;
    }
    Ok(())
}

fn closed(element: ElementName, rows: &mut Vec<Row>) -> Result<(), VerifyError> {
    let current: Expected = |f| Mat3::diagonal([-f[1] * f[2], -f[2] * f[0], -f[0] * f[1]]);
    let given: Expected = |_| Mat3::diagonal([-1.0; 3]);
    for (what, follows, expected) in
        [("pressure all around", true, current), ("dead pressure all around", false, given)]
    {
        let mut body = made(element, false)?;
        hold(&mut body, AXES[0], AXES[1])?;
        body.load(&Load::new(LoadKind::Pressure(T)).following(follows))?;
        push(rows, what, element, body, expected)?;
    }
    Ok(())
}

/// On a cube turned by −45°, opposite sides against each other: tension along x, compression along y.
fn shear(element: ElementName, rows: &mut Vec<Row>) -> Result<(), VerifyError> {
    let c = FRAC_1_SQRT_2;
    let (u, w) = ([c, -c, 0.0], [c, c, 0.0]);
    // Area vectors are cof F N, so that P = τ z × cof F.
    let current: Expected = |f| Mat3::diagonal([f[0] * f[2], -f[1] * f[2], 0.0]);
    let given: Expected = |_| Mat3::diagonal([1.0, -1.0, 0.0]);
    for (what, follows, expected) in [("shear", true, current), ("dead shear", false, given)] {
        let mut body = made(element, true)?;
        hold(&mut body, [2.0 * c, 0.0, 0.0], u)?;
        for (point, normal, sign) in
            [([0.0; 3], u, 1.0), (u, u, 1.0), ([0.0; 3], w, -1.0), (w, w, -1.0)]
        {
            let kind = LoadKind::Shear(sign * T, AXES[2]);
            body.load(&Load::new(kind).on(side(point, normal)).following(follows))?;
        }
        push(rows, what, element, body, expected)?;
    }
    Ok(())
}

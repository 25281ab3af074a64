//! Hollow cylinders and spheres.

use pliant_algebra::vec3::{Vec3, norm, scale};
use pliant_dynamics::{Motion, NewtonSettings};
use pliant_forces::ElementName;
use pliant_materials::Constants;

use crate::body::{AXES, Body, Built, Elastic, strict};
use crate::{Progress, Row, VerifyError, loads, shapes};

/// A quarter ring in plane strain between its planes of symmetry.
fn ring(
    radii: [f64; 2],
    cells: [usize; 3],
    element: ElementName,
    stuff: &Elastic,
) -> Result<Body, VerifyError> {
    let thickness = 0.1 * radii[0];
    let mesh = shapes::ring([radii[0], radii[1], thickness], cells, element)?;
    let mut body = Body::new(mesh, element, stuff)?;
    let (x_axis, y_axis) = (body.set("v-min")?, body.set("v-max")?);
    body.roll(&x_axis, 1)?;
    body.roll(&y_axis, 0)?;
    let all = body.select(|_| true);
    body.roll(&all, 2)?;
    Ok(body)
}

/// The mean radial displacement of a vertex set, the axis being z.
fn radial_about_z(built: &Built, set: &str) -> f64 {
    let items = built.mesh().vertex_set(set).map_or(&[][..], |s| &s.items);
    let radius = |x: Vec3| x[0].hypot(x[1]);
    let sum: f64 = items
        .iter()
        .map(|&v| radius(built.position(v)) - radius(built.mesh().vertices[v as usize]))
        .sum();
    sum / items.len() as f64
}

const LAME_CELLS: [[usize; 3]; 3] = [[4, 6, 1], [8, 12, 1], [16, 24, 1]];

/// Inner radius 1, outer 2, E = 1, ν = 0.3, p = 1, small displacements.
pub(crate) fn lame_cylinder(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let stuff = Elastic::young("linear", 1.0, 0.3)?;
    let mut rows = Vec::new();
    for element in [ElementName::Hex8, ElementName::Tet10, ElementName::Hex20] {
        let mut values = [[0.0; 3]; 3];
        let mut mesh = String::new();
        for (k, cells) in LAME_CELLS.into_iter().enumerate() {
            progress(&format!("{} {cells:?}", element.name()));
            let mut body = ring([1.0, 2.0], cells, element, &stuff)?;
            let inner = body.set("u-min")?;
            let forces = loads::traction(body.mesh(), &inner, |_, n| scale(n, -1.0))?;
            body.forces(&forces)?;
            mesh = body.describe();
            let corner = body.nearest([1.0, 0.0, 0.0]);
            let mut built = body.build()?;
            built.solve()?;
            values[0][k] = radial_about_z(&built, "u-min");
            values[1][k] = radial_about_z(&built, "u-max");
            // Small-strain stress: that of the linear law is P.
            values[2][k] = hoop(&built, corner, &cells)?;
        }
        for (value, (what, exact, tolerance)) in values.into_iter().zip([
            ("u of the inner radius", 1.906666666667, 5e-3),
            ("u of the outer radius", 1.213333333333, 5e-3),
            ("hoop stress inside", 1.666666666667, 2e-2),
        ]) {
            rows.push(Row::relative(what, &mesh, exact, value[2], tolerance));
            rows.push(Row::converges(what, &mesh, None, value));
        }
    }
    Ok(rows)
}

/// The linear hoop stress σ_yy at a vertex on the x axis: there for tetrahedra; for hexahedra the straight line
/// through the means of the first two of the radius.
fn hoop(built: &Built, vertex: u32, cells: &[usize; 3]) -> Result<f64, VerifyError> {
    if built.mesh().cell_type == pliant_mesh::CellType::Hex8 {
        let stresses = built.stresses()?;
        let row: Vec<f64> = stresses[..cells[0]].iter().map(|s| s.piola.0[1][1]).collect();
        return Ok(1.5 * row[0] - 0.5 * row[1]);
    }
    built.piola_at_vertex(vertex).map(|p| p.0[1][1])
}

/// A 24th of the sphere between planes of symmetry.
pub(crate) fn lame_sphere(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let stuff = Elastic::young("linear", 1.0, 0.3)?;
    let mut rows = Vec::new();
    for (element, cells) in [
        (ElementName::Hex8, [[4, 3, 3], [8, 6, 6], [16, 12, 12]]),
        (ElementName::Tet10, [[2, 1, 1], [4, 2, 2], [8, 4, 4]]),
        (ElementName::Hex20, [[1, 1, 1], [2, 2, 2], [4, 4, 4]]),
    ] {
        let mut values = [[0.0; 3]; 2];
        let mut mesh = String::new();
        for (k, cells) in cells.into_iter().enumerate() {
            progress(&format!("{} {cells:?}", element.name()));
            let mut body =
                Body::new(shapes::sphere_part([1.0, 2.0], cells, element)?, element, &stuff)?;
            let half = 0.5_f64.sqrt();
            for (set, normal) in [
                ("v-min", AXES[1]),
                ("w-min", AXES[2]),
                ("v-max", [half, -half, 0.0]),
                ("w-max", [half, 0.0, -half]),
            ] {
                let side = body.set(set)?;
                body.hold(&side, &[normal], &Motion::Still)?;
            }
            let inner = body.set("u-min")?;
            let forces = loads::traction(body.mesh(), &inner, |_, n| scale(n, -1.0))?;
            body.forces(&forces)?;
            mesh = body.describe();
            let mut built = body.build()?;
            built.solve()?;
            // A small part of the load: the linear law does not mind, and directions stay.
            values[0][k] = linear_radial(&built, "u-min");
            values[1][k] = linear_radial(&built, "u-max");
        }
        for (value, (what, exact)) in
            values.into_iter().zip([("u of the inner radius", 0.8), ("u of the outer radius", 0.3)])
        {
            rows.push(Row::relative(what, &mesh, exact, value[2], 5e-3));
            rows.push(Row::converges(what, &mesh, None, value));
        }
    }
    Ok(rows)
}

/// The mean of u · X / |X| of a vertex set.
fn linear_radial(built: &Built, set: &str) -> f64 {
    let items = built.mesh().vertex_set(set).map_or(&[][..], |s| &s.items);
    let sum: f64 = items
        .iter()
        .map(|&v| {
            let (x, u) = (built.mesh().vertices[v as usize], built.displacement(v));
            pliant_algebra::vec3::dot(u, x) / norm(x)
        })
        .sum();
    sum / items.len() as f64
}

/// ν = 0.4999: the volume is kept, and plain elements lock: they are listed without a tolerance.
pub(crate) fn locking(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let stuff = Elastic::young("linear", 1.0, 0.4999)?;
    let mut rows = Vec::new();
    for (element, tolerance) in [
        (ElementName::Hex8Bbar, 1e-2),
        (ElementName::Tet10Bbar, 1e-2),
        (ElementName::Tet10, 1e-2),
        (ElementName::Hex20, 1e-2),
        (ElementName::Hex8, f64::INFINITY),
        (ElementName::Tet4, f64::INFINITY),
    ] {
        let mut values = [0.0; 3];
        let mut mesh = String::new();
        for (k, cells) in LAME_CELLS.into_iter().enumerate() {
            progress(&format!("{} {cells:?}", element.name()));
            let mut body = ring([1.0, 2.0], cells, element, &stuff)?;
            let inner = body.set("u-min")?;
            let forces = loads::traction(body.mesh(), &inner, |_, n| scale(n, -1.0))?;
            body.forces(&forces)?;
            mesh = body.describe();
            let mut built = body.build()?;
            built.solve()?;
            values[k] = radial_about_z(&built, "u-min");
            if tolerance.is_infinite() {
                let what =
                    format!("u of the inner radius, Poisson 0.4999; {} locks", element.name());
                rows.push(Row::relative(what, &mesh, 1.99996666, values[k], tolerance));
            }
        }
        if tolerance.is_finite() {
            let what = "u of the inner radius, Poisson 0.4999";
            rows.push(Row::relative(what, &mesh, 1.99996666, values[2], tolerance));
            rows.push(Row::converges(what, &mesh, None, values));
        }
    }
    Ok(rows)
}

/// The inner radius grows by a quarter, the outside is free: the radial equation solved to 1e-10, and the
/// discrete answers of hexahedra.
pub(crate) fn inflated(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let lame = Constants::Lame { lambda: 1.5, mu: 1.0 };
    let cases = [
        ("neo-hookean", lame.clone(), 0.1663553171, [0.16646386, 0.16638248]),
        ("st-venant-kirchhoff", lame, 0.1421778627, [0.14250287, 0.14226705]),
        (
            "mooney-rivlin",
            Constants::Own(vec![0.6, 0.3, 5.0]),
            0.1513970567,
            [0.15144638, 0.15140938],
        ),
        (
            "neo-hookean-isochoric",
            Constants::Own(vec![0.5, 2.0]),
            0.1702140542,
            [0.17029291, 0.17023376],
        ),
    ];
    let mut rows = Vec::new();
    for (law, constants, exact, discrete) in cases {
        progress(law);
        let stuff = Elastic::new(law, &constants)?;
        let mut values = [0.0; 3];
        let names = ["4 x 6 x 1 hex8", "8 x 12 x 1 hex8", "16 x 24 x 1 hex8"];
        for (k, cells) in [[4, 6, 1], [8, 12, 1], [16, 24, 1]].into_iter().enumerate() {
            let hex = ElementName::Hex8;
            let mesh = shapes::ring([1.0, 2.0, 0.1], cells, hex)?;
            let mut body = Body::new(mesh, hex, &stuff)?;
            body.prescribe(|x| {
                let inside = (x[0].hypot(x[1]) - 1.0).abs() < 1e-9;
                if inside {
                    return [Some(0.25 * x[0]), Some(0.25 * x[1]), Some(0.0)];
                }
                let rolls = |on: bool| on.then_some(0.0);
                [rolls(x[0] == 0.0), rolls(x[1] == 0.0), Some(0.0)]
            })?;
            let mut built = body.build()?;
            built.solve_gradually(1, strict(), progress)?;
            values[k] = radial_about_z(&built, "u-max");
        }
        let what = format!("u of the outer radius, {law}");
        for k in 0..2 {
            let what = format!("{what}, discrete");
            rows.push(Row::relative(what, names[k + 1], discrete[k], values[k + 1], 1e-7));
        }
        rows.push(Row::relative(&what, names[2], exact, values[2], 1e-3));
        rows.push(Row::converges(&what, "4, 8, 16 along the radius", Some(2.0), values));
    }
    Ok(rows)
}

/// A = 7, B = 18.625 m, c10 = 80, c01 = 20 MPa, 100 MPa inside; bulk modulus 1000 times the shear modulus.
pub(crate) fn vessel(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let stuff = Elastic::new("mooney-rivlin", &Constants::Own(vec![80.0, 20.0, 1e5]))?;
    let mut values = [[0.0; 3]; 4];
    let mut mesh = String::new();
    for (k, cells) in [[8, 8, 1], [16, 16, 1], [32, 32, 1]].into_iter().enumerate() {
        progress(&format!("{cells:?}"));
        let mut body = ring([7.0, 18.625], cells, ElementName::Hex8Bbar, &stuff)?;
        let inner = body.set("u-min")?;
        body.pressure(&[(&inner, &|_| 100.0)])?;
        mesh = body.describe();
        let mut built = body.build()?;
        let newton = NewtonSettings { force_tolerance: 1e-9, ..strict() };
        built.solve_gradually(10, newton, progress)?;
        values[0][k] = 7.0 + radial_about_z(&built, "u-min");
        values[1][k] = 18.625 + radial_about_z(&built, "u-max");
        // Hoop stresses of the first row of cells, drawn on to both ends.
        let stresses = built.stresses()?;
        let along: Vec<f64> = (0..cells[0])
            .map(|c| {
                let s = &stresses[c].cauchy;
                let middle = mean(&built, c);
                let r = middle[0].hypot(middle[1]);
                let t = [-middle[1] / r, middle[0] / r];
                (0..2)
                    .flat_map(|i| (0..2).map(move |j| (i, j)))
                    .map(|(i, j)| t[i] * s.0[i][j] * t[j])
                    .sum()
            })
            .collect();
        let n = along.len();
        values[2][k] = 1.5 * along[0] - 0.5 * along[1];
        values[3][k] = 1.5 * along[n - 1] - 0.5 * along[n - 2];
    }
    let mut rows = Vec::new();
    for (value, (what, exact)) in values.into_iter().zip([
        ("inner radius", 10.2115017346),
        ("outer radius", 20.05406175),
        ("hoop stress inside, MPa", 231.6288),
        ("hoop stress outside, MPa", 59.3573),
    ]) {
        rows.push(Row::relative(what, &mesh, exact, value[2], 5e-3));
        rows.push(Row::converges(what, &mesh, None, value));
    }
    Ok(rows)
}

/// The mean position of a cell.
fn mean(built: &Built, cell: usize) -> Vec3 {
    let nodes = built.mesh().cell(cell);
    let sum = nodes.iter().fold([0.0; 3], |s, &v| pliant_algebra::vec3::add(s, built.position(v)));
    scale(sum, 1.0 / nodes.len() as f64)
}

//! What every element has: patches, rigid motions, orders.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, norm, scale, sub};
use pliant_dynamics::ModeSettings;
use pliant_elements::{Element, Point, measure};
use pliant_forces::{ElementName, ElementVisitor};
use pliant_materials::parameters::Lame;
use pliant_mesh::VolumeMesh;

use crate::body::{Body, Built, Elastic};
use crate::{Progress, Row, VerifyError, shapes};

/// A number from −1 to 1 that a vertex has.
pub(crate) fn noise(seed: usize) -> f64 {
    ((seed as f64 + 1.0) * 12.9898).sin().mul_add(43758.5453, 0.0).fract()
}

/// A cube whose inner corners were moved about; middle nodes stay on straight edges.
fn shaken(n: usize, element: ElementName) -> Result<VolumeMesh, VerifyError> {
    let amount = 0.15 / n as f64;
    let linear = match element {
        ElementName::Tet10 | ElementName::Tet10Bbar => ElementName::Tet4,
        ElementName::Hex20 => ElementName::Hex8,
        other => other,
    };
    let mut mesh = shapes::block([1.0; 3], [n; 3], linear)?;
    for (v, x) in mesh.vertices.iter_mut().enumerate() {
        if x.iter().all(|&c| c > 1e-9 && c < 1.0 - 1e-9) {
            *x = std::array::from_fn(|k| x[k] + amount * noise(3 * v + k));
        }
    }
    if element != linear {
        mesh = pliant_mesh::refine::to_quadratic(&mesh)?;
    }
    Ok(mesh)
}

fn on_surface(x: Vec3) -> bool {
    x.iter().any(|&c| !(1e-9..=1.0 - 1e-9).contains(&c))
}

/// The surface follows an affine map: so does the inside.
pub(crate) fn patch(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let map = Mat3([[1.2, 0.15, -0.1], [0.05, 0.9, 0.2], [-0.1, 0.1, 1.1]]);
    let mut rows = Vec::new();
    for element in ElementName::ALL {
        for law in ["linear", "corotational", "neo-hookean", "st-venant-kirchhoff"] {
            let stuff = Elastic::young(law, 1.0, 0.3)?;
            let mut body = Body::new(shaken(3, element)?, element, &stuff)?;
            body.prescribe(|x| {
                let u = sub(map.mul_vec(x), x);
                if on_surface(x) { u.map(Some) } else { [None; 3] }
            })?;
            let mut built = body.build()?;
            built.solve()?;
            let worst = (0..built.mesh().vertex_count() as u32)
                .map(|v| {
                    norm(sub(built.position(v), map.mul_vec(built.mesh().vertices[v as usize])))
                })
                .fold(0.0, f64::max);
            let what = format!("affine patch, {law}: largest error");
            rows.push(Row::zero(what, element.name(), worst, 1e-12));
        }
    }
    Ok(rows)
}

/// A free body has six modes without energy, and no seventh.
pub(crate) fn zero_modes(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for element in ElementName::ALL {
        let stuff = Elastic::young("neo-hookean", 1.0, 0.3)?;
        let body = Body::new(shaken(2, element)?, element, &stuff)?;
        let mut built = body.build_lumped(1.0)?;
        let settings = ModeSettings { count: 8, ..ModeSettings::default() };
        let modes = built.system.modes(&built.state, &settings)?.modes;
        let stiffest = built.system.highest_frequency(&built.state)?.powi(2);
        let zero = modes.iter().filter(|m| m.square.abs() < 1e-9 * stiffest).count();
        let what = "zero eigenvalues of the stiffness of a free body";
        rows.push(Row::absolute(what, element.name(), 6.0, zero as f64, 0.0));
    }
    Ok(rows)
}

/// Rotated by 40°: no force but for the linear law, whose false stress is known.
pub(crate) fn rotation(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let angle = 40.0_f64.to_radians();
    let (s, c) = angle.sin_cos();
    let turn = Mat3([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]);
    let mut rows = Vec::new();
    for element in ElementName::ALL {
        for law in [
            "corotational",
            "st-venant-kirchhoff",
            "neo-hookean",
            "neo-hookean-isochoric",
            "stable-neo-hookean",
            "mooney-rivlin",
            "veronda-westmann",
        ] {
            let mut built = turned(element, law, &turn)?;
            let mut g = vec![[0.0; 3]; built.state.len()];
            built.system.forces(&built.state.configuration(), &mut g, false)?;
            let largest = g.iter().map(|&g| norm(g)).fold(0.0, f64::max);
            let what = format!("force after a rotation, {law}, E = 1");
            rows.push(Row::zero(what, element.name(), largest, 1e-13));
        }
        let built = turned(element, "linear", &turn)?;
        let Lame { lambda, mu } = Lame::from_young_poisson(1.0, 0.3)?;
        let exact = [2.0 * (mu + lambda) * (c - 1.0), 2.0 * lambda * (c - 1.0)];
        let stress = &built.stresses()?[0].piola;
        for (k, exact) in [(0, exact[0]), (1, exact[0]), (2, exact[1])] {
            let what = format!("false stress of the linear law, {}", ["xx", "yy", "zz"][k]);
            rows.push(Row::relative(what, element.name(), exact, stress.0[k][k], 1e-12));
        }
    }
    Ok(rows)
}

fn turned(element: ElementName, law: &str, turn: &Mat3<f64>) -> Result<Built, VerifyError> {
    let body = Body::new(shaken(2, element)?, element, &Elastic::young(law, 1.0, 0.3)?)?;
    let mut built = body.build()?;
    for x in &mut built.state.x {
        *x = turn.mul_vec(*x);
    }
    Ok(built)
}

/// A displacement c sin(k·x) with the body force it takes: orders of the error in L2.
pub(crate) fn orders(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for (element, order, sizes, tolerances) in [
        (ElementName::Tet4, 2.0, [4, 8, 16], [0.1, 0.1]),
        (ElementName::Tet10, 3.0, [2, 4, 8], [0.1, 0.1]),
        // It comes to its order late, where there are many cells for each one's single pressure.
        (ElementName::Tet10Bbar, 2.0, [2, 4, 8], [0.6, 0.3]),
        (ElementName::Hex8, 2.0, [4, 8, 16], [0.1, 0.1]),
        (ElementName::Hex8Bbar, 2.0, [4, 8, 16], [0.1, 0.1]),
        (ElementName::Hex20, 3.0, [2, 4, 8], [0.1, 0.1]),
    ] {
        let mut errors = [0.0; 3];
        for (error, n) in errors.iter_mut().zip(sizes) {
            progress(&format!("{} {n}³", element.name()));
            *error = element.visit(Manufactured(n, element))?;
        }
        for k in 0..2 {
            let mesh = format!("{}, {}³ to {}³", element.name(), sizes[k], sizes[k + 1]);
            let what = "order in L2, manufactured solution";
            rows.push(Row::order(what, mesh, order, [errors[k], errors[k + 1]], tolerances[k]));
        }
    }
    Ok(rows)
}

/// The problem on so many cells along each axis.
struct Manufactured(usize, ElementName);

impl ElementVisitor for Manufactured {
    type Output = Result<f64, VerifyError>;

    fn visit<E: Element<3, N>, const N: usize>(self, _: E) -> Self::Output {
        manufactured::<E, N>(self.0, self.1)
    }
}

/// The error in L2, relative.
fn manufactured<E: Element<3, N>, const N: usize>(
    n: usize,
    element: ElementName,
) -> Result<f64, VerifyError> {
    let (young, poisson) = (1.0, 0.3);
    let Lame { lambda, mu } = Lame::from_young_poisson(young, poisson)?;
    let (c, k) = ([1.0, -0.6, 0.8], [2.0, 1.4, 0.9]);
    let dot = |a: Vec3, b: Vec3| pliant_algebra::vec3::dot(a, b);
    let field = |x: Vec3| scale(c, dot(k, x).sin());
    // −div σ = ((λ + μ)(c·k) k + μ |k|² c) sin(k·x)
    let force = add_scaled(scale(c, mu * dot(k, k)), k, (lambda + mu) * dot(c, k));
    // Not quite regular: the same smooth map on all meshes.
    let bend = |t: f64| t + 0.1 * (std::f64::consts::PI * t).sin();
    let mesh = shapes::mapped([n; 3], element, |[u, v, w]| {
        [bend(u), v + 0.05 * u * (1.0 - u) * v * (1.0 - v), w]
    })?;
    let rule = E::mass_rule();
    let mut forces = vec![[0.0; 3]; mesh.vertex_count()];
    each_point::<E, N>(&mesh, &rule, |nodes, values, x, volume| {
        let b = scale(force, dot(k, x).sin() * volume);
        for (&v, &shape) in nodes.iter().zip(values) {
            forces[v as usize] = add_scaled(forces[v as usize], b, shape);
        }
    });
    let mut body = Body::new(mesh, element, &Elastic::young("linear", young, poisson)?)?;
    body.forces(&forces)?;
    body.prescribe(|x| if on_surface(x) { field(x).map(Some) } else { [None; 3] })?;
    let mut built = body.build()?;
    built.solve()?;
    let u: Vec<Vec3> =
        (0..built.mesh().vertex_count() as u32).map(|v| built.displacement(v)).collect();
    let mut sums = [0.0; 2];
    each_point::<E, N>(built.mesh(), &rule, |nodes, values, x, volume| {
        let exact = field(x);
        let here = nodes
            .iter()
            .zip(values)
            .fold([0.0; 3], |sum, (&v, &shape)| add_scaled(sum, u[v as usize], shape));
        let error = sub(here, exact);
        sums[0] += volume * dot(error, error);
        sums[1] += volume * dot(exact, exact);
    });
    Ok((sums[0] / sums[1]).sqrt())
}

/// Calls with nodes, shape functions, place and volume of every point.
fn each_point<E: Element<3, N>, const N: usize>(
    mesh: &VolumeMesh,
    rule: &[(Vec3, f64)],
    mut visit: impl FnMut(&[u32; N], &[f64; N], Vec3, f64),
) {
    for cell in mesh.cells() {
        let nodes: [u32; N] = std::array::from_fn(|a| cell[a]);
        let rest = nodes.map(|v| mesh.vertices[v as usize]);
        for &(at, weight) in rule {
            let point = Point { at, weight, values: E::values(at), gradients: E::gradients(at) };
            let volume = weight * measure(&E::jacobian(&point, &rest)).abs();
            let x = rest
                .iter()
                .zip(&point.values)
                .fold([0.0; 3], |sum, (&x, &n)| add_scaled(sum, x, n));
            visit(&nodes, &point.values, x, volume);
        }
    }
}

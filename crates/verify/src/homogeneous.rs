//! Homogeneous states: one cube, any element, exact.

use pliant_algebra::vec3::Vec3;
use pliant_forces::ElementName;
use pliant_materials::Constants;

use crate::body::{Body, Built, Elastic};
use crate::{Progress, Row, VerifyError, shapes};

/// What a state of one cube is known to: its numbers are printed with twelve digits.
const EXACT: f64 = 1e-10;

/// A unit cube on rollers at the planes through the origin, its sides at 1 moved where a stretch is given.
fn cube(
    element: ElementName,
    stuff: &Elastic,
    stretches: [Option<f64>; 3],
) -> Result<Built, VerifyError> {
    let mut body = Body::new(shapes::block([1.0; 3], [1; 3], element)?, element, stuff)?;
    body.prescribe(|x| {
        std::array::from_fn(|k| match (x[k] == 0.0, x[k] == 1.0) {
            (true, _) => Some(0.0),
            (_, true) => stretches[k].map(|l| l - 1.0),
            _ => None,
        })
    })?;
    let mut built = body.build()?;
    built.solve()?;
    Ok(built)
}

/// The corner at (1, 1, 1), and the nominal stress on the side x = 1.
fn measured(built: &mut Built) -> Result<(Vec3, f64), VerifyError> {
    let side: Vec<u32> = (0..built.mesh().vertex_count() as u32)
        .filter(|&v| built.mesh().vertices[v as usize][0] == 1.0)
        .collect();
    let corner = (0..built.mesh().vertex_count() as u32)
        .find(|&v| built.mesh().vertices[v as usize] == [1.0; 3])
        .unwrap_or(0);
    let (force, _) = built.reaction(&side)?;
    Ok((built.position(corner), force[0]))
}

pub(crate) fn uniaxial(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let neo_hookean = [
        (0.45, 0.5, 1.35086974668, -1.08610280862),
        (0.45, 0.8, 1.10446230033, -0.249929729673),
        (0.45, 1.5, 0.830678980803, 0.35861435192),
        (0.45, 2.0, 0.725935005637, 0.598796270274),
        (0.3, 0.5, 1.21076739052, -0.935352056888),
        (0.3, 0.8, 1.06733836928, -0.240005381988),
        (0.3, 1.5, 0.880174591807, 0.378280176394),
        (0.3, 2.0, 0.798077544539, 0.646744660174),
    ];
    let mut rows = Vec::new();
    for element in ElementName::ALL {
        progress(element.name());
        for (poisson, l, across, stress) in neo_hookean {
            let stuff = Elastic::young("neo-hookean", 1.0, poisson)?;
            let mut built = cube(element, &stuff, [Some(l), None, None])?;
            let (corner, p) = measured(&mut built)?;
            let what = format!("neo-hookean, Poisson {poisson}, stretch {l}");
            let mesh = element.name();
            rows.push(Row::relative(format!("{what}: across"), mesh, across, corner[2], EXACT));
            rows.push(Row::relative(format!("{what}: stress"), mesh, stress, p, EXACT));
        }
        for (l, poisson) in [(0.8, 0.3), (1.2, 0.3), (1.5, 0.3)] {
            let stuff = Elastic::young("st-venant-kirchhoff", 1.0, poisson)?;
            let mut built = cube(element, &stuff, [Some(l), None, None])?;
            let (corner, p) = measured(&mut built)?;
            let across = (1.0 - poisson * (l * l - 1.0)).sqrt();
            let stress = 0.5 * l * (l * l - 1.0);
            let what = format!("st-venant-kirchhoff, Poisson {poisson}, stretch {l}");
            let mesh = element.name();
            rows.push(Row::relative(format!("{what}: across"), mesh, across, corner[2], EXACT));
            rows.push(Row::relative(format!("{what}: stress"), mesh, stress, p, EXACT));
        }
    }
    Ok(rows)
}

pub(crate) fn equibiaxial(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for element in ElementName::ALL {
        for (l, third, stress) in
            [(0.8, 1.18791200495, -0.37073794784), (1.5, 0.652018518357, 0.467915859415)]
        {
            let stuff = Elastic::young("neo-hookean", 1.0, 0.3)?;
            let mut built = cube(element, &stuff, [Some(l), Some(l), None])?;
            let (corner, p) = measured(&mut built)?;
            let what = format!("neo-hookean, stretch {l}");
            let mesh = element.name();
            rows.push(Row::relative(format!("{what}: third"), mesh, third, corner[2], EXACT));
            rows.push(Row::relative(format!("{what}: stress"), mesh, stress, p, EXACT));
        }
    }
    Ok(rows)
}

pub(crate) fn simple_shear(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    let (lambda, mu, g) = (1.5, 1.0, 0.5);
    let lame = Constants::Lame { lambda, mu };
    for element in ElementName::ALL {
        let sheared = |law: &str| -> Result<Built, VerifyError> {
            let stuff = Elastic::new(law, &lame)?;
            // Two cells a side: the vertex in the middle is free.
            let mesh = shapes::block([1.0; 3], [2; 3], element)?;
            let mut body = Body::new(mesh, element, &stuff)?;
            body.prescribe(|x| {
                let outside = x.iter().any(|&c| c == 0.0 || c == 1.0);
                if outside { [Some(g * x[1]), Some(0.0), Some(0.0)] } else { [None; 3] }
            })?;
            let mut built = body.build()?;
            built.solve()?;
            Ok(built)
        };
        let built = sheared("neo-hookean")?;
        let expected = [[mu * g * g, mu * g, 0.0], [mu * g, 0.0, 0.0], [0.0; 3]];
        let mut worst = 0.0_f64;
        for stress in built.stresses()? {
            for (got, exact) in stress.cauchy.0.as_flattened().iter().zip(expected.as_flattened()) {
                worst = worst.max((got - exact).abs());
            }
        }
        let what = "neo-hookean: largest error of the Cauchy stress";
        rows.push(Row::zero(what, element.name(), worst, 1e-12));
        let built = sheared("st-venant-kirchhoff")?;
        let expected = [[0.4375, 0.71875, 0.0], [0.5, 0.4375, 0.0], [0.0, 0.0, 0.1875]];
        let mut worst = 0.0_f64;
        for stress in built.stresses()? {
            for (got, exact) in stress.piola.0.as_flattened().iter().zip(expected.as_flattened()) {
                worst = worst.max((got - exact).abs());
            }
        }
        let what = "st-venant-kirchhoff: largest error of the nominal stress";
        rows.push(Row::zero(what, element.name(), worst, 1e-12));
    }
    Ok(rows)
}

/// A wall of 1 × 2 m, c10 = 80, c01 = 20 MPa, bulk modulus 1000 times the shear modulus; Cauchy stresses of
/// −50 and +100 MPa on its sides.
pub(crate) fn rubber_wall(_: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let (c10, c01) = (80e6, 20e6);
    let shear = 2.0 * (c10 + c01);
    let stuff = Elastic::new("mooney-rivlin", &Constants::Own(vec![c10, c01, 500.0 * shear]))?;
    let mut rows = Vec::new();
    for element in [ElementName::Hex8, ElementName::Hex8Bbar, ElementName::Tet4] {
        let mesh = shapes::block([1.0, 2.0, 1.0], [1, 2, 1], element)?;
        let mut body = Body::new(mesh, element, &stuff)?;
        body.prescribe(|x| {
            let rolls = |on: bool| on.then_some(0.0);
            [rolls(x[0] == 0.0), rolls(x[1] == 0.0), Some(0.0)]
        })?;
        let (side, top) = (body.set("u-max")?, body.set("v-max")?);
        body.pressure(&[(&side, &|_| 50e6), (&top, &|_| -100e6)])?;
        let mesh = body.describe();
        let corner = body.nearest([1.0, 2.0, 1.0]);
        let mut built = body.build()?;
        built.solve()?;
        let u = built.displacement(corner);
        rows.push(Row::relative("u_y of the top", &mesh, 0.402499089, u[1], 5e-3));
        rows.push(Row::relative("u_x of the side", &mesh, -0.167533503, u[0], 5e-3));
    }
    Ok(rows)
}

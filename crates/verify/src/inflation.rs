//! Inflation of a nearly incompressible cylinder and sphere, A = 1, B = 2, shear modulus 1: the pressure that holds
//! the inner radius at λ times itself. Held by its radius and not by its pressure, the sphere passes its limit point.

use std::f64::consts::PI;

use pliant_algebra::vec3::{Vec3, dot, norm, scale};
use pliant_dynamics::{Motion, NewtonSettings};
use pliant_forces::ElementName;
use pliant_forces::loads::TimeCurve;
use pliant_materials::Constants;
use pliant_mesh::VolumeMesh;

use crate::body::{AXES, Body, Elastic, strict};
use crate::{Progress, Row, VerifyError, shapes};

const ELEMENT: ElementName = ElementName::Hex8Bbar;
/// Bulk over shear modulus: what is left of the change of volume costs 1e-4 of the pressure.
const BULK: f64 = 1e4;
const WIDENED: [f64; 3] = [1.25, 1.5, 2.0];

/// A part of a hollow body between planes of symmetry through its middle.
struct Part {
    mesh: VolumeMesh,
    /// Sets of vertices on planes, with their normals.
    planes: Vec<(&'static str, [f64; 3])>,
    /// Whether all vertices keep their z.
    plane_strain: bool,
    /// The inner area, and the power of λ that it grows with.
    area: (f64, i32),
}

/// A quarter ring of thickness 0.1.
fn cylinder(cells: usize) -> Result<Part, VerifyError> {
    Ok(Part {
        mesh: shapes::ring([1.0, 2.0, 0.1], [cells, cells, 1], ELEMENT)?,
        planes: vec![("v-min", AXES[1]), ("v-max", AXES[0])],
        plane_strain: true,
        area: (0.05 * PI, 1),
    })
}

/// A 24th of a sphere.
fn sphere(cells: usize) -> Result<Part, VerifyError> {
    let half = 0.5_f64.sqrt();
    let sides = cells / 2;
    Ok(Part {
        mesh: shapes::sphere_part([1.0, 2.0], [cells, sides, sides], ELEMENT)?,
        planes: vec![
            ("v-min", AXES[1]),
            ("w-min", AXES[2]),
            ("v-max", [half, -half, 0.0]),
            ("w-max", [half, 0.0, -half]),
        ],
        plane_strain: false,
        area: (PI / 6.0, 2),
    })
}

/// The pressure with the inner radius at λ.
fn pressure(part: Part, lambda: f64, progress: Progress<'_>) -> Result<f64, VerifyError> {
    let constants = Constants::Own(vec![0.5, BULK]);
    let stuff = Elastic::new("neo-hookean-isochoric", &constants)?;
    let mut body = Body::new(part.mesh, ELEMENT, &stuff)?;
    let inner = body.set("u-min")?;
    let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 1.0 };
    let flat = f64::from(u8::from(part.plane_strain));
    let radial = |x: Vec3| [x[0], x[1], x[2] * (1.0 - flat)];
    for &v in &inner {
        let direction = scale(radial(body.mesh().vertices[v as usize]), lambda - 1.0);
        body.hold(&[v], &AXES, &Motion::Translation { direction, curve: curve.clone() })?;
    }
    for (set, normal) in part.planes {
        let mut side = body.set(set)?;
        side.retain(|v| !inner.contains(v));
        body.hold(&side, &[normal], &Motion::Still)?;
    }
    if part.plane_strain {
        let mut all = body.select(|_| true);
        all.retain(|v| !inner.contains(v));
        body.roll(&all, 2)?;
    }
    let mut built = body.build()?;
    let newton = NewtonSettings { force_tolerance: 1e-9, ..strict() };
    built.solve_gradually(4, newton, progress)?;
    let mut outwards = 0.0;
    for &v in &inner {
        let (force, _) = built.reaction(&[v])?;
        let x = radial(built.mesh().vertices[v as usize]);
        outwards += dot(force, x) / norm(x);
    }
    let (area, power) = part.area;
    Ok(outwards / (area * lambda.powi(power)))
}

fn inflate(
    shape: fn(usize) -> Result<Part, VerifyError>,
    exact: fn(f64) -> f64,
    progress: Progress<'_>,
) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for lambda in WIDENED {
        let mut values = [0.0; 3];
        for (value, cells) in values.iter_mut().zip([4, 8, 16]) {
            progress(&format!("{cells} cells along the radius, λ = {lambda}"));
            *value = pressure(shape(cells)?, lambda, progress)?;
        }
        let what = format!("pressure with the inner radius at {lambda} times itself");
        let mesh = "16 hex8-bbar along the radius";
        rows.push(Row::relative(&what, mesh, exact(lambda), values[2], 5e-3));
        rows.push(Row::converges(&what, "4, 8, 16 along the radius", Some(2.0), values));
    }
    Ok(rows)
}

/// p = ln(λ_a/λ_b) + (λ_b⁻² − λ_a⁻²)/2
pub(crate) fn of_cylinder(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let exact = |a: f64| {
        let b = (a * a + 3.0).sqrt() / 2.0;
        (a / b).ln() + 0.5 * (b.powi(-2) - a.powi(-2))
    };
    inflate(cylinder, exact, progress)
}

/// p = ½ (4/λ_b + λ_b⁻⁴ − 4/λ_a − λ_a⁻⁴)
pub(crate) fn of_sphere(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let exact = |a: f64| {
        let b = (a.powi(3) + 7.0).cbrt() / 2.0;
        0.5 * (4.0 / b + b.powi(-4) - 4.0 / a - a.powi(-4))
    };
    inflate(sphere, exact, progress)
}

//! Curved bodies: orders of convergence of quadratic elements with curved edges, and with straight ones.

use pliant_algebra::vec3::{add_scaled, lerp, norm_squared, scale, sub};
use pliant_elements::{Element, measure, points};
use pliant_forces::{ElementName, ElementVisitor};

use crate::body::{Body, Built, Elastic};
use crate::{Progress, Row, VerifyError, loads, shapes};

const INNER: f64 = 1.0;
const OUTER: f64 = 2.0;
const POISSON: f64 = 0.3;

/// u_r / r of Lamé's cylinder in plane strain under unit pressure inside, E = 1:
/// (1 + ν) a² / (b² − a²) (1 − 2ν + b² / r²).
fn lame(r_squared: f64) -> f64 {
    let (a, b) = (INNER * INNER, OUTER * OUTER);
    (1.0 + POISSON) * a / (b - a) * (1.0 - 2.0 * POISSON + b / r_squared)
}

/// A quarter of the cylinder, solved.
fn ring(n: usize, element: ElementName, curved: bool) -> Result<(Built, String), VerifyError> {
    let mut mesh = shapes::ring([INNER, OUTER, 0.2], [n, 3 * n / 2, 1], element)?;
    if !curved {
        let (corners, edges) = (mesh.cell_type.corners(), mesh.cell_type.edges());
        for cell in mesh.cells.chunks_exact(mesh.cell_type.nodes()) {
            for (&[a, b], &middle) in edges.iter().zip(&cell[corners..]) {
                let [a, b] = [a, b].map(|i| mesh.vertices[cell[i] as usize]);
                mesh.vertices[middle as usize] = lerp(a, b, 0.5);
            }
        }
    }
    let mut body = Body::new(mesh, element, &Elastic::young("linear", 1.0, POISSON)?)?;
    let (x_axis, y_axis) = (body.set("v-min")?, body.set("v-max")?);
    body.roll(&x_axis, 1)?;
    body.roll(&y_axis, 0)?;
    let all = body.select(|_| true);
    body.roll(&all, 2)?;
    let inner = body.set("u-min")?;
    let forces = loads::traction(body.mesh(), &inner, |_, n| scale(n, -1.0))?;
    body.forces(&forces)?;
    let described = body.describe();
    let mut built = body.build()?;
    built.solve()?;
    Ok((built, described))
}

/// ‖u − exact‖ / ‖exact‖ in L2.
struct Error<'a>(&'a Built);

impl ElementVisitor for Error<'_> {
    type Output = f64;

    fn visit<E: Element<3, N>, const N: usize>(self, _: E) -> f64 {
        let mesh = self.0.mesh();
        let points = points::<E, 3, N>(&E::mass_rule());
        let (mut off, mut all) = (0.0, 0.0);
        for cell in mesh.cells() {
            let x = std::array::from_fn(|a| mesh.vertices[cell[a] as usize]);
            let u: [_; N] = std::array::from_fn(|a| self.0.displacement(cell[a]));
            for point in &points {
                let volume = point.weight * measure(&E::jacobian(point, &x));
                let at = |list: &[[f64; 3]; N]| {
                    let parts = list.iter().zip(point.values);
                    parts.fold([0.0; 3], |sum, (v, n)| add_scaled(sum, *v, n))
                };
                let [px, py, _] = at(&x);
                let exact = scale([px, py, 0.0], lame(px * px + py * py));
                off += volume * norm_squared(sub(at(&u), exact));
                all += volume * norm_squared(exact);
            }
        }
        (off / all).sqrt()
    }
}

/// Third order with middle nodes on the circles, second order with straight edges, whose body is another one.
pub(crate) fn orders(progress: Progress<'_>) -> Result<Vec<Row>, VerifyError> {
    let mut rows = Vec::new();
    for element in [ElementName::Tet10, ElementName::Hex20] {
        for (curved, order) in [(true, 3.0), (false, 2.0)] {
            let edges = if curved { "curved edges" } else { "straight edges" };
            let mut errors = [0.0; 3];
            let mut mesh = String::new();
            for (error, n) in errors.iter_mut().zip([4, 8, 16]) {
                let (built, described) = ring(n, element, curved)?;
                *error = element.visit(Error(&built));
                progress(&format!(
                    "{described}, {edges}, {n} cells across the wall: error {error:.3e}"
                ));
                mesh = described;
            }
            let what = format!("order of u in L2, {edges}");
            rows.push(if curved {
                Row::order(what, &mesh, order, [errors[1], errors[2]], 0.1)
            } else {
                let got = (errors[1] / errors[2]).log2();
                Row::absolute(what, &mesh, order, got, 0.1)
            });
            rows.push(Row::zero(format!("error of u in L2, {edges}"), &mesh, errors[2], {
                if curved { 2e-5 } else { 5e-3 }
            }));
        }
    }
    Ok(rows)
}

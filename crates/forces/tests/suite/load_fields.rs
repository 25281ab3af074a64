//! Loads that depend on the position at rest and on time: energies, tangents and derivatives by time.

use pliant_algebra::vec3::{Vec3, norm, scale, sub};
use pliant_forces::ForceModel;
use pliant_forces::loads::{Faces, FieldLoad, Follower, LoadField, Pressure, Shear, TimeCurve};
use pliant_mesh::generate::{BoxShape, CellChoice};

use crate::checks::{Random, add_all, check_derivatives, gradient, state};

fn number() -> LoadField<f64> {
    LoadField::new(
        |[x, y, z], t| 1.0 + x * y + (2.0 * t + z).sin(),
        |[_, _, z], t| 2.0 * (2.0 * t + z).cos(),
    )
}

fn vector() -> LoadField<Vec3> {
    LoadField::new(
        |[x, y, z], t| [1.0 + x * t, y * t * t - 0.5, (z + t).sin()],
        |[x, y, z], t| [x, 2.0 * y * t, (z + t).cos()],
    )
}

/// ∂g/∂x by differences, and ∂g/∂t by a central one.
fn check(what: &str, load: &mut dyn ForceModel, x: &[Vec3], v: &[Vec3]) {
    check_derivatives(load, x, v, 0.3, 0.5);
    let mut rates = vec![[0.0; 3]; x.len()];
    load.add_time_derivative(&state(x, v, 0.3), &mut rates, &mut pliant_forces::Workspace::new())
        .unwrap();
    let e = 1e-5;
    let [before, after] = [0.3 - e, 0.3 + e].map(|t| gradient(load, state(x, v, t)));
    let largest = rates.iter().fold(0.0, |most, r| f64::max(most, norm(*r)));
    assert!(largest > 1e-2, "{what} does not change");
    for i in 0..x.len() {
        let off = norm(sub(rates[i], scale(sub(after[i], before[i]), 0.5 / e)));
        assert!(off < 1e-8 * largest, "{what}: ∂g/∂t of vertex {i} is off by {off:.1e}");
    }
}

#[test]
fn fields_on_faces_have_their_tangent_and_derivative_by_time_on_every_face() {
    let mut random = Random(31);
    let (rest, v) = (random.vectors(10, 1.0), random.vectors(10, 1.0));
    let x = add_all(&rest, &random.vectors(10, 0.2), 1.0);
    let ramp = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 1.0, to: 3.0 };
    for faces in [
        Faces::Triangles(&[[0, 1, 2], [2, 1, 7]]),
        Faces::Quads(&[[0, 1, 2, 3], [3, 2, 5, 6]]),
        Faces::QuadraticTriangles(&[[0, 1, 2, 3, 4, 5], [2, 1, 6, 4, 7, 8]]),
        Faces::QuadraticQuads(&[[0, 1, 2, 3, 4, 5, 6, 7]]),
    ] {
        let curve = || ramp.clone();
        let axis = [0.3, -0.2, 0.9];
        let area = |a: Vec3| scale(a, -1.0);
        let mut loads: [(&str, Box<dyn ForceModel>); 5] = [
            ("pressure", Box::new(Pressure::field(&rest, faces, &number(), curve()).unwrap())),
            ("shear", Box::new(Shear::field(&rest, faces, axis, &number(), curve()).unwrap())),
            (
                "following traction",
                Box::new(Follower::field(&rest, faces, 0.7, vector(), curve()).unwrap()),
            ),
            (
                "traction",
                Box::new(FieldLoad::traction(&rest, faces, 0.7, vector(), curve()).unwrap()),
            ),
            (
                "dead pressure",
                Box::new(FieldLoad::on_faces(&rest, faces, area, number(), curve()).unwrap()),
            ),
        ];
        for (what, load) in &mut loads {
            check(what, load.as_mut(), &x, &v);
        }
    }
}

#[test]
fn body_forces_of_fields_are_gradients_of_their_energy_and_change_with_time() {
    for cell in [CellChoice::Tet5, CellChoice::Hex] {
        let mesh = BoxShape { cells: [1, 1, 1], cell, ..BoxShape::default() }.generate().unwrap();
        let mut random = Random(5);
        let n = mesh.vertex_count();
        let (x, v) =
            (add_all(&mesh.vertices, &random.vectors(n, 0.2), 1.0), random.vectors(n, 1.0));
        let ramp = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 1.0, to: 3.0 };
        check("body force", &mut FieldLoad::body(&mesh, None, vector(), ramp).unwrap(), &x, &v);
    }
}

/// A traction that vanishes for a moment starts again in the direction that it then has.
#[test]
fn a_following_traction_that_passes_through_zero_has_a_rate_there() {
    let rest = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let field = LoadField::of_time(|t| [0.0, 0.0, 6.0 * t], |_| [0.0, 0.0, 6.0]);
    let faces = Faces::Triangles(&[[0, 1, 2]]);
    let load = Follower::field(&rest, faces, 1.0, field, TimeCurve::default()).unwrap();
    let mut rates = vec![[0.0; 3]; 3];
    load.add_time_derivative(
        &state(&rest, &rest, 0.0),
        &mut rates,
        &mut pliant_forces::Workspace::new(),
    )
    .unwrap();
    for rate in rates {
        assert!(norm(sub(rate, [0.0, 0.0, -1.0])) < 1e-15, "{rate:?}");
    }
}

#[test]
fn a_field_that_is_not_finite_is_an_error_that_says_where_and_when() {
    let rest = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let faces = Faces::Triangles(&[[0, 1, 2]]);
    let one = TimeCurve::default();
    let bad = LoadField::of_position(|[_, y, _]| 1.0 / (y - y));
    let error = Pressure::field(&rest, faces, &bad, one.clone()).unwrap_err().to_string();
    assert!(error.starts_with("pressure at rest position (0."), "{error}");
    assert!(error.contains("t = 0.0000 s = inf: an expression must be finite"), "{error}");
    // One that becomes so later.
    let late = |t: f64| if t < 1.0 { [1.0; 3] } else { [f64::NAN; 3] };
    let late = LoadField::new(move |_, t| late(t), |_, _| [0.0; 3]);
    let dead = FieldLoad::traction(&rest, faces, 1.0, late.clone(), one.clone()).unwrap();
    let follower = Follower::field(&rest, faces, 1.0, late, one).unwrap();
    for load in [&dead as &dyn ForceModel, &follower] {
        let mut g = vec![[0.0; 3]; 3];
        let mut ask = pliant_forces::Ask { gradient: Some(&mut g), ..Default::default() };
        let mut work = pliant_forces::Workspace::new();
        let error = load.evaluate(&state(&rest, &rest, 2.0), &mut ask, &mut work).unwrap_err();
        assert!(error.to_string().contains("t = 2.0000 s = NaN"), "{error}");
    }
}

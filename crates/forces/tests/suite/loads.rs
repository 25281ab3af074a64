//! Loads: resultants, energies, tangents.

use crate::checks;

use checks::{
    Random, Storage, add_all, check_derivatives, dense, energy, gradient, resultant, state,
};
use pliant_algebra::vec3::{Vec3, add, norm, sub};
use pliant_forces::loads::{DeadLoad, Faces, Follower, Pressure, Shear, TimeCurve};
use pliant_forces::{
    Ask, Configuration, ForceError, ForceModel, Workspace, finite_difference_check,
};
use pliant_mesh::CellType;
use pliant_mesh::generate::{BoxShape, CellChoice, surface_icosphere};
use pliant_mesh::topology::boundary_faces;
use pliant_mesh::volume::VolumeMesh;

const ONE: TimeCurve = TimeCurve::Constant(1.0);

fn close(a: Vec3, b: Vec3, tolerance: f64) {
    assert!(norm(sub(a, b)) <= tolerance, "{a:?} is not {b:?}");
}

fn block(cell: CellChoice) -> VolumeMesh {
    let size = [1.0, 2.0, 3.0];
    BoxShape { size, cells: [2, 2, 3], jitter: 0.3, cell, ..BoxShape::default() }
        .generate()
        .unwrap()
}

/// The quads of a hexahedral mesh's boundary.
fn quads(mesh: &VolumeMesh) -> Vec<[u32; 4]> {
    let faces = boundary_faces(mesh);
    faces.vertices.chunks_exact(4).map(|f| [f[0], f[1], f[2], f[3]]).collect()
}

fn total_force(load: &mut dyn ForceModel, x: &[Vec3], time: f64) -> (Vec3, Vec3) {
    let v = vec![[0.0; 3]; x.len()];
    let force: Vec<Vec3> =
        gradient(load, state(x, &v, time)).iter().map(|g| [-g[0], -g[1], -g[2]]).collect();
    resultant(x, &force)
}

#[test]
fn dead_loads_are_gradients_of_their_energy() {
    let mesh = block(CellChoice::Hex);
    let n = mesh.vertex_count();
    let ramp = TimeCurve::Ramp { start: 0.0, end: 2.0, from: 0.0, to: 3.0 };
    let mut random = Random(3);
    let x = add_all(&mesh.vertices, &random.vectors(n, 0.2), 1.0);
    let v = random.vectors(n, 1.0);
    let mut load = DeadLoad::body(&mesh, None, [1.0, -2.0, 0.5], ramp).unwrap();
    check_derivatives(&mut load, &x, &v, 0.5, 0.1);
    let still = energy(&load, state(&mesh.vertices, &v, 1.0));
    assert_eq!(still, 0.0, "no work before anything moves");
}

#[test]
fn body_force_totals_to_volume_times_density_of_force_and_acts_at_the_centre() {
    for cell in [CellChoice::Hex, CellChoice::Tet5] {
        let mesh = block(cell);
        let mut load = DeadLoad::body(&mesh, None, [0.0, -9.0, 2.0], ONE).unwrap();
        let (force, moment) = total_force(&mut load, &mesh.vertices, 0.0);
        close(force, [0.0, -54.0, 12.0], 1e-12);
        // Moment of a uniform field about the origin: centre × force; shape functions are exact.
        close(moment, [1.0 * 12.0 + 1.5 * 54.0, -0.5 * 12.0, -0.5 * 54.0], 1e-12);
    }
}

#[test]
fn body_force_on_some_cells_only_loads_these() {
    let mesh = block(CellChoice::Hex);
    let mut load = DeadLoad::body(&mesh, Some(&[4]), [1.0, 0.0, 0.0], ONE).unwrap();
    let (force, _) = total_force(&mut load, &mesh.vertices, 0.0);
    close(force, [mesh.cell_volume(4), 0.0, 0.0], 1e-14);
    let error = DeadLoad::body(&mesh, Some(&[99]), [1.0; 3], ONE).unwrap_err();
    assert_eq!(error.to_string(), "body force: cell = 99: there are 12 cells, from 0");
}

#[test]
fn quadratic_tetrahedra_share_a_body_force_as_their_shape_functions_do() {
    let mesh = pliant_mesh::refine::to_quadratic(&block(CellChoice::Tet5)).unwrap();
    let mut load = DeadLoad::body(&mesh, None, [0.0, 1.0, 0.0], ONE).unwrap();
    let (force, moment) = total_force(&mut load, &mesh.vertices, 0.0);
    close(force, [0.0, 6.0, 0.0], 1e-12);
    close(moment, [-9.0, 0.0, 3.0], 1e-12);
}

#[test]
fn gravity_weighs_masses_and_follows_its_curve() {
    let rest = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let pulse = TimeCurve::Pulse { start: 1.0, rise: 1.0, hold: 1.0, height: 2.0 };
    let mut load = DeadLoad::gravity(&rest, &[1.0, 0.0, 3.0], [0.0, -9.81, 0.0], pulse).unwrap();
    for (time, factor, rate) in
        [(0.5, 0.0, 0.0), (1.5, 1.0, 2.0), (2.5, 2.0, 0.0), (3.5, 1.0, -2.0)]
    {
        close(total_force(&mut load, &rest, time).0, [0.0, -39.24 * factor, 0.0], 1e-12);
        let mut rates = [[0.0; 3]; 3];
        load.add_time_derivative(&state(&rest, &rest, time), &mut rates, &mut Workspace::new())
            .unwrap();
        close(rates[2], [0.0, 3.0 * 9.81 * rate, 0.0], 1e-12);
    }
    // Raising the third mass by 2 m costs m g h.
    let raised = [rest[0], rest[1], [0.0, 3.0, 0.0]];
    let cost = energy(&load, state(&raised, &rest, 1.5));
    assert!((cost - 3.0 * 9.81 * 2.0).abs() < 1e-12);
}

#[test]
fn point_loads_on_one_vertex_add_up() {
    let rest = [[0.0; 3]; 2];
    let loads = [(1, [1.0, 0.0, 0.0]), (1, [0.0, 2.0, 0.0])];
    let load = DeadLoad::points(&rest, &loads, ONE).unwrap();
    let g = gradient(&load, state(&rest, &rest, 0.0));
    assert_eq!(g, [[0.0; 3], [-1.0, -2.0, 0.0]]);
}

#[test]
fn dead_traction_has_the_force_and_moment_of_its_area() {
    // A unit square at z = 0 of bent quads in its plane, and the same as triangles.
    let p = |x, y| [x, y, 0.0];
    let rest = [p(0., 0.), p(0.4, 0.), p(1., 0.), p(0., 1.), p(0.7, 1.), p(1., 1.)];
    let quads = [[0, 1, 4, 3], [1, 2, 5, 4]];
    let triangles = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
    for faces in [Faces::Quads(&quads), Faces::Triangles(&triangles)] {
        let mut load = DeadLoad::traction(&rest, faces, [0.0, 0.0, 5.0], ONE).unwrap();
        let (force, moment) = total_force(&mut load, &rest, 0.0);
        close(force, [0.0, 0.0, 5.0], 1e-14);
        close(moment, [2.5, -2.5, 0.0], 1e-14);
    }
}

#[test]
fn uniform_pressure_on_a_closed_surface_has_neither_force_nor_moment() {
    let sphere = surface_icosphere(1.3, 1).unwrap();
    let mut random = Random(5);
    let bumps = random.vectors(sphere.vertices.len(), 0.1);
    let x = add_all(&sphere.vertices, &bumps, 1.0);
    let faces = Faces::Triangles(&sphere.triangles);
    let hexes = block(CellChoice::Hex);
    let quads = quads(&hexes);
    let bent = add_all(&hexes.vertices, &random.vectors(hexes.vertex_count(), 0.1), 1.0);
    let tets = pliant_mesh::refine::to_quadratic(&block(CellChoice::Tet5)).unwrap();
    let curved = add_all(&tets.vertices, &random.vectors(tets.vertex_count(), 0.1), 1.0);
    let sides = boundary_faces(&tets).sides;
    let quadratic: Vec<[u32; 6]> = sides
        .iter()
        .map(|side| {
            let nodes: Vec<u32> = side.nodes(&tets).collect();
            std::array::from_fn(|k| nodes[k])
        })
        .collect();
    let lists = [
        (&x, faces),
        (&bent, Faces::Quads(&quads)),
        (&curved, Faces::QuadraticTriangles(&quadratic)),
    ];
    for (x, faces) in lists {
        let mut open = Pressure::uniform(x.len(), faces, 7.0, ONE).unwrap();
        let mut closed = Pressure::closed(x, faces, 7.0, ONE).unwrap();
        let v = vec![[0.0; 3]; x.len()];
        let (a, b) = (gradient(&open, state(x, &v, 0.0)), gradient(&closed, state(x, &v, 0.0)));
        for (a, b) in a.iter().zip(&b) {
            close(*a, *b, 1e-13);
        }
        for load in [&mut open as &mut dyn ForceModel, &mut closed] {
            let (force, moment) = total_force(load, x, 0.0);
            close(force, [0.0; 3], 1e-12);
            close(moment, [0.0; 3], 1e-12);
        }
    }
}

#[test]
fn pressure_pushes_inward_and_its_energy_is_pressure_times_volume() {
    let mesh = block(CellChoice::Hex);
    let quads = quads(&mesh);
    let x = &mesh.vertices;
    let v = vec![[0.0; 3]; x.len()];
    let load = Pressure::closed(x, Faces::Quads(&quads), 7.0, ONE).unwrap();
    assert!((energy(&load, state(x, &v, 0.0)) - 42.0).abs() < 1e-12);
    // On the side x = 1 of area 6 the force is −42 in x, that is g = +42.
    let g = gradient(&load, state(x, &v, 0.0));
    let side: Vec3 =
        g.iter().zip(x).filter(|(_, x)| x[0] == 1.0).fold([0.0; 3], |s, (g, _)| add(s, *g));
    assert!((side[0] - 42.0).abs() < 1e-12);
}

#[test]
fn pressure_tangents_match_finite_differences() {
    let mut random = Random(11);
    let x = random.vectors(7, 1.0);
    let v = random.vectors(7, 1.0);
    let triangles = [[0, 1, 2], [2, 1, 3], [4, 5, 6]];
    let quads = [[0, 1, 2, 3], [3, 2, 5, 6]];
    let ramp = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 1.0, to: 3.0 };
    for faces in [Faces::Triangles(&triangles), Faces::Quads(&quads)] {
        let pressures: Vec<f64> = (0..faces.len()).map(|i| 2.0 - 3.0 * i as f64).collect();
        let mut load = Pressure::on_faces(7, faces, &pressures, ramp.clone()).unwrap();
        assert!(!load.character().symmetric && !load.character().is_conservative());
        check_derivatives(&mut load, &x, &v, 0.3, 0.5);
        // ∂g/∂t by differences: the curve is straight there.
        let mut rates = vec![[0.0; 3]; 7];
        load.add_time_derivative(&state(&x, &v, 0.3), &mut rates, &mut Workspace::new()).unwrap();
        let at = |load: &mut Pressure, t| gradient(load, state(&x, &v, t));
        let (after, before) = (at(&mut load, 0.4), at(&mut load, 0.2));
        for i in 0..7 {
            close(rates[i], pliant_algebra::vec3::scale(sub(after[i], before[i]), 5.0), 1e-12);
        }
    }
    let tet = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let mut load = Pressure::closed(&x, Faces::Triangles(&tet), 2.0, ramp.clone()).unwrap();
    check_derivatives(&mut load, &x, &v, 0.3, 0.5);
    let hex = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    let (x, v) = (random.vectors(8, 1.0), random.vectors(8, 1.0));
    let mut load = Pressure::closed(&x, Faces::Quads(&hex), 2.0, ramp.clone()).unwrap();
    check_derivatives(&mut load, &x, &v, 0.3, 0.5);
    // A ten-node tetrahedron with nodes anywhere.
    let tet = quadratic_faces();
    let (x, v) = (random.vectors(10, 1.0), random.vectors(10, 1.0));
    let faces = Faces::QuadraticTriangles(&tet);
    let mut load = Pressure::closed(&x, faces, 2.0, ramp.clone()).unwrap();
    assert!(load.character().symmetric && load.character().is_conservative());
    check_derivatives(&mut load, &x, &v, 0.3, 0.5);
    let faces = Faces::QuadraticTriangles(&tet[..3]);
    let mut load = Pressure::on_faces(10, faces, &[1.0, -2.0, 3.0], ramp).unwrap();
    check_derivatives(&mut load, &x, &v, 0.3, 0.5);
}

/// The faces of one ten-node tetrahedron.
fn quadratic_faces() -> Vec<[u32; 6]> {
    let faces = CellType::Tet10.faces();
    faces.iter().map(|face| std::array::from_fn(|k| face[k] as u32)).collect()
}

#[test]
fn shear_and_following_tractions_have_their_tangent_on_every_face() {
    let mut random = Random(29);
    let (rest, v) = (random.vectors(10, 1.0), random.vectors(10, 1.0));
    let x = add_all(&rest, &random.vectors(10, 0.2), 1.0);
    let tet = quadratic_faces();
    let lists = [
        Faces::Triangles(&[[0, 1, 2], [2, 1, 7]]),
        Faces::Quads(&[[0, 1, 2, 3], [3, 2, 5, 6]]),
        Faces::QuadraticTriangles(&tet),
    ];
    let ramp = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 1.0, to: 3.0 };
    for faces in lists {
        let mut load = Shear::new(10, faces, [0.3, -0.2, 0.9], 2.0, ramp.clone()).unwrap();
        check_derivatives(&mut load, &x, &v, 0.3, 0.5);
        let mut load = Follower::new(&rest, faces, [0.7, 0.4, -1.1], ramp.clone()).unwrap();
        check_derivatives(&mut load, &x, &v, 0.3, 0.5);
    }
}

/// Corners of a flat quadratic triangle have nothing of a uniform traction, its middles a third each; those of a
/// quadrilateral ∫ N dA.
#[test]
fn nodes_share_a_traction_as_shape_functions_do() {
    let p = |x, y| [x, y, 0.0];
    let rest = [p(0., 0.), p(2., 0.), p(0., 2.), p(1., 0.), p(1., 1.), p(0., 1.)];
    let faces = Faces::QuadraticTriangles(&[[0, 1, 2, 3, 4, 5]]);
    let v = [[0.0; 3]; 6];
    let dead = DeadLoad::traction(&rest, faces, [0.0, 0.0, 3.0], ONE).unwrap();
    let pressed = Pressure::uniform(6, faces, -3.0, ONE).unwrap();
    let carried = Follower::new(&rest, faces, [0.0, 0.0, 3.0], ONE).unwrap();
    for load in [&dead as &dyn ForceModel, &pressed, &carried] {
        let g = gradient(load, state(&rest, &v, 0.0));
        for (node, g) in g.iter().enumerate() {
            close(*g, [0.0, 0.0, if node < 3 { 0.0 } else { -2.0 }], 1e-14);
        }
    }
    let weights = faces.lumped_areas(&rest).unwrap();
    assert!((weights[0] - 2.0 / 19.0).abs() < 1e-15 && (weights[4] - 32.0 / 57.0).abs() < 1e-15);
    let rest = [p(0., 0.), p(2., 0.), p(1.5, 2.), p(0.5, 2.)];
    let quad = Faces::Quads(&[[0, 1, 2, 3]]);
    let dead = DeadLoad::of_areas(&rest, quad, |s| s, ONE).unwrap();
    let g = gradient(&dead, state(&rest, &v[..4], 0.0));
    for (g, share) in g.iter().zip([5.0 / 6.0, 5.0 / 6.0, 2.0 / 3.0, 2.0 / 3.0]) {
        close(*g, [0.0, 0.0, -share], 1e-14);
    }
    assert!(Faces::of_nodes(5, &[0; 5]).is_err() && Faces::of_nodes(4, &[0; 6]).is_err());
}

#[test]
fn an_open_surface_is_no_closed_one() {
    let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let open = [[0, 2, 1], [0, 1, 3], [1, 2, 3]];
    let error = Pressure::closed(&x, Faces::Triangles(&open), 1.0, ONE).unwrap_err().to_string();
    assert!(error.contains("edge from vertex"), "{error}");
    let turned = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 2, 3]];
    assert!(Pressure::closed(&x, Faces::Triangles(&turned), 1.0, ONE).is_err());
}

#[test]
fn bad_loads_are_refused_by_name() {
    let rest = [[0.0; 3]; 3];
    let message = |r: Result<DeadLoad, ForceError>| r.unwrap_err().to_string();
    assert_eq!(
        message(DeadLoad::gravity(&rest, &[1.0, -1.0, 1.0], [0.0; 3], ONE)),
        "mass of vertex 1 = -1: a finite number of 0 or more is needed"
    );
    assert!(message(DeadLoad::gravity(&rest, &[1.0], [0.0; 3], ONE)).contains("= 1: 3 are needed"));
    assert_eq!(
        message(DeadLoad::points(&rest, &[(3, [0.0; 3])], ONE)),
        "point load: vertex = 3: there are 3 vertices, numbered from 0"
    );
    assert!(message(DeadLoad::points(&rest, &[(0, [f64::NAN; 3])], ONE)).contains("NaN"));
    let faces = Faces::Triangles(&[[0, 1, 9]]);
    assert!(message(DeadLoad::traction(&rest, faces, [1.0; 3], ONE)).contains("vertex = 9"));
    assert!(Pressure::uniform(3, faces, 1.0, ONE).is_err());
    let faces = Faces::Triangles(&[[0, 1, 2]]);
    assert!(Pressure::uniform(3, faces, f64::INFINITY, ONE).is_err());
}

/// Whole numbers are exact, all others have six digits.
#[test]
fn numbers_in_messages_are_short() {
    let error = |found: f64| {
        let (what, accepted) = ("k".to_owned(), "below 1 is needed".to_owned());
        ForceError::Parameter { what, found, accepted }.to_string()
    };
    assert_eq!(error(1e60), "k = 1e60: below 1 is needed");
    assert_eq!(error(0.1 + 0.2), "k = 0.3: below 1 is needed");
    assert_eq!(error(-1.0 / 3.0), "k = -0.333333: below 1 is needed");
    assert_eq!(error(1_234_567.0), "k = 1234567: below 1 is needed");
    let position = [0.1 + 0.2, 1e60, f64::NAN];
    let error = ForceError::NotFinite { vertex: 3, position }.to_string();
    assert_eq!(error, "vertex 3 is at (0.3, 1e60, NaN): the state is no longer finite");
}

#[test]
fn a_state_that_is_not_finite_is_an_error_and_flat_faces_are_not() {
    let mut load = Pressure::uniform(3, Faces::Triangles(&[[0, 1, 2]]), 1.0, ONE).unwrap();
    let zero = [[0.0; 3]; 3];
    let k = dense(&mut load, state(&zero, &zero, 0.0), (1.0, 1.0), true, Storage::Full).unwrap();
    assert!(k.iter().flatten().all(|&k| k == 0.0));
    let bad = [[0.0; 3], [f64::NAN; 3], [0.0; 3]];
    let mut g = zero;
    let mut ask = pliant_forces::Ask { gradient: Some(&mut g), ..Default::default() };
    let error =
        load.evaluate(&state(&bad, &zero, 0.0), &mut ask, &mut Workspace::new()).unwrap_err();
    assert!(error.to_string().starts_with("vertex 1 is at"), "{error}");
    let mut ask = pliant_forces::Ask::default();
    assert!(
        load.evaluate(&state(&zero, &zero, f64::NAN), &mut ask, &mut Workspace::new()).is_err()
    );
    assert!(
        load.evaluate(&state(&zero[..2], &zero, 0.0), &mut ask, &mut Workspace::new()).is_err()
    );
}

#[test]
fn shear_pushes_along_the_sides_and_turns_with_them() {
    let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 200.0 };
    let mut load =
        Shear::new(3, Faces::Triangles(&[[0, 1, 2]]), [0.0, 0.0, 1.0], 1.0, curve).unwrap();
    // A side that faces +x, of 2 m², at half of the load: 200 N along +y.
    let x = [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 0.0, 2.0]];
    let v = [[0.0; 3]; 3];
    let state = Configuration::new(&x, &v, 0.5);
    let mut g = [[0.0; 3]; 3];
    load.evaluate(
        &state,
        &mut Ask { gradient: Some(&mut g), ..Ask::default() },
        &mut Workspace::new(),
    )
    .unwrap();
    let force = g.iter().fold([0.0; 3], |s, g| [s[0] - g[0], s[1] - g[1], s[2] - g[2]]);
    assert!((force[1] - 200.0).abs() < 1e-12 && force[0] == 0.0 && force[2] == 0.0, "{force:?}");
    let mut rate = [[0.0; 3]; 3];
    load.add_time_derivative(&state, &mut rate, &mut Workspace::new()).unwrap();
    assert!((rate[0][1] - 2.0 * g[0][1]).abs() < 1e-12, "{rate:?}");
    let direction = [[0.3, -0.2, 0.5], [0.1, 0.7, -0.4], [-0.6, 0.2, 0.9]];
    let report = finite_difference_check(&mut load, &state, &direction, &[1e-3]).unwrap();
    assert!(report.best_tangent() < 1e-11, "{report:?}");
    assert!(
        Shear::new(2, Faces::Triangles(&[[0, 1, 2]]), [0.0, 0.0, 1.0], 1.0, TimeCurve::default())
            .is_err()
    );
}

/// Turned with the body, its size stays, and so does its angle to the faces; stretched, its size stays too.
#[test]
fn a_following_traction_keeps_its_size_and_turns_with_its_faces() {
    let rest = [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [1.0, 0.5, 2.0]];
    let traction = [3.0, -1.0, 0.5];
    let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 2.0 };
    let face = Faces::Triangles(&[[0, 1, 2]]);
    let mut load = Follower::new(&rest, face, traction, curve).unwrap();
    // At t = 1/2 the factor is 1, and the area is 2 m².
    let (force, _) = total_force(&mut load, &rest, 0.5);
    close(force, [6.0, -2.0, 1.0], 1e-14);
    // A quarter turn about z: x to y, y to −x.
    let turned = rest.map(|p| [-p[1], p[0], p[2]]);
    close(total_force(&mut load, &turned, 0.5).0, [2.0, 6.0, 1.0], 1e-14);
    let stretched = rest.map(|p| [p[0], 1.5 * p[1], 0.4 * p[2]]);
    let size = norm(total_force(&mut load, &stretched, 0.5).0);
    assert!((size - 41.0_f64.sqrt()).abs() < 1e-13, "{size}");
    let (x, v) = ([[1.0, 0.1, 0.0], [0.7, 2.0, 0.3], [1.2, 0.5, 1.6]], [[0.0; 3]; 3]);
    let here = Configuration::new(&x, &v, 0.5);
    let direction = [[0.3, -0.2, 0.5], [0.1, 0.7, -0.4], [-0.6, 0.2, 0.9]];
    let report = finite_difference_check(&mut load, &here, &direction, &[1e-4, 1e-5]).unwrap();
    assert!(report.best_tangent() < 1e-8, "{report:?}");
    let mut rate = [[0.0; 3]; 3];
    load.add_time_derivative(&here, &mut rate, &mut Workspace::new()).unwrap();
    let g = gradient(&load, here);
    assert!((0..3).all(|k| (rate[1][k] - 2.0 * g[1][k]).abs() < 1e-13), "{rate:?} {g:?}");
    // Neither a triangle without area nor one that is squeezed flat does harm.
    let line = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    assert_eq!(total_force(&mut load, &line, 0.5).0.map(f64::is_finite), [true; 3]);
    let mut nothing = Follower::new(&line, face, traction, ONE).unwrap();
    assert_eq!(total_force(&mut nothing, &line, 0.0).0, [0.0; 3]);
    assert!(Follower::new(&rest[..2], face, traction, ONE).is_err());
    assert!(Follower::new(&rest, face, [f64::NAN; 3], ONE).is_err());
}

//! Vertices that are held, guided and moved.

use crate::common;

use common::{Body, strict};
use pliant_algebra::vec3::{Vec3, dot, sub};
use pliant_dynamics::{Constraints, IntegratorName, Motion};
use pliant_forces::loads::TimeCurve;

#[test]
fn guided_vertices_stay_in_their_plane_and_slide_in_it() {
    let normal = [0.6, 0.8, 0.0];
    // Without inertia it would slide for ever at once.
    for &name in IntegratorName::ALL.iter().filter(|n| **n != IntegratorName::QuasiStatic) {
        let mut body = Body::bar("neo-hookean", [3, 1, 1], 0.3).with_gravity([0.0, -9.81, 0.0]);
        let end = body.at_x(0.0);
        body.constraints.fix_plane(&end, &body.rest, normal).unwrap();
        let (mut system, mut state) = body.system();
        let mut integrator = name.build(&strict()).unwrap();
        for _ in 0..20 {
            integrator.step(&mut system, &mut state, 0.004).unwrap();
        }
        let rest = system.rest().to_vec();
        for &v in &end {
            let moved = sub(state.x[v as usize], rest[v as usize]);
            assert!(dot(moved, normal).abs() < 1e-15, "{}: {moved:?}", name.name());
            assert!(dot(state.v[v as usize], normal).abs() < 1e-15, "{}", name.name());
            assert!(dot(moved, [0.8, -0.6, 0.0]) > 1e-3, "{}: {moved:?}", name.name());
        }
    }
}

#[test]
fn driven_vertices_are_where_their_motion_has_them() {
    let centre = [0.0, 0.15, 0.15];
    let turn = Motion::Rotation {
        centre,
        axis: [1.0, 0.0, 0.0],
        curve: TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 3.0 },
    };
    for &name in IntegratorName::ALL {
        let mut body = Body::bar("neo-hookean", [3, 1, 1], 0.3);
        let end = body.at_x(0.0);
        body.constraints.drive(&end, &body.rest, turn.clone()).unwrap();
        let (mut system, mut state) = body.system();
        let rest = system.rest().to_vec();
        system.constraints().impose_velocities(0.0, &mut state.v);
        let mut integrator = name.build(&strict()).unwrap();
        for _ in 0..20 {
            integrator.step(&mut system, &mut state, 0.004).unwrap();
        }
        for &v in &end {
            let expected = turn.at(system.rest()[v as usize], state.time);
            assert_eq!(state.x[v as usize], expected.x, "{}", name.name());
            if name != IntegratorName::QuasiStatic {
                assert_eq!(state.v[v as usize], expected.v, "{}", name.name());
            }
        }
        // What is driven drags the rest along.
        let free = (0..rest.len()).filter(|v| !end.contains(&(*v as u32)));
        let moved = free.map(|v| sub(state.x[v], rest[v]));
        assert!(moved.map(|d| dot(d, d)).sum::<f64>() > 1e-8, "{}", name.name());
    }
}

#[test]
fn the_velocity_of_a_rotation_is_the_derivative_of_its_position() {
    let curve = TimeCurve::Ramp { start: 0.0, end: 1.0, from: 0.0, to: 2.0 };
    let motion = Motion::Rotation { centre: [0.1, 0.2, 0.3], axis: [0.0, 0.6, 0.8], curve };
    let (at, t, e) = ([1.0, -2.0, 0.5], 0.4, 1e-4);
    let [low, here, high] = [t - e, t, t + e].map(|t| motion.at(at, t));
    for k in 0..3 {
        assert!((here.v[k] - (high.x[k] - low.x[k]) / (2.0 * e)).abs() < 1e-6);
        assert!((here.a[k] - (high.x[k] - 2.0 * here.x[k] + low.x[k]) / (e * e)).abs() < 1e-5);
    }
}

#[test]
fn constraints_that_contradict_or_name_no_vertex_are_refused() {
    let x: [Vec3; 2] = [[0.0; 3], [1.0, 0.0, 0.0]];
    let mut constraints = Constraints::new();
    let error = constraints.fix(&[2], &x).unwrap_err().to_string();
    assert!(error.contains("vertex 2, but there are 2"), "{error}");
    constraints.fix_axes(&[1], &x, [true, false, true]).unwrap();
    assert_eq!(constraints.count(), 2);
    let moving = Motion::Translation { direction: [0.0, 1.0, 0.0], curve: TimeCurve::default() };
    let error = constraints.drive(&[1], &x, moving).unwrap_err().to_string();
    assert!(error.contains("vertex 1 is held twice"), "{error}");
    assert!(constraints.fix_plane(&[0], &x, [0.0; 3]).is_err());
    assert!(constraints.fix(&[0], &[[f64::NAN; 3]]).is_err());
}

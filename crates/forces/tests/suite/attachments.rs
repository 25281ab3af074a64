//! Attachments: derivatives, balance, moving targets.

use crate::checks;

use checks::{
    Random, Storage, check_derivatives, dense, eigenvalues, energy, gradient, resultant, state,
};
use pliant_algebra::sparse::{Pattern, Product};
use pliant_algebra::vec3::{Vec3, dot, norm, sub};
use pliant_forces::loads::TimeCurve;
use pliant_forces::obstacles::{LocalPlane, LocalPlanes};
use pliant_forces::springs::{Attachment, Attachments, End, Grab, Grabs, Point};
use pliant_forces::{
    Ask, Change, ForceError, ForceModel, Slots, Workspace, finite_difference_check,
};

fn ramp() -> TimeCurve {
    TimeCurve::Ramp { start: 0.0, end: 2.0, from: 0.0, to: 1.0 }
}

fn triangle() -> Point {
    Point::barycentric(&[0, 1, 2], &[0.2, 0.5, 0.3]).unwrap()
}

fn tet() -> Point {
    Point::barycentric(&[2, 3, 4, 5], &[0.4, 0.3, 0.2, 0.1]).unwrap()
}

fn all_kinds(rest: f64, damping: f64) -> Attachments {
    let moving = End::Moving { origin: [0.3; 3], direction: [1.0, -2.0, 0.5], curve: ramp() };
    let ends = [
        (Point::vertex(5), End::Fixed([1.0, 2.0, 3.0])),
        (triangle(), moving),
        // Both points have vertex 2 in common.
        (triangle(), End::Point(tet())),
        (tet(), End::Point(Point::vertex(3))),
    ];
    let list = ends
        .into_iter()
        .map(|(point, to)| Attachment { rest, damping, ..Attachment::new(point, to, 7.0) })
        .collect();
    Attachments::new(6, list).unwrap()
}

#[test]
fn attachments_match_finite_differences() {
    let mut random = Random(41);
    let (x, v) = (random.vectors(6, 1.0), random.vectors(6, 1.0));
    for (rest, damping) in [(0.0, 0.0), (0.8, 0.0), (0.0, 0.6), (2.5, 0.6)] {
        let mut model = all_kinds(rest, damping);
        assert!(model.character().symmetric);
        assert_eq!(model.character().is_conservative(), damping == 0.0);
        check_derivatives(&mut model, &x, &v, 0.7, 0.05);
        // ∂g/∂t along the straight piece of the curve.
        let mut rates = vec![[0.0; 3]; 6];
        model.add_time_derivative(&state(&x, &v, 0.7), &mut rates, &mut Workspace::new()).unwrap();
        let exact: Vec<f64> = rates.as_flattened().to_vec();
        checks::sweep("attachments: time derivative", 0.2, &exact, |h| {
            checks::flat(&gradient(&model, state(&x, &v, 0.7 + h)))
        });
    }
}

#[test]
fn points_of_bodies_pull_each_other_with_equal_and_opposite_forces() {
    let mut random = Random(43);
    let (x, v) = (random.vectors(6, 1.0), random.vectors(6, 1.0));
    let joint = Attachments::joints(6, &[(triangle(), tet())], 9.0).unwrap();
    let g = gradient(&joint, state(&x, &v, 0.0));
    let (force, moment) = resultant(&x, &g);
    assert!(norm(force) < 1e-14 && norm(moment) < 1e-14 && norm(g[0]) > 0.1);
    let d = sub(
        (0..3).fold([0.0; 3], |s, i| pliant_algebra::vec3::add_scaled(s, x[i], [0.2, 0.5, 0.3][i])),
        (0..4).fold([0.0; 3], |s, i| {
            pliant_algebra::vec3::add_scaled(s, x[i + 2], [0.4, 0.3, 0.2, 0.1][i])
        }),
    );
    assert!((energy(&joint, state(&x, &v, 0.0)) - 4.5 * dot(d, d)).abs() < 1e-14);
}

#[test]
fn a_pinned_vertex_is_pulled_home_and_a_dragged_one_follows() {
    let zero = [[0.0; 3]; 2];
    let mut pins = Attachments::pins(2, &[(1, [0.0, 1.0, 0.0])], 1e6).unwrap();
    let at = |pins: &mut Attachments, x: &[Vec3]| gradient(pins, state(x, &zero, 0.0));
    assert_eq!(at(&mut pins, &zero)[1], [0.0, -1e6, 0.0]);
    assert_eq!(at(&mut pins, &[[9.0; 3], [0.0, 1.0, 0.0]]), zero);
    pins.set_target(0, [0.0, 3.0, 0.0]).unwrap();
    assert_eq!(at(&mut pins, &zero)[1], [0.0, -3e6, 0.0]);
    assert!(pins.set_target(1, [0.0; 3]).is_err());
    assert!(
        Attachments::joints(6, &[(triangle(), tet())], 1.0)
            .unwrap()
            .set_target(0, [0.0; 3])
            .is_err()
    );
    assert_eq!(pins.stable_step(&state(&zero, &zero, 0.0), &[1.0, 1.0]), 2e-3);
}

#[test]
fn compressed_attachments_project_to_positive_and_coincident_ones_give_no_nan() {
    let mut random = Random(47);
    let (x, v) = (random.vectors(6, 0.3), random.vectors(6, 1.0));
    let mut model = all_kinds(2.5, 0.0);
    let mut lowest = |project| {
        eigenvalues(
            dense(&mut model, state(&x, &v, 0.7), (1.0, 0.0), project, Storage::Upper).unwrap(),
        )[0]
    };
    assert!(lowest(false) < -0.1 && lowest(true) > -1e-12);
    let zero = [[0.0; 3]; 6];
    let mut model = all_kinds(1.0, 0.5);
    let k = dense(&mut model, state(&zero, &v, 0.7), (1.0, 1.0), false, Storage::Upper).unwrap();
    assert!(k.iter().flatten().all(|k| k.is_finite()));
}

#[test]
fn bad_attachments_are_refused_by_name() {
    let error = Point::barycentric(&[0, 1], &[0.5, 0.6]).unwrap_err().to_string();
    assert_eq!(error, "sum of the barycentric weights = 1.1: it must be 1");
    assert!(Point::barycentric(&[], &[]).is_err());
    assert!(Point::barycentric(&[0, 1, 2, 3, 4], &[0.2; 5]).is_err());
    assert!(Point::barycentric(&[0, 1], &[1.0]).is_err());
    let pin = |v, at, k| Attachments::pins(3, &[(v, at)], k).map(drop).unwrap_err().to_string();
    assert!(pin(3, [0.0; 3], 1.0).starts_with("attachment 0: point: vertex = 3"));
    assert!(pin(0, [f64::NAN; 3], 1.0).starts_with("attachment 0: target = NaN"));
    assert!(pin(0, [0.0; 3], -2.0).starts_with("attachment 0: stiffness = -2"));
    let pins = Attachments::pins(1, &[(0, [0.0; 3])], 1.0).unwrap();
    let bad = [[f64::NAN; 3]];
    assert!(
        pins.evaluate(&state(&bad, &bad, 0.0), &mut Ask::default(), &mut Workspace::new()).is_err()
    );
}

/// The tangent of a model in this pattern, as a dense matrix of the x components.
fn tangent_x(model: &dyn ForceModel, pattern: &Pattern, x: &[Vec3]) -> Vec<f64> {
    let n = x.len();
    let mut values = vec![[0.0; 9]; pattern.columns().len()];
    let mut ask = Ask { tangent: Some(&mut values), position_weight: 1.0, ..Ask::default() };
    model.evaluate(&state(x, &vec![[0.0; 3]; n], 0.0), &mut ask, &mut Workspace::new()).unwrap();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n as u32 {
        for j in 0..n as u32 {
            if let Some(slot) = pattern.slot(i, j) {
                matrix[i as usize * n + j as usize] = values[slot.index() as usize][0];
            }
        }
    }
    matrix
}

#[test]
fn a_grab_is_an_attachment_that_comes_and_goes_while_the_system_stands() {
    let x = Random(47).vectors(6, 1.0);
    let v = [[0.0; 3]; 6];
    let (weights, at) = ([0.2, 0.5, 0.3], [0.4, -0.3, 0.9]);
    let mut fixed =
        Attachments::new(6, vec![Attachment::new(triangle(), End::Fixed(at), 7.0)]).unwrap();
    let pattern = Pattern::symmetric(6, |couple| fixed.couplings(couple)).unwrap();
    fixed.bind(&Slots::new(&pattern, 0, "model")).unwrap();
    let mut model = Grabs::new();
    assert_eq!(energy(&model, state(&x, &v, 0.0)), 0.0);
    let nodes: Vec<(u32, f64)> = (0..3).zip(weights).collect();
    let grab = Grab { nodes, target: [9.0; 3], stiffness: 7.0 };
    let begin = |model: &mut Grabs| model.begin(&state(&x, &v, 0.0)).unwrap();
    assert_eq!(begin(&mut model), Change::Same);
    model.start(5, grab, 6).unwrap();
    assert_eq!(begin(&mut model), Change::Couplings);
    // The old slots are none of its own.
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    let mut ask = Ask { tangent: Some(&mut values), ..Ask::default() };
    let error = model.evaluate(&state(&x, &v, 0.0), &mut ask, &mut Workspace::new());
    assert!(error.unwrap_err().to_string().contains("before it was bound"));
    model.bind(&Slots::new(&pattern, 0, "grabs")).unwrap();
    assert_eq!(begin(&mut model), Change::Same);
    assert!(model.move_to(5, at).unwrap() && !model.move_to(6, at).unwrap());
    assert_eq!(begin(&mut model), Change::Same, "the hand moves, and nothing is coupled anew");
    let close = |a: f64, b: f64| (a - b).abs() < 1e-14;
    let place = || state(&x, &v, 0.0);
    assert!(close(energy(&model, place()), energy(&fixed, place())));
    let (mine, theirs) = (gradient(&model, place()), gradient(&fixed, place()));
    for (a, b) in mine.as_flattened().iter().zip(theirs.as_flattened()) {
        assert!(close(*a, *b));
    }
    let (mine, theirs) = (tangent_x(&model, &pattern, &x), tangent_x(&fixed, &pattern, &x));
    for (a, b) in mine.iter().zip(&theirs) {
        assert!(close(*a, *b), "{mine:?} {theirs:?}");
    }
    assert!(model.end(5) && !model.end(5) && model.is_empty());
    assert_eq!(begin(&mut model), Change::Couplings);
    assert_eq!(energy(&model, place()), 0.0);
}

#[test]
fn a_grab_has_its_true_tangent_over_whichever_vertices() {
    let x = Random(48).vectors(9, 1.0);
    let v = [[0.0; 3]; 9];
    let mut grabs = Grabs::new();
    // Far apart, weights of both signs, and two grabs that share a vertex.
    let nodes = vec![(8, 0.6), (1, 0.5), (5, -0.3), (3, 0.2)];
    grabs.start(1, Grab { nodes, target: [0.0; 3], stiffness: 3.0 }, 9).unwrap();
    let nodes = vec![(1, 0.5), (0, 0.5)];
    grabs.start(2, Grab { nodes, target: [1.0; 3], stiffness: 5.0 }, 9).unwrap();
    check_derivatives(&mut grabs, &x, &v, 0.0, 1.0);
    let d = Random(49).vectors(9, 1.0);
    let report = finite_difference_check(&mut grabs, &state(&x, &v, 0.0), &d, &[1e-2]).unwrap();
    assert!(report.best_tangent() < 1e-12, "quadratic: {report:?}");
}

#[test]
fn a_grab_in_a_pattern_that_does_not_couple_its_vertices_is_an_error() {
    let mut grabs = Grabs::new();
    let nodes = vec![(0, 0.5), (2, 0.5)];
    grabs.start(1, Grab { nodes, target: [0.0; 3], stiffness: 3.0 }, 3).unwrap();
    let pattern = Pattern::symmetric(3, |couple| couple(0, 1)).unwrap();
    let error = grabs.bind(&Slots::new(&pattern, 0, "grabs")).unwrap_err();
    assert_eq!(error, ForceError::Undeclared { model: "grabs".into(), row: 0, column: 2 });
}

#[test]
fn a_grab_that_makes_no_sense_is_refused() {
    let mut grabs = Grabs::new();
    let mut start = |nodes: &[(u32, f64)], target: Vec3, stiffness: f64| {
        let grab = Grab { nodes: nodes.to_vec(), target, stiffness };
        grabs.start(1, grab, 3)
    };
    assert!(start(&[(3, 1.0)], [0.0; 3], 1.0).is_err());
    assert!(start(&[(0, 0.5)], [0.0; 3], 1.0).is_err());
    assert!(start(&[(0, 1.0)], [f64::NAN; 3], 1.0).is_err());
    assert!(start(&[(0, 1.0)], [0.0; 3], -1.0).is_err());
    assert!(grabs.is_empty() && grabs.move_to(1, [f64::INFINITY; 3]).is_err());
}

#[test]
fn a_local_plane_pushes_what_is_behind_it_and_nothing_else() {
    let x = Random(51).vectors(5, 1.0);
    let v = [[0.0; 3]; 5];
    let normal = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
    let nodes = vec![(0, 0.2), (2, 0.5), (3, 0.3)];
    let mut plane = LocalPlane { nodes, normal, reach: 0.0, stiffness: 40.0 };
    let level = dot(normal, plane.point(&x));
    plane.reach = level + 0.1;
    assert!((plane.depth(&x) - 0.1).abs() < 1e-14);
    let pattern = Pattern::symmetric(5, |couple| {
        (0..5).for_each(|i| (i..5).for_each(|j| couple(i, j)));
    })
    .unwrap();
    let mut planes = LocalPlanes::new();
    let free = LocalPlane { reach: level - 0.1, ..plane.clone() };
    planes.put(vec![plane.clone(), free], 5).unwrap();
    planes.bind(&Slots::new(&pattern, 0, "local planes")).unwrap();
    // ½ k p², and k p along the normal; the one that is not touched adds nothing.
    assert!((energy(&planes, state(&x, &v, 0.0)) - 0.2).abs() < 1e-13);
    let force = planes.force(&x);
    for k in 0..3 {
        assert!((force[k] - 4.0 * normal[k]).abs() < 1e-12);
    }
    let gradient = checks::gradient(&planes, state(&x, &v, 0.0));
    let sum: Vec3 = std::array::from_fn(|k| gradient.iter().map(|g| g[k]).sum());
    for k in 0..3 {
        assert!((sum[k] + force[k]).abs() < 1e-12);
    }
    // The energy is quadratic: differences of the gradient are the tangent but for rounding.
    let mut values = vec![[0.0; 9]; pattern.columns().len()];
    let mut ask =
        Ask { tangent: Some(&mut values), position_weight: 1.0, project: true, ..Ask::default() };
    planes.evaluate(&state(&x, &v, 0.0), &mut ask, &mut Workspace::new()).unwrap();
    let way = Random(52).vectors(5, 1e-3);
    let moved = checks::add_all(&x, &way, 1.0);
    let after = checks::gradient(&planes, state(&moved, &v, 0.0));
    let mut exact = vec![[0.0; 3]; 5];
    Product::new(&pattern).apply(&values, &way, &mut exact);
    for i in 0..5 {
        let difference = sub(after[i], gradient[i]);
        assert!(norm(sub(difference, exact[i])) < 1e-13, "{difference:?} {:?}", exact[i]);
    }
    let mut bad = |plane: LocalPlane| planes.put(vec![plane], 5).is_err();
    assert!(bad(LocalPlane { normal: [1.0; 3], ..plane.clone() }));
    assert!(bad(LocalPlane { nodes: vec![(5, 1.0)], ..plane.clone() }));
    assert!(bad(LocalPlane { stiffness: -1.0, ..plane.clone() }));
    assert!(bad(LocalPlane { reach: f64::NAN, ..plane }));
    // Those before stay.
    assert!((energy(&planes, state(&x, &v, 0.0)) - 0.2).abs() < 1e-13);
    planes.clear();
    assert_eq!(energy(&planes, state(&x, &v, 0.0)), 0.0);
}

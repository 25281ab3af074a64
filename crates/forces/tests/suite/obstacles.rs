//! Obstacles: smoothness, equilibrium, energy.

use crate::checks;

use checks::{Random, Storage, check_derivatives, dense, eigenvalues, energy, gradient, state};
use pliant_algebra::vec3::{Vec3, add_scaled, norm, sub};
use pliant_forces::obstacles::{Obstacle, Shape, Side};
use pliant_forces::{Ask, ForceModel, Workspace};

const MIN: Vec3 = [-1.0, -0.5, -0.3];
const MAX: Vec3 = [1.0, 0.7, 0.9];

fn shapes() -> [Shape; 5] {
    [
        Shape::Plane { point: [0.1, 0.2, 0.0], normal: [1.0, 3.0, -1.0] },
        Shape::Sphere { centre: [0.1, -0.1, 0.2], radius: 0.8, side: Side::Outside },
        Shape::Sphere { centre: [0.1, -0.1, 0.2], radius: 0.8, side: Side::Inside },
        Shape::Box { min: MIN, max: MAX, side: Side::Outside },
        Shape::Box { min: MIN, max: MAX, side: Side::Inside },
    ]
}

fn hessian(obstacle: &mut Obstacle, x: Vec3, project: bool) -> Vec<Vec<f64>> {
    dense(obstacle, state(&[x], &[[0.0; 3]], 0.0), (1.0, 0.0), project, Storage::Upper).unwrap()
}

#[test]
fn obstacles_match_finite_differences() {
    for shape in shapes() {
        let n = 24;
        let all: Vec<u32> = (0..n).collect();
        let weights: Vec<f64> = all.iter().map(|&v| 0.5 + 0.1 * f64::from(v)).collect();
        let mut random = Random(17);
        // Depths on both sides of the smoothing one, some points free, none within the largest
        // step of a surface where the third derivative jumps.
        let mut x = Vec::new();
        while x.len() < n as usize {
            let p = [0; 3].map(|_| 1.2 * random.next());
            let single = Obstacle::new(shape, 1.0, 0.3, &[0], 1).unwrap();
            let e = energy(&single, state(&[p], &[[0.0; 3]], 0.0));
            // φ(ε) = ε²/6 = 0.015
            if e == 0.0 || (e > 1e-4 && (e - 0.015).abs() > 0.004) {
                x.push(p);
            }
        }
        let v = random.vectors(n as usize, 1.0);
        let mut obstacle =
            Obstacle::weighted(shape, 30.0, 0.3, &all, &weights, n as usize).unwrap();
        assert!(energy(&obstacle, state(&x, &v, 0.0)) > 0.0);
        check_derivatives(&mut obstacle, &x, &v, 0.0, 0.01);
    }
}

#[test]
fn force_and_stiffness_are_continuous_at_contact_and_at_the_smoothing_depth() {
    for shape in shapes() {
        // Walk in along many lines; look at each step for a jump of the Hessian.
        let mut obstacle = Obstacle::new(shape, 1.0, 0.05, &[0], 1).unwrap();
        let mut random = Random(23);
        for _ in 0..5 {
            let (a, b) = ([0; 3].map(|_| 1.3 * random.next()), [0; 3].map(|_| 1.3 * random.next()));
            let steps = 20000;
            let mut last: Option<Vec<f64>> = None;
            let mut largest: f64 = 0.0;
            for i in 0..=steps {
                let x = add_scaled(a, sub(b, a), f64::from(i) / f64::from(steps));
                let here = hessian(&mut obstacle, x, false).concat();
                if let Some(last) = last {
                    largest = largest.max(checks::difference(&here, &last));
                }
                last = Some(here);
            }
            // φ''' is k/ε = 20 and lines are below 4.5 m: steps change the Hessian by some 1e-2.
            assert!(largest < 0.03, "{shape:?}: jump of {largest}");
        }
    }
}

#[test]
fn box_potential_is_smooth_through_edges_and_corners() {
    let shape = Shape::Box { min: [0.0; 3], max: [1.0; 3], side: Side::Outside };
    let mut obstacle = Obstacle::new(shape, 1.0, 0.1, &[0], 1).unwrap();
    for corner in [[1.0, 1.0, 1.0], [1.0, 1.0, 0.5], [1.0, 0.3, 0.0]] {
        let mut random = Random(29);
        for size in [1e-2, 1e-4, 1e-6, 1e-8] {
            for _ in 0..50 {
                let x = add_scaled(corner, [0; 3].map(|_| random.next()), size);
                let k = hessian(&mut obstacle, x, false).concat();
                // Homogeneous of degree 1 around the corner: it vanishes there.
                assert!(checks::norm(&k) < 60.0 * size, "{k:?} at {size}");
            }
        }
    }
}

#[test]
fn a_weight_rests_where_the_penalty_carries_it() {
    let (mg, k, e) = (2.0, 1000.0, 0.001);
    let floor = Obstacle::new(Shape::floor(0.5), k, e, &[0], 1).unwrap();
    // Beyond the smoothing depth: k (p − ε/2) = m g.
    let p = mg / k + 0.5 * e;
    let g = gradient(&floor, state(&[[0.0, 0.5 - p, 0.0]], &[[0.0; 3]], 0.0));
    assert!((g[0][1] + mg).abs() < 1e-12 && g[0][0] == 0.0 && g[0][2] == 0.0);
    // φ at depth ε by both formulas.
    let at = energy(&floor, state(&[[0.0, 0.5 - e, 0.0]], &[[0.0; 3]], 0.0));
    assert!((at / (k * e * e / 6.0) - 1.0).abs() < 1e-12);
}

#[test]
fn forces_push_out_of_every_obstacle() {
    for shape in shapes() {
        let obstacle = Obstacle::new(shape, 1.0, 0.1, &[0], 1).unwrap();
        let mut random = Random(31);
        for _ in 0..200 {
            let x = [0; 3].map(|_| 1.5 * random.next());
            let free = shape.nearest_free(x);
            assert!(!shape.touches(free) || norm(sub(free, shape.nearest_free(free))) < 1e-12);
            let g = gradient(&obstacle, state(&[x], &[[0.0; 3]], 0.0))[0];
            if !shape.touches(x) {
                assert_eq!((g, free), ([0.0; 3], x));
                continue;
            }
            let along = pliant_algebra::vec3::dot(g, sub(free, x));
            assert!(along < 0.0, "{shape:?} at {x:?}");
        }
    }
}

#[test]
fn projection_keeps_what_is_positive_and_removes_the_rest() {
    for shape in shapes() {
        let mut obstacle = Obstacle::new(shape, 1.0, 0.1, &[0], 1).unwrap();
        let mut random = Random(37);
        let mut negative = false;
        for _ in 0..200 {
            let x = [0; 3].map(|_| 1.5 * random.next());
            let values = eigenvalues(hessian(&mut obstacle, x, false));
            let projected = eigenvalues(hessian(&mut obstacle, x, true));
            negative |= values[0] < -1e-3;
            for (a, b) in values.iter().zip(&projected) {
                assert!((a.max(0.0) - b).abs() < 1e-12);
            }
            assert!(values[2] <= 1.0 + 1e-12, "stiffness above the bound of the largest step");
        }
        let solid = matches!(shape, Shape::Sphere { side: Side::Outside, .. })
            || matches!(shape, Shape::Box { side: Side::Outside, .. });
        assert_eq!(negative, solid, "{shape:?}");
    }
}

#[test]
fn centres_edges_and_corners_give_no_nan() {
    for shape in shapes() {
        let mut obstacle = Obstacle::new(shape, 1.0, 0.1, &[0], 1).unwrap();
        let centre = [0.0, 0.5 * (MIN[1] + MAX[1]), 0.5 * (MIN[2] + MAX[2])];
        for x in [centre, [0.1, -0.1, 0.2], MIN, MAX, [MAX[0], 0.0, MAX[2]], [1e150; 3]] {
            let g = gradient(&obstacle, state(&[x], &[[0.0; 3]], 0.0));
            let k = hessian(&mut obstacle, x, true);
            assert!(g[0].iter().chain(k.iter().flatten()).all(|v| !v.is_nan()), "{shape:?} {x:?}");
        }
    }
}

#[test]
fn bad_obstacles_are_refused_by_name() {
    let message = |shape, k, e| Obstacle::new(shape, k, e, &[0], 1).unwrap_err().to_string();
    let floor = Shape::floor(0.0);
    assert!(message(floor, -1.0, 0.1).starts_with("obstacle: stiffness = -1"));
    assert!(message(floor, 1.0, 0.0).starts_with("obstacle: smoothing = 0"));
    let flat = Shape::Plane { point: [0.0; 3], normal: [0.0; 3] };
    assert!(message(flat, 1.0, 1.0).starts_with("plane: length of the normal = 0"));
    let inverted = Shape::Box { min: MAX, max: MIN, side: Side::Outside };
    assert!(message(inverted, 1.0, 1.0).starts_with("box: extent in x = -2"));
    let ball = Shape::Sphere { centre: [0.0; 3], radius: f64::NAN, side: Side::Inside };
    assert!(message(ball, 1.0, 1.0).starts_with("sphere: radius = NaN"));
    assert!(
        Obstacle::new(floor, 1.0, 1.0, &[5], 2).unwrap_err().to_string().contains("vertex = 5")
    );
    let obstacle = Obstacle::new(floor, 1.0, 1.0, &[0], 1).unwrap();
    let bad = [[0.0, f64::INFINITY, 0.0]];
    assert!(
        obstacle
            .evaluate(&state(&bad, &[[0.0; 3]], 0.0), &mut Ask::default(), &mut Workspace::new())
            .is_err()
    );
}

#[test]
fn largest_step_is_that_of_the_full_stiffness() {
    let obstacle = Obstacle::new(Shape::floor(0.0), 100.0, 0.1, &[0, 1], 2).unwrap();
    let rest = [[0.0; 3]; 2];
    let h = obstacle.stable_step(&state(&rest, &rest, 0.0), &[4.0, 1.0]);
    assert!((h - 0.2).abs() < 1e-15);
}

//! The mollifier of parallel edges.

use pliant_algebra::vec3::Vec3;
use pliant_contact::barrier::Barrier;
use pliant_contact::distance::Stencil;
use pliant_contact::distance::mollifier::{Mollifier, PARALLEL};

use crate::common::{Random, apart, dense, differences, flat, largest};

const REST: [f64; 2] = [1.1, 0.9];

/// Edges at an angle whose sine is below or above the threshold.
fn crossing(random: &mut Random, sine: f64) -> [Vec3; 4] {
    let mut x = random.points();
    x[0] = [0.0; 3];
    x[1] = [1.0, 0.1 * random.symmetric(), 0.1 * random.symmetric()];
    x[3] = [x[2][0] + x[1][0], x[2][1] + x[1][1] + sine, x[2][2] + x[1][2]];
    x
}

#[test]
fn mollifier_is_one_for_crossing_edges_and_zero_for_parallel_ones() {
    let x = |sine: f64| [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, sine, 1.0]];
    assert_eq!(Mollifier::new(&x(0.0), [1.0; 2]).value, 0.0);
    assert_eq!(Mollifier::new(&x(0.1), [1.0; 2]).value, 1.0);
    assert!(!Mollifier::new(&x(0.1), [1.0; 2]).is_active());
    // |u×w|² = ε/2 makes (1/2) (2 − 1/2).
    let half = Mollifier::new(&x((0.5 * PARALLEL).sqrt()), [1.0; 2]);
    assert!((half.value - 0.75).abs() < 1e-15 && half.is_active());
}

#[test]
fn derivatives_of_the_mollifier_are_those_of_its_value() {
    let mut random = Random(21);
    let (mut gradient, mut hessian) = (0.0_f64, 0.0_f64);
    for _ in 0..300 {
        let sine = 0.02 * random.unit();
        let x = crossing(&mut random, sine);
        let m = Mollifier::new(&x, REST);
        assert!(m.is_active());
        let expected = differences(|x| Mollifier::new(x, REST).value, &x, 1e-4);
        gradient =
            gradient.max(apart(&flat(m.gradient()), &expected) / largest(&expected).max(1.0));
        for (row, values) in dense(&m.hessian()).iter().enumerate() {
            let slope = |x: &[Vec3; 4]| flat(Mollifier::new(x, REST).gradient())[row];
            let expected = differences(slope, &x, 1e-4);
            hessian = hessian.max(apart(values, &expected) / largest(&expected).max(1.0));
        }
    }
    assert!(gradient < 1e-9 && hessian < 1e-9, "{gradient:e} {hessian:e}");
}

#[test]
fn derivatives_of_a_mollified_potential_are_those_of_its_value() {
    let mut random = Random(22);
    let potential = |x: &[Vec3; 4]| {
        let closest = Stencil::EdgeEdge.closest(x);
        Mollifier::new(x, REST).value * Barrier::Log.jet(closest.distance, 4.0).value
    };
    let gradient = |x: &[Vec3; 4]| {
        let closest = Stencil::EdgeEdge.closest(x);
        let jet = Barrier::Log.jet(closest.distance, 4.0);
        flat(closest.mollified_gradient(&Mollifier::new(x, REST), jet.value, jet.first))
    };
    let (mut first, mut second, mut count, mut at_ends) = (0.0_f64, 0.0_f64, 0, 0);
    for round in 0..600 {
        let sine = if round % 3 == 0 { 0.5 } else { 0.02 * random.unit() };
        let x = crossing(&mut random, sine);
        let closest = Stencil::EdgeEdge.closest(&x);
        let near_a_border = |t: f64| {
            let x: [Vec3; 4] =
                std::array::from_fn(|i| x[i].map(|c| c + t * 3e-4 * random.symmetric()));
            Stencil::EdgeEdge.closest(&x).weights.map(|c| c != 0.0)
                != closest.weights.map(|c| c != 0.0)
        };
        if closest.distance < 0.2 || [1.0; 30].map(near_a_border).contains(&true) {
            continue;
        }
        count += 1;
        at_ends += i32::from(closest.active != Stencil::EdgeEdge);
        let jet = Barrier::Log.jet(closest.distance, 4.0);
        let m = Mollifier::new(&x, REST);
        let expected = differences(potential, &x, 1e-4);
        let scale = largest(&expected).max(1.0);
        first = first.max(apart(&gradient(&x), &expected) / scale);
        let tangent = closest.mollified_tangent(&x, &m, [jet.value, jet.first, jet.second]);
        for (row, values) in dense(&tangent).iter().enumerate() {
            let expected = differences(|x| gradient(x)[row], &x, 1e-4);
            second = second.max(apart(values, &expected) / largest(&expected).max(1.0));
        }
    }
    assert!(count > 200 && at_ends > 50, "{count} {at_ends}");
    assert!(first < 1e-7 && second < 1e-6, "{first:e} {second:e}");
}

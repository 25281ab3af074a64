//! Distances against exact arithmetic in whole numbers, and where primitives are degenerate.

use pliant_algebra::vec3::{self, Vec3, add_scaled, distance, norm, scale};
use pliant_contact::distance::Stencil;

use crate::common::whole::{Whole, cross, dot, sub};
use crate::common::{Random, STENCILS, combine};

fn over(numerator: i128, denominator: i128) -> f64 {
    numerator as f64 / denominator as f64
}

/// Squared distance of a point and a segment: numerator and denominator are exact.
fn exact_point_edge(p: Whole, a: Whole, b: Whole) -> f64 {
    let (e, from) = (sub(b, a), sub(p, a));
    let (along, length) = (dot(e, from), dot(e, e));
    if along <= 0 {
        dot(from, from) as f64
    } else if along >= length {
        dot(sub(p, b), sub(p, b)) as f64
    } else {
        let area = cross(e, from);
        over(dot(area, area), length)
    }
}

/// Least over everything that can be closest.
fn exact(stencil: Stencil, x: [Whole; 4]) -> f64 {
    let [p, a, b, c] = x;
    match stencil {
        Stencil::PointPoint => dot(sub(p, a), sub(p, a)) as f64,
        Stencil::PointEdge => exact_point_edge(p, a, b),
        Stencil::PointTriangle => {
            let n = cross(sub(b, a), sub(c, a));
            let side = |from: Whole, to: Whole| dot(cross(sub(to, from), sub(p, from)), n);
            let inside = side(a, b) > 0 && side(b, c) > 0 && side(c, a) > 0;
            let height = dot(n, sub(p, a));
            if inside {
                return over(height * height, dot(n, n));
            }
            exact_point_edge(p, a, b).min(exact_point_edge(p, b, c)).min(exact_point_edge(p, c, a))
        }
        Stencil::EdgeEdge => {
            let (u, w, r) = (sub(a, p), sub(c, b), sub(b, p));
            let n = cross(u, w);
            let area = dot(n, n);
            let (s, t) = (dot(cross(r, w), n), dot(cross(r, u), n));
            if area > 0 && s > 0 && s < area && t > 0 && t < area {
                let volume = dot(n, r);
                return over(volume * volume, area);
            }
            [(p, b, c), (a, b, c), (b, p, a), (c, p, a)]
                .map(|(p, a, b)| exact_point_edge(p, a, b))
                .into_iter()
                .fold(f64::INFINITY, f64::min)
        }
    }
}

/// Checks d, and that weights and normal belong to it. Returns the error of d² relative to itself, and
/// that of d relative to the size.
fn errors(stencil: Stencil, whole: [Whole; 4]) -> (f64, f64) {
    let x = whole.map(|p| p.map(|c| c as f64));
    let closest = stencil.closest(&x);
    let truth = exact(stencil, whole);
    let size = (0..4)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .fold(0.0, |size, (i, j)| f64::max(size, distance(x[i], x[j])));
    let r = combine(&x, closest.weights);
    assert!(
        norm(add_scaled(r, closest.normal, -closest.distance)) <= 1e-13 * size.max(1.0),
        "{x:?}"
    );
    let split = stencil.first_vertices();
    let (first, second) = closest.weights.split_at(split);
    assert!((first.iter().sum::<f64>() - 1.0).abs() < 1e-15 && first.iter().all(|&c| c >= 0.0));
    assert!((second.iter().sum::<f64>() + 1.0).abs() < 1e-15 && second.iter().all(|&c| c <= 0.0));
    let used = closest.weights.iter().filter(|&&c| c != 0.0).count();
    assert_eq!(used, closest.active.vertices(), "{closest:?}");
    let squared = closest.distance * closest.distance;
    let relative = if truth > 0.0 { (squared - truth).abs() / truth } else { 0.0 };
    (relative, (closest.distance - truth.sqrt()).abs() / size.max(1.0))
}

fn worst(rounds: usize, mut draw: impl FnMut(&mut Random) -> [Whole; 4]) -> (f64, f64) {
    let mut random = Random(1);
    let mut worst = (0.0_f64, 0.0_f64);
    for _ in 0..rounds {
        let x = draw(&mut random);
        for stencil in STENCILS {
            let (relative, of_size) = errors(stencil, x);
            worst = (worst.0.max(relative), worst.1.max(of_size));
        }
    }
    worst
}

#[test]
fn distances_are_those_of_exact_arithmetic() {
    let (relative, of_size) = worst(100_000, |random| {
        std::array::from_fn(|_| std::array::from_fn(|_| random.whole(1000).into()))
    });
    assert!(of_size < 4e-16, "{of_size:e}");
    // A small distance of large primitives is a difference of large numbers.
    assert!(relative < 1e-9, "{relative:e}");
}

#[test]
fn distances_of_points_parallel_and_collapsed_primitives_are_exact() {
    // Three values on each axis: 60 % of all edge pairs are parallel, crossing, collapsed or collinear.
    let (relative, of_size) = worst(100_000, |random| {
        std::array::from_fn(|_| std::array::from_fn(|_| random.whole(1).into()))
    });
    assert!(of_size < 4e-16 && relative < 4e-15, "{of_size:e} {relative:e}");
}

#[test]
fn slivers_of_one_part_in_a_hundred_million_are_served() {
    let (_, of_size) = worst(100_000, |random| {
        std::array::from_fn(|_| {
            [random.whole(1 << 26).into(), random.whole(3).into(), random.whole(3).into()]
        })
    });
    assert!(of_size < 4e-16, "{of_size:e}");
}

#[test]
fn every_region_is_met_and_named() {
    let mut random = Random(3);
    for (stencil, regions) in [(Stencil::PointTriangle, 7), (Stencil::EdgeEdge, 9)] {
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..2000 {
            let closest = stencil.closest(&random.points());
            seen.insert(closest.weights.map(|c| c != 0.0));
        }
        assert_eq!(seen.len(), regions, "{stencil:?}");
    }
}

#[test]
fn distance_and_gradient_are_continuous_between_regions() {
    // Along a path across all regions the gradient cannot jump by more than the step allows.
    let mut random = Random(4);
    let (mut changes, mut jump) = (0, 0.0_f64);
    for _ in 0..2000 {
        let (x, to) = (random.points(), random.points());
        for stencil in [Stencil::PointTriangle, Stencil::EdgeEdge] {
            let at = |t: f64| {
                let x: [Vec3; 4] =
                    std::array::from_fn(|i| add_scaled(scale(x[i], 1.0 - t), to[i], t));
                stencil.closest(&x)
            };
            let shape = |stencil, t| {
                let x: [Vec3; 4] =
                    std::array::from_fn(|i| add_scaled(scale(x[i], 1.0 - t), to[i], t));
                let (from, last) = if stencil == Stencil::EdgeEdge { (0, 2) } else { (1, 1) };
                let (u, w) = (vec3::sub(x[from + 1], x[from]), vec3::sub(x[3], x[last]));
                norm(vec3::cross(u, w)) / (norm(u) * norm(w))
            };
            let (mut low, mut high) = (0.0, 1.0);
            let region = |t: f64| at(t).weights.map(|c| c != 0.0);
            if region(0.0) == region(1.0) {
                continue;
            }
            // Halve until a change of region is caught between neighbours.
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if region(middle) == region(low) { low = middle } else { high = middle }
            }
            let (a, b) = (at(low), at(high));
            // Across nearly parallel edges, and over slivers, gradients turn faster than positions can be halved.
            if a.distance < 0.05 || shape(stencil, low) < 0.1 {
                continue;
            }
            changes += 1;
            jump = jump.max((a.distance - b.distance).abs());
            for i in 0..4 {
                jump = jump.max(distance(a.gradient()[i], b.gradient()[i]));
            }
        }
    }
    assert!(changes > 500, "{changes}");
    assert!(jump < 1e-11, "{jump:e}");
}

#[test]
fn hostile_positions_give_answers_and_no_panic() {
    let values = [0.0, -0.0, 1.0, 1e-300, 1e-160, 5e-324, 1e30, -1e70, 1.0 + f64::EPSILON];
    let mut random = Random(5);
    for _ in 0..100_000 {
        let x: [Vec3; 4] = std::array::from_fn(|_| {
            std::array::from_fn(|_| values[(random.next() % values.len() as u64) as usize])
        });
        for stencil in STENCILS {
            let closest = stencil.closest(&x);
            assert!(closest.distance.is_finite(), "{stencil:?} {x:?}");
            let tangent = closest.projected_tangent(&x, -1.0, 1.0);
            std::hint::black_box(tangent);
        }
    }
}

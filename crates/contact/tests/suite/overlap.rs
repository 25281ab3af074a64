//! The exact test of an edge and a triangle against whole numbers.

use std::cmp::Ordering;

use pliant_algebra::vec3::{Vec3, distance};
use pliant_contact::overlap::{area_sign, edge_meets_triangle, meeting_point, volume_sign};

use crate::common::Random;
use crate::common::whole::{Whole, cross, dot, sub};

fn volume(a: Whole, b: Whole, c: Whole, d: Whole) -> i128 {
    dot(sub(a, d), cross(sub(b, d), sub(c, d)))
}

/// Two segments in whole numbers: a + s u = p + t w with rational s and t, or ranges on one line.
fn segments_meet(a: Whole, b: Whole, p: Whole, q: Whole) -> bool {
    let (u, w, r) = (sub(b, a), sub(q, p), sub(p, a));
    let n = cross(u, w);
    let area = dot(n, n);
    if area > 0 {
        let (s, t) = (dot(cross(r, w), n), dot(cross(r, u), n));
        return dot(r, n) == 0 && (0..=area).contains(&s) && (0..=area).contains(&t);
    }
    // Parallel or collapsed: an end of one lies on the other.
    [(p, a, b), (q, a, b), (a, p, q), (b, p, q)].into_iter().any(|(v, from, to)| {
        let e = sub(to, from);
        let along = dot(sub(v, from), e);
        cross(sub(v, from), e) == [0; 3]
            && (0..=dot(e, e)).contains(&along)
            && (e != [0; 3] || v == from)
    })
}

/// The truth, by another way than the crate's: a point in the triangle by barycentric coordinates, or an edge that crosses its rim.
fn truth([a, b]: [Whole; 2], [p, q, r]: [Whole; 3]) -> bool {
    let n = cross(sub(q, p), sub(r, p));
    let rim = [(p, q), (q, r), (r, p)].into_iter().any(|(x, y)| segments_meet(a, b, x, y));
    if n == [0; 3] {
        return rim;
    }
    let (from, to) = (dot(n, sub(a, p)), dot(n, sub(b, p)));
    // The point at from / (from − to) of the way, times that denominator; or the ends, in the plane.
    let inside = |point: Whole, over: i128| {
        let scaled = |v: Whole| v.map(|c| c * over);
        let side =
            |x: Whole, y: Whole| dot(cross(sub(y, x), sub(point, scaled(x))), n) * over.signum();
        side(p, q) >= 0 && side(q, r) >= 0 && side(r, p) >= 0
    };
    if from == to {
        return from == 0 && (rim || inside(a, 1) || inside(b, 1));
    }
    if from.signum() * to.signum() > 0 {
        return false;
    }
    let over = from - to;
    inside(std::array::from_fn(|k| a[k] * over + (b[k] - a[k]) * from), over)
}

fn check(rounds: usize, most: i64, exponent: i32, seed: u64) -> usize {
    let mut random = Random(seed);
    let mut met = 0;
    for _ in 0..rounds {
        let whole: [Whole; 5] =
            std::array::from_fn(|_| std::array::from_fn(|_| random.whole(most).into()));
        let x = whole.map(|p| p.map(|c| c as f64 * 2_f64.powi(exponent)));
        let [a, b, p, q, r] = whole;
        let expected = truth([a, b], [p, q, r]);
        let found = edge_meets_triangle([x[0], x[1]], [x[2], x[3], x[4]]);
        assert_eq!(found, expected, "{whole:?}");
        met += usize::from(found);
    }
    met
}

#[test]
fn edges_and_triangles_meet_where_whole_numbers_say_so() {
    // On a small lattice most volumes vanish: touching, in one plane, on one line, collapsed.
    let met = [(100_000, 0), (2, 0), (1, -30), (5, 100)]
        .map(|(most, exponent)| check(100_000, most, exponent, 41));
    assert!(met[0] > 2000 && met[1] > 10_000 && met[2] > 20_000 && met[3] > 5000, "{met:?}");
}

#[test]
fn signs_of_volumes_are_exact_to_the_last_bit() {
    // Points of a plane, moved by bits of their last places: the value as computed is noise.
    let mut random = Random(45);
    let (mut zeros, mut wrong) = (0, 0);
    for _ in 0..20_000 {
        let at = |random: &mut Random| {
            let (u, v) = (random.whole(1 << 20), random.whole(1 << 20));
            // x + 2 y + 4 z = 2²⁴ but for a few units.
            [(1 << 24) - 2 * u - 4 * v + random.whole(1), u, v]
        };
        let p: [[i64; 3]; 4] = std::array::from_fn(|_| at(&mut random));
        let whole = p.map(|p| p.map(i128::from));
        let expected = volume(whole[0], whole[1], whole[2], whole[3]).cmp(&0);
        let far = 2_f64.powi(-24);
        let [a, b, c, d] = p.map(|p| p.map(|x| x as f64 * far));
        assert_eq!(volume_sign(a, b, c, d), expected);
        zeros += usize::from(expected == Ordering::Equal);
        let rounded = pliant_algebra::vec3::triple(a, b, c) - pliant_algebra::vec3::triple(a, b, d)
            + pliant_algebra::vec3::triple(a, c, d)
            - pliant_algebra::vec3::triple(b, c, d);
        wrong += usize::from(rounded.partial_cmp(&0.0) != Some(expected));
    }
    assert!(zeros > 500 && wrong > 300, "{zeros} {wrong}");
}

#[test]
fn signs_of_coordinates_whose_differences_are_not_numbers_are_exact() {
    // a = (1, 0, 0) + 2⁻⁸⁰ in z: the difference 1 + 2⁻⁸⁰ is no f64, and the volume is 2⁻⁸⁰.
    let tiny = 2_f64.powi(-80);
    let (b, c, d) = ([0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]);
    let plane = |z: f64| volume_sign([0.3, 0.4, z], b, c, d);
    assert_eq!(plane(1.0), Ordering::Equal);
    assert_eq!(plane(1.0 + f64::EPSILON), plane(1.0 - f64::EPSILON).reverse());
    // d at (0, 0, 1) and a at height 2⁻⁸⁰ over the plane z = 0 through d′ = 0.
    let [b, c, d] = [[1e3, 1.0, 0.0], [1.0, 1e3, 0.0], [-1.0, -1.0, 0.0]];
    assert_eq!(volume_sign([1.0, 1.0, tiny], b, c, d), volume_sign([1.0, 1.0, 1.0], b, c, d));
    assert_eq!(volume_sign([1.0, 1.0, -tiny], b, c, d), volume_sign([1.0, 1.0, -1.0], b, c, d));
    assert_eq!(
        area_sign([tiny, 0.0], [1.0, 1.0], [-1.0, -1.0]),
        area_sign([1.0, 0.0], [1.0, 1.0], [-1.0, -1.0])
    );
    assert_eq!(area_sign([1.0, 1.0], [0.5, 0.5], [0.1, 0.1]), Ordering::Equal);
}

#[test]
fn the_meeting_point_is_where_they_meet() {
    let triangle = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let at = |a: Vec3, b: Vec3| {
        assert!(edge_meets_triangle([a, b], triangle));
        meeting_point([a, b], triangle)
    };
    assert!(distance(at([0.2, 0.2, -1.0], [0.2, 0.2, 3.0]), [0.2, 0.2, 0.0]) < 1e-15);
    assert_eq!(at([0.2, 0.3, 0.0], [5.0, 5.0, 5.0]), [0.2, 0.3, 0.0]);
    // In the plane, through it.
    assert!(at([-1.0, 0.2, 0.0], [2.0, 0.2, 0.0])[1] == 0.2);
}

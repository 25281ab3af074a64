//! Gradients and Hessians of distances against differences and closed forms, in every region.

use pliant_algebra::vec3::{Vec3, cross, dot, norm, norm_squared, sub};
use pliant_contact::distance::Stencil;

use crate::common::{Random, STENCILS, apart, dense, differences, flat, largest, moved};

/// Positions whose regions do not change within the steps of differences, and whose shapes are fair.
fn samples(stencil: Stencil, count: usize) -> Vec<[Vec3; 4]> {
    let mut random = Random(7);
    let mut samples = Vec::new();
    while samples.len() < count {
        let x = random.points();
        let closest = stencil.closest(&x);
        let inside = closest.weights.iter().all(|c| *c == 0.0 || c.abs() > 0.02);
        let region = |x: &[Vec3; 4]| stencil.closest(x).weights.map(|c| c != 0.0);
        let stays = (0..12).all(|m| {
            [-0.02, 0.02].iter().all(|h| region(&moved(&x, m / 3, m % 3, *h)) == region(&x))
        });
        if closest.distance > 0.1 && inside && stays {
            samples.push(x);
        }
    }
    samples
}

#[test]
fn gradients_are_those_of_the_distance() {
    for stencil in STENCILS {
        let mut worst = 0.0_f64;
        let mut regions = std::collections::BTreeSet::new();
        for x in samples(stencil, 2000) {
            let closest = stencil.closest(&x);
            regions.insert(closest.weights.map(|c| c != 0.0));
            let expected = differences(|x| stencil.closest(x).distance, &x, 1e-3);
            worst = worst.max(apart(&flat(closest.gradient()), &expected));
        }
        let all = [1, 3, 7, 9][stencil as usize];
        assert_eq!(regions.len(), all, "{stencil:?}");
        assert!(worst < 1e-7, "{stencil:?} {worst:e}");
    }
}

#[test]
fn hessians_are_those_of_the_distance_and_symmetric() {
    for stencil in STENCILS {
        let mut worst = 0.0_f64;
        for x in samples(stencil, 1000) {
            let hessian = dense(&stencil.closest(&x).hessian(&x));
            for row in 0..12 {
                let of_gradient = |x: &[Vec3; 4]| flat(stencil.closest(x).gradient())[row];
                let expected = differences(of_gradient, &x, 1e-3);
                let scale = largest(&expected).max(1.0);
                worst = worst.max(apart(&hessian[row], &expected) / scale);
                for column in 0..row {
                    assert!((hessian[row][column] - hessian[column][row]).abs() < 1e-14 * scale);
                }
            }
        }
        assert!(worst < 1e-6, "{stencil:?} {worst:e}");
    }
}

#[test]
fn tangent_is_the_hessian_of_a_function_of_the_distance() {
    // d³ has the derivatives 3 d² and 6 d.
    for stencil in STENCILS {
        let mut worst = 0.0_f64;
        for x in samples(stencil, 300) {
            let d = stencil.closest(&x).distance;
            let tangent = stencil.closest(&x).tangent(&x, 3.0 * d * d, 6.0 * d);
            for (row, values) in dense(&tangent).iter().enumerate() {
                let of_gradient = |x: &[Vec3; 4]| {
                    let closest = stencil.closest(x);
                    3.0 * closest.distance.powi(2) * flat(closest.gradient())[row]
                };
                let expected = differences(of_gradient, &x, 1e-3);
                worst = worst.max(apart(values, &expected) / largest(&expected).max(1.0));
            }
        }
        assert!(worst < 1e-6, "{stencil:?} {worst:e}");
    }
}

#[test]
fn hessian_is_that_of_the_formula_with_all_its_cancelling_terms() {
    // H_s = 2 (c cᵀ)⊗I − Bᵀ A⁻¹ B, then H_d = H_s/2d − ∇s ∇sᵀ/4d³, for two parameters.
    for stencil in [Stencil::PointTriangle, Stencil::EdgeEdge] {
        for x in samples(stencil, 1000) {
            let closest = stencil.closest(&x);
            if closest.active != stencil {
                continue;
            }
            let (c, d, n) = (closest.weights, closest.distance, closest.normal);
            let slopes: [[f64; 4]; 2] = match stencil {
                Stencil::PointTriangle => [[0.0, 1.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]],
                _ => [[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]],
            };
            let e = slopes.map(|s| crate::common::combine(&x, s));
            let a = [[dot(e[0], e[0]), dot(e[0], e[1])], [dot(e[1], e[0]), dot(e[1], e[1])]];
            let det = 2.0 * (a[0][0] * a[1][1] - a[0][1] * a[1][0]);
            let inverse = [[a[1][1] / det, -a[0][1] / det], [-a[1][0] / det, a[0][0] / det]];
            let b = |k: usize, m: usize| {
                2.0 * (c[m / 3] * e[k][m % 3] + slopes[k][m / 3] * d * n[m % 3])
            };
            let hessian = dense(&closest.hessian(&x));
            for p in 0..12 {
                for q in 0..12 {
                    let mut expected = 0.0;
                    if p % 3 == q % 3 {
                        expected += 2.0 * c[p / 3] * c[q / 3];
                    }
                    for k in 0..2 {
                        for l in 0..2 {
                            expected -= b(k, p) * inverse[k][l] * b(l, q);
                        }
                    }
                    expected /= 2.0 * d;
                    expected -= c[p / 3] * n[p % 3] * c[q / 3] * n[q % 3] / d;
                    let scale = 1.0 / d + d * (inverse[0][0] + inverse[1][1]);
                    assert!((hessian[p][q] - expected).abs() < 1e-12 * scale, "{stencil:?}");
                }
            }
        }
    }
}

#[test]
fn distances_have_their_closed_forms() {
    let mut random = Random(9);
    let mut worst = 0.0_f64;
    for _ in 0..20_000 {
        let x = random.points();
        let [p, a, b, c] = x;
        for stencil in STENCILS {
            let closest = stencil.closest(&x);
            if closest.active != stencil || closest.distance < 0.1 {
                continue;
            }
            let expected = match stencil {
                Stencil::PointPoint => norm(sub(p, a)),
                Stencil::PointEdge => norm(cross(sub(a, p), sub(b, p))) / norm(sub(b, a)),
                Stencil::PointTriangle => {
                    let n = cross(sub(b, a), sub(c, a));
                    dot(sub(p, a), n).abs() / norm(n)
                }
                Stencil::EdgeEdge => {
                    let n = cross(sub(a, p), sub(c, b));
                    if norm_squared(n) < 1e-2 {
                        continue;
                    }
                    dot(sub(b, p), n).abs() / norm(n)
                }
            };
            let error = (closest.distance - expected).abs();
            let shape = match stencil {
                Stencil::PointTriangle => norm(cross(sub(b, a), sub(c, a))),
                _ => 1.0,
            };
            worst = worst.max(error * shape.min(1.0));
        }
    }
    assert!(worst < 1e-14, "{worst:e}");
}

#[test]
fn hessian_of_a_sliver_keeps_its_digits() {
    // A point above a triangle a millionth as high as long: scaling the triangle's height to one must scale slopes only.
    let height = 1e-6;
    let x = [[0.4, 0.3 * height, 0.2], [0.0; 3], [1.0, 0.0, 0.0], [0.3, height, 0.0]];
    let closest = Stencil::PointTriangle.closest(&x);
    assert_eq!(closest.active, Stencil::PointTriangle);
    let hessian = closest.hessian(&x);
    // β = (y/height), moved by x and z of the vertices: ∂²d/∂z_c² = −d |∇_c β|² with ∇β_c = v_c.
    let expected = -0.2 / (height * height);
    assert!((hessian.block(3, 3).0[2][2] / expected - 1.0).abs() < 1e-9);
    // The point itself sees a plane.
    assert!(hessian.block(0, 0).max_abs() < 1e-9 / height);
}

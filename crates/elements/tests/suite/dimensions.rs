//! Segments and triangles in space: the same calculus as of volumes, with 3 × D Jacobians.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, cross, dot, norm, scale, sub};
use pliant_elements::{
    Element, Point, Seg2, Tet4, Tri3, Tri6, consistent_mass, line_rule, lumped_mass, measure,
    pseudo_inverse, triangle_rule,
};

/// Nodes of the reference cell.
fn reference<const D: usize, const N: usize>() -> [[f64; D]; N] {
    let corner =
        |a: usize| -> [f64; D] { std::array::from_fn(|k| f64::from(u8::from(a == k + 1))) };
    std::array::from_fn(|a| {
        if a <= D {
            return corner(a);
        }
        let (p, q) = (corner(a - D - 1), corner((a - D) % (D + 1)));
        std::array::from_fn(|k| 0.5 * (p[k] + q[k]))
    })
}

/// The reference cell carried into space by a linear map, and bent if wanted.
fn in_space<const D: usize, const N: usize>(bend: f64) -> [Vec3; N] {
    let columns = [[1.1, 0.3, -0.2], [0.4, 0.9, 0.7]];
    reference::<D, N>().map(|xi| {
        let mut x = [0.3, -1.0, 2.0];
        for (k, &t) in xi.iter().enumerate() {
            for (x, c) in x.iter_mut().zip(columns[k]) {
                *x += t * c;
            }
        }
        x[1] += bend * xi[0] * xi[D - 1];
        x
    })
}

fn point<E: Element<D, N>, const D: usize, const N: usize>(at: [f64; D]) -> Point<D, N> {
    Point { at, weight: 1.0, values: E::values(at), gradients: E::gradients(at) }
}

fn is_one_at_its_node<E: Element<D, N>, const D: usize, const N: usize>(_: E) {
    for (a, at) in reference::<D, N>().into_iter().enumerate() {
        for (b, value) in E::values(at).into_iter().enumerate() {
            assert_eq!(value, f64::from(u8::from(a == b)), "{} {a} {b}", E::NAME);
        }
    }
    let (at, h) = ([0.31; D], 0.125);
    assert!((E::values(at).iter().sum::<f64>() - 1.0).abs() < 1e-15);
    for k in 0..D {
        let (mut low, mut high) = (at, at);
        low[k] -= h;
        high[k] += h;
        for a in 0..N {
            let difference = (E::values(high)[a] - E::values(low)[a]) / (2.0 * h);
            assert!((difference - E::gradients(at)[a][k]).abs() < 2e-15, "{}", E::NAME);
        }
    }
    for point in E::POINTS {
        assert_eq!(point.values, E::values(point.at));
        assert_eq!(point.gradients, E::gradients(point.at));
    }
}

#[test]
fn shape_functions_are_one_at_their_node_and_gradients_their_derivatives() {
    is_one_at_its_node(Seg2);
    is_one_at_its_node(Tri3);
    is_one_at_its_node(Tri6);
}

fn is_one_calculus<E: Element<D, N>, const D: usize, const N: usize>(_: E) {
    let x = in_space::<D, N>(0.2);
    for point in E::POINTS {
        let j = E::jacobian(point, &x);
        let inverse = pseudo_inverse(&j).unwrap();
        // The product with J is 1, so that Σ x_a ⊗ ∇N_a projects to the tangent space.
        for k in 0..D {
            for l in 0..D {
                let product: f64 = (0..3).map(|i| inverse[k][i] * j[i][l]).sum();
                assert!((product - f64::from(u8::from(k == l))).abs() < 1e-14, "{}", E::NAME);
            }
        }
        let shape = E::physical_gradients(point, &inverse);
        let mut projector = Mat3::<f64>::zero();
        for a in 0..N {
            projector += Mat3::outer(x[a], shape[a]);
        }
        assert!((projector.trace() - D as f64).abs() < 1e-14);
        assert!((projector * projector - projector).max_abs() < 1e-14);
        assert!((projector - projector.transpose()).max_abs() < 1e-14, "{}", E::NAME);
        // T : ∂x/∂ξ = Σ f_a · x_a
        let t: [[f64; D]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|k| 0.3 + i as f64 - 0.7 * k as f64));
        let mut f = [[0.0; 3]; N];
        E::spread(point, &t, &mut f);
        let work: f64 = (0..N).map(|a| dot(f[a], x[a])).sum();
        let direct: f64 = (0..3).map(|i| (0..D).map(|k| t[i][k] * j[i][k]).sum::<f64>()).sum();
        assert!((work - direct).abs() < 1e-14);
    }
}

#[test]
fn jacobian_spread_and_gradients_are_one_calculus() {
    is_one_calculus(Seg2);
    is_one_calculus(Tri3);
    is_one_calculus(Tri6);
}

#[test]
fn measures_are_lengths_areas_and_volumes() {
    let x = in_space::<1, 2>(0.0);
    assert!((Seg2::measure(&x) - norm(sub(x[1], x[0]))).abs() < 1e-15);
    let x = in_space::<2, 3>(0.0);
    let area = 0.5 * norm(cross(sub(x[1], x[0]), sub(x[2], x[0])));
    assert!((Tri3::measure(&x) - area).abs() < 1e-15);
    let x = in_space::<2, 6>(0.0);
    assert!((Tri6::measure(&x) - area).abs() < 1e-15);
    // A volume keeps its sign; the other measures have none.
    let tet = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(Tet4::measure(&tet), 1.0 / 6.0);
    assert_eq!(Tet4::measure(&[tet[1], tet[0], tet[2], tet[3]]), -1.0 / 6.0);
    let flat = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let j = Tri3::jacobian(&Tri3::POINTS[0], &flat);
    assert_eq!(measure(&j), 0.0);
    assert!(pseudo_inverse(&j).is_none());
}

fn factorial(n: u32) -> f64 {
    (1..=n).map(f64::from).product()
}

#[test]
fn rules_of_segment_and_triangle_are_exact_to_their_degree() {
    for degree in 0..8_u32 {
        for p in 0..=degree {
            let sum: f64 =
                line_rule(degree as usize).iter().map(|&([x], w)| w * x.powi(p as i32)).sum();
            assert!((sum - 1.0 / f64::from(p + 1)).abs() < 1e-15, "{degree} {p}");
            for q in 0..=degree - p {
                // ∫ ξᵖ ηᑫ over the triangle is p! q! / (p + q + 2)!
                let exact = factorial(p) * factorial(q) / factorial(p + q + 2);
                let sum: f64 = triangle_rule(degree as usize)
                    .iter()
                    .map(|&([x, y], w)| w * x.powi(p as i32) * y.powi(q as i32))
                    .sum();
                assert!((sum - exact).abs() < 1e-15, "{degree} {p} {q}");
            }
        }
    }
    // The stiffness rule of tri6 has degree 2, and no more.
    let moment = |p: i32, q: i32| -> f64 {
        Tri6::POINTS.iter().map(|x| x.weight * x.at[0].powi(p) * x.at[1].powi(q)).sum()
    };
    for (p, q) in [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)] {
        let exact = factorial(p) * factorial(q) / factorial(p + q + 2);
        assert!((moment(p as i32, q as i32) - exact).abs() < 1e-16);
    }
    assert!((moment(3, 0) - 1.0 / 20.0).abs() > 1e-4);
}

fn masses_are_right<E: Element<D, N>, const D: usize, const N: usize>(_: E, flat: bool) {
    let x = in_space::<D, N>(if flat { 0.0 } else { 0.3 });
    assert_eq!(E::is_affine(&x), flat || N == D + 1, "{}", E::NAME);
    let mass = consistent_mass::<E, D, N>(&E::mass_rule(), &x);
    let lumped = lumped_mass::<E, D, N>(&mass);
    let total: f64 = mass.iter().flatten().sum();
    // ∫ N_a N_b dA with a rule of much higher degree, in space.
    let rule: Vec<([f64; D], f64)> = match D {
        1 => line_rule(14).iter().map(|&(x, w)| ([x[0]; D], w)).collect(),
        _ => triangle_rule(14).iter().map(|&(x, w)| (std::array::from_fn(|k| x[k]), w)).collect(),
    };
    let finer = consistent_mass::<E, D, N>(&rule, &x);
    for a in 0..N {
        for b in 0..N {
            assert!((mass[a][b] - finer[a][b]).abs() < 1e-13, "{} {a} {b}", E::NAME);
        }
    }
    assert!((lumped.iter().sum::<f64>() - total).abs() < 1e-15 * total.max(1.0));
    assert!(lumped.iter().all(|&m| m > 0.0), "{}", E::NAME);
    if flat {
        assert!((total - E::measure(&x)).abs() < 1e-14);
    }
}

#[test]
fn masses_are_exact_and_positive() {
    masses_are_right(Seg2, true);
    masses_are_right(Tri3, true);
    masses_are_right(Tri6, true);
    // The classic ones: l/6 [2 1; 1 2] and A/12 [2 1 1; …].
    let x = in_space::<1, 2>(0.0);
    let mass = consistent_mass::<Seg2, 1, 2>(&Seg2::mass_rule(), &x);
    let length = Seg2::measure(&x);
    assert!((mass[0][0] - length / 3.0).abs() < 1e-15 && (mass[0][1] - length / 6.0).abs() < 1e-15);
    let x = in_space::<2, 3>(0.0);
    let mass = consistent_mass::<Tri3, 2, 3>(&Tri3::mass_rule(), &x);
    let area = Tri3::measure(&x);
    assert!((mass[1][1] - area / 6.0).abs() < 1e-15 && (mass[1][2] - area / 12.0).abs() < 1e-15);
}

#[test]
fn curved_triangles_have_the_area_of_their_map() {
    // In its plane the measure of a curved triangle is a polynomial, and the mass is exact.
    let mut x = reference::<2, 6>().map(|[a, b]| [a, b, 0.0]);
    x[3][1] -= 0.1;
    assert!(!Tri6::is_affine(&x));
    let mass = consistent_mass::<Tri6, 2, 6>(&Tri6::mass_rule(), &x);
    // A parabola of height 0.1 over an edge of length 1 adds 2/3 · 0.1.
    let area = 0.5 + 2.0 / 3.0 * 0.1;
    assert!((mass.iter().flatten().sum::<f64>() - area).abs() < 1e-14);
    let at = point::<Tri6, 2, 6>([0.2, 0.3]);
    let j = Tri6::jacobian(&at, &x);
    let columns = [[j[0][0], j[1][0], j[2][0]], [j[0][1], j[1][1], j[2][1]]];
    assert!((measure(&j) - scale(cross(columns[0], columns[1]), 1.0)[2].abs()).abs() < 1e-15);
}

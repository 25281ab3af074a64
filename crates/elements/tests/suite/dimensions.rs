//! Segments and triangles in space: the same calculus as of volumes, with 3 × D Jacobians.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, cross, dot, norm, scale, sub};
use pliant_elements::{
    Element, Face, Point, Quad4, Quad8, Seg2, Tet4, Tri3, Tri6, consistent_mass, line_rule,
    lumped_mass, measure, points, pseudo_inverse, square_rule, triangle_rule,
};

/// Nodes of the reference cell.
fn reference<const D: usize, const N: usize>() -> [[f64; D]; N] {
    let corner =
        |a: usize| -> [f64; D] { std::array::from_fn(|k| f64::from(u8::from(a == k + 1))) };
    // Quadrilaterals: corners of [−1, 1]², then the middles of edges.
    let square = |a: usize| -> [f64; D] {
        let at = |c: usize| [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]][c % 4];
        let (p, q) = if a < 4 { (at(a), at(a)) } else { (at(a), at(a + 1)) };
        std::array::from_fn(|k| 0.5 * (p[k] + q[k]))
    };
    std::array::from_fn(|a| {
        if D == 2 && (N == 4 || N == 8) {
            return square(a);
        }
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
        assert!((projector.trace() - D as f64).abs() < 1e-13);
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

#[test]
fn quadrilaterals_have_shape_functions_area_and_mass_of_their_map() {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    for (a, at) in corners.into_iter().enumerate() {
        let values = Quad4::values(at);
        assert!((0..4).all(|b| values[b] == f64::from(u8::from(a == b))), "{values:?}");
    }
    let (at, h) = ([0.3, -0.6], 0.125);
    for k in 0..2 {
        let (mut low, mut high) = (at, at);
        low[k] -= h;
        high[k] += h;
        for a in 0..4 {
            let difference = (Quad4::values(high)[a] - Quad4::values(low)[a]) / (2.0 * h);
            assert!((difference - Quad4::gradients(at)[a][k]).abs() < 1e-15);
        }
    }
    is_one_calculus(Quad4);
    // A trapezium of 3 m²: sides of 2 and 1 m, 2 m apart.
    let x = [[0.0; 3], [2.0, 0.0, 0.0], [1.5, 2.0, 0.0], [0.5, 2.0, 0.0]];
    assert!(
        !Quad4::is_affine(&x) && Quad4::is_affine(&[x[0], x[1], [3.0, 1.0, 2.0], [1.0, 1.0, 2.0]])
    );
    assert!((Quad4::measure(&x) - 3.0).abs() < 1e-15);
    let mass = consistent_mass::<Quad4, 2, 4>(&Quad4::mass_rule(), &x);
    let finer = consistent_mass::<Quad4, 2, 4>(&square_rule(7), &x);
    for a in 0..4 {
        assert!((0..4).all(|b| (mass[a][b] - finer[a][b]).abs() < 1e-15));
    }
    let lumped = lumped_mass::<Quad4, 2, 4>(&mass);
    assert!((lumped.iter().sum::<f64>() - 3.0).abs() < 4e-15);
    // The longer side has more: ∫ N dA = (5/6, 5/6, 2/3, 2/3).
    assert!((lumped[0] - 5.0 / 6.0).abs() < 1e-15 && (lumped[3] - 2.0 / 3.0).abs() < 1e-15);
}

#[test]
fn quadratic_quadrilaterals_have_shape_functions_area_and_mass_of_their_map() {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let node = |a: usize| -> [f64; 2] {
        if a < 4 {
            return corners[a];
        }
        std::array::from_fn(|k| 0.5 * (corners[a - 4][k] + corners[(a - 3) % 4][k]))
    };
    for a in 0..8 {
        let values = Quad8::values(node(a));
        assert!((0..8).all(|b| values[b] == f64::from(u8::from(a == b))), "{values:?}");
    }
    let (at, h) = ([0.3, -0.6], 0.125);
    for k in 0..2 {
        let (mut low, mut high) = (at, at);
        low[k] -= h;
        high[k] += h;
        for a in 0..8 {
            let difference = (Quad8::values(high)[a] - Quad8::values(low)[a]) / (2.0 * h);
            assert!((difference - Quad8::gradients(at)[a][k]).abs() < 1e-15);
        }
    }
    is_one_calculus(Quad8);
    // (x + 0.1 y², y + 0.2 x²) has the Jacobian 1 − 0.08 x y, and so the area of the square.
    let x: [Vec3; 8] = std::array::from_fn(|a| {
        let [x, y] = node(a);
        [x + 0.1 * y * y, y + 0.2 * x * x, 0.0]
    });
    assert!(
        !Quad8::is_affine(&x)
            && Quad8::is_affine(&std::array::from_fn(|a| [node(a)[0], node(a)[1], 1.0]))
    );
    assert!((Quad8::measure(&x) - 4.0).abs() < 1e-14);
    let mass = consistent_mass::<Quad8, 2, 8>(&Quad8::mass_rule(), &x);
    let finer = consistent_mass::<Quad8, 2, 8>(&square_rule(7), &x);
    for a in 0..8 {
        assert!((0..8).all(|b| (mass[a][b] - finer[a][b]).abs() < 1e-15));
    }
    let lumped = lumped_mass::<Quad8, 2, 8>(&mass);
    assert!((lumped.iter().sum::<f64>() - 4.0).abs() < 1e-14 && lumped.iter().all(|&m| m > 0.0));
}

/// ∫ N_c (a × b) and ⅓ ∫ x·(a × b) by the rule of loads and by one of much higher degree.
fn load_rule_is_exact<E: Face<N>, const N: usize>(_: E, x: &[Vec3; N], finer: &[([f64; 2], f64)]) {
    let sums = |rule: &[([f64; 2], f64)]| {
        let (mut forces, mut volume) = ([[0.0; 3]; N], 0.0);
        for point in points::<E, 2, N>(&rule.to_vec()) {
            let j = E::jacobian(&point, x);
            let column = |k: usize| [j[0][k], j[1][k], j[2][k]];
            let normal = scale(cross(column(0), column(1)), point.weight);
            for c in 0..N {
                for k in 0..3 {
                    forces[c][k] += point.values[c] * normal[k];
                }
                volume += point.values[c] * dot(x[c], normal) / 3.0;
            }
        }
        (forces, volume)
    };
    let ((f, v), (g, w)) = (sums(&E::load_rule()), sums(finer));
    assert!((v - w).abs() < 1e-14, "{}: {v} {w}", E::NAME);
    for (f, g) in f.iter().zip(&g) {
        assert!(norm(sub(*f, *g)) < 1e-14, "{}: {f:?} {g:?}", E::NAME);
    }
    let (_, high) = (0..E::CORNERS).map(|k| E::edge(k).1).fold((0, 0), |(_, m), e| (0, m.max(e)));
    assert_eq!(high, E::CORNERS - 1);
}

#[test]
fn rules_of_loads_are_exact_on_bent_faces() {
    let bent = |k: usize| {
        let t = k as f64;
        [(1.7 * t).sin(), (2.9 * t + 0.4).cos(), (0.8 * t * t).sin()]
    };
    load_rule_is_exact(Tri3, &std::array::from_fn(bent), &triangle_rule(9));
    load_rule_is_exact(Tri6, &std::array::from_fn(bent), &triangle_rule(9));
    load_rule_is_exact(Quad4, &std::array::from_fn(bent), &square_rule(6));
    load_rule_is_exact(Quad8, &std::array::from_fn(bent), &square_rule(6));
    assert_eq!(Quad8::edge(3), (3, 0, Some(7)));
    assert_eq!(Tri6::edge(2), (2, 0, Some(5)));
    assert_eq!(Quad4::edge(3), (3, 0, None));
}

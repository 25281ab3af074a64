//! Shape functions, rules and masses of every element.

use pliant_algebra::mat3::Mat3;
use pliant_elements::{
    Element, Hex8, Hex8Bbar, Hex20, Point, Tet4, Tet10, Tet10Bbar, consistent_mass, cube_rule,
    gauss_legendre, lumped_mass, tetrahedron_rule,
};

/// Nodes of the reference cell.
fn reference<const N: usize>() -> [[f64; 3]; N] {
    let tet = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let edges = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
    let sign = |on: bool| if on { 1.0 } else { -1.0 };
    let corner = |a: usize| [sign(matches!(a % 4, 1 | 2)), sign(a % 4 > 1), sign(a > 3)];
    let middle = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|k| 0.5 * (a[k] + b[k]));
    std::array::from_fn(|a| match (N, a) {
        (8, _) | (20, 0..8) => corner(a),
        // Around the bottom, around the top, and upright.
        (20, 8..12) => middle(corner(a - 8), corner((a - 7) % 4)),
        (20, 12..16) => middle(corner(a - 8), corner(4 + (a - 11) % 4)),
        (20, _) => middle(corner(a - 16), corner(a - 12)),
        (_, 0..4) => tet[a],
        _ => {
            let [i, j] = edges[a - 4];
            std::array::from_fn(|k| 0.5 * (tet[i][k] + tet[j][k]))
        }
    })
}

/// A cell bent by a smooth map: curved where the element can be.
fn bent<const N: usize>(amount: f64) -> [[f64; 3]; N] {
    reference().map(|[x, y, z]: [f64; 3]| {
        [
            1.1 * x + 0.2 * y + amount * x * y,
            0.9 * y - 0.1 * z + amount * y * z,
            1.2 * z + 0.1 * x + amount * x * z,
        ]
    })
}

fn point<E: Element<3, N>, const N: usize>(at: [f64; 3], weight: f64) -> Point<3, N> {
    Point { at, weight, values: E::values(at), gradients: E::gradients(at) }
}

macro_rules! each {
    ($check:ident) => {
        $check(Tet4);
        $check(Tet10);
        $check(Hex8);
        $check(Tet10Bbar);
        $check(Hex8Bbar);
        $check(Hex20);
    };
}

#[test]
fn shape_functions_are_one_at_their_node_and_sum_to_one() {
    fn check<E: Element<3, N>, const N: usize>(_: E) {
        for (a, at) in reference::<N>().into_iter().enumerate() {
            for (b, value) in E::values(at).into_iter().enumerate() {
                assert_eq!(value, f64::from(u8::from(a == b)), "{} {a} {b}", E::NAME);
            }
        }
        let at = [0.21, 0.13, 0.37];
        assert!((E::values(at).iter().sum::<f64>() - 1.0).abs() < 1e-15);
        for k in 0..3 {
            assert!(E::gradients(at).iter().map(|g| g[k]).sum::<f64>().abs() < 1e-15);
        }
    }
    each!(check);
}

#[test]
fn gradients_are_derivatives_of_the_shape_functions() {
    fn check<E: Element<3, N>, const N: usize>(_: E) {
        let at = [0.21, 0.13, 0.37];
        // Shape functions have degree at most 2 along an axis: central differences are exact.
        let h = 0.125;
        for k in 0..3 {
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
    each!(check);
}

#[test]
fn jacobian_spread_and_physical_gradients_are_one_calculus() {
    fn check<E: Element<3, N>, const N: usize>(_: E) {
        let x = bent::<N>(0.1);
        for point in E::POINTS {
            let j = Mat3(E::jacobian(point, &x));
            let mut by_hand = Mat3::<f64>::zero();
            for a in 0..N {
                by_hand += Mat3::outer(x[a], point.gradients[a]);
            }
            assert!((j - by_hand).max_abs() < 1e-15);
            // Σ x_a ⊗ ∇N_a = I for the rest positions themselves.
            let shape = E::physical_gradients(point, &j.inverse().0);
            let mut one = Mat3::<f64>::zero();
            for a in 0..N {
                one += Mat3::outer(x[a], shape[a]);
            }
            assert!((one - Mat3::identity()).max_abs() < 1e-14);
            // T : ∂x/∂ξ = Σ f_a · x_a
            let t = Mat3::from_array([0.3, -1.0, 0.2, 2.0, 0.7, -0.4, 0.9, 1.1, -0.6]);
            let mut f = [[0.0; 3]; N];
            E::spread(point, &t.0, &mut f);
            let work: f64 = (0..N).map(|a| (0..3).map(|k| f[a][k] * x[a][k]).sum::<f64>()).sum();
            assert!((work - t.contract(&j)).abs() < 1e-14);
        }
    }
    each!(check);
}

/// ∫ ξ^a η^b ζ^c over the reference tetrahedron: a! b! c! / (a + b + c + 3)!
fn tet_moment(powers: [u32; 3]) -> f64 {
    let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
    let product: f64 = powers.iter().map(|&p| factorial(p)).product();
    product / factorial(powers.iter().sum::<u32>() + 3)
}

/// ∫ over [−1, 1]³
fn cube_moment(powers: [u32; 3]) -> f64 {
    powers.iter().map(|&p| if p % 2 == 1 { 0.0 } else { 2.0 / f64::from(p + 1) }).product()
}

fn monomial(at: [f64; 3], powers: [u32; 3]) -> f64 {
    (0..3).map(|k| at[k].powi(powers[k] as i32)).product()
}

fn all_powers(most: u32) -> impl Iterator<Item = [u32; 3]> {
    (0..=most).flat_map(move |a| (0..=most).flat_map(move |b| (0..=most).map(move |c| [a, b, c])))
}

#[test]
fn rules_are_exact_to_their_degree_and_no_further() {
    for n in 1..7 {
        let rule = gauss_legendre(n);
        let moment = |p: i32| rule.iter().map(|&(x, w)| w * x.powi(p)).sum::<f64>();
        for p in 0..2 * n as u32 {
            assert!((moment(p as i32) - cube_moment([p, 0, 0]) / 4.0).abs() < 1e-14, "{n} {p}");
        }
        let p = 2 * n as u32;
        assert!((moment(p as i32) - cube_moment([p, 0, 0]) / 4.0).abs() > 1e-5, "{n}");
    }
    for degree in [1, 2, 4, 7] {
        let rule = tetrahedron_rule(degree);
        for powers in all_powers(degree as u32) {
            if powers.iter().sum::<u32>() <= degree as u32 {
                let sum: f64 = rule.iter().map(|&(at, w)| w * monomial(at, powers)).sum();
                assert!((sum - tet_moment(powers)).abs() < 1e-15, "{degree} {powers:?}");
            }
        }
    }
    for powers in all_powers(5) {
        let sum: f64 = cube_rule(3).iter().map(|&(at, w)| w * monomial(at, powers)).sum();
        assert!((sum - cube_moment(powers)).abs() < 2e-15 * 8.0);
    }
}

#[test]
fn stiffness_rules_are_exact_for_the_products_of_gradients() {
    for powers in all_powers(2).filter(|p| p.iter().sum::<u32>() <= 2) {
        let sum: f64 = Tet10::POINTS.iter().map(|p| p.weight * monomial(p.at, powers)).sum();
        assert!((sum - tet_moment(powers)).abs() < 1e-16);
    }
    for powers in all_powers(5) {
        let sum: f64 = Hex20::POINTS.iter().map(|p| p.weight * monomial(p.at, powers)).sum();
        assert!((sum - cube_moment(powers)).abs() < 2e-14);
    }
    for powers in all_powers(3) {
        let sum: f64 = Hex8::POINTS.iter().map(|p| p.weight * monomial(p.at, powers)).sum();
        assert!((sum - cube_moment(powers)).abs() < 1e-14);
    }
}

#[test]
fn consistent_mass_is_the_classic_one() {
    let mass = consistent_mass::<Tet4, 3, 4>(&Tet4::mass_rule(), &reference());
    for a in 0..4 {
        for b in 0..4 {
            let exact = if a == b { 2.0 } else { 1.0 } / 120.0;
            assert!((mass[a][b] - exact).abs() < 1e-16);
        }
    }
    let mass = consistent_mass::<Tet10, 3, 10>(&Tet10::mass_rule(), &reference());
    let known = [
        (0, 0, 6.0),
        (0, 1, 1.0),
        (0, 4, -4.0),
        (0, 5, -6.0),
        (4, 4, 32.0),
        (4, 9, 8.0),
        (4, 5, 16.0),
    ];
    for (a, b, exact) in known {
        assert!((2520.0 * mass[a][b] - exact).abs() < 1e-11, "{a} {b} {}", 2520.0 * mass[a][b]);
    }
    // Sums of rows are −V/8 at corners: no masses, and so the diagonal is scaled.
    let mass = consistent_mass::<Hex20, 3, 20>(&Hex20::mass_rule(), &reference());
    let lumped = lumped_mass::<Hex20, 3, 20>(&mass);
    for a in 0..20 {
        let exact = if a < 8 { -1.0 } else { 4.0 / 3.0 };
        assert!((mass[a].iter().sum::<f64>() - exact).abs() < 1e-14);
        // ∫ N² is 28/135 at corners and 64/135 at middles.
        let exact = if a < 8 { 7.0 / 31.0 } else { 16.0 / 31.0 };
        assert!((lumped[a] - exact).abs() < 1e-14);
    }
    let mass = consistent_mass::<Hex8, 3, 8>(&Hex8::mass_rule(), &reference());
    for (b, exact) in [(0, 8.0), (1, 4.0), (2, 2.0), (6, 1.0)] {
        assert!((mass[0][b] - exact / 27.0).abs() < 1e-15);
    }
}

#[test]
fn masses_add_up_to_the_volume_of_bent_cells_and_are_positive() {
    fn check<E: Element<3, N>, const N: usize>(_: E) {
        let x = bent::<N>(0.15);
        assert!(!E::is_affine(&x) || N == 4);
        assert!(E::is_affine(&bent::<N>(0.0)));
        // A finer rule for comparison.
        let rule = if N.is_multiple_of(4) && N > 4 { cube_rule(7) } else { tetrahedron_rule(10) };
        let volume: f64 = rule
            .iter()
            .map(|&(at, weight)| {
                let j = Mat3(E::jacobian(&point::<E, N>(at, weight), &x));
                weight * j.determinant()
            })
            .sum();
        let mass = consistent_mass::<E, 3, N>(&E::mass_rule(), &x);
        let finer = consistent_mass::<E, 3, N>(&rule, &x);
        let lumped = lumped_mass::<E, 3, N>(&mass);
        assert!((mass.iter().flatten().sum::<f64>() - volume).abs() < 1e-14 * volume);
        assert!((lumped.iter().sum::<f64>() - volume).abs() < 1e-14 * volume);
        assert!(lumped.iter().all(|&m| m > 0.0));
        for a in 0..N {
            for b in 0..N {
                assert!((mass[a][b] - finer[a][b]).abs() < 2e-15, "{} {a} {b}", E::NAME);
            }
        }
    }
    each!(check);
}

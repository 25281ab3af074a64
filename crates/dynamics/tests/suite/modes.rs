//! Natural modes against what is known of them.

use std::f64::consts::{PI, TAU};

use pliant_algebra::vec3::{Vec3, dot};
use pliant_dynamics::{
    Acting, Constraints, DynamicsError, Mass, Mode, ModeSettings, Modes, Role, State, System,
};
use pliant_forces::springs::{DampingTangent, Spring, Springs};
use pliant_forces::{ElementName, Parameters, Partition, solid};
use pliant_materials::Material;
use pliant_materials::parameters::Lame;
use pliant_mesh::generate::{BoxShape, CellChoice};

const YOUNG: f64 = 1e6;
const DENSITY: f64 = 1000.0;

/// A bar of hexahedra; `held` says which axes of a vertex are held.
fn bar(
    size: Vec3,
    cells: [usize; 3],
    poisson: f64,
    lumped: bool,
    held: impl Fn(Vec3) -> [bool; 3],
) -> (System, State) {
    let cell = CellChoice::Hex;
    let mesh = BoxShape { size, cells, cell, ..BoxShape::default() }.generate().unwrap();
    let partition = Partition::new(&mesh).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let lame = Lame::from_young_poisson(YOUNG, poisson).unwrap();
    let law = Material::by_name("neo-hookean").unwrap().point();
    let parameters = Parameters::Uniform(&[lame.lambda, lame.mu]);
    let hex = ElementName::Hex8;
    let model = solid::solid(&mesh, &partition, hex, law, parameters, &|_| true).unwrap();
    let system = System::new(&rest, [Acting::new(Role::Elastic, model)]).unwrap();
    let density = |_: usize| DENSITY;
    let mass = if lumped {
        Mass::Lumped(hex.lumped_mass(&mesh, &partition, &density).unwrap())
    } else {
        let pattern = system.pattern();
        Mass::Consistent(hex.consistent_mass(&mesh, &partition, &density, pattern).unwrap())
    };
    let mut constraints = Constraints::new();
    for (v, &x) in rest.iter().enumerate() {
        constraints.fix_axes(&[v as u32], &rest, held(x)).unwrap();
    }
    let system = system.with_mass(mass).unwrap().with_constraints(constraints).unwrap();
    (system, State::at_rest(&rest))
}

fn modes(system: &mut System, state: &State, count: usize) -> Modes {
    let settings = ModeSettings { count, ..ModeSettings::default() };
    let modes = system.modes(state, &settings).unwrap();
    println!("subspace {}", modes.subspace);
    for m in &modes.modes {
        println!("{:>14.9} Hz, residual {:.1e}", m.frequency(), m.residual);
    }
    modes
}

#[test]
fn an_axial_bar_has_the_frequencies_of_its_discrete_equation() {
    let (length, n) = (2.0, 10);
    let (c, h) = ((YOUNG / DENSITY).sqrt(), length / n as f64);
    for lumped in [true, false] {
        let held = |x: Vec3| [x[0] == 0.0, true, true];
        let (mut system, state) = bar([length, 0.3, 0.2], [n, 1, 1], 0.0, lumped, held);
        // Only along x, but each vertex of a section may move alone: the bar's modes are among those found.
        let all = modes(&mut system, &state, 4 * n);
        for k in 0..3 {
            let s = (0.25 * PI * (2 * k + 1) as f64 / n as f64).sin();
            let exact =
                2.0 * c / h * s / (1.0 - if lumped { 0.0 } else { 2.0 / 3.0 } * s * s).sqrt();
            let error = all
                .modes
                .iter()
                .map(|m| (m.angular() / exact - 1.0).abs())
                .fold(f64::INFINITY, f64::min);
            assert!(error < 1e-10, "lumped {lumped}, mode {k}: {error:e}");
        }
        assert_eq!(all.modes.len(), 4 * n, "all modes of a small system are found");
    }
}

#[test]
fn a_free_bar_has_six_rigid_modes_and_bends_in_pairs() {
    let (mut system, state) = bar([1.0, 0.1, 0.1], [20, 3, 3], 0.3, false, |_| [false; 3]);
    let found = modes(&mut system, &state, 12);
    assert_eq!(found.modes.iter().filter(|m| m.rigid).count(), 6);
    assert!(found.modes[..6].iter().all(|m| m.square == 0.0 && m.rigid));
    // A square section bends both ways alike.
    let f: Vec<f64> = found.modes[6..].iter().map(Mode::frequency).collect();
    assert!(f[0] > 0.0 && (f[1] / f[0] - 1.0).abs() < 1e-10, "{f:?}");
    // Euler and Bernoulli; hexahedra of this coarseness are a few per cent too stiff.
    let slender = 4.7300407_f64.powi(2) / TAU * (YOUNG / DENSITY * 0.01 / 12.0).sqrt();
    assert!((f[0] / slender - 1.0).abs() < 0.05, "{} {slender}", f[0]);
    let shapes: Vec<_> = found.modes.iter().map(|m| &m.shape).collect();
    for (i, a) in shapes.iter().enumerate() {
        let mut inertia = vec![[0.0; 3]; a.len()];
        system.multiply_mass(a, &mut inertia);
        for (j, b) in shapes.iter().enumerate() {
            let product: f64 = inertia.iter().zip(*b).map(|(&p, &q)| dot(p, q)).sum();
            let exact = f64::from(u8::from(i == j));
            assert!((product - exact).abs() < 1e-9, "{i} {j}: {product}");
        }
    }
}

#[test]
fn a_cube_has_its_modes_with_their_multiplicity() {
    let (mut system, state) = bar([1.0; 3], [3; 3], 0.3, true, |_| [false; 3]);
    let found = modes(&mut system, &state, 20);
    let f: Vec<f64> = found.modes[6..].iter().map(Mode::frequency).collect();
    // Groups of equal ones have the sizes of the representations of the cube's group.
    let groups: Vec<usize> =
        f.chunk_by(|a, b| (b / a - 1.0).abs() < 1e-9).map(<[f64]>::len).collect();
    println!("{groups:?}");
    assert!(groups[..groups.len() - 1].iter().all(|n| (1..=3).contains(n)), "{groups:?}");
    assert!(groups.contains(&3) && groups.contains(&2), "{groups:?}");
    // As many as the dense problem has: Sturm's count by its trace is not at hand, so a larger search.
    let more = modes(&mut system, &state, 40);
    for (a, b) in found.modes.iter().zip(&more.modes) {
        assert!((a.square - b.square).abs() <= 1e-9 * b.square, "{} {}", a.square, b.square);
    }
}

fn springs(x: &[Vec3], pairs: &[[u32; 2]], held: &[(u32, [bool; 3])]) -> (System, State) {
    let list: Vec<Spring> = pairs
        .iter()
        .map(|&ends| {
            let [a, b] = ends.map(|v| x[v as usize]);
            let rest = pliant_algebra::vec3::distance(a, b);
            Spring { ends, rest, stiffness: 7.0, damping: 0.0 }
        })
        .collect();
    let model = Springs::new(x.len(), &list, DampingTangent::default()).unwrap();
    let mut constraints = Constraints::new();
    for &(v, axes) in held {
        constraints.fix_axes(&[v], x, axes).unwrap();
    }
    let system = System::new(x, vec![(Role::Elastic, Box::new(model) as _)]).unwrap();
    let system = system.with_mass(Mass::Lumped(vec![2.0; x.len()])).unwrap();
    (system.with_constraints(constraints).unwrap(), State::at_rest(x))
}

#[test]
fn a_triangle_of_springs_breathes_once_and_shears_twice() {
    let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.75_f64.sqrt(), 0.0]];
    let (mut system, state) = springs(&x, &[[0, 1], [1, 2], [0, 2]], &[]);
    let found = modes(&mut system, &state, 20);
    assert_eq!(found.modes.len(), 9);
    assert_eq!(found.modes.iter().filter(|m| m.rigid).count(), 6);
    for (m, exact) in found.modes[6..].iter().zip([1.5, 1.5, 3.0]) {
        assert!((m.square / (exact * 3.5) - 1.0).abs() < 1e-12, "{}", m.square / 3.5);
    }
}

#[test]
fn a_chain_between_walls_has_the_sines() {
    let x: Vec<Vec3> = (0..5).map(|i| [f64::from(i), 0.0, 0.0]).collect();
    let held: Vec<_> = (0..5).map(|v| (v, [v == 0 || v == 4, true, true])).collect();
    let (mut system, state) = springs(&x, &[[0, 1], [1, 2], [2, 3], [3, 4]], &held);
    let found = modes(&mut system, &state, 3);
    for (n, m) in found.modes.iter().enumerate() {
        let exact = 2.0 * 3.5_f64.sqrt() * ((n + 1) as f64 * PI / 8.0).sin();
        assert!((m.angular() / exact - 1.0).abs() < 1e-12);
    }
}

#[test]
fn what_has_no_modes_is_refused() {
    let (mut system, mut state) = bar([1.0; 3], [1; 3], 0.3, true, |_| [false; 3]);
    let refused = |system: &mut System, state: &State, settings: ModeSettings| {
        system.modes(state, &settings).unwrap_err()
    };
    let none = refused(&mut system, &state, ModeSettings { count: 0, ..Default::default() });
    assert!(matches!(none, DynamicsError::Setting { .. }), "{none}");
    let few = ModeSettings {
        count: 12,
        largest_subspace: Some(2),
        tolerance: 1e-15,
        ..Default::default()
    };
    let error = refused(&mut system, &state, few);
    assert!(matches!(error, DynamicsError::Modes { wanted: 12, .. }), "{error}");
    // Squeezed far: not stable.
    for x in &mut state.x {
        x[0] *= 0.05;
    }
    let error = refused(&mut system, &state, ModeSettings::default()).to_string();
    assert!(error.contains("not stable"), "{error}");
    let mut massless = System::new(&[[0.0; 3]], Vec::<Acting>::new()).unwrap();
    let one = State::at_rest(&[[0.0; 3]]);
    let error = refused(&mut massless, &one, ModeSettings::default()).to_string();
    assert!(error.contains("density"), "{error}");
}

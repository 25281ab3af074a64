//! Problems in few unknowns: derivatives of maps, Newton's method within them, and what they conserve.

use crate::common;

use std::sync::Arc;

use common::{Body, distance, strict};
use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{Vec3, add, norm, sub};
use pliant_dynamics::mapped::Beginning;
use pliant_dynamics::{
    DynamicsError, Form, IntegratorName, Map, ModeSettings, NewtonSettings, Options, Restriction,
    State, StaticMethod, StaticOptions, System,
};
use pliant_forces::ForceError;
use pliant_solvers::matrix::{Matrix, MatrixProduct, Shape};

/// Numbers between −1 and 1.
fn noise(k: usize) -> f64 {
    (1.7 + 12.9898 * k as f64).sin()
}

fn vectors(n: usize, seed: usize, size: f64) -> Vec<Vec3> {
    (0..n).map(|i| std::array::from_fn(|k| size * noise(seed + 3 * i + k))).collect()
}

/// The vertices of the free end of a bar, beyond x = 0.6.
fn end(body: &Body) -> Vec<u32> {
    (0..body.rest.len() as u32).filter(|&v| body.rest[v as usize][0] > 0.6).collect()
}

/// Modes of the clamped bar, as shapes.
fn shapes(count: usize) -> Vec<Vec<Vec3>> {
    let (mut system, state) = Body::bar("neo-hookean", [4, 1, 1], 0.3).clamped().system();
    let settings = ModeSettings { count, ..ModeSettings::default() };
    system.modes(&state, &settings).unwrap().modes.into_iter().map(|m| m.shape).collect()
}

/// The map with a rigid end, or the one with shapes.
fn map(rigid: bool) -> (System, Restriction) {
    let body = Body::bar("neo-hookean", [4, 1, 1], 0.3).clamped();
    let part = end(&body);
    let (system, _) = body.system();
    let map = Restriction::new(&system).unwrap();
    let map = if rigid {
        map.with_rigid_part(&part).unwrap()
    } else {
        map.with_shapes(0..system.vertices(), &shapes(5)).unwrap()
    };
    (system, map)
}

/// A matrix with the pattern of a system and values out of nothing, symmetric if the pattern is.
fn stiffness(pattern: &Arc<Pattern>) -> BlockMatrix {
    let mut matrix = BlockMatrix::zero(pattern.clone());
    for (k, value) in matrix.values.as_flattened_mut().iter_mut().enumerate() {
        *value = noise(k);
    }
    for i in 0..pattern.rows() {
        let block = &mut matrix.values[pattern.range(i).start];
        (block[3], block[6], block[7]) = (block[1], block[2], block[5]);
    }
    matrix
}

#[test]
fn tangents_of_maps_are_the_derivatives_of_their_forces() {
    for (rigid, share) in [(true, 1.0), (true, 0.5), (false, 1.0), (false, 0.5)] {
        let (system, mut map) = map(rigid);
        map.bind(system.pattern()).unwrap();
        let shape = map.shape(share).unwrap();
        let (n, size) = (system.vertices(), shape.size());
        let k = stiffness(system.pattern());
        let mut product = Product::new(system.pattern());
        let (start, base, guess) =
            (system.rest().to_vec(), vectors(n, 5, 0.1), system.rest().to_vec());
        let mut q = vec![0.0; size];
        map.begin(&Beginning { start: &start, base: &base, guess: &guess, share }, &mut q);
        for (i, q) in q.iter_mut().enumerate() {
            *q += 0.3 * noise(i);
        }
        // Forces K y + f of deviations y.
        let mut forces = |map: &mut Restriction, q: &[f64]| {
            let (mut y, mut r) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
            map.deviations(q, &mut y);
            product.apply(&k.values, &y, &mut r);
            let r: Vec<Vec3> = r.iter().zip(vectors(n, 99, 2.0)).map(|(&r, f)| add(r, f)).collect();
            let mut pulled = vec![0.0; size];
            map.pull(q, &r, &mut pulled);
            (pulled, r)
        };
        let (_, r) = forces(&mut map, &q);
        let mut tangent = Matrix::zero(&shape);
        map.tangent(&q, &k, Some(&r), &mut tangent).unwrap();
        let mut product = MatrixProduct::new(&shape);
        let direction: Vec<f64> = (0..size).map(|i| noise(1000 + i)).collect();
        let mut along = vec![0.0; size];
        product.apply(&tangent, &direction, &mut along);
        let h = 1e-5;
        let [above, below] = [h, -h].map(|h| {
            let moved: Vec<f64> = q.iter().zip(&direction).map(|(q, d)| q + h * d).collect();
            forces(&mut map, &moved).0
        });
        let largest = along.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
        for i in 0..size {
            let difference = (above[i] - below[i]) / (2.0 * h);
            let error = (difference - along[i]).abs() / largest;
            assert!(error < 1e-8, "rigid {rigid}, share {share}, unknown {i}: {error:e}");
        }
        // The same along a displacement: push is the derivative of deviations.
        let (mut pushed, mut to, mut from) =
            (vec![[0.0; 3]; n], vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        map.push(&q, &direction, &mut pushed);
        for (h, y) in [(h, &mut to), (-h, &mut from)] {
            let moved: Vec<f64> = q.iter().zip(&direction).map(|(q, d)| q + h * d).collect();
            map.deviations(&moved, y);
        }
        for i in 0..n {
            let difference = sub(to[i], from[i]).map(|d| d / (2.0 * h));
            assert!(norm(sub(difference, pushed[i])) < 1e-8, "{rigid} {share} {i}");
        }
    }
}

#[test]
fn the_matrix_is_of_blocks_dense_or_bordered_as_the_unknowns_are() {
    let (system, mut rigid) = map(true);
    rigid.bind(system.pattern()).unwrap();
    assert!(matches!(rigid.shape(1.0), Ok(Shape::Blocks(pattern)) if pattern.is_symmetric()));
    assert!(matches!(rigid.shape(0.5), Ok(Shape::Blocks(pattern)) if !pattern.is_symmetric()));
    let (system, mut shaped) = map(false);
    shaped.bind(system.pattern()).unwrap();
    assert!(matches!(shaped.shape(0.5), Ok(Shape::Dense { size: 5, symmetric: true })));
}

#[test]
fn parts_that_have_no_pose_or_are_held_are_refused() {
    let body = Body::bar("neo-hookean", [4, 1, 1], 0.3).clamped();
    let (held, free) = (body.at_x(0.0), body.at_x(1.0));
    let (system, _) = body.system();
    let refuse = |list: &[u32]| {
        Restriction::new(&system).unwrap().with_rigid_part(list).err().unwrap().to_string()
    };
    assert!(refuse(&held).contains("is held by a support"), "{}", refuse(&held));
    assert!(refuse(&free[..2]).contains("on a line"), "{}", refuse(&free[..2]));
    assert!(refuse(&[4000]).contains("numbered from 0"));
    let twice = Restriction::new(&system).unwrap().with_rigid_part(&free).unwrap();
    assert!(twice.with_rigid_part(&free).err().unwrap().to_string().contains("two rigid parts"));
    let mut wrong = shapes(2);
    wrong[1][free[0] as usize][0] += 1.0;
    let text = Restriction::new(&system).unwrap().with_shapes(0..system.vertices(), &wrong);
    let text = text.err().unwrap().to_string();
    assert!(text.contains("not orthonormal by mass"), "{text}");
}

/// Leaves the second-order term out.
struct WithoutSecondOrder(Restriction);

impl Map for WithoutSecondOrder {
    fn bind(&mut self, pattern: &Arc<Pattern>) -> Result<(), DynamicsError> {
        self.0.bind(pattern)
    }
    fn shape(&self, share: f64) -> Result<Shape, DynamicsError> {
        self.0.shape(share)
    }
    fn keeps_energy(&self, share: f64) -> bool {
        self.0.keeps_energy(share)
    }
    fn gain(&self) -> f64 {
        self.0.gain()
    }
    fn begin(&mut self, at: &Beginning<'_>, q: &mut [f64]) {
        self.0.begin(at, q);
    }
    fn deviations(&mut self, q: &[f64], y: &mut [Vec3]) {
        self.0.deviations(q, y);
    }
    fn push(&mut self, q: &[f64], dq: &[f64], dx: &mut [Vec3]) {
        self.0.push(q, dq, dx);
    }
    fn pull(&mut self, q: &[f64], r: &[Vec3], to: &mut [f64]) {
        self.0.pull(q, r, to);
    }
    fn tangent(
        &mut self,
        q: &[f64],
        jacobian: &BlockMatrix,
        _: Option<&[Vec3]>,
        to: &mut Matrix,
    ) -> Result<(), ForceError> {
        self.0.tangent(q, jacobian, None, to)
    }
    fn restrict(&self, way: &[Vec3], to: &mut [f64]) {
        self.0.restrict(way, to);
    }
    fn settle(&mut self, x: &mut [Vec3], v: Option<&mut [Vec3]>, a: Option<&mut [Vec3]>) {
        self.0.settle(x, v, a);
    }
}

/// |r| of a bar with a heavy rigid end that sags far.
fn sagging(with_second_order: bool) -> (Vec<f64>, f64) {
    let body =
        Body::bar("stable-neo-hookean", [4, 1, 1], 0.3).with_gravity([0.0, -4.0, 0.0]).clamped();
    let part = end(&body);
    let (system, mut state) = body.system();
    let map = Restriction::new(&system).unwrap().with_rigid_part(&part).unwrap();
    let map: Box<dyn Map> =
        if with_second_order { Box::new(map) } else { Box::new(WithoutSecondOrder(map)) };
    let mut system = system.with_map(map).unwrap();
    let mut options = StaticOptions::default().with_force_tolerance(1e-12);
    options.newton =
        NewtonSettings { form: Form::Full, displacement_tolerance: 0.0, ..options.newton };
    let mut statics = StaticMethod::Newton.statics(&options).unwrap();
    statics.solve(&mut system, &mut state).unwrap();
    (statics.solver().history().to_vec(), distance(&state.x, system.rest()))
}

#[test]
fn newton_converges_quadratically_and_only_linearly_without_the_second_order_term() {
    let (with, sag) = sagging(true);
    let (without, other) = sagging(false);
    println!("{with:?}\n{without:?}\n{sag}");
    assert!(sag > 0.05 && (sag - other).abs() < 1e-6 * sag, "{sag} {other}");
    // Digits double at the end, and come one by one without.
    assert!(with.windows(2).any(|r| r[1] < 1e-4 * r[0]), "{with:?}");
    assert!(without.len() > with.len() + 2, "{} {}", with.len(), without.len());
}

/// A free bar with a rigid middle, spinning about all axes.
fn tumbling() -> (System, State) {
    let body = Body::bar("stable-neo-hookean", [6, 2, 2], 0.3);
    let core: Vec<u32> = (0..body.rest.len() as u32)
        .filter(|&v| (body.rest[v as usize][0] - 0.5).abs() < 0.2)
        .collect();
    let (system, mut state) = body.system();
    let map = Restriction::new(&system).unwrap().with_rigid_part(&core).unwrap();
    let mut system = system.with_map(Box::new(map)).unwrap();
    System::spin(&mut state, [0.5, 0.15, 0.15], [1.0, 2.0, 0.7]);
    for v in &mut state.v {
        *v = add(*v, [0.1, -0.2, 0.05]);
    }
    system.settle(&mut state);
    (system, state)
}

#[test]
fn the_midpoint_rule_keeps_both_momenta_of_a_body_with_a_rigid_core() {
    let mut options = Options { newton: strict().newton, ..Options::default() };
    options.newton.force_tolerance = 1e-12;
    for (name, tolerance) in
        [(IntegratorName::ImplicitMidpoint, 1e-9), (IntegratorName::BackwardEuler, 0.3)]
    {
        let (mut system, mut state) = tumbling();
        let rest = system.rest().to_vec();
        let (linear, angular) = system.momenta(&state);
        let total = |system: &mut System, state: &State| {
            let energies = system.energies(state).unwrap();
            energies.kinetic + energies.elastic
        };
        let energy = total(&mut system, &state);
        let mut integrator = name.build(&options).unwrap();
        for _ in 0..100 {
            integrator.step(&mut system, &mut state, 0.01).unwrap();
        }
        let (p, l) = system.momenta(&state);
        let now = total(&mut system, &state);
        println!(
            "{} {:e} {:e} {energy} {now}",
            name.name(),
            norm(sub(p, linear)),
            norm(sub(l, angular))
        );
        assert!(norm(sub(p, linear)) < 1e-10 * norm(linear), "{}", name.name());
        assert!(norm(sub(l, angular)) < tolerance * norm(angular), "{}", name.name());
        if name == IntegratorName::ImplicitMidpoint {
            assert!((now / energy - 1.0).abs() < 0.02, "{energy} {now}");
        }
        // Distances in the core are those of rest.
        let core: Vec<usize> =
            (0..rest.len()).filter(|&v| (rest[v][0] - 0.5).abs() < 0.2).collect();
        for &i in &core {
            for &j in &core {
                let (now, then) = (norm(sub(state.x[i], state.x[j])), norm(sub(rest[i], rest[j])));
                assert!((now - then).abs() < 1e-13, "{i} {j}: {:e}", now - then);
            }
        }
    }
}

#[test]
fn methods_that_move_vertices_one_by_one_refuse_a_restricted_system() {
    for name in [IntegratorName::Rk4, IntegratorName::Rosenbrock2, IntegratorName::Bdf2] {
        let (mut system, mut state) = tumbling();
        let before = state.clone();
        let mut integrator = name.build(&Options::default()).unwrap();
        let text = integrator.step(&mut system, &mut state, 0.01).unwrap_err().to_string();
        assert!(text.contains("take backward-euler"), "{}: {text}", name.name());
        assert_eq!(before.to_bytes(), state.to_bytes());
    }
}

#[test]
fn restricted_steps_have_the_same_bits_at_every_number_of_threads() {
    for name in
        [IntegratorName::BackwardEuler, IntegratorName::ImplicitMidpoint, IntegratorName::Newmark]
    {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut system, mut state) = tumbling();
                let mut integrator = name.build(&Options::default()).unwrap();
                for _ in 0..5 {
                    integrator.step(&mut system, &mut state, 0.01).unwrap();
                }
                state.to_bytes()
            })
        };
        let one = run(1);
        assert!([2, 3, 7].into_iter().all(|threads| run(threads) == one), "{}", name.name());
    }
}

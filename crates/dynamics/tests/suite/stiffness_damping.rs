//! Damping by the stiffness of the moment: g = β K(x) v, and the tangent that goes with it.

use crate::common;

use common::{Body, distance, strict};
use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{
    Acting, DynamicsError, IntegratorName, Mass, NewtonSettings, Options, Projection, Role, State,
    System, Weights,
};
use pliant_forces::damping::LinearDamping;
use pliant_forces::springs::{DampingTangent, Spring, Springs, Stiffness, mesh_springs};
use pliant_forces::{Configuration, ForceError, ForceModel};

const BETA: f64 = 4e-3;

fn bar() -> Body {
    Body::bar("neo-hookean", [3, 1, 1], 0.3)
}

/// A bent and squeezed state with velocities, in which the stiffness has negative eigenvalues.
fn squeezed(rest: &[Vec3]) -> State {
    let place = |p: &Vec3| [0.7 * p[0], p[1] + 0.3 * p[0] * p[0], p[2] + 0.1 * p[0] * p[1]];
    let speed = |p: &Vec3| [0.3 - p[1], 2.0 * p[0] * p[2], 0.5 * p[0] - p[1] * p[1]];
    let x: Vec<Vec3> = rest.iter().map(place).collect();
    State::new(&x, &rest.iter().map(speed).collect::<Vec<_>>(), 0.0)
}

fn forces(system: &mut System, at: &Configuration<'_>) -> Vec<Vec3> {
    let mut g = vec![[0.0; 3]; at.x.len()];
    system.forces(at, &mut g, false).unwrap();
    g
}

const fn weights(mass: f64, position: f64, velocity: f64) -> Weights {
    Weights { mass, position, velocity }
}

fn tangent(
    system: &mut System,
    at: &Configuration<'_>,
    weights: Weights,
    project: bool,
) -> BlockMatrix {
    let mut matrix = BlockMatrix::zero(system.pattern().clone());
    system.tangent(at, weights, project, &mut matrix).unwrap();
    matrix
}

fn size(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m, v| v.abs().max(m))
}

/// Whether two matrices of one pattern are the same but for rounding.
fn assert_same(a: &BlockMatrix, b: &BlockMatrix, what: &str) {
    let (a, b) = (a.to_dense(), b.to_dense());
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off <= 1e-13 * size(&b), "{what}: {off:e} of {:e}", size(&b));
}

#[test]
fn the_force_is_beta_times_stiffness_times_velocity() {
    let (mut plain, _) = bar().system();
    let (mut damped, _) = bar().damped(BETA).system();
    let state = squeezed(plain.rest());
    let at = state.configuration();
    let found: Vec<Vec3> = forces(&mut damped, &at)
        .iter()
        .zip(forces(&mut plain, &at))
        .map(|(a, b)| std::array::from_fn(|k| a[k] - b[k]))
        .collect();
    // With K as it is assembled.
    let k = tangent(&mut plain, &at, weights(0.0, BETA, 0.0), false);
    let mut exact = vec![[0.0; 3]; state.len()];
    Product::new(plain.pattern()).apply(&k.values, &state.v, &mut exact);
    let scale = size(exact.as_flattened());
    assert!(scale > 1.0);
    assert!(distance(&found, &exact) < 1e-12 * scale);
    // With K v as a difference of forces.
    let errors = [1e-3, 1e-4].map(|h| {
        let moved = |s: f64| -> Vec<Vec3> {
            let way = state.x.iter().zip(&state.v);
            way.map(|(x, v)| std::array::from_fn(|k| x[k] + s * v[k])).collect()
        };
        let (after, before) = (moved(h), moved(-h));
        let after = forces(&mut plain, &Configuration { x: &after, ..at });
        let before = forces(&mut plain, &Configuration { x: &before, ..at });
        let slope = |(a, b): (&Vec3, &Vec3)| -> Vec3 {
            std::array::from_fn(|k| BETA * (a[k] - b[k]) / (2.0 * h))
        };
        let slope: Vec<Vec3> = after.iter().zip(&before).map(slope).collect();
        distance(&found, &slope) / scale
    });
    assert!(errors[1] < 1e-5 && (60.0..160.0).contains(&(errors[0] / errors[1])), "{errors:?}");
}

#[test]
fn the_tangent_is_the_same_whatever_was_evaluated_before() {
    let (mut plain, _) = bar().clamped().system();
    let state = squeezed(plain.rest());
    let at = state.configuration();
    let rest = State::at_rest(plain.rest());
    for project in [false, true] {
        for (position, velocity) in [(1.0, 0.0), (0.0, 1.0), (0.3, 7.0)] {
            let all = weights(2.0, position, velocity);
            let alone = weights(2.0, position + BETA * velocity, 0.0);
            let exact = tangent(&mut plain, &at, alone, project);
            let found = |first: &dyn Fn(&mut System)| {
                let (mut damped, _) = bar().clamped().damped(BETA).system();
                first(&mut damped);
                tangent(&mut damped, &at, all, project)
            };
            assert_same(&found(&|_| ()), &exact, "at once");
            let after = found(&|system| drop(forces(system, &at)));
            assert_same(&after, &exact, "after forces at the same x");
            let after = found(&|system| {
                forces(system, &at);
                forces(system, &rest.configuration());
            });
            assert_same(&after, &exact, "after forces at another x");
            let after = found(&|system| {
                forces(system, &at);
                tangent(system, &at, all, !project);
            });
            assert_same(&after, &exact, "after the other projection");
        }
    }
    let k = |project| tangent(&mut bar().system().0, &at, weights(0.0, 1.0, 0.0), project);
    let (k, projected) = (k(false).to_dense(), k(true).to_dense());
    let change = k.iter().zip(&projected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(change > 1e-3 * size(&k), "the projection has something to do");
}

/// K of a linear body is constant: then β K(x) v is Rayleigh damping, whatever the method.
#[test]
fn a_linear_body_moves_as_with_rayleigh_damping() {
    use IntegratorName as I;
    let body = || Body::bar("linear", [3, 1, 1], 0.3).with_gravity([0.0, -3.0, 0.0]).clamped();
    let explicit = [I::SymplecticEuler, I::Rk4, I::ExplicitNewmark, I::CentralDifferences, I::Rkc2];
    let implicit = [
        I::BackwardEuler,
        I::ImplicitMidpoint,
        I::Newmark,
        I::Bdf2,
        I::Rosenbrock2,
        I::Trapezoidal,
    ];
    for (name, h) in
        explicit.map(|name| (name, 1e-3)).into_iter().chain(implicit.map(|name| (name, 0.01)))
    {
        for projection in [Projection::WhenNeeded, Projection::Always] {
            let newton = NewtonSettings { projection, ..strict().newton };
            let options = Options { newton, ..strict() };
            let run = |(mut system, mut state): (System, State)| {
                let mut integrator = name.build(&options).unwrap();
                for _ in 0..12 {
                    integrator.step(&mut system, &mut state, h).unwrap();
                }
                state
            };
            let rayleigh = {
                let body = body();
                let still = vec![[0.0; 3]; body.rest.len()];
                let rest = Configuration::new(&body.rest, &still, 0.0);
                let model = &mut *body.elastic();
                LinearDamping::rayleigh(&body.masses, 0.0, model, &rest, BETA).unwrap()
            };
            let expected = run(body().with_model(Role::Damping, Box::new(rayleigh)).system());
            let found = run(body().damped(BETA).system());
            let fastest = expected.fastest().1;
            let off = distance(&found.v, &expected.v) / fastest;
            assert!(fastest > 1e-3 && off < 1e-9, "{}: {off:e}", name.name());
            assert!(distance(&found.x, &expected.x) < 1e-10, "{}", name.name());
        }
    }
}

#[test]
fn bodies_side_by_side_keep_their_own_beta() {
    let n = bar().rest.len();
    let rest: Vec<Vec3> = [bar().rest, bar().rest].concat();
    let state = squeezed(&rest);
    let betas = [BETA, 0.7 * BETA];
    let part = |k: usize| k * n..(k + 1) * n;
    let acting = |k: usize| Acting::new(Role::Elastic, bar().elastic()).damped(betas[k]);
    let mut both = System::new(&rest, [0, 1].map(|k| acting(k).on(part(k)))).unwrap();
    let all = weights(0.0, 0.3, 7.0);
    // Without forces before, and with them.
    let first = tangent(&mut both, &state.configuration(), all, false);
    let g = forces(&mut both, &state.configuration());
    let second = tangent(&mut both, &state.configuration(), all, false);
    assert_same(&first, &second, "first and second");
    let dense = second.to_dense();
    for (k, acting) in [0, 1].map(|k| (k, acting(k))) {
        let own = State::new(&state.x[part(k)], &state.v[part(k)], 0.0);
        let mut alone = System::new(&own.x, [acting]).unwrap();
        let expected = forces(&mut alone, &own.configuration());
        assert!(distance(&g[part(k)], &expected) < 1e-12 * size(expected.as_flattened()));
        let expected = tangent(&mut alone, &own.configuration(), all, false).to_dense();
        for i in 0..3 * n {
            for j in 0..3 * n {
                let found = dense[(3 * n * k + i) * 6 * n + 3 * n * k + j];
                let exact = expected[i * 3 * n + j];
                assert!((found - exact).abs() < 1e-12 * size(&expected), "{k}: {i}, {j}");
            }
        }
    }
}

#[test]
fn models_that_share_vertices_keep_their_own_beta() {
    let body = bar();
    let state = squeezed(&body.rest);
    let at = state.configuration();
    let list = mesh_springs(&body.mesh, &Stiffness::Uniform(30.0)).unwrap();
    let new = body.partition.vertices().old_to_new();
    let list: Vec<Spring> =
        list.into_iter().map(|s| Spring { ends: s.ends.map(|v| new[v as usize]), ..s }).collect();
    let springs = || Springs::new(body.rest.len(), &list, DampingTangent::Exact).unwrap();
    let models = || {
        let solid = Acting::new(Role::Elastic, body.elastic());
        (solid, Acting::new(Role::Elastic, Box::new(springs())))
    };
    let (a, b) = models();
    let mut both = System::new(&body.rest, [a.damped(BETA), b.damped(3.0 * BETA)]).unwrap();
    let all = weights(0.0, 0.3, 7.0);
    let (a, b) = models();
    // Each alone, in the pattern of both.
    let mut parts = [
        System::new(&body.rest, [a.damped(BETA)]).unwrap(),
        System::new(&body.rest, [b.damped(3.0 * BETA)]).unwrap(),
    ];
    for _ in 0..2 {
        let found = tangent(&mut both, &at, all, false).to_dense();
        let [one, two] = parts.each_mut().map(|part| tangent(part, &at, all, false).to_dense());
        let scale = size(&one) + size(&two);
        for ((found, one), two) in found.iter().zip(&one).zip(&two) {
            assert!((found - one - two).abs() < 1e-13 * scale);
        }
        let g = forces(&mut both, &at);
        let [one, two] = parts.each_mut().map(|part| forces(part, &at));
        for i in 0..g.len() {
            for k in 0..3 {
                assert!((g[i][k] - one[i][k] - two[i][k]).abs() < 1e-10);
            }
        }
    }
}

/// Springs with dampers of their own, which the damping by stiffness comes on top of.
#[test]
fn a_model_with_damping_of_its_own_keeps_it_in_forces_and_tangent() {
    let body = bar();
    let state = squeezed(&body.rest);
    let at = state.configuration();
    let mut list = mesh_springs(&body.mesh, &Stiffness::Uniform(30.0)).unwrap();
    let new = body.partition.vertices().old_to_new();
    for spring in &mut list {
        spring.ends = spring.ends.map(|v| new[v as usize]);
        spring.damping = 0.4;
    }
    let springs = Springs::new(body.rest.len(), &list, DampingTangent::VelocityOnly).unwrap();
    let acting = Acting::new(Role::Elastic, Box::new(springs)).damped(0.05);
    let mut system = System::new(&body.rest, [acting]).unwrap();
    let d: Vec<Vec3> = body.rest.iter().map(|p| [p[1], p[0] * p[2], 1.0 - p[0]]).collect();
    for _ in 0..2 {
        let matrix = tangent(&mut system, &at, weights(0.0, 0.0, 1.0), false);
        let mut exact = vec![[0.0; 3]; d.len()];
        Product::new(system.pattern()).apply(&matrix.values, &d, &mut exact);
        let mut moved = |s: f64| {
            let way = state.v.iter().zip(&d);
            let v: Vec<Vec3> = way.map(|(v, d)| std::array::from_fn(|k| v[k] + s * d[k])).collect();
            forces(&mut system, &at.with_velocities(&v))
        };
        // g is linear in v.
        let (after, before) = (moved(0.5), moved(-0.5));
        let slope = |(a, b): (&Vec3, &Vec3)| -> Vec3 { std::array::from_fn(|k| a[k] - b[k]) };
        let slope: Vec<Vec3> = after.iter().zip(&before).map(slope).collect();
        let off = distance(&slope, &exact);
        assert!(off < 1e-12 * size(exact.as_flattened()), "{off:e}");
    }
}

#[test]
fn bodies_at_rest_and_collapsed_ones_give_no_nan() {
    let body = bar();
    let n = body.rest.len();
    let list = mesh_springs(&body.mesh, &Stiffness::Uniform(30.0)).unwrap();
    let springs = Springs::new(n, &list, DampingTangent::Exact).unwrap();
    let acting = Acting::new(Role::Elastic, Box::new(springs)).damped(BETA);
    let mut system = System::new(&body.rest, [acting]).unwrap();
    let zero = vec![[0.0; 3]; n];
    for v in [&zero, &body.rest] {
        let at = Configuration::new(&zero, v, 0.0);
        let k = tangent(&mut system, &at, weights(0.0, 1.0, 1.0), false);
        let g = forces(&mut system, &at);
        assert!(k.values.iter().flatten().chain(g.as_flattened()).all(|k| k.is_finite()));
    }
}

#[test]
fn what_cannot_damp_is_refused_by_name() {
    let spring = Spring { ends: [0, 1], rest: 1.0, stiffness: 1.0, damping: 1.0 };
    let exact = Springs::new(2, &[spring], DampingTangent::Exact).unwrap();
    assert!(!exact.character().symmetric);
    let rest = [[0.0; 3], [1.0, 0.0, 0.0]];
    let refused = System::new(&rest, [Acting::new(Role::Elastic, Box::new(exact)).damped(1.0)]);
    let error = refused.err().unwrap().to_string();
    assert!(error.contains("symmetric stiffness"), "{error}");
    for beta in [-1.0, f64::NAN, f64::INFINITY] {
        let body = bar();
        let acting = Acting::new(Role::Elastic, body.elastic()).damped(beta);
        match System::new(&body.rest, [acting]).err() {
            Some(DynamicsError::Force(ForceError::Parameter { what, found, .. })) => {
                assert!(what.starts_with("stiffness damping β"), "{what}");
                assert_eq!(found.to_bits(), beta.to_bits());
            }
            other => panic!("{beta}: {other:?}"),
        }
    }
}

#[test]
fn mass_and_stiffness_damping_take_out_what_they_should() {
    // ½ d/dt(kinetic + elastic) = −vᵀ (α M + β K) v, to first order of a short step.
    let (alpha, h) = (1.5, 1e-5);
    let body = bar();
    let mass = LinearDamping::mass_proportional(&body.masses, alpha).unwrap();
    let masses = body.masses.clone();
    let (mut system, _) = body.with_model(Role::Damping, Box::new(mass)).damped(BETA).system();
    let mut state = squeezed(system.rest());
    let (mut plain, _) = bar().system();
    let k = tangent(&mut plain, &state.configuration(), weights(0.0, BETA, 0.0), false);
    let mut kv = vec![[0.0; 3]; state.len()];
    Product::new(plain.pattern()).apply(&k.values, &state.v, &mut kv);
    let power: f64 = (0..state.len())
        .flat_map(|i| (0..3).map(move |k| (i, k)))
        .map(|(i, k)| state.v[i][k] * (alpha * masses[i] * state.v[i][k] + kv[i][k]))
        .sum();
    let before = system.energies(&state).unwrap().total();
    let mut integrator = IntegratorName::ImplicitMidpoint.build(&strict()).unwrap();
    integrator.step(&mut system, &mut state, h).unwrap();
    let lost = before - system.energies(&state).unwrap().total();
    assert!((lost / (power * h) - 1.0).abs() < 1e-2, "{lost:e} {:e}", power * h);
    assert!(matches!(system.mass(), Mass::Lumped(_)));
}

/// Backward Euler damps by β (f(x₁) − f(x₀))/h: its equation holds so, and as h falls it goes to the motion under β K(x) v,
/// here that of the midpoint rule in steps sixteen times as short as the shortest.
#[test]
fn backward_euler_damps_by_the_change_of_the_forces() {
    let h = 4e-3;
    let (before, after) = let_go(IntegratorName::BackwardEuler, h, 3);
    let (mut plain, _) = bar().clamped().system();
    let (f0, f1) =
        (forces(&mut plain, &before.configuration()), forces(&mut plain, &after.configuration()));
    let masses = bar().masses;
    let largest = size(f1.as_flattened());
    let mut residual: Vec<Vec3> = (0..f1.len())
        .map(|i| {
            std::array::from_fn(|k| {
                let damping = 5.0 * BETA * (f1[i][k] - f0[i][k]) / h;
                masses[i] * (after.v[i][k] - before.v[i][k]) / h + f1[i][k] + damping
            })
        })
        .collect();
    plain.constraints().filter(&mut residual);
    assert!(size(residual.as_flattened()) < 1e-7 * largest, "{residual:?}");
    let exact = let_go(IntegratorName::ImplicitMidpoint, h / 64.0, 1024).1;
    let errors = [(h, 16), (h / 2.0, 32), (h / 4.0, 64)]
        .map(|(h, steps)| distance(&let_go(IntegratorName::BackwardEuler, h, steps).1.x, &exact.x));
    let ratios = [errors[0] / errors[1], errors[1] / errors[2]];
    assert!(ratios.iter().all(|r| (1.7..2.3).contains(r)), "{errors:?}");
}

/// A bar that is bent, squeezed and let go, damped hard, after so many steps of h; the states before and after the last one.
fn let_go(name: IntegratorName, h: f64, steps: usize) -> (State, State) {
    let (mut damped, mut state) = bar().clamped().damped(5.0 * BETA).system();
    let rest = state.x.clone();
    for (x, rest) in state.x.iter_mut().zip(&rest) {
        x[1] += 0.3 * rest[0] * rest[0];
        x[0] -= 0.1 * rest[0];
    }
    let mut integrator = name.build(&strict()).unwrap();
    let mut before = state.clone();
    for _ in 0..steps {
        before = state.clone();
        integrator.step(&mut damped, &mut state, h).unwrap();
    }
    (before, state)
}

/// Rates that are found as differences of forces have the order of the method: against the midpoint rule with K v.
#[test]
fn methods_of_order_two_keep_it_with_damping_of_a_nonlinear_body() {
    use IntegratorName as I;
    let h = 4e-3;
    let exact = let_go(I::ImplicitMidpoint, h / 64.0, 1024).1;
    for name in [I::Bdf2, I::Trapezoidal, I::Newmark, I::GeneralizedAlpha] {
        let errors = [(h / 2.0, 32), (h / 4.0, 64), (h / 8.0, 128)]
            .map(|(h, steps)| distance(&let_go(name, h, steps).1.x, &exact.x));
        let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
        assert!((orders[1] - 2.0).abs() < 0.2, "{}: {orders:?} of {errors:?}", name.name());
    }
}

/// By the trapezoidal rule damping gives a step the impulse β (f(x₁) − f(x₀)), whatever came before.
#[test]
fn the_impulse_of_damping_by_the_trapezoidal_rule_is_the_change_of_forces() {
    let h = 4e-3;
    for name in [IntegratorName::Trapezoidal, IntegratorName::Newmark] {
        let (before, after) = let_go(name, h, 5);
        let (mut plain, _) = bar().clamped().system();
        let ends = [&before, &after].map(|state| forces(&mut plain, &state.configuration()));
        let masses = bar().masses;
        let mut residual: Vec<Vec3> = (0..masses.len())
            .map(|i| {
                std::array::from_fn(|k| {
                    let [f0, f1] = [ends[0][i][k], ends[1][i][k]];
                    let damping = 5.0 * BETA * (f1 - f0);
                    masses[i] * (after.v[i][k] - before.v[i][k]) + 0.5 * h * (f0 + f1) + damping
                })
            })
            .collect();
        plain.constraints().filter(&mut residual);
        let largest = h * size(ends[1].as_flattened());
        assert!(size(residual.as_flattened()) < 1e-6 * largest, "{}: {residual:?}", name.name());
    }
}

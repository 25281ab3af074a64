//! Rosenbrock methods: their tables against the order conditions, and their stability.
//!
//! The conditions are those of Hairer and Wanner, Solving ODEs II, table IV.7.1, with the diagonal in β.

use crate::common;

use common::{Body, distance, strict};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::integrators::{
    AMF_RK32, ROSENBROCK2, ROSENBROCK4_GRK4A, ROSENBROCK4_GRK4T, ROSENBROCK4_LSTABLE,
    ROSENBROCK4_SHAMPINE, ROSENBROCK4_VELDHUIZEN_B, ROSENBROCK4_VELDHUIZEN_D, RosenbrockTable,
};
use pliant_dynamics::{
    DynamicsError, IntegratorName, NewtonSettings, Options, Projection, Role, State, System,
};
use pliant_forces::loads::{DeadLoad, Faces, Pressure, TimeCurve};
use pliant_solvers::{Choice, SolverName};

const ALL: [&RosenbrockTable; 8] = [
    &ROSENBROCK2,
    &AMF_RK32,
    &ROSENBROCK4_LSTABLE,
    &ROSENBROCK4_SHAMPINE,
    &ROSENBROCK4_GRK4T,
    &ROSENBROCK4_GRK4A,
    &ROSENBROCK4_VELDHUIZEN_D,
    &ROSENBROCK4_VELDHUIZEN_B,
];

/// α, Γ, b and b̂ of a table.
struct Classical {
    alpha: Vec<Vec<f64>>,
    gamma: Vec<Vec<f64>>,
    b: Vec<f64>,
    embedded: Vec<f64>,
}

fn row_sums(m: &[Vec<f64>]) -> Vec<f64> {
    m.iter().map(|row| row.iter().sum()).collect()
}

fn times(m: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    m.iter().map(|row| row.iter().zip(v).map(|(m, v)| m * v).sum()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn classical(table: &RosenbrockTable) -> Classical {
    let s = table.stages.len();
    // Γ⁻¹ = diag(1/γ) − C is lower triangular: Γ by substitution.
    let entry = |list: &[f64], j: usize| list.get(j).copied().unwrap_or(0.0);
    let mut gamma = vec![vec![0.0; s]; s];
    for i in 0..s {
        for j in 0..=i {
            let unit = if i == j { 1.0 } else { 0.0 };
            let sum: f64 = (j..i).map(|k| entry(table.stages[i].c, k) * gamma[k][j]).sum();
            gamma[i][j] = table.gamma * (unit + sum);
        }
    }
    let by_gamma = |row: &[f64]| -> Vec<f64> {
        (0..s).map(|j| (0..s).map(|k| entry(row, k) * gamma[k][j]).sum()).collect()
    };
    let alpha = table.stages.iter().map(|stage| by_gamma(stage.a)).collect();
    let b = by_gamma(table.weights);
    let difference = by_gamma(table.error);
    let embedded = b.iter().zip(&difference).map(|(b, d)| b - d).collect();
    Classical { alpha, gamma, b, embedded }
}

/// What is left of each condition, by order.
fn conditions(c: &Classical, b: &[f64]) -> [Vec<f64>; 4] {
    let beta: Vec<Vec<f64>> = (c.alpha.iter().zip(&c.gamma))
        .map(|(a, g)| a.iter().zip(g).map(|(a, g)| a + g).collect())
        .collect();
    let (ai, bi) = (row_sums(&c.alpha), row_sums(&beta));
    let power = |p: i32| -> Vec<f64> { ai.iter().map(|a| a.powi(p)).collect() };
    let b_alpha: Vec<f64> = b.iter().zip(&ai).map(|(b, a)| b * a).collect();
    [
        vec![b.iter().sum::<f64>() - 1.0],
        vec![dot(b, &bi) - 1.0 / 2.0],
        vec![dot(b, &power(2)) - 1.0 / 3.0, dot(b, &times(&beta, &bi)) - 1.0 / 6.0],
        vec![
            dot(b, &power(3)) - 1.0 / 4.0,
            dot(&b_alpha, &times(&c.alpha, &bi)) - 1.0 / 8.0,
            dot(b, &times(&beta, &power(2))) - 1.0 / 12.0,
            dot(b, &times(&beta, &times(&beta, &bi))) - 1.0 / 24.0,
        ],
    ]
}

fn largest(lists: &[Vec<f64>]) -> f64 {
    lists.iter().flatten().map(|c| c.abs()).fold(0.0, f64::max)
}

#[test]
fn tables_fulfil_the_conditions_of_their_order_and_no_more() {
    for table in ALL {
        let c = classical(table);
        for (what, b, order) in
            [("method", &c.b, table.order), ("embedded", &c.embedded, table.error_order)]
        {
            let left = conditions(&c, b);
            let (met, next) = left.split_at(order);
            println!("{} {what}: {:e}, next {next:?}", table.name, largest(met));
            assert!(largest(met) < 1e-12, "{} {what}: {left:?}", table.name);
            if let Some(next) = next.first() {
                assert!(largest(std::slice::from_ref(next)) > 1e-3, "{}: {next:?}", table.name);
            }
        }
        // The times and the weights of ∂g/∂t are the row sums.
        let (ai, gi) = (row_sums(&c.alpha), row_sums(&c.gamma));
        for (stage, (a, g)) in table.stages.iter().zip(ai.iter().zip(&gi)) {
            assert!((stage.time - a).abs() < 1e-13, "{}: {} {a}", table.name, stage.time);
            assert!((stage.rate - g).abs() < 1e-13, "{}: {} {g}", table.name, stage.rate);
        }
    }
}

#[test]
fn the_order_with_any_jacobian_is_as_told() {
    // A condition for every tree with the Jacobian at any of its nodes: Σ b α = ½ and Σ b γ = 0 for
    // order 2; of those of order 3 one must fail for methods of order 2.
    for table in ALL {
        let c = classical(table);
        let (ai, gi) = (row_sums(&c.alpha), row_sums(&c.gamma));
        let second = (dot(&c.b, &ai) - 0.5).abs().max(dot(&c.b, &gi).abs());
        let (ag, ga) = (times(&c.alpha, &gi), times(&c.gamma, &ai));
        let third = [dot(&c.b, &ag), dot(&c.b, &ga), dot(&c.b, &times(&c.gamma, &gi))];
        match table.order_with_any_jacobian {
            1 => assert!(second > 1e-3, "{}: {second:e}", table.name),
            2 => {
                assert!(second < 1e-13, "{}: {second:e}", table.name);
                assert!(third.iter().any(|t| t.abs() > 1e-3), "{}: {third:?}", table.name);
            }
            other => panic!("{other}"),
        }
    }
    // The embedded method of amf-rk32 has it too.
    let c = classical(&AMF_RK32);
    assert!(dot(&c.embedded, &row_sums(&c.gamma)).abs() < 1e-13);
}

type Complex = [f64; 2];

fn multiply(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn divide(a: Complex, b: Complex) -> Complex {
    let d = b[0] * b[0] + b[1] * b[1];
    let [re, im] = multiply(a, [b[0], -b[1]]);
    [re / d, im / d]
}

/// R(z) of weights b, stage by stage: (1 − γz) kᵢ = z (1 + Σ βᵢⱼ kⱼ).
fn stability(c: &Classical, b: &[f64], z: Complex) -> Complex {
    let mut k: Vec<Complex> = Vec::new();
    let mut r = [1.0, 0.0];
    for i in 0..b.len() {
        let mut sum = [1.0, 0.0];
        for (j, k) in k.iter().enumerate() {
            let beta = c.alpha[i][j] + c.gamma[i][j];
            sum = [sum[0] + beta * k[0], sum[1] + beta * k[1]];
        }
        let g = c.gamma[i][i];
        let ki = divide(multiply(z, sum), [1.0 - g * z[0], -g * z[1]]);
        r = [r[0] + b[i] * ki[0], r[1] + b[i] * ki[1]];
        k.push(ki);
    }
    r
}

/// The largest |R| on the ray at `degrees` from the negative axis.
fn largest_on_ray(c: &Classical, b: &[f64], degrees: f64) -> f64 {
    let angle = degrees.to_radians();
    (0..4000)
        .map(|k| 10.0_f64.powf(-1.0 + 6.0 * f64::from(k) / 4000.0))
        .map(|r| stability(c, b, [-r * angle.cos(), r * angle.sin()]))
        .map(|r| r[0].hypot(r[1]))
        .fold(0.0, f64::max)
}

#[test]
fn stability_is_as_told() {
    let at_infinity = |c: &Classical, b: &[f64]| stability(c, b, [-1e9, 0.0])[0];
    for table in ALL {
        let c = classical(table);
        let infinity = at_infinity(&c, &c.b);
        let embedded = at_infinity(&c, &c.embedded);
        let widest = (800..=900).rev().map(|d| f64::from(d) / 10.0);
        let widest = widest.into_iter().find(|&d| largest_on_ray(&c, &c.b, d) <= 1.0 + 1e-12);
        println!(
            "{}: R(∞) = {infinity:.6}, embedded {embedded:.6}, A({widest:?}°), embedded on the axis {}",
            table.name,
            largest_on_ray(&c, &c.embedded, 90.0)
        );
        let (expected, angle) = match table.name {
            "rosenbrock2" | "amf-rk32" | "rosenbrock4-lstable" => (0.0, 90.0),
            "rosenbrock4-shampine" | "rosenbrock4-veldhuizen-b" => (1.0 / 3.0, 90.0),
            "rosenbrock4-grk4a" => (infinity, 90.0),
            "rosenbrock4-grk4t" => (infinity, 89.3),
            // 89.5 if rounded.
            _ => (infinity, 89.4),
        };
        assert!((infinity - expected).abs() < 1e-4, "{}: {infinity}", table.name);
        assert!(infinity.abs() < 1.0, "{}: {infinity}", table.name);
        assert_eq!(widest, Some(angle), "{}", table.name);
    }
}

fn names() -> impl Iterator<Item = IntegratorName> {
    ALL.iter().map(|t| t.name.parse().unwrap())
}

/// A bar that swings under a load that comes on.
fn loaded(curve: TimeCurve) -> (System, State) {
    let body = Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped();
    let end = body.at_x(1.0);
    let loads: Vec<(u32, Vec3)> = end.iter().map(|&v| (v, [0.0, 1.0, -2.0])).collect();
    let load = DeadLoad::points(&body.rest, &loads, curve).unwrap();
    let (system, mut state) = body.with_model(Role::Load, Box::new(load)).system();
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [0.1 * x[0], -0.8 * x[0] * x[0], 0.6 * x[0] * (x[1] - 0.1)];
    }
    (system, state)
}

#[test]
fn estimates_shrink_with_their_order_and_tell_the_error_of_one_step() {
    for name in names() {
        let mut sizes = Vec::new();
        for h in [0.002, 0.001, 0.0005] {
            let ramp = TimeCurve::Ramp { start: -1.0, end: 1.0, from: 0.0, to: 1.0 };
            let (mut system, mut state) = loaded(ramp);
            let mut integrator = name.build(&strict()).unwrap();
            assert!(integrator.estimate().is_none());
            integrator.step(&mut system, &mut state, h).unwrap();
            let estimate = integrator.estimate().unwrap();
            let zero = vec![[0.0; 3]; state.len()];
            // Position errors count with the frequency of the bar, some 100/s.
            let size = (distance(estimate.x, &zero) * 100.0).max(distance(estimate.v, &zero));
            sizes.push((size, estimate.order));
        }
        let order = (sizes[1].0 / sizes[2].0).log2() - 1.0;
        println!("{}: {sizes:?} {order}", name.name());
        assert!((order - sizes[0].1 as f64).abs() < 0.2, "{}: {order} {sizes:?}", name.name());
    }
}

#[test]
fn one_factorisation_and_one_jacobian_a_step() {
    for name in names() {
        let (mut system, mut state) = loaded(TimeCurve::default());
        let mut integrator = name.build(&strict()).unwrap();
        for _ in 0..5 {
            integrator.step(&mut system, &mut state, 0.002).unwrap();
        }
        let counters = integrator.counters();
        assert_eq!((counters.jacobians, counters.iterations), (5, 0), "{}", name.name());
        let stages = if integrator.order() == 4 { 3 } else { integrator.order() };
        assert_eq!(counters.residuals, 5 * stages, "{}", name.name());
    }
}

#[test]
fn pressure_that_follows_the_surface_asks_for_an_unsymmetric_solver() {
    let system = || {
        let body = Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped();
        let faces = body.end_faces();
        let load = Pressure::uniform(
            body.rest.len(),
            Faces::Triangles(&faces),
            300.0,
            TimeCurve::default(),
        );
        body.with_model(Role::Load, Box::new(load.unwrap())).system()
    };
    let with = |solver| Options { solver: Choice { solver, ..Choice::default() }, ..strict() };
    let (mut one, mut state) = system();
    let mut lu = IntegratorName::Rosenbrock4Lstable.build(&with(SolverName::Lu)).unwrap();
    for _ in 0..4 {
        lu.step(&mut one, &mut state, 0.01).unwrap();
    }
    let mut auto = IntegratorName::Rosenbrock4Lstable.build(&with(SolverName::Auto)).unwrap();
    let (mut two, mut other) = system();
    for _ in 0..4 {
        auto.step(&mut two, &mut other, 0.01).unwrap();
    }
    assert!(distance(&state.x, &other.x) < 1e-12);
    let mut wrong = IntegratorName::Rosenbrock4Lstable.build(&with(SolverName::Cholesky)).unwrap();
    let error = wrong.step(&mut one, &mut state, 0.01).unwrap_err().to_string();
    assert!(error.contains("unsymmetric tangent, which cholesky does not serve"), "{error}");
}

#[test]
fn a_jacobian_that_is_not_definite_is_projected_or_refused_as_asked() {
    let squeezed = || {
        let (system, mut state) = Body::bar("neo-hookean", [4, 1, 1], 0.3).clamped().system();
        for x in &mut state.x {
            x[0] *= 0.4;
        }
        (system, state)
    };
    for (projection, works) in [(Projection::WhenNeeded, true), (Projection::Never, false)] {
        let newton = NewtonSettings { projection, ..NewtonSettings::default() };
        let mut integrator =
            IntegratorName::Rosenbrock2.build(&Options { newton, ..strict() }).unwrap();
        let (mut system, mut state) = squeezed();
        let before = state.clone();
        let outcome = integrator.step(&mut system, &mut state, 0.5);
        match outcome {
            Ok(_) => assert!(works && integrator.counters().jacobians_projected == 1),
            // A step of half a second from there may end inside out; not so the first matrix.
            Err(DynamicsError::Failed { cause, .. }) => {
                println!("{cause}");
                assert_eq!(matches!(*cause, DynamicsError::Linear(_)), !works, "{cause}");
                assert_eq!(state, before);
                assert!(integrator.estimate().is_none());
            }
            Err(other) => panic!("{other}"),
        }
        assert_eq!(integrator.counters().jacobians_projected, usize::from(works));
    }
}

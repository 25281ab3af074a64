//! Every integrator on a linear oscillator, against its exact recurrence.
//!
//! A point on three springs of different stiffness, with or without linear damping: each axis is
//! x″ = −ω² x − c x′, for which every method is a matrix that can be written down.

use crate::common;

use common::point::Spring;
use common::{distance, strict};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::integrators::{DORMAND_PRINCE_5, DORMAND_PRINCE_853, Tableau};
use pliant_dynamics::{IntegratorName, Mass, Options, Role, State, System};
use pliant_forces::ForceModel;
use pliant_forces::damping::LinearDamping;

const MASS: f64 = 2.0;
const STIFF: [f64; 3] = [8.0, 50.0, 0.7];

fn oscillator(damping: f64) -> (System, State) {
    let mut models: Vec<(Role, Box<dyn ForceModel>)> =
        vec![(Role::Elastic, Box::new(Spring::new(STIFF)))];
    if damping > 0.0 {
        let rate = LinearDamping::mass_proportional(&[MASS], damping).unwrap();
        models.push((Role::Damping, Box::new(rate)));
    }
    let system = System::new(&[[0.0; 3]], models).unwrap();
    let state = State::new(&[[1.0, -0.5, 0.3]], &[[0.2, 2.0, -0.4]], 0.0);
    (system.with_mass(Mass::Lumped(vec![MASS])).unwrap(), state)
}

type Pair = [f64; 2];

/// Solves for (x₁, v₁): x₁ = p + s v₁, v₁ = q − s (w x₁ + c v₁), a backward step of length s.
fn backward(p: f64, q: f64, s: f64, w: f64, c: f64) -> Pair {
    let v = (q - s * w * p) / (1.0 + s * c + s * s * w);
    [p + s * v, v]
}

/// One step of each method, written independently of the code: past states latest first.
fn recurrence(name: IntegratorName, past: &[Pair], h: f64, w: f64, c: f64) -> Pair {
    use IntegratorName as I;
    let [x, v] = past[0];
    let a = |x: f64, v: f64| -w * x - c * v;
    let taylor = |terms: usize| {
        // Explicit Runge-Kutta methods of order s with s stages: the Taylor series of exp(h A).
        let (mut sum, mut term) = ([x, v], [x, v]);
        for k in 1..=terms {
            let s = h / k as f64;
            term = [s * term[1], s * a(term[0], term[1])];
            sum = [sum[0] + term[0], sum[1] + term[1]];
        }
        sum
    };
    match name {
        I::ForwardEuler => taylor(1),
        // The stabilised one needs only two stages here.
        I::ExplicitMidpoint | I::Rkc2 => taylor(2),
        I::Rk4 | I::ThreeEighths => taylor(4),
        // Order and stages differ: the Taylor series of that order, and what is beyond.
        I::DormandPrince5 => polynomial(&DORMAND_PRINCE_5.method, &[1.0 / 600.0], past[0], h, a),
        I::DormandPrince853 => {
            // bᵀ Aᵏ⁻¹ 1 for k = 9 to 12, in rational arithmetic from the published digits.
            let beyond = [
                2.6916922001690856e-06,
                2.34134510820978e-07,
                1.4947364854591547e-08,
                3.613324578128244e-10,
            ];
            polynomial(&DORMAND_PRINCE_853.method, &beyond, past[0], h, a)
        }
        I::SymplecticEuler => {
            let v = v + h * a(x, v);
            [x + h * v, v]
        }
        I::Verlet | I::CentralDifferences | I::ExplicitNewmark => {
            let half = v + 0.5 * h * a(x, v);
            let x = x + h * half;
            // v₁ = half + h/2 (−w x₁ − c v₁)
            [x, (half - 0.5 * h * w * x) / (1.0 + 0.5 * h * c)]
        }
        I::BackwardEuler | I::Bdf1 => backward(x, v, h, w, c),
        // All three are the trapezoidal rule on linear problems.
        I::ImplicitMidpoint | I::Trapezoidal | I::Newmark => {
            backward(x + 0.5 * h * v, v + 0.5 * h * a(x, v), 0.5 * h, w, c)
        }
        I::Bdf2 => multistep(past, 2.0 / 3.0, &[4.0 / 3.0, -1.0 / 3.0], h, w, c),
        I::Bdf3 => multistep(past, 6.0 / 11.0, &[18.0, -9.0, 2.0].map(|c| c / 11.0), h, w, c),
        I::Bdf4 => {
            multistep(past, 12.0 / 25.0, &[48.0, -36.0, 16.0, -3.0].map(|c| c / 25.0), h, w, c)
        }
        I::Bdf5 => {
            let cs = [300.0, -300.0, 200.0, -75.0, 12.0].map(|c| c / 137.0);
            multistep(past, 60.0 / 137.0, &cs, h, w, c)
        }
        I::Bdf6 => {
            let cs = [360.0, -450.0, 400.0, -225.0, 72.0, -10.0].map(|c| c / 147.0);
            multistep(past, 60.0 / 147.0, &cs, h, w, c)
        }
        I::Rosenbrock2 => rosenbrock(2, 1.0 - 0.5_f64.sqrt(), [x, v], h, w, c),
        I::AmfRk32 => rosenbrock(3, 0.435866521508459, [x, v], h, w, c),
        I::Rosenbrock4Lstable => rosenbrock(4, 0.57282, [x, v], h, w, c),
        I::Rosenbrock4Shampine | I::Rosenbrock4VeldhuizenB => rosenbrock(4, 0.5, [x, v], h, w, c),
        I::Rosenbrock4Grk4t => rosenbrock(4, 0.231, [x, v], h, w, c),
        I::Rosenbrock4Grk4a => rosenbrock(4, 0.395, [x, v], h, w, c),
        I::Rosenbrock4VeldhuizenD => rosenbrock(4, 0.2257081148225682, [x, v], h, w, c),
        // The spring's own state of rest.
        I::QuasiStatic => [0.0, 0.0],
        I::GeneralizedAlpha => unreachable!("has a recurrence of its own below"),
        I::Rock2 => unreachable!("has one in rock2.rs"),
    }
}

/// R(hA) (x, v) with the Taylor series up to the order and some coefficients more.
fn polynomial(
    table: &Tableau,
    beyond: &[f64],
    start: Pair,
    h: f64,
    a: impl Fn(f64, f64) -> f64,
) -> Pair {
    let mut factor = 1.0;
    let (mut sum, mut power) = (start, start);
    for k in 1..=table.order + beyond.len() {
        factor /= k as f64;
        power = [h * power[1], h * a(power[0], power[1])];
        let c = if k <= table.order { factor } else { beyond[k - table.order - 1] };
        sum = [sum[0] + c * power[0], sum[1] + c * power[1]];
    }
    sum
}

/// Methods of order s with s stages: R(z) = P(z) / (1 − γz)ˢ, P the first terms of (1 − γz)ˢ eᶻ.
fn rosenbrock(s: i32, gamma: f64, y: Pair, h: f64, w: f64, c: f64) -> Pair {
    let apply = |y: Pair| [h * y[1], -h * (w * y[0] + c * y[1])];
    let choose = |k: i32| (0..k).fold(1.0, |b, i| b * f64::from(s - i) / f64::from(i + 1));
    let factorial = |k: i32| (1..=k).map(f64::from).product::<f64>();
    let (mut sum, mut power) = ([0.0; 2], y);
    for j in 0..=s {
        let terms = (0..=j).map(|k| choose(k) * (-gamma).powi(k) / factorial(j - k));
        let p: f64 = terms.sum();
        sum = [sum[0] + p * power[0], sum[1] + p * power[1]];
        power = apply(power);
    }
    // (1 − γ h A) is a backward step of length γ h.
    (0..s).fold(sum, |[x, v], _| backward(x, v, gamma * h, w, c))
}

fn multistep(past: &[Pair], beta: f64, cs: &[f64], h: f64, w: f64, c: f64) -> Pair {
    let sum = |k: usize| cs.iter().zip(past).map(|(c, p)| c * p[k]).sum::<f64>();
    backward(sum(0), sum(1), beta * h, w, c)
}

#[test]
fn every_integrator_follows_its_recurrence() {
    let h = 0.05;
    for &name in IntegratorName::ALL {
        for damping in [0.0, 0.4] {
            if matches!(name, IntegratorName::GeneralizedAlpha | IntegratorName::Rock2)
                || (name == IntegratorName::Verlet && damping > 0.0)
            {
                continue;
            }
            let (mut system, mut state) = oscillator(damping);
            let mut integrator = name.build(&strict()).unwrap();
            let keep = if name.name().starts_with("bdf") { integrator.order() } else { 1 };
            let mut past: Vec<[Vec3; 2]> = vec![[state.x[0], state.v[0]]];
            for step in 0..60 {
                integrator.step(&mut system, &mut state, h).unwrap();
                let mut expected = [[0.0; 3]; 2];
                for i in 0..3 {
                    let axis: Vec<Pair> = past.iter().map(|p| [p[0][i], p[1][i]]).collect();
                    if past.len() >= keep {
                        let [x, v] = recurrence(name, &axis, h, STIFF[i] / MASS, damping);
                        (expected[0][i], expected[1][i]) = (x, v);
                    }
                }
                let now = [state.x[0], state.v[0]];
                if past.len() >= keep {
                    let error = distance(&now, &expected);
                    assert!(error < 1e-13, "{} step {step}: {error:e}", name.name());
                }
                past.insert(0, now);
                past.truncate(keep);
            }
        }
    }
}

#[test]
fn generalized_alpha_follows_its_recurrence() {
    let (h, damping) = (0.05, 0.4);
    for rho in [0.0, 0.5, 0.8, 1.0] {
        let (am, af) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 - am + af;
        let beta = 0.25 * (1.0 - am + af) * (1.0 - am + af);
        let (mut system, mut state) = oscillator(damping);
        let options = Options { spectral_radius: rho, ..strict() };
        let mut integrator = IntegratorName::GeneralizedAlpha.build(&options).unwrap();
        let w = STIFF.map(|k| k / MASS);
        let mut motion: [[f64; 3]; 3] = std::array::from_fn(|i| {
            let (x, v) = (state.x[0][i], state.v[0][i]);
            [x, v, -w[i] * x - damping * v]
        });
        for _ in 0..60 {
            integrator.step(&mut system, &mut state, h).unwrap();
            for i in 0..3 {
                let [x, v, a] = motion[i];
                // (1−am) a₁ + am a + w ((1−af) x₁ + af x) + c ((1−af) v₁ + af v) = 0, solved for a₁.
                let xp = x + h * v + h * h * (0.5 - beta) * a;
                let vp = v + h * (1.0 - gamma) * a;
                let f = w[i] * ((1.0 - af) * xp + af * x) + damping * ((1.0 - af) * vp + af * v);
                let slope = (1.0 - am) + (1.0 - af) * (w[i] * beta * h * h + damping * gamma * h);
                let a1 = -(am * a + f) / slope;
                motion[i] = [xp + beta * h * h * a1, vp + gamma * h * a1, a1];
                let error =
                    (state.x[0][i] - motion[i][0]).abs().max((state.v[0][i] - motion[i][1]).abs());
                assert!(error < 1e-13, "ρ = {rho}: {error:e}");
            }
        }
    }
}

#[test]
fn explicit_methods_are_stable_up_to_their_limit_and_not_beyond() {
    // h ω = 2 for Verlet and symplectic Euler, 2√2 for order 4 with 4 stages; ω = 5 on the fastest axis.
    use IntegratorName as I;
    for (name, limit) in [
        (I::Verlet, 2.0),
        (I::CentralDifferences, 2.0),
        (I::SymplecticEuler, 2.0),
        (I::Rk4, 8.0_f64.sqrt()),
        (I::ThreeEighths, 8.0_f64.sqrt()),
    ] {
        assert!((name.imaginary_interval() - limit).abs() < 1e-12, "{}", name.name());
        let largest = |factor: f64| {
            let (mut system, mut state) = oscillator(0.0);
            let mut integrator = name.build(&Options::default()).unwrap();
            for _ in 0..2000 {
                integrator.step(&mut system, &mut state, factor * limit / 5.0).unwrap();
            }
            state.x[0][1].abs()
        };
        assert!(largest(0.99) < 50.0, "{}: {}", name.name(), largest(0.99));
        assert!(largest(1.01) > 1e6, "{}: {}", name.name(), largest(1.01));
    }
}

#[test]
fn linearly_implicit_methods_gain_no_energy_at_any_step() {
    use IntegratorName as I;
    // Energies are multiplied by |R(iωh)|² in every step: all but two are A-stable, and those two, which
    // are so but for a degree, decay where the step is long.
    let gain = |name: IntegratorName, h: f64| {
        let (mut system, mut state) = oscillator(0.0);
        let mut integrator = name.build(&strict()).unwrap();
        let before = system.energies(&state).unwrap().total();
        for _ in 0..200 {
            integrator.step(&mut system, &mut state, h).unwrap();
        }
        system.energies(&state).unwrap().total() / before
    };
    for name in [
        I::Rosenbrock2,
        I::AmfRk32,
        I::Rosenbrock4Lstable,
        I::Rosenbrock4Shampine,
        I::Rosenbrock4Grk4a,
        I::Rosenbrock4VeldhuizenB,
    ] {
        for h in [0.01, 0.1, 0.3, 1.0, 3.0, 1000.0] {
            assert!(gain(name, h) <= 1.0 + 1e-12, "{} at {h}: {}", name.name(), gain(name, h));
        }
    }
    for name in [I::Rosenbrock4Grk4t, I::Rosenbrock4VeldhuizenD] {
        assert!(gain(name, 1000.0) < 1e-12, "{}", name.name());
    }
}

#[test]
fn runge_kutta_methods_multiply_the_energy_of_an_oscillator_by_their_polynomial() {
    // |R(ihω)|² a step: below 1 up to the limit, above 1 beyond it, however slowly it grows.
    use IntegratorName as I;
    for name in [I::Rk4, I::ThreeEighths, I::DormandPrince5, I::DormandPrince853] {
        let energy = |factor: f64| {
            let (mut system, mut state) = oscillator(0.0);
            // Along the fastest axis only.
            state = State::new(&[[0.0, state.x[0][1], 0.0]], &[[0.0, state.v[0][1], 0.0]], 0.0);
            let before = system.energies(&state).unwrap().total();
            let mut integrator = name.build(&Options::default()).unwrap();
            for _ in 0..100 {
                integrator.step(&mut system, &mut state, factor / 5.0).unwrap();
            }
            system.energies(&state).unwrap().total() / before
        };
        let limit = name.imaginary_interval();
        assert!(energy(0.9 * limit) < 1.0 - 1e-4, "{}", name.name());
        assert!((energy(limit) - 1.0).abs() < 1e-7, "{}: {}", name.name(), energy(limit));
        assert!(energy(1.1 * limit) > 1.0 + 1e-4, "{}", name.name());
    }
}

#[test]
fn verlet_refuses_damping() {
    let (mut system, mut state) = oscillator(0.4);
    let mut integrator = IntegratorName::Verlet.build(&Options::default()).unwrap();
    let before = state.clone();
    let error = integrator.step(&mut system, &mut state, 0.1).unwrap_err().to_string();
    assert!(error.contains("take central-differences"), "{error}");
    assert_eq!(state, before);
}

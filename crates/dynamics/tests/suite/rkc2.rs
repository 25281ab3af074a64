//! The stabilised explicit method: its polynomial, its interval, its stages.

use crate::common;

use common::{Body, distance, strict};
use pliant_dynamics::integrators::{Next, Rkc2};
use pliant_dynamics::{
    Adaptive, DynamicsError, Explicit, ExplicitScheme, Integrator, IntegratorName, Mass, Role,
    State, StepControl, System,
};
use pliant_forces::ForceModel;
use pliant_forces::damping::LinearDamping;

/// T, T′ and T″ of order s at 1 + δ, as power series in δ, in which nothing cancels.
fn chebyshev(s: usize, delta: f64) -> [f64; 3] {
    let n = s as f64;
    // T(1 + δ) = Σ n (n+k−1)! / ((n−k)! (2k)!) (2δ)ᵏ
    let mut coefficient = 1.0;
    let mut sums = [1.0, 0.0, 0.0];
    for k in 1..=s {
        let j = k as f64;
        coefficient *= 2.0 * (n + j - 1.0) * (n - j + 1.0) / ((2.0 * j - 1.0) * (2.0 * j));
        sums[0] += coefficient * delta.powi(k as i32);
        sums[1] += coefficient * j * delta.powi(k as i32 - 1);
        sums[2] += coefficient * j * (j - 1.0) * delta.powi(k as i32 - 2);
    }
    sums
}

/// A point that moves against damping alone: v′ = −c v on every axis.
fn slider(damping: f64) -> (System, State) {
    let rate = LinearDamping::mass_proportional(&[2.0], damping).unwrap();
    let models: Vec<(Role, Box<dyn ForceModel>)> = vec![(Role::Damping, Box::new(rate))];
    let system = System::new(&[[0.0; 3]], models).unwrap();
    let state = State::new(&[[1.0, -0.5, 0.3]], &[[0.2, 2.0, -0.4]], 0.0);
    (system.with_mass(Mass::Lumped(vec![2.0])).unwrap(), state)
}

#[test]
fn a_step_is_its_polynomial() {
    let (damping, h) = (40.0, 0.1);
    for s in [2, 3, 4, 7, 20] {
        let delta = 2.0 / 13.0 / (s * s) as f64;
        let w0 = 1.0 + delta;
        let [t, d, dd] = chebyshev(s, delta);
        let (w1, b) = (d / dd, dd / (d * d));
        // T_s(w₀ + w₁ z)
        let w = w0 - w1 * damping * h;
        let (mut now, mut before) = (w, 1.0);
        for _ in 1..s {
            (now, before) = (2.0 * w * now - before, now);
        }
        let factor = 1.0 - b * t + b * now;
        let (mut system, mut state) = slider(damping);
        let v = state.v[0];
        let mut method = Explicit::new(Rkc2::with_stages(s).unwrap());
        method.step(&mut system, &mut state, h).unwrap();
        for k in 0..3 {
            assert!((state.v[0][k] - factor * v[k]).abs() < 1e-13 * v[k].abs(), "{s} stages");
        }
        assert!((Rkc2::real_interval(s) - (w0 + 1.0) / w1).abs() < 1e-10);
    }
    assert!(matches!(Rkc2::with_stages(1), Err(DynamicsError::Setting { .. })));
}

#[test]
fn its_real_interval_grows_with_the_square_of_its_stages() {
    for s in [4, 8, 20] {
        let interval = Rkc2::real_interval(s);
        let per_square = interval / (s * s - 1) as f64;
        assert!((per_square - 2.0 / 3.0 * (1.0 - 4.0 / 195.0)).abs() < 0.01, "{s}: {per_square}");
        let speed_after = |factor: f64| {
            let (mut system, mut state) = slider(interval);
            let mut method = Explicit::new(Rkc2::with_stages(s).unwrap());
            for _ in 0..400 {
                if method.step(&mut system, &mut state, factor).is_err() {
                    return f64::INFINITY;
                }
            }
            state.v[0][1].abs()
        };
        // The damping of the polynomial leaves a little room beyond the end.
        assert!(speed_after(0.999) < 1e-3, "{s}: {}", speed_after(0.999));
        assert!(speed_after(1.03) > 1e3, "{s}: {}", speed_after(1.03));
    }
}

/// A bar in honey: damping rules.
fn creeping(rate: f64) -> (System, State) {
    let body = Body::bar("neo-hookean", [4, 1, 1], 0.3).with_gravity([0.0, -60.0, 0.0]).clamped();
    let damping = LinearDamping::mass_proportional(&body.masses, rate).unwrap();
    body.with_model(Role::Damping, Box::new(damping)).system()
}

#[test]
fn stages_are_as_many_as_the_step_needs() {
    let (mut system, state) = creeping(2000.0);
    let mut next = Next::default();
    for list in [&mut next.x, &mut next.v, &mut next.a] {
        list.resize(state.len(), [0.0; 3]);
    }
    let mut before = 0;
    for h in [0.001, 0.01, 0.1, 1.0] {
        let mut method = Rkc2::new();
        method.advance(&mut system, &state, h, &mut next).unwrap();
        let stages = method.stages();
        // λ is near −2000; the estimate lies 10 % above.
        let wanted = 2000.0 * h;
        assert!(Rkc2::real_interval(stages) >= wanted, "{stages} stages for {wanted}");
        assert!(stages == 2 || Rkc2::real_interval(stages - 1) < 1.15 * wanted, "{stages}");
        assert!(stages > before || stages == 2);
        before = stages;
    }
    let mut method = Rkc2::new();
    let error = method.advance(&mut system, &state, 1e6, &mut next).unwrap_err();
    assert!(error.to_string().contains("more than 2000 stages"), "{error}");
}

#[test]
fn a_creeping_bar_follows_the_tolerance_at_less_cost_than_without_stabilisation() {
    let run = |name: IntegratorName, tolerance: f64| {
        let (mut system, mut state) = creeping(2000.0);
        let inner = name.build(&strict()).unwrap();
        let mut method = Adaptive::new(inner, StepControl::with_tolerance(tolerance)).unwrap();
        method.advance(&mut system, &mut state, 10.0).unwrap();
        assert!(state.time == 10.0);
        (state, system.evaluations(), method.counts())
    };
    let (reference, cost, _) = run(IntegratorName::DormandPrince5, 1e-9);
    println!("dormand-prince-5: {cost}");
    let mut errors = Vec::new();
    for tolerance in [1e-3, 1e-4, 1e-5, 1e-6] {
        let (state, cost, counts) = run(IntegratorName::Rkc2, tolerance);
        let error = distance(&state.x, &reference.x);
        println!("rkc2 {tolerance:e}: {error:e}, {cost} {counts:?}");
        assert!(error < 10.0 * tolerance, "{tolerance:e}: {error:e}");
        errors.push((error, cost));
    }
    assert!(errors[3].0 < 0.05 * errors[0].0);
    let (_, unstabilised, _) = run(IntegratorName::DormandPrince5, 1e-4);
    println!("dormand-prince-5 at 1e-4: {unstabilised}");
    assert!(10 * errors[1].1 < unstabilised, "{} {unstabilised}", errors[1].1);
}

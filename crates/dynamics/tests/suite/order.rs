//! The orders of integrators on a smooth nonlinear body, where that is damped, loaded, shaken, or told
//! wrong. Those on the body alone are in `integrators_table.rs`.

use crate::common;

use common::swinging::{Case, Forces, PLAIN, observed, reference};
use pliant_dynamics::IntegratorName;

const LINEARLY_IMPLICIT: [(IntegratorName, f64, usize); 8] = [
    (IntegratorName::Rosenbrock2, 2.0, 60),
    (IntegratorName::AmfRk32, 3.0, 60),
    (IntegratorName::Rosenbrock4Lstable, 4.0, 60),
    (IntegratorName::Rosenbrock4Shampine, 4.0, 60),
    (IntegratorName::Rosenbrock4Grk4t, 4.0, 30),
    (IntegratorName::Rosenbrock4Grk4a, 4.0, 50),
    (IntegratorName::Rosenbrock4VeldhuizenD, 4.0, 30),
    (IntegratorName::Rosenbrock4VeldhuizenB, 4.0, 60),
];

#[test]
fn linearly_implicit_methods_have_their_order_with_damping_and_loads_that_follow_time() {
    for consistent in [false, true] {
        let case = Case { consistent, forces: Forces::Damped, ..PLAIN };
        let reference = reference(case);
        for (name, order, first) in LINEARLY_IMPLICIT {
            // Above the noise of the difference that ∂g/∂t is here.
            let first = first.min(30);
            let orders = observed(name, first, case, &reference);
            assert!((orders[3] - order).abs() < 0.1, "{} {consistent}: {orders:.3?}", name.name());
        }
    }
}

#[test]
fn a_w_method_keeps_its_order_with_a_jacobian_that_is_wrong() {
    let case = Case { forces: Forces::Crude, ..PLAIN };
    let reference = reference(PLAIN);
    for (name, order, first) in [
        (IntegratorName::Rosenbrock2, 2.0, 120),
        (IntegratorName::AmfRk32, 2.0, 120),
        (IntegratorName::Rosenbrock4Lstable, 1.0, 240),
    ] {
        let orders = observed(name, first, case, &reference);
        assert!((orders[3] - order).abs() < 0.1, "{}: {orders:.3?}", name.name());
    }
}

#[test]
fn order_eight_is_seen_until_rounding_hides_it() {
    for (case, last) in [(PLAIN, 2), (Case { consistent: true, shaken: true, ..PLAIN }, 3)] {
        let orders = observed(IntegratorName::DormandPrince853, 4, case, &reference(case));
        assert!((orders[last] - 8.0).abs() < 0.1, "{orders:.3?}");
    }
}

#[test]
fn orders_hold_with_the_consistent_mass() {
    let case = Case { consistent: true, ..PLAIN };
    let reference = reference(case);
    for (name, order, first) in
        [(IntegratorName::Trapezoidal, 2.0, 30), (IntegratorName::ThreeEighths, 4.0, 60)]
    {
        let orders = observed(name, first, case, &reference);
        assert!((orders[3] - order).abs() < 0.1, "{}: {orders:.3?}", name.name());
    }
}

#[test]
fn orders_hold_with_a_support_that_moves() {
    use IntegratorName as I;
    for consistent in [false, true] {
        let case = Case { consistent, shaken: true, ..PLAIN };
        let reference = reference(case);
        for (name, order, first) in [
            (I::Rk4, 4.0, 60),
            (I::DormandPrince5, 5.0, if consistent { 30 } else { 16 }),
            (I::Rkc2, 2.0, 60),
            (I::Rock2, 2.0, 60),
            (I::Verlet, 2.0, 60),
            (I::CentralDifferences, 2.0, 60),
            (I::ExplicitNewmark, 2.0, 100),
            (I::ImplicitMidpoint, 2.0, 30),
            (I::Trapezoidal, 2.0, 30),
            (I::GeneralizedAlpha, 2.0, 30),
            (I::Bdf2, 2.0, 60),
            (I::Bdf4, 4.0, 40),
            (I::Rosenbrock2, 2.0, 60),
            (I::AmfRk32, 3.0, 60),
            (I::Rosenbrock4Lstable, 4.0, 60),
            (I::Rosenbrock4Grk4t, 4.0, 30),
        ] {
            let orders = observed(name, first, case, &reference);
            assert!((orders[3] - order).abs() < 0.1, "{} {consistent}: {orders:.3?}", name.name());
        }
    }
}

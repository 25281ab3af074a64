//! Matrix algebra against a general library and its own identities.

use crate::common;

use common::{ULP, oracle};
use pliant_algebra::lanes::{F64x8, LANES};
use pliant_algebra::mat3::{Mat3, cross, dot};
use proptest::prelude::*;

fn entries() -> impl Strategy<Value = Mat3<f64>> {
    prop::array::uniform9(-1.0..1.0f64).prop_map(Mat3::from_array)
}

fn vectors() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-1.0..1.0f64)
}

/// max |m − exact| for entries of order 1.
fn distance(m: &Mat3<f64>, exact: &nalgebra::DMatrix<f64>) -> f64 {
    (oracle(m) - exact).amax()
}

proptest! {
    #[test]
    fn products_agree_with_a_general_library(a in entries(), b in entries()) {
        let (x, y) = (oracle(&a), oracle(&b));
        prop_assert!(distance(&(a * b), &(&x * &y)) <= 4.0 * ULP);
        prop_assert!(distance(&a.transpose_mul(&b), &(x.transpose() * &y)) <= 4.0 * ULP);
        prop_assert!(distance(&a.mul_transpose(&b), &(&x * y.transpose())) <= 4.0 * ULP);
        prop_assert!(distance(&a.gram(), &(x.transpose() * &x)) <= 4.0 * ULP);
        prop_assert!(distance(&(a + b), &(&x + &y)) == 0.0);
        prop_assert!(distance(&(a - b), &(&x - &y)) == 0.0);
        prop_assert!(distance(&-a, &-&x) == 0.0);
        prop_assert!(distance(&a.transpose(), &x.transpose()) == 0.0);
        prop_assert!(distance(&a.scale(0.3), &(&x * 0.3)) == 0.0);
        prop_assert!((a.contract(&b) - x.dot(&y)).abs() <= 8.0 * ULP);
        prop_assert!((a.norm() - x.norm()).abs() <= 8.0 * ULP);
        prop_assert!((a.trace() - x.trace()).abs() <= 4.0 * ULP);
        prop_assert!(a.max_abs() == x.amax());
        let (mut sum, mut difference) = (a, a);
        sum += b;
        difference -= b;
        prop_assert!(sum == a + b && difference == a - b);
    }

    #[test]
    fn gram_is_exactly_symmetric(a in entries()) {
        prop_assert_eq!(a.gram(), a.gram().transpose());
    }

    #[test]
    fn determinant_cofactor_and_inverse_belong_together(a in entries()) {
        let det = a.determinant();
        prop_assert!((det - oracle(&a).determinant()).abs() <= 16.0 * ULP);
        // A cof(A)ᵀ = det A I
        let product = a.mul_transpose(&a.cofactor());
        prop_assert!((product - Mat3::diagonal([det; 3])).max_abs() <= 16.0 * ULP);
        prop_assume!(det.abs() > 0.01);
        let error = (a * a.inverse() - Mat3::identity()).max_abs();
        prop_assert!(error <= 32.0 * ULP / det.abs(), "{error:e}");
    }

    #[test]
    fn vectors_are_multiplied_from_the_right(a in entries(), v in vectors(), w in vectors()) {
        let x = nalgebra::DVector::from_row_slice(&v);
        let close = |got: [f64; 3], exact: nalgebra::DVector<f64>| {
            (nalgebra::DVector::from_row_slice(&got) - exact).amax() <= 4.0 * ULP
        };
        prop_assert!(close(a.mul_vec(v), oracle(&a) * &x));
        prop_assert!(close(a.transpose_mul_vec(v), oracle(&a).transpose() * &x));
        prop_assert_eq!(Mat3::outer(v, w).0[1][2], v[1] * w[2]);
        prop_assert_eq!(Mat3::cross_matrix(v).mul_vec(w), cross(v, w));
        prop_assert!(dot(cross(v, w), v).abs() <= 4.0 * ULP);
    }

    #[test]
    fn symmetric_and_skew_parts_add_up(a in entries()) {
        let (s, w) = (a.symmetric_part(), a.skew_part());
        prop_assert_eq!(s, s.transpose());
        prop_assert_eq!(w, -w.transpose());
        prop_assert!((s + w - a).max_abs() <= ULP);
        // axial: A − Aᵀ = [w]×
        prop_assert_eq!(Mat3::cross_matrix(a.axial()), a - a.transpose());
    }
}

#[test]
fn entries_are_row_major() {
    let m = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let a = Mat3::from_array(m);
    assert_eq!(a.0[0][2], 3.0);
    assert_eq!(a.column(0), [1.0, 4.0, 7.0]);
    assert_eq!(a.to_array(), m);
    assert_eq!(Mat3::from_columns(a.column(0), a.column(1), a.column(2)), a);
    assert_eq!(a.scale_columns([1.0, 2.0, 3.0]), a * Mat3::diagonal([1.0, 2.0, 3.0]));
    assert_eq!(a.determinant(), 0.0);
}

#[test]
fn lanes_go_in_and_come_out_in_order() {
    let matrices: [Mat3<f64>; LANES] =
        std::array::from_fn(|l| Mat3::from_array(std::array::from_fn(|i| (l * 10 + i) as f64)));
    let pack = Mat3::<F64x8>::from_lanes(&matrices);
    assert_eq!(pack.0[1][2].0[4], 45.0);
    assert_eq!(pack.to_lanes(), matrices);
    assert_eq!(Mat3::<F64x8>::load(&pack.store()), pack);
    assert_eq!(Mat3::<F64x8>::splat(&matrices[5]).to_lanes(), [matrices[5]; LANES]);
}

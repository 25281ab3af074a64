//! Projection to positive semi-definite: no negative eigenvalue, and nothing else changed.

use crate::common;

use common::{cases, eigenvalues};

#[test]
fn projected_tangents_have_no_negative_eigenvalue() {
    let mut negative = 0;
    for case in &cases() {
        for f in case.domain() {
            let plain = eigenvalues(&case.tangent(&f, false).to_matrix());
            let projected = eigenvalues(&case.tangent(&f, true).to_matrix());
            let scale = plain[8].abs().max(plain[0].abs());
            assert!(projected[0] > -1e-13 * scale, "{}: {projected:?} at {f:?}", case.name);
            negative += usize::from(plain[0] < -1e-6 * scale);
        }
    }
    assert!(negative > 100, "too few indefinite tangents to tell: {negative}");
}

/// The nearest semi-definite matrix has the positive eigenvalues of the plain one, and zeros.
#[test]
fn projection_keeps_the_positive_part() {
    for case in cases().iter().filter(|case| case.law.has_energy() && !case.has_fibres()) {
        for f in case.domain() {
            let plain = eigenvalues(&case.tangent(&f, false).to_matrix());
            let projected = eigenvalues(&case.tangent(&f, true).to_matrix());
            let scale = plain[8].abs().max(plain[0].abs());
            for k in 0..9 {
                let error = (projected[k] - plain[k].max(0.0)).abs() / scale;
                assert!(error < 1e-12, "{}: {plain:?} {projected:?} at {f:?}", case.name);
            }
        }
    }
}

#[test]
fn semi_definite_tangents_are_left_as_they_are() {
    let mut seen = 0;
    for case in cases().iter().filter(|case| case.law.has_energy() && !case.has_fibres()) {
        for f in case.domain() {
            let plain = case.tangent(&f, false).to_matrix();
            let values = eigenvalues(&plain);
            if values[0] < 0.0 {
                continue;
            }
            seen += 1;
            let projected = case.tangent(&f, true).to_matrix();
            for (a, b) in plain.iter().flatten().zip(projected.iter().flatten()) {
                assert!((a - b).abs() < 2e-13 * values[8], "{} at {f:?}", case.name);
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

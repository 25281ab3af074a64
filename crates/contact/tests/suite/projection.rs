//! The projection in few dimensions is that of the whole 12×12 matrix.

use pliant_contact::barrier::Barrier;
use pliant_contact::distance::Stencil;
use pliant_contact::distance::mollifier::Mollifier;

use crate::common::{Random, STENCILS, dense, eigen, largest};

/// The matrix without its negative eigenvalues, by its full decomposition.
fn positive_part(a: &[[f64; 12]; 12]) -> [[f64; 12]; 12] {
    let (values, vectors) = eigen(a);
    let mut part = [[0.0; 12]; 12];
    for k in 0..12 {
        for i in 0..12 {
            for j in 0..12 {
                part[i][j] += values[k].max(0.0) * vectors[k][i] * vectors[k][j];
            }
        }
    }
    part
}

fn compare(exact: &[[f64; 12]; 12], projected: &[[f64; 12]; 12]) -> (f64, f64) {
    let expected = positive_part(exact);
    let scale = largest(exact.as_flattened());
    let error = crate::common::apart(expected.as_flattened(), projected.as_flattened()) / scale;
    let lowest = eigen(projected).0.into_iter().fold(f64::INFINITY, f64::min) / scale;
    (error, lowest)
}

#[test]
fn projection_in_few_dimensions_is_that_of_the_full_matrix() {
    let mut random = Random(11);
    for stencil in STENCILS {
        let (mut worst, mut lowest, mut negative) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..200 {
            let x = random.points();
            let closest = stencil.closest(&x);
            for share in [0.9, 0.5, 0.01] {
                let jet = Barrier::Log.jet(closest.distance, closest.distance / share);
                let exact = dense(&closest.tangent(&x, jet.first, jet.second));
                let projected = dense(&closest.projected_tangent(&x, jet.first, jet.second));
                let (error, low) = compare(&exact, &projected);
                (worst, lowest) = (worst.max(error), lowest.min(low));
                let scale = largest(exact.as_flattened());
                negative += i32::from(eigen(&exact).0.iter().any(|&v| v < -1e-9 * scale));
            }
        }
        assert!(negative > 500, "{stencil:?}: {negative} matrices had something to project");
        assert!(worst < 2e-14 && lowest > -1e-14, "{stencil:?} {worst:e} {lowest:e}");
    }
}

#[test]
fn projection_of_a_growing_function_of_the_distance_is_right_too() {
    // b′ > 0, as for adhesion: the directions across the normal are kept.
    let mut random = Random(12);
    for stencil in STENCILS {
        for _ in 0..100 {
            let x = random.points();
            let closest = stencil.closest(&x);
            let exact = dense(&closest.tangent(&x, 1.3, -0.4));
            let projected = dense(&closest.projected_tangent(&x, 1.3, -0.4));
            let (error, lowest) = compare(&exact, &projected);
            assert!(error < 2e-14 && lowest > -1e-14, "{stencil:?} {error:e} {lowest:e}");
        }
    }
}

#[test]
fn projection_of_mollified_edges_is_that_of_the_full_matrix() {
    let mut random = Random(13);
    let mut active = 0;
    for _ in 0..300 {
        let mut x = random.points();
        // Nearly parallel, so that m < 1.
        for k in 0..3 {
            x[3][k] = x[2][k] + (x[1][k] - x[0][k]) + 0.02 * random.symmetric();
        }
        let closest = Stencil::EdgeEdge.closest(&x);
        let m = Mollifier::new(&x, [1.0, 1.0]);
        active += i32::from(m.is_active());
        let jet = Barrier::Log.jet(closest.distance, 2.0 * closest.distance);
        let jet = [jet.value, jet.first, jet.second];
        let exact = dense(&closest.mollified_tangent(&x, &m, jet));
        let projected = dense(&closest.projected_mollified_tangent(&x, &m, jet));
        let (error, lowest) = compare(&exact, &projected);
        assert!(error < 2e-14 && lowest > -4e-14, "{error:e} {lowest:e}");
    }
    assert!(active > 150, "{active}");
}

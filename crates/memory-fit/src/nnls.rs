//! Linear least squares with unknowns that may not be negative.

use crate::least_squares::{Columns, solve};

/// The x ≥ 0 that makes |A x − b| least, by the method of active sets (Lawson and Hanson: Solving least squares problems, 1974, chapter 23).
pub(crate) fn nonnegative(a: &Columns, b: &[f64]) -> Vec<f64> {
    let n = a.len();
    let mut x = vec![0.0; n];
    let mut free = vec![false; n];
    let scale: Vec<f64> = a.iter().map(|c| c.iter().map(|v| v * v).sum::<f64>().sqrt()).collect();
    let size = b.iter().map(|v| v * v).sum::<f64>().sqrt();
    // Each column enters a bounded number of times; rounding cannot make it go round for ever.
    for _ in 0..3 * n {
        let mut left = b.to_vec();
        for (column, x) in a.iter().zip(&x) {
            left.iter_mut().zip(column).for_each(|(l, c)| *l -= c * x);
        }
        let slope = |k: usize| {
            let along: f64 = a[k].iter().zip(&left).map(|(c, l)| c * l).sum();
            along / scale[k]
        };
        let candidates = (0..n).filter(|&k| !free[k] && scale[k] > 0.0).map(|k| (k, slope(k)));
        let Some((entering, steepest)) = candidates.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            break;
        };
        if steepest <= 1e-14 * size {
            break;
        }
        free[entering] = true;
        loop {
            let chosen: Vec<usize> = (0..n).filter(|&k| free[k]).collect();
            let columns = chosen.iter().map(|&k| a[k].clone()).collect();
            let trial = solve(columns, b.to_vec());
            // As far towards it as no unknown becomes negative; those that become zero leave.
            let mut part: f64 = 1.0;
            for (&k, &t) in chosen.iter().zip(&trial) {
                if t <= 0.0 {
                    part = part.min(x[k] / (x[k] - t).max(f64::MIN_POSITIVE));
                }
            }
            let mut left_out = false;
            for (&k, &t) in chosen.iter().zip(&trial) {
                x[k] += part * (t - x[k]);
                if t <= 0.0 && x[k] <= 1e-15 * size / scale[k] {
                    (x[k], free[k], left_out) = (0.0, false, true);
                }
            }
            if !left_out {
                break;
            }
        }
    }
    x
}

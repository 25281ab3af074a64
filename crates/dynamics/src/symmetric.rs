//! Eigenvalues and vectors of small dense symmetric matrices, by Jacobi's rotations.

/// Sweeps at most; a dozen is usual.
const SWEEPS: usize = 60;

/// The eigenvalues of a symmetric n × n matrix, ascending, each with its vector of length 1.
pub(crate) fn eigen(matrix: &[f64], n: usize) -> Vec<(f64, Vec<f64>)> {
    let mut a = matrix.to_vec();
    // Row k is the k-th vector.
    let mut vectors = vec![0.0; n * n];
    for k in 0..n {
        vectors[k * n + k] = 1.0;
    }
    let size = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let off = a[p * n + q];
                // Below rounding of both its diagonal entries: another rotation changes nothing.
                let small = (a[p * n + p] * a[q * n + q]).abs().sqrt();
                if off.abs() <= f64::EPSILON * 1e-2 * small || off.abs() <= 1e-30 * size {
                    continue;
                }
                turned = true;
                let theta = 0.5 * (a[q * n + q] - a[p * n + p]) / off;
                let t = if theta == 0.0 {
                    1.0
                } else {
                    theta.signum() / (theta.abs() + theta.hypot(1.0))
                };
                let c = 1.0 / t.hypot(1.0);
                rotate(&mut a, &mut vectors, n, [p, q], [c, t * c]);
            }
        }
        if !turned {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i * n + i].total_cmp(&a[j * n + j]));
    order.into_iter().map(|k| (a[k * n + k], vectors[k * n..(k + 1) * n].to_vec())).collect()
}

/// Turns the axes p and q: columns and rows of the matrix, rows of the vectors.
fn rotate(a: &mut [f64], vectors: &mut [f64], n: usize, [p, q]: [usize; 2], [c, s]: [f64; 2]) {
    let turn = |x: f64, y: f64| (c * x - s * y, s * x + c * y);
    for k in 0..n {
        (a[k * n + p], a[k * n + q]) = turn(a[k * n + p], a[k * n + q]);
    }
    for m in [a, vectors] {
        let (low, high) = m.split_at_mut(q * n);
        for (x, y) in low[p * n..(p + 1) * n].iter_mut().zip(&mut high[..n]) {
            (*x, *y) = turn(*x, *y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::eigen;

    #[test]
    fn the_second_difference_has_its_known_eigenvalues() {
        let n = 12;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = 2.0;
            if i > 0 {
                (a[i * n + i - 1], a[(i - 1) * n + i]) = (-1.0, -1.0);
            }
        }
        for (k, (value, vector)) in eigen(&a, n).into_iter().enumerate() {
            let half = 0.5 * std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64;
            let exact = 4.0 * half.sin() * half.sin();
            assert!((value - exact).abs() < 1e-14, "{value} {exact}");
            for i in 0..n {
                let product: f64 = (0..n).map(|j| a[i * n + j] * vector[j]).sum();
                assert!((product - value * vector[i]).abs() < 1e-14);
            }
        }
    }
}

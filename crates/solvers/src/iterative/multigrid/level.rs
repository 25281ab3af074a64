//! [`Level`]: a coarse level and its smoother, and the cycle over all of them.

use super::blocks::{Blocks, Rows, Small, add_multiplied, over_entries};
use super::dense::{Dense, inverse};
use super::transfer::Transfer;
use crate::iterative::vectors::{piece_dot, sweep};

/// Steps of the power method.
const POWER_STEPS: usize = 12;
/// By how much the estimate of the power method may be too low.
const SAFETY: f64 = 1.1;
/// Chebyshev's polynomials damp eigenvalues from the largest down to this part of it.
const LOWEST: f64 = 0.15;
/// Their degree.
const DEGREE: usize = 2;

/// Where the largest eigenvalue of a level comes from. An estimate goes on from the eigenvector of the matrix
/// before, so that for the same matrix a second one is another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Radius {
    /// It is estimated for the matrix at hand.
    Estimated,
    /// It was read from a checkpoint.
    Known,
}

/// A level below the finest.
pub(super) struct Level {
    pub matrix: Blocks<6, 6>,
    pub transfer: Option<Transfer<6>>,
    /// Whether the dense factor solves it.
    pub direct: bool,
    inverse: Vec<Small<6, 6>>,
    /// The largest eigenvalue of D⁻¹ A, estimated.
    pub radius: f64,
    /// Start of the power method: the last estimate of the eigenvector.
    pub vector: Vec<[f64; 6]>,
    pub right: Vec<[f64; 6]>,
    pub x: Vec<[f64; 6]>,
    residual: Vec<[f64; 6]>,
    step: Vec<[f64; 6]>,
}

impl Level {
    pub(super) fn new(matrix: Blocks<6, 6>) -> Self {
        let n = matrix.len();
        let zero = vec![[0.0; 6]; n];
        Self {
            inverse: vec![[[0.0; 6]; 6]; n],
            matrix,
            transfer: None,
            direct: false,
            radius: 1.0,
            vector: zero.clone(),
            right: zero.clone(),
            x: zero.clone(),
            residual: zero.clone(),
            step: zero,
        }
    }

    /// Inverse diagonal blocks and the largest eigenvalue, unless that is known.
    pub(super) fn prepare_smoother(&mut self, radius: Radius) {
        block_inverses(&self.matrix, &mut self.inverse);
        let matrix = &self.matrix;
        if radius == Radius::Estimated {
            self.radius =
                spectral_radius(&mut self.vector, &mut self.residual, &self.inverse, |x, y| {
                    matrix.multiply(x, y);
                });
        }
    }

    /// The values of the next level from those of this one.
    pub(super) fn fill(&mut self, next: &mut Level, radius: Radius) {
        self.prepare_smoother(radius);
        let omega = 4.0 / (3.0 * self.radius);
        if let Some(transfer) = &mut self.transfer {
            transfer.fill(&self.matrix, &self.inverse, omega, &mut next.matrix);
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.matrix.memory()
            + self.transfer.as_ref().map_or(0, Transfer::memory)
            + (288 + 5 * 48) * self.inverse.len()
    }

    /// x ← x + p(D⁻¹A) D⁻¹ (right − A x), or from x = 0.
    fn smooth(&mut self, from_zero: bool) {
        let Self { matrix, inverse, right, x, residual, step, .. } = self;
        let high = SAFETY * self.radius;
        let low = LOWEST * high;
        let (theta, delta) = (0.5 * (high + low), 0.5 * (high - low));
        let sigma = theta / delta;
        let mut rho = 1.0 / sigma;
        if from_zero {
            residual.copy_from_slice(right);
        } else {
            matrix.multiply(x, residual);
            for (r, b) in residual.iter_mut().zip(&*right) {
                for k in 0..6 {
                    r[k] = b[k] - r[k];
                }
            }
        }
        let parallel = rayon::current_num_threads() > 1;
        for k in 0..DEGREE {
            let (keep, gain) = if k == 0 {
                (0.0, 1.0 / theta)
            } else {
                let next = 1.0 / (2.0 * sigma - rho);
                let factors = (next * rho, 2.0 * next / delta);
                rho = next;
                factors
            };
            over_entries(0, step, parallel, &|i, step| {
                let mut scaled = [0.0; 6];
                add_multiplied(&mut scaled, &inverse[i], &residual[i]);
                for c in 0..6 {
                    step[c] = if k == 0 { 0.0 } else { keep * step[c] } + gain * scaled[c];
                }
            });
            if from_zero && k == 0 {
                x.copy_from_slice(step);
            } else {
                for (x, s) in x.iter_mut().zip(&*step) {
                    for c in 0..6 {
                        x[c] += s[c];
                    }
                }
            }
            if k + 1 < DEGREE {
                over_entries(0, residual, parallel, &|i, r| {
                    let mut product = [0.0; 6];
                    let range = matrix.range(i);
                    let row = matrix.values[range.clone()].iter().zip(&matrix.columns[range]);
                    for (a, &j) in row {
                        add_multiplied(&mut product, a, &step[j as usize]);
                    }
                    for c in 0..6 {
                        r[c] -= product[c];
                    }
                });
            }
        }
    }
}

/// One V-cycle: x of the first level from its right-hand side.
pub(super) fn cycle(levels: &mut [Level], coarsest: &Dense) {
    let Some((level, below)) = levels.split_first_mut() else { return };
    if level.direct && level.transfer.is_none() {
        level.x.copy_from_slice(&level.right);
        coarsest.solve(level.x.as_flattened_mut());
        return;
    }
    level.smooth(true);
    if let (Some(transfer), Some(next)) = (&level.transfer, below.first_mut()) {
        level.matrix.multiply(&level.x, &mut level.residual);
        for (r, b) in level.residual.iter_mut().zip(&level.right) {
            for k in 0..6 {
                r[k] = b[k] - r[k];
            }
        }
        transfer.restrict(&level.residual, &mut next.right);
        cycle(below, coarsest);
        if let Some(next) = below.first() {
            transfer.prolong(&next.x, &mut level.x);
        }
    }
    level.smooth(false);
}

/// The inverse diagonal blocks of a matrix.
pub(super) fn block_inverses<const R: usize>(rows: &impl Rows<R>, out: &mut [Small<R, R>]) {
    over_entries(0, out, rayon::current_num_threads() > 1, &|i, out| {
        if let Ok(k) = rows.columns(i).binary_search(&(i as u32)) {
            *out = inverse(&rows.block(i, k));
        }
    });
}

/// The largest eigenvalue of D⁻¹ A by the power method, in the norm of D, from below. `vector` keeps
/// the eigenvector for the next time; where it is zero it starts from a fixed uneven one.
pub(super) fn spectral_radius<const R: usize>(
    vector: &mut [[f64; R]],
    scratch: &mut [[f64; R]],
    inverse: &[Small<R, R>],
    mut multiply: impl FnMut(&[[f64; R]], &mut [[f64; R]]),
) -> f64 {
    let [known] = sweep([&*vector], [], &|[v], []| [piece_dot(v, v)]);
    let mut steps = POWER_STEPS / 3;
    if known == 0.0 {
        steps = POWER_STEPS;
        for (i, v) in vector.iter_mut().enumerate() {
            for (c, v) in v.iter_mut().enumerate() {
                // Hash of the place, so that no smooth mode dominates.
                let h = ((i * R + c) as u32).wrapping_mul(0x9E37_79B9);
                *v = f64::from(h >> 8) / f64::from(1_u32 << 23) - 1.0;
            }
        }
    }
    let parallel = rayon::current_num_threads() > 1;
    let mut radius = 1.0;
    for _ in 0..steps {
        multiply(vector, scratch);
        // vᵀ A v, and w = D⁻¹ A v with wᵀ A v = ‖w‖²_D: their ratio is below the largest eigenvalue.
        let [low] = sweep([&*vector, scratch], [], &|[v, s], []| [piece_dot(v, s)]);
        over_entries(0, vector, parallel, &|i, v| {
            *v = [0.0; R];
            add_multiplied(v, &inverse[i], &scratch[i]);
        });
        let [high] = sweep([&*vector, scratch], [], &|[v, s], []| [piece_dot(v, s)]);
        if !(low > 0.0 && high > 0.0) {
            break;
        }
        radius = high / low;
        let scale = 1.0 / high.sqrt();
        for v in vector.as_flattened_mut() {
            *v *= scale;
        }
    }
    radius
}

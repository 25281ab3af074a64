//! Random deformation gradients, finite differences, and the list of laws that every test runs over.
#![allow(dead_code, reason = "each test file uses its own part")]

use pliant_algebra::mat3::Mat3;
use pliant_materials::dense::DenseTangent;
use pliant_materials::{Law, Tangent};

/// SplitMix64: the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    pub(crate) fn vector(&mut self) -> [f64; 3] {
        [self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0)]
    }
    pub(crate) fn matrix(&mut self) -> Mat3<f64> {
        Mat3([self.vector(), self.vector(), self.vector()])
    }
    /// From a random quaternion.
    pub(crate) fn rotation(&mut self) -> Mat3<f64> {
        let mut q = [0.0; 4].map(|_: f64| self.between(-1.0, 1.0));
        let n = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        q = q.map(|c| c / n);
        let [w, x, y, z] = q;
        Mat3([
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ])
    }
    /// U diag(σ) Vᵀ with random rotations.
    pub(crate) fn with_stretches(&mut self, sigma: [f64; 3]) -> Mat3<f64> {
        let (u, v) = (self.rotation(), self.rotation());
        u.scale_columns(sigma).mul_transpose(&v)
    }
}

/// Deformations with J > 0: moderate, equal and nearly equal stretches, at rest, rotated, compressed.
pub(crate) fn ordinary() -> Vec<Mat3<f64>> {
    let mut random = Random(1);
    let mut list = vec![Mat3::identity(), random.rotation()];
    for sigma in [
        [1.3, 1.3, 0.8],
        [1.2, 0.9, 0.9],
        [1.25; 3],
        [1.1, 1.1 - 1e-7, 0.8],
        [1.2, 0.9 + 1e-5, 0.9],
        [0.6, 0.5, 0.45],
        [2.0, 1.0, 0.5],
    ] {
        list.push(random.with_stretches(sigma));
    }
    for _ in 0..6 {
        let sigma = [0.0; 3].map(|_: f64| random.between(0.6, 1.6));
        list.push(random.with_stretches(sigma));
    }
    list
}

/// Flat, inverted and crushed deformations, away from the kink σ₂ = −σ₃ and from thresholds.
pub(crate) fn inverted() -> Vec<Mat3<f64>> {
    let mut random = Random(2);
    let mut list = Vec::new();
    for sigma in [
        [1.2, 1.0, 0.01],
        [1.2, 1.0, 0.0],
        [1.2, 1.0, -0.3],
        [1.5, 0.9, -0.5],
        [1.0, 0.15, 0.1],
        [1.0, 0.12, -0.05],
        [0.15, 0.15, 0.15],
        [0.15, 0.1, 0.05],
        [2.0, 1.0, 0.15],
        [1.1, 1.1, -0.4],
        [1.3, 0.5, 0.5],
        [0.68, 0.5, -0.3],
    ] {
        list.push(random.with_stretches(sigma));
    }
    list
}

/// Largest entry.
fn size(m: &Mat3<f64>) -> f64 {
    m.max_abs()
}

/// The best error of central differences over a sweep of steps, and whether the error fell with the
/// square of the step before rounding took over.
fn sweep(error: impl Fn(f64) -> f64) -> f64 {
    let errors: Vec<f64> = (2..9).map(|k| error(10f64.powi(-k))).collect();
    let second_order = errors.windows(2).any(|w| w[1] <= 0.03 * w[0]);
    assert!(second_order || errors[0] < 1e-8, "no second order: {errors:?}");
    errors.into_iter().fold(f64::INFINITY, f64::min)
}

/// A : dF by differences of the stress.
fn stress_difference<L: Law>(
    law: &L,
    p: &[f64],
    f: &Mat3<f64>,
    df: &Mat3<f64>,
    h: f64,
) -> Mat3<f64> {
    (law.stress(p, &(*f + df.scale(h))) - law.stress(p, &(*f - df.scale(h)))).scale(0.5 / h)
}

pub(crate) fn dense<L: Law>(law: &L, p: &[f64], f: &Mat3<f64>, project: bool) -> DenseTangent<f64> {
    DenseTangent::from_tangent(&law.stress_and_tangent(p, f, project).1)
}

/// P is the derivative of W.
pub(crate) fn check_stress<L: Law>(name: &str, law: &L, p: &[f64], f: &Mat3<f64>) {
    let stress = law.stress(p, f);
    let scale = size(&stress).max(1.0);
    let worst = sweep(|h| {
        let mut worst = 0.0f64;
        for k in 0..9 {
            let mut df = Mat3::zero();
            df.0[k / 3][k % 3] = h;
            let slope = (law.energy(p, &(*f + df)) - law.energy(p, &(*f - df))) / (2.0 * h);
            worst = worst.max((slope - stress.0[k / 3][k % 3]).abs());
        }
        worst / scale
    });
    assert!(worst < 1e-7, "{name}: P differs from dW/dF by {worst:e} at {f:?}");
    let (again, _) = law.stress_and_tangent(p, f, false);
    let (projected, _) = law.stress_and_tangent(p, f, true);
    let difference = size(&(again - stress)).max(size(&(projected - stress))) / scale;
    assert!(difference < 1e-12, "{name}: stress of the tangent differs by {difference:e} at {f:?}");
}

/// The tangent is the derivative of P, and its blocks are bilinear in the gradients.
pub(crate) fn check_tangent<L: Law>(name: &str, law: &L, p: &[f64], f: &Mat3<f64>) {
    let full = dense(law, p, f, false);
    let scale = full.columns.iter().flatten().map(size).fold(1.0, f64::max);
    let worst = sweep(|h| {
        let mut worst = 0.0f64;
        for k in 0..9 {
            let mut df = Mat3::zero();
            df.0[k / 3][k % 3] = 1.0;
            let difference = stress_difference(law, p, f, &df, h) - full.columns[k / 3][k % 3];
            worst = worst.max(size(&difference));
        }
        worst / scale
    });
    assert!(worst < 1e-7, "{name}: tangent differs from dP/dF by {worst:e} at {f:?}");
    check_blocks(name, law, p, f);
}

/// Blocks of arbitrary gradients are what the full tensor says.
pub(crate) fn check_blocks<L: Law>(name: &str, law: &L, p: &[f64], f: &Mat3<f64>) {
    for project in [false, true] {
        let tangent = law.stress_and_tangent(p, f, project).1;
        let full = DenseTangent::from_tangent(&tangent);
        let scale = full.columns.iter().flatten().map(size).fold(1.0, f64::max);
        let mut random = Random(3);
        let (a, b) = (random.vector(), random.vector());
        let block = tangent.block(&tangent.node(a), &tangent.node(b));
        let difference = block - full.block(&full.node(a), &full.node(b));
        assert!(size(&difference) < 1e-13 * scale, "{name}: block is off by {difference:?}");
    }
}

/// A_ijkl = A_klij
pub(crate) fn check_symmetry<L: Law>(name: &str, law: &L, p: &[f64], f: &Mat3<f64>) {
    for project in [false, true] {
        let a = dense(law, p, f, project).to_matrix();
        let scale = a.iter().flatten().fold(1.0f64, |m, x| m.max(x.abs()));
        for r in 0..9 {
            for c in 0..r {
                let d = (a[r][c] - a[c][r]).abs() / scale;
                assert!(d < 1e-12, "{name}: A is not symmetric by {d:e} at {f:?}");
            }
        }
    }
}

/// Eigenvalues of a symmetric 9×9 matrix by cyclic Jacobi rotations, ascending.
pub(crate) fn eigenvalues(matrix: &[[f64; 9]; 9]) -> [f64; 9] {
    let mut a = *matrix;
    for _ in 0..60 {
        for p in 0..9 {
            for q in p + 1..9 {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..9 {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..9 {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut values = [0.0; 9];
    for (i, v) in values.iter_mut().enumerate() {
        *v = a[i][i];
    }
    values.sort_by(f64::total_cmp);
    values
}

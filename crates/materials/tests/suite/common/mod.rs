//! Random deformation gradients, finite differences, and the list of laws that every test runs over.
#![allow(dead_code, reason = "each test file uses its own part")]

use pliant_algebra::mat3::Mat3;
use pliant_materials::dense::DenseTangent;
use pliant_materials::fibres::FAMILY;
use pliant_materials::{Constants, Continuation, Inversion, LawName, Material, PointLaw, Tangent};

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

/// Flat, inverted and crushed deformations, away from the kink σ₂ = −σ₃ and from thresholds of stretches and of J.
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
        [2.0, 1.0, 0.16],
        [1.1, 1.1, -0.4],
        [1.3, 0.5, 0.5],
        [0.68, 0.5, -0.3],
    ] {
        list.push(random.with_stretches(sigma));
    }
    list
}

/// Largest entry.
pub(crate) fn size(m: &Mat3<f64>) -> f64 {
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

/// A law with sample parameters.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) material: Material,
    pub(crate) law: Box<dyn PointLaw>,
    pub(crate) p: Vec<f64>,
}

/// Moderate constants of each law, of order 1. A law whose own constants are not Lamé's pair has a row here.
pub(crate) fn sample(law: LawName) -> Constants {
    match law {
        LawName::ORTHOTROPIC => Constants::Orthotropic {
            young: [3.0, 2.0, 1.5],
            poisson: [0.3, 0.2, 0.1],
            shear: [0.9, 0.8, 0.7],
            rotation: [0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6],
        },
        LawName::ANISOTROPIC => {
            // Aᵀ A + I of a matrix without symmetry.
            let mut random = Random(9);
            let a = [[0.0; 6]; 6].map(|row| row.map(|_: f64| random.between(-0.5, 0.5)));
            let mut tensor = Vec::new();
            for i in 0..6 {
                for j in i..6 {
                    let product: f64 = (0..6).map(|k| a[k][i] * a[k][j]).sum();
                    tensor.push(product + f64::from(u8::from(i == j)));
                }
            }
            Constants::Own(tensor)
        }
        LawName::NEO_HOOKEAN_ISOCHORIC => Constants::Own(vec![0.5, 2.0]),
        LawName::MOONEY_RIVLIN => Constants::Own(vec![0.6, 0.3, 5.0]),
        LawName::VERONDA_WESTMANN => Constants::Own(vec![0.5, 0.8, 10.0]),
        LawName::VERONDA_WESTMANN_NIENHUYS => Constants::Own(vec![1.5, 1.0, 0.7]),
        LawName::REDUCED_POLYNOMIAL => Constants::Own(vec![0.5, 0.1, 0.02, -0.01, 0.003, 0.4]),
        LawName::OGDEN => Constants::Own(vec![0.8, 1.3, 0.05, 5.0, -0.3, -2.0, 5.0]),
        LawName::HOLZAPFEL_GASSER_OGDEN => Constants::Own(vec![0.5, 2.0, 0.6, 0.8, 0.1, 0.7]),
        LawName::CIARLET_GEYMONAT => Constants::Own(vec![0.3, 0.05, 0.2, 0.4]),
        other => {
            let own: Vec<&str> = other.constants().iter().map(|c| c.name).collect();
            assert_eq!(own, ["lambda", "mu"], "{}: no row in `sample`", other.name());
            Constants::Lame { lambda: 1.5, mu: 1.0 }
        }
    }
}

/// Every law in every variant it has.
pub(crate) fn cases() -> Vec<Case> {
    let variants = [("", Inversion::Plain), ("invertible ", Inversion::Continued(None))];
    let mut cases = Vec::new();
    for law in LawName::ALL {
        let mut p = sample(law).parameters(law).unwrap();
        if law == LawName::COROTATIONAL_LEAST_DISPLACEMENT {
            p[2..].copy_from_slice(&[1.0, 0.7, 0.4, 0.1, -0.05, 0.2]);
        }
        for (prefix, inversion) in variants {
            if let Ok(material) = Material::new(law).with_inversion(inversion) {
                let name = format!("{prefix}{}", law.name());
                cases.push(Case { name, material, law: material.point(), p: p.clone() });
            }
        }
    }
    let offered = |law: &LawName| law.entry().inversion == Continuation::Offered;
    let continued = LawName::ALL.iter().filter(|law| offered(law)).count();
    assert_eq!(cases.len(), LawName::ALL.len() + continued);
    cases
}

impl Case {
    pub(crate) fn is_linear(&self) -> bool {
        self.material.law().entry().is_linear
    }
    /// Neither QR nor least displacement treat all axes alike.
    pub(crate) fn is_isotropic(&self) -> bool {
        let law = self.material.law();
        let other = [LawName::COROTATIONAL_QR, LawName::COROTATIONAL_LEAST_DISPLACEMENT];
        !self.is_linear() && !other.contains(&law) && !self.has_fibres()
    }
    /// Fibres have a direction, and a kink where they begin to carry; a matrix is projected without them.
    pub(crate) fn has_fibres(&self) -> bool {
        self.material.families() > 0
    }
    /// How far E of the fibres is from 0, where their tangent jumps; infinite where there are none.
    fn distance_to_kink(&self, f: &Mat3<f64>) -> f64 {
        let fibres = &self.p[self.material.matrix_parameters()..];
        let strain = |p: &[f64]| {
            let fa = f.mul_vec([p[3], p[4], p[5]]);
            let square: f64 = fa.iter().map(|c| c * c).sum();
            (p[2] * (f.norm_squared() - 3.0) + (1.0 - 3.0 * p[2]) * (square - 1.0)).abs()
        };
        fibres
            .chunks(FAMILY)
            .take(self.material.families())
            .map(strain)
            .fold(f64::INFINITY, f64::min)
    }
    pub(crate) fn energy(&self, f: &Mat3<f64>) -> f64 {
        self.law.energy(&self.p, f)
    }
    pub(crate) fn stress(&self, f: &Mat3<f64>) -> Mat3<f64> {
        self.law.stress(&self.p, f)
    }
    pub(crate) fn tangent(&self, f: &Mat3<f64>, project: bool) -> DenseTangent<f64> {
        self.law.stress_and_tangent(&self.p, f, project).1
    }
    /// Deformations in the domain of the law.
    pub(crate) fn domain(&self) -> Vec<Mat3<f64>> {
        let mut list = ordinary();
        if !self.law.needs_positive_j() {
            list.extend(inverted());
        }
        list.retain(|f| self.distance_to_kink(f) > 0.05);
        list
    }

    /// P is the derivative of W.
    pub(crate) fn check_stress(&self, f: &Mat3<f64>) {
        let stress = self.stress(f);
        let scale = size(&stress).max(1.0);
        let worst = sweep(|h| {
            let mut worst = 0.0f64;
            for k in 0..9 {
                let mut df = Mat3::zero();
                df.0[k / 3][k % 3] = h;
                let slope = (self.energy(&(*f + df)) - self.energy(&(*f - df))) / (2.0 * h);
                worst = worst.max((slope - stress.0[k / 3][k % 3]).abs());
            }
            worst / scale
        });
        assert!(worst < 1e-7, "{}: P differs from dW/dF by {worst:e} at {f:?}", self.name);
    }

    /// The stress that comes with the tangent is the same as without.
    pub(crate) fn check_both_stresses(&self, f: &Mat3<f64>) {
        let stress = self.stress(f);
        for project in [false, true] {
            let again = self.law.stress_and_tangent(&self.p, f, project).0;
            let difference = size(&(again - stress)) / size(&stress).max(1.0);
            assert!(difference < 1e-12, "{}: {difference:e} at {f:?}", self.name);
        }
    }

    /// The tangent is the derivative of P.
    pub(crate) fn check_tangent(&self, f: &Mat3<f64>) {
        let full = self.tangent(f, false);
        let scale = full.columns.iter().flatten().map(size).fold(1.0, f64::max);
        let worst = sweep(|h| {
            let mut worst = 0.0f64;
            for k in 0..9 {
                let mut df = Mat3::zero();
                df.0[k / 3][k % 3] = h;
                let slope = (self.stress(&(*f + df)) - self.stress(&(*f - df))).scale(0.5 / h);
                worst = worst.max(size(&(slope - full.columns[k / 3][k % 3])));
            }
            worst / scale
        });
        assert!(worst < 1e-7, "{}: A differs from dP/dF by {worst:e} at {f:?}", self.name);
    }

    /// Blocks of arbitrary gradients are what the full tensor says.
    pub(crate) fn check_blocks(&self, f: &Mat3<f64>) {
        let mut random = Random(3);
        let (a, b) = (random.vector(), random.vector());
        for project in [false, true] {
            let full = self.tangent(f, project);
            let scale = full.columns.iter().flatten().map(size).fold(1.0, f64::max);
            let block = self.law.block(&self.p, f, project, a, b);
            let difference = size(&(block - full.block(&full.node(a), &full.node(b)))) / scale;
            assert!(difference < 1e-13, "{}: block is off by {difference:e}", self.name);
        }
    }

    /// A_ijkl = A_klij
    pub(crate) fn check_symmetry(&self, f: &Mat3<f64>) {
        for project in [false, true] {
            let a = self.tangent(f, project).to_matrix();
            let scale = a.iter().flatten().fold(1.0f64, |m, x| m.max(x.abs()));
            for r in 0..9 {
                for c in 0..r {
                    let d = (a[r][c] - a[c][r]).abs() / scale;
                    assert!(d < 1e-12, "{}: A is not symmetric by {d:e} at {f:?}", self.name);
                }
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

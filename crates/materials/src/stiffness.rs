//! [`Stiffness`]: an elastic tensor as a 6×6 matrix, checked and turned into world axes.

use pliant_algebra::mat3::Mat3;

use crate::anisotropic::{CONSTANTS, position};
use crate::error::{MaterialError, ensure, positive};
use crate::jet::PAIRS;

/// C with σ = C ε in the order xx, yy, zz, xy, yz, xz with engineering shear, Pa. Symmetric, positive
/// definite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stiffness(pub [[f64; 6]; 6]);

/// A pivot below this, relative to the diagonal entry it came from, is rounding.
const SINGULAR: f64 = 1e-12;

impl Stiffness {
    /// Hooke's law.
    pub fn isotropic(lambda: f64, mu: f64) -> Self {
        let mut c = [[0.0; 6]; 6];
        for i in 0..3 {
            for j in 0..3 {
                c[i][j] = lambda;
            }
            c[i][i] += 2.0 * mu;
            c[i + 3][i + 3] = mu;
        }
        Self(c)
    }

    /// From the upper triangle, row after row.
    pub fn from_triangle(constants: &[f64; CONSTANTS]) -> Result<Self, MaterialError> {
        let mut c = [[0.0; 6]; 6];
        for (i, row) in c.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                let name = format!("c{}{}", i.min(j) + 1, i.max(j) + 1);
                let value = constants[position(i, j)];
                *entry = ensure(true, &name, value, "must be a finite number")?;
            }
        }
        Self(c).checked("the elastic tensor", "")
    }

    /// From Young's moduli E1, E2, E3, Poisson's ratios ν12, ν23, ν31 (νij: strain along j for a pull along i)
    /// and shear moduli G12, G23, G31, in material axes.
    pub fn orthotropic(
        young: [f64; 3],
        poisson: [f64; 3],
        shear: [f64; 3],
    ) -> Result<Self, MaterialError> {
        for (name, value) in ["young1", "young2", "young3"].iter().zip(young) {
            positive(name, value)?;
        }
        for (name, value) in ["shear12", "shear23", "shear31"].iter().zip(shear) {
            positive(name, value)?;
        }
        for (name, value) in ["poisson12", "poisson23", "poisson31"].iter().zip(poisson) {
            crate::error::finite(name, value)?;
        }
        // Compliance: strain from stress.
        let mut compliance = Mat3::diagonal(young.map(|e| 1.0 / e));
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            compliance.0[i][j] = -poisson[i] / young[i];
            compliance.0[j][i] = compliance.0[i][j];
        }
        let mut six = [[0.0; 6]; 6];
        for i in 0..3 {
            six[i][..3].copy_from_slice(&compliance.0[i]);
            six[i + 3][i + 3] = 1.0 / shear[i];
        }
        let hint = "; Poisson's ratios are too large: |νij| must stay below √(Ei/Ej), and all three together";
        Self(six).checked("the orthotropic compliance", hint)?;
        let inverse = compliance.inverse().symmetric_part();
        let mut c = [[0.0; 6]; 6];
        for i in 0..3 {
            c[i][..3].copy_from_slice(&inverse.0[i]);
            c[i + 3][i + 3] = shear[i];
        }
        Self(c).checked("the orthotropic tensor", hint)
    }

    /// Cholesky's factorisation, which exists for positive definite matrices only.
    pub(crate) fn checked(
        self,
        tensor: &'static str,
        hint: &'static str,
    ) -> Result<Self, MaterialError> {
        let mut a = self.0;
        for k in 0..6 {
            let pivot = a[k][k];
            if pivot.is_nan() || pivot <= SINGULAR * self.0[k][k].abs() {
                return Err(MaterialError::NotPositiveDefinite {
                    tensor,
                    pivot: k + 1,
                    found: pivot,
                    hint,
                });
            }
            for i in k + 1..6 {
                for j in k + 1..6 {
                    a[i][j] -= a[i][k] * a[k][j] / pivot;
                }
                a[i][k] = 0.0;
            }
        }
        Ok(self)
    }

    /// The same material with its axes turned: the columns of `rotation` are the material axes in
    /// the world. With ε_material = T ε_world, C_world = Tᵀ C T.
    pub fn rotated(&self, rotation: &Mat3<f64>) -> Result<Self, MaterialError> {
        let skewness = (rotation.gram() - Mat3::identity()).max_abs();
        let accepted =
            "the material axes must be a rotation, its columns orthogonal to 1e-6 and right-handed";
        ensure(skewness <= 1e-6, "deviation of the material axes", skewness, accepted)?;
        let det = rotation.determinant();
        ensure(det > 0.0, "determinant of the material axes", det, accepted)?;
        let mut t = [[0.0; 6]; 6];
        for (k, &(i, j)) in PAIRS.iter().enumerate() {
            let mut strain = Mat3::zero();
            // Unit engineering strain: half of it on either side of the diagonal.
            strain.0[i][j] += 0.5;
            strain.0[j][i] += 0.5;
            let turned = rotation.transpose_mul(&(strain * *rotation));
            for (r, &(m, n)) in PAIRS.iter().enumerate() {
                t[r][k] = if r < 3 { turned.0[m][n] } else { turned.0[m][n] + turned.0[n][m] };
            }
        }
        let mut c = [[0.0; 6]; 6];
        for i in 0..6 {
            for j in i..6 {
                for r in 0..6 {
                    for s in 0..6 {
                        c[i][j] += t[r][i] * self.0[r][s] * t[s][j];
                    }
                }
                c[j][i] = c[i][j];
            }
        }
        Ok(Self(c))
    }

    /// The upper triangle, as [`Anisotropic`](crate::anisotropic::Anisotropic) takes it.
    pub fn to_triangle(&self) -> [f64; CONSTANTS] {
        let mut constants = [0.0; CONSTANTS];
        for i in 0..6 {
            for j in i..6 {
                constants[position(i, j)] = self.0[i][j];
            }
        }
        constants
    }
}

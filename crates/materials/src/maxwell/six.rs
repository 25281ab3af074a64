//! Symmetric tensors as six packs, and the elastic tensor that weighs what branches remember.

use pliant_algebra::lanes::{F64x8, InLanes};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use super::{Form, Share};
use crate::anisotropic::{CONSTANTS, position};
use crate::error::MaterialError;
use crate::jet::PAIRS;
use crate::point::PointLaw;
use crate::stiffness::Stiffness;

/// Entries of a symmetric tensor in the order xx, yy, zz, xy, yz, xz: those of the tensor, no engineering shear.
pub type Six = [F64x8; 6];

#[inline(always)]
pub(super) fn read_six<R: InLanes>(from: &[F64x8], lane: usize) -> Mat3<R> {
    let mut m = Mat3::zero();
    for (k, (i, j)) in PAIRS.into_iter().enumerate() {
        m.0[i][j] = R::read(&from[k], lane);
        m.0[j][i] = m.0[i][j];
    }
    m
}

#[inline(always)]
pub(super) fn write_six<R: InLanes>(m: &Mat3<R>, to: &mut [F64x8], lane: usize) {
    for (k, (i, j)) in PAIRS.into_iter().enumerate() {
        m.0[i][j].write(&mut to[k], lane);
    }
}

/// An elastic tensor at eight points.
#[derive(Debug, Clone, Copy)]
pub enum Moduli<'a> {
    /// λ and μ.
    Isotropic(&'a [F64x8]),
    /// The upper triangle of the 6×6 matrix, for engineering shear.
    Anisotropic(&'a [F64x8]),
}

/// The same in registers.
pub(super) trait Hooke<R: Real>: Copy {
    /// From the list of [`Moduli`].
    fn read(from: &[F64x8], lane: usize) -> Self
    where
        R: InLanes;
    /// 𝒞 : ε
    fn apply(&self, strain: &Mat3<R>) -> Mat3<R>;
    /// What a shape gradient b gives, turned by F: for the block Σ F_iI b_J 𝒞_IJKL F_kK c_L.
    type Node: Copy;
    fn node(&self, f: &Mat3<R>, gradient: [R; 3], scale: R) -> Self::Node;
    fn block(a: &Self::Node, b: &Self::Node, dot: R, gram: &Mat3<R>) -> Mat3<R>;
    /// What all blocks share.
    fn gram(&self, f: &Mat3<R>, scale: R) -> Mat3<R>;
}

/// λ and μ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lame<R>(R, R);

impl<R: Real> Hooke<R> for Lame<R> {
    #[inline(always)]
    fn read(from: &[F64x8], lane: usize) -> Self
    where
        R: InLanes,
    {
        Self(R::read(&from[0], lane), R::read(&from[1], lane))
    }
    #[inline(always)]
    fn apply(&self, strain: &Mat3<R>) -> Mat3<R> {
        crate::linear::hooke(self.0, self.1, strain)
    }
    /// F b, and λ and μ times it.
    type Node = [[R; 3]; 3];
    #[inline(always)]
    fn node(&self, f: &Mat3<R>, gradient: [R; 3], scale: R) -> Self::Node {
        let u = f.mul_vec(gradient);
        let (lambda, mu) = (self.0 * scale, self.1 * scale);
        [u, u.map(|u| u * lambda), u.map(|u| u * mu)]
    }
    /// λ (F a)(F b)ᵀ + μ (F b)(F a)ᵀ + μ (a·b) F Fᵀ
    #[inline(always)]
    fn block(a: &Self::Node, b: &Self::Node, dot: R, gram: &Mat3<R>) -> Mat3<R> {
        let mut block = Mat3::zero();
        for i in 0..3 {
            for k in 0..3 {
                block.0[i][k] = a[0][i] * b[1][k] + b[2][i] * a[0][k] + gram.0[i][k] * dot;
            }
        }
        block
    }
    /// μ F Fᵀ
    #[inline(always)]
    fn gram(&self, f: &Mat3<R>, scale: R) -> Mat3<R> {
        f.mul_transpose(f).scale(self.1 * scale)
    }
}

/// 21 constants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Full<R>([R; CONSTANTS]);

/// ε as six numbers with engineering shear.
#[inline(always)]
fn engineering<R: Real>(strain: &Mat3<R>) -> [R; 6] {
    let e = &strain.0;
    [e[0][0], e[1][1], e[2][2], e[0][1] + e[1][0], e[1][2] + e[2][1], e[0][2] + e[2][0]]
}

impl<R: Real> Full<R> {
    #[inline(always)]
    fn times(&self, v: [R; 6]) -> [R; 6] {
        let mut sum = [R::zero(); 6];
        for i in 0..6 {
            for j in 0..6 {
                sum[i] += self.0[position(i, j)] * v[j];
            }
        }
        sum
    }
}

impl<R: Real> Hooke<R> for Full<R> {
    #[inline(always)]
    fn read(from: &[F64x8], lane: usize) -> Self
    where
        R: InLanes,
    {
        let mut c = [R::zero(); CONSTANTS];
        for (c, from) in c.iter_mut().zip(from) {
            *c = R::read(from, lane);
        }
        Self(c)
    }
    #[inline(always)]
    fn apply(&self, strain: &Mat3<R>) -> Mat3<R> {
        let [xx, yy, zz, xy, yz, xz] = self.times(engineering(strain));
        Mat3([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    }
    /// The strain of a unit displacement along each axis, and the stress of it.
    type Node = ([[R; 6]; 3], [[R; 6]; 3]);
    #[inline(always)]
    fn node(&self, f: &Mat3<R>, g: [R; 3], scale: R) -> Self::Node {
        let strain = f.0.map(|f| {
            let mixed = |i: usize, j: usize| f[i] * g[j] + f[j] * g[i];
            [f[0] * g[0], f[1] * g[1], f[2] * g[2], mixed(0, 1), mixed(1, 2), mixed(0, 2)]
        });
        (strain, strain.map(|e| self.times(e).map(|s| s * scale)))
    }
    #[inline(always)]
    fn block(a: &Self::Node, b: &Self::Node, _dot: R, _gram: &Mat3<R>) -> Mat3<R> {
        let mut block = Mat3::zero();
        for i in 0..3 {
            for k in 0..3 {
                for c in 0..6 {
                    block.0[i][k] += a.0[i][c] * b.1[k][c];
                }
            }
        }
        block
    }
    #[inline(always)]
    fn gram(&self, _f: &Mat3<R>, _scale: R) -> Mat3<R> {
        Mat3::zero()
    }
}

/// The elastic tensor that weighs what branches remember: that of a law at rest for strains, its inverse for stresses.
#[derive(Debug, Clone, PartialEq)]
pub enum RestModuli {
    /// λ and μ.
    Isotropic([f64; 2]),
    /// The upper triangle of the 6×6 matrix.
    Anisotropic([f64; CONSTANTS]),
}

/// Relative difference of constants of tensors that count as isotropic.
const ISOTROPIC: f64 = 1e-9;

impl RestModuli {
    /// The tangent of a law at rest, with these parameters.
    pub fn of(law: &dyn PointLaw, parameters: &[f64]) -> Result<Self, MaterialError> {
        let (_, tangent) = law.stress_and_tangent(parameters, &Mat3::identity(), false);
        let mut c = [[0.0; 6]; 6];
        for (i, row) in c.iter_mut().enumerate() {
            for (j, c) in row.iter_mut().enumerate() {
                let ((a, b), (k, l)) = (PAIRS[i], PAIRS[j]);
                let entry = |a: usize, b: usize| tangent.columns[k][l].0[a][b];
                *c = 0.5 * (entry(a, b) + entry(b, a));
            }
        }
        for i in 0..6 {
            for j in 0..i {
                let mean = 0.5 * (c[i][j] + c[j][i]);
                (c[i][j], c[j][i]) = (mean, mean);
            }
        }
        let stiffness = Stiffness(c).checked("the stiffness of the law at rest", "")?;
        let (lambda, mu) = (c[0][1], c[3][3]);
        let hooke = Stiffness::isotropic(lambda, mu).0;
        let size = lambda.abs() + 2.0 * mu;
        let differs = |i: usize, j: usize| (c[i][j] - hooke[i][j]).abs() > ISOTROPIC * size;
        let isotropic = !(0..36).any(|k| differs(k / 6, k % 6));
        Ok(if isotropic {
            Self::Isotropic([lambda, mu])
        } else {
            Self::Anisotropic(stiffness.to_triangle())
        })
    }

    /// Whether all directions are alike.
    pub fn is_isotropic(&self) -> bool {
        matches!(self, Self::Isotropic(_))
    }

    /// μ of isotropic ones, Pa.
    pub fn shear(&self) -> Option<f64> {
        match self {
            Self::Isotropic([_, mu]) => Some(*mu),
            Self::Anisotropic(_) => None,
        }
    }

    /// What weighs the branches of this form. Anisotropic laws have no modulus of shear that could relax alone.
    pub fn weights(&self, form: Form, share: Share) -> Result<Self, MaterialError> {
        match (self, form, share) {
            (Self::Isotropic([_, mu]), Form::Strain, Share::Shear) => {
                Ok(Self::Isotropic([-2.0 / 3.0 * mu, *mu]))
            }
            (_, Form::Strain, Share::All) => Ok(self.clone()),
            (Self::Isotropic([lambda, mu]), Form::Stress, _) => {
                // ε = σ/2μ − λ tr σ I / (2μ (3λ + 2μ))
                Ok(Self::Isotropic([-lambda / (2.0 * mu * (3.0 * lambda + 2.0 * mu)), 0.25 / mu]))
            }
            (Self::Anisotropic(_), _, Share::Shear) => Err(MaterialError::NoMemory {
                what: "on = \"shear\"",
                hint: "the law is not the same in all directions, so that no modulus is that of shear alone: take on = \"all\"",
            }),
            (Self::Anisotropic(c), Form::Stress, Share::All) => {
                Ok(Self::Anisotropic(compliance(&Stiffness::from_triangle(c)?)))
            }
        }
    }

    /// Its numbers, two or 21.
    pub fn list(&self) -> &[f64] {
        match self {
            Self::Isotropic(list) => list,
            Self::Anisotropic(list) => list,
        }
    }

    /// As 21 numbers.
    #[must_use]
    pub fn in_full(&self) -> Self {
        match self {
            Self::Isotropic([lambda, mu]) => {
                Self::Anisotropic(Stiffness::isotropic(*lambda, *mu).to_triangle())
            }
            Self::Anisotropic(_) => self.clone(),
        }
    }
}

/// The inverse as a tensor that is applied as a stiffness is: to a stress as if it were a strain, with twice its shear.
fn compliance(stiffness: &Stiffness) -> [f64; CONSTANTS] {
    let mut a = stiffness.0;
    let mut inverse = [[0.0; 6]; 6];
    for (k, row) in inverse.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    // Gauss-Jordan; it is positive definite.
    for k in 0..6 {
        let pivot = a[k][k];
        for j in 0..6 {
            a[k][j] /= pivot;
            inverse[k][j] /= pivot;
        }
        for i in (0..6).filter(|i| *i != k) {
            let factor = a[i][k];
            for j in 0..6 {
                a[i][j] -= factor * a[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
    // Engineering strain comes out and tensor stress goes in: halves for both.
    let half = |i: usize| if i < 3 { 1.0 } else { 0.5 };
    let mut list = [0.0; CONSTANTS];
    for i in 0..6 {
        for j in i..6 {
            list[position(i, j)] = half(i) * inverse[i][j] * half(j);
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use pliant_algebra::mat3::Mat3;

    use super::super::{Form, Share};
    use super::{Full, Hooke, Lame, RestModuli};
    use crate::{Constants, LawName, Material};

    fn moduli(law: LawName, constants: &Constants) -> RestModuli {
        let parameters = constants.parameters(law).unwrap();
        RestModuli::of(&*Material::new(law).point(), &parameters).unwrap()
    }

    #[test]
    fn every_isotropic_law_has_its_moduli_at_rest() {
        let given = Constants::Lame { lambda: 1.5, mu: 1.0 };
        for law in LawName::ALL {
            let RestModuli::Isotropic([lambda, mu]) = moduli(law, &given) else {
                panic!("{law:?} is not isotropic")
            };
            assert!((lambda - 1.5).abs() < 1e-12 && (mu - 1.0).abs() < 1e-12, "{law:?}");
        }
    }

    #[test]
    fn weights_of_stresses_are_inverse_to_those_of_strains() {
        let strain = Mat3([[0.1, 0.02, -0.03], [0.02, -0.05, 0.04], [-0.03, 0.04, 0.07]]);
        let isotropic = RestModuli::Isotropic([1.5, 1.0]);
        let orthotropic = Constants::Orthotropic {
            young: [2.0, 3.0, 5.0],
            poisson: [0.2, 0.3, 0.1],
            shear: [0.7, 0.9, 1.1],
            rotation: [0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6],
        };
        let anisotropic = moduli(LawName::ANISOTROPIC, &orthotropic);
        assert!(!anisotropic.is_isotropic());
        assert!(anisotropic.weights(Form::Strain, Share::Shear).is_err());
        for moduli in [isotropic.clone(), isotropic.in_full(), anisotropic] {
            let apply = |m: &RestModuli, e: &Mat3<f64>| match m {
                RestModuli::Isotropic([l, m]) => Lame(*l, *m).apply(e),
                RestModuli::Anisotropic(c) => Full(*c).apply(e),
            };
            let stress = apply(&moduli, &strain);
            let back = apply(&moduli.weights(Form::Stress, Share::All).unwrap(), &stress);
            assert!((back - strain).max_abs() < 1e-15);
        }
    }
}

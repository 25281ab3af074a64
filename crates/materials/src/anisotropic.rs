//! Linear elasticity of any anisotropy: σ = C ε with 21 constants.
//!
//! C is a symmetric 6×6 matrix in the order xx, yy, zz, xy, yz, xz with engineering shear (γ = 2 ε), in world axes:
//! [`Stiffness`](crate::stiffness::Stiffness) rotates it there and checks it. The strain is that of Cauchy, so the law
//! is for small rotations.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::law::{Law, Tangent};
use crate::linear::cauchy_strain;
use crate::stiffness::Stiffness;

/// Number of constants of a symmetric 6×6 matrix.
pub const CONSTANTS: usize = 21;

/// The law; its parameters are the upper triangle of C, row after row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Anisotropic;

/// Where row r, column c lies in the upper triangle.
#[inline(always)]
pub const fn position(r: usize, c: usize) -> usize {
    let (r, c) = if r <= c { (r, c) } else { (c, r) };
    r * 6 - r * (r + 1) / 2 + c
}

/// ε as six numbers with engineering shear.
#[inline(always)]
fn engineering<R: Real>(strain: &Mat3<R>) -> [R; 6] {
    let e = &strain.0;
    [e[0][0], e[1][1], e[2][2], e[0][1] + e[1][0], e[1][2] + e[2][1], e[0][2] + e[2][0]]
}

/// C v
#[inline(always)]
fn apply<R: Real>(c: &[R], v: [R; 6]) -> [R; 6] {
    let mut sum = [R::zero(); 6];
    for i in 0..6 {
        for j in 0..6 {
            sum[i] += c[position(i, j)] * v[j];
        }
    }
    sum
}

/// The symmetric matrix of six stresses.
#[inline(always)]
fn tensor<R: Real>([xx, yy, zz, xy, yz, xz]: [R; 6]) -> Mat3<R> {
    Mat3([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
}

impl Law for Anisotropic {
    const PARAMETERS: &'static [&'static str] = &[
        "c11", "c12", "c13", "c14", "c15", "c16", "c22", "c23", "c24", "c25", "c26", "c33", "c34",
        "c35", "c36", "c44", "c45", "c46", "c55", "c56", "c66",
    ];
    const TAKES_INVERSION: bool = true;
    const IS_LINEAR: bool = true;
    type Tangent<R: Real> = AnisotropicTangent<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        let e = engineering(&cauchy_strain(f));
        let s = apply(p, e);
        let mut sum = R::zero();
        for i in 0..6 {
            sum += s[i] * e[i];
        }
        sum * 0.5
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        tensor(apply(p, engineering(&cauchy_strain(f))))
    }
    /// Positive semi-definite as it is.
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        _project: bool,
    ) -> (Mat3<R>, AnisotropicTangent<R>) {
        let mut c = [R::zero(); CONSTANTS];
        c.copy_from_slice(&p[..CONSTANTS]);
        (self.stress(p, f), AnisotropicTangent { c })
    }
}

/// Bᵀ C B
#[derive(Clone, Copy, Debug)]
pub struct AnisotropicTangent<R> {
    c: [R; CONSTANTS],
}

impl<R: Real> Tangent<R> for AnisotropicTangent<R> {
    /// a, and C B for each direction of displacement.
    type Node = ([R; 3], [[R; 6]; 3]);

    #[inline(always)]
    fn node(&self, a: [R; 3]) -> Self::Node {
        let mut stress = [[R::zero(); 6]; 3];
        for k in 0..3 {
            let mut df = Mat3::zero();
            df.0[k] = a;
            stress[k] = apply(&self.c, engineering(&df.symmetric_part()));
        }
        (a, stress)
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        Mat3::from_columns(
            tensor(b.1[0]).mul_vec(a.0),
            tensor(b.1[1]).mul_vec(a.0),
            tensor(b.1[2]).mul_vec(a.0),
        )
    }
}

/// The entries of the upper triangle of C.
const ENTRIES: [Constant; CONSTANTS] = {
    let names = <Anisotropic as Law>::PARAMETERS;
    let mut list = [Constant::modulus("", "Entry of the 6×6 matrix of elasticity"); CONSTANTS];
    let mut k = 0;
    while k < CONSTANTS {
        list[k].name = names[k];
        k += 1;
    }
    list
};

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "anisotropic",
    about: "linear, with 21 constants",
    constants: &ENTRIES,
    from_lame: |lame, _| Ok(Stiffness::isotropic(lame.lambda, lame.mu).to_triangle().to_vec()),
    from_own: |c| {
        let mut triangle = [0.0; CONSTANTS];
        triangle.copy_from_slice(c);
        Ok(Stiffness::from_triangle(&triangle)?.to_triangle().to_vec())
    },
    takes_tensors: true,
    make: |_| Box::new(Anisotropic),
    ..LawEntry::SMALL_STRAIN
};

impl LawName {
    /// [`Anisotropic`]
    pub const ANISOTROPIC: Self = Self::of(&ENTRY);
}

//! Corotational elasticity in other frames than the polar one (Kharevych section 2.2.3).
//!
//! P = R (2 μ ε + λ tr ε I) with ε = ½ (RᵀF + FᵀR) − I and R from
//!
//! - [`QrFrame`]: the columns of F, made orthogonal one after the other. Cheap, but it prefers the first axis.
//! - [`LeastDisplacement`]: the rotation that makes Σ |û|² over the nodes least (Kharevych after
//!   Felippa): R is the polar rotation of F M with M = Σ (X − X̄)(X − X̄)ᵀ, the second moments of the element's nodes at
//!   rest. For M = I it is the polar one. An element fills M, in any unit of length, into the last
//!   six parameters.
//!
//! **Neither is the gradient of an energy**: R does not make the elastic energy stationary, and P leaves its change out. The
//! tangent is exact, hence not symmetric, and there is no energy to check:
//! dP = R (\[w\]× σ + σ'(½(A + Aᵀ))), A = RᵀdF − \[w\]× RᵀF, dR = R \[w\]×. Asked to project, the laws
//! return the warped stiffness with R frozen, which is positive semi-definite.

use std::fmt::Debug;
use std::marker::PhantomData;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::polar3::{RotationDerivative, polar3, rotation3};
use pliant_algebra::real::{Mask, Real};

use crate::catalogue::{LawEntry, LawName};
use crate::corotational;
use crate::dense::DenseTangent;
use crate::law::Law;
use crate::linear::hooke;
use crate::parameters::Lame;

/// A rule that gives each F a rotation.
pub trait Frame: Copy + Debug + Send + Sync + Default + 'static {
    /// Parameters of the law in this frame, λ and μ first.
    const PARAMETERS: &'static [&'static str];
    /// What [`Frame::spin`] needs.
    type Prepared<R: Real>: Copy;
    /// R
    fn rotation<R: Real>(p: &[R], f: &Mat3<R>) -> Mat3<R>;
    /// R, prepared for differentiation.
    fn prepare<R: Real>(p: &[R], f: &Mat3<R>) -> (Mat3<R>, Self::Prepared<R>);
    /// w with RᵀdR = \[w\]×.
    fn spin<R: Real>(prepared: &Self::Prepared<R>, df: &Mat3<R>) -> [R; 3];
}

/// Corotational elasticity in the frame `F`. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CorotationalIn<F>(PhantomData<F>);

/// Gram-Schmidt on the columns of F.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QrFrame;

/// The frame of least node displacements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeastDisplacement;

/// Corotational in the QR frame.
pub type CorotationalQr = CorotationalIn<QrFrame>;
/// Corotational in the frame of least displacement.
pub type CorotationalLeastDisplacement = CorotationalIn<LeastDisplacement>;

/// σ in the frame
#[inline(always)]
fn local_stress<R: Real>(p: &[R], rf: &Mat3<R>) -> Mat3<R> {
    hooke(p[0], p[1], &(rf.symmetric_part() - Mat3::identity()))
}

impl<F: Frame> Law for CorotationalIn<F> {
    const PARAMETERS: &'static [&'static str] = F::PARAMETERS;
    const TAKES_INVERSION: bool = true;
    const HAS_ENERGY: bool = false;
    const HAS_FRAMES: bool = true;
    type Tangent<R: Real> = DenseTangent<R>;

    #[inline(always)]
    fn frame<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Option<Mat3<R>> {
        Some(F::rotation(p, f))
    }
    /// The elastic energy of ε, of which P is not the gradient.
    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        let rf = F::rotation(p, f).transpose_mul(f);
        local_stress(p, &rf).contract(&(rf.symmetric_part() - Mat3::identity())) * 0.5
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        let r = F::rotation(p, f);
        r * local_stress(p, &r.transpose_mul(f))
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        project: bool,
    ) -> (Mat3<R>, DenseTangent<R>) {
        let (r, prepared) = F::prepare(p, f);
        let rf = r.transpose_mul(f);
        let sigma = local_stress(p, &rf);
        let mut tangent = DenseTangent::zero();
        for k in 0..3 {
            for l in 0..3 {
                let mut df = Mat3::zero();
                df.0[k][l] = R::one();
                let rdf = r.transpose_mul(&df);
                let local = if project {
                    hooke(p[0], p[1], &rdf.symmetric_part())
                } else {
                    let spin = Mat3::cross_matrix(F::spin(&prepared, &df));
                    spin * sigma + hooke(p[0], p[1], &(rdf - spin * rf).symmetric_part())
                };
                tangent.columns[k][l] = r * local;
            }
        }
        (r * sigma, tangent)
    }
}

/// Columns or parts of columns shorter than this have no direction; such lanes take the polar
/// rotation.
const NEGLIGIBLE: f64 = 1e-12;

impl Frame for QrFrame {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    /// R, 1/u₁₁, u₁₂, 1/u₂₂ of F = R U.
    type Prepared<R: Real> = (Mat3<R>, R, R, R);

    #[inline(always)]
    fn rotation<R: Real>(p: &[R], f: &Mat3<R>) -> Mat3<R> {
        Self::prepare(p, f).0
    }

    #[inline(always)]
    fn prepare<R: Real>(_p: &[R], f: &Mat3<R>) -> (Mat3<R>, Self::Prepared<R>) {
        use pliant_algebra::mat3::{cross, dot};
        let (c0, c1) = (f.column(0), f.column(1));
        let u00 = dot(c0, c0).sqrt();
        let i00 = u00.recip();
        let q0 = [c0[0] * i00, c0[1] * i00, c0[2] * i00];
        let u01 = dot(q0, c1);
        let across = [c1[0] - q0[0] * u01, c1[1] - q0[1] * u01, c1[2] - q0[2] * u01];
        let u11 = dot(across, across).sqrt();
        let i11 = u11.recip();
        let q1 = [across[0] * i11, across[1] * i11, across[2] * i11];
        let mut r = Mat3::from_columns(q0, q1, cross(q0, q1));
        let good = u00.greater(R::splat(NEGLIGIBLE)) & u11.greater(u00 * NEGLIGIBLE);
        if !good.all() {
            r = Mat3::select(good, &r, &rotation3(f));
        }
        let zero = R::zero();
        let u01 = R::select(good, u01, zero);
        let (i00, i11) = (R::select(good, i00, zero), R::select(good, i11, zero));
        (r, (r, i00, u01, i11))
    }

    /// From RᵀdF U⁻¹ = Ω + dU U⁻¹: below the diagonal the last term vanishes.
    #[inline(always)]
    fn spin<R: Real>((r, i00, u01, i11): &Self::Prepared<R>, df: &Mat3<R>) -> [R; 3] {
        let a = r.transpose_mul(df).0;
        let t10 = a[1][0] * *i00;
        let t20 = a[2][0] * *i00;
        let t21 = (a[2][1] - t20 * *u01) * *i11;
        [t21, -t20, t10]
    }
}

/// M
#[inline(always)]
fn moments<R: Real>(p: &[R]) -> Mat3<R> {
    Mat3([[p[2], p[5], p[7]], [p[5], p[3], p[6]], [p[7], p[6], p[4]]])
}

impl Frame for LeastDisplacement {
    const PARAMETERS: &'static [&'static str] = &[
        "lambda",
        "mu",
        "moment_xx",
        "moment_yy",
        "moment_zz",
        "moment_xy",
        "moment_yz",
        "moment_xz",
    ];
    type Prepared<R: Real> = (RotationDerivative<R>, Mat3<R>);

    #[inline(always)]
    fn rotation<R: Real>(p: &[R], f: &Mat3<R>) -> Mat3<R> {
        rotation3(&(*f * moments(p)))
    }
    #[inline(always)]
    fn prepare<R: Real>(p: &[R], f: &Mat3<R>) -> (Mat3<R>, Self::Prepared<R>) {
        let m = moments(p);
        let polar = polar3(&(*f * m));
        let derivative = RotationDerivative::new(&polar, RotationDerivative::<R>::FLOOR);
        (polar.rotation, (derivative, m))
    }
    #[inline(always)]
    fn spin<R: Real>((derivative, m): &Self::Prepared<R>, df: &Mat3<R>) -> [R; 3] {
        derivative.spin(&(*df * *m))
    }
}

/// The line of the QR frame in the catalogue.
pub(crate) static QR: LawEntry = LawEntry {
    name: "corotational-qr",
    about: "corotational in the QR frame; has no energy",
    make: |_| Box::new(CorotationalQr::default()),
    ..corotational::OTHER
};

/// The line of the frame of least displacements in the catalogue. Its last six parameters are filled by elements.
pub(crate) static LEAST_DISPLACEMENT: LawEntry = LawEntry {
    name: "corotational-least-displacement",
    about: "corotational in the frame of least displacements (Kharevych 2.2.3); has no energy",
    from_lame: |lame, _| Ok(with_unit_moments(lame)),
    from_own: |c| Lame::new(c[0], c[1]).map(with_unit_moments),
    make: |_| Box::new(CorotationalLeastDisplacement::default()),
    ..corotational::OTHER
};

/// λ, μ and M = I.
fn with_unit_moments(lame: Lame) -> Vec<f64> {
    vec![lame.lambda, lame.mu, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
}

impl LawName {
    /// [`CorotationalQr`]
    pub const COROTATIONAL_QR: Self = Self::of(&QR);
    /// [`CorotationalLeastDisplacement`]
    pub const COROTATIONAL_LEAST_DISPLACEMENT: Self = Self::of(&LEAST_DISPLACEMENT);
}

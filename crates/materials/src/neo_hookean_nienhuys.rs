//! Compressible neo-Hookean solid, Nienhuys (4.6).
//!
//! W = μ/2 (I₁ − 3) − μ ln J + λ/2 (J − 1)²
//! P = μ F + q F⁻ᵀ,  q = λ (J − 1) J − μ
//! K = μ (a·b) I + λ (2J − 1) J h_a h_bᵀ − q h_b h_aᵀ,  h_a = F⁻ᵀ a,
//!
//! which is S = μ I + q C⁻¹ and its derivative (printed with products that should be C⁻¹ H C⁻¹).

use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::catalogue::{LawEntry, LawName};
use crate::continued_volume::SeparateVolume;
use crate::eight::{self, EightPoints};
use crate::invariants::InvariantLaw;
use crate::jet::Jet;
use crate::law::Law;
use crate::neo_hookean::{NeoHookeanTangent, inverse_transpose};
use crate::projectable::Projectable;
use crate::spectral;
use crate::variants::by_volume;

/// The law. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NeoHookeanNienhuys;

impl Law for NeoHookeanNienhuys {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    const NEEDS_POSITIVE_J: bool = true;
    type Tangent<R: Real> = Projectable<NeoHookeanTangent<R>, R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        InvariantLaw::energy(self, p, f.norm_squared(), R::zero(), f.determinant())
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        let (h, j) = inverse_transpose(f);
        f.scale(p[1]) + h.scale(p[0] * (j - 1.0) * j - p[1])
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        project: bool,
    ) -> (Mat3<R>, Self::Tangent<R>) {
        if project {
            let (stress, tangent) = spectral::stress_and_tangent(self, p, f, true);
            return (stress, Projectable::Projected(tangent));
        }
        let (h, j) = inverse_transpose(f);
        let q = p[0] * (j - 1.0) * j - p[1];
        let volumetric = p[0] * (j + j - 1.0) * j;
        let tangent = NeoHookeanTangent { h, mu: p[1], volumetric, crossed: -q };
        (f.scale(p[1]) + h.scale(q), Projectable::Plain(tangent))
    }
    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>) {
        eight::isotropic(self, level, points);
    }
}

impl InvariantLaw for NeoHookeanNienhuys {
    const PARAMETERS: &'static [&'static str] = <Self as Law>::PARAMETERS;
    const USES_I2: bool = false;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, _i2: R, j: R) -> R {
        p[1] * ((i1 - 3.0) * 0.5 - j.ln()) + p[0] * (j - 1.0).square() * 0.5
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        let mut w = Jet::constant(InvariantLaw::energy(self, p, i1, i2, j));
        let inverse = j.recip();
        w.first[0] = p[1] * 0.5;
        w.first[2] = p[0] * (j - 1.0) - p[1] * inverse;
        w.second[2] = p[0] + p[1] * inverse.square();
        w
    }
}

impl SeparateVolume for NeoHookeanNienhuys {}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "neo-hookean-nienhuys",
    about: "rubber, compressible, with (J - 1)² (Nienhuys 4.6)",
    make: |inversion| by_volume(NeoHookeanNienhuys, inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`NeoHookeanNienhuys`]
    pub const NEO_HOOKEAN_NIENHUYS: Self = Self::of(&ENTRY);
}

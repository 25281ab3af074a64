//! A resistance to the loss of volume that is put on top of a law (Vega's `compressionResistance`).
//!
//! W = k (1 − J)³ where J < 1, and nothing where J ≥ 1, with k = r K / 864 for a factor r and the bulk modulus K
//! of the law it helps. Vega writes −r E/(1 − 2ν) (J − 1)³/2592, which is the same: E/(1 − 2ν) = 3 K. Stress
//! and stiffness vanish at rest, so that small strains do not notice it, and W grows through inversion.

use pliant_algebra::real::Real;

use crate::catalogue::LawName;
use crate::error::{MaterialError, ensure};
use crate::invariants::{ByInvariants, InvariantLaw};
use crate::jet::Jet;
use crate::parameters::Constants;
use crate::point::PointLaw;

/// The law. See the [module](self). [`ByInvariants`](crate::invariants::ByInvariants) makes a force of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompressionResistance;

impl CompressionResistance {
    /// As a law that is put on top of another.
    pub fn law() -> Box<dyn PointLaw> {
        Box::new(ByInvariants(Self))
    }

    /// k of a factor r beside a law with these constants, Pa.
    pub fn stiffness(r: f64, law: LawName, constants: &Constants) -> Result<f64, MaterialError> {
        let accepted = "must be finite and 0 or more";
        ensure(r >= 0.0 && r.is_finite(), "compression_resistance", r, accepted)?;
        Ok(r * bulk_modulus(law, constants)? / 864.0)
    }
}

/// K at small strain, Pa, of an isotropic law whose stress depends on J as Vega's do.
fn bulk_modulus(law: LawName, constants: &Constants) -> Result<f64, MaterialError> {
    let of = law.entry().bulk_modulus.ok_or(MaterialError::NoVariant {
        law: law.name(),
        option: "resist compression",
        hint: "linear laws do not know the volume; use st-venant-kirchhoff or neo-hookean",
    })?;
    Ok(of(&constants.parameters(law)?))
}

impl InvariantLaw for CompressionResistance {
    const PARAMETERS: &'static [&'static str] = &["k"];
    const NEEDS_POSITIVE_J: bool = false;
    const USES_I2: bool = false;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], _i1: R, _i2: R, j: R) -> R {
        let lost = (-j + 1.0).max(R::zero());
        p[0] * lost * lost.square()
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        let mut w = Jet::constant(InvariantLaw::energy(self, p, i1, i2, j));
        let lost = (-j + 1.0).max(R::zero());
        w.first[2] = p[0] * lost.square() * -3.0;
        w.second[2] = p[0] * lost * 6.0;
        w
    }
}

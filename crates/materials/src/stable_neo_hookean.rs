//! Stable neo-Hookean flesh (Smith, de Goes, Kim 2018), defined for any F.
//!
//! W = μ/2 (I₁ − 3) + λ/2 (J − α)² − μ/2 ln(I₁ + 1), α = 1 + ¾ μ/λ, less its value
//! at rest, where it is written without α:
//!
//! W = μ/2 (I₁ − 3) − μ/2 ln((I₁ + 1) / 4) + λ/2 (J − 1)² − ¾ μ (J − 1).
//!
//! Its λ and μ are not those of Lamé: small strains have the shear modulus ¾ μ and the first Lamé
//! constant λ − ⅝ μ, so μ = 4/3 μ_Lamé and λ = λ_Lamé + 5/6 μ_Lamé. The parameters here are
//! the law's own; [`Constants`](crate::parameters::Constants) converts.

use pliant_algebra::real::Real;

use crate::catalogue::{LawEntry, LawName};
use crate::error::{ensure, positive};
use crate::invariants::{ByInvariants, InvariantLaw};
use crate::jet::Jet;
use crate::parameters::Lame;
use crate::variants::by_stretches;

/// The energy. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StableNeoHookeanEnergy;

/// The law. See the [module](self).
pub type StableNeoHookean = ByInvariants<StableNeoHookeanEnergy>;

impl InvariantLaw for StableNeoHookeanEnergy {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    const NEEDS_POSITIVE_J: bool = false;
    const USES_I2: bool = false;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, _i2: R, j: R) -> R {
        let [lambda, mu] = [p[0], p[1]];
        let grown = j - 1.0;
        mu * ((i1 - 3.0) - ((i1 + 1.0) * 0.25).ln()) * 0.5
            + grown * (lambda * grown * 0.5 - mu * 0.75)
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        let [lambda, mu] = [p[0], p[1]];
        let mut w = Jet::constant(self.energy(p, i1, i2, j));
        let inverse = (i1 + 1.0).recip();
        let half = mu * 0.5;
        w.first[0] = half - half * inverse;
        w.first[2] = lambda * (j - 1.0) - mu * 0.75;
        w.second[0] = half * inverse.square();
        w.second[2] = lambda;
        w
    }
}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "stable-neo-hookean",
    about: "flesh that takes inverted elements (Smith et al. 2018)",
    // The conversion of Smith et al. 2018, section 3.4.
    from_lame: |Lame { lambda, mu }, _| Ok(vec![lambda + 5.0 / 6.0 * mu, 4.0 / 3.0 * mu]),
    from_own: |c| {
        // Positive bulk modulus: λ − ⅝ μ + ½ μ > 0.
        let (lambda, mu) = (c[0], positive("mu", c[1])?);
        ensure(lambda > 0.125 * mu, "lambda", lambda, "must be above mu / 8")?;
        Ok(vec![lambda, mu])
    },
    bulk_modulus: Some(|p| p[0] - 0.125 * p[1]),
    make: |inversion| by_stretches(StableNeoHookean::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`StableNeoHookean`]
    pub const STABLE_NEO_HOOKEAN: Self = Self::of(&ENTRY);
}

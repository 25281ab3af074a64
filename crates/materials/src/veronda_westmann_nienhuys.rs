//! Veronda-Westmann soft tissue in the form of Nienhuys (4.7).
//!
//! W = μ/γ (exp(γ (I₁ − 3)) − 1) − μ/2 (I₂ − 3) + λ/4 (J² − 1 − 2 ln J)
//! S = (2 μ exp(γ (I₁ − 3)) − μ I₁) I + μ C + λ/2 (J² − 1) C⁻¹
//!
//! **It does not reduce to the Lamé pair it is given.** Small strains have the shear modulus μ, but the first
//! Lamé constant λ + (4γ − 2) μ, equal to λ for γ = ½ only. Nienhuys notes the mismatch for γ → 0; it is part
//! of the law and kept.

use pliant_algebra::real::Real;

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::error::positive;
use crate::invariants::{ByInvariants, InvariantLaw};
use crate::parameters::Lame;
use crate::variants::by_stretches;

/// The energy. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VerondaWestmannNienhuysEnergy;

/// The law. See the [module](self).
pub type VerondaWestmannNienhuys = ByInvariants<VerondaWestmannNienhuysEnergy>;

impl InvariantLaw for VerondaWestmannNienhuysEnergy {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu", "gamma"];

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R {
        let [lambda, mu, gamma] = [p[0], p[1], p[2]];
        let stretched = ((gamma * (i1 - 3.0)).exp() - 1.0) / gamma;
        mu * (stretched - (i2 - 3.0) * 0.5) + lambda * ((j.square() - 1.0) * 0.25 - j.ln() * 0.5)
    }
}

/// The one γ with which small strains have the λ that was given.
const KEEPS_LAMBDA: f64 = 0.5;

const CONSTANTS: &[Constant] = &[
    Constant::modulus("lambda", "Lamé's λ"),
    Constant::modulus("mu", "Lamé's μ, the shear modulus"),
    Constant::number("gamma", "Exponent of the law").beside_moduli_or(KEEPS_LAMBDA),
];

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "veronda-westmann-nienhuys",
    about: "the same in Nienhuys's form (4.7); its Lamé constant differs at small strain",
    constants: CONSTANTS,
    from_lame: |lame, gamma| Ok(vec![lame.lambda, lame.mu, gamma[0]]),
    from_own: |c| {
        let lame = Lame::new(c[0], c[1])?;
        Ok(vec![lame.lambda, lame.mu, positive("gamma", c[2])?])
    },
    // With the λ that small strains really have.
    bulk_modulus: Some(|p| Lame { lambda: p[0] + (4.0 * p[2] - 2.0) * p[1], mu: p[1] }.bulk()),
    make: |inversion| by_stretches(VerondaWestmannNienhuys::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`VerondaWestmannNienhuys`]
    pub const VERONDA_WESTMANN_NIENHUYS: Self = Self::of(&ENTRY);
}

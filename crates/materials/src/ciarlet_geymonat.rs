//! Ciarlet and Geymonat's polyconvex solid (1982; VirTis 2.5.4), with the term in tr C² that Raoult added.
//!
//! W = a₁ (tr C − 3) + a₂ (tr C² − 3) + b (tr cof C − 3) + c (J² − 1) − d ln J,  d = 2 a₁ + 4 a₂ + 4 b + 2 c
//!
//! where d frees the rest state of stress. Small strains: λ = 4 b + 4 c, μ = 2 a₁ + 8 a₂ + 2 b. In invariants tr C² is
//! I₁² − 2 I₂ and tr cof C is I₂. With all four constants at or above 0 W is polyconvex: minimisers exist, and no
//! element is crushed at a finite energy.

use pliant_algebra::real::Real;

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::error::{MaterialError, ensure};
use crate::invariants::{ByInvariants, InvariantLaw};
use crate::jet::Jet;
use crate::parameters::Lame;
use crate::variants::by_stretches;

/// The energy. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CiarletGeymonatEnergy;

/// The law. See the [module](self).
pub type CiarletGeymonat = ByInvariants<CiarletGeymonatEnergy>;

/// d, which makes the stress vanish at rest.
#[inline(always)]
fn logarithmic<R: Real>(p: &[R]) -> R {
    (p[0] + p[3]) * 2.0 + (p[1] + p[2]) * 4.0
}

impl InvariantLaw for CiarletGeymonatEnergy {
    const PARAMETERS: &'static [&'static str] = &["a1", "a2", "b", "c"];

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R {
        let (e1, e2) = (i1 - 3.0, i2 - 3.0);
        // I₁² − 2 I₂ − 3 in a form that keeps its digits at rest.
        let squares = e1 * (e1 + 6.0) - (e2 + e2);
        p[0] * e1 + p[1] * squares + p[2] * e2 + p[3] * (j - 1.0) * (j + 1.0)
            - logarithmic(p) * j.ln()
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        let inverse = j.recip();
        let (d, two_c) = (logarithmic(p), p[3] + p[3]);
        let mut w = Jet::constant(self.energy(p, i1, i2, j));
        w.first[0] = p[0] + p[1] * i1 * 2.0;
        w.first[1] = p[2] - (p[1] + p[1]);
        w.first[2] = two_c * j - d * inverse;
        w.second[0] = p[1] + p[1];
        w.second[2] = two_c + d * inverse * inverse;
        w
    }
}

const CONSTANTS: &[Constant] = &[
    Constant::modulus("a1", "Ciarlet-Geymonat's constant of tr C"),
    Constant::modulus("a2", "Ciarlet-Geymonat's constant of tr C²").or(0.0),
    Constant::modulus("b", "Ciarlet-Geymonat's constant of tr cof C"),
    Constant::modulus("c", "Ciarlet-Geymonat's constant of J²"),
];

/// Kernel parameters of the law's own constants.
fn from_own(c: &[f64]) -> Result<Vec<f64>, MaterialError> {
    for (constant, value) in CONSTANTS.iter().zip(c) {
        ensure(*value >= 0.0, constant.name, *value, "must be a finite number of 0 or more")?;
    }
    let [a1, a2, b, _] = [c[0], c[1], c[2], c[3]];
    let mu = 2.0 * a1 + 8.0 * a2 + 2.0 * b;
    ensure(mu > 0.0, "2 a1 + 8 a2 + 2 b", mu, "must be above 0, it is the shear modulus")?;
    Ok(c.to_vec())
}

/// a₂ = 0; b is a quarter of μ, or less where λ leaves no room for it: a₁ and c stay at or above 0.
fn from_lame(lame: Lame) -> Vec<f64> {
    let b = (0.25 * lame.mu).min(0.125 * lame.lambda).max(0.0);
    vec![0.5 * lame.mu - b, 0.0, b, 0.25 * lame.lambda - b]
}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "ciarlet-geymonat",
    about: "polyconvex, in tr C, tr C², tr cof C and J (Ciarlet-Geymonat)",
    constants: CONSTANTS,
    from_lame: |lame, _| Ok(from_lame(lame)),
    from_own,
    bulk_modulus: Some(|p| {
        let (lambda, mu) = (4.0 * (p[2] + p[3]), 2.0 * p[0] + 8.0 * p[1] + 2.0 * p[2]);
        Lame { lambda, mu }.bulk()
    }),
    make: |inversion| by_stretches(CiarletGeymonat::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`CiarletGeymonat`]
    pub const CIARLET_GEYMONAT: Self = Self::of(&ENTRY);
}

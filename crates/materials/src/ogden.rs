//! Ogden's rubber in powers of the stretches, compressible (Ogden 1972; VirTis 2.5.4).
//!
//! W = Σₚ μₚ/αₚ (Σₖ λ̄ₖ^αₚ − 3) + κ/2 (J − 1)²,  λ̄ = J^{−1/3} λ
//!
//! with one to three terms. Small strains: shear modulus ½ Σ μₚ αₚ, bulk modulus κ. One term with α = 2 is the
//! [isochoric neo-Hookean](crate::neo_hookean_isochoric) law, terms with α = 2 and −2 are that of
//! [Mooney and Rivlin](crate::mooney_rivlin). Derivatives are taken by the logarithms εₖ of λ̄ₖ, of which W is a sum of
//! functions of one each.

use pliant_algebra::real::Real;

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::error::{MaterialError, ensure, finite, positive};
use crate::jet::{Jet, PAIRS};
use crate::stretches::{ByStretches, StretchLaw};
use crate::variants::by_stretches;

/// Most terms of the sum.
const TERMS: usize = 3;

/// The energy; its parameters are μₚ/αₚ and αₚ of each term, and κ. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OgdenEnergy;

/// The law. See the [module](self).
pub type Ogden = ByStretches<OgdenEnergy>;

/// Logarithms of the isochoric stretches.
#[inline(always)]
fn logarithms<R: Real>(sigma: [R; 3]) -> [R; 3] {
    let [a, b, c] = [sigma[0].ln(), sigma[1].ln(), sigma[2].ln()];
    let mean = (a + b + c) * (1.0 / 3.0);
    [a - mean, b - mean, c - mean]
}

impl StretchLaw for OgdenEnergy {
    const PARAMETERS: &'static [&'static str] =
        &["factor1", "alpha1", "factor2", "alpha2", "factor3", "alpha3", "kappa"];

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        let epsilon = logarithms(sigma);
        let mut sum = (sigma[0] * sigma[1] * sigma[2] - 1.0).square() * p[2 * TERMS] * 0.5;
        for term in 0..TERMS {
            let (factor, alpha) = (p[2 * term], p[2 * term + 1]);
            let mut powers = R::zero() - 3.0;
            for k in 0..3 {
                powers += (alpha * epsilon[k]).exp();
            }
            sum += factor * powers;
        }
        sum
    }

    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Jet<R> {
        let epsilon = logarithms(sigma);
        let (mut value, mut slope, mut curvature) = (R::zero(), [R::zero(); 3], [R::zero(); 3]);
        for term in 0..TERMS {
            let (factor, alpha) = (p[2 * term], p[2 * term + 1]);
            for k in 0..3 {
                let power = factor * (alpha * epsilon[k]).exp();
                value += power - factor;
                slope[k] += alpha * power;
                curvature[k] += alpha * alpha * power;
            }
        }
        // By ln σ: εₖ depends on ln σₗ by δₖₗ − ⅓.
        let third = (slope[0] + slope[1] + slope[2]) * (1.0 / 3.0);
        let ninth = (curvature[0] + curvature[1] + curvature[2]) * (1.0 / 9.0);
        let (j, kappa) = (sigma[0] * sigma[1] * sigma[2], p[2 * TERMS]);
        let pressure = kappa * (j - 1.0) * j;
        let inverse = [sigma[0].recip(), sigma[1].recip(), sigma[2].recip()];
        let mut psi = Jet::constant(value + kappa * (j - 1.0).square() * 0.5);
        for k in 0..3 {
            psi.first[k] = (slope[k] - third + pressure) * inverse[k];
        }
        for (entry, (i, k)) in PAIRS.into_iter().enumerate() {
            let mut h =
                ninth - (curvature[i] + curvature[k]) * (1.0 / 3.0) + kappa * j * (j + j - 1.0);
            if i == k {
                h += curvature[k] - (slope[k] - third + pressure);
            }
            psi.second[entry] = h * inverse[i] * inverse[k];
        }
        psi
    }
}

const CONSTANTS: &[Constant] = &[
    Constant::modulus(
        "mu1",
        "Modulus of Ogden's first term; the shear modulus is half the sum of all mu times alpha",
    ),
    Constant::number("alpha1", "Exponent of Ogden's first term"),
    Constant::modulus("mu2", "Modulus of Ogden's second term").or(0.0),
    Constant::number("alpha2", "Exponent of Ogden's second term").or(0.0),
    Constant::modulus("mu3", "Modulus of Ogden's third term").or(0.0),
    Constant::number("alpha3", "Exponent of Ogden's third term").or(0.0),
    Constant::modulus("kappa", "Bulk modulus"),
];

/// μ and α of Treloar's rubber (Ogden 1972, section 5), kg/cm²: the shape of the curve where moduli alone are given.
const RUBBER: [(f64, f64); TERMS] = [(6.3, 1.3), (0.012, 5.0), (-0.1, -2.0)];

/// Kernel parameters of the law's own constants.
fn from_own(c: &[f64]) -> Result<Vec<f64>, MaterialError> {
    let mut list = Vec::with_capacity(c.len());
    let mut twice_shear = 0.0;
    for term in 0..TERMS {
        let (mu, alpha) = (c[2 * term], c[2 * term + 1]);
        let names = [CONSTANTS[2 * term].name, CONSTANTS[2 * term + 1].name];
        finite(names[0], mu)?;
        if mu != 0.0 {
            ensure(alpha != 0.0, names[1], alpha, "must not be 0 beside a modulus")?;
        }
        finite(names[1], alpha)?;
        twice_shear += mu * alpha;
        list.extend([if mu == 0.0 { 0.0 } else { mu / alpha }, alpha]);
    }
    let accepted = "must be above 0: it is twice the shear modulus";
    ensure(twice_shear > 0.0, "the sum of mu times alpha", twice_shear, accepted)?;
    list.push(positive("kappa", c[2 * TERMS])?);
    Ok(list)
}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "ogden",
    about: "rubber and tissue in powers of the stretches, up to three terms (Ogden 1972)",
    constants: CONSTANTS,
    from_lame: |lame, _| {
        let sum: f64 = RUBBER.iter().map(|(mu, alpha)| mu * alpha).sum();
        let scale = 2.0 * lame.mu / sum;
        let mut list: Vec<f64> =
            RUBBER.iter().flat_map(|(mu, alpha)| [scale * mu / alpha, *alpha]).collect();
        list.push(lame.bulk());
        Ok(list)
    },
    from_own,
    bulk_modulus: Some(|p| p[2 * TERMS]),
    make: |inversion| by_stretches(Ogden::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`Ogden`]
    pub const OGDEN: Self = Self::of(&ENTRY);
}

//! Soft tissue with two families of dispersed fibres (Holzapfel, Gasser & Ogden 2000; Gasser, Ogden & Holzapfel 2006).
//!
//! W = c₁₀ (I₁ J^{−2/3} − 3) + κ/2 (J − 1)² + Σ k₁/(2 k₂) (exp(k₂ ⟨E⟩²) − 1)
//!
//! The matrix is the [isochoric neo-Hookean](crate::neo_hookean_isochoric) law, with half the shear modulus c₁₀ and the bulk
//! modulus κ; E of a family is in [`fibres`](crate::fibres). The two families lie at plus and minus an angle to
//! the x axis in the x-y plane, as those of an artery do to its circumference, unless directions are given. From Young and
//! Poisson alone there are no fibres: k₁ = 0.

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::error::{MaterialError, finite, positive};
use crate::fibres::Family;
use crate::neo_hookean_isochoric::NeoHookeanIsochoric;
use crate::variants::by_stretches;
use pliant_units::Dimension;

const CONSTANTS: &[Constant] = &[
    Constant::modulus("c10", "Half the shear modulus of the matrix"),
    Constant::modulus("kappa", "Bulk modulus"),
    Constant::modulus("k1", "Stiffness of fibres where they begin to carry").beside_moduli_or(0.0),
    Constant::number("k2", "How fast fibres stiffen").beside_moduli_or(1.0),
    Constant::number(
        "dispersion",
        "How fibres spread about their direction: 0 not at all, 1/3 evenly",
    )
    .or(0.0)
    .beside_moduli_or(0.0),
    Constant::new(
        "angle",
        Dimension::ANGLE,
        "Angle of the two families to the x axis in the x-y plane, where no fibres are given",
    )
    .or(0.0)
    .beside_moduli_or(0.0),
];

/// Kernel parameters of the matrix and of both families.
fn from_own(c: &[f64]) -> Result<Vec<f64>, MaterialError> {
    let mut list = vec![positive("c10", c[0])?, positive("kappa", c[1])?];
    let (sin, cos) = finite("angle", c[5])?.sin_cos();
    for direction in [[cos, sin, 0.0], [cos, -sin, 0.0]] {
        let family = Family { k1: c[2], k2: c[3], dispersion: c[4], direction };
        list.extend(family.parameters()?);
    }
    Ok(list)
}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "holzapfel-gasser-ogden",
    about: "tissue with two families of fibres that stiffen exponentially and carry tension only",
    constants: CONSTANTS,
    from_lame: |lame, fibres| Ok([&[0.5 * lame.mu, lame.bulk()], fibres].concat()),
    from_own,
    bulk_modulus: Some(|p| p[1]),
    families: 2,
    make: |inversion| by_stretches(NeoHookeanIsochoric::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// The neo-Hookean law with two families of [fibres](crate::fibres).
    pub const HOLZAPFEL_GASSER_OGDEN: Self = Self::of(&ENTRY);
}

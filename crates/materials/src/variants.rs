//! The variants that entries of the catalogue make: a law as it is, or continued to inverted elements.

use crate::catalogue::Inversion;
use crate::continued_volume::{ContinuedVolume, SeparateVolume, VOLUME_THRESHOLD};
use crate::invariants::ByInvariants;
use crate::invertible::Invertible;
use crate::isotropic::Isotropic;
use crate::law::Law;
use crate::point::PointLaw;

/// An isotropic law, continued by its stretches.
pub fn by_stretches<L: Isotropic>(law: L, inversion: Inversion) -> Box<dyn PointLaw> {
    match inversion {
        Inversion::Plain => Box::new(law),
        Inversion::Continued(threshold) => {
            Box::new(Invertible { law, threshold: threshold.unwrap_or(L::INVERSION_THRESHOLD) })
        }
    }
}

/// A law in which J stands alone, continued by it.
pub fn by_volume<L: Law + SeparateVolume>(law: L, inversion: Inversion) -> Box<dyn PointLaw> {
    match inversion {
        Inversion::Plain => Box::new(law),
        Inversion::Continued(threshold) => {
            let threshold = threshold.unwrap_or(VOLUME_THRESHOLD);
            Box::new(ByInvariants(ContinuedVolume { law, threshold }))
        }
    }
}

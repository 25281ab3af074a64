//! Hybrid of the corotated strain and Green's: shear by the one, volume by the other (Hauth 2004, section 5.3.5).
//!
//! W = μ |F − R|² + λ/2 tr² E = μ Σ (σₖ − 1)² + λ/8 (Σ σₖ² − 3)²,  E = ½ (FᵀF − I)
//!
//! P = 2 μ (F − R) + λ tr E F: the shear stress of [`corotational`](crate::corotational), and a trace for which no frame is
//! needed. In simple shear its forces are nearer to those of [`st_venant_kirchhoff`](crate::st_venant_kirchhoff) than
//! those of any frame are. μ resists inversion, λ does not: tr E of a mirrored body is 0.

use pliant_algebra::real::Real;

use crate::catalogue::{LawEntry, LawName};
use crate::jet::Jet;
use crate::stretches::{ByStretches, StretchLaw};
use crate::variants::by_stretches;

/// The energy. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CorotationalHybridEnergy;

/// The law. See the [module](self).
pub type CorotationalHybrid = ByStretches<CorotationalHybridEnergy>;

impl StretchLaw for CorotationalHybridEnergy {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    const NEEDS_POSITIVE_J: bool = false;
    /// As of St. Venant-Kirchhoff: above 1/√3, where the part of λ is convex.
    const INVERSION_THRESHOLD: f64 = 0.7;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], [a, b, c]: [R; 3]) -> R {
        let shape = (a - 1.0).square() + (b - 1.0).square() + (c - 1.0).square();
        p[1] * shape + p[0] * twice_trace([a, b, c]).square() * 0.125
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Jet<R> {
        let mut psi = Jet::constant(self.energy(p, sigma));
        let two_mu = p[1] + p[1];
        let pressure = p[0] * twice_trace(sigma) * 0.5;
        for k in 0..3 {
            psi.first[k] = two_mu * (sigma[k] - 1.0) + pressure * sigma[k];
            psi.second[k] = two_mu + pressure + p[0] * sigma[k].square();
            psi.second[3 + k] = p[0] * sigma[k] * sigma[(k + 1) % 3];
        }
        psi
    }
}

/// 2 tr E, in a form that keeps its digits at rest.
#[inline(always)]
fn twice_trace<R: Real>([a, b, c]: [R; 3]) -> R {
    (a - 1.0) * (a + 1.0) + (b - 1.0) * (b + 1.0) + (c - 1.0) * (c + 1.0)
}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "corotational-hybrid",
    about: "shear by the rotated frame, volume by Green's strain (VirTis 5.3.5)",
    make: |inversion| by_stretches(CorotationalHybrid::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`CorotationalHybrid`]
    pub const COROTATIONAL_HYBRID: Self = Self::of(&ENTRY);
}

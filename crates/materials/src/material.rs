//! The catalogue: laws by name, their options, and the one place where a run-time choice becomes a
//! type.

use crate::anisotropic::Anisotropic;
use crate::clamped::Clamped;
use crate::continued_volume::{ContinuedVolume, SeparateVolume, VOLUME_THRESHOLD};
use crate::corotational::{Corotational, CorotationalWarped};
use crate::corotational_frames::{CorotationalLeastDisplacement, CorotationalQr};
use crate::error::{MaterialError, ensure};
use crate::invariants::ByInvariants;
use crate::invertible::Invertible;
use crate::isotropic::Isotropic;
use crate::law::Law;
use crate::linear::Linear;
use crate::mooney_rivlin::MooneyRivlin;
use crate::neo_hookean::NeoHookean;
use crate::neo_hookean_isochoric::NeoHookeanIsochoric;
use crate::neo_hookean_nienhuys::NeoHookeanNienhuys;
use crate::reduced_polynomial::ReducedPolynomial;
use crate::st_venant_kirchhoff::StVenantKirchhoff;
use crate::stable_neo_hookean::StableNeoHookean;
use crate::veronda_westmann::VerondaWestmann;
use crate::veronda_westmann_nienhuys::VerondaWestmannNienhuys;

/// The names of the laws, each with one line about it.
pub const NAMES: &[(&str, &str)] = &[
    ("linear", "Hooke's law for small strains and small rotations"),
    ("orthotropic", "linear, with moduli along and between three axes"),
    ("anisotropic", "linear, with 21 constants"),
    (
        "corotational",
        "Hooke's law in the rotated frame (polar), exact tangent; takes inverted elements",
    ),
    ("corotational-warped", "the same forces with the approximate warped stiffness (Müller-Gross)"),
    ("corotational-qr", "corotational in the QR frame; has no energy"),
    (
        "corotational-least-displacement",
        "corotational in the frame of least displacements (Kharevych 2.2.3); has no energy",
    ),
    ("st-venant-kirchhoff", "Hooke's law for Green's strain; soft in compression"),
    (
        "st-venant-kirchhoff-polynomial",
        "the same on tet4, as cubic polynomials of the displacements with third derivatives",
    ),
    ("neo-hookean", "rubber, compressible, with ln J (Vega 11)"),
    ("neo-hookean-nienhuys", "rubber, compressible, with (J - 1)² (Nienhuys 4.6)"),
    ("neo-hookean-isochoric", "rubber, shape and volume separate (Kharevych 2.4)"),
    ("stable-neo-hookean", "flesh that takes inverted elements (Smith et al. 2018)"),
    ("mooney-rivlin", "rubber with both invariants (Vega 12)"),
    ("veronda-westmann", "soft tissue that stiffens exponentially, isochoric"),
    (
        "veronda-westmann-nienhuys",
        "the same in Nienhuys's form (4.7); its Lamé constant differs at small strain",
    ),
    ("reduced-polynomial", "powers of the first invariant up to the fifth (Yeoh)"),
];

/// A law of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "NAMES says what each is")]
pub enum LawName {
    Linear,
    Orthotropic,
    Anisotropic,
    Corotational,
    CorotationalWarped,
    CorotationalQr,
    CorotationalLeastDisplacement,
    StVenantKirchhoff,
    StVenantKirchhoffPolynomial,
    NeoHookean,
    NeoHookeanNienhuys,
    NeoHookeanIsochoric,
    StableNeoHookean,
    MooneyRivlin,
    VerondaWestmann,
    VerondaWestmannNienhuys,
    ReducedPolynomial,
}

impl LawName {
    /// All laws, in the order of [`NAMES`].
    pub const ALL: [Self; 17] = [
        Self::Linear,
        Self::Orthotropic,
        Self::Anisotropic,
        Self::Corotational,
        Self::CorotationalWarped,
        Self::CorotationalQr,
        Self::CorotationalLeastDisplacement,
        Self::StVenantKirchhoff,
        Self::StVenantKirchhoffPolynomial,
        Self::NeoHookean,
        Self::NeoHookeanNienhuys,
        Self::NeoHookeanIsochoric,
        Self::StableNeoHookean,
        Self::MooneyRivlin,
        Self::VerondaWestmann,
        Self::VerondaWestmannNienhuys,
        Self::ReducedPolynomial,
    ];

    /// Lower case with hyphens.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// Names of the constants that [`Constants::Own`](crate::parameters::Constants::Own) takes.
    pub fn own_constants(self) -> &'static [&'static str] {
        match self {
            Self::Orthotropic => &[
                "young1",
                "young2",
                "young3",
                "poisson12",
                "poisson23",
                "poisson31",
                "shear12",
                "shear23",
                "shear31",
            ],
            Self::Anisotropic => Anisotropic::PARAMETERS,
            Self::NeoHookeanIsochoric => &["mu", "kappa"],
            Self::MooneyRivlin => &["mu10", "mu01", "v1"],
            Self::VerondaWestmann => &["c1", "c2", "kappa"],
            Self::VerondaWestmannNienhuys => &["lambda", "mu", "gamma"],
            Self::ReducedPolynomial => &["a1", "a2", "a3", "a4", "a5", "d"],
            _ => &["lambda", "mu"],
        }
    }
}

impl std::str::FromStr for LawName {
    type Err = MaterialError;

    fn from_str(name: &str) -> Result<Self, MaterialError> {
        let found = Self::ALL.into_iter().find(|law| law.name() == name);
        found.ok_or_else(|| MaterialError::UnknownLaw {
            found: name.to_owned(),
            known: NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
        })
    }
}

/// What happens to stretches, or volume ratios, below a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Inversion {
    /// The law as it is.
    #[default]
    Plain,
    /// The energy is continued, by the volume ratio where it stands alone in a law ([`ContinuedVolume`]: the laws
    /// `neo-hookean` and `neo-hookean-nienhuys`), by stretches otherwise ([`Invertible`]); the law's default threshold, or
    /// one's own.
    Continued(Option<f64>),
    /// The stretches are clamped ([`Clamped`]), which has no energy; likewise.
    Clamped(Option<f64>),
}

/// A choice of law and variant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    law: LawName,
    inversion: Inversion,
    /// Whether the stiffness should be projected to positive semi-definite whoever asks for it.
    pub projection: bool,
}

/// What to do with the type of a law.
pub trait Visitor {
    /// What it returns.
    type Output;
    /// Called once with the chosen law.
    fn visit<L: Law>(self, law: L) -> Self::Output;
}

impl Material {
    /// A law without options.
    pub fn new(law: LawName) -> Self {
        Self { law, inversion: Inversion::Plain, projection: false }
    }

    /// A law by its name in [`NAMES`].
    pub fn by_name(name: &str) -> Result<Self, MaterialError> {
        name.parse().map(Self::new)
    }

    /// With another treatment of inversion. Corotational in its polar frame and stable neo-Hookean take
    /// any F as they are.
    pub fn with_inversion(self, inversion: Inversion) -> Result<Self, MaterialError> {
        let (option, threshold) = match inversion {
            Inversion::Plain => return Ok(Self { inversion, ..self }),
            Inversion::Continued(threshold) => ("continue", threshold),
            Inversion::Clamped(threshold) => ("clamp", threshold),
        };
        if let Some(found) = threshold {
            let accepted = "must lie between 0 and 1, both excluded";
            ensure(found > 0.0 && found < 1.0, "inversion threshold", found, accepted)?;
        }
        let hint = match self.law {
            LawName::Linear | LawName::Orthotropic | LawName::Anisotropic => {
                "linear laws do not notice inversion; use corotational"
            }
            LawName::CorotationalWarped
            | LawName::CorotationalQr
            | LawName::CorotationalLeastDisplacement => {
                "this form of corotation takes inverted elements as it is"
            }
            LawName::StVenantKirchhoffPolynomial => {
                "polynomials go on through inversion; use st-venant-kirchhoff"
            }
            _ => return Ok(Self { inversion, ..self }),
        };
        Err(MaterialError::NoVariant { law: self.law.name(), option, hint })
    }

    /// The law.
    pub fn law(&self) -> LawName {
        self.law
    }

    /// What happens on inversion.
    pub fn inversion(&self) -> Inversion {
        self.inversion
    }

    /// Hands the law to the visitor as a type, so that everything it calls is compiled for that law
    /// alone: the one decision at run time.
    pub fn dispatch<V: Visitor>(&self, visitor: V) -> V::Output {
        match self.law {
            LawName::Linear => visitor.visit(Linear),
            LawName::Orthotropic | LawName::Anisotropic => visitor.visit(Anisotropic),
            LawName::CorotationalWarped => visitor.visit(CorotationalWarped),
            LawName::CorotationalQr => visitor.visit(CorotationalQr::default()),
            LawName::CorotationalLeastDisplacement => {
                visitor.visit(CorotationalLeastDisplacement::default())
            }
            // Its energy is quadratic in the stretches: continued, it is itself.
            LawName::Corotational => match self.inversion {
                Inversion::Clamped(_) => self.variant(visitor, Corotational),
                _ => visitor.visit(Corotational),
            },
            LawName::StVenantKirchhoff | LawName::StVenantKirchhoffPolynomial => {
                self.variant(visitor, StVenantKirchhoff)
            }
            LawName::NeoHookean => self.by_volume(visitor, NeoHookean),
            LawName::NeoHookeanNienhuys => self.by_volume(visitor, NeoHookeanNienhuys),
            LawName::NeoHookeanIsochoric => self.variant(visitor, NeoHookeanIsochoric::default()),
            LawName::StableNeoHookean => self.variant(visitor, StableNeoHookean::default()),
            LawName::MooneyRivlin => self.variant(visitor, MooneyRivlin::default()),
            LawName::VerondaWestmann => self.variant(visitor, VerondaWestmann::default()),
            LawName::VerondaWestmannNienhuys => {
                self.variant(visitor, VerondaWestmannNienhuys::default())
            }
            LawName::ReducedPolynomial => self.variant(visitor, ReducedPolynomial::default()),
        }
    }

    fn by_volume<V: Visitor, L: Isotropic + SeparateVolume>(
        &self,
        visitor: V,
        law: L,
    ) -> V::Output {
        match self.inversion {
            Inversion::Continued(threshold) => {
                let threshold = threshold.unwrap_or(VOLUME_THRESHOLD);
                visitor.visit(ByInvariants(ContinuedVolume { law, threshold }))
            }
            _ => self.variant(visitor, law),
        }
    }

    fn variant<V: Visitor, L: Isotropic>(&self, visitor: V, law: L) -> V::Output {
        let or_default = |threshold: Option<f64>| threshold.unwrap_or(L::INVERSION_THRESHOLD);
        match self.inversion {
            Inversion::Plain => visitor.visit(law),
            Inversion::Continued(threshold) => {
                visitor.visit(Invertible { law, threshold: or_default(threshold) })
            }
            Inversion::Clamped(threshold) => {
                visitor.visit(Clamped { law, threshold: or_default(threshold) })
            }
        }
    }
}

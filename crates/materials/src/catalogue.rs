//! The catalogue: every law with what users, scenes and panels have to know about it.
//!
//! A law is one file that ends with its [`LawEntry`], and one line in [`LAWS`]. Nothing else lists laws: names, constants with
//! their dimensions, conversions from moduli, checks and variants are all asked of the entry.

use pliant_units::Dimension;

use crate::error::MaterialError;
use crate::parameters::Lame;
use crate::point::PointLaw;
use crate::{
    anisotropic, ciarlet_geymonat, corotational, corotational_frames, corotational_hybrid, energy,
    holzapfel_gasser_ogden, linear, mooney_rivlin, neo_hookean, neo_hookean_isochoric,
    neo_hookean_nienhuys, ogden, orthotropic, reduced_polynomial, st_venant_kirchhoff,
    stable_neo_hookean, veronda_westmann, veronda_westmann_nienhuys,
};

/// The laws, in the order in which they are shown to users. A new law adds its line here.
///
/// A static, and its entries too: a constant would be copied into every crate that asks for a law, with the kernels of all laws
/// that its makers point to, and compiling those again took half of the time of a release build.
static LAWS: &[&LawEntry] = &[
    &linear::ENTRY,
    &orthotropic::ENTRY,
    &anisotropic::ENTRY,
    &corotational::ENTRY,
    &corotational::WARPED,
    &corotational_frames::QR,
    &corotational_frames::LEAST_DISPLACEMENT,
    &corotational_hybrid::ENTRY,
    &st_venant_kirchhoff::ENTRY,
    &st_venant_kirchhoff::POLYNOMIAL,
    &neo_hookean::ENTRY,
    &neo_hookean_nienhuys::ENTRY,
    &neo_hookean_isochoric::ENTRY,
    &stable_neo_hookean::ENTRY,
    &mooney_rivlin::ENTRY,
    &veronda_westmann::ENTRY,
    &veronda_westmann_nienhuys::ENTRY,
    &reduced_polynomial::ENTRY,
    &ogden::ENTRY,
    &ciarlet_geymonat::ENTRY,
    &holzapfel_gasser_ogden::ENTRY,
    &energy::ENTRY,
];

/// One law of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct LawEntry {
    /// Name in scenes and commands: lower case with hyphens, unique.
    pub name: &'static str,
    /// One line for users.
    pub about: &'static str,
    /// The law's own constants, in the order in which [`Constants::Own`](crate::Constants::Own) has them.
    pub constants: &'static [Constant],
    /// Kernel parameters with the small-strain moduli of a checked Lamé pair. The slice has a value for each constant that may
    /// stand [beside moduli](Constant::beside_moduli). A law that has such constants returns its own constants here, not the parameters.
    pub from_lame: fn(Lame, &[f64]) -> Result<Vec<f64>, MaterialError>,
    /// Kernel parameters of the law's own constants, which are finite and complete; checks their ranges.
    pub from_own: fn(&[f64]) -> Result<Vec<f64>, MaterialError>,
    /// Takes constants that depend on direction: orthotropic moduli and elastic tensors.
    pub takes_tensors: bool,
    /// Bulk modulus at small strain, Pa, of kernel parameters; none for laws whose stress is not a function of J.
    pub bulk_modulus: Option<fn(&[f64]) -> f64>,
    /// The stress is a linear function of F, and the tangent constant.
    pub is_linear: bool,
    /// Continued to inverted elements on request, or the reason why there is no such variant.
    pub inversion: Continuation,
    /// Families of [fibres](crate::fibres) that the law has by itself: their parameters follow those of the matrix.
    pub families: usize,
    /// Makes the law, without its fibres, in the variant that was asked for. [`Inversion::Continued`] is passed only where
    /// [`LawEntry::inversion`] offers it.
    pub make: fn(Inversion) -> Box<dyn PointLaw>,
}

/// A material constant as users give it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constant {
    /// Name in scenes.
    pub name: &'static str,
    /// Physical dimension.
    pub dimension: Dimension,
    /// One line for users.
    pub about: &'static str,
    /// Value of a constant that may be left out; none for those that must be given.
    pub default: Option<f64>,
    /// Set for a constant that may also be given beside a pair of moduli, and its value where it is not.
    pub beside_moduli: Option<f64>,
}

impl Constant {
    /// A constant that must be given.
    pub const fn new(name: &'static str, dimension: Dimension, about: &'static str) -> Self {
        Self { name, dimension, about, default: None, beside_moduli: None }
    }

    /// A modulus, Pa.
    pub const fn modulus(name: &'static str, about: &'static str) -> Self {
        Self::new(name, Dimension::PRESSURE, about)
    }

    /// A pure number.
    pub const fn number(name: &'static str, about: &'static str) -> Self {
        Self::new(name, Dimension::NONE, about)
    }

    /// The same, with a value where it is left out.
    #[must_use]
    pub const fn or(self, default: f64) -> Self {
        Self { default: Some(default), ..self }
    }

    /// The same, allowed beside a pair of moduli, with a value where it is left out there.
    #[must_use]
    pub const fn beside_moduli_or(self, value: f64) -> Self {
        Self { beside_moduli: Some(value), ..self }
    }
}

/// Lamé's pair.
const LAMBDA_MU: &[Constant] = &[
    Constant::modulus("lambda", "Lamé's λ"),
    Constant::modulus("mu", "Lamé's μ, the shear modulus"),
];

/// The pairs of moduli that every law takes in place of its own constants: `young` and `poisson`, or `lambda` and `mu`.
pub const MODULI: &[Constant] = &[
    Constant::modulus("young", "Young's modulus"),
    Constant::number("poisson", "Poisson's ratio, below 0.5"),
    LAMBDA_MU[0],
    LAMBDA_MU[1],
];

/// What a law offers for flat and inverted elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuation {
    /// [`Inversion::Continued`] can be asked for.
    Offered,
    /// It cannot; the text says why, or what to use instead.
    Refused(&'static str),
}

/// Treatment of stretches, or volume ratios, below a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Inversion {
    /// The law as it is.
    #[default]
    Plain,
    /// The energy is continued: by the volume ratio J where it stands alone in a law
    /// ([`ContinuedVolume`](crate::continued_volume::ContinuedVolume): `neo-hookean`, `neo-hookean-nienhuys`), by stretches
    /// otherwise ([`Invertible`](crate::invertible::Invertible)). With the law's default threshold, or one's own
    /// between 0 and 1.
    Continued(Option<f64>),
}

impl LawEntry {
    /// What laws have in common whose own constants and parameters are Lamé's pair: a base for the entries of others.
    /// Name, text and maker are still to be given.
    pub const LAME: Self = Self {
        name: "",
        about: "",
        constants: LAMBDA_MU,
        from_lame: |lame, _| Ok(vec![lame.lambda, lame.mu]),
        from_own: |c| Lame::new(c[0], c[1]).map(|lame| vec![lame.lambda, lame.mu]),
        takes_tensors: false,
        bulk_modulus: Some(|p| Lame { lambda: p[0], mu: p[1] }.bulk()),
        is_linear: false,
        inversion: Continuation::Offered,
        families: 0,
        make: |_| Box::new(linear::Linear),
    };

    /// The same for laws of linear strain, which know no volume.
    pub const SMALL_STRAIN: Self = Self {
        bulk_modulus: None,
        is_linear: true,
        inversion: Continuation::Refused("linear laws do not notice inversion; use corotational"),
        ..Self::LAME
    };

    /// The values of constants beside moduli where none are given.
    pub(crate) fn beside_defaults(&self) -> Vec<f64> {
        self.constants.iter().filter_map(|c| c.beside_moduli).collect()
    }
}

/// A law of the catalogue: a handle to its entry. Each law's file declares the constant that code may call it by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LawName(u8);

impl LawName {
    /// All laws, in the order of the catalogue.
    pub const ALL: [Self; LAWS.len()] = {
        let mut all = [Self(0); LAWS.len()];
        let mut k = 0;
        while k < LAWS.len() {
            all[k] = Self(k as u8);
            k += 1;
        }
        all
    };

    /// The handle of an entry. Evaluated while compiling, where an entry that is not in the list is an error.
    pub(crate) const fn of(entry: &LawEntry) -> Self {
        let mut k = 0;
        while k < LAWS.len() {
            if same(LAWS[k].name.as_bytes(), entry.name.as_bytes()) {
                return Self(k as u8);
            }
            k += 1;
        }
        panic!("the law has no line in the catalogue")
    }

    /// The law of that name, or an error that lists the names there are.
    pub fn parse(name: &str) -> Result<Self, MaterialError> {
        let found = Self::ALL.into_iter().find(|law| law.name() == name);
        found.ok_or_else(|| MaterialError::UnknownLaw {
            found: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }

    /// Everything the catalogue knows about the law.
    pub const fn entry(self) -> &'static LawEntry {
        LAWS[self.0 as usize]
    }

    /// Name in scenes and commands.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// One line for users.
    pub const fn about(self) -> &'static str {
        self.entry().about
    }

    /// The law's own constants.
    pub const fn constants(self) -> &'static [Constant] {
        self.entry().constants
    }

    /// The constant of that name: one of the law's own, or one of the [`MODULI`] that every law takes.
    pub fn constant(self, name: &str) -> Option<&'static Constant> {
        self.constants().iter().chain(MODULI).find(|c| c.name == name)
    }

    /// All constants that scenes may give the law, each once: moduli first.
    pub fn all_constants(self) -> impl Iterator<Item = &'static Constant> {
        let own = self.constants().iter().filter(|c| MODULI.iter().all(|m| m.name != c.name));
        MODULI.iter().chain(own)
    }
}

impl std::fmt::Debug for LawName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for LawName {
    type Err = MaterialError;

    fn from_str(name: &str) -> Result<Self, MaterialError> {
        Self::parse(name)
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut k = 0;
    while k < a.len() {
        if a[k] != b[k] {
            return false;
        }
        k += 1;
    }
    true
}

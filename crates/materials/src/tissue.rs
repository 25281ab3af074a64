//! [`Tissue`]: constants of tissues as they were published, by name.
//!
//! Tissues differ by factors from person to person, with age, with how fast and how far they are deformed, and with the method
//! that measured them: each entry says where its numbers come from and under which conditions they were found. They are elastic;
//! what a tissue remembers is not in them.

use crate::catalogue::LawName;
use crate::parameters::Constants;

/// A tissue of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tissue {
    /// Name in scenes.
    pub name: &'static str,
    /// One line for users.
    pub about: &'static str,
    /// The law that its constants are for.
    pub law: LawName,
    /// The law's own constants, SI.
    pub constants: &'static [f64],
    /// Where they were published.
    pub source: &'static str,
    /// How they were measured, and what was assumed beside.
    pub conditions: &'static str,
}

/// Bulk modulus over shear modulus of Poisson's ratio 0.49, where nothing was measured: 2 (1 + ν) / (3 (1 − 2 ν)).
const BULK: f64 = 2.0 * 1.49 / (3.0 * 0.02);

/// Constants of `neo-hookean-isochoric` with that shear modulus, Pa: μ is half of it.
const fn soft(shear: f64) -> [f64; 2] {
    [0.5 * shear, BULK * shear]
}

const LIVER: &[f64] = &soft(2090.0);
const MUSCLE: &[f64] = &soft(881.0);
const FAT: &[f64] = &soft(530.0);
const BRAIN: &[f64] = &[335.0, 148e3];
const SKIN: &[f64] = &[1.11e6, 29.6e6];
const HYPODERMIS: &[f64] = &[420.0, 36e3];

/// The tissues there are.
pub static TISSUES: &[Tissue] = &[
    Tissue {
        name: "liver",
        about: "Human liver, healthy, in the body",
        law: LawName::NEO_HOOKEAN_ISOCHORIC,
        constants: LIVER,
        source: "Venkatesh, Wang, Teo & Ang, J. Magn. Reson. Imaging 39 (2014) 1-8: shear stiffness 2.09 ± 0.22 kPa, 41 volunteers",
        conditions: "Magnetic resonance elastography: small fast vibrations, so the liver is softer at rest; Poisson's ratio 0.49 assumed",
    },
    Tissue {
        name: "muscle",
        about: "Human gluteal muscle, relaxed, across its fibres",
        law: LawName::NEO_HOOKEAN_ISOCHORIC,
        constants: MUSCLE,
        source: "Then, Vogl & Silber, J. Biomech. 45 (2012) 1252-1258: long-term shear modulus 881 Pa",
        conditions: "Indentation in the body with magnetic resonance images, after relaxation; Poisson's ratio 0.49 assumed; add fibres to make it contract",
    },
    Tissue {
        name: "fat",
        about: "Porcine fat below the skin",
        law: LawName::NEO_HOOKEAN_ISOCHORIC,
        constants: FAT,
        source: "Sims et al., Biomech. Model. Mechanobiol. 9 (2010) 703-711: μ = 0.53 ± 0.31 kPa",
        conditions: "Confined indentation in a magnetic resonance scanner, inverse finite elements; Poisson's ratio 0.49 assumed",
    },
    Tissue {
        name: "skin",
        about: "Human dermis of the forearm",
        law: LawName::NEO_HOOKEAN_ISOCHORIC,
        constants: SKIN,
        source: "Tran et al., Comput. Methods Biomech. Biomed. Eng. 10 (2007) 401-407: C10 = 1.11 ± 0.09 MPa, K = 29.6 ± 1.28 MPa",
        conditions: "Indentation of one man's forearm with magnetic resonance images, inverse finite elements of three layers",
    },
    Tissue {
        name: "hypodermis",
        about: "Human tissue below the skin of the forearm",
        law: LawName::NEO_HOOKEAN_ISOCHORIC,
        constants: HYPODERMIS,
        source: "Tran et al., Comput. Methods Biomech. Biomed. Eng. 10 (2007) 401-407: C10 = 0.42 ± 0.05 kPa, K = 36.0 ± 0.9 kPa",
        conditions: "As skin",
    },
    Tissue {
        name: "brain",
        about: "Human brain, in the head, under its own weight",
        law: LawName::NEO_HOOKEAN_ISOCHORIC,
        constants: BRAIN,
        source: "PMC9748497 (2022), parameters of positional brain shift: μ = 670 Pa, K = 148 kPa",
        conditions: "Shift between lying prone and supine, inverse finite elements; the exponent -19 of their Ogden law is left out, so it is for small strains",
    },
];

impl Tissue {
    /// The tissue of that name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        TISSUES.iter().find(|tissue| tissue.name == name)
    }

    /// Its constants as those of a law are given.
    pub fn constants(&self) -> Constants {
        Constants::Own(self.constants.to_vec())
    }
}

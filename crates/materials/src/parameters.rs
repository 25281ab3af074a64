//! From the constants a user knows to the parameters a kernel takes.

use pliant_algebra::mat3::Mat3;
use pliant_units::Dimension;

use crate::anisotropic::CONSTANTS;
use crate::catalogue::{Constant, LawName};
use crate::error::{MaterialError, ensure, finite, positive};
use crate::material::Material;
use crate::stiffness::Stiffness;

/// Material constants as a user gives them, in SI units.
#[derive(Debug, Clone, PartialEq)]
pub enum Constants {
    /// Young's modulus, Pa, and Poisson's ratio. For every law: its own constants are chosen for the
    /// same moduli at small strain, see [`Constants::parameters`].
    YoungPoisson {
        /// Above 0.
        young: f64,
        /// Between −1 and 0.5.
        poisson: f64,
    },
    /// The constants of Lamé, Pa. For every law.
    Lame {
        /// λ, above −2/3 μ.
        lambda: f64,
        /// μ, the shear modulus, above 0.
        mu: f64,
    },
    /// Moduli along and between three axes.
    Orthotropic {
        /// E1, E2, E3, Pa.
        young: [f64; 3],
        /// ν12, ν23, ν31
        poisson: [f64; 3],
        /// G12, G23, G31, Pa.
        shear: [f64; 3],
        /// Its columns are the material axes in the world; entries row by row.
        rotation: [f64; 9],
    },
    /// 21 constants.
    Anisotropic {
        /// Upper triangle of the 6×6 matrix, row after row, Pa; order xx, yy, zz, xy, yz, xz, engineering
        /// shear.
        tensor: [f64; CONSTANTS],
        /// Its columns are the material axes in the world; entries row by row.
        rotation: [f64; 9],
    },
    /// The law's own constants in the order of [`LawName::constants`].
    Own(Vec<f64>),
}

/// λ and μ, Pa.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lame {
    /// First constant.
    pub lambda: f64,
    /// Shear modulus.
    pub mu: f64,
}

impl Lame {
    /// λ = E ν / ((1 + ν)(1 − 2ν)), μ = E / (2 (1 + ν))
    pub fn from_young_poisson(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        let young = positive("young", young)?;
        let accepted = "must lie between -1 and 0.5, both excluded";
        let poisson = ensure(poisson > -1.0 && poisson < 0.5, "poisson", poisson, accepted)?;
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Ok(Self { lambda, mu: young / (2.0 * (1.0 + poisson)) })
    }

    /// Checked constants.
    pub fn new(lambda: f64, mu: f64) -> Result<Self, MaterialError> {
        let mu = positive("mu", mu)?;
        let accepted = "must be finite and above -2/3 mu, else the bulk modulus is not positive";
        let lambda = ensure(3.0 * lambda + 2.0 * mu > 0.0, "lambda", lambda, accepted)?;
        Ok(Self { lambda, mu })
    }

    /// K = λ + 2/3 μ
    pub fn bulk(self) -> f64 {
        self.lambda + 2.0 / 3.0 * self.mu
    }
}

/// A density, kg/m³, must be finite and above zero.
pub fn check_density(density: f64) -> Result<f64, MaterialError> {
    positive("density", density)
}

impl Constants {
    /// From names and values, as scene files have them: `young` and `poisson`, or `lambda` and `mu`, and beside them the
    /// constants that the law allows there; or the law's own constants, of which some may be left out.
    pub fn from_names(law: LawName, given: &[(&str, f64)]) -> Result<Self, MaterialError> {
        let value = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        // True if the names are these, and maybe some of those, each once.
        let exactly = |needed: &[&str], optional: &[&str]| {
            let known = |name: &str| needed.contains(&name) || optional.contains(&name);
            let once = |name: &str| given.iter().filter(|(n, _)| *n == name).count() == 1;
            needed.iter().all(|name| once(name)) && given.iter().all(|(n, _)| known(n) && once(n))
        };
        let (entry, own) = (law.entry(), law.constants());
        let beside: Vec<_> =
            own.iter().filter_map(|c| c.beside_moduli.map(|v| (c.name, v))).collect();
        let names: Vec<&str> = beside.iter().map(|(name, _)| *name).collect();
        let moduli = if let (Some(young), Some(poisson)) = (value("young"), value("poisson")) {
            exactly(&["young", "poisson"], &names).then_some(Self::YoungPoisson { young, poisson })
        } else if let (Some(lambda), Some(mu)) = (value("lambda"), value("mu")) {
            exactly(&["lambda", "mu"], &names).then_some(Self::Lame { lambda, mu })
        } else {
            None
        };
        if let Some(moduli) = moduli {
            if !names.iter().any(|name| value(name).is_some()) {
                return Ok(moduli);
            }
            let values: Vec<f64> = beside.iter().map(|(n, or)| value(n).unwrap_or(*or)).collect();
            let lame = moduli.lame()?.ok_or_else(|| wrong(law, moduli.kind()))?;
            return Ok(Self::Own((entry.from_lame)(lame, &values)?));
        }
        let needed: Vec<&str> =
            own.iter().filter(|c| c.default.is_none()).map(|c| c.name).collect();
        let all: Vec<&str> = own.iter().map(|c| c.name).collect();
        if exactly(&needed, &all) {
            let of = |c: &Constant| value(c.name).or(c.default).unwrap_or(0.0);
            return Ok(Self::Own(own.iter().map(of).collect()));
        }
        let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
        let found = if names.is_empty() { "no constants".to_owned() } else { names.join(", ") };
        Err(wrong(law, found))
    }

    /// The constants of a law that is stiffer by a factor and otherwise the same: what has the dimension of a modulus is multiplied by it, and what has
    /// that of a compliance divided. An error for laws in which that is not so.
    pub fn times(&self, law: LawName, factor: f64) -> Result<Self, MaterialError> {
        let scaled = match self {
            _ if factor == 1.0 => return Ok(self.clone()),
            Self::YoungPoisson { young, poisson } => {
                Self::YoungPoisson { young: factor * young, poisson: *poisson }
            }
            Self::Lame { lambda, mu } => Self::Lame { lambda: factor * lambda, mu: factor * mu },
            Self::Orthotropic { young, poisson, shear, rotation } => Self::Orthotropic {
                young: young.map(|e| factor * e),
                poisson: *poisson,
                shear: shear.map(|g| factor * g),
                rotation: *rotation,
            },
            Self::Anisotropic { tensor, rotation } => {
                Self::Anisotropic { tensor: tensor.map(|c| factor * c), rotation: *rotation }
            }
            Self::Own(values) => {
                let one = |(constant, value): (&Constant, &f64)| match constant.dimension {
                    Dimension::PRESSURE => factor * value,
                    Dimension::NONE | Dimension::ANGLE => *value,
                    _ => value / factor,
                };
                Self::Own(law.constants().iter().zip(values).map(one).collect())
            }
        };
        // Seen at a strain that no law is linear at.
        let f = Mat3([[1.1, 0.2, -0.1], [0.05, 0.9, 0.3], [-0.2, 0.1, 1.25]]);
        let point = Material::new(law).point();
        let stress = |constants: &Self| -> Result<Mat3<f64>, MaterialError> {
            Ok(point.stress(&constants.parameters(law)?, &f))
        };
        let (now, before) = (stress(&scaled)?, stress(self)?.scale(factor));
        if (now - before).max_abs() <= 1e-9 * before.max_abs() {
            return Ok(scaled);
        }
        Err(MaterialError::NoMemory {
            what: "moduli = \"instant\"",
            hint: "the law is not proportional to its moduli: give those of a long time",
        })
    }

    /// What was given, in words.
    fn kind(&self) -> String {
        match self {
            Self::YoungPoisson { .. } => "young and poisson".to_owned(),
            Self::Lame { .. } => "lambda and mu".to_owned(),
            Self::Orthotropic { .. } => "orthotropic moduli".to_owned(),
            Self::Anisotropic { .. } => "an elastic tensor".to_owned(),
            Self::Own(values) => format!("{} constants", values.len()),
        }
    }

    /// The checked Lamé pair of isotropic moduli; none of other constants.
    fn lame(&self) -> Result<Option<Lame>, MaterialError> {
        match self {
            Self::YoungPoisson { young, poisson } => {
                Lame::from_young_poisson(*young, *poisson).map(Some)
            }
            Self::Lame { lambda, mu } => Lame::new(*lambda, *mu).map(Some),
            Self::Orthotropic { .. } | Self::Anisotropic { .. } | Self::Own(_) => Ok(None),
        }
    }

    /// The parameters of a law's kernel, checked, in the order of [`Law::PARAMETERS`](crate::Law::PARAMETERS).
    ///
    /// Where a pair of moduli does not settle all constants: Mooney-Rivlin takes μ₁₀ : μ₀₁ = 3 : 1,
    /// Veronda-Westmann c₂ = 1, Nienhuys's form γ = ½, the reduced polynomial its first term only. The isochoric neo-Hookean gets
    /// half the shear modulus as μ, the stable one the conversion of Smith et al. 2018.
    pub fn parameters(&self, law: LawName) -> Result<Vec<f64>, MaterialError> {
        let entry = law.entry();
        let (tensor, rotation) = match self {
            Self::YoungPoisson { .. } | Self::Lame { .. } => {
                let lame = self.lame()?.ok_or_else(|| wrong(law, self.kind()))?;
                let beside = entry.beside_defaults();
                let list = (entry.from_lame)(lame, &beside)?;
                return if beside.is_empty() { Ok(list) } else { (entry.from_own)(&list) };
            }
            Self::Own(values) => return self.own(law, values),
            Self::Orthotropic { young, poisson, shear, rotation } => {
                (Stiffness::orthotropic(*young, *poisson, *shear)?, rotation)
            }
            Self::Anisotropic { tensor, rotation } => (Stiffness::from_triangle(tensor)?, rotation),
        };
        if !entry.takes_tensors {
            return Err(wrong(law, self.kind()));
        }
        Ok(tensor.rotated(&Mat3::from_array(*rotation))?.to_triangle().to_vec())
    }

    /// Checks the law's own constants.
    fn own(&self, law: LawName, values: &[f64]) -> Result<Vec<f64>, MaterialError> {
        let constants = law.constants();
        if values.len() != constants.len() {
            return Err(wrong(law, self.kind()));
        }
        for (constant, value) in constants.iter().zip(values) {
            finite(constant.name, *value)?;
        }
        (law.entry().from_own)(values)
    }
}

fn wrong(law: LawName, found: String) -> MaterialError {
    let mut accepted = "young and poisson, lambda and mu".to_owned();
    let own: Vec<&str> = law.constants().iter().map(|c| c.name).collect();
    if own != ["lambda", "mu"] {
        accepted += &format!(", or its own {} ({})", own.len(), own.join(", "));
    }
    MaterialError::WrongConstants { law: law.name(), found, accepted }
}

//! From the constants a user knows to the parameters a kernel takes.

use pliant_algebra::mat3::Mat3;

use crate::anisotropic::CONSTANTS;
use crate::error::{MaterialError, ensure, finite, positive};
use crate::material::LawName;
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
    /// The law's own constants in the order of [`LawName::own_constants`].
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

/// γ of Nienhuys's Veronda-Westmann where none is given: the one value that keeps the Lamé pair.
const DEFAULT_GAMMA: f64 = 0.5;

impl Constants {
    /// From names and values, as scene files have them: `young` and `poisson`, `lambda` and `mu`, or the law's own
    /// constants. To a pair of moduli, Veronda-Westmann takes `c2` and Nienhuys's form `gamma`; the
    /// reduced polynomial needs no terms but the first.
    pub fn from_names(law: LawName, given: &[(&str, f64)]) -> Result<Self, MaterialError> {
        let own = law.own_constants();
        let value = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        // Whether the names are these, and maybe some of those, each once.
        let exactly = |needed: &[&str], optional: &[&str]| {
            let known = |name: &str| needed.contains(&name) || optional.contains(&name);
            let once = |name: &str| given.iter().filter(|(n, _)| *n == name).count() == 1;
            needed.iter().all(|name| once(name)) && given.iter().all(|(n, _)| known(n) && once(n))
        };
        let zero_if_missing = |name: &&str| value(name).unwrap_or(0.0);
        let extra = match law {
            LawName::VerondaWestmann => &["c2"][..],
            LawName::VerondaWestmannNienhuys => &["gamma"][..],
            _ => &[],
        };
        let moduli = if let (Some(young), Some(poisson)) = (value("young"), value("poisson")) {
            exactly(&["young", "poisson"], extra).then_some(Self::YoungPoisson { young, poisson })
        } else if let (Some(lambda), Some(mu)) = (value("lambda"), value("mu")) {
            exactly(&["lambda", "mu"], extra).then_some(Self::Lame { lambda, mu })
        } else {
            None
        };
        if let Some(moduli) = moduli {
            let Some(extra) = extra.first().and_then(|name| value(name)) else {
                return Ok(moduli);
            };
            let mut constants = moduli.parameters(law)?;
            if law == LawName::VerondaWestmann {
                // Shear modulus c₁ c₂.
                constants[0] /= positive("c2", extra)?;
                constants[1] = extra;
            } else {
                constants[2] = extra;
            }
            return Ok(Self::Own(constants));
        }
        let (needed, optional) = match law {
            LawName::ReducedPolynomial => (&["a1", "d"][..], own),
            _ => (own, &[][..]),
        };
        if exactly(needed, optional) {
            return Ok(Self::Own(own.iter().map(zero_if_missing).collect()));
        }
        let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
        let found = if names.is_empty() { "no constants".to_owned() } else { names.join(", ") };
        Err(wrong(law, found))
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

    /// The parameters of a law's kernel, checked, in the order of [`Law::PARAMETERS`](crate::Law::PARAMETERS).
    ///
    /// Where a pair of moduli does not settle all constants: Mooney-Rivlin takes μ₁₀ : μ₀₁ = 3 : 1,
    /// Veronda-Westmann c₂ = 1, Nienhuys's form γ = ½, the reduced polynomial its first term only. The isochoric neo-Hookean gets
    /// half the shear modulus as μ, the stable one the conversion of Smith et al. 2018.
    pub fn parameters(&self, law: LawName) -> Result<Vec<f64>, MaterialError> {
        let lame = match self {
            Self::YoungPoisson { young, poisson } => Lame::from_young_poisson(*young, *poisson)?,
            Self::Lame { lambda, mu } => Lame::new(*lambda, *mu)?,
            Self::Orthotropic { young, poisson, shear, rotation } => {
                let tensor = Stiffness::orthotropic(*young, *poisson, *shear)?;
                return self.anisotropic(law, &tensor, rotation);
            }
            Self::Anisotropic { tensor, rotation } => {
                return self.anisotropic(law, &Stiffness::from_triangle(tensor)?, rotation);
            }
            Self::Own(values) => return self.own(law, values),
        };
        let Lame { lambda, mu } = lame;
        let bulk = lame.bulk();
        Ok(match law {
            LawName::Orthotropic | LawName::Anisotropic => {
                Stiffness::isotropic(lambda, mu).to_triangle().to_vec()
            }
            LawName::CorotationalLeastDisplacement => {
                vec![lambda, mu, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
            }
            LawName::StableNeoHookean => vec![lambda + 5.0 / 6.0 * mu, 4.0 / 3.0 * mu],
            LawName::NeoHookeanIsochoric => vec![0.5 * mu, bulk],
            LawName::MooneyRivlin => vec![0.375 * mu, 0.125 * mu, 0.5 * bulk],
            LawName::VerondaWestmann => vec![mu, 1.0, bulk],
            LawName::VerondaWestmannNienhuys => vec![lambda, mu, DEFAULT_GAMMA],
            LawName::ReducedPolynomial => vec![0.5 * mu, 0.0, 0.0, 0.0, 0.0, 0.5 * bulk],
            LawName::Linear
            | LawName::Corotational
            | LawName::CorotationalWarped
            | LawName::CorotationalQr
            | LawName::StVenantKirchhoff
            | LawName::StVenantKirchhoffPolynomial
            | LawName::NeoHookean
            | LawName::NeoHookeanNienhuys => vec![lambda, mu],
        })
    }

    fn anisotropic(
        &self,
        law: LawName,
        tensor: &Stiffness,
        rotation: &[f64; 9],
    ) -> Result<Vec<f64>, MaterialError> {
        if !matches!(law, LawName::Orthotropic | LawName::Anisotropic) {
            return Err(wrong(law, self.kind()));
        }
        Ok(tensor.rotated(&Mat3::from_array(*rotation))?.to_triangle().to_vec())
    }

    /// Checks the law's own constants.
    fn own(&self, law: LawName, values: &[f64]) -> Result<Vec<f64>, MaterialError> {
        let names = law.own_constants();
        if values.len() != names.len() {
            return Err(wrong(law, self.kind()));
        }
        for (name, value) in names.iter().zip(values) {
            finite(name, *value)?;
        }
        let v = |k: usize| values[k];
        let above_zero = |k: usize| positive(names[k], values[k]);
        Ok(match law {
            LawName::Orthotropic => {
                let three = |k: usize| [v(k), v(k + 1), v(k + 2)];
                Stiffness::orthotropic(three(0), three(3), three(6))?.to_triangle().to_vec()
            }
            LawName::Anisotropic => {
                let mut triangle = [0.0; CONSTANTS];
                triangle.copy_from_slice(values);
                Stiffness::from_triangle(&triangle)?.to_triangle().to_vec()
            }
            LawName::StableNeoHookean => {
                // Positive bulk modulus: λ − ⅝ μ + ½ μ > 0.
                let (lambda, mu) = (v(0), above_zero(1)?);
                ensure(lambda > 0.125 * mu, names[0], lambda, "must be above mu / 8")?;
                vec![lambda, mu]
            }
            LawName::NeoHookeanIsochoric => vec![above_zero(0)?, above_zero(1)?],
            LawName::MooneyRivlin => {
                let sum = v(0) + v(1);
                ensure(sum > 0.0, "mu10 + mu01", sum, "must be above 0, half the shear modulus")?;
                vec![v(0), v(1), above_zero(2)?]
            }
            LawName::VerondaWestmann => vec![above_zero(0)?, above_zero(1)?, above_zero(2)?],
            LawName::VerondaWestmannNienhuys => {
                let lame = Lame::new(v(0), v(1))?;
                vec![lame.lambda, lame.mu, above_zero(2)?]
            }
            LawName::ReducedPolynomial => {
                vec![above_zero(0)?, v(1), v(2), v(3), v(4), 1.0 / above_zero(5)?]
            }
            LawName::Linear
            | LawName::Corotational
            | LawName::CorotationalWarped
            | LawName::CorotationalQr
            | LawName::CorotationalLeastDisplacement
            | LawName::StVenantKirchhoff
            | LawName::StVenantKirchhoffPolynomial
            | LawName::NeoHookean
            | LawName::NeoHookeanNienhuys => {
                return Self::Lame { lambda: v(0), mu: v(1) }.parameters(law);
            }
        })
    }
}

fn wrong(law: LawName, found: String) -> MaterialError {
    let mut accepted = "young and poisson, lambda and mu".to_owned();
    let own = law.own_constants();
    if own != ["lambda", "mu"] {
        accepted += &format!(", or its own {} ({})", own.len(), own.join(", "));
    }
    MaterialError::WrongConstants { law: law.name(), found, accepted }
}

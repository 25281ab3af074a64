//! [`EnergySpec`]: a law that a scene gives by its energy.

use pliant_materials::energy::{Formula, MOST_CONSTANTS};
use pliant_materials::parameters::Lame;
use pliant_units::Dimension;

use crate::error::SceneError;
use crate::file::expression::{constants, energy};
use crate::file::table::Table;

/// An energy with its constants.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergySpec {
    /// As it was written.
    pub text: String,
    /// What is computed.
    pub formula: Formula,
    /// The constants beside it, SI, each with its name.
    pub constants: Vec<(String, f64)>,
    /// Moduli of small strains.
    pub lame: Lame,
}

impl EnergySpec {
    /// Reads `energy = "mu/2*(I1 - 3) - mu*log(J) + lambda/2*log(J)^2"` and the constants beside it.
    pub(crate) fn read(t: &Table<'_>) -> Result<Option<Self>, SceneError> {
        let Some(text) = t.text("energy")? else { return Ok(None) };
        let within = |e| t.error_within("energy", text, e);
        let mut list: Vec<(&str, f64, Option<Dimension>)> = Vec::new();
        for name in constants(text).map_err(within)? {
            // What is not there is an unknown word of the formula.
            if let Some((value, dimension)) = t.free_quantity(name)? {
                list.push((name, value, dimension));
            }
        }
        if list.len() > MOST_CONSTANTS {
            let text = format!("{} constants: at most {MOST_CONSTANTS} can be named", list.len());
            return Err(t.error("energy", text).hint("write some as numbers"));
        }
        let names: Vec<_> = list.iter().map(|&(name, _, dimension)| (name, dimension)).collect();
        let formula = energy(text, &names).map_err(within)?;
        let values: Vec<f64> = list.iter().map(|(_, value, _)| *value).collect();
        let lame = formula.check(&values).map_err(|e| t.refused("energy", e))?;
        let constants = list.iter().map(|(name, value, _)| ((*name).to_owned(), *value)).collect();
        Ok(Some(Self { text: text.to_owned(), formula, constants, lame }))
    }

    /// The values of its constants.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.constants.iter().map(|(_, value)| *value).collect()
    }

    /// Parameters of the law.
    pub(crate) fn parameters(&self) -> Vec<f64> {
        let mut list = self.values();
        list.resize(MOST_CONSTANTS, 0.0);
        list
    }

    /// Young's modulus at small strain, Pa.
    pub(crate) fn young(&self) -> f64 {
        let Lame { lambda, mu } = self.lame;
        mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu)
    }
}

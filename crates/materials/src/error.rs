//! [`MaterialError`]: what can be wrong with a material.

use pliant_errors::{Class, six_digits};

/// Names the parameter, its value and what is accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// A constant is outside its domain, or not finite.
    #[error("{parameter} = {}: {accepted}", six_digits(*.found))]
    OutOfRange {
        /// Which constant.
        parameter: String,
        /// Its value.
        found: f64,
        /// What is accepted.
        accepted: &'static str,
    },
    /// An elastic tensor that would give energy away.
    #[error(
        "{tensor} is not positive definite: pivot {pivot} of its factorisation is {found:.3e}, all six must be above zero (order xx, yy, zz, xy, yz, xz){hint}"
    )]
    NotPositiveDefinite {
        /// Which tensor.
        tensor: &'static str,
        /// The first bad pivot, from 1.
        pivot: usize,
        /// Its value.
        found: f64,
        /// What to look at.
        hint: &'static str,
    },
    /// No law has this name.
    #[error("unknown material {found:?}: known are {known}")]
    UnknownLaw {
        /// What was asked for.
        found: String,
        /// The names there are.
        known: String,
    },
    /// The constants are those of another law.
    #[error("{law} cannot be made from {found}: it takes {accepted}")]
    WrongConstants {
        /// The law.
        law: &'static str,
        /// What was given.
        found: String,
        /// What it takes.
        accepted: String,
    },
    /// A formula that is not the energy of an elastic body.
    #[error("{text}; {hint}")]
    NotAnEnergy {
        /// What is wrong.
        text: String,
        /// What to do.
        hint: &'static str,
    },
    /// The law has no such variant.
    #[error("{law} has no variant {option:?}: {hint}")]
    NoVariant {
        /// The law.
        law: &'static str,
        /// The variant.
        option: &'static str,
        /// Why, or what to do instead.
        hint: &'static str,
    },
    /// Memory of this kind does not go with the law.
    #[error("memory with {what}: {hint}")]
    NoMemory {
        /// What was asked for.
        what: &'static str,
        /// Why not, and what to do instead.
        hint: &'static str,
    },
}

impl MaterialError {
    /// Returns its class: constants, names and variants are given, so that all of it is bad input.
    pub fn class(&self) -> Class {
        match self {
            Self::OutOfRange { .. }
            | Self::NotPositiveDefinite { .. }
            | Self::UnknownLaw { .. }
            | Self::WrongConstants { .. }
            | Self::NotAnEnergy { .. }
            | Self::NoVariant { .. }
            | Self::NoMemory { .. } => Class::Input,
        }
    }
}

/// `found` if `good`, else an error.
pub(crate) fn ensure(
    good: bool,
    parameter: &str,
    found: f64,
    accepted: &'static str,
) -> Result<f64, MaterialError> {
    if good && found.is_finite() {
        Ok(found)
    } else {
        Err(MaterialError::OutOfRange { parameter: parameter.to_owned(), found, accepted })
    }
}

/// A finite number above zero.
pub(crate) fn positive(parameter: &str, found: f64) -> Result<f64, MaterialError> {
    ensure(found > 0.0, parameter, found, "must be a finite number above 0")
}

/// Any finite number.
pub(crate) fn finite(parameter: &str, found: f64) -> Result<f64, MaterialError> {
    ensure(true, parameter, found, "must be a finite number")
}

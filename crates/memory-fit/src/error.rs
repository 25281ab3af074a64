//! [`FitError`]: what can be wrong with a fit or its data.

use pliant_errors::{Class, six_digits};

/// Names what was given and what is accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A number that describes the material or the band is outside its domain.
    #[error("{name} = {}: {accepted}", six_digits(*.found))]
    OutOfRange {
        /// Which number.
        name: &'static str,
        /// Its value.
        found: f64,
        /// What is accepted.
        accepted: &'static str,
    },
    /// A place in a table of data is wrong.
    #[error("{text}")]
    Cell {
        /// Line, from 1.
        line: u64,
        /// Column of the text, from 1, in bytes.
        column: u64,
        /// How many bytes are wrong.
        width: u64,
        /// What is wrong, and what is accepted.
        text: String,
    },
    /// A number of a table that was not read from a text is wrong.
    #[error("{column} in row {}: {text}", .row + 1)]
    Row {
        /// Row, from 0.
        row: usize,
        /// Column.
        column: &'static str,
        /// What is accepted.
        text: String,
    },
    /// There are not enough rows of data for a fit, or for so many terms.
    #[error("{rows} rows of data: at least {needed} are needed for {wanted}")]
    TooFewRows {
        /// Rows of numbers.
        rows: usize,
        /// How many it takes.
        needed: usize,
        /// For what.
        wanted: String,
    },
    /// The data do not determine what is looked for.
    #[error("{0}")]
    Undetermined(String),
}

impl FitError {
    /// Returns its class: numbers and data are given, so that all of it is bad input.
    pub fn class(&self) -> Class {
        match self {
            Self::OutOfRange { .. }
            | Self::Cell { .. }
            | Self::Row { .. }
            | Self::TooFewRows { .. }
            | Self::Undetermined(_) => Class::Input,
        }
    }
}

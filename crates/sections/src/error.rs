//! [`SectionError`]: why a file of sections is refused.

use pliant_errors::Class;

/// Why a file of sections is refused. Messages go on from the name of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SectionError {
    /// It begins with something else.
    #[error("is not a Pliant checkpoint")]
    NotACheckpoint,
    /// It was written before the format was what it is now.
    #[error(
        "was written by an older version of the format ({found}, this program reads {})",
        crate::VERSION
    )]
    Older {
        /// Its version.
        found: u64,
    },
    /// It was written by a later program.
    #[error(
        "was written by a newer version of the format ({found}, this program reads {})",
        crate::VERSION
    )]
    Newer {
        /// Its version.
        found: u64,
    },
    /// Its end is missing.
    #[error("is damaged: cut off after {found} bytes{}", of(*.expected))]
    CutOff {
        /// Bytes that are there.
        found: usize,
        /// Bytes that there should be, if that is known.
        expected: Option<u64>,
    },
    /// There is more than there should be.
    #[error("is damaged: {found} bytes where it says it has {expected}")]
    Trailing {
        /// Bytes that are there.
        found: usize,
        /// Bytes that there should be.
        expected: u64,
    },
    /// Bytes have changed since it was written.
    #[error(
        "is damaged: its checksum does not match ({written:016x} is written, its bytes give {computed:016x})"
    )]
    Checksum {
        /// At the end of the file.
        written: u64,
        /// From its bytes.
        computed: u64,
    },
    /// The checksum is right, and the lengths of the sections do not add up.
    #[error("is damaged: the lengths of its sections do not fit the file")]
    Structure,
    /// There is no section of that name.
    #[error("cannot be used: section '{section}' is missing")]
    Missing {
        /// The section.
        section: String,
    },
    /// A section holds more or less than is read from it.
    #[error(
        "cannot be used: section '{section}' has the wrong length: {found} {what}, {needed} needed"
    )]
    Length {
        /// The section.
        section: String,
        /// "bytes left", "entries", …
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many there should be.
        needed: u64,
    },
    /// A section holds something that nobody has written.
    #[error("cannot be used: section '{section}' is wrong: {found}")]
    Value {
        /// The section.
        section: String,
        /// What is wrong.
        found: String,
    },
}

impl SectionError {
    /// Returns its class: a file that is no checkpoint, or that is damaged, is bad input.
    pub fn class(&self) -> Class {
        match self {
            Self::NotACheckpoint
            | Self::Older { .. }
            | Self::Newer { .. }
            | Self::CutOff { .. }
            | Self::Trailing { .. }
            | Self::Checksum { .. }
            | Self::Structure
            | Self::Missing { .. }
            | Self::Length { .. }
            | Self::Value { .. } => Class::Input,
        }
    }
}

fn of(expected: Option<u64>) -> String {
    expected.map_or_else(String::new, |bytes| format!(" of {bytes}"))
}

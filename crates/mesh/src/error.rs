//! What can go wrong with a mesh, and what the user is told: the place, the finding, the fix.

use std::fmt;
use std::io;
use std::sync::Arc;

use pliant_errors::Class;

/// Why a mesh could not be read, written or built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The operating system refused to open, create or read it: missing file or folder, no permission.
    Io,
    /// It was opened and could not be written to its end: disk full, device gone.
    Write,
    /// The text does not follow the format.
    Syntax,
    /// The file ends before what it promised.
    Truncated,
    /// A count contradicts what is there.
    Count,
    /// An index points to a vertex, element or set that does not exist.
    Index,
    /// A number that must be finite is not.
    NotFinite,
    /// Cells of several kinds in a place that holds one.
    MixedCells,
    /// Legal in the format, but not served here.
    Unsupported,
    /// The geometry cannot serve: open surface, empty mesh, parameters out of range.
    Geometry,
}

impl ErrorKind {
    /// Returns its class. A path that cannot be opened or created is bad input, as it was named by somebody; writing that
    /// breaks off is not.
    pub fn class(self) -> Class {
        match self {
            Self::Write => Class::Output,
            Self::Io
            | Self::Syntax
            | Self::Truncated
            | Self::Count
            | Self::Index
            | Self::NotFinite
            | Self::MixedCells
            | Self::Unsupported
            | Self::Geometry => Class::Input,
        }
    }
}

/// Where in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Location {
    /// The file as a whole.
    #[default]
    File,
    /// A line and column of a text file, both from 1.
    Line {
        /// Line, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
        /// Length in bytes of what is wrong there; 0 where unknown.
        width: u64,
    },
    /// A byte offset of a binary file.
    Offset(u64),
}

/// An error with its place in a file and, where possible, the fix.
#[derive(Clone, PartialEq, Eq)]
pub struct MeshError(Box<Details>);

/// The contents of a [`MeshError`], boxed so that `Result`s stay small.
#[derive(Debug, Clone)]
pub struct Details {
    /// What kind of trouble it is.
    pub kind: ErrorKind,
    /// The file, as the user named it.
    pub file: Option<String>,
    /// The place in it.
    pub at: Location,
    /// What was found and what is accepted.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The error of the operating system, if it is one of its.
    pub source: Option<Arc<io::Error>>,
}

/// Two errors are equal if they say the same; errors of the operating system cannot be compared.
impl PartialEq for Details {
    fn eq(&self, other: &Self) -> bool {
        let Self { kind, file, at, message, hint, source: _ } = self;
        (kind, file, at, message, hint)
            == (&other.kind, &other.file, &other.at, &other.message, &other.hint)
    }
}

impl Eq for Details {}

impl MeshError {
    /// An error that is not (yet) tied to a file.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            kind,
            file: None,
            at: Location::File,
            message: message.into(),
            hint: None,
            source: None,
        }))
    }

    /// An operating-system error on `file`, which could not be opened, created or read.
    pub fn io(file: impl Into<String>, action: &str, error: io::Error) -> Self {
        let text = format!("cannot {action}: {error}");
        Self::new(ErrorKind::Io, text).because(error).in_file(file)
    }

    /// An operating-system error on `file`, which could be opened, but not written to its end.
    pub fn unwritten(file: impl Into<String>, error: io::Error) -> Self {
        Self::from(error).in_file(file)
    }

    fn because(mut self, error: io::Error) -> Self {
        self.0.source = Some(Arc::new(error));
        self
    }

    /// Names the file, unless an inner layer already did.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.file.get_or_insert_with(|| file.into());
        self
    }

    /// Names the place.
    #[must_use]
    pub fn at(mut self, at: Location) -> Self {
        self.0.at = at;
        self
    }

    /// Adds the fix.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Returns its class, which follows from its kind.
    pub fn class(&self) -> Class {
        self.0.kind.class()
    }

    /// What kind of trouble it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// All of it.
    pub fn details(&self) -> &Details {
        &self.0
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { file, at, message, hint, .. } = &*self.0;
        if let Some(file) = file {
            write!(f, "{file}")?;
            match at {
                Location::File => {}
                Location::Line { line, column, .. } => write!(f, ":{line}:{column}")?,
                Location::Offset(offset) => write!(f, " at byte {offset}")?,
            }
            write!(f, ": ")?;
        }
        write!(f, "{message}")?;
        if let Some(hint) = hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for MeshError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|error| error as _)
    }
}

/// For writers: the sink failed. Whoever knows the file's name adds it with [`MeshError::in_file`].
impl From<io::Error> for MeshError {
    fn from(error: io::Error) -> Self {
        Self::new(ErrorKind::Write, format!("cannot write it: {error}")).because(error)
    }
}

/// Something the user should know about a mesh that was read or written all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Inverted cells were turned round on import.
    Reoriented {
        /// How many.
        count: usize,
        /// The first of them.
        first: usize,
    },
    /// Part of a file that was passed over: the text says what and why.
    Skipped(String),
    /// What the written format cannot hold.
    Lost(String),
    /// A decision taken where the file leaves room for two readings.
    Assumed(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Reoriented { count, first } => write!(
                f,
                "{count} inverted {} reoriented (the first is element {first})",
                if *count == 1 { "element was" } else { "elements were" }
            ),
            Note::Skipped(text) | Note::Assumed(text) => f.write_str(text),
            Note::Lost(text) => write!(f, "not kept: {text}"),
        }
    }
}

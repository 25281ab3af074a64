//! [`SceneError`]: what is wrong with a scene, and where.

use std::error::Error;
use std::path::Path;
use std::{fmt, io};

use pliant_dynamics::DynamicsError;
use pliant_errors::Class;
use pliant_forces::ForceError;
use pliant_materials::MaterialError;
use pliant_mesh::MeshError;
use pliant_model::ModelError;
use pliant_sections::SectionError;
use pliant_solvers::SolverError;
use pliant_units::UnitError;

/// A place in a scene file, or an override on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// The file, or the override as it was given.
    pub file: String,
    /// From 1; 0 where there are no lines.
    pub line: u64,
    /// From 1, in bytes.
    pub column: u64,
    /// How many bytes are wrong.
    pub width: u64,
    /// The line.
    pub source: String,
    /// Overrides of keys of the table that stands there, as they were given; empty without.
    pub set: String,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file)?,
            line => write!(f, "{}:{line}:{}", self.file, self.column)?,
        }
        if self.set.is_empty() { Ok(()) } else { write!(f, " with {}", self.set) }
    }
}

/// What is wrong, where, and what to do; with its class, and the error of a lower level that caused it.
#[derive(Debug)]
pub struct SceneError(Box<Details>);

/// The parts of a [`SceneError`].
#[derive(Debug)]
pub struct Details {
    /// Bad input, a failed computation, or results that could not be written.
    pub class: Class,
    /// What is wrong; it includes the text of the source.
    pub message: String,
    /// Where, if it is known.
    pub location: Option<Location>,
    /// What to do, if it is known.
    pub hint: Option<String>,
    /// The error that caused it, if it comes from a lower level.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl SceneError {
    /// Of a scene that is wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(Class::Input, message.into())
    }

    /// Of a computation that failed.
    pub fn computation(message: impl Into<String>) -> Self {
        Self::of(Class::Computation, message.into())
    }

    /// Of results that could not be written; the message names the file.
    pub fn output(message: impl Into<String>) -> Self {
        Self::of(Class::Output, message.into())
            .hint("what was written before is whole; when there is room again, --resume goes on")
    }

    /// Of results that could not be written, by the error of the writer, which names the file.
    pub(crate) fn unwritten(error: MeshError) -> Self {
        Self::output(error.to_string()).because(error)
    }

    /// Of a file that could not be read.
    pub(crate) fn unread(path: &Path, error: io::Error) -> Self {
        Self::new(format!("cannot read {}: {error}", path.display())).because(error)
    }

    fn of(class: Class, message: String) -> Self {
        Self(Box::new(Details { class, message, location: None, hint: None, source: None }))
    }

    /// Keeps the error that caused it, for [`Error::source`] and [`SceneError::find`]; class and message stay.
    #[must_use]
    pub fn because(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    /// Puts another message in place of its own, which goes on to say more about the same thing.
    #[must_use]
    pub(crate) fn told(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Makes bad input of it, whatever it was: results that cannot be written to a path that was just named.
    #[must_use]
    pub fn as_input(mut self) -> Self {
        (self.0.class, self.0.hint) = (Class::Input, None);
        self
    }

    /// At a place, if it has none yet.
    #[must_use]
    pub fn at(mut self, location: &Location) -> Self {
        self.0.location.get_or_insert_with(|| location.clone());
        self
    }

    /// With what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Its parts.
    pub fn details(&self) -> &Details {
        &self.0
    }

    /// Returns its class: that of its source, unless the level in between knows better.
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// Returns the first error of that type among its sources.
    ///
    /// ```
    /// use pliant_dynamics::DynamicsError;
    /// # use pliant_scene::SceneError;
    /// # let error = SceneError::from(DynamicsError::Step { found: -1.0 });
    /// match error.find::<DynamicsError>() {
    ///     Some(DynamicsError::Stuck { .. } | DynamicsError::NotConverged { .. }) => {
    ///         // A shorter step may help.
    ///     }
    ///     _ => println!("{error}"),
    /// }
    /// # assert!(error.find::<DynamicsError>().is_some());
    /// ```
    pub fn find<E: Error + 'static>(&self) -> Option<&E> {
        pliant_errors::find(self)
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { message, location, hint, .. } = &*self.0;
        if let Some(location) = location {
            write!(f, "{location}: ")?;
        }
        write!(f, "{message}")?;
        hint.as_ref().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

impl Error for SceneError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// Errors of lower levels keep their class, and stay as the source.
macro_rules! from {
    ($($error:ty),*) => {$(
        impl From<$error> for SceneError {
            fn from(error: $error) -> Self {
                Self::of(error.class(), error.to_string()).because(error)
            }
        }
    )*};
}

from!(MeshError, MaterialError, SectionError, SolverError, ForceError, DynamicsError, UnitError);

impl From<ModelError> for SceneError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Mesh(error) => error.into(),
            ModelError::Material(error) => error.into(),
            ModelError::Force(error) => error.into(),
            ModelError::Dynamics(error) => error.into(),
            error => {
                let (text, hint) = error.parts();
                let told = Self::of(error.class(), text).because(error);
                match hint {
                    Some(hint) => told.hint(hint),
                    None => told,
                }
            }
        }
    }
}

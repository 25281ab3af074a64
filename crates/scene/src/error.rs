//! [`SceneError`]: what is wrong with a scene, and where.

use std::fmt;

use pliant_dynamics::DynamicsError;
use pliant_forces::ForceError;
use pliant_materials::MaterialError;
use pliant_mesh::MeshError;
use pliant_solvers::SolverError;

/// A place in a scene file, or an override on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
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
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

/// Whose fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The scene is wrong, or a file it needs.
    Input,
    /// The computation failed.
    Computation,
    /// What was computed could not be written.
    Output,
}

/// What is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneError(Box<Details>);

/// The parts of a [`SceneError`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// Whose fault it is.
    pub cause: Cause,
    /// What is wrong.
    pub message: String,
    /// Where, if it is known.
    pub place: Option<Place>,
    /// What to do, if it is known.
    pub hint: Option<String>,
}

impl SceneError {
    /// Of a scene that is wrong.
    pub fn new(message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Details { cause: Cause::Input, message, place: None, hint: None }))
    }

    /// Of a computation that failed.
    pub fn computation(message: impl Into<String>) -> Self {
        let mut error = Self::new(message);
        error.0.cause = Cause::Computation;
        error
    }

    /// Of results that could not be written; the message names the file.
    pub fn output(message: impl Into<String>) -> Self {
        let mut error = Self::new(message);
        error.0.cause = Cause::Output;
        error.hint("what was written before is whole; when there is room again, --resume goes on")
    }

    /// At a place, if it has none yet.
    #[must_use]
    pub fn at(mut self, place: &Place) -> Self {
        self.0.place.get_or_insert_with(|| place.clone());
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
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { message, place, hint, .. } = &*self.0;
        if let Some(place) = place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{message}")?;
        hint.as_ref().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for SceneError {}

impl From<MeshError> for SceneError {
    fn from(error: MeshError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<MaterialError> for SceneError {
    fn from(error: MaterialError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<SolverError> for SceneError {
    fn from(error: SolverError) -> Self {
        match error {
            SolverError::Usage(_) => Self::new(error.to_string()),
            _ => Self::computation(error.to_string()),
        }
    }
}

impl From<ForceError> for SceneError {
    fn from(error: ForceError) -> Self {
        match error {
            ForceError::Parameter { .. } | ForceError::Unsupported(_) => {
                Self::new(error.to_string())
            }
            _ => Self::computation(error.to_string()),
        }
    }
}

impl From<DynamicsError> for SceneError {
    fn from(error: DynamicsError) -> Self {
        match error {
            DynamicsError::Force(error) => error.into(),
            DynamicsError::Linear(error) => error.into(),
            DynamicsError::NotConverged { .. }
            | DynamicsError::Stuck { .. }
            | DynamicsError::Failed { .. }
            | DynamicsError::StepTooSmall { .. }
            | DynamicsError::Load { .. }
            | DynamicsError::NotFinite { .. } => Self::computation(error.to_string()),
            _ => Self::new(error.to_string()),
        }
    }
}

//! [`Preconditioner`]: M⁻¹ near A⁻¹, and the names by which users choose one.

use std::str::FromStr;
use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_errors::names::nearest;
use pliant_sections::Sections;

use super::{
    BlockDiagonal, Cg, Diagonal, EisenstatCg, Ic0, Ict, Multigrid, Settings, Ssor, StaleFactor,
};
use crate::ordering::OrderingName;
use crate::{BlockSolver, Layout, SolverError};

/// An approximate inverse. Those for symmetric matrices are symmetric and positive definite.
pub trait Preconditioner: Send {
    /// The name users know it by.
    fn name(&self) -> &'static str;
    /// Looks at the pattern. Once for all matrices that have it.
    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError>;
    /// Looks at the values.
    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError>;
    /// The same, whatever was kept of another matrix.
    fn renew(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.factor(matrix)
    }
    /// Iterations after which it costs less to [make it anew](Preconditioner::renew) than to go on; none where it was made of
    /// the matrix at hand.
    fn patience(&self) -> Option<usize> {
        None
    }
    /// z = M⁻¹ r. No allocation after the first call.
    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError>;
    /// As [`BlockSolver::save`].
    fn save(&self, to: &mut Sections);
    /// As [`BlockSolver::load`].
    fn load(&mut self, from: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError>;
    /// Bytes held.
    fn memory(&self) -> usize;
    /// Operations and entries of a factor, after analysis, of those that make one as direct solvers do.
    fn factor_counts(&self) -> Option<(f64, u64)> {
        None
    }
    /// What the last set-up has to tell, such as a shift of the diagonal.
    fn note(&self) -> Option<String> {
        None
    }
}

/// Fails on unsymmetric patterns.
pub(super) fn needs_symmetric(pattern: &Pattern, name: &str) -> Result<(), SolverError> {
    if pattern.is_symmetric() {
        return Ok(());
    }
    Err(SolverError::Usage(format!(
        "preconditioner {name} serves symmetric matrices: take diagonal or block-diagonal"
    )))
}

/// Fails where `analyze` has not seen the pattern of this matrix.
pub(super) fn analyzed(rows: usize, matrix: &BlockMatrix, name: &str) -> Result<(), SolverError> {
    if rows == matrix.rows() {
        return Ok(());
    }
    Err(SolverError::Usage(format!(
        "{name}: the matrix has {} rows, but the pattern that was analyzed has {rows}",
        matrix.rows()
    )))
}

macro_rules! names {
    ($($variant:ident $name:literal $doc:literal => $make:expr;)*) => {
        /// The preconditioners by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum PreconditionerName {
            $(#[doc = $doc] $variant,)*
        }

        impl PreconditionerName {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name users know it by.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// One line about it.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $doc,)*
                }
            }

            /// Conjugate gradients with it.
            pub fn cg(self, settings: Settings) -> Result<Box<dyn BlockSolver>, SolverError> {
                Ok(match self {
                    Self::Eisenstat => Box::new(EisenstatCg::new(1.0, settings)?),
                    _ => Box::new(Cg::new(self.build(), settings)),
                })
            }

            /// A preconditioner of that name with default options.
            pub fn build(self) -> Box<dyn Preconditioner> {
                match self {
                    $(Self::$variant => Box::new($make),)*
                }
            }
        }
    };
}

names! {
    Diagonal "diagonal" "the diagonal of the matrix" => Diagonal::default();
    BlockDiagonal "block-diagonal" "its 3×3 diagonal blocks" => BlockDiagonal::default();
    Ssor "ssor" "symmetric over-relaxation by blocks" => Ssor::default();
    Eisenstat "eisenstat" "symmetric over-relaxation inside CG with one pass saved; beside other solvers the same as ssor" => Ssor::default();
    Ic0 "ic0" "incomplete Cholesky without fill" => Ic0::new();
    Ict "ict" "incomplete Cholesky with fill where it is large" => Ict::default();
    Multigrid "multigrid" "smoothed aggregation with rigid-body modes" => Multigrid::default();
    StaleCholesky "stale-cholesky" "the Cholesky factor of an earlier matrix, made anew when that costs less" => StaleFactor::new(OrderingName::Metis);
}

impl FromStr for PreconditionerName {
    type Err = SolverError;
    fn from_str(text: &str) -> Result<Self, SolverError> {
        if let Some(&found) = Self::ALL.iter().find(|p| p.name() == text) {
            return Ok(found);
        }
        let nearest = nearest(text, Self::ALL.iter().map(|p| p.name()));
        let all: Vec<&str> = Self::ALL.iter().map(|p| p.name()).collect();
        Err(SolverError::Usage(format!(
            "there is no preconditioner \"{text}\"; did you mean \"{}\"? (there are {})",
            nearest,
            all.join(", ")
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_the_nearest_is_suggested() {
        for &name in PreconditionerName::ALL {
            assert_eq!(name.name().parse(), Ok(name));
            let inside = name == PreconditionerName::Eisenstat;
            assert_eq!(name.build().name(), if inside { "ssor" } else { name.name() });
        }
        let error = "ico".parse::<PreconditionerName>().unwrap_err().to_string();
        assert!(error.contains("did you mean \"ic0\"?"), "{error}");
    }
}

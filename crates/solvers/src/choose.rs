//! Solvers by name.

use std::str::FromStr;

use pliant_errors::names::nearest;

use crate::auto::Auto;
use crate::direct::{Cholesky, CholeskySingle, Ldlt, Lu};
use crate::iterative::{
    Bicgstab, Cg, Gmres, Minres, Preconditioner, PreconditionerName, Settings, StaleFactor,
};
use crate::ordering::OrderingName;
use crate::{AnyMatrix, BlockSolver, LinearSolver, SolverError, SolverUse};

/// A solver by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SolverName {
    /// Chosen by size, stiffness and use.
    #[default]
    Auto,
    /// L Lᵀ of a positive definite matrix.
    Cholesky,
    /// The same in single precision, refined in double.
    CholeskySingle,
    /// L D Lᵀ of a symmetric matrix.
    Ldlt,
    /// L U of any matrix.
    Lu,
    /// Conjugate gradients.
    Cg,
    /// Least residuals, for symmetric indefinite matrices.
    Minres,
    /// Stabilised biconjugate gradients, for unsymmetric matrices.
    Bicgstab,
    /// Generalised least residuals with restarts, for unsymmetric matrices.
    Gmres,
}

impl SolverName {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Auto,
        Self::Cholesky,
        Self::CholeskySingle,
        Self::Ldlt,
        Self::Lu,
        Self::Cg,
        Self::Minres,
        Self::Bicgstab,
        Self::Gmres,
    ];

    /// The name users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cholesky => "cholesky",
            Self::CholeskySingle => "cholesky-single",
            Self::Ldlt => "ldlt",
            Self::Lu => "lu",
            Self::Cg => "cg",
            Self::Minres => "minres",
            Self::Bicgstab => "bicgstab",
            Self::Gmres => "gmres",
        }
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Auto => "chosen by size, stiffness and use, and says why",
            Self::Cholesky => "direct, positive definite; multifrontal, parallel",
            Self::CholeskySingle => {
                "the same in single precision, refined in double: half the memory, less time"
            }
            Self::Ldlt => "direct, symmetric indefinite",
            Self::Lu => "direct, unsymmetric",
            Self::Cg => "conjugate gradients, positive definite; takes a preconditioner",
            Self::Minres => "least residuals, symmetric indefinite",
            Self::Bicgstab => "stabilised biconjugate gradients, unsymmetric",
            Self::Gmres => "generalised least residuals, unsymmetric",
        }
    }

    /// Whether it uses a preconditioner (otherwise an ordering).
    pub fn is_iterative(self) -> bool {
        matches!(self, Self::Cg | Self::Minres | Self::Bicgstab | Self::Gmres)
    }
}

impl FromStr for SolverName {
    type Err = SolverError;

    fn from_str(name: &str) -> Result<Self, SolverError> {
        Self::ALL.into_iter().find(|s| s.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            let near = nearest(name, Self::ALL.map(Self::name));
            SolverError::Usage(format!(
                "unknown solver {name:?}; did you mean {near:?}? (there are {names})"
            ))
        })
    }
}

/// A solver with its options; what is not given has a default that suits it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Choice {
    /// Which.
    pub solver: SolverName,
    /// For iterative ones.
    pub preconditioner: Option<PreconditionerName>,
    /// For direct ones, and for the factor that `stale-cholesky` keeps.
    pub ordering: Option<OrderingName>,
    /// When iterations stop.
    pub settings: Settings,
}

impl Choice {
    /// Makes it for matrices of any kind.
    pub fn linear(self) -> Result<Box<dyn LinearSolver>, SolverError> {
        Ok(Box::new(AnyMatrix::new(self)?))
    }

    /// The methods that it names, with those that are taken where none is named.
    pub fn taken(self) -> SolverUse {
        let Self { solver, preconditioner, ordering, .. } = self;
        let usual = match solver {
            SolverName::Cg => PreconditionerName::Ic0,
            _ => PreconditionerName::BlockDiagonal,
        };
        let direct = !solver.is_iterative() && solver != SolverName::Auto;
        let preconditioner = solver.is_iterative().then(|| preconditioner.unwrap_or(usual));
        let keeps_factor = preconditioner == Some(PreconditionerName::StaleCholesky);
        let ordering = (direct || keeps_factor).then(|| ordering.unwrap_or_default());
        SolverUse {
            linear: solver.name().to_owned(),
            preconditioner: preconditioner.map(|p| p.name().to_owned()),
            ordering: ordering.map(|o| o.name().to_owned()),
            why: "given by name".to_owned(),
            ..SolverUse::default()
        }
    }

    /// Makes it for matrices of blocks.
    pub fn build(self) -> Result<Box<dyn BlockSolver>, SolverError> {
        let Self { solver, preconditioner, ordering, settings } = self;
        if preconditioner.is_some() && !solver.is_iterative() {
            let text = format!(
                "{} takes no preconditioner: take cg, minres, bicgstab or gmres",
                solver.name()
            );
            return Err(SolverError::Usage(text));
        }
        let keeps_factor = preconditioner == Some(PreconditionerName::StaleCholesky);
        if ordering.is_some()
            && (solver.is_iterative() || solver == SolverName::Auto)
            && !keeps_factor
        {
            let text = format!(
                "{} takes no ordering: take cholesky, cholesky-single, ldlt or lu",
                solver.name()
            );
            return Err(SolverError::Usage(text));
        }
        let ordering = ordering.unwrap_or_default();
        let or = |name: PreconditionerName| -> Box<dyn Preconditioner> {
            match preconditioner.unwrap_or(name) {
                PreconditionerName::StaleCholesky => Box::new(StaleFactor::new(ordering)),
                other => other.build(),
            }
        };
        Ok(match solver {
            SolverName::Auto => Box::new(Auto::new(settings)),
            SolverName::Cholesky => Box::new(Cholesky::new(ordering)),
            SolverName::CholeskySingle => {
                Box::new(CholeskySingle::new(ordering, settings.tolerance))
            }
            SolverName::Ldlt => Box::new(Ldlt::new(ordering)),
            SolverName::Lu => Box::new(Lu::new(ordering)),
            SolverName::Cg if preconditioner == Some(PreconditionerName::Eisenstat) => {
                PreconditionerName::Eisenstat.cg(settings)?
            }
            SolverName::Cg => Box::new(Cg::new(or(PreconditionerName::Ic0), settings)),
            // The others must not be shifted or indefinite: block-diagonal serves any matrix.
            SolverName::Minres => {
                Box::new(Minres::new(or(PreconditionerName::BlockDiagonal), settings))
            }
            SolverName::Bicgstab => {
                Box::new(Bicgstab::new(or(PreconditionerName::BlockDiagonal), settings))
            }
            SolverName::Gmres => {
                Box::new(Gmres::new(or(PreconditionerName::BlockDiagonal), settings))
            }
        })
    }
}

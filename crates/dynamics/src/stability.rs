//! [`StabilityCheck`]: tells a minimum of the energy from a saddle point.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_forces::Configuration;
use pliant_solvers::direct::Ldlt;
use pliant_solvers::ordering::OrderingName;
use pliant_solvers::{BlockSolver, Choice, Layout, SolverError, SolverName};

use crate::equilibrium::STIFFNESS;
use crate::{DynamicsError, State, System};

/// Factors the tangent of a state of rest by Cholesky: it has a factor if and only if the tangent is positive definite on
/// what is free, and then the state is a minimum of the energy, from which no small push leads away.
#[derive(Default)]
pub struct StabilityCheck {
    solver: Option<(Arc<Pattern>, Box<dyn BlockSolver>, BlockMatrix)>,
}

impl StabilityCheck {
    /// Returns true if the state is stable, false if it is not, and none where a tangent cannot tell: it is not
    /// symmetric, the system is restricted to x = x(q), or the factor does not fit into memory. One assembly and one
    /// factorisation; no allocation where the pattern is that of before.
    pub fn look(
        &mut self,
        system: &mut System,
        state: &State,
    ) -> Result<Option<bool>, DynamicsError> {
        let pattern = system.pattern().clone();
        if !pattern.is_symmetric() || system.is_restricted() {
            return Ok(None);
        }
        let (_, solver, matrix) = match self.solver.take() {
            Some(kept) if Arc::ptr_eq(&kept.0, &pattern) => self.solver.insert(kept),
            _ => {
                let choice = Choice { solver: SolverName::Cholesky, ..Choice::default() };
                let mut solver = choice.build()?;
                let layout = Layout { positions: Some(system.rest()), elements: None };
                match solver.analyze(&pattern, &layout) {
                    Err(SolverError::Memory { .. }) => return Ok(None),
                    done => done?,
                }
                let matrix = BlockMatrix::zero(pattern.clone());
                self.solver.insert((pattern, solver, matrix))
            }
        };
        // What sticks holds, and what slides without friction is neither stable nor not.
        let contact = system.has_contact();
        let at = if contact {
            let at = state.ahead(&state.x, &state.v, state.time, 0.0);
            Configuration { settled: Some(&state.x), ..at }
        } else {
            // What remembers has all the time there is to relax.
            state.after_long()
        };
        system.tangent(&at, STIFFNESS, false, matrix)?;
        system.constraints().project(matrix);
        match solver.factor(matrix) {
            Ok(()) => Ok(Some(true)),
            Err(SolverError::NotPositiveDefinite { .. } | SolverError::Singular { .. }) => {
                Ok((!contact).then_some(false))
            }
            Err(SolverError::Memory { .. }) => Ok(None),
            Err(other) => Err(other.into()),
        }
    }
    /// Returns the number of negative eigenvalues of the tangent of a state that [`StabilityCheck::look`] was asked for last: the
    /// number of independent directions in which the body would leave it. None where a tangent cannot tell, where it is
    /// singular, or where the factor does not fit into memory. One factorisation L B Lᵀ with memory of its own: for ends of
    /// runs.
    pub fn negative_pivots(&self) -> Result<Option<usize>, DynamicsError> {
        let Some((pattern, _, matrix)) = &self.solver else { return Ok(None) };
        let mut solver = Ldlt::new(OrderingName::default());
        let factored =
            solver.analyze(pattern, &Layout::default()).and_then(|()| solver.factor(matrix));
        match factored {
            Ok(()) => Ok(solver.negative_pivots()),
            Err(SolverError::Memory { .. } | SolverError::Singular { .. }) => Ok(None),
            Err(other) => Err(other.into()),
        }
    }
}

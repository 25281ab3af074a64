//! [`Outer`]: what direct solvers have in common around their engines: order of calls, checks, residuals.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use super::residual::Residual;
use crate::ordering::{Graph, OrderingName, order_graph};
use crate::{Layout, Report, SolverError};

/// Takes a matrix apart and solves with what it found. Checks are [`Outer`]'s.
pub(super) trait Engine: Sized + Send {
    /// The name of its solver.
    const NAME: &'static str;
    /// Whether it serves unsymmetric matrices.
    const UNSYMMETRIC: bool;
    /// Plans for matrices of that pattern in that order; an error if it takes more than `limit` bytes.
    fn analyze(
        pattern: &Pattern,
        graph: &Graph,
        order: &[u32],
        limit: Option<u64>,
    ) -> Result<Self, SolverError>;
    /// Factors a matrix whose values are finite.
    fn factor(
        &mut self,
        matrix: &BlockMatrix,
        positions: Option<&[Vec3]>,
    ) -> Result<(), SolverError>;
    /// Solves with the factor.
    fn solve(&mut self, b: &[&[Vec3]], x: &mut [&mut [Vec3]]);
    /// Whether the factor must be tried out because its making does not tell when it fails.
    const TRY_OUT: bool;
    /// A solution whose residual is above this part of the right-hand side is refined.
    const REFINED: f64 = 1e-12;
    /// So many times at most.
    const REFINEMENTS: usize = 1;
    /// Bytes held.
    fn memory(&self) -> usize;
    /// Entries of the factor that are not zero, where the engine tells.
    fn nonzeros(&self) -> Option<u64> {
        None
    }
    /// Operations of a factorisation, where the engine tells.
    fn flops(&self) -> Option<f64> {
        None
    }
}

/// An engine with its checks.
#[derive(Debug, Clone)]
pub(super) struct Outer<E> {
    ordering: OrderingName,
    pub(super) limit: Option<u64>,
    state: Option<State<E>>,
}

#[derive(Debug, Clone)]
struct State<E> {
    engine: E,
    residual: Residual,
    positions: Option<Vec<Vec3>>,
    factored: bool,
}

impl<E: Engine> Outer<E> {
    pub(super) fn new(ordering: OrderingName) -> Self {
        Self { ordering, limit: None, state: None }
    }

    /// The engine, after analysis.
    pub(super) fn engine(&self) -> Option<&E> {
        self.state.as_ref().map(|s| &s.engine)
    }

    /// The engine, with a factor.
    pub(super) fn factored(&self) -> Option<&E> {
        self.state.as_ref().filter(|s| s.factored).map(|s| &s.engine)
    }

    /// The same with another engine, made of the one there is after analysis.
    pub(super) fn with_engine<F: Engine>(&self, make: impl Fn(&E) -> F) -> Outer<F> {
        let state = self.state.as_ref().map(|state| State {
            engine: make(&state.engine),
            residual: state.residual.refining(F::REFINED, F::REFINEMENTS),
            positions: state.positions.clone(),
            factored: false,
        });
        Outer { ordering: self.ordering, limit: self.limit, state }
    }

    fn state(&mut self) -> Result<&mut State<E>, SolverError> {
        self.state
            .as_mut()
            .ok_or_else(|| SolverError::Usage(format!("{}: analyze the pattern first", E::NAME)))
    }

    pub(super) fn analyze(
        &mut self,
        pattern: &Arc<Pattern>,
        layout: &Layout<'_>,
    ) -> Result<(), SolverError> {
        self.state = None;
        if pattern.rows() == 0 {
            return Err(SolverError::Usage("the system is empty: it has no vertices".into()));
        }
        if !pattern.is_symmetric() && !E::UNSYMMETRIC {
            return Err(SolverError::Usage(format!(
                "{} serves symmetric matrices; take lu for unsymmetric ones",
                E::NAME
            )));
        }
        let graph = Graph::new(pattern);
        let order = order_graph(self.ordering, &graph, layout)?;
        self.state = Some(State {
            engine: E::analyze(pattern, &graph, &order, self.limit)?,
            residual: Residual::new(pattern, E::REFINED, E::REFINEMENTS),
            positions: layout.positions.map(<[Vec3]>::to_vec),
            factored: false,
        });
        Ok(())
    }

    pub(super) fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        let State { engine, residual, positions, factored } = self.state()?;
        *factored = false;
        residual.check_matrix(matrix)?;
        engine.factor(matrix, positions.as_deref())?;
        if E::TRY_OUT {
            residual.try_out(matrix, positions.as_deref(), &mut |b, x| engine.solve(b, x))?;
        }
        *factored = true;
        Ok(())
    }

    /// Solves for all right-hand sides and tells of each.
    pub(super) fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[&[Vec3]],
        x: &mut [&mut [Vec3]],
        report: &mut dyn FnMut(Report),
    ) -> Result<(), SolverError> {
        let State { engine, residual, factored, .. } = self.state()?;
        if !*factored {
            return Err(SolverError::Usage(format!("{}: factor the matrix first", E::NAME)));
        }
        residual.solve(matrix, b, x, &mut |b, x| engine.solve(b, x), report)
    }

    /// Solves without looking at the residual.
    pub(super) fn solve_unchecked(
        &mut self,
        b: &[&[Vec3]],
        x: &mut [&mut [Vec3]],
    ) -> Result<(), SolverError> {
        let State { engine, factored, .. } = self.state()?;
        if !*factored {
            return Err(SolverError::Usage(format!("{}: factor the matrix first", E::NAME)));
        }
        engine.solve(b, x);
        Ok(())
    }

    /// Solutions need not be better than this.
    pub(super) fn set_tolerance(&mut self, relative: f64) {
        if let Some(state) = &mut self.state {
            state.residual.refined = relative;
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.engine().map_or(0, Engine::memory)
    }

    pub(super) fn nonzeros(&self) -> Option<u64> {
        self.engine().and_then(Engine::nonzeros)
    }

    pub(super) fn flops(&self) -> Option<f64> {
        self.engine().and_then(Engine::flops)
    }
}

/// The solver of that name on an engine.
macro_rules! solver {
    ($solver:ident, $engine:ty) => {
        impl $solver {
            /// A solver with that ordering.
            pub fn new(ordering: $crate::ordering::OrderingName) -> Self {
                Self(crate::direct::outer::Outer::new(ordering))
            }
        }

        impl $crate::BlockSolver for $solver {
            fn name(&self) -> &'static str {
                <$engine as crate::direct::outer::Engine>::NAME
            }

            fn takes_unsymmetric(&self) -> bool {
                <$engine as crate::direct::outer::Engine>::UNSYMMETRIC
            }

            fn analyze(
                &mut self,
                pattern: &std::sync::Arc<pliant_algebra::sparse::Pattern>,
                layout: &$crate::Layout<'_>,
            ) -> Result<(), $crate::SolverError> {
                self.0.analyze(pattern, layout)
            }

            fn factor_nonzeros(&self) -> Option<u64> {
                self.0.nonzeros()
            }

            fn factor_flops(&self) -> Option<f64> {
                self.0.flops()
            }

            fn factor(
                &mut self,
                matrix: &pliant_algebra::sparse::BlockMatrix,
            ) -> Result<(), $crate::SolverError> {
                self.0.factor(matrix)
            }

            fn solve(
                &mut self,
                matrix: &pliant_algebra::sparse::BlockMatrix,
                b: &[pliant_algebra::vec3::Vec3],
                x: &mut [pliant_algebra::vec3::Vec3],
            ) -> Result<$crate::Report, $crate::SolverError> {
                let mut report = None;
                self.0.solve(matrix, &[b], &mut [x], &mut |r| report = Some(r))?;
                report.ok_or_else(|| $crate::SolverError::Usage("nothing was solved".into()))
            }

            fn solve_many(
                &mut self,
                matrix: &pliant_algebra::sparse::BlockMatrix,
                b: &[Vec<pliant_algebra::vec3::Vec3>],
                x: &mut [Vec<pliant_algebra::vec3::Vec3>],
            ) -> Result<Vec<$crate::Report>, $crate::SolverError> {
                let b: Vec<_> = b.iter().map(Vec::as_slice).collect();
                let mut x: Vec<_> = x.iter_mut().map(Vec::as_mut_slice).collect();
                let mut reports = Vec::with_capacity(b.len());
                self.0.solve(matrix, &b, &mut x, &mut |r| reports.push(r))?;
                Ok(reports)
            }

            /// Nothing: every matrix is factored anew.
            fn save(&self, _: &mut pliant_sections::Sections) {}

            fn load(
                &mut self,
                _: &pliant_sections::Sections,
                matrix: Option<&pliant_algebra::sparse::BlockMatrix>,
            ) -> Result<(), $crate::SolverError> {
                matrix.map_or(Ok(()), |matrix| self.0.factor(matrix))
            }

            fn memory(&self) -> usize {
                self.0.memory()
            }
        }
    };
}
pub(super) use solver;

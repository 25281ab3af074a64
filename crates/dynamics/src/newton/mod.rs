//! [`Newton`]: full, simplified and inexact Newton for r(y) = 0.
//!
//! - **full**: a Jacobian for every iteration;
//! - **simplified**: a Jacobian is kept, also from solve to solve, as long as the contraction
//!   Θ = |δₖ| / |δₖ₋₁| stays small (Hairer and Wanner, Solving ODEs II, IV.8);
//! - **inexact**: linear systems are solved only as well as r is worth it (Eisenstat and Walker 1996).
//!
//! Steps are shortened on the energy where there is one, and where an element would invert. Without an
//! energy |r| is watched instead ([`Watchdog`]): it may rise for a few full steps, as it does where a body is
//! hardly compressible, before the iteration goes back and shortens its steps. The stiffness is projected to positive semi-definite only once a direction fails to descend
//! or a factorisation fails, until full steps succeed again; if that is not enough, or if no part of the
//! step is any good, it is regularised (Levenberg 1944, Marquardt 1963) until directions are short and
//! downhill, and less so again after full steps.

mod advance;
mod iterate;
mod jacobian;
mod prescribe;
mod report;
mod settings;
mod watchdog;

pub use report::{Converged, Counters, NewtonReport, Phases};
pub use settings::{Forcing, Form, NewtonSettings, Projection};

use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;
use pliant_solvers::matrix::{Diagonal, Matrix, Shape};
use pliant_solvers::{LinearSolver, SolverUse};

use self::jacobian::Assembled;
use self::watchdog::Watchdog;
use crate::linear::refuse_unsymmetric;
use crate::{DynamicsError, NonlinearSolver, Problem};

/// The solver, with its memory.
pub struct Newton {
    settings: NewtonSettings,
    solver: Box<dyn LinearSolver>,
    counters: Counters,
    phases: Phases,
    /// |r| at the start and after each iteration of the last solve, N.
    history: Vec<f64>,
    analyzed: Option<Shape>,
    matrix: Option<Matrix>,
    /// What the stale Jacobian was made for.
    stale: Option<[f64; 3]>,
    /// How much of the projection there is to be in the Jacobian, 0 to 1.
    projected: f64,
    /// What the matrix holds, while y stays where it is.
    assembled: Option<Assembled>,
    /// The projected Jacobian, where a part is taken of each.
    other: Option<Matrix>,
    /// The diagonal before it was regularised.
    diagonal: Diagonal,
    /// Iterations to go before less of it is tried.
    patience: usize,
    /// Regularisation, relative to the diagonal.
    regularised: f64,
    /// Whether the last direction was found with the tangent as it is at that place, seen to be positive definite.
    definite: bool,
    /// Iterations in a row that were lost in rounding.
    stalled: usize,
    /// Whether the last solve began where it ended.
    idle: bool,
    /// By how much the last first step missed what the linear model promised, relative to |r| before it.
    nonlinearity: Option<f64>,
    /// |r + J δ| of the last linear solve, N.
    linear_residual: f64,
    r: Vec<f64>,
    right: Vec<f64>,
    delta: Vec<f64>,
    next: Vec<f64>,
    next_r: Vec<f64>,
    watchdog: Watchdog,
}

impl Newton {
    /// With a linear solver.
    pub fn new(
        settings: NewtonSettings,
        solver: impl Into<Box<dyn LinearSolver>>,
    ) -> Result<Self, DynamicsError> {
        settings.check()?;
        Ok(Self {
            settings,
            solver: solver.into(),
            counters: Counters::default(),
            phases: Phases::default(),
            history: Vec::new(),
            analyzed: None,
            matrix: None,
            stale: None,
            projected: 0.0,
            assembled: None,
            other: None,
            diagonal: Diagonal::default(),
            patience: 0,
            regularised: 0.0,
            definite: false,
            stalled: 0,
            idle: false,
            nonlinearity: None,
            linear_residual: 0.0,
            r: Vec::new(),
            right: Vec::new(),
            delta: Vec::new(),
            next: Vec::new(),
            next_r: Vec::new(),
            watchdog: Watchdog::default(),
        })
    }

    /// The settings.
    pub fn settings(&self) -> &NewtonSettings {
        &self.settings
    }

    /// Takes in the shape of a problem, once.
    fn prepare(&mut self, problem: &dyn Problem) -> Result<(), DynamicsError> {
        self.prepare_for(&problem.shape(), problem.positions())
    }

    fn prepare_for(
        &mut self,
        shape: &Shape,
        positions: Option<&[Vec3]>,
    ) -> Result<(), DynamicsError> {
        if self.analyzed.as_ref().is_some_and(|known| known.same(shape)) {
            return Ok(());
        }
        if let Shape::Blocks(pattern) = shape {
            refuse_unsymmetric(pattern, self.solver.takes_unsymmetric(), self.solver.name())?;
        }
        self.solver.analyze(shape, positions)?;
        self.counters.patterns += 1;
        self.matrix = Some(Matrix::zero(shape));
        (self.other, self.assembled) = (None, None);
        self.diagonal.clear();
        self.stale = None;
        self.history.reserve(self.settings.max_iterations + 1);
        for list in
            [&mut self.r, &mut self.right, &mut self.delta, &mut self.next, &mut self.next_r]
        {
            list.clear();
            list.resize(shape.size(), 0.0);
        }
        self.analyzed = Some(shape.clone());
        Ok(())
    }
}

impl NonlinearSolver for Newton {
    fn solve(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
    ) -> Result<NewtonReport, DynamicsError> {
        let outcome = self.run(problem, y);
        // The next solve is at another place, or at another time.
        self.assembled = None;
        outcome
    }

    fn prescribe(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
        way: &[f64],
    ) -> Result<(), DynamicsError> {
        self.carry_along(problem, y, way)
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn phases(&self) -> Phases {
        self.phases
    }

    fn chosen(&self) -> Option<SolverUse> {
        self.solver.chosen()
    }

    fn history(&self) -> &[f64] {
        &self.history
    }

    fn save(&self, to: &mut Sections) {
        let mut section = to.write("newton");
        section.flag(self.analyzed.is_some()).flag(self.idle).maybe_number(self.nonlinearity);
        // Other forms make a Jacobian for every iteration.
        let simplified = matches!(self.settings.form, Form::Simplified { .. });
        let stale = self.stale.zip(self.matrix.as_ref()).filter(|_| simplified);
        section.flag(stale.is_some());
        if let Some((weights, matrix)) = stale {
            section.numbers(weights);
            for list in matrix.values() {
                section.vectors(list.as_chunks::<1>().0);
            }
        }
        if self.analyzed.is_some() {
            self.solver.save(to);
        }
    }

    fn load(
        &mut self,
        from: &Sections,
        shape: &Shape,
        positions: Option<&[Vec3]>,
    ) -> Result<(), DynamicsError> {
        self.forget();
        let mut section = from.read("newton")?;
        let analyzed = section.flag()?;
        self.idle = section.flag()?;
        self.nonlinearity = section.maybe_number()?;
        let has_stale = section.flag()?;
        if !analyzed {
            return Ok(section.finish()?);
        }
        self.prepare_for(shape, positions)?;
        let weights = if has_stale { Some(section.numbers()?) } else { None };
        if let Some(matrix) = self.matrix.as_mut().filter(|_| has_stale) {
            for list in matrix.values_mut() {
                list.copy_from_slice(section.vectors_of::<1>(list.len())?.as_flattened());
            }
        }
        section.finish()?;
        self.solver.load(from, self.matrix.as_ref().filter(|_| has_stale))?;
        self.stale = weights;
        Ok(())
    }

    fn forget(&mut self) {
        // The linear solver is set up anew too: it may keep a factor of its own.
        (self.analyzed, self.stale, self.nonlinearity) = (None, None, None);
        self.idle = false;
    }
}

//! [`Auto`]: a solver that chooses another one, and says which and why.

mod decide;

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::{SectionReader, Sections};

use crate::choose::{Choice, SolverName};
use crate::iterative::{PreconditionerName, Settings};
use crate::ordering::OrderingName;
use crate::solver_use::method;
use crate::{BlockSolver, Layout, Report, SolverError, SolverUse};

/// Methods there are to choose from, at most: what a checkpoint may count.
const MOST_USES: u64 = 64;

/// The longest that LDLᵀ is kept before the first choice is tried again, in matrices.
const LONGEST_DETOUR: u64 = 64;

/// The ordering of direct solvers.
const ORDERING: OrderingName = OrderingName::Metis;

/// What a solver is made by.
type Names = (SolverName, Option<PreconditionerName>);

/// Chooses when it first sees values: by symmetry, and by what factors and iterations [cost](crate::cost). Where iterations turn
/// out to cost more than another method, that is taken from then on. Where a matrix is found not to be positive definite it goes over to LDLᵀ, unless
/// that is to be an error, and comes back to its first choice with a later matrix: with the next one at first, and
/// after twice as many each time that the first choice fails again. It decides by counts alone, so that the bits of
/// a run depend neither on the clock nor on the number of threads.
pub struct Auto {
    settings: Settings,
    pattern: Option<Arc<Pattern>>,
    positions: Option<Vec<Vec3>>,
    chosen: Option<Box<dyn BlockSolver>>,
    /// By which names.
    names: Names,
    why: String,
    /// The first choice while LDLᵀ stands in for it.
    detour: Option<Detour>,
    /// Matrices that the next detour lasts.
    detour_length: u64,
    /// The solver that is not in use: LDLᵀ, or during a detour the first choice.
    other: Option<Box<dyn BlockSolver>>,
    /// Whether indefinite matrices are errors.
    definite: bool,
    /// What the iterations with the last matrix have cost so far.
    spent: f64,
    /// What they may cost with a matrix: by a rough estimate of a factor first, then by what another method does cost.
    bearable: f64,
    /// What iterations have cost beyond that.
    debt: f64,
    /// Whether the first matrix had no mass.
    at_rest: bool,
    /// What a matrix roughly costs by factors, before they are analysed.
    rough: f64,
    /// Whether they were analysed since the first matrix.
    looked: bool,
    /// The method that takes factors, analysed, from when its cost was asked for.
    direct: Option<Box<dyn BlockSolver>>,
    /// Methods that were taken so far, in the order of their first use.
    uses: Vec<Use>,
    /// The one of the last matrix, and how often it was another than the one before.
    last: usize,
    changes: u64,
}

/// A method that was taken.
#[derive(Debug, Clone, PartialEq)]
struct Use {
    names: Names,
    /// The reason, the first time.
    why: String,
    /// Matrices that it was given.
    matrices: u64,
}

impl Use {
    /// The solver with its preconditioner or ordering.
    fn parts(&self) -> (&'static str, Option<&'static str>, Option<&'static str>) {
        let (solver, preconditioner) = self.names;
        let ordering = (!solver.is_iterative()).then_some(ORDERING.name());
        (solver.name(), preconditioner.map(PreconditionerName::name), ordering)
    }
}

/// A stretch of matrices that LDLᵀ solves.
#[derive(Debug, Clone, PartialEq)]
struct Detour {
    /// The first choice, and its reason.
    names: Names,
    why: String,
    /// Matrices to go before it is tried again.
    left: u64,
}

impl Auto {
    /// Iterations, if it comes to them, stop by these settings.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            pattern: None,
            positions: None,
            chosen: None,
            names: (SolverName::Auto, None),
            why: "nothing chosen yet".into(),
            detour: None,
            detour_length: 1,
            other: None,
            definite: false,
            spent: 0.0,
            bearable: f64::INFINITY,
            debt: 0.0,
            at_rest: false,
            rough: f64::INFINITY,
            looked: false,
            direct: None,
            uses: Vec::new(),
            last: 0,
            changes: 0,
        }
    }

    /// What was chosen, and why.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Counts a matrix for the method in use.
    fn count(&mut self) {
        let at = self.uses.iter().position(|u| u.names == self.names).unwrap_or_else(|| {
            // The names are told beside it.
            let why = self.why.split_once(": ").map_or(self.why.as_str(), |(_, why)| why);
            self.uses.push(Use { names: self.names, why: why.to_owned(), matrices: 0 });
            self.uses.len() - 1
        });
        self.uses[at].matrices += 1;
        self.changes += u64::from(at != self.last);
        self.last = at;
    }

    /// Makes a solver by names and lets it look at the pattern.
    fn build(&self, (solver, preconditioner): Names) -> Result<Box<dyn BlockSolver>, SolverError> {
        let Some(pattern) = &self.pattern else {
            return Err(SolverError::Usage("auto: analyze a pattern first".into()));
        };
        let factors =
            !solver.is_iterative() || preconditioner == Some(PreconditionerName::StaleCholesky);
        let ordering = factors.then_some(ORDERING);
        let choice = Choice { solver, preconditioner, ordering, settings: self.settings };
        let mut solver = choice.build()?;
        let layout = Layout { positions: self.positions.as_deref(), elements: None };
        solver.analyze(pattern, &layout)?;
        Ok(solver)
    }

    /// Makes the solver that was decided on.
    fn take_up(&mut self) -> Result<(), SolverError> {
        let factors = self.names.1 == Some(PreconditionerName::StaleCholesky);
        let analysed = if factors { self.direct.take() } else { None };
        self.chosen = Some(match analysed {
            Some(solver) => solver,
            None => self.build(self.names)?,
        });
        Ok(())
    }

    /// Takes LDLᵀ for this matrix and maybe some more, as it turned out not to be positive definite.
    fn go_over(&mut self, matrix: &BlockMatrix, why: String) -> Result<(), SolverError> {
        let names = (SolverName::Ldlt, None);
        let mut solver = match self.other.take() {
            Some(solver) => solver,
            None => self.build(names)?,
        };
        solver.factor(matrix)?;
        let first = std::mem::replace(&mut self.names, names);
        let first_why = std::mem::replace(&mut self.why, why);
        self.detour = Some(Detour { names: first, why: first_why, left: self.detour_length });
        self.detour_length = (2 * self.detour_length).min(LONGEST_DETOUR);
        self.other = self.chosen.replace(solver);
        self.count();
        Ok(())
    }

    /// Counts a matrix of a detour, and goes back to the first choice at its end.
    fn come_back(&mut self) -> Result<(), SolverError> {
        let Some(detour) = &mut self.detour else { return Ok(()) };
        detour.left = detour.left.saturating_sub(1);
        if detour.left > 0 {
            return Ok(());
        }
        let names = detour.names;
        let mut first = match self.other.take() {
            Some(solver) => solver,
            None => self.build(names)?,
        };
        first.set_tolerance(self.settings.tolerance);
        self.other = self.chosen.replace(first);
        if let Some(detour) = self.detour.take() {
            (self.names, self.why) = (detour.names, detour.why);
        }
        Ok(())
    }
}

/// Reads the names of a solver.
fn load_names(section: &mut SectionReader<'_>) -> Result<Names, SolverError> {
    let (name, preconditioner) = (section.text()?, section.text()?);
    let preconditioner =
        if preconditioner.is_empty() { None } else { Some(preconditioner.parse()?) };
    let names = (name.parse()?, preconditioner);
    if names.0 == SolverName::Auto {
        return Err(section.wrong("auto chose itself").into());
    }
    Ok(names)
}

impl BlockSolver for Auto {
    fn name(&self) -> &str {
        self.chosen.as_ref().map_or("auto", |s| s.name())
    }

    fn takes_unsymmetric(&self) -> bool {
        true
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        self.pattern = Some(pattern.clone());
        self.positions = layout.positions.map(<[Vec3]>::to_vec);
        (self.chosen, self.other, self.detour, self.detour_length) = (None, None, None, 1);
        (self.direct, self.looked, self.spent, self.debt) = (None, false, 0.0, 0.0);
        self.bearable = f64::INFINITY;
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        if self.chosen.is_none() {
            self.names = self.choose(matrix)?;
            self.take_up()?;
        }
        self.settle()?;
        self.come_back()?;
        let Some(solver) = &mut self.chosen else { return Ok(()) };
        match solver.factor(matrix) {
            Err(SolverError::NotPositiveDefinite { .. }) if !self.definite => {
                self.go_over(matrix, "ldlt: a matrix was not positive definite".to_owned())
            }
            Ok(()) => {
                self.count();
                Ok(())
            }
            other => other,
        }
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        let Some(solver) = &mut self.chosen else {
            return Err(SolverError::Usage("auto: factor a matrix first".into()));
        };
        match solver.solve(matrix, b, x) {
            Err(SolverError::Indefinite { iterations, .. }) if !self.definite => {
                let why = format!("ldlt: cg found it indefinite after {iterations} iterations");
                self.go_over(matrix, why)?;
                x.fill([0.0; 3]);
                match &mut self.chosen {
                    Some(solver) => solver.solve(matrix, b, x),
                    None => Err(SolverError::Usage("auto: factor a matrix first".into())),
                }
            }
            solved => {
                // Each system that the first choice solves makes the next detour shorter.
                if let Ok(report) = &solved {
                    if self.detour.is_none() {
                        self.detour_length = (self.detour_length / 2).max(1);
                    }
                    self.spent += self.cost_of(report.iterations);
                }
                solved
            }
        }
    }

    fn solve_many(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec<Vec3>],
        x: &mut [Vec<Vec3>],
    ) -> Result<Vec<Report>, SolverError> {
        match &mut self.chosen {
            // Those that read their factor once for all right-hand sides.
            Some(solver) if solver.factor_nonzeros().is_some() => solver.solve_many(matrix, b, x),
            _ => b.iter().zip(x).map(|(b, x)| self.solve(matrix, b, x)).collect(),
        }
    }

    fn wants_definite(&mut self, yes: bool) {
        self.definite = yes;
    }

    fn set_tolerance(&mut self, relative: f64) {
        self.settings.tolerance = relative;
        if let Some(solver) = &mut self.chosen {
            solver.set_tolerance(relative);
        }
    }

    /// What was chosen and why, so that it is not chosen again by another matrix.
    fn save(&self, to: &mut Sections) {
        let mut section = to.write("auto");
        section.flag(self.definite).number(self.settings.tolerance).flag(self.chosen.is_some());
        if let Some(solver) = &self.chosen {
            let (name, preconditioner) = self.names;
            section.text(name.name()).text(preconditioner.map_or("", PreconditionerName::name));
            section.text(&self.why).word(self.detour_length).flag(self.detour.is_some());
            if let Some(Detour { names: (name, preconditioner), why, left }) = &self.detour {
                section.text(name.name()).text(preconditioner.map_or("", PreconditionerName::name));
                section.text(why).word(*left);
            }
            // Of the two only the first choice keeps anything; LDLᵀ makes each factor anew.
            let first = if self.detour.is_some() { self.other.as_ref() } else { None };
            first.unwrap_or(solver).save(to);
        }
        let mut section = to.write("auto, costs");
        section.number(self.spent).number(self.bearable).number(self.debt);
        section.flag(self.at_rest).number(self.rough).flag(self.looked);
        let mut section = to.write("auto, counts");
        section.word(self.last as u64).word(self.changes).word(self.uses.len() as u64);
        for Use { names: (name, preconditioner), why, matrices } in &self.uses {
            section.text(name.name()).text(preconditioner.map_or("", PreconditionerName::name));
            section.text(why).word(*matrices);
        }
    }

    fn load(&mut self, from: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        let mut section = from.read("auto")?;
        self.definite = section.flag()?;
        self.settings.tolerance = section.number()?;
        self.chosen = None;
        (self.other, self.detour) = (None, None);
        if section.flag()? {
            let names = load_names(&mut section)?;
            self.why = section.text()?;
            self.detour_length = section.word()?;
            if section.flag()? {
                let names = load_names(&mut section)?;
                let (why, left) = (section.text()?, section.word()?);
                self.detour = Some(Detour { names, why, left });
            }
            let mut solver = self.build(names)?;
            if let Some(detour) = &self.detour {
                let mut first = self.build(detour.names)?;
                first.load(from, None)?;
                self.other = Some(first);
            }
            solver.load(from, matrix)?;
            (self.names, self.chosen) = (names, Some(solver));
        }
        section.finish()?;
        let mut section = from.read("auto, costs")?;
        (self.spent, self.bearable) = (section.number()?, section.number()?);
        (self.debt, self.at_rest) = (section.number()?, section.flag()?);
        (self.rough, self.looked) = (section.number()?, section.flag()?);
        section.finish()?;
        let mut section = from.read("auto, counts")?;
        (self.last, self.changes) = (section.word()? as usize, section.word()?);
        self.uses.clear();
        for _ in 0..section.word()?.min(MOST_USES) {
            let names = load_names(&mut section)?;
            let (why, matrices) = (section.text()?, section.word()?);
            self.uses.push(Use { names, why, matrices });
        }
        Ok(section.finish()?)
    }

    fn memory(&self) -> usize {
        self.chosen.as_ref().map_or(0, |s| s.memory())
    }

    fn factor_nonzeros(&self) -> Option<u64> {
        self.chosen.as_ref().and_then(|s| s.factor_nonzeros())
    }

    fn chosen(&self) -> Option<SolverUse> {
        // The first of those with the most matrices.
        let most = self.uses.iter().rev().max_by_key(|u| u.matrices);
        let Some(most) = most else {
            let why = "no system was solved".to_owned();
            return Some(SolverUse { linear: "auto".to_owned(), why, ..SolverUse::default() });
        };
        let each = |used: &Use| {
            let (solver, preconditioner, ordering) = used.parts();
            (method(solver, preconditioner.or(ordering)), used.matrices)
        };
        let (solver, preconditioner, ordering) = most.parts();
        Some(SolverUse {
            linear: solver.to_owned(),
            preconditioner: preconditioner.map(str::to_owned),
            ordering: ordering.map(str::to_owned),
            why: most.why.clone(),
            changes: self.changes,
            matrices: self.uses.iter().map(each).collect(),
        })
    }

    fn note(&self) -> Option<String> {
        Some(self.why.clone())
    }
}

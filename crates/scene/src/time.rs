//! How the motion is computed: analysis, integrator, steps, solvers.

use pliant_dynamics::newton::{Forcing, Form};
use pliant_dynamics::{
    IntegratorName, NewtonSettings, Options, Projection, StaticMethod, StaticOptions, StepControl,
};
use pliant_solvers::iterative::{PreconditionerName, Settings};
use pliant_solvers::ordering::OrderingName;
use pliant_solvers::{Choice, SolverName};
use pliant_units::Dimension;

use crate::error::SceneError;
use crate::table::Table;

/// What is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Analysis {
    /// The motion.
    #[default]
    Dynamic,
    /// The state of rest under the loads of the end.
    Static,
    /// A state of rest at every time.
    QuasiStatic,
}

const ANALYSES: &[(&str, Analysis)] = &[
    ("dynamic", Analysis::Dynamic),
    ("static", Analysis::Static),
    ("quasi-static", Analysis::QuasiStatic),
];

impl Analysis {
    /// As scenes name it.
    pub fn name(self) -> &'static str {
        ANALYSES.iter().find(|(_, a)| *a == self).map_or("", |(name, _)| name)
    }
}

/// `[time]` and `[solver]`.
#[derive(Debug, Clone)]
pub struct TimeSpec {
    /// What is sought.
    pub analysis: Analysis,
    /// The method.
    pub integrator: IntegratorName,
    /// s
    pub step: f64,
    /// s
    pub end: f64,
    /// What methods are told.
    pub options: Options,
    /// Of a static analysis: load steps to begin with.
    pub load_steps: usize,
    /// Whether a step that fails is taken again in shorter parts.
    pub retry: bool,
}

impl TimeSpec {
    /// Reads both tables.
    pub(crate) fn read(root: &Table<'_>) -> Result<Self, SceneError> {
        let mut spec = Self {
            analysis: Analysis::Dynamic,
            integrator: IntegratorName::BackwardEuler,
            step: 0.01,
            end: 1.0,
            options: Options::default(),
            load_steps: 1,
            retry: true,
        };
        if let Some(t) = root.table("time")? {
            spec.read_time(&t)?;
            spec.read_retry(&t)?;
            t.finish()?;
        }
        if spec.analysis == Analysis::QuasiStatic {
            spec.integrator = IntegratorName::QuasiStatic;
        }
        if let Some(t) = root.table("solver")? {
            spec.read_solver(&t)?;
            t.finish()?;
            spec.options.newton.check().map_err(|e| SceneError::from(e).at(t.place()))?;
        }
        Ok(spec)
    }

    fn read_time(&mut self, t: &Table<'_>) -> Result<(), SceneError> {
        self.analysis = t.choice("analysis", ANALYSES)?.unwrap_or_default();
        if let Some(name) = t.name::<IntegratorName>("integrator")? {
            if self.analysis != Analysis::Dynamic && name != IntegratorName::QuasiStatic {
                let text = format!("a {} analysis has no integrator", self.analysis.name());
                return Err(t.error("integrator", text));
            }
            if self.analysis == Analysis::Dynamic && name == IntegratorName::QuasiStatic {
                self.analysis = Analysis::QuasiStatic;
            }
            self.integrator = name;
        }
        if let Some(step) = t.positive("step", Dimension::TIME)? {
            self.step = step;
        }
        let (end, steps) = (t.positive("end", Dimension::TIME)?, t.count("steps")?);
        match (end, steps) {
            // The one that was set on the command line counts, if one was.
            (Some(end), Some(steps)) => match (t.place_of("end").line, t.place_of("steps").line) {
                (0, _) => self.end = end,
                (_, 0) => self.end = steps as f64 * self.step,
                _ => return Err(t.error("steps", "give either end or steps")),
            },
            (Some(end), None) => self.end = end,
            (None, Some(steps)) => self.end = steps as f64 * self.step,
            (None, None) => {}
        }
        if self.end / self.step > 1e9 {
            return Err(t.error("step", "more than a thousand million steps to the end"));
        }
        if let Some(beta) = t.quantity("beta", Dimension::NONE)? {
            self.options.newmark.0 = beta;
        }
        if let Some(gamma) = t.quantity("gamma", Dimension::NONE)? {
            self.options.newmark.1 = gamma;
        }
        if let Some(radius) = t.quantity("spectral_radius", Dimension::NONE)? {
            self.options.spectral_radius = radius;
        }
        if let Some(tolerance) = t.positive("tolerance", Dimension::NONE)? {
            self.options.control = Some(StepControl::with_tolerance(tolerance));
        }
        Ok(())
    }

    /// After all that it depends on. Unless said otherwise steps are divided where that takes nothing from the method.
    fn read_retry(&mut self, t: &Table<'_>) -> Result<(), SceneError> {
        let does_already = match self.analysis {
            Analysis::Static => {
                Some("a static analysis has load steps, which it shortens by itself")
            }
            Analysis::QuasiStatic => Some("a quasi-static analysis divides its steps by itself"),
            Analysis::Dynamic if self.options.control.is_some() => Some(
                "with time.tolerance steps are chosen by their error, and shortened where they fail",
            ),
            Analysis::Dynamic => None,
        };
        let asked = t.switch("retry")?;
        if let (Some(true), Some(why)) = (asked, does_already) {
            return Err(t.error("retry", why).hint("leave retry out"));
        }
        let harmless = does_already.is_none() && !self.integrator.keeps_structure(&self.options);
        self.retry = asked.unwrap_or(harmless);
        Ok(())
    }

    fn read_solver(&mut self, t: &Table<'_>) -> Result<(), SceneError> {
        let solver = t.name::<SolverName>("linear")?.unwrap_or_default();
        let mut settings = Settings::default();
        if let Some(tolerance) = t.positive("tolerance", Dimension::NONE)? {
            settings.tolerance = tolerance;
        }
        if let Some(most) = t.count("iterations")? {
            settings.max_iterations = most;
        }
        let preconditioner = t.name::<PreconditionerName>("preconditioner")?;
        let ordering = t.name::<OrderingName>("ordering")?;
        self.options.solver = Choice { solver, preconditioner, ordering, settings };
        self.options.solver.build().map_err(|e| t.refused("linear", e))?;
        let forms = [("full", 0), ("simplified", 1), ("inexact", 2), ("semi-implicit", 3)];
        let newton = &mut self.options.newton;
        match t.choice("newton", &forms)? {
            Some(1) => newton.form = Form::KEPT,
            Some(2) => {
                newton.form = Form::Inexact(Forcing::EisenstatWalker { gamma: 0.9, largest: 0.1 });
            }
            Some(3) => {
                *newton = NewtonSettings::semi_implicit();
                self.options.start = Options::semi_implicit().start;
            }
            _ => {}
        }
        let newton = &mut self.options.newton;
        if let Some(tolerance) = t.positive("newton_tolerance", Dimension::NONE)? {
            newton.force_tolerance = tolerance;
        }
        if let Some(force) = t.positive("absolute_tolerance", Dimension::FORCE)? {
            newton.absolute_force = force;
        }
        if let Some(speed) = t.positive("speed_tolerance", Dimension::VELOCITY)? {
            newton.speed_tolerance = speed;
        }
        let projections = [
            ("when-needed", Projection::WhenNeeded),
            ("always", Projection::Always),
            ("never", Projection::Never),
        ];
        if let Some(projection) = t.choice("projection", &projections)? {
            newton.projection = projection;
        }
        if let Some(most) = t.count("newton_iterations")? {
            newton.max_iterations = most;
        }
        if let Some(method) = t.name::<StaticMethod>("static_method")? {
            self.options.static_method = method;
        }
        if let Some(steps) = t.count("load_steps")? {
            if steps == 0 {
                return Err(t.error("load_steps", "at least one is needed"));
            }
            self.load_steps = steps;
        }
        Ok(())
    }

    /// What static methods are told.
    pub(crate) fn static_options(&self) -> StaticOptions {
        let newton = &self.options.newton;
        let mut options = StaticOptions::default()
            .with_force_tolerance(newton.force_tolerance)
            .with_absolute_force(newton.absolute_force);
        options.newton = self.options.newton;
        options.solver = self.options.solver;
        options.load.first_increment = 1.0 / self.load_steps as f64;
        options
    }

    /// How many steps there are; the last one may be shorter.
    pub fn steps(&self) -> u64 {
        match self.analysis {
            Analysis::Static => 1,
            _ => (self.end / self.step - 1e-9).ceil().max(1.0) as u64,
        }
    }

    /// The length of step k (from 0), s.
    pub fn step_length(&self, k: u64) -> f64 {
        let last = self.end - self.step * (self.steps() - 1) as f64;
        let whole = (last - self.step).abs() <= 1e-9 * self.step;
        if k + 1 == self.steps() && !whole { last } else { self.step }
    }
}

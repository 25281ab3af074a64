//! How the motion is computed: analysis, integrator, steps, solvers.

use pliant_dynamics::{IntegratorName, Options, Solves, StaticOptions};
use pliant_forces::obstacles::Stepping;
use pliant_model::Weight;
use pliant_solvers::{Choice, SolverName};
use pliant_units::{Dimension, OptionSpec, takers};

use crate::error::SceneError;
use crate::file::table::Table;

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
    /// How gravity is shared among vertices where these analyses follow one another: as a body force if all of them seek
    /// states of rest; by the masses of the motion if one of them is a motion, so that a body which is released where it
    /// came to rest stays there.
    pub fn weight(all: impl IntoIterator<Item = Self>) -> Weight {
        if all.into_iter().any(|analysis| analysis == Self::Dynamic) {
            Weight::OfMass
        } else {
            Weight::BodyForce
        }
    }

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
    /// When it begins, s: 0, or the end of the stage before.
    pub start: f64,
    /// When it ends, s.
    pub end: f64,
    /// Steps of the stages before.
    pub first: u64,
    /// Settings of the methods.
    pub options: Options,
    /// Whether it begins where bodies are brought by what acts at the start, at an instant.
    pub from_elastic: bool,
    /// Whether a step that fails is taken again in shorter parts.
    pub retry: bool,
    /// Keys of the file, as `time.beta`, that belong to a method which was replaced by `--set`, a comparison or a panel.
    pub left_out: Vec<String>,
}

impl TimeSpec {
    /// Reads both tables.
    pub(crate) fn read(root: &Table<'_>) -> Result<Self, SceneError> {
        let mut spec = Self::usual();
        let mut replaced = false;
        if let Some(t) = root.table("time")? {
            replaced = is_set_on_top(&t, "integrator") || is_set_on_top(&t, "analysis");
            spec.read_time(&t, replaced)?;
            spec.read_start(&t)?;
            spec.read_retry(&t)?;
            t.finish()?;
        }
        if spec.analysis == Analysis::QuasiStatic {
            spec.integrator = IntegratorName::QuasiStatic;
        }
        if let Some(t) = root.table("solver")? {
            spec.read_solver(&t, replaced)?;
            t.finish()?;
            spec.options.newton.check().map_err(|e| SceneError::from(e).at(t.location()))?;
        }
        Ok(spec)
    }

    fn usual() -> Self {
        Self {
            analysis: Analysis::Dynamic,
            integrator: IntegratorName::BackwardEuler,
            step: 0.01,
            start: 0.0,
            end: 1.0,
            first: 0,
            options: Options::default(),
            from_elastic: false,
            retry: true,
            left_out: Vec::new(),
        }
    }

    /// Reads a stage that begins at a time, after so many steps. What it does not say is as `[time]` and `[solver]` say,
    /// as far as its method takes that.
    pub(crate) fn read_stage(
        root: &Table<'_>,
        t: &Table<'_>,
        start: f64,
        first: u64,
    ) -> Result<Self, SceneError> {
        let mut spec = Self { start, first, end: start, ..Self::usual() };
        let own_method = t.has("analysis") || t.has("integrator");
        if let Some(base) = root.table("time")? {
            let given = (base.positive("end", Dimension::TIME)?, base.count("steps")?);
            for (key, given) in [("end", given.0.is_some()), ("steps", given.1.is_some())] {
                if given {
                    let error = base.error(key, "each stage has an end of its own");
                    return Err(error.hint("put it into the [[stage]] that it belongs to"));
                }
            }
            let mut common = spec.clone();
            common.read_method(&base)?;
            common.read_options(&base, true)?;
            base.switch("retry")?;
            base.finish()?;
            spec = if own_method { Self { step: common.step, ..spec } } else { common };
        }
        spec.read_method(t)?;
        spec.read_options(t, false)?;
        spec.read_stage_end(t)?;
        if spec.analysis == Analysis::QuasiStatic {
            spec.integrator = IntegratorName::QuasiStatic;
        }
        spec.read_retry(t)?;
        let common = root.table("solver")?;
        let own = t.table("solver")?;
        if let Some(s) = &own {
            spec.read_solver(s, false)?;
            s.finish()?;
        } else if let Some(s) = &common {
            spec.read_solver(s, true)?;
        }
        if let Some(s) = own.as_ref().or(common.as_ref()) {
            spec.options.newton.check().map_err(|e| SceneError::from(e).at(s.location()))?;
        }
        // What one stage does not take another may.
        spec.left_out.clear();
        Ok(spec)
    }

    /// When a stage ends: at a time, after a while, or after so many steps. A state of rest needs no time.
    fn read_stage_end(&mut self, t: &Table<'_>) -> Result<(), SceneError> {
        let (end, lasts) =
            (t.quantity("end", Dimension::TIME)?, t.positive("duration", Dimension::TIME)?);
        let steps = t.count("steps")?;
        self.end = match (end, lasts, steps) {
            (Some(end), None, None) => end,
            (None, Some(lasts), None) => self.start + lasts,
            (None, None, Some(steps)) if self.analysis != Analysis::Static => {
                self.start + steps as f64 * self.step
            }
            (None, None, Some(_)) => {
                return Err(t.error("steps", "a state of rest is found in one step"));
            }
            (None, None, None) if self.analysis == Analysis::Static => self.start,
            (None, None, None) => {
                return Err(t.missing_or("end", "a stage has an end, a duration, or steps"));
            }
            _ => {
                let text = "a stage has one of end, duration and steps";
                return Err(SceneError::new(text).at(t.location()));
            }
        };
        let late_enough = match self.analysis {
            Analysis::Static => self.end >= self.start,
            _ => self.end > self.start,
        };
        if !late_enough {
            let text = format!("{} s: the stage begins at {} s", self.end, self.start);
            return Err(t.error(if end.is_some() { "end" } else { "steps" }, text));
        }
        if (self.end - self.start) / self.step > 1e9 {
            return Err(t.error("step", "more than a thousand million steps to the end"));
        }
        Ok(())
    }

    /// Whether bodies begin where they are put, or where what acts at the start brings them at once.
    fn read_start(&mut self, t: &Table<'_>) -> Result<(), SceneError> {
        self.from_elastic =
            t.choice("start", &[("given", false), ("elastic", true)])? == Some(true);
        if self.from_elastic && self.analysis == Analysis::Static {
            let text = "a static analysis has no start: its answer is the state after a long time";
            return Err(t.error("start", text));
        }
        Ok(())
    }

    /// What is sought, by which method and in which steps.
    fn read_method(&mut self, t: &Table<'_>) -> Result<(), SceneError> {
        self.analysis = t.choice("analysis", ANALYSES)?.unwrap_or(self.analysis);
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
        Ok(())
    }

    fn read_time(&mut self, t: &Table<'_>, replaced: bool) -> Result<(), SceneError> {
        self.read_method(t)?;
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
        self.read_options(t, replaced)
    }

    /// The method in words.
    fn method(&self) -> String {
        match self.analysis {
            Analysis::Dynamic => self.integrator.name().to_owned(),
            Analysis::Static | Analysis::QuasiStatic => {
                format!("a {} analysis", self.analysis.name())
            }
        }
    }

    /// The keys of `[time]` that the integrator takes. Others are errors, unless the integrator was set on top of
    /// the file: they then belong to the one that was replaced.
    fn read_options(&mut self, t: &Table<'_>, replaced: bool) -> Result<(), SceneError> {
        let taken = match self.analysis {
            Analysis::Dynamic => self.integrator.options(),
            Analysis::Static | Analysis::QuasiStatic => &[],
        };
        for spec in IntegratorName::OPTIONS {
            let value = t.option(spec)?;
            if taken.iter().any(|o| o.key == spec.key) {
                if let Some(value) = value {
                    (spec.set)(&mut self.options, value);
                }
            } else if value.is_some() {
                let takers = IntegratorName::takers(spec.key);
                self.leave_out(t, spec, &self.method(), &takers, replaced)?;
            }
        }
        Ok(())
    }

    /// A key that the chosen method does not take: an error, unless that method replaced another.
    fn leave_out<T>(
        &mut self,
        t: &Table<'_>,
        spec: &OptionSpec<T>,
        method: &str,
        names: &[&str],
        replaced: bool,
    ) -> Result<(), SceneError> {
        if !replaced {
            return Err(not_taken(t, spec.key, method, names));
        }
        self.left_out.push(format!("{}.{}", t.path(), spec.key));
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

    /// Equations that the analysis solves.
    fn solves(&self) -> Solves {
        match self.analysis {
            Analysis::Dynamic => self.integrator.entry().solves,
            Analysis::Static | Analysis::QuasiStatic => Solves::Rest,
        }
    }

    /// With which velocities the method asks for friction.
    pub fn stepping(&self) -> Stepping {
        let newton = &self.options.newton;
        match self.solves() {
            Solves::Nothing => Stepping::Explicit(self.step),
            Solves::Newton if newton.accept_last && newton.max_iterations == 1 => {
                Stepping::Stages(self.step)
            }
            Solves::Linear => Stepping::Stages(self.step),
            Solves::Newton | Solves::Rest => Stepping::End,
        }
    }

    /// Keys of `[solver]` that the analysis takes with the options read so far, besides those of the linear solver.
    pub fn solver_options(&self) -> Vec<&'static OptionSpec<Options>> {
        let mut list: Vec<_> = self.solves().options(&self.options).iter().collect();
        if self.analysis == Analysis::Static {
            list.extend(Options::SOLVER.iter().filter(|o| o.key == LOAD_STEPS));
        }
        list
    }

    /// True if the analysis solves linear systems by a solver that can be chosen.
    pub fn takes_linear_solver(&self) -> bool {
        self.solves().takes_linear_solver(&self.options)
    }

    fn read_solver(&mut self, t: &Table<'_>, replaced: bool) -> Result<(), SceneError> {
        // First what decides which keys there are.
        let method = Options::SOLVER.iter().find(|o| o.key == STATIC_METHOD);
        if self.solves() == Solves::Rest
            && let Some(spec) = method
            && let Some(value) = t.option(spec)?
        {
            (spec.set)(&mut self.options, value);
        }
        let replaced = replaced || is_set_on_top(t, STATIC_METHOD);
        self.read_linear(t, replaced)?;
        let taken = self.solver_options();
        for spec in Options::SOLVER {
            let value = t.option(spec)?;
            if taken.iter().any(|o| o.key == spec.key) {
                if let Some(value) = value {
                    (spec.set)(&mut self.options, value);
                }
                if self.solves() == Solves::Rest && self.options.newton.accept_last {
                    let text = "a state of rest is one only if Newton's method has converged";
                    return Err(t.error(spec.key, text).hint("take full, simplified or inexact"));
                }
            } else if value.is_some() {
                self.leave_out(
                    t,
                    spec,
                    &self.method_of_solver(),
                    &solver_takers(spec.key),
                    replaced,
                )?;
            }
        }
        Ok(())
    }

    /// The method that decides which keys of `[solver]` there are.
    fn method_of_solver(&self) -> String {
        match self.analysis {
            Analysis::Dynamic => self.method(),
            _ => format!("{} by {}", self.method(), self.options.static_method.name()),
        }
    }

    /// The linear solver and its keys.
    fn read_linear(&mut self, t: &Table<'_>, replaced: bool) -> Result<(), SceneError> {
        let named = t.name::<SolverName>("linear")?;
        let linear_set = is_set_on_top(t, "linear");
        let mut choice = Choice { solver: named.unwrap_or_default(), ..Choice::default() };
        let takes_one = self.takes_linear_solver();
        if named.is_some() && !takes_one {
            if !replaced && !linear_set {
                let text = format!("{} solves no linear systems by it", self.method_of_solver());
                let hint = "leave it out, or take an implicit method";
                return Err(t.error("linear", text).hint(hint));
            }
            self.left_out.push(format!("{}.linear", t.path()));
        }
        for spec in Choice::OPTIONS {
            let Some(value) = t.option(spec)? else { continue };
            if takes_one && choice.options().any(|o| o.key == spec.key) {
                (spec.set)(&mut choice, value);
                continue;
            }
            let method = if takes_one { choice.solver.name().to_owned() } else { self.method() };
            let left = replaced || linear_set;
            self.leave_out(t, spec, &method, &Choice::takers(spec.key), left)?;
        }
        choice.build().map_err(|e| t.refused("linear", e))?;
        self.options.solver = choice;
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
        options.load.first_increment = 1.0 / self.options.load_steps as f64;
        options
    }

    /// How many steps there are up to its end, those of stages before included; the last one may be shorter.
    pub fn steps(&self) -> u64 {
        let own = match self.analysis {
            Analysis::Static => 1,
            _ => ((self.end - self.start) / self.step - 1e-9).ceil().max(1.0) as u64,
        };
        self.first + own
    }

    /// The length of step k (from 0, stages before included), s.
    pub fn step_length(&self, k: u64) -> f64 {
        if k + 1 == self.steps() && !self.last_is_whole() { self.last_length() } else { self.step }
    }

    fn last_length(&self) -> f64 {
        self.end - self.start - self.step * (self.steps() - self.first - 1) as f64
    }

    /// True if the last step is as long as the others; a state of rest has no steps.
    pub(crate) fn last_is_whole(&self) -> bool {
        self.analysis != Analysis::Static
            && (self.last_length() - self.step).abs() <= 1e-9 * self.step
    }
}

/// The one key of `[solver]` that is of static analyses alone.
const LOAD_STEPS: &str = "load_steps";
/// The key that decides which others there are where a state of rest is sought.
const STATIC_METHOD: &str = "static_method";

/// The methods that take a key of `[solver]`.
fn solver_takers(key: &str) -> Vec<&'static str> {
    if key == LOAD_STEPS {
        return vec!["a static analysis"];
    }
    let has = |list: &[OptionSpec<Options>]| list.iter().any(|o| o.key == key);
    let options = Options::default();
    let takes = |name: &&IntegratorName| has(name.entry().solves.options(&options));
    let mut names: Vec<_> =
        IntegratorName::ALL.iter().filter(takes).map(|name| name.name()).collect();
    if has(Solves::Rest.options(&options)) {
        names.push("a static analysis");
    }
    names
}

/// True if a key was set on top of the file: by `--set`, a comparison or a panel.
fn is_set_on_top(t: &Table<'_>, key: &'static str) -> bool {
    t.has(key) && t.place_of(key).line == 0
}

/// The error of a key that the chosen method does not take.
fn not_taken(t: &Table<'_>, key: &'static str, method: &str, names: &[&str]) -> SceneError {
    let text = format!("{method} does not take it; {}", takers(names));
    t.error(key, text).hint("leave it out, or choose a method that takes it")
}

//! [`Reference`]: the solution that errors are measured against.

use std::str::FromStr;

use pliant_dynamics::{IntegratorName, Options, critical_step};
use pliant_scene::{Analysis, Scene, SceneError, Simulation};

use crate::axis::{INTEGRATOR, STEP, step};

/// Evaluations of the forces of single cells that a reference may take: minutes.
pub(crate) const BUDGET: f64 = 5e8;

/// What so many evaluations of the forces of a body cost, in those of single cells: a small body costs more
/// than its cells do.
pub(crate) fn work(evaluations: f64, cells: usize) -> f64 {
    evaluations * (cells as f64 + 1000.0)
}

/// Of methods that choose their steps.
const TOLERANCE: f64 = 1e-12;
/// Forces that Newton's method may leave over.
const NEWTON: f64 = 1e-10;
/// How many steps of a reference are in the shortest step that is compared.
const FINER: f64 = 8.0;

/// How a reference is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// An integrator, or the analysis where there is none.
    pub method: String,
    /// s; none where the method chooses its steps.
    pub step: Option<f64>,
    /// By which it chooses them.
    pub tolerance: Option<f64>,
    /// Why this one.
    pub why: String,
    /// What is set for it.
    pub(crate) settings: Vec<(String, String)>,
    /// Whether it gives up when it takes too long.
    pub(crate) limited: bool,
}

impl Reference {
    /// In words, as in "dormand-prince-853 with tolerance 1e-12".
    pub fn text(&self) -> String {
        match (self.tolerance, self.step) {
            (Some(tolerance), _) => format!("{} with tolerance {tolerance:.0e}", self.method),
            (None, Some(step)) => format!("{} with steps of {step:.3e} s", self.method),
            (None, None) => self.method.clone(),
        }
    }

    /// From `METHOD` or `METHOD@STEP`.
    pub(crate) fn parse(text: &str, shortest: f64) -> Result<Self, SceneError> {
        let (name, at) = match text.split_once('@') {
            Some((name, at)) => (name, Some(step(at)?)),
            None => (text, None),
        };
        let name = IntegratorName::from_str(name.trim())?;
        let mut made = Self::of(name, at, shortest);
        made.why = "as asked for".into();
        Ok(made)
    }

    /// A method at a step, else by its own choice of steps, else at a fraction of the shortest one.
    fn of(name: IntegratorName, at: Option<f64>, shortest: f64) -> Self {
        // Others that know their error are of an order too low for such a tolerance.
        let is_controlled =
            matches!(name, IntegratorName::DormandPrince5 | IntegratorName::DormandPrince853);
        let tolerance = (at.is_none() && is_controlled).then_some(TOLERANCE);
        let step = at.or_else(|| tolerance.is_none().then_some(shortest / FINER));
        let mut settings = vec![(INTEGRATOR.to_owned(), name.name().to_owned())];
        if let Some(tolerance) = tolerance {
            settings.push(("time.tolerance".into(), format!("{tolerance:e}")));
            // A scene may ask for steps to be divided, which those that are chosen are not.
            settings.push(("time.retry".into(), "false".into()));
        }
        if let Some(step) = step {
            settings.push((STEP.to_owned(), format!("{step:?}")));
        }
        settings.push(("solver.newton_tolerance".into(), format!("{NEWTON:e}")));
        Self {
            method: name.name().into(),
            step,
            tolerance,
            why: String::new(),
            settings,
            limited: false,
        }
    }

    /// Those to try one after the other, for this scene and those methods: Dormand and Prince's method of
    /// order 8 as far as its steps are not too short, then the best implicit one there is.
    pub(crate) fn candidates(
        scene: &Scene,
        simulation: &mut Simulation,
        methods: &[IntegratorName],
        shortest: f64,
    ) -> Vec<Self> {
        if scene.time.analysis != Analysis::Dynamic {
            return vec![Self {
                method: scene.time.analysis.name().into(),
                step: None,
                tolerance: None,
                why: "a state of rest has no integrator; Newton's method to 1e-10 of the forces"
                    .into(),
                settings: vec![("solver.newton_tolerance".into(), format!("{NEWTON:e}"))],
                limited: false,
            }];
        }
        let order =
            |name: &IntegratorName| name.build(&Options::default()).map_or(0, |i| i.order());
        let implicit = |name: &&IntegratorName| !name.about().starts_with("explicit");
        let best = methods.iter().filter(implicit).max_by_key(|name| order(name));
        let mut finest =
            Self::of(best.copied().unwrap_or(IntegratorName::GeneralizedAlpha), None, shortest);
        let explicit = IntegratorName::DormandPrince853;
        let stages = 12.0;
        let state = simulation.state().clone();
        let cells = simulation.cells();
        let work = critical_step(simulation.system(), &state, explicit)
            .map_or(f64::INFINITY, |c| {
                work(stages * scene.time.end / c.step.min(scene.time.step), cells)
            });
        if work > BUDGET {
            finest.why = format!(
                "{} would take {work:.0e} evaluations of cells, as its steps must be short here",
                explicit.name()
            );
            return vec![finest];
        }
        finest.why = format!("{} could not serve", explicit.name());
        let mut tight = Self::of(explicit, None, shortest);
        tight.why = "explicit, of order 8, with an error estimate".into();
        tight.limited = true;
        vec![tight, finest]
    }
}

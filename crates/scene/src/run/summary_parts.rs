//! Parts of the [`Summary`]: linear solvers, stages, norms, where the time went, and what is said of it in words.

use pliant_dynamics::State;
use pliant_solvers::SolverUse;
use serde_json::{Value, json};

use super::keys::Keys;
use super::summary::{StageSummary, Summary};
use crate::build::norm::Norm;
use crate::spec::scene::Scene;
use crate::spec::stage::StageSpec;
use crate::spec::time::Analysis;

/// Where the time went, s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseSummary {
    /// Meshes, models and methods, before the first step.
    pub setup: f64,
    /// Residuals of nonlinear solves.
    pub residuals: f64,
    /// Their Jacobians.
    pub jacobians: f64,
    /// Factorisations, or preconditioners.
    pub factorizations: f64,
    /// Solves with these.
    pub linear_solves: f64,
    /// All else within steps.
    pub rest_of_steps: f64,
    /// Between steps: files, for the most part.
    pub output: f64,
}

impl PhaseSummary {
    /// Its keys and values, in the order of `summary.json`, s.
    pub fn entries(&self) -> [(&'static str, f64); 7] {
        [
            ("setup", self.setup),
            ("residuals", self.residuals),
            ("jacobians", self.jacobians),
            ("factorizations", self.factorizations),
            ("linear_solves", self.linear_solves),
            ("rest_of_steps", self.rest_of_steps),
            ("output", self.output),
        ]
    }

    /// Returns the time within steps, s.
    pub fn stepping(&self) -> f64 {
        let Self { residuals, jacobians, factorizations, linear_solves, rest_of_steps, .. } = self;
        residuals + jacobians + factorizations + linear_solves + rest_of_steps
    }
}

impl Summary {
    /// Says whether the state of rest at the end is stable; none where that is not known.
    pub fn stability(&self) -> Option<String> {
        let stable = self.stable?;
        Some(match (stable, self.negative_pivots) {
            (true, _) => "stable".to_owned(),
            (false, None) => "not stable".to_owned(),
            (false, Some(1)) => "not stable, 1 negative pivot".to_owned(),
            (false, Some(n)) => format!("not stable, {n} negative pivots"),
        })
    }
}

/// The norm of a field at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct NormSummary {
    /// Its name.
    pub name: String,
    /// Its value, SI; NaN where it has none.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

impl NormSummary {
    /// Of a state.
    pub(super) fn of(norm: &Norm, state: &State) -> Self {
        let (name, unit) = (norm.name.clone(), norm.unit().to_owned());
        Self { name, value: norm.value(state), unit }
    }
}

/// Norms for `summary.json`: `{"error": {"value": 1e-6, "unit": "m"}}`.
pub(super) fn norms_json(norms: &[NormSummary]) -> Value {
    let norm = |n: &NormSummary| (n.name.clone(), json!({"value": n.value, "unit": n.unit}));
    Value::Object(norms.iter().map(norm).collect())
}

/// Reads what [`norms_json`] wrote.
pub(super) fn norms_of(document: &Value) -> Vec<NormSummary> {
    let norm = |(name, n): (&String, &Value)| NormSummary {
        name: name.clone(),
        value: n["value"].as_f64().unwrap_or(f64::NAN),
        unit: n["unit"].as_str().unwrap_or_default().to_owned(),
    };
    document.as_object().into_iter().flatten().map(norm).collect()
}

/// What solved linear systems, for `summary.json`.
pub(super) fn solver_json(solver: &SolverUse) -> Value {
    let matrices = solver.matrices.iter().map(|(method, n)| (method.clone(), json!(n)));
    json!({
        "linear": solver.linear,
        "preconditioner": solver.preconditioner,
        "ordering": solver.ordering,
        "why": solver.why,
        "changes": solver.changes,
        "matrices": Value::Object(matrices.collect()),
    })
}

/// The stages of a scene, of which so many steps were made.
pub(super) fn stages(scene: &Scene, steps: u64) -> Vec<StageSummary> {
    let stage = |(k, spec): (usize, &StageSpec)| {
        let time = scene.stage_time(k);
        StageSummary {
            name: spec.name.clone(),
            analysis: time.analysis.name().to_owned(),
            integrator: (time.analysis != Analysis::Static)
                .then(|| time.integrator.name().to_owned()),
            end: time.end,
            last_step: time.steps(),
            done: steps >= time.steps(),
        }
    };
    scene.stages.iter().enumerate().map(stage).collect()
}

/// Reads what [`solver_json`] wrote.
pub(super) fn solver_of(keys: &Keys<'_>) -> Option<SolverUse> {
    let matrices = keys.0.get("matrices").and_then(Value::as_object);
    let matrices = matrices.into_iter().flatten();
    Some(SolverUse {
        linear: keys.word("linear")?,
        preconditioner: keys.word("preconditioner"),
        ordering: keys.word("ordering"),
        why: keys.word("why").unwrap_or_default(),
        changes: keys.whole_or_0("changes"),
        matrices: matrices.map(|(name, n)| (name.clone(), n.as_u64().unwrap_or(0))).collect(),
    })
}

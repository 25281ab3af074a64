//! Parts of the [`Summary`]: linear solvers, stages, and what is said of it in words.

use pliant_solvers::SolverUse;
use serde_json::{Value, json};

use super::keys::Keys;
use super::summary::{PhaseSummary, StageSummary, Summary};
use crate::spec::scene::Scene;
use crate::spec::stage::StageSpec;
use crate::spec::time::Analysis;

impl PhaseSummary {
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

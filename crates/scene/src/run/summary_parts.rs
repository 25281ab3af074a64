//! Parts of the [`Summary`](super::summary::Summary): linear solvers, and stages.

use pliant_solvers::SolverUse;
use serde_json::{Value, json};

use super::keys::Keys;
use super::summary::StageSummary;
use crate::spec::scene::Scene;
use crate::spec::stage::StageSpec;
use crate::spec::time::Analysis;

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

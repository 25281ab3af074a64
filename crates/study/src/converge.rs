//! [`converge`]: how far a scene is from its limit, by halving its step and dividing its cells.

use std::sync::{Mutex, PoisonError};

use pliant_dynamics::Options;
use pliant_scene::{Analysis, Scene, SceneError};
use serde_json::{Value, json};

use crate::execute::execute;
use crate::order::{Richardson, Theory, Verdict};
use crate::outcome::{Outcome, Status};
use crate::pool::{Progress, in_parallel};
use crate::table::aligned;

/// What Newton's method may leave over here, so that it does not show in differences of values.
const NEWTON: f64 = 1e-9;
/// Differences below this part of the body's size are noise.
const NOISE: f64 = 1e-9;

/// What is refined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refine {
    /// Steps and meshes, one after the other.
    Both,
    /// Steps only.
    Steps,
    /// Meshes only.
    Meshes,
}

/// What a sequence refines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refinement {
    /// The step is halved.
    Step,
    /// Every cell is divided into eight, or made anew twice as fine.
    Mesh,
}

impl Refinement {
    /// As results name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Mesh => "mesh",
        }
    }
}

/// A study of convergence.
#[derive(Debug, Clone)]
pub struct Convergence {
    /// What the scene is called.
    pub scene: String,
    /// Of the step, of the mesh.
    pub sequences: Vec<Sequence>,
    /// What to know when reading it.
    pub notes: Vec<String>,
}

/// One refinement.
#[derive(Debug, Clone)]
pub struct Sequence {
    /// What is refined.
    pub refinement: Refinement,
    /// The order that theory has: that of the integrator, or the highest that elements have.
    pub theory: Theory,
    /// From the scene as it is to the finest.
    pub levels: Vec<Level>,
    /// For each probe and axis.
    pub estimates: Vec<Estimate>,
}

/// A run of a sequence.
#[derive(Debug, Clone)]
pub struct Level {
    /// s
    pub step: f64,
    /// Vertices of all bodies.
    pub vertices: usize,
    /// Cells of all bodies.
    pub cells: usize,
    /// To compute it.
    pub wall_seconds: f64,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

/// What a sequence says about a displacement of a probe.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// The probe.
    pub probe: String,
    /// 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// Displacement at each level, m.
    pub values: Vec<f64>,
    /// Order, limit and error of the finest.
    pub richardson: Richardson,
}

impl Estimate {
    /// What the scene as it is is off by, m; only of sequences with a limit.
    pub fn error_of_scene(&self) -> Option<f64> {
        Some((self.richardson.limit? - self.values.first()?).abs())
    }
}

/// Refines a scene to so many levels, the scene as it is included, on so many threads.
pub fn converge(
    scene: &Scene,
    levels: usize,
    refine: Refine,
    threads: usize,
    watch: &(dyn Fn(Progress) -> bool + Sync),
) -> Result<Option<Convergence>, SceneError> {
    if scene.probes.is_empty() {
        let text = "the scene has no probe, so there is no value to watch";
        return Err(SceneError::new(text).hint("add [probe.NAME] with at = [x, y, z]"));
    }
    if !(2..=8).contains(&levels) {
        return Err(SceneError::new(format!("{levels} levels: take 3, or 2 to 8")));
    }
    let mut notes = Vec::new();
    let mut scene = scene.clone();
    let newton = &mut scene.time.options.newton;
    if newton.force_tolerance > NEWTON {
        newton.force_tolerance = NEWTON;
        notes.push(format!("Newton's method goes on to {NEWTON:e} of the forces here"));
    }
    let is_dynamic = scene.time.analysis == Analysis::Dynamic;
    let mut kinds = Vec::new();
    if refine != Refine::Meshes {
        let without = match (is_dynamic, scene.time.options.control) {
            (false, _) => {
                Some(format!("a {} analysis has no step to refine", scene.time.analysis.name()))
            }
            (true, Some(_)) => Some(
                "the method chooses its steps by time.tolerance: there is no step to refine".into(),
            ),
            (true, None) => None,
        };
        match without {
            None => kinds.push(Refinement::Step),
            Some(text) if refine == Refine::Steps => {
                return Err(SceneError::new(text).hint("leave out --steps-only"));
            }
            Some(text) => notes.push(text),
        }
    }
    if refine != Refine::Steps {
        kinds.push(Refinement::Mesh);
    }
    // The finest first, as they take longest. Both sequences begin with the scene as it is.
    let mut jobs: Vec<(Refinement, usize)> = vec![(kinds[0], 0)];
    jobs.extend(kinds.iter().flat_map(|&kind| (1..levels).map(move |k| (kind, k))));
    jobs.sort_by_key(|&(kind, k)| std::cmp::Reverse((k, kind == Refinement::Mesh)));
    let scenes: Result<Vec<Scene>, SceneError> =
        jobs.iter().map(|&(kind, k)| refined(&scene, kind, k)).collect();
    let scenes = scenes?;
    let done = Mutex::new(vec![None; jobs.len()]);
    in_parallel(threads, jobs.len(), watch, &|job, report| {
        let outcome = execute(&scenes[job], None, report);
        done.lock().unwrap_or_else(PoisonError::into_inner)[job] = outcome;
    })?;
    let done: Option<Vec<Outcome>> =
        done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    let Some(done) = done else { return Ok(None) };
    let run = |kind: Refinement, level: usize| {
        let fits = |&(k, l): &(Refinement, usize)| l == level && (level == 0 || k == kind);
        jobs.iter().position(fits).map(|job| (&scenes[job], &done[job]))
    };
    let order = scene.time.integrator.build(&Options::default()).map_or(0, |i| i.order());
    let sequences = kinds
        .iter()
        .map(|&kind| {
            let runs: Vec<(&Scene, &Outcome)> = (0..levels).filter_map(|k| run(kind, k)).collect();
            let theory = match kind {
                Refinement::Step => Theory::Order(order),
                Refinement::Mesh => Theory::AtMost(highest_order(&scene)),
            };
            sequence(kind, theory, &runs)
        })
        .collect();
    Ok(Some(Convergence { scene: scene.title.clone(), sequences, notes }))
}

fn refined(scene: &Scene, kind: Refinement, level: usize) -> Result<Scene, SceneError> {
    match kind {
        Refinement::Step => {
            let mut scene = scene.clone();
            scene.time.step *= 0.5_f64.powi(level as i32);
            Ok(scene)
        }
        Refinement::Mesh => scene.refined(level),
    }
}

/// The highest order that displacements of such elements have in h: 2k of elements of degree k, where the solution is smooth and the error of
/// a point is no larger than that of the energy.
fn highest_order(scene: &Scene) -> usize {
    if scene.bodies.iter().any(|b| b.mesh.may_be_quadratic()) { 4 } else { 2 }
}

fn sequence(refinement: Refinement, theory: Theory, runs: &[(&Scene, &Outcome)]) -> Sequence {
    let levels = runs.iter().map(|(scene, o)| Level {
        step: scene.time.step,
        vertices: o.vertices,
        cells: o.cells,
        wall_seconds: o.wall_seconds,
        failure: o.reason.clone(),
    });
    // What failed has no value, and nothing can be said beyond it.
    let good: Vec<&Outcome> =
        runs.iter().map(|(_, o)| *o).take_while(|o| o.status == Status::Done).collect();
    let mut estimates = Vec::new();
    if let Some(first) = good.first() {
        for (p, (name, ..)) in first.probes.iter().enumerate() {
            for axis in 0..3 {
                let values: Vec<f64> =
                    good.iter().filter_map(|o| o.probes.get(p).map(|(_, _, u)| u[axis])).collect();
                let richardson = Richardson::of(&values, NOISE * first.size, theory);
                estimates.push(Estimate { probe: name.clone(), axis, values, richardson });
            }
        }
    }
    Sequence { refinement, theory, levels: levels.collect(), estimates }
}

impl Convergence {
    /// For `--json`.
    pub fn json(&self) -> Value {
        let level = |l: &Level| {
            json!({
                "step": l.step, "vertices": l.vertices, "cells": l.cells,
                "wall_seconds": l.wall_seconds, "failure": l.failure,
            })
        };
        let estimate = |e: &Estimate| {
            json!({
                "probe": e.probe,
                "axis": AXES[e.axis],
                "values": e.values,
                "order": e.richardson.order,
                "limit": e.richardson.limit,
                "error": e.richardson.error,
                "error_of_scene": e.error_of_scene(),
                "asymptotic": e.richardson.verdict == Verdict::Asymptotic,
                "verdict": e.richardson.verdict.text(),
            })
        };
        json!({
            "scene": self.scene,
            "pliant": env!("CARGO_PKG_VERSION"),
            "sequences": self.sequences.iter().map(|s| json!({
                "refinement": s.refinement.name(),
                "theory": match s.theory {
                    Theory::Order(p) => Some(p),
                    Theory::AtMost(_) => None,
                },
                "highest_order": match s.theory {
                    Theory::Order(p) | Theory::AtMost(p) => p,
                },
                "levels": s.levels.iter().map(level).collect::<Vec<_>>(),
                "probes": s.estimates.iter().map(estimate).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.scene);
        for s in &self.sequences {
            let names: Vec<String> = s
                .levels
                .iter()
                .map(|l| match s.refinement {
                    Refinement::Step => format!("{:.3e} s", l.step),
                    Refinement::Mesh => format!("{} cells", l.cells),
                })
                .collect();
            text += &match (s.refinement, s.theory) {
                (Refinement::Step, Theory::Order(p) | Theory::AtMost(p)) => {
                    format!("\nstep halved (theory: order {p})\n")
                }
                (Refinement::Mesh, Theory::Order(p) | Theory::AtMost(p)) => format!(
                    "\ncells divided, displacements in m (theory: order {p}, less with singular edges)\n"
                ),
            };
            for (name, l) in names.iter().zip(&s.levels) {
                if let Some(failure) = &l.failure {
                    text += &format!("{name} failed: {failure}\n");
                }
            }
            let mut header = vec!["displacement".to_owned()];
            header.extend(
                names.iter().take(s.estimates.first().map_or(0, |e| e.values.len())).cloned(),
            );
            header.extend(
                ["order", "limit", "error of finest", "error of scene", ""].map(str::to_owned),
            );
            let mut table = vec![header];
            for e in &s.estimates {
                let number = |v: Option<f64>| v.map_or("–".to_owned(), |v| format!("{v:.3e}"));
                let r = &e.richardson;
                let mut cells = vec![format!("{} {}", e.probe, AXES[e.axis])];
                cells.extend(e.values.iter().map(|v| format!("{v:.8}")));
                cells.push(r.order.map_or("–".to_owned(), |p| format!("{p:.2}")));
                cells.push(r.limit.map_or("–".to_owned(), |v| format!("{v:.8}")));
                cells.extend([
                    number(r.error),
                    number(e.error_of_scene()),
                    r.verdict.text().to_owned(),
                ]);
                table.push(cells);
            }
            text += &aligned(&table);
        }
        for note in &self.notes {
            text += &format!("{note}\n");
        }
        text
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

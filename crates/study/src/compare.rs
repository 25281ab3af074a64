//! [`compare`]: errors and costs of all runs of a plan.

use std::sync::{Mutex, PoisonError};

use pliant_algebra::vec3::{Vec3, dot, sub};
use pliant_scene::{Analysis, SceneError};

use crate::axis::STEP;
use crate::case::Case;
use crate::execute::execute;
use crate::folder::StudyFolder;
use crate::order::observed;
use crate::outcome::{Outcome, Status};
use crate::plan::Plan;
use crate::pool::{Progress, Report, Watch, in_parallel};
use crate::reference::{BUDGET, Reference};

/// Errors below this part of a body's size are those of the reference, and of rounding.
const FLOOR: f64 = 1e-11;

/// A comparison.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What the scene is called.
    pub scene: String,
    /// What varied.
    pub keys: Vec<String>,
    /// One for each combination of values that have answers of their own.
    pub references: Vec<ReferenceRun>,
    /// What errors are the root mean square of.
    pub error_by: ErrorBy,
    /// One for each run, in the order of the plan.
    pub rows: Vec<Row>,
    /// What to know when reading it.
    pub notes: Vec<String>,
}

/// A reference, as it was computed.
#[derive(Debug, Clone)]
pub struct ReferenceRun {
    /// What it is the reference of: values of keys that change the answer.
    pub settings: Vec<(String, String)>,
    /// How it was computed.
    pub reference: Reference,
    /// What came out; none if the study was stopped before.
    pub outcome: Option<Outcome>,
}

/// What errors are the root mean square of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorBy {
    /// The coordinates of all vertices at the end, m.
    Positions,
    /// The coordinates of all probes at the end, m: meshes differ.
    Probes,
}

impl ErrorBy {
    /// As tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Positions => "positions",
            Self::Probes => "probes",
        }
    }
}

/// A run.
#[derive(Debug, Clone)]
pub struct Row {
    /// Keys that varied, with its values.
    pub settings: Vec<(String, String)>,
    /// Its integrator, or the analysis where there is none.
    pub integrator: String,
    /// s
    pub step: f64,
    /// m
    pub error: Option<f64>,
    /// From the run with the next longer step and all else equal.
    pub order: Option<f64>,
    /// What came out; none if the study was stopped before.
    pub outcome: Option<Outcome>,
}

impl Row {
    /// How it ended.
    pub fn status(&self) -> Status {
        self.outcome.as_ref().map_or(Status::Missing, |o| o.status)
    }

    /// Whether its error is larger than the body: such a run has come to its end, but to no answer.
    pub fn is_lost(&self) -> bool {
        let size = self.outcome.as_ref().map_or(0.0, |o| o.size);
        self.error.is_some_and(|error| error > size)
    }

    /// Whether an order can be seen from its error: it is neither lost nor at the level of what references
    /// and rounding are off by.
    fn tells_order(&self) -> bool {
        let size = self.outcome.as_ref().map_or(0.0, |o| o.size);
        !self.is_lost() && self.error.is_some_and(|error| error > FLOOR * size)
    }

    /// What it has in common with runs of other steps.
    pub fn series(&self) -> Vec<&(String, String)> {
        self.settings.iter().filter(|(key, _)| key != STEP).collect()
    }
}

impl Comparison {
    /// What is odd about the scene, whatever varies. Rows have their own, as of steps that are too long.
    pub fn warnings(&self) -> Vec<&str> {
        let mut runs = self.rows.iter().filter_map(|row| row.outcome.as_ref());
        let Some(first) = runs.next() else { return Vec::new() };
        let mut shared: Vec<&str> = first.warnings.iter().map(String::as_str).collect();
        for run in runs {
            shared.retain(|text| run.warnings.iter().any(|w| w == text));
        }
        shared
    }

    /// Whether it was stopped before its end.
    pub fn stopped(&self) -> bool {
        self.rows.iter().any(|row| row.status() == Status::Missing)
    }
}

/// Makes the runs of a plan that the folder has not got yet, on so many threads. `watch` is asked after every
/// step of each of them whether to go on.
pub fn compare(
    plan: &Plan,
    folder: Option<&StudyFolder>,
    threads: usize,
    watch: &(dyn Fn(Progress) -> bool + Sync),
) -> Result<Comparison, SceneError> {
    // References take longest, then short steps.
    let groups = plan.groups.len();
    let mut order: Vec<usize> = (0..plan.cases.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(plan.cases[k].scene.time.steps()));
    let study = Study { folder, failure: Mutex::new(None) };
    let slots = |count: usize| Mutex::new(vec![None; count]);
    let (found, done) = (Mutex::new(vec![(0, None); groups]), slots(plan.cases.len()));
    let work = |job: usize, report: Report<'_>| {
        if job < groups {
            let result = study.reference(plan, job, report);
            held(&found)[job] = result;
        } else {
            let case = order[job - groups];
            let outcome = study.run(&plan.cases[case], None, report);
            held(&done)[case] = outcome;
        }
    };
    let going = |progress: Progress| held(&study.failure).is_none() && watch(progress);
    let going: Watch<'_> = &going;
    in_parallel(threads, groups + order.len(), going, &work)?;
    if let Some(error) = held(&study.failure).take() {
        return Err(error);
    }
    let (found, done) = (std::mem::take(&mut *held(&found)), std::mem::take(&mut *held(&done)));
    Ok(evaluate(plan, found, done))
}

fn held<T>(slot: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Study<'a> {
    folder: Option<&'a StudyFolder>,
    /// Of the disk, not of runs.
    failure: Mutex<Option<SceneError>>,
}

impl Study<'_> {
    /// A run, from the folder if it is there.
    fn run(&self, case: &Case, most: Option<f64>, report: Report<'_>) -> Option<Outcome> {
        if let Some(known) = self.folder.and_then(|folder| folder.finished(case)) {
            return Some(known);
        }
        let outcome = execute(&case.scene, most, report)?;
        if let Some(Err(error)) = self.folder.map(|folder| folder.keep(case, &outcome)) {
            held(&self.failure).get_or_insert(error);
        }
        Some(outcome)
    }

    /// The first candidate that comes to its end, or the last.
    fn reference(&self, plan: &Plan, group: usize, report: Report<'_>) -> (usize, Option<Outcome>) {
        let candidates = &plan.groups[group].references;
        let mut last = (0, None);
        for (k, (reference, case)) in candidates.iter().enumerate() {
            last = (k, self.run(case, reference.limited.then_some(BUDGET), report));
            if last.1.as_ref().is_none_or(|o| o.status == Status::Done) {
                break;
            }
        }
        last
    }
}

fn evaluate(
    plan: &Plan,
    found: Vec<(usize, Option<Outcome>)>,
    done: Vec<Option<Outcome>>,
) -> Comparison {
    let made = plan.groups.iter().zip(found);
    let references: Vec<ReferenceRun> = made
        .map(|(group, (which, outcome))| ReferenceRun {
            settings: group.settings.clone(),
            reference: group.references[which].0.clone(),
            outcome,
        })
        .collect();
    let truth = |case: usize| {
        let outcome = references[plan.group_of[case]].outcome.as_ref();
        outcome.filter(|o| o.status == Status::Done)
    };
    let finished = |o: &Option<Outcome>| o.clone().filter(|o| o.status == Status::Done);
    let same = done
        .iter()
        .enumerate()
        .all(|(k, outcome)| finished(outcome).zip(truth(k)).is_none_or(|(o, t)| o.rest == t.rest));
    let error_by = if same { ErrorBy::Positions } else { ErrorBy::Probes };
    let errors: Vec<Option<f64>> = done
        .iter()
        .enumerate()
        .map(|(k, outcome)| distance(&finished(outcome)?, truth(k)?, error_by))
        .collect();
    let mut rows: Vec<Row> = plan
        .cases
        .iter()
        .zip(done)
        .zip(errors)
        .map(|((case, outcome), error)| {
            let time = &case.scene.time;
            let integrator = match time.analysis {
                Analysis::Static => time.analysis.name(),
                _ => time.integrator.name(),
            };
            let (settings, integrator) = (case.settings.clone(), integrator.to_owned());
            Row { settings, integrator, step: time.step, error, order: None, outcome }
        })
        .collect();
    for k in 0..rows.len() {
        let longer = |r: &&Row| r.step > rows[k].step && r.series() == rows[k].series();
        let before = rows.iter().filter(longer).min_by(|a, b| a.step.total_cmp(&b.step));
        let before = before.filter(|before| before.tells_order() && rows[k].tells_order());
        rows[k].order = before.and_then(|before| {
            observed([before.step, rows[k].step], [before.error?, rows[k].error?])
        });
    }
    let notes = notes(plan, &references, error_by, &rows);
    let keys = plan.axes.iter().map(|a| a.key.clone()).collect();
    Comparison { scene: plan.title.clone(), keys, references, error_by, rows, notes }
}

/// √(Σ (yᵢ − yᵢ*)² / n) over all n coordinates of vertices or probes (VirTis 5.2.1).
fn distance(a: &Outcome, b: &Outcome, by: ErrorBy) -> Option<f64> {
    let squares: Vec<f64> = match by {
        ErrorBy::Positions => {
            a.positions.iter().zip(&b.positions).map(|(x, y)| square(*x, *y)).collect()
        }
        ErrorBy::Probes => {
            a.probes.iter().zip(&b.probes).map(|((_, x, _), (_, y, _))| square(*x, *y)).collect()
        }
    };
    let mean = squares.iter().sum::<f64>() / (3 * squares.len()) as f64;
    mean.is_finite().then(|| mean.sqrt())
}

fn square(a: Vec3, b: Vec3) -> f64 {
    let d = sub(a, b);
    dot(d, d)
}

fn notes(plan: &Plan, references: &[ReferenceRun], error_by: ErrorBy, rows: &[Row]) -> Vec<String> {
    let mut notes = Vec::new();
    if error_by == ErrorBy::Probes {
        notes.push(
            "meshes differ, so errors are those of the probes, against the finest mesh".into(),
        );
    }
    match rows.iter().filter(|row| row.is_lost()).count() {
        0 => {}
        1 => notes.push("one run has an error larger than the body: it is not drawn".into()),
        n => notes.push(format!("{n} runs have errors larger than the body: they are not drawn")),
    }
    for (k, run) in references.iter().enumerate() {
        let of: Vec<String> = run.settings.iter().map(|(key, v)| format!("{key}={v}")).collect();
        let of = if of.is_empty() { String::new() } else { format!(" of {}", of.join(", ")) };
        notes.push(format!("reference{of}: {} ({})", run.reference.text(), run.reference.why));
        match &run.outcome {
            Some(o) if o.status == Status::Failed => {
                let why = o.reason.clone().unwrap_or_default();
                notes.push(format!("the reference{of} failed, so there are no errors: {why}"));
            }
            _ => {}
        }
        let own = |row: &&Row| row.integrator == run.reference.method;
        if run.reference.tolerance.is_none()
            && rows.iter().zip(&plan.group_of).any(|(row, g)| *g == k && own(&row))
        {
            notes.push(format!(
                "the reference is of the same method as some rows: errors of {} look somewhat smaller than they are",
                run.reference.method
            ));
        }
    }
    notes
}

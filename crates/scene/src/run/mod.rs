//! A run: a simulation to its end, with all that it writes.

pub(crate) mod checkpoint;
pub(crate) mod depth;
pub(crate) mod folder;
pub(crate) mod history;
pub(crate) mod kept;
mod keys;
pub(crate) mod lock;
pub(crate) mod meetings;
mod motion;
pub(crate) mod recorder;
pub(crate) mod retry;
pub(crate) mod summary;
mod summary_parts;
pub(crate) mod tables;
pub(crate) mod told;
pub(crate) mod touching;

use std::time::{Duration, Instant};

use pliant_units::{count, exact, number};

use crate::build::simulation::Simulation;
use crate::error::SceneError;
use crate::output::frames::Frames;
use crate::report::{self, Watcher};
use crate::run::folder::Folder;
use crate::run::history::History;
pub use crate::run::motion::Motion;
use crate::run::summary::{PhaseSummary, Summary};
use crate::run::tables::Tables;
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps made.
    pub step: u64,
    /// Of so many.
    pub steps: u64,
    /// The present stage, from 0; 0 where there are none.
    pub stage: usize,
    /// Simulated time, s.
    pub time: f64,
    /// Simulated time over the time it took; above 1 is faster than real time.
    pub speed: f64,
    /// Newton iterations so far.
    pub newton_iterations: u64,
    /// Linear iterations so far.
    pub linear_iterations: u64,
    /// Energy that the method has lost, as a part of the energy that went through the system.
    pub drift: f64,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// As in `summary.json`.
    pub summary: Summary,
    /// Whether it was stopped before its end.
    pub stopped: bool,
    /// Why it could not go on, if it could not.
    pub failure: Option<SceneError>,
}

/// Where results go, and from where a run goes on.
pub struct Destination<'a> {
    /// The folder.
    pub folder: &'a Folder,
    /// Whether to go on from its checkpoint.
    pub resume: bool,
}

/// Runs to the end, or until `watch` returns false, which it is asked after every step.
pub fn run(
    scene: &Scene,
    motion: &mut dyn Motion,
    place: Option<&Destination<'_>>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Outcome, SceneError> {
    let start = Instant::now();
    let mut stepping = Duration::ZERO;
    let keeps = motion.can_resume();
    let simulation = motion.simulation();
    let mut writer =
        place.map(|place| Writer::open(scene, simulation, place, keeps)).transpose()?;
    let (simulated_before, first) = (simulation.state().time, simulation.state().steps);
    let (mut stopped, mut failure) = (false, None);
    let mut generation = None;
    while !motion.is_done() {
        let clock = Instant::now();
        let now = motion.prepare();
        let other = generation.replace(now).is_some_and(|before| before != now);
        let begin = motion.simulation().state().steps;
        let begun = match writer.as_mut() {
            Some(w) if other || w.recorded != begin => w.turn_back(scene, motion.simulation()),
            _ => Ok(()),
        };
        let stepped = begun.and_then(|()| motion.step());
        stepping += clock.elapsed();
        if let Err(error) = stepped {
            failure = Some(error);
            break;
        }
        let simulation = motion.simulation();
        // Where a step was not taken, there is nothing new.
        if simulation.state().steps == begin + 1
            && let Some(Err(error)) = writer.as_mut().map(|w| w.record(scene, simulation))
        {
            failure = Some(error);
            break;
        }
        let wall = start.elapsed().as_secs_f64();
        let time = simulation.state().time;
        let tally = simulation.tally();
        let progress = Progress {
            step: simulation.state().steps,
            steps: scene.time.steps(),
            stage: simulation.stage().map_or(0, |(k, _)| k),
            time,
            speed: (time - simulated_before) / wall.max(1e-9),
            newton_iterations: tally.newton_iterations,
            linear_iterations: tally.linear_iterations,
            drift: simulation.balance().lost_part(),
        };
        if !watch(&progress) && !motion.is_done() {
            stopped = true;
            break;
        }
    }
    // Hands may have led back in their last step.
    let turned = match writer.as_mut().filter(|_| failure.is_none()) {
        Some(w) if w.recorded != motion.simulation().state().steps => {
            w.turn_back(scene, motion.simulation())
        }
        _ => Ok(()),
    };
    failure = failure.or(turned.err());
    let simulation = motion.simulation();
    if stopped && let Some(Err(error)) = writer.as_mut().map(|w| w.checkpoint(scene, simulation)) {
        failure.get_or_insert(error);
    }
    // Frames that still wait are written, whatever has stopped the run.
    if let Some(Err(error)) = writer.as_mut().map(Writer::finish) {
        failure.get_or_insert(error);
    }
    simulation.warnings.extend(gained(scene, simulation));
    simulation.warnings.extend(lost(scene, simulation));
    simulation.warnings.extend(simulation.depth_warnings(scene));
    let met = simulation.meeting_warnings();
    simulation.warnings.extend(met);
    simulation.warnings.extend(simulation.tally().retries.text());
    let odd = odd_end(simulation);
    simulation.warnings.extend(odd);
    let converged = failure.is_none() && !stopped;
    let wall = start.elapsed();
    let summary = Summary {
        converged,
        phases: Some(phases(simulation, stepping, wall)),
        fingerprint: Some(report::fingerprint(scene)),
        threads: Some(rayon::current_num_threads()),
        resumed_at: (first > 0).then_some(first),
        error: failure.as_ref().map(ToString::to_string),
        ..Summary::of(scene, simulation, wall.as_secs_f64())
    };
    if let Some(writer) = &mut writer
        && let Err(error) = writer.close(scene, simulation, &summary)
    {
        failure.get_or_insert(error);
    }
    Ok(Outcome { summary, stopped, failure })
}

/// What writes while a simulation runs.
struct Writer {
    folder: Folder,
    history: History,
    tables: Tables,
    frames: Option<Frames>,
    frame_every: u64,
    /// Steps at which stages end.
    ends: Vec<u64>,
    watcher: Option<Watcher>,
    /// Whether there are checkpoints.
    keeps: bool,
    /// The last step that rows and frames are of.
    recorded: u64,
}

impl Writer {
    fn open(
        scene: &Scene,
        simulation: &mut Simulation,
        place: &Destination<'_>,
        keeps: bool,
    ) -> Result<Self, SceneError> {
        let folder = place.folder.clone();
        let checkpoint = folder.file("checkpoint.bin");
        // A run that was killed before its first checkpoint begins anew.
        let resumed = place.resume && checkpoint.is_file();
        if resumed {
            checkpoint::read(&checkpoint, simulation, scene.lineage())?;
        }
        Self::begin(scene, simulation, folder, resumed, keeps)
    }

    /// Opens all files, those that have rows and frames of the steps so far to go on with if `resumed`.
    fn begin(
        scene: &Scene,
        simulation: &mut Simulation,
        folder: Folder,
        resumed: bool,
        keeps: bool,
    ) -> Result<Self, SceneError> {
        let steps = simulation.state().steps;
        let history = folder.file("history.csv");
        let mut history = History::open(&history, simulation, resumed.then_some(steps))?;
        let mut tables = Tables::open(folder.path(), scene, simulation, resumed.then_some(steps))?;
        let frame_every = scene.output.frame_every.unwrap_or(1);
        let ends = scene.stage_ends();
        let first = if resumed { frames_until(steps, frame_every, &ends) } else { 0 };
        let mut frames = match scene.output.frame_every {
            Some(_) => Some(Frames::start(folder.path(), scene, simulation, first, false)?),
            None => None,
        };
        if !resumed {
            history.push(simulation)?;
            tables.record(simulation, false)?;
            frames.as_mut().map_or(Ok(()), |f| f.push(0, simulation))?;
        }
        let watcher = if scene.output.report {
            let (path, from) = (folder.file(report::ALBUM), resumed.then_some(steps));
            Some(Watcher::start(&path, simulation, scene.time.steps(), from)?)
        } else {
            None
        };
        let recorded = steps;
        Ok(Self { folder, history, tables, frames, frame_every, ends, watcher, keeps, recorded })
    }

    /// Goes on from where hands have led the simulation: to a state before, which rows and frames end at then, or to another
    /// simulation in the same state.
    fn turn_back(&mut self, scene: &Scene, simulation: &mut Simulation) -> Result<(), SceneError> {
        self.finish()?;
        self.watcher.as_mut().map_or(Ok(()), Watcher::save)?;
        // Drops what is open before it is opened again.
        (self.frames, self.watcher) = (None, None);
        let resumed = simulation.state().steps > 0;
        *self = Self::begin(scene, simulation, self.folder.clone(), resumed, self.keeps)?;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SceneError> {
        self.frames.as_mut().map_or(Ok(()), Frames::finish)
    }

    /// Summary and report.
    fn close(
        &mut self,
        scene: &Scene,
        simulation: &mut Simulation,
        summary: &Summary,
    ) -> Result<(), SceneError> {
        self.folder.write("summary.json", &summary.to_json())?;
        if let Some(watcher) = &mut self.watcher {
            watcher.finish(simulation)?;
            report::write_with(&self.folder, scene, simulation, Some(summary.clone()))?;
        }
        Ok(())
    }

    fn record(&mut self, scene: &Scene, simulation: &mut Simulation) -> Result<(), SceneError> {
        let (step, last) = (simulation.state().steps, scene.time.steps());
        self.recorded = step;
        let ends = self.ends.contains(&step);
        if step.is_multiple_of(scene.output.history_every) || ends {
            self.history.push(simulation)?;
        }
        self.tables.record(simulation, ends)?;
        if let Some(watcher) = &mut self.watcher {
            watcher.look(simulation)?;
        }
        if (step.is_multiple_of(self.frame_every) || ends)
            && let Some(frames) = &mut self.frames
        {
            frames.push(frames_until(step, self.frame_every, &self.ends) - 1, simulation)?;
        }
        // Also at the end, from where a run that is given a later end goes on, unless the last step was shortened to end there.
        let at_end = step == last && scene.time.last_is_whole();
        if (step.is_multiple_of(scene.output.checkpoint_every) && step < last) || at_end {
            self.checkpoint(scene, simulation)?;
        }
        Ok(())
    }

    /// Writes a checkpoint. What it stands for must be on disk before it: who writes frames writes it after them.
    fn checkpoint(&mut self, scene: &Scene, simulation: &Simulation) -> Result<(), SceneError> {
        if !self.keeps {
            return Ok(());
        }
        self.watcher.as_mut().map_or(Ok(()), Watcher::save)?;
        let file = self.folder.file("checkpoint.bin");
        let bytes = checkpoint::bytes(simulation, scene.lineage());
        match &mut self.frames {
            Some(frames) => frames.checkpoint(file, bytes),
            None => checkpoint::write(&file, &bytes),
        }
    }
}

/// Frames of the steps 0 to `step`: one every so many, and one where a stage ends.
pub(crate) fn frames_until(step: u64, every: u64, ends: &[u64]) -> u64 {
    let between = ends.iter().filter(|end| **end <= step && !end.is_multiple_of(every));
    step / every + 1 + between.count() as u64
}

/// Where the time went, s.
fn phases(simulation: &Simulation, stepping: Duration, wall: Duration) -> PhaseSummary {
    let p = simulation.phases();
    let rest = stepping.saturating_sub(p.residuals + p.jacobians + p.factors + p.solves);
    PhaseSummary {
        setup: simulation.setup().as_secs_f64(),
        residuals: p.residuals.as_secs_f64(),
        jacobians: p.jacobians.as_secs_f64(),
        factorizations: p.factors.as_secs_f64(),
        linear_solves: p.solves.as_secs_f64(),
        rest_of_steps: rest.as_secs_f64(),
        output: wall.saturating_sub(stepping).as_secs_f64(),
    }
}

/// J below which a body counts as crushed.
const CRUSHED: f64 = 0.01;

/// What is wrong with the state at the end, though forces balance in it or steps have converged.
fn odd_end(simulation: &mut Simulation) -> Vec<String> {
    let mut warnings = Vec::new();
    let rest = simulation.time().analysis != Analysis::Dynamic;
    let seen = simulation.inspect().ok().flatten();
    if let Some(seen) = seen.filter(|seen| seen.inverted > 0) {
        let (points, verb) = match seen.inverted {
            1 => ("1 quadrature point".to_owned(), "is"),
            n => (format!("{} quadrature points", count(n)), "are"),
        };
        let remedy = if rest {
            "forces balance in it, but it is no answer; start nearer to the answer, bring loads up in smaller steps, or take static_method = \"robust\""
        } else {
            "where a body turns inside out its law is a continuation, not mechanics; take a shorter time.step, a finer mesh, or look at what presses it so"
        };
        warnings.push(format!(
            "The body is tangled at the end: {points} {verb} inverted, the smallest J is {}: {remedy}",
            number(seen.min_j)
        ));
    }
    if let Some(seen) = seen.filter(|seen| seen.inverted == 0 && seen.min_j < CRUSHED) {
        warnings.push(format!(
            "The body is crushed at the end: the smallest J is {}, a part of its volume is as good as gone, and stresses there mean nothing; st-venant-kirchhoff does so where it is stretched or pressed far: take neo-hookean, or less load",
            number(seen.min_j)
        ));
    }
    if simulation.state().steps > 0 && simulation.stable() == Some(false) {
        warnings.push(
            "The state of rest is not stable: its tangent is not positive definite, and the least push would take the body away from it; give it that push (a small load or a crooked start), or take a dynamic analysis with damping".to_owned(),
        );
    }
    warnings
}

/// A method that makes more energy than there is has left the motion behind, even if every step converges.
fn gained(scene: &Scene, simulation: &Simulation) -> Option<String> {
    let known = simulation.has_energy() && scene.time.analysis == Analysis::Dynamic;
    let gain = -simulation.balance().lost_part();
    (known && gain > 0.5).then(|| {
        format!(
            "{} has made {} % of the energy that went through the scene: the motion is not that of the scene; take a shorter step than {} s, or backward-euler",
            scene.time.integrator.name(),
            number(100.0 * gain),
            exact(scene.time.step)
        )
    })
}

/// The part of the energy that went through a scene whose loss to the method is told. A body that a load is put on and that the
/// method brings to rest has lost half of what the load has done: that is what implicit methods are taken for.
const LOST: f64 = 0.9;

/// A method that takes out nearly all energy that there was leaves a motion that is its own.
fn lost(scene: &Scene, simulation: &Simulation) -> Option<String> {
    let known = simulation.has_energy() && scene.time.analysis == Analysis::Dynamic;
    let loss = simulation.balance().lost_part();
    (known && loss > LOST).then(|| {
        format!(
            "{} has taken {} % of the energy that went through the scene out of it, by numerical damping: what still moves, and how soon all came to rest, is the method's doing; take a shorter step than {} s, or implicit-midpoint with the damping that the body has",
            scene.time.integrator.name(),
            number(100.0 * loss),
            exact(scene.time.step)
        )
    })
}

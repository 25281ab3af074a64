//! A run: a simulation to its end, with all that it writes.

pub(crate) mod checkpoint;
pub(crate) mod folder;
pub(crate) mod history;
pub(crate) mod recorder;
pub(crate) mod retry;
pub(crate) mod summary;

use std::time::{Duration, Instant};

use crate::build::simulation::Simulation;
use crate::error::SceneError;
use crate::output::frames::Frames;
use crate::report::{self, Watcher};
use crate::run::folder::Folder;
use crate::run::history::History;
use crate::run::summary::{PhaseSummary, Summary};
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps made.
    pub step: u64,
    /// Of so many.
    pub steps: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Simulated time over the time it took; above 1 is faster than real time.
    pub speed: f64,
    /// Newton iterations so far.
    pub newton_iterations: u64,
    /// Linear iterations so far.
    pub linear_iterations: u64,
    /// Energy that the method has lost, as a part of the largest energy there is.
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
    simulation: &mut Simulation,
    place: Option<&Destination<'_>>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Outcome, SceneError> {
    let start = Instant::now();
    let mut stepping = Duration::ZERO;
    let mut writer = place.map(|place| Writer::open(scene, simulation, place)).transpose()?;
    let (simulated_before, first) = (simulation.state().time, simulation.state().steps);
    let (mut stopped, mut failure) = (false, None);
    while !simulation.is_done() {
        let clock = Instant::now();
        let stepped = simulation.step();
        stepping += clock.elapsed();
        if let Err(error) = stepped {
            failure = Some(error);
            break;
        }
        if let Some(Err(error)) = writer.as_mut().map(|w| w.record(scene, simulation)) {
            failure = Some(error);
            break;
        }
        let wall = start.elapsed().as_secs_f64();
        let time = simulation.state().time;
        let tally = simulation.tally();
        let progress = Progress {
            step: simulation.state().steps,
            steps: scene.time.steps(),
            time,
            speed: (time - simulated_before) / wall.max(1e-9),
            newton_iterations: tally.newton_iterations,
            linear_iterations: tally.linear_iterations,
            drift: drift(simulation),
        };
        if !watch(&progress) && !simulation.is_done() {
            stopped = true;
            break;
        }
    }
    // Frames that still wait are written, whatever has stopped the run.
    if let Some(Err(error)) = writer.as_mut().map(Writer::finish) {
        failure.get_or_insert(error);
    }
    simulation.warnings.extend(gained(scene, simulation));
    simulation.warnings.extend(simulation.tally().retries.text());
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
    frames: Option<Frames>,
    frame_every: u64,
    watcher: Option<Watcher>,
}

impl Writer {
    fn open(
        scene: &Scene,
        simulation: &mut Simulation,
        place: &Destination<'_>,
    ) -> Result<Self, SceneError> {
        let folder = place.folder.clone();
        let checkpoint = folder.file("checkpoint.bin");
        // A run that was killed before its first checkpoint begins anew.
        let resumed = place.resume && checkpoint.is_file();
        if resumed {
            checkpoint::read(&checkpoint, simulation, scene.fingerprint())?;
        }
        let steps = simulation.state().steps;
        let history = folder.file("history.csv");
        let mut history = History::open(&history, simulation, resumed.then_some(steps))?;
        let frame_every = scene.output.frame_every.unwrap_or(1);
        let first = if resumed { frames_until(steps, frame_every, scene.time.steps()) } else { 0 };
        let mut frames = match scene.output.frame_every {
            Some(_) => Some(Frames::start(folder.path(), scene, simulation, first, false)?),
            None => None,
        };
        if !resumed {
            history.push(simulation)?;
            frames.as_mut().map_or(Ok(()), |f| f.push(0, simulation))?;
        }
        let watcher = if scene.output.report {
            let (path, from) = (folder.file(report::ALBUM), resumed.then_some(steps));
            Some(Watcher::start(&path, simulation, scene.time.steps(), from))
        } else {
            None
        };
        Ok(Self { folder, history, frames, frame_every, watcher })
    }

    fn finish(&mut self) -> Result<(), SceneError> {
        self.frames.as_mut().map_or(Ok(()), Frames::finish)
    }

    /// Summary and report.
    fn close(
        &mut self,
        scene: &Scene,
        simulation: &Simulation,
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
        if step.is_multiple_of(scene.output.history_every) || step == last {
            self.history.push(simulation)?;
        }
        if let Some(watcher) = &mut self.watcher {
            watcher.look(simulation);
        }
        if (step.is_multiple_of(self.frame_every) || step == last)
            && let Some(frames) = &mut self.frames
        {
            frames.push(frames_until(step, self.frame_every, last) - 1, simulation)?;
        }
        if step.is_multiple_of(scene.output.checkpoint_every) && step < last {
            // What a checkpoint stands for must be on disk before it: who writes frames writes it after them.
            self.watcher.as_mut().map_or(Ok(()), Watcher::save)?;
            let (file, bytes) = (
                self.folder.file("checkpoint.bin"),
                checkpoint::bytes(simulation, scene.fingerprint()),
            );
            match &mut self.frames {
                Some(frames) => frames.checkpoint(file, bytes)?,
                None => checkpoint::write(&file, &bytes)?,
            }
        }
        Ok(())
    }
}

/// Frames of the steps 0 to `step`: one every so many, and one of the last step.
pub(crate) fn frames_until(step: u64, every: u64, last: u64) -> u64 {
    step / every + 1 + u64::from(step == last && !step.is_multiple_of(every))
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

/// A method that makes more energy than there is has left the motion behind, even if every step converges.
fn gained(scene: &Scene, simulation: &Simulation) -> Option<String> {
    let known = simulation.has_energy() && scene.time.analysis == Analysis::Dynamic;
    let gain = -drift(simulation);
    (known && gain > 0.5).then(|| {
        format!(
            "{} has made {:.0} % of all energy that there is: the motion is not that of the scene; take a shorter step than {} s, or backward-euler",
            scene.time.integrator.name(),
            100.0 * gain,
            scene.time.step
        )
    })
}

fn drift(simulation: &Simulation) -> f64 {
    let b = simulation.balance();
    let e = b.energies;
    let parts = [e.kinetic, e.elastic, e.gravity, e.other, b.external_work, b.dissipated];
    let largest = parts.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
    if largest > 0.0 { b.numerical_loss / largest } else { 0.0 }
}

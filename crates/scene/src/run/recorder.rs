//! [`Recorder`]: frames of a simulation that someone else moves, from now until it is told to end.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::simulation::Simulation;
use crate::error::SceneError;
use crate::output::formats::FrameFormat;
use crate::output::frames::Frames;
use crate::run::history::History;
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// Writes `frames/`, what holds all frames, `history.csv` and `scene.toml` into a folder of its own.
pub struct Recorder {
    path: PathBuf,
    frames: Frames,
    history: History,
    every: u64,
    /// Steps since it began.
    steps: u64,
    count: u64,
}

impl Recorder {
    /// Makes the folder, which must not be there, and writes the present state as the first frame. A frame
    /// follows every `interval` s of simulated time, or every step where steps are longer. `text` is the scene,
    /// to be kept beside the frames.
    pub fn start(
        path: &Path,
        scene: &Scene,
        text: &str,
        simulation: &mut Simulation,
        format: FrameFormat,
        interval: f64,
    ) -> Result<Self, SceneError> {
        let fail = |e: std::io::Error| {
            SceneError::output(format!("cannot record into {}: {e}", path.display())).because(e)
        };
        fs::create_dir(path).map_err(fail)?;
        fs::write(path.join("scene.toml"), text).map_err(fail)?;
        let every = match scene.time.analysis {
            Analysis::Static => 1,
            _ => ((interval / scene.time.step).round() as u64).max(1),
        };
        let mut scene = scene.clone();
        (scene.output.formats, scene.output.frame_every) = (vec![format], Some(every));
        let mut history = History::open(&path.join("history.csv"), simulation, None)?;
        let mut frames = Frames::start(path, &scene, simulation, 0, true)?;
        history.push(simulation)?;
        frames.push(0, simulation)?;
        Ok(Self { path: path.to_owned(), frames, history, every, steps: 0, count: 1 })
    }

    /// To be called after every step. An error ends the recording, and leaves what was written.
    pub fn stepped(&mut self, simulation: &mut Simulation) -> Result<(), SceneError> {
        self.steps += 1;
        if self.steps.is_multiple_of(self.every) {
            self.history.push(simulation)?;
            self.frames.push(self.count, simulation)?;
            self.count += 1;
        }
        Ok(())
    }

    /// Frames so far.
    pub fn frames(&self) -> u64 {
        self.count
    }

    /// About how much is on disk, bytes.
    pub fn bytes(&self) -> u64 {
        self.frames.bytes()
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until all is on disk.
    pub fn finish(mut self) -> Result<(), SceneError> {
        self.frames.finish()
    }
}

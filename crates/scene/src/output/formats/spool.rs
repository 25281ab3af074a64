//! [`Spool`]: the surfaces of all frames in point caches, which grow frame by frame. Formats that hold all frames in one file
//! are written anew from it at checkpoints and at the end, so that what is on disk is whole at any time.

use pliant_mesh::MeshError;
use pliant_mesh::io::animation::{Timeline, Track};
use pliant_mesh::io::pc2::PointCache;

use super::{FrameWriter, Opening, Stage};
use crate::build::surface::Surface;
use crate::error::SceneError;
use crate::output::frames::Frame;
use crate::run::frames_until;
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};

/// The caches of a run.
pub(crate) struct Spool {
    caches: Vec<PointCache>,
    time: TimeSpec,
    /// Steps between frames.
    every: u64,
    /// Of a scene with stages, when its frames are, s.
    times: Option<Vec<f64>>,
}

impl Spool {
    /// Opens the caches: as `.pc2` where they are `kept`.
    pub(super) fn open(opening: &Opening<'_>, kept: bool) -> Result<Self, SceneError> {
        let mut caches = Vec::new();
        for (surface, name) in opening.surfaces.iter().zip(opening.names) {
            let extension = if kept { "pc2" } else { "spool" };
            let path = opening.folder.join(format!("frames/{name}.{extension}"));
            let count = surface.positions().len();
            caches.push(match opening.first {
                0 => PointCache::create(&path, count).map_err(SceneError::unwritten)?,
                first => PointCache::resume(&path, count, first as usize).map_err(|e| {
                    SceneError::from(e).hint("the run cannot go on without it: start it anew")
                })?,
            });
        }
        let every = opening.scene.output.frame_every.unwrap_or(1);
        let scene = opening.scene;
        let times = (!scene.stages.is_empty() && !opening.endless).then(|| times(scene, every));
        Ok(Self { caches, time: scene.time.clone(), every, times })
    }

    /// Adds a frame.
    pub(crate) fn push(&mut self, surfaces: &[Surface]) -> Result<(), MeshError> {
        for (cache, surface) in self.caches.iter_mut().zip(surfaces) {
            cache.push(surface.positions())?;
        }
        Ok(())
    }

    fn frames(&self) -> usize {
        self.caches.iter().map(PointCache::frames).min().unwrap_or(0)
    }

    /// Some of the frames, and when they are.
    pub(super) fn timeline(&self, frames: impl Iterator<Item = usize>) -> Timeline {
        let frames: Vec<usize> = frames.collect();
        let interval = interval(&self.time, self.every);
        let when = |f: usize| match self.times.as_ref().and_then(|times| times.get(f)) {
            Some(time) => time / interval,
            None => at(&self.time, self.every, f as u64),
        };
        let at = frames.iter().map(|&f| when(f)).collect();
        Timeline { frames, at, per_second: 1.0 / interval }
    }

    /// The surfaces with their caches.
    pub(super) fn tracks<'a>(&'a mut self, surfaces: &'a [Surface]) -> Vec<Track<'a>> {
        let caches = surfaces.iter().zip(&mut self.caches);
        caches.map(|(s, cache)| Track { name: s.name(), surface: s.mesh(), cache }).collect()
    }
}

/// A file that holds all frames.
pub(super) trait Whole: Send {
    /// Writes it, with so many frames of the spool.
    fn write(&self, frames: usize, stage: &mut Stage<'_>) -> Result<(), MeshError>;
}

/// Writes such a file when it is worth it.
pub(super) struct Writer<W> {
    whole: W,
    /// Frames that the file holds.
    complete: usize,
}

impl<W: Whole> Writer<W> {
    pub(super) fn new(whole: W) -> Self {
        Self { whole, complete: 0 }
    }
}

impl<W: Whole> FrameWriter for Writer<W> {
    /// Nothing: the spool has it.
    fn push(&mut self, _: &Frame, _: &mut Stage<'_>) -> Result<(), MeshError> {
        Ok(())
    }

    /// If there are so many more frames that a run with many checkpoints spends its time on something else: all
    /// files together are three times the last.
    fn checkpoint(&mut self, stage: &mut Stage<'_>) -> Result<(), MeshError> {
        let frames = stage.spool.as_ref().map_or(0, |spool| spool.frames());
        if 2 * frames >= 3 * self.complete { self.finish(stage) } else { Ok(()) }
    }

    fn finish(&mut self, stage: &mut Stage<'_>) -> Result<(), MeshError> {
        let frames = stage.spool.as_ref().map_or(0, |spool| spool.frames());
        if frames != self.complete {
            self.whole.write(frames, stage)?;
            self.complete = frames;
        }
        Ok(())
    }
}

/// Seconds between frames. A state of rest has no time: it stands a second after the start.
fn interval(time: &TimeSpec, every: u64) -> f64 {
    if time.analysis == Analysis::Static { 1.0 } else { time.step * every as f64 }
}

/// When a frame is, in frames: the last may come sooner after the one before it.
fn at(time: &TimeSpec, every: u64, frame: u64) -> f64 {
    if time.analysis == Analysis::Static || frame * every < time.steps() {
        return frame as f64;
    }
    let at = time.end / interval(time, every);
    if (at - at.round()).abs() < 1e-9 { at.round() } else { at }
}

/// When the frames of a scene with stages are, s. A state of rest takes no time: its frame stands one interval after the
/// frame before, and all later ones as much later.
fn times(scene: &Scene, every: u64) -> Vec<f64> {
    let ends = scene.stage_ends();
    let (mut list, mut rest): (Vec<f64>, f64) = (Vec::new(), 0.0);
    for step in 0..=scene.time.steps() {
        if step.is_multiple_of(every) || ends.contains(&step) {
            let time = scene.time_of(step);
            if list.last().is_some_and(|last| time + rest <= *last) {
                rest = list.last().map_or(0.0, |last| last - time) + interval(&scene.time, every);
            }
            list.push(time + rest);
        }
    }
    list
}

/// Frames of a whole run.
pub(super) fn frame_count(scene: &Scene) -> usize {
    let steps = scene.time.steps();
    let ends = scene.stage_ends();
    scene.output.frame_every.map_or(0, |every| frames_until(steps, every, &ends)) as usize
}

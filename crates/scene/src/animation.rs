//! Frames in one file: point caches, glTF, USD. Point caches grow frame by frame; the other two are
//! written anew from them at checkpoints and at the end, so that what is on disk is whole at any time.

use std::path::{Path, PathBuf};

use pliant_mesh::MeshError;
use pliant_mesh::io::animation::{Timeline, Track};
use pliant_mesh::io::pc2::PointCache;
use pliant_mesh::io::{WriteOptions, glb, usda, write_file, write_surface};

use crate::error::SceneError;
use crate::output::FrameFormat;
use crate::run::frames_until;
use crate::scene::Scene;
use crate::surface::Surface;
use crate::time::{Analysis, TimeSpec};

/// A `.usda` above this is said to be large, bytes.
const LARGE: usize = 1 << 30;
/// About how much text a vertex takes there: three coordinates and a normal.
const TEXT: usize = 60;

/// The files of a run.
pub(crate) struct Animation {
    folder: PathBuf,
    names: Vec<String>,
    caches: Vec<PointCache>,
    time: TimeSpec,
    /// Steps between frames.
    every: u64,
    /// Of frames in the `.glb`, where it is known how many there will be.
    stride: Option<usize>,
    points: bool,
    glb: bool,
    usda: bool,
    /// Frames that the files hold.
    complete: usize,
}

impl Animation {
    /// Opens the caches; none if no such format is asked for. The first `first` frames are there already, and
    /// where it is `endless`, nobody knows how many will come.
    pub(crate) fn open(
        folder: &Path,
        scene: &Scene,
        names: &[String],
        surfaces: &[Surface],
        first: u64,
        endless: bool,
    ) -> Result<Option<Self>, SceneError> {
        let [points, glb, usda] =
            [FrameFormat::Pc2, FrameFormat::Glb, FrameFormat::Usda].map(|f| scene.output.writes(f));
        let Some(every) = scene.output.frame_every.filter(|_| points || glb || usda) else {
            return Ok(None);
        };
        let mut caches = Vec::new();
        for (surface, name) in surfaces.iter().zip(names) {
            let extension = if points { "pc2" } else { "spool" };
            let path = folder.join(format!("frames/{name}.{extension}"));
            let count = surface.positions().len();
            caches.push(match first {
                0 => PointCache::create(&path, count).map_err(SceneError::unwritten)?,
                _ => PointCache::resume(&path, count, first as usize).map_err(|e| {
                    SceneError::from(e).hint("the run cannot go on without it: start it anew")
                })?,
            });
        }
        let stride = (!endless).then(|| stride(scene, surfaces));
        Ok(Some(Self {
            folder: folder.to_owned(),
            names: names.to_vec(),
            caches,
            time: scene.time.clone(),
            every,
            stride,
            points,
            glb,
            usda,
            complete: 0,
        }))
    }

    /// Adds a frame.
    pub(crate) fn push(&mut self, index: u64, surfaces: &[Surface]) -> Result<(), MeshError> {
        for ((cache, surface), name) in self.caches.iter_mut().zip(surfaces).zip(&self.names) {
            if index == 0 && self.points {
                let file = self.folder.join(format!("frames/{name}.obj"));
                write_surface(&file, surface.mesh(), &WriteOptions::default())?;
            }
            cache.push(surface.positions())?;
        }
        Ok(())
    }

    /// Writes the files that hold all frames, if there are so many more of them that a run with many
    /// checkpoints spends its time on something else: all files together are three times the last.
    pub(crate) fn catch_up(&mut self, surfaces: &[Surface]) -> Result<(), MeshError> {
        if 2 * self.frames() >= 3 * self.complete { self.complete(surfaces) } else { Ok(()) }
    }

    fn frames(&self) -> usize {
        self.caches.iter().map(PointCache::frames).min().unwrap_or(0)
    }

    /// Writes the files that hold all frames.
    pub(crate) fn complete(&mut self, surfaces: &[Surface]) -> Result<(), MeshError> {
        let frames = self.frames();
        if frames == self.complete {
            return Ok(());
        }
        let at: Vec<f64> = (0..frames as u64).map(|f| at(&self.time, self.every, f)).collect();
        let per_second = 1.0 / interval(&self.time, self.every);
        let all = Timeline { frames: (0..frames).collect(), at, per_second };
        let mut tracks: Vec<Track<'_>> = surfaces
            .iter()
            .zip(&mut self.caches)
            .map(|(s, cache)| Track { name: s.name(), surface: s.mesh(), cache })
            .collect();
        if self.usda {
            let file = self.folder.join("animation.usda");
            write_file(&file, |sink| usda::write(&mut tracks, &all, sink))?;
        }
        if self.glb {
            let vertices = surfaces.iter().map(|s| s.positions().len()).sum();
            let stride = self.stride.unwrap_or_else(|| glb::stride(frames, vertices));
            let kept = |f: &usize| f.is_multiple_of(stride) || f + 1 == frames;
            let kept: Vec<usize> = (0..frames).filter(kept).collect();
            let at = kept.iter().map(|&f| all.at[f]).collect();
            let some = Timeline { frames: kept, at, per_second };
            let file = self.folder.join("animation.glb");
            write_file(&file, |sink| glb::write(&mut tracks, &some, sink))?;
        }
        self.complete = frames;
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

/// Frames of a whole run.
fn frame_count(scene: &Scene) -> usize {
    let steps = scene.time.steps();
    scene.output.frame_every.map_or(0, |every| frames_until(steps, every, steps)) as usize
}

fn stride(scene: &Scene, surfaces: &[Surface]) -> usize {
    let vertices = surfaces.iter().map(|s| s.positions().len()).sum();
    glb::stride(frame_count(scene), vertices)
}

/// What is odd about the animations that a scene asks for.
pub(crate) fn warnings(scene: &Scene, surfaces: &[Surface]) -> Vec<String> {
    let mut list = Vec::new();
    let frames = frame_count(scene);
    let vertices: usize = surfaces.iter().map(|s| s.positions().len()).sum();
    let stride = stride(scene, surfaces);
    if scene.output.writes(FrameFormat::Glb) && stride > 1 {
        list.push(format!(
            "{frames} frames of {vertices} vertices are too many morph targets: animation.glb gets the frames 0, {stride}, {}, … and the last",
            2 * stride
        ));
    }
    let bytes = frames.saturating_mul(vertices).saturating_mul(TEXT);
    if scene.output.writes(FrameFormat::Usda) && bytes > LARGE {
        list.push(format!(
            "animation.usda will have about {:.1} GB: fewer frames, a smaller surface, or \"pc2\" make less",
            bytes as f64 / 1e9
        ));
    }
    list
}

//! What the writers of animations share: surfaces, their point caches, and when frames are.

use pliant_algebra::vec3::Vec3;

use crate::error::{ErrorKind, MeshError};
use crate::surface::{SurfaceMesh, smooth_normals};

use super::pc2::PointCache;

/// A surface that moves.
pub struct Track<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its triangles, and what else belongs to them; where they are the cache says.
    pub surface: &'a SurfaceMesh,
    /// Where its vertices are.
    pub cache: &'a mut PointCache,
}

/// Frames of the caches, and when they are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// Which frames.
    pub frames: Vec<usize>,
    /// When they are, counted in frames, ascending.
    pub at: Vec<f64>,
    /// Frames for each second.
    pub per_second: f64,
}

impl Timeline {
    /// That there is a frame, and a time for each.
    pub(crate) fn check(&self) -> Result<(), MeshError> {
        let (frames, times) = (self.frames.len(), self.at.len());
        let good = frames > 0 && frames == times && self.per_second > 0.0;
        if good && self.at.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        let text = format!("{frames} frames at {times} times: one frame or more, times ascending");
        Err(MeshError::new(ErrorKind::Count, text))
    }
}

/// Places and normals of one frame.
#[derive(Default)]
pub(crate) struct Pose {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    exact: Vec<Vec3>,
    smooth: Vec<Vec3>,
}

impl Pose {
    /// Reads the places of a frame.
    pub(crate) fn read(&mut self, track: &mut Track<'_>, frame: usize) -> Result<(), MeshError> {
        track.cache.read(frame, &mut self.positions)
    }

    /// The normals that belong to them.
    pub(crate) fn shade(&mut self, track: &Track<'_>) {
        self.exact.clear();
        self.exact.extend(self.positions.iter().map(|p| p.map(f64::from)));
        self.smooth.resize(self.exact.len(), [0.0; 3]);
        smooth_normals(&self.exact, &track.surface.triangles, &mut self.smooth);
        self.normals.clear();
        // Formats want unit normals of vertices without triangles too.
        let unit = |n: &Vec3| if *n == [0.0; 3] { [0.0, 1.0, 0.0] } else { n.map(|c| c as f32) };
        self.normals.extend(self.smooth.iter().map(unit));
    }

    /// The box around it.
    pub(crate) fn bounds(&self) -> [[f32; 3]; 2] {
        bounds(self.positions.iter().copied())
    }
}

/// The smallest and largest coordinates.
pub(crate) fn bounds(points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let none = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    points.fold(none, |[low, high], p| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    })
}

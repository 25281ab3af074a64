//! All surfaces as one `.glb`, with a morph target a frame.

use pliant_mesh::MeshError;
use pliant_mesh::io::{glb, write_file};

use super::spool::{self, Whole, frame_count};
use super::{FormatEntry, Needs, Stage};
use crate::build::surface::Surface;
use crate::spec::scene::Scene;

/// Its line in the list.
pub(super) const ENTRY: FormatEntry = FormatEntry {
    name: "glb",
    about: "all surfaces as one .glb, with a morph target a frame",
    needs: Needs::Spool,
    in_folder: &[],
    in_frames: &["spool"],
    warning,
    open: |opening| {
        let stride = (!opening.endless).then(|| stride(opening.scene, opening.surfaces));
        Ok(Box::new(spool::Writer::new(Glb { stride })))
    },
};

struct Glb {
    /// Of the frames that get a morph target, where it is known how many frames there will be.
    stride: Option<usize>,
}

impl Whole for Glb {
    fn write(&self, frames: usize, stage: &mut Stage<'_>) -> Result<(), MeshError> {
        let file = stage.folder.join("animation.glb");
        let Some(spool) = &mut stage.spool else { return Ok(()) };
        let vertices = stage.surfaces.iter().map(|s| s.positions().len()).sum();
        let stride = self.stride.unwrap_or_else(|| glb::stride(frames, vertices));
        let kept = |f: &usize| f.is_multiple_of(stride) || f + 1 == frames;
        let some = spool.timeline((0..frames).filter(kept));
        let mut tracks = spool.tracks(stage.surfaces);
        write_file(&file, |sink| glb::write(&mut tracks, &some, sink))
    }
}

fn stride(scene: &Scene, surfaces: &[Surface]) -> usize {
    let vertices = surfaces.iter().map(|s| s.positions().len()).sum();
    glb::stride(frame_count(scene), vertices)
}

fn warning(scene: &Scene, surfaces: &[Surface]) -> Option<String> {
    let (frames, stride) = (frame_count(scene), stride(scene, surfaces));
    let vertices: usize = surfaces.iter().map(|s| s.positions().len()).sum();
    (stride > 1).then(|| {
        format!(
            "{frames} frames of {vertices} vertices are too many morph targets: animation.glb gets the frames 0, {stride}, {}, … and the last",
            2 * stride
        )
    })
}

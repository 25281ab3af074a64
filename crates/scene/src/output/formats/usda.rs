//! All surfaces as one `.usda`, with samples in time.

use pliant_mesh::MeshError;
use pliant_mesh::io::{usda, write_file};

use super::spool::{self, Whole, frame_count};
use super::{FormatEntry, Needs, Stage};
use crate::build::surface::Surface;
use crate::spec::scene::Scene;

/// A file above this is said to be large, bytes.
const LARGE: usize = 1 << 30;
/// About how much text a vertex takes: three coordinates and a normal.
const TEXT: usize = 60;

/// Its line in the list.
pub(super) const ENTRY: FormatEntry = FormatEntry {
    name: "usda",
    about: "all surfaces as one .usda, with samples in time",
    needs: Needs::Spool,
    in_folder: &[],
    in_frames: &["spool"],
    warning,
    open: |_| Ok(Box::new(spool::Writer::new(Usda))),
};

struct Usda;

impl Whole for Usda {
    fn write(&self, frames: usize, stage: &mut Stage<'_>) -> Result<(), MeshError> {
        let file = stage.folder.join("animation.usda");
        let Some(spool) = &mut stage.spool else { return Ok(()) };
        let all = spool.timeline(0..frames);
        let mut tracks = spool.tracks(stage.surfaces);
        write_file(&file, |sink| usda::write(&mut tracks, &all, sink))
    }
}

fn warning(scene: &Scene, surfaces: &[Surface]) -> Option<String> {
    let vertices: usize = surfaces.iter().map(|s| s.positions().len()).sum();
    let bytes = frame_count(scene).saturating_mul(vertices).saturating_mul(TEXT);
    (bytes > LARGE).then(|| {
        format!(
            "animation.usda will have about {:.1} GB: fewer frames, a smaller surface, or \"pc2\" make less",
            bytes as f64 / 1e9
        )
    })
}

//! Frames as point caches: the surface as one `.obj`, and its positions as `.pc2`, which the spool is.

use pliant_mesh::MeshError;
use pliant_mesh::io::{WriteOptions, write_surface};

use super::{FormatEntry, FrameWriter, Needs, Stage};
use crate::output::frames::Frame;

/// Its line in the list.
pub(super) const ENTRY: FormatEntry = FormatEntry {
    name: "pc2",
    about: "the surface as one .obj, and its positions at all frames as .pc2",
    needs: Needs::KeptSpool,
    in_folder: &[],
    in_frames: &["pc2", "obj"],
    warning: |_, _| None,
    open: |_| Ok(Box::new(PointCaches)),
};

struct PointCaches;

impl FrameWriter for PointCaches {
    fn push(&mut self, frame: &Frame, stage: &mut Stage<'_>) -> Result<(), MeshError> {
        for (surface, name) in stage.surfaces.iter().zip(stage.names) {
            if frame.index == 0 {
                let file = stage.folder.join(format!("frames/{name}.obj"));
                write_surface(&file, surface.mesh(), &WriteOptions::default())?;
            }
        }
        Ok(())
    }

    /// Nothing: the spool is whole after every frame.
    fn checkpoint(&mut self, _: &mut Stage<'_>) -> Result<(), MeshError> {
        Ok(())
    }

    fn finish(&mut self, _: &mut Stage<'_>) -> Result<(), MeshError> {
        Ok(())
    }
}

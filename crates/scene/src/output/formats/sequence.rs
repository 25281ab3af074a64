//! Frames as surfaces, a file for each body and time.

use pliant_mesh::MeshError;
use pliant_mesh::io::{WriteOptions, write_surface};

use super::{FormatEntry, FrameWriter, Needs, Stage};
use crate::output::frames::{Frame, frame_name};

/// Surfaces as `.obj`.
pub(super) const OBJ: FormatEntry = FormatEntry {
    name: "obj",
    about: "the surface as .obj, a file a frame",
    needs: Needs::Surfaces,
    in_folder: &[],
    in_frames: &["obj"],
    warning: |_, _| None,
    open: |_| Ok(Box::new(Sequence("obj"))),
};

/// Surfaces as `.ply`.
pub(super) const PLY: FormatEntry = FormatEntry {
    name: "ply",
    about: "the surface as .ply, a file a frame",
    in_frames: &["ply"],
    open: |_| Ok(Box::new(Sequence("ply"))),
    ..OBJ
};

/// A file a frame, by its extension.
struct Sequence(&'static str);

impl FrameWriter for Sequence {
    fn push(&mut self, frame: &Frame, stage: &mut Stage<'_>) -> Result<(), MeshError> {
        for (surface, name) in stage.surfaces.iter().zip(stage.names) {
            let file = stage.folder.join(frame_name(name, frame.index, self.0));
            write_surface(&file, surface.mesh(), &WriteOptions::default())?;
        }
        Ok(())
    }

    /// Nothing: every frame is whole.
    fn checkpoint(&mut self, _: &mut Stage<'_>) -> Result<(), MeshError> {
        Ok(())
    }

    fn finish(&mut self, _: &mut Stage<'_>) -> Result<(), MeshError> {
        Ok(())
    }
}

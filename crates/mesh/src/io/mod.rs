//! File formats. Each format is a module with `read(source, …)` and `write(mesh, sink, …)`;
//! the functions here choose among them by a file's extension.

pub mod animation;
pub mod bou;
mod file;
mod format;
pub mod glb;
pub mod gmsh;
pub mod interp;
pub mod medit;
pub mod obj;
pub mod pc2;
pub mod ply;
pub mod pvd;
pub mod scanner;
pub mod source;
pub mod stl;
pub mod tetgen;
pub mod text;
pub mod usda;
pub mod veg;
pub mod vtk;
pub mod vtu;

use crate::error::{MeshError, Note};
use crate::volume::VolumeMesh;

pub use file::write_file;
pub use format::{
    SurfaceFormat, VolumeFormat, WriteOptions, read_surface, read_volume, write_surface,
    write_volume,
};
pub use source::Source;

/// What a reader brings: a mesh, and what the user should know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported<M> {
    /// The mesh.
    pub mesh: M,
    /// What was skipped, assumed or reoriented.
    pub notes: Vec<Note>,
}

impl Imported<VolumeMesh> {
    /// The last step of every volume reader: checks all indices and turns inverted cells round.
    pub fn checked(mut mesh: VolumeMesh, mut notes: Vec<Note>) -> Result<Self, MeshError> {
        mesh.validate()?;
        notes.extend(mesh.orient());
        Ok(Self { mesh, notes })
    }
}

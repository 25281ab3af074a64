//! Meshes for deformable bodies: volume meshes of tetrahedra or hexahedra, triangle surfaces, the
//! file formats that hold them, and everything that prepares a mesh for simulation.

pub mod cell;
pub mod doctor;
pub mod embed;
pub mod error;
pub mod fill;
pub mod generate;
pub mod io;
mod isoparametric;
pub mod material;
pub mod measure;
pub mod memory;
pub mod quality;
pub mod refine;
pub mod reorder;
pub mod spatial;
pub mod surface;
pub mod topology;
pub mod volume;

pub use cell::CellType;
pub use error::{ErrorKind, Location, MeshError, Note};
pub use isoparametric::{hex20_volume, tet10_volume};
pub use material::{MaterialLaw, MaterialRecord};
pub use surface::{SurfaceGroup, SurfaceMesh, smooth_normals};
pub use volume::{CellData, NO_REGION, NamedSet, Region, VolumeMesh};

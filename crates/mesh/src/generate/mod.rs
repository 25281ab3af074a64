//! Generators: meshes from a few numbers.
//!
//! Every volume generator is a plain struct of parameters with sensible defaults and a `generate`
//! method; [`Shape`] is the catalogue of them all. Bodies are built from hexahedra, by sweeping a
//! section of quadrilaterals or by growing shells around a cube, and split into tetrahedra if asked
//! for. No cell is degenerate: round bodies have a square (or cube) in the middle instead of an axis
//! of wedges. Each struct documents the vertex sets it names.
//!
//! ```
//! use pliant_mesh::generate::{CellChoice, Cylinder};
//! let cylinder = Cylinder { radius: 0.1, length: 0.5, cell: CellChoice::Hex, ..Default::default() };
//! let mesh = cylinder.generate()?;
//! assert!(mesh.vertex_set("bottom").is_some());
//! # Ok::<(), pliant_mesh::MeshError>(())
//! ```

mod block;
mod boxes;
mod check;
mod curved;
mod cut;
mod jitter;
mod lattice;
mod mapped;
mod round;
mod section;
mod shape;
mod sphere;
mod surfaces;
mod sweep;
mod torus;

pub use block::mapped_block;
pub use boxes::{Bar, BoxShape};
pub use cut::{LShape, NotchedBar};
pub use jitter::jittered;
pub use mapped::{CookPanel, CurvedBeam, EllipticPlate, QuarterRing, TwistedBeam};
pub use round::{Cylinder, Tube};
pub use shape::Shape;
pub use sphere::{HollowSphere, Sphere};
pub use surfaces::{
    surface_box, surface_capsule, surface_icosphere, surface_star, surface_torus, surface_uv_sphere,
};
pub use torus::Torus;

use crate::error::{ErrorKind, MeshError};
use crate::refine::{Split, hex_to_tets};
use crate::volume::VolumeMesh;

/// The cells a generator makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CellChoice {
    /// Five tetrahedra for each hexahedron, mirrored from one to the next.
    Tet5,
    /// Six tetrahedra for each hexahedron.
    #[default]
    Tet6,
    /// Hexahedra.
    Hex,
    /// Six tetrahedra with middle nodes for each hexahedron; on curved sides their middle nodes lie on the side.
    Tet10,
    /// Hexahedra with middle nodes, likewise.
    Hex20,
}

impl CellChoice {
    /// The names on the command line.
    pub const NAMES: [&'static str; 5] = ["tet5", "tet6", "hex", "tet10", "hex20"];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            CellChoice::Tet5 => "tet5",
            CellChoice::Tet6 => "tet6",
            CellChoice::Hex => "hex",
            CellChoice::Tet10 => "tet10",
            CellChoice::Hex20 => "hex20",
        }
    }

    /// Returns true for cells with middle nodes.
    pub fn is_quadratic(self) -> bool {
        matches!(self, CellChoice::Tet10 | CellChoice::Hex20)
    }

    /// Tetrahedra from a mesh of hexahedra, if that is the choice; without middle nodes. Cells that came out without
    /// volume are an error: the parameters were beyond what f64 resolves.
    fn apply(self, mut hexes: VolumeMesh) -> Result<VolumeMesh, MeshError> {
        hexes.validate()?;
        hexes.orient();
        let flat = |c: &usize| {
            let volume = hexes.cell_volume(*c);
            volume.is_nan() || volume <= 0.0
        };
        if let Some(cell) = (0..hexes.cell_count()).find(flat) {
            let volume = hexes.cell_volume(cell);
            let message = format!("hexahedron {cell} has volume {volume:e}");
            return Err(MeshError::new(ErrorKind::Geometry, message)
                .hint("the sizes are too far apart for its cells, or the map folds"));
        }
        match self {
            CellChoice::Tet5 => hex_to_tets(&hexes, Split::Five),
            CellChoice::Tet6 | CellChoice::Tet10 => hex_to_tets(&hexes, Split::Six),
            CellChoice::Hex | CellChoice::Hex20 => Ok(hexes),
        }
    }
}

impl std::fmt::Display for CellChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for CellChoice {
    type Err = MeshError;

    fn from_str(text: &str) -> Result<Self, MeshError> {
        match text {
            "tet5" => Ok(CellChoice::Tet5),
            "tet6" => Ok(CellChoice::Tet6),
            "hex" => Ok(CellChoice::Hex),
            "tet10" => Ok(CellChoice::Tet10),
            "hex20" => Ok(CellChoice::Hex20),
            _ => {
                let known = CellChoice::NAMES.join(", ");
                let message = format!("'{text}' is no kind of cell: known are {known}");
                Err(MeshError::new(ErrorKind::Unsupported, message))
            }
        }
    }
}

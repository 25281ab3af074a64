//! Refinement: octasection, hexahedra into tetrahedra, quadratic nodes.
//!
//! Everything here is combinatorial: which cells arise depends on vertex indices only, never on
//! rounded coordinates, so that the same mesh gives the same result on every machine. Regions, cell
//! sets, materials and cell data pass to the new cells; a new vertex joins a vertex set when both vertices it
//! lies between are members.

mod carry;
mod hexes;
mod midpoints;
mod quadratic;
mod split;
mod tets;

pub(crate) use midpoints::Midpoints;
pub use quadratic::{to_linear, to_quadratic};
pub use split::{Split, hex_to_tets};

use crate::cell::CellType;
use crate::error::MeshError;
use crate::memory;
use crate::volume::VolumeMesh;

/// A mesh after one octasection, and where its vertices and cells came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Refined {
    /// The finer mesh. Its first vertices are those of the coarse mesh, in their order.
    pub mesh: VolumeMesh,
    /// For each vertex the two it lies midway between: twice itself for a vertex of the coarse
    /// mesh. Both have smaller indices than the new vertex; in a hexahedral mesh the centre of a
    /// face lies between two edge middles, that of a cell between two face centres. In tet4 and
    /// hex8 meshes the position is the mean of the two; in tet10 and hex20 meshes that of the curved cell.
    pub vertex_parents: Vec<[u32; 2]>,
    /// The coarse cell that each cell is a part of.
    pub cell_parent: Vec<u32>,
}

/// Divides every cell into eight.
///
/// Tetrahedra are divided by Bey's rule: however often it is repeated, each initial tetrahedron
/// gives at most three shapes, so that angles stay bounded. The rule reads the order of a cell's
/// nodes, so the bound holds while cells and vertices keep their order from one call to the next.
/// Hexahedra are divided at the middle of their trilinear map, cells with middle nodes at the middle
/// of their quadratic one.
pub fn octasect(mesh: &VolumeMesh) -> Result<Refined, MeshError> {
    mesh.validate()?;
    let refined = match mesh.cell_type {
        CellType::Tet4 => tets::octasect_linear(mesh),
        CellType::Tet10 => tets::octasect_quadratic(mesh),
        CellType::Hex8 => hexes::octasect(mesh),
        CellType::Hex20 => hexes::octasect_quadratic(mesh),
    }?;
    finite(&refined.mesh)?;
    Ok(refined)
}

/// Divides every cell into eight, so many times over. What would not fit is refused before the work begins.
pub fn octasect_times(mesh: &VolumeMesh, times: usize) -> Result<VolumeMesh, MeshError> {
    // Eight times as many cells each time, and nearly as many more vertices.
    let factor = 8_f64.powi(i32::try_from(times).unwrap_or(i32::MAX));
    let (vertices, cells) = (mesh.vertex_count() as f64, mesh.cell_count() as f64);
    let per_cell = match mesh.cell_type {
        CellType::Tet4 => 1.0 / 6.0,
        CellType::Tet10 => 4.0 / 3.0,
        CellType::Hex8 => 1.0,
        CellType::Hex20 => 4.0,
    };
    let more = per_cell * cells * (factor - 1.0);
    memory::check(vertices + more, cells * factor, mesh.cell_type.nodes())
        .map_err(|e| e.hint(format!("{times} divisions of each cell into eight are too many")))?;
    let mut mesh = mesh.clone();
    for _ in 0..times {
        mesh = octasect(&mesh)?.mesh;
    }
    Ok(mesh)
}

/// New vertices between ones near the largest number may not be finite.
fn finite(mesh: &VolumeMesh) -> Result<(), MeshError> {
    mesh.validate().map_err(|e| e.hint("scale the mesh: its coordinates are out of proportion"))
}

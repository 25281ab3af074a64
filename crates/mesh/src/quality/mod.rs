//! Quality of cells: dihedral angles, radius ratio, scaled Jacobian.
//!
//! Every number is computed in a frame where the cell has size one, so that cells of a micrometre
//! and of a light year are judged alike, and none is ever NaN: a cell without volume or with
//! coordinates that are not finite gets the worst values.

pub(crate) mod shape;
mod summary;

use rayon::prelude::*;

use crate::cell::CellType;
use crate::volume::VolumeMesh;

pub use shape::{hex_quality, hex20_quality, tet_quality, tet10_quality};
pub use summary::{Histogram, Quality, Summary, summary};

/// The quality of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellQuality {
    /// Smallest angle between two faces, degrees; 70.53 for a regular tetrahedron, 90 for a cube.
    /// In a hexahedron taken at each end of each edge.
    pub min_dihedral: f64,
    /// Largest angle between two faces, degrees.
    pub max_dihedral: f64,
    /// Three times the radius of the inscribed over that of the circumscribed sphere: 1 for a
    /// regular tetrahedron, 0 for a flat one. For a hexahedron the least of its eight corner
    /// tetrahedra, relative to those of a cube.
    pub radius_ratio: f64,
    /// Least Jacobian over the corners relative to the edges there: 1 for a regular tetrahedron or
    /// a cube, 0 for a flat cell, negative for an inverted one. In a hexahedron also at the
    /// centre; in a tet10 the corners' value times the least Jacobian at its nodes over the
    /// corners' Jacobian, at most 1; in a hex20 relative to the columns of the Jacobian, at all nodes and
    /// the centre.
    pub scaled_jacobian: f64,
    /// Tetrahedra: least height over longest edge, 1 for a regular one. Hexahedra: shortest edge
    /// over longest. 0 is worst in both.
    pub aspect: f64,
    /// Shortest edge between corners, m.
    pub shortest_edge: f64,
    /// Longest edge between corners, m.
    pub longest_edge: f64,
    /// Signed volume of the corners' cell over the cube of its longest edge.
    pub relative_volume: f64,
}

impl CellQuality {
    /// That of a cell without any extent, or whose coordinates are not finite.
    pub const WORST: Self = Self {
        min_dihedral: 0.0,
        max_dihedral: 180.0,
        radius_ratio: 0.0,
        scaled_jacobian: 0.0,
        aspect: 0.0,
        shortest_edge: 0.0,
        longest_edge: 0.0,
        relative_volume: 0.0,
    };
}

/// The quality of cell `index`.
pub fn cell(mesh: &VolumeMesh, index: usize) -> CellQuality {
    let nodes = mesh.cell(index);
    let at = |i: usize| mesh.vertices[nodes[i] as usize];
    match mesh.cell_type {
        CellType::Tet4 => tet_quality(std::array::from_fn(at)),
        CellType::Tet10 => tet10_quality(std::array::from_fn(at)),
        CellType::Hex8 => hex_quality(std::array::from_fn(at)),
        CellType::Hex20 => hex20_quality(std::array::from_fn(at)),
    }
}

/// The quality of every cell, in order.
pub fn cells(mesh: &VolumeMesh) -> Vec<CellQuality> {
    (0..mesh.cell_count()).into_par_iter().map(|index| cell(mesh, index)).collect()
}

/// The one number for the quality of a mesh: the least [`CellQuality::scaled_jacobian`] of its
/// cells, 1 at best, not positive where a cell is flat or inverted. 0 for a mesh without cells.
pub fn min_quality(mesh: &VolumeMesh) -> f64 {
    let least = cells(mesh).iter().fold(f64::INFINITY, |least, q| least.min(q.scaled_jacobian));
    if least.is_finite() { least } else { 0.0 }
}

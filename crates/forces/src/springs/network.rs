//! Spring networks from meshes, and the masses that go with them.

use pliant_algebra::vec3::distance;
use pliant_mesh::cell::{CellType, HEX_CORNERS, TET_EDGES};
use pliant_mesh::volume::VolumeMesh;

use crate::error::ForceError;
use crate::parameter::{length, not_negative, positive};

/// A spring between two vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// Its vertices.
    pub ends: [u32; 2],
    /// Length at rest, m.
    pub rest: f64,
    /// Force per change of length, N/m.
    pub stiffness: f64,
    /// Force per rate of length, N·s/m.
    pub damping: f64,
}

/// How springs of a mesh get their constants.
#[derive(Debug, Clone, PartialEq)]
pub enum Stiffness {
    /// The same k for all, N/m.
    Uniform(f64),
    /// k = EA / l₀ from a uniform axial rigidity EA, N.
    Axial(f64),
    /// k = E Σ vol / l₀² over the cells at the spring, with Young's modulus E in Pa, one for all
    /// cells or one for each (van Gelder 1998; Hauth B.1.1 prints l₀ for l₀²).
    ///
    /// Springs of all directions alike make a material with this Young's modulus and a Poisson
    /// ratio of 1/4, which no choice of constants can change; each cell spends Σ k l₀² = 6 E vol.
    /// The six edges of a tetrahedron do so on average only: a regular mesh of tetrahedra is
    /// anisotropic and may miss E by a tenth or two. The 28 springs of a hexahedron carry shares
    /// (edges 1/8, face diagonals 3/10, body diagonals 9/40) that make cubes isotropic exactly.
    VanGelder(Vec<f64>),
}

/// Shares of a hexahedron's springs by the number of axes along which their ends differ: they solve
/// 4a + 2b + 4c/9 = 6/5 (C₁₁₁₁/E) and b + 4c/9 = 2/5 (C₁₁₂₂/E = C₁₂₁₂/E), with c = 9/40.
const HEX_SHARES: [f64; 4] = [0.0, 0.125, 0.3, 0.225];

/// The springs of a mesh, sorted by their vertices: the edges of tetrahedra; the 12 edges, 12 face
/// diagonals and 4 body diagonals of hexahedra. All are at rest in the mesh, undamped.
pub fn mesh_springs(mesh: &VolumeMesh, stiffness: &Stiffness) -> Result<Vec<Spring>, ForceError> {
    let pairs = cell_springs(mesh.cell_type)?;
    let young: &[f64] = match stiffness {
        Stiffness::Uniform(k) => &[not_negative("spring stiffness", *k)?],
        Stiffness::Axial(rigidity) => &[not_negative("axial rigidity", *rigidity)?],
        Stiffness::VanGelder(young) => {
            check_per_cell("Young's moduli", young, mesh)?;
            young
        }
    };
    // Each use of a pair by a cell, sorted so that the uses come together in the order of cells.
    let mut uses = Vec::with_capacity(mesh.cell_count() * pairs.len());
    for (index, cell) in mesh.cells().enumerate() {
        let energy = match stiffness {
            Stiffness::VanGelder(_) => mesh.cell_volume(index) * young[index.min(young.len() - 1)],
            _ => 0.0,
        };
        if energy < 0.0 {
            positive(format_args!("volume of element {index}"), mesh.cell_volume(index))?;
        }
        for &(a, b, share) in &pairs {
            let (a, b) = (cell[a], cell[b]);
            uses.push((a.min(b), a.max(b), energy * share));
        }
    }
    uses.sort_by_key(|&(a, b, _)| (a, b));
    let mut springs = Vec::new();
    for group in uses.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
        let (a, b, _) = group[0];
        if a == b {
            continue; // an edge of a collapsed cell
        }
        let rest = distance(mesh.vertices[a as usize], mesh.vertices[b as usize]);
        positive(format_args!("rest length between vertices {a} and {b}"), rest)?;
        let k = match stiffness {
            Stiffness::Uniform(k) => *k,
            Stiffness::Axial(rigidity) => rigidity / rest,
            Stiffness::VanGelder(_) => group.iter().map(|u| u.2).sum::<f64>() / (rest * rest),
        };
        springs.push(Spring { ends: [a, b], rest, stiffness: k, damping: 0.0 });
    }
    Ok(springs)
}

/// Mass of each vertex, kg: an equal part of ρ vol of each cell at it. `density` in kg/m³, one for
/// all cells or one for each.
pub fn lumped_masses(mesh: &VolumeMesh, density: &[f64]) -> Result<Vec<f64>, ForceError> {
    cell_springs(mesh.cell_type)?;
    check_per_cell("densities", density, mesh)?;
    let mut masses = vec![0.0; mesh.vertex_count()];
    for (index, cell) in mesh.cells().enumerate() {
        let mass = density[index.min(density.len() - 1)] * mesh.cell_volume(index);
        for &v in cell {
            masses[v as usize] += mass / cell.len() as f64;
        }
    }
    Ok(masses)
}

fn check_per_cell(what: &str, values: &[f64], mesh: &VolumeMesh) -> Result<(), ForceError> {
    if values.len() != 1 {
        length(
            format_args!("{what} (one, or one for each cell)"),
            values.len(),
            mesh.cell_count(),
        )?;
    }
    for (i, &value) in values.iter().enumerate() {
        positive(format_args!("{what}: number {i}"), value)?;
    }
    // An empty list for an empty mesh would be indexed nowhere, but has no last entry either.
    positive(format_args!("number of {what}"), values.len() as f64).map(drop)
}

/// Pairs of local vertices and their shares.
fn cell_springs(cell_type: CellType) -> Result<Vec<(usize, usize, f64)>, ForceError> {
    match cell_type {
        CellType::Tet4 => Ok(TET_EDGES.iter().map(|&[a, b]| (a, b, 1.0)).collect()),
        CellType::Hex8 => Ok((0..8)
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .map(|(a, b)| {
                let axes = (0..3).filter(|&k| HEX_CORNERS[a][k] != HEX_CORNERS[b][k]).count();
                (a, b, HEX_SHARES[axes])
            })
            .collect()),
        CellType::Tet10 | CellType::Hex20 => Err(ForceError::Unsupported(format!(
            "springs serve tet4 and hex8 meshes: make the {cell_type} mesh linear first"
        ))),
    }
}

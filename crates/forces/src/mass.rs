//! Mass matrices, consistent and lumped.

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_elements::{Element, consistent_mass, lumped_mass};
use pliant_mesh::VolumeMesh;
use std::sync::Arc;

use crate::error::ForceError;
use crate::partition::Partition;

/// Mass of each vertex in kg, in the numbering of the partition; `density` in kg/m³ by cell (as the
/// user numbers cells).
pub fn lumped<E: Element<N>, const N: usize>(
    mesh: &VolumeMesh,
    partition: &Partition,
    _: E,
    density: &dyn Fn(usize) -> f64,
) -> Result<Vec<f64>, ForceError> {
    let mut mass = vec![0.0; mesh.vertex_count()];
    each_cell::<E, N>(mesh, partition, density, |nodes, element, rho| {
        for (&v, m) in nodes.iter().zip(lumped_mass::<E, N>(element)) {
            mass[v as usize] += rho * m;
        }
    })?;
    Ok(mass)
}

/// The consistent mass matrix on `pattern` (which must hold all couplings of the elements), in the
/// numbering of the partition: M_ab I in each block.
pub fn consistent<E: Element<N>, const N: usize>(
    mesh: &VolumeMesh,
    partition: &Partition,
    _: E,
    density: &dyn Fn(usize) -> f64,
    pattern: &Arc<Pattern>,
) -> Result<BlockMatrix, ForceError> {
    let mut matrix = BlockMatrix::zero(pattern.clone());
    let mut missing = None;
    each_cell::<E, N>(mesh, partition, density, |nodes, element, rho| {
        for a in 0..N {
            let first = if pattern.is_symmetric() { a } else { 0 };
            for b in first..N {
                let m = rho * element[a][b];
                let block = [m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m];
                if !matrix.add(nodes[a], nodes[b], &block) {
                    missing = Some((nodes[a], nodes[b]));
                }
            }
        }
    })?;
    match missing {
        Some((i, j)) => Err(ForceError::Unsupported(format!(
            "the pattern has no place for the coupling of vertices {i} and {j}"
        ))),
        None => Ok(matrix),
    }
}

/// Calls `put(nodes in system numbering, ∫ N_a N_b, density)` for every cell, in the order of the
/// partition.
fn each_cell<E: Element<N>, const N: usize>(
    mesh: &VolumeMesh,
    partition: &Partition,
    density: &dyn Fn(usize) -> f64,
    mut put: impl FnMut(&[u32; N], &[[f64; N]; N], f64),
) -> Result<(), ForceError> {
    if mesh.cell_type.nodes() != N {
        return Err(ForceError::Unsupported(format!(
            "{} elements need cells of {N} nodes, and the mesh has {} cells",
            E::NAME,
            mesh.cell_type
        )));
    }
    let rule = E::mass_rule();
    let new = partition.vertices().old_to_new();
    // Affine elements have the same matrix up to the volume.
    let mut like: Option<([[f64; N]; N], f64)> = None;
    for c in 0..partition.chunks() {
        for &cell in partition.cells(c) {
            let cell = cell as usize;
            let rho = density(cell);
            if !(rho > 0.0 && rho.is_finite()) {
                return Err(ForceError::Parameter {
                    what: format!("density of element {cell}"),
                    found: rho,
                    accepted: "must be positive, kg/m³".into(),
                });
            }
            let nodes: [u32; N] = std::array::from_fn(|a| mesh.cell(cell)[a]);
            let x = nodes.map(|v| mesh.vertices[v as usize]);
            let nodes = nodes.map(|v| new[v as usize]);
            if E::is_affine(&x) {
                let volume = mesh.cell_volume(cell).abs();
                let (matrix, of) =
                    like.get_or_insert_with(|| (consistent_mass::<E, N>(&rule, &x), volume));
                put(&nodes, matrix, rho * volume / *of);
            } else {
                put(&nodes, &consistent_mass::<E, N>(&rule, &x), rho);
            }
        }
    }
    Ok(())
}

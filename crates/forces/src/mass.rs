//! Mass matrices, consistent and lumped.

use std::sync::Arc;

use pliant_algebra::sparse::{Block, BlockMatrix, Pattern};
use pliant_elements::{Element, consistent_mass, lumped_mass, shape_integrals};

use crate::assembly::Partition;
use crate::cells::Cells;
use crate::element_matrices;
use crate::error::ForceError;

/// Mass of each vertex in kg, in the numbering of the partition; `density` by cell (as the user numbers cells): mass
/// per volume, kg/m³, or per area and length for elements of two dimensions and one, where it includes thickness or
/// cross-section.
pub fn lumped<'a, E: Element<D, N>, const D: usize, const N: usize>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    _: E,
    density: &dyn Fn(usize) -> f64,
) -> Result<Vec<f64>, ForceError> {
    let cells = cells.into();
    let mut mass = vec![0.0; cells.vertex_count()];
    each_cell::<E, D, N>(cells, partition, density, |nodes, element, rho| {
        for (&v, m) in nodes.iter().zip(lumped_mass::<E, D, N>(element)) {
            mass[v as usize] += rho * m;
        }
    })?;
    Ok(mass)
}

/// ∫ ρ N of each vertex in kg, in the numbering of the partition: the sums of the rows of the consistent mass, which may be
/// negative. Density as of [`lumped`].
pub fn integrals<'a, E: Element<D, N>, const D: usize, const N: usize>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    _: E,
    density: &dyn Fn(usize) -> f64,
) -> Result<Vec<f64>, ForceError> {
    let cells = cells.into();
    cells.check_nodes(E::NAME, N)?;
    let rule = E::mass_rule();
    let new = partition.vertices().old_to_new();
    let mut sums = vec![0.0; cells.vertex_count()];
    for c in 0..partition.chunks() {
        for &cell in partition.cells(c) {
            let cell = cell as usize;
            let rho = checked_density::<D>(cell, density)?;
            let nodes = cells.nodes::<N>(cell);
            let shares = shape_integrals::<E, D, N>(&rule, &cells.positions(&nodes));
            for (v, share) in nodes.into_iter().zip(shares) {
                sums[new[v as usize] as usize] += rho * share;
            }
        }
    }
    Ok(sums)
}

/// The consistent mass matrix on `pattern` (which must hold all couplings of the elements), in the
/// numbering of the partition: M_ab I in each block.
pub fn consistent<'a, E: Element<D, N>, const D: usize, const N: usize>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    _: E,
    density: &dyn Fn(usize) -> f64,
    pattern: &Arc<Pattern>,
) -> Result<BlockMatrix, ForceError> {
    let mut sum = Sum::new(pattern);
    each_cell::<E, D, N>(cells.into(), partition, density, |nodes, element, rho| {
        for a in 0..N {
            for b in if pattern.is_symmetric() { a } else { 0 }..N {
                let m = rho * element[a][b];
                sum.add(nodes[a], nodes[b], &[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m]);
            }
        }
    })?;
    sum.end()
}

/// Calls `put(nodes in system numbering, ∫ N_a N_b, density)` for every cell, in the order of the
/// partition.
fn each_cell<E: Element<D, N>, const D: usize, const N: usize>(
    cells: Cells<'_>,
    partition: &Partition,
    density: &dyn Fn(usize) -> f64,
    mut put: impl FnMut(&[u32; N], &[[f64; N]; N], f64),
) -> Result<(), ForceError> {
    cells.check_nodes(E::NAME, N)?;
    let rule = E::mass_rule();
    let new = partition.vertices().old_to_new();
    // Affine elements have the same matrix up to the volume.
    let mut like: Option<([[f64; N]; N], f64)> = None;
    for c in 0..partition.chunks() {
        for &cell in partition.cells(c) {
            let cell = cell as usize;
            let rho = checked_density::<D>(cell, density)?;
            let nodes = cells.nodes::<N>(cell);
            let x = cells.positions(&nodes);
            let nodes = nodes.map(|v| new[v as usize]);
            if E::is_affine(&x) {
                let volume = E::measure(&x).abs();
                let (matrix, of) =
                    like.get_or_insert_with(|| (consistent_mass::<E, D, N>(&rule, &x), volume));
                put(&nodes, matrix, rho * volume / *of);
            } else {
                put(&nodes, &consistent_mass::<E, D, N>(&rule, &x), rho);
            }
        }
    }
    Ok(())
}

fn checked_density<const D: usize>(
    cell: usize,
    density: &dyn Fn(usize) -> f64,
) -> Result<f64, ForceError> {
    let rho = density(cell);
    if rho > 0.0 && rho.is_finite() {
        return Ok(rho);
    }
    let unit = ["kg/m", "kg/m²", "kg/m³"][D.clamp(1, 3) - 1];
    Err(ForceError::Parameter {
        what: format!("density of element {cell}"),
        found: rho,
        accepted: format!("must be positive, {unit}"),
    })
}

/// Mass of each vertex in kg from mass matrices of the cells, in the numbering of the partition: a third of the trace of
/// the sum of its row of blocks. Matrices as of [`ElementMatrices`](crate::ElementMatrices), kg. A vertex of some cell
/// whose mass is not positive is an error: then keep the mass consistent.
pub fn lumped_of_matrices<'a, const N: usize>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    matrices: &[f64],
) -> Result<Vec<f64>, ForceError> {
    let cells = cells.into();
    let mut mass = vec![0.0; cells.vertex_count()];
    let mut touched = vec![false; cells.vertex_count()];
    each_matrix::<N>(cells, partition, matrices, |nodes, blocks| {
        for (&v, row) in nodes.iter().zip(blocks) {
            mass[v as usize] += row.iter().map(|m| m[0] + m[4] + m[8]).sum::<f64>() / 3.0;
            touched[v as usize] = true;
        }
    })?;
    match (0..mass.len()).find(|&v| touched[v] && mass[v] <= 0.0) {
        Some(v) => Err(ForceError::Parameter {
            what: format!("lumped mass of vertex {}", partition.vertices().new_to_old()[v]),
            found: mass[v],
            accepted: "rows of the element matrices must add up to a positive mass: take the consistent mass".into(),
        }),
        None => Ok(mass),
    }
}

/// The mass matrix from mass matrices of the cells, on `pattern`, in the numbering of the partition. Matrices as of
/// [`ElementMatrices`](crate::ElementMatrices), kg.
pub fn consistent_of_matrices<'a, const N: usize>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    matrices: &[f64],
    pattern: &Arc<Pattern>,
) -> Result<BlockMatrix, ForceError> {
    let mut sum = Sum::new(pattern);
    each_matrix::<N>(cells.into(), partition, matrices, |nodes, blocks| {
        for a in 0..N {
            for b in if pattern.is_symmetric() { a } else { 0 }..N {
                sum.add(nodes[a], nodes[b], &blocks[a][b]);
            }
        }
    })?;
    sum.end()
}

/// Calls `put(nodes in system numbering, blocks)` for every cell, in the order of the partition.
fn each_matrix<const N: usize>(
    cells: Cells<'_>,
    partition: &Partition,
    matrices: &[f64],
    mut put: impl FnMut(&[u32; N], &[[Block; N]; N]),
) -> Result<(), ForceError> {
    cells.check_nodes("these", N)?;
    let size = 9 * N * N;
    crate::parameter::length("entries of mass matrices", matrices.len(), cells.len() * size)?;
    let new = partition.vertices().old_to_new();
    for c in 0..partition.chunks() {
        for &cell in partition.cells(c) {
            let cell = cell as usize;
            let matrix = &matrices[cell * size..(cell + 1) * size];
            element_matrices::check(cell, matrix, 3 * N)?;
            put(
                &cells.nodes::<N>(cell).map(|v| new[v as usize]),
                &element_matrices::blocks(matrix),
            );
        }
    }
    Ok(())
}

/// A matrix that is added to, and the first pair of vertices that it has no block for.
struct Sum {
    matrix: BlockMatrix,
    missing: Option<(u32, u32)>,
}

impl Sum {
    fn new(pattern: &Arc<Pattern>) -> Self {
        Self { matrix: BlockMatrix::zero(pattern.clone()), missing: None }
    }

    fn add(&mut self, i: u32, j: u32, block: &Block) {
        if !self.matrix.add(i, j, block) {
            self.missing = self.missing.or(Some((i, j)));
        }
    }

    fn end(self) -> Result<BlockMatrix, ForceError> {
        match self.missing {
            Some((i, j)) => Err(ForceError::Unsupported(format!(
                "the pattern has no slot for the coupling of vertices {i} and {j}"
            ))),
            None => Ok(self.matrix),
        }
    }
}

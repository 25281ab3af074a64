//! [`ElementMatrices`]: linear elements whose stiffness is given as a matrix for each cell.

use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::{Vec3, dot, sub};

use crate::assembly::{Partition, stable_step};
use crate::cells::Cells;
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::length;
use crate::slots::Slots;
use crate::stencils::{Local, Stencils};
use crate::workspace::Workspace;

const NAME: &str = "element matrices";
/// Entries may differ, and pivots be negative, by this part of the largest entry.
const TOLERANCE: f64 = 1e-10;

/// Blocks of the matrix of one cell.
type Blocks<const N: usize> = [[Block; N]; N];

/// Cells of N nodes with a constant stiffness K_e each: Π = Σ ½ uᵀK_e u with u = x − reference.
///
/// It is **linear**: a rigid rotation is not free of energy, but for rotations so small that their square does not
/// matter. For large ones give the law instead of its matrix. K_e must be symmetric and positive semi-definite, so
/// that [`Ask::project`] has nothing to do.
#[derive(Debug)]
pub struct ElementMatrices<const N: usize> {
    cells: Stencils<Box<Blocks<N>>, N>,
    /// In system numbering, m.
    reference: Vec<Vec3>,
}

impl<const N: usize> ElementMatrices<N> {
    /// Matrices of 3N × 3N numbers (N/m), row by row, xyz of node 0 first, cell after cell as the user numbers them;
    /// displacements are counted from the rest positions.
    pub fn new<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        matrices: &[f64],
    ) -> Result<Self, ForceError> {
        let cells = cells.into();
        Self::about(cells, partition, matrices, cells.rest())
    }

    /// The same with displacements from other positions than those at rest, m, in the user's numbering.
    pub fn about<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        matrices: &[f64],
        reference: &[Vec3],
    ) -> Result<Self, ForceError> {
        let cells = cells.into();
        cells.check_nodes("these", N)?;
        length("reference positions", reference.len(), cells.vertex_count())?;
        length("entries of element matrices", matrices.len(), cells.len() * 9 * N * N)?;
        let stencils = Stencils::new(cells, partition, true, |cell, _| {
            let matrix = &matrices[cell * 9 * N * N..(cell + 1) * 9 * N * N];
            check(cell, matrix, 3 * N)?;
            Ok(Some(Box::new(blocks(matrix))))
        })?;
        Ok(Self { cells: stencils, reference: partition.vertices().apply(reference) })
    }

    fn add_tangent(matrix: &Blocks<N>, weight: f64, local: &mut Local<N>) {
        for a in 0..N {
            for b in a..N {
                local.blocks[a][b] = matrix[a][b].map(|k| weight * k);
            }
        }
    }
}

/// Block (a, b) of a matrix of 3N × 3N entries, row by row.
pub(crate) fn blocks<const N: usize>(matrix: &[f64]) -> Blocks<N> {
    std::array::from_fn(|a| {
        std::array::from_fn(|b| {
            std::array::from_fn(|k| matrix[(3 * a + k / 3) * 3 * N + 3 * b + k % 3])
        })
    })
}

/// Refuses matrices that are not finite, symmetric and positive semi-definite.
pub(crate) fn check(cell: usize, matrix: &[f64], size: usize) -> Result<(), ForceError> {
    let reject = |what: String, found: f64, accepted: &str| {
        Err(ForceError::Parameter { what, found, accepted: accepted.into() })
    };
    let largest = matrix.iter().fold(0.0, |m: f64, k| m.max(k.abs()));
    if let Some(at) = matrix.iter().position(|k| !k.is_finite()) {
        let what = format!("matrix of element {cell}: entry ({}, {})", at / size, at % size);
        return reject(what, matrix[at], "a finite number is needed");
    }
    for i in 0..size {
        for j in 0..i {
            let skew = matrix[i * size + j] - matrix[j * size + i];
            if skew.abs() > TOLERANCE * largest {
                let what = format!("matrix of element {cell}: entry ({i}, {j}) less its mirror");
                return reject(what, skew, "element matrices are symmetric");
            }
        }
    }
    let pivot = least_pivot(matrix, size);
    if pivot < -TOLERANCE * largest {
        let what = format!("matrix of element {cell}: smallest pivot");
        return reject(what, pivot, "element matrices are positive semi-definite");
    }
    Ok(())
}

/// The smallest pivot of Cholesky's factorisation, each time with the largest diagonal entry that is left: negative, by
/// more than rounding, if and only if the matrix is indefinite.
fn least_pivot(matrix: &[f64], size: usize) -> f64 {
    let mut a = matrix.to_vec();
    let mut left: Vec<usize> = (0..size).collect();
    let mut least = f64::INFINITY;
    while !left.is_empty() {
        let diagonal = |&i: &usize| a[i * size + i];
        let at = (0..left.len())
            .fold(0, |best, k| if diagonal(&left[k]) > diagonal(&left[best]) { k } else { best });
        let p = left.swap_remove(at);
        let pivot = a[p * size + p];
        least = least.min(pivot);
        if pivot <= TOLERANCE * matrix[p * size + p].abs() {
            // Nothing is left on the diagonal; in a semi-definite matrix there is nothing beside it either.
            let off = left.iter().map(|&j| a[p * size + j].abs()).fold(0.0, f64::max);
            least = least.min(-off);
            continue;
        }
        for &i in &left {
            let factor = a[i * size + p] / pivot;
            for &j in &left {
                a[i * size + j] -= factor * a[p * size + j];
            }
        }
    }
    least
}

impl<const N: usize> ForceModel for ElementMatrices<N> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn character(&self) -> Character {
        Character::POTENTIAL
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.cells.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.cells.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let tangent = ask.tangent.is_some().then_some(ask.position_weight);
        let fields = [at.x, &self.reference];
        self.cells.add(NAME, fields, ask, work, &|matrix, [x, reference], local| {
            let u: [Vec3; N] = std::array::from_fn(|a| sub(x[a], reference[a]));
            for a in 0..N {
                let mut g = [0.0; 3];
                for b in 0..N {
                    for (i, g) in g.iter_mut().enumerate() {
                        let row = &matrix[a][b][3 * i..3 * i + 3];
                        *g += row[0] * u[b][0] + row[1] * u[b][1] + row[2] * u[b][2];
                    }
                }
                local.gradient[a] = g;
                local.energy += 0.5 * dot(u[a], g);
            }
            if let Some(weight) = tangent {
                Self::add_tangent(matrix, weight, local);
            }
        })
    }

    /// 2/ω with ω² bounded by rows of block norms. It allocates.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let omega_squared = self.cells.largest_row([at.x], mass, &|matrix, _, local| {
            Self::add_tangent(matrix, 1.0, local);
        });
        stable_step(omega_squared, 0.0)
    }
}

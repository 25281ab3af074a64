//! [`Numbering`]: from the user's numbers of vertices to those of a system, and back.

use std::ops::Range;

use pliant_algebra::sparse::{BlockMatrix, Csr};

use crate::{Body, ModelError};

/// Numbers of the vertices of all bodies, both ways.
///
/// The user counts body after body, each as its mesh does. A system numbers the vertices of a body for
/// locality ([`Partition`](pliant_forces::Partition)). All that crosses the border goes through here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbering {
    to_system: Vec<u32>,
    to_user: Vec<u32>,
    ranges: Vec<Range<usize>>,
}

impl Numbering {
    /// Of bodies in the order of the system.
    pub fn of(bodies: &[Body]) -> Self {
        let count = bodies.last().map_or(0, |body| body.range.end);
        let mut numbering = Self {
            to_system: Vec::with_capacity(count),
            to_user: vec![0; count],
            ranges: bodies.iter().map(|body| body.range.clone()).collect(),
        };
        for body in bodies {
            for v in 0..body.mesh.vertex_count() as u32 {
                let system = body.system_vertex(v);
                numbering.to_user[system as usize] = numbering.to_system.len() as u32;
                numbering.to_system.push(system);
            }
        }
        numbering
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.to_system.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.to_system.is_empty()
    }

    /// Of each vertex of the user, its number in the system.
    pub fn to_system(&self) -> &[u32] {
        &self.to_system
    }

    /// Of each vertex of the system, the user's number.
    pub fn to_user(&self) -> &[u32] {
        &self.to_user
    }

    /// The user's numbers of the vertices of a body.
    pub fn range(&self, body: usize) -> Option<Range<usize>> {
        self.ranges.get(body).cloned()
    }

    /// Brings values of the system's vertices into the user's order.
    pub fn user<T: Copy>(&self, system: &[T]) -> Result<Vec<T>, ModelError> {
        reorder(&self.to_system, system)
    }

    /// Brings values of the user's vertices into the system's order.
    pub fn system<T: Copy>(&self, user: &[T]) -> Result<Vec<T>, ModelError> {
        reorder(&self.to_user, user)
    }

    /// Returns a matrix of the system as compressed rows in the user's numbering: row 3 v + k is that of
    /// coordinate k of the user's vertex v, columns ascend, both triangles are there. Takes time linear in the
    /// number of blocks.
    pub fn csr(&self, matrix: &BlockMatrix) -> Result<Csr, ModelError> {
        check("rows of the matrix", matrix.rows(), self.len())?;
        Ok(matrix.to_csr_in(&self.to_user))
    }

    /// Brings a matrix in the user's numbering into blocks of the system's: those of `like`, whose pattern is
    /// kept. Entries that it has no block for are an error unless they are zero; of symmetric patterns one
    /// triangle is taken.
    pub fn blocks(&self, csr: &Csr, like: &BlockMatrix) -> Result<BlockMatrix, ModelError> {
        check("rows of the matrix", csr.rows(), 3 * self.len())?;
        check("rows of the system", like.rows(), self.len())?;
        let mut matrix = BlockMatrix::zero(like.pattern().clone());
        for row in 0..csr.rows() {
            let (columns, values) = csr.row(row);
            let i = self.to_system[row / 3];
            for (&column, &value) in columns.iter().zip(values) {
                let Some(&j) = self.to_system.get(column as usize / 3) else {
                    return Err(no_block(row, column));
                };
                match matrix.pattern().slot(i, j) {
                    Some(slot) if slot.stored().is_some() => {
                        let at = 3 * (row % 3) + column as usize % 3;
                        matrix.values[slot.index() as usize][at] = value;
                    }
                    Some(_) => {}
                    None if value == 0.0 => {}
                    None => return Err(no_block(row, column)),
                }
            }
        }
        Ok(matrix)
    }
}

fn no_block(row: usize, column: u32) -> ModelError {
    ModelError::Unsupported {
        text: format!(
            "entry ({row}, {column}) couples vertices {} and {}, which nothing in the system couples",
            row / 3,
            column / 3
        ),
        hint: "take entries only where the stiffness has some",
    }
}

fn reorder<T: Copy>(order: &[u32], values: &[T]) -> Result<Vec<T>, ModelError> {
    check("values of vertices", values.len(), order.len())?;
    Ok(order.iter().map(|&v| values[v as usize]).collect())
}

fn check(what: &str, found: usize, needed: usize) -> Result<(), ModelError> {
    if found == needed {
        return Ok(());
    }
    Err(ModelError::Count { what: what.to_owned(), found, needed })
}

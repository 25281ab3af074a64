//! [`Weight`]: how gravity is shared among the vertices of bodies.

use std::sync::Arc;

use pliant_algebra::sparse::{Block, Csr, Pattern};
use pliant_algebra::vec3::{Vec3, scale};

use crate::{Body, MassKind, ModelError, Numbering};

/// How the weight of a body is shared among its vertices. On tet4 and hex8 both are the same,
/// as lumped masses are ∫ ρ N dV there; on tet10 they differ: that integral is negative at corners, where lumped masses are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weight {
    /// M g, with the mass that the body moves with: whatever that is, all vertices of a free body fall alike, and the body
    /// keeps its shape. For motion, and for states of rest that a motion starts from: released, such a body stays.
    #[default]
    OfMass,
    /// ∫ ρ g N dV, as a body force is: what converges best in statics. The same as [`Weight::OfMass`] of a consistent mass.
    BodyForce,
}

/// The weights of all vertices, N, in the numbering of the system. `mass` is a matrix of the user's own.
pub(crate) fn forces(
    bodies: &[Body],
    gravity: Vec3,
    weight: Weight,
    mass: Option<&Csr>,
) -> Result<Vec<Vec3>, ModelError> {
    if let (Some(mass), Weight::OfMass) = (mass, weight) {
        return of_matrix(mass, gravity, &Numbering::of(bodies));
    }
    let mut forces = Vec::new();
    for body in bodies {
        let by_shapes = weight == Weight::BodyForce || body.mass_kind == MassKind::Consistent;
        if by_shapes && body.mass_kind != MassKind::None && !body.springs {
            let (mesh, partition) = (&body.mesh, &body.partition);
            let of = |cell: usize| body.density_of(cell);
            let shares = body.element.shape_integrals(mesh, partition, &of)?;
            forces.extend(shares.into_iter().map(|m| scale(gravity, m)));
        } else {
            forces.extend(body.masses.iter().map(|&m| scale(gravity, m)));
        }
    }
    Ok(forces)
}

/// M g, row by row.
fn of_matrix(mass: &Csr, gravity: Vec3, numbering: &Numbering) -> Result<Vec<Vec3>, ModelError> {
    let rows: Vec<f64> = (0..mass.rows())
        .map(|row| {
            let (columns, values) = mass.row(row);
            columns.iter().zip(values).map(|(&c, m)| m * gravity[c as usize % 3]).sum()
        })
        .collect();
    let (vectors, _) = rows.as_chunks::<3>();
    numbering.system(vectors)
}

impl Body {
    /// kg/m³
    pub(crate) fn density_of(&self, cell: usize) -> f64 {
        self.density[cell.min(self.density.len() - 1)]
    }

    /// The blocks of its consistent mass with row ≤ column, kg, in the order of its partition.
    pub(crate) fn mass_blocks(&self) -> Result<Vec<(u32, u32, Block)>, ModelError> {
        let new = self.partition.vertices().old_to_new();
        let pattern = Pattern::symmetric(self.mesh.vertex_count(), |couple| {
            for cell in self.mesh.cells() {
                for &a in cell {
                    for &b in cell {
                        couple(new[a as usize], new[b as usize]);
                    }
                }
            }
        });
        let pattern = Arc::new(pattern.map_err(|e| ModelError::Unsupported {
            text: e.to_string(),
            hint: "take a smaller mesh, or lumped masses",
        })?);
        let of = |cell: usize| self.density_of(cell);
        let own = self.element.consistent_mass(&self.mesh, &self.partition, &of, &pattern)?;
        let row = |i: usize| {
            let blocks = own.values[pattern.range(i)].iter().zip(pattern.row(i));
            blocks.map(move |(block, &j)| (i as u32, j, *block)).collect::<Vec<_>>()
        };
        Ok((0..own.rows()).flat_map(row).collect())
    }
}

//! [`Support`]: what holds a body, and with which force.

use pliant_algebra::vec3::{Vec3, add_scaled};
use pliant_dynamics::{State, System};

use crate::{Body, ModelError};

/// The axes of space.
pub const AXES: [Vec3; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Vertices that are held together, with a name for the force they are held by.
#[derive(Debug, Clone)]
pub struct Support {
    /// Its name.
    pub name: String,
    /// Of the system, ascending.
    vertices: Vec<u32>,
}

impl Support {
    /// Vertices of the system.
    pub(crate) fn new(name: String, mut vertices: Vec<u32>) -> Self {
        vertices.sort_unstable();
        Self { name, vertices }
    }
}

/// Sums of the forces by which each body is held, and then of each support, N. A vertex that two supports share
/// counts for the first.
pub fn reactions(
    system: &mut System,
    state: &State,
    bodies: &[Body],
    supports: &[Support],
) -> Result<Vec<Vec3>, ModelError> {
    let mut sums = vec![[0.0; 3]; bodies.len() + supports.len()];
    if system.constraints().is_empty() {
        return Ok(sums);
    }
    let mut list = Vec::new();
    system.reactions(state, &mut list)?;
    for (v, force) in list {
        let holds = |b: &Body| b.range.contains(&(v as usize));
        if let Some(b) = bodies.iter().position(holds) {
            sums[b] = add_scaled(sums[b], force, 1.0);
        }
        let holds = |s: &Support| s.vertices.binary_search(&v).is_ok();
        if let Some(s) = supports.iter().position(holds) {
            let s = bodies.len() + s;
            sums[s] = add_scaled(sums[s], force, 1.0);
        }
    }
    Ok(sums)
}

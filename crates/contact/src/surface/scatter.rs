//! Forces and blocks of a collision vertex on the simulated vertices that it follows.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{Pattern, Slot};
use pliant_algebra::vec3::{Vec3, add_scaled};

use super::CollisionSurface;

impl CollisionSurface {
    /// Adds Wᵀ g of a collision vertex to the simulated ones.
    pub(crate) fn spread(&self, vertex: u32, g: Vec3, gradient: &mut [Vec3]) {
        let (nodes, weights) = self.nodes_of(vertex);
        for (&node, &weight) in nodes.iter().zip(weights) {
            let sum = &mut gradient[node as usize];
            *sum = add_scaled(*sum, g, weight);
        }
    }

    /// The simulated vertex that counts most in a collision vertex, for messages.
    pub fn node(&self, vertex: u32) -> usize {
        let (nodes, weights) = self.nodes_of(vertex);
        let most = nodes.iter().zip(weights).max_by(|a, b| a.1.total_cmp(b.1));
        most.map_or(0, |(&node, _)| node as usize)
    }
}

/// Adds Wᵀ H W of one collision vertex, whose nodes the pattern couples; `first` is the number of the first vertex in the system.
pub(crate) fn add_block(
    pattern: &Pattern,
    ((nodes, weights), first): ((&[u32], &[f64]), u32),
    block: Mat3<f64>,
    values: &mut [[f64; 9]],
) {
    for (&i, w) in nodes.iter().zip(weights) {
        for (&j, z) in nodes.iter().zip(weights) {
            // What one triangle stores once is added once: by the pair that is stored as it is.
            if let Some(Slot::Stored(index)) = pattern.slot(first + i, first + j) {
                for (value, b) in values[index as usize].iter_mut().zip(block.to_array()) {
                    *value += w * z * b;
                }
            }
        }
    }
}

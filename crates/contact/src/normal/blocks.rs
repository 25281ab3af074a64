//! Blocks of a stencil of collision vertices in the matrix of the simulated ones: Wᵀ H W.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{Pattern, Slot};

use crate::distance::Blocks;
use crate::surface::CollisionSurface;

/// A simulated vertex behind one of the collision vertices of a term, and its weight in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// In the numbering of the system.
    pub(crate) vertex: u32,
    /// Which of the collision vertices, from 0.
    pub(crate) of: usize,
    pub(crate) weight: f64,
}

impl Node {
    /// Writes those behind some collision vertices; `first` is the number that the system gives to the first vertex.
    pub(crate) fn behind(
        surface: &CollisionSurface,
        vertices: &[u32],
        first: u32,
        to: &mut Vec<Self>,
    ) {
        to.clear();
        for (of, &v) in vertices.iter().enumerate() {
            let (list, weights) = surface.nodes_of(v);
            let own = list.iter().zip(weights);
            to.extend(own.map(|(&vertex, &weight)| Self { vertex: first + vertex, of, weight }));
        }
    }
}

/// Adds Wᵀ H W of a term where the pattern has a place for all of it. Where it has not, as the term became active within a
/// solve, the diagonal of a matrix that is no smaller: Σ ½ (|Hᵢⱼ| + |Hᵢⱼ|ᵀ) in each row would do, and |Hᵢⱼ| I does too.
pub(crate) fn add_blocks(
    pattern: &Pattern,
    nodes: &[Node],
    blocks: &Blocks,
    weight: f64,
    values: &mut [[f64; 9]],
) {
    let slot = |i: &Node, j: &Node| pattern.slot(i.vertex, j.vertex);
    let all = || nodes.iter().flat_map(|i| nodes.iter().map(move |j| (i, j)));
    let mut put = |index: u32, weight: f64, block: Mat3<f64>| {
        for (value, b) in values[index as usize].iter_mut().zip(block.to_array()) {
            *value += weight * b;
        }
    };
    if all().all(|(i, j)| slot(i, j).is_some()) {
        for (i, j) in all() {
            // What one triangle stores once is added once: by the pair that is stored as it is.
            if let Some(Slot::Stored(index)) = slot(i, j) {
                put(index, weight * (i.weight * j.weight), blocks.block(i.of, j.of));
            }
        }
        return;
    }
    let size = |i: usize, j: usize| {
        blocks.block(i, j).to_array().iter().map(|b| b * b).sum::<f64>().sqrt()
    };
    for i in nodes {
        let row: f64 = nodes.iter().map(|j| (i.weight * j.weight).abs() * size(i.of, j.of)).sum();
        if let Some(slot) = slot(i, i) {
            put(slot.index(), weight, Mat3::diagonal([row; 3]));
        }
    }
}

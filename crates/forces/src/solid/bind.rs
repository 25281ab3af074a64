//! Which blocks elements have, and where they go.

use pliant_algebra::lanes::LANES;
use pliant_elements::Element;

use super::chunk::Elements;
use super::{Solid, Targets};
use crate::assembly::{Chunk, Rows, Target};
use crate::error::ForceError;
use crate::slots::Slots;

impl<const N: usize> Elements<N> {
    /// The vertices of element `e` (in the order of work), in system numbering.
    pub(super) fn vertices(&self, rows: &Rows, e: usize) -> [u32; N] {
        std::array::from_fn(|a| rows.vertex(self.nodes[e / LANES * N + a][e % LANES]))
    }
}

/// Pairs of nodes whose blocks are stored, in the order of the kernel.
fn node_pairs(nodes: usize, full: bool) -> Vec<(usize, usize)> {
    (0..nodes).flat_map(|a| (if full { 0 } else { a }..nodes).map(move |b| (a, b))).collect()
}

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    pub(super) fn add_couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        let symmetric = self.law().has_energy();
        let pairs = node_pairs(N, !symmetric);
        for Chunk { rows, data: elements } in self.parts.assembly.chunks() {
            for e in 0..elements.cells.len() {
                let nodes = elements.vertices(rows, e);
                for &(a, b) in &pairs {
                    let (i, j) = (nodes[a], nodes[b]);
                    if symmetric { couple(i.min(j), i.max(j)) } else { couple(i, j) }
                }
            }
        }
    }

    pub(super) fn look_up(&self, slots: &Slots<'_>) -> Result<Targets, ForceError> {
        slots.check_symmetry(self.law().has_energy())?;
        let pairs = node_pairs(N, !slots.one_triangle());
        self.parts.assembly.bind(slots, |Chunk { rows, data: elements }, lookup| {
            let packs = elements.packs();
            let mut targets = vec![[Target::default(); LANES]; packs * pairs.len()];
            // Those that fill up the last pack are the last element again, without weight.
            for e in 0..packs * LANES {
                let nodes = elements.vertices(rows, e);
                for (pair, &(a, b)) in pairs.iter().enumerate() {
                    // The kernel transposes where one triangle stores (b, a).
                    targets[e / LANES * pairs.len() + pair][e % LANES] =
                        lookup.either(nodes[a], nodes[b])?;
                }
            }
            Ok(targets)
        })
    }
}

//! Reverse Cuthill-McKee: vertices in layers from one end of the mesh to the other.

use super::permutation::Permutation;
use crate::topology::{Adjacency, vertex_couplings};
use crate::volume::VolumeMesh;

/// Rounds in the search for an end of a part; a few suffice in practice, and hostile graphs could
/// ask for one in each layer.
const ROUNDS: usize = 8;

/// Reverse Cuthill-McKee order of the vertices, on the graph of vertices that share a cell.
pub fn cuthill_mckee(mesh: &VolumeMesh) -> Permutation {
    cuthill_mckee_of(&vertex_couplings(mesh))
}

/// Reverse Cuthill-McKee order of a symmetric graph (E. Cuthill and J. McKee, Proc. 24th ACM
/// National Conf., 1969; reversed after A. George, 1971). Each part starts from a
/// pseudo-peripheral vertex (A. George and J. Liu, ACM TOMS 5, 1979); every tie goes to the lower
/// degree, then to the lower index, so that the order is unique.
pub fn cuthill_mckee_of(graph: &Adjacency) -> Permutation {
    let n = graph.len();
    let mut layers = Layers { graph, seen: vec![0; n], stamp: 0, order: Vec::new() };
    let mut placed = vec![false; n];
    let mut order = Vec::with_capacity(n);
    let mut ring = Vec::new();
    for seed in 0..n as u32 {
        if placed[seed as usize] {
            continue;
        }
        let start = layers.peripheral(seed);
        let mut head = order.len();
        order.push(start);
        placed[start as usize] = true;
        while let Some(&v) = order.get(head) {
            head += 1;
            ring.clear();
            ring.extend(graph.of(v as usize).iter().filter(|&&w| !placed[w as usize]));
            ring.sort_unstable_by_key(|&w| (degree(graph, w), w));
            ring.iter().for_each(|&w| placed[w as usize] = true);
            order.extend_from_slice(&ring);
        }
    }
    order.reverse();
    Permutation::trusted(order)
}

fn degree(graph: &Adjacency, v: u32) -> usize {
    graph.of(v as usize).len()
}

/// Breadth-first layers, with marks that are never cleared.
struct Layers<'a> {
    graph: &'a Adjacency,
    seen: Vec<u32>,
    stamp: u32,
    order: Vec<u32>,
}

impl Layers<'_> {
    /// A vertex whose farthest vertex is about as far as any two vertices of its part are.
    fn peripheral(&mut self, seed: u32) -> u32 {
        self.run(seed);
        let Some(mut start) = self.least(0) else { return seed };
        let (mut depth, mut last) = self.run(start);
        for _ in 0..ROUNDS {
            let Some(candidate) = self.least(last) else { break };
            let (further, candidate_last) = self.run(candidate);
            if further <= depth {
                break;
            }
            (start, depth, last) = (candidate, further, candidate_last);
        }
        start
    }

    /// Visits the part of `start`; the number of layers, and where the last begins in `order`.
    fn run(&mut self, start: u32) -> (usize, usize) {
        // At most ROUNDS + 2 runs for each vertex: the stamp wraps for more than 4e8 parts, and
        // then only marks of parts long finished could be met again.
        self.stamp = self.stamp.wrapping_add(1);
        let Self { graph, seen, stamp, order } = self;
        order.clear();
        order.push(start);
        seen[start as usize] = *stamp;
        let (mut depth, mut begin) = (0, 0);
        loop {
            let end = order.len();
            for i in begin..end {
                for &w in graph.of(order[i] as usize) {
                    if seen[w as usize] != *stamp {
                        seen[w as usize] = *stamp;
                        order.push(w);
                    }
                }
            }
            if order.len() == end {
                return (depth, begin);
            }
            (depth, begin) = (depth + 1, end);
        }
    }

    /// The vertex of least degree, then index, from `begin` on in the last order.
    fn least(&self, begin: usize) -> Option<u32> {
        self.order[begin..].iter().copied().min_by_key(|&v| (degree(self.graph, v), v))
    }
}

//! [`Graph`]: which vertices are coupled, both ways.

use pliant_algebra::sparse::Pattern;

/// The vertex graph of a pattern: neighbours of each vertex, ascending, itself excluded. Of
/// unsymmetric patterns, the graph of A + Aᵀ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The graph of that pattern.
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let mut offsets = vec![0_u32; n + 1];
        let each = |visit: &mut dyn FnMut(usize, usize)| {
            for i in 0..n {
                for &j in pattern.row(i) {
                    let j = j as usize;
                    // A pair that an unsymmetric pattern has both ways is counted once.
                    let twice = !pattern.is_symmetric()
                        && j < i
                        && pattern.row(j).binary_search(&(i as u32)).is_ok();
                    if i != j && !twice {
                        visit(i, j);
                    }
                }
            }
        };
        each(&mut |i, j| {
            offsets[i + 1] += 1;
            offsets[j + 1] += 1;
        });
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut neighbours = vec![0_u32; offsets[n] as usize];
        each(&mut |i, j| {
            for (a, b) in [(i, j), (j, i)] {
                neighbours[next[a] as usize] = b as u32;
                next[a] += 1;
            }
        });
        for i in 0..n {
            neighbours[offsets[i] as usize..offsets[i + 1] as usize].sort_unstable();
        }
        Self { offsets, neighbours }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Those coupled to vertex `i`.
    pub fn neighbours(&self, i: usize) -> &[u32] {
        &self.neighbours[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// Where each vertex's neighbours start, and at the end how many there are.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Neighbours of all vertices, one after the other.
    pub fn all_neighbours(&self) -> &[u32] {
        &self.neighbours
    }
}

//! Reverse Cuthill-McKee: breadth-first levels from a vertex at the rim, neighbours by degree, and
//! the whole turned round (George and Liu, Computer Solution of Large Sparse Positive Definite
//! Systems, 1981, ch. 4). Keeps the profile small; fill is that of a band.

use super::Graph;

/// The order, component after component.
pub(super) fn order(graph: &Graph) -> Vec<u32> {
    let n = graph.vertices();
    let degree = |i: u32| graph.neighbours(i as usize).len();
    let mut order: Vec<u32> = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    let mut levels = Levels { mark: vec![u32::MAX; n], queue: Vec::new(), round: 0 };
    for seed in 0..n as u32 {
        if seen[seed as usize] {
            continue;
        }
        let start = levels.at_the_rim(graph, seed);
        let mut head = order.len();
        seen[start as usize] = true;
        order.push(start);
        while let Some(&i) = order.get(head) {
            head += 1;
            let from = order.len();
            for &j in graph.neighbours(i as usize) {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    order.push(j);
                }
            }
            order[from..].sort_unstable_by_key(|&j| (degree(j), j));
        }
    }
    order.reverse();
    order
}

struct Levels {
    mark: Vec<u32>,
    queue: Vec<u32>,
    round: u32,
}

impl Levels {
    /// The depth of the breadth-first tree from `root`, and the vertex of least degree in its last level.
    fn depth(&mut self, graph: &Graph, root: u32) -> (usize, u32) {
        self.round += 1;
        self.queue.clear();
        self.queue.push(root);
        self.mark[root as usize] = self.round;
        let (mut depth, mut from) = (0, 0);
        loop {
            let to = self.queue.len();
            for at in from..to {
                for &j in graph.neighbours(self.queue[at] as usize) {
                    if self.mark[j as usize] != self.round {
                        self.mark[j as usize] = self.round;
                        self.queue.push(j);
                    }
                }
            }
            if self.queue.len() == to {
                let last = &self.queue[from..to];
                let end = last.iter().min_by_key(|&&j| (graph.neighbours(j as usize).len(), j));
                return (depth, *end.unwrap_or(&root));
            }
            (depth, from) = (depth + 1, to);
        }
    }

    /// A vertex from which the graph is about as deep as it can be.
    fn at_the_rim(&mut self, graph: &Graph, seed: u32) -> u32 {
        let mut root = seed;
        let (mut depth, mut end) = self.depth(graph, root);
        loop {
            let (deeper, next) = self.depth(graph, end);
            if deeper <= depth {
                return root;
            }
            (root, depth, end) = (end, deeper, next);
        }
    }
}

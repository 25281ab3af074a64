//! [`Tree`]: a numbering of vertices in which triangular solves run in parallel.
//!
//! Vertices are halved again and again; those of one half that touch the other are the separator.
//! Numbers go to the first half, then the second, then the separator. So what couples a vertex with
//! lower numbers stays within its own branch, and two halves know nothing of each other: forward
//! substitution runs both at once and then the separator, backward substitution the other way round.
//! The tree follows from the pattern alone, whatever the number of threads.
//!
//! A colouring would give more parallelism than a processor with a few cores can use, at the price
//! of many more iterations; levels of the given numbering are too short on compact bodies.

use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::Vec3;

/// A branch: its rows are `start..end`, its own (the separator, or all of a leaf) `own..end`.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub start: usize,
    pub own: usize,
    pub end: usize,
    /// Places of the two halves.
    pub halves: Option<(usize, usize)>,
}

/// The numbering. The root is the last node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    /// Old number of each new one.
    pub order: Vec<u32>,
    /// New number of each old one.
    pub inverse: Vec<u32>,
}

/// Neighbours of each vertex, without itself, ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct Graph {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The graph of a symmetric pattern.
    pub(crate) fn new(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let mut offsets = vec![0_u32; n + 1];
        for i in 0..n {
            for &j in &pattern.row(i)[1..] {
                offsets[i + 1] += 1;
                offsets[j as usize + 1] += 1;
            }
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut neighbours = vec![0; offsets[n] as usize];
        // Lower neighbours first: rows come in order, so each list ascends.
        for i in 0..n {
            for &j in &pattern.row(i)[1..] {
                neighbours[next[j as usize] as usize] = i as u32;
                next[j as usize] += 1;
            }
        }
        for i in 0..n {
            for &j in &pattern.row(i)[1..] {
                neighbours[next[i] as usize] = j;
                next[i] += 1;
            }
        }
        Self { offsets, neighbours }
    }

    pub(crate) fn of(&self, i: usize) -> &[u32] {
        &self.neighbours[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }
}

struct Builder<'a> {
    graph: &'a Graph,
    positions: Option<&'a [Vec3]>,
    leaf: usize,
    /// The branch each vertex is in.
    branch: Vec<u32>,
    branches: u32,
    seen: Vec<bool>,
    tree: Tree,
}

impl Tree {
    /// Numbers the vertices of a graph, with leaves of at most `leaf` vertices. Halves follow the
    /// longest extent where positions are known, else distance along edges from a far vertex.
    pub(crate) fn new(graph: &Graph, positions: Option<&[Vec3]>, leaf: usize) -> Self {
        let n = graph.len();
        let mut builder = Builder {
            graph,
            positions: positions.filter(|p| p.len() == n),
            leaf: leaf.max(1),
            branch: vec![0; n],
            branches: 0,
            seen: vec![false; n],
            tree: Tree { nodes: Vec::new(), order: Vec::with_capacity(n), inverse: vec![0; n] },
        };
        builder.number((0..n as u32).collect());
        let mut tree = builder.tree;
        for (new, &old) in tree.order.iter().enumerate() {
            tree.inverse[old as usize] = new as u32;
        }
        tree
    }

    pub(crate) fn memory(&self) -> usize {
        8 * self.order.len() + size_of::<Node>() * self.nodes.len()
    }
}

impl Builder<'_> {
    /// Numbers these vertices and returns the place of their node.
    fn number(&mut self, mut vertices: Vec<u32>) -> usize {
        let start = self.tree.order.len();
        let mut halves = None;
        if vertices.len() > self.leaf {
            self.sort_along(&mut vertices);
            let at = vertices.len() / 2;
            let (low, high) = vertices.split_at(at);
            let (a, b) = (self.branches + 1, self.branches + 2);
            self.branches += 2;
            for &v in low {
                self.branch[v as usize] = a;
            }
            for &v in high {
                self.branch[v as usize] = b;
            }
            let graph = self.graph;
            let branch = &self.branch;
            let touches = |v: u32, other: u32| {
                graph.of(v as usize).iter().any(|&w| branch[w as usize] == other)
            };
            let (from_low, low): (Vec<u32>, Vec<u32>) = low.iter().partition(|&&v| touches(v, b));
            let (from_high, high): (Vec<u32>, Vec<u32>) =
                high.iter().partition(|&&v| touches(v, a));
            // Either rim separates; the thinner one is taken.
            let (low, high, rim) = if from_low.len() <= from_high.len() {
                (low, [from_high, high].concat(), from_low)
            } else {
                ([from_low, low].concat(), high, from_high)
            };
            // A separator that takes nearly everything ends the recursion.
            if rim.len() < vertices.len() / 3 {
                for &v in &rim {
                    self.branch[v as usize] = 0;
                }
                let left = self.number(low);
                let right = self.number(high);
                halves = Some((left, right));
                vertices = rim;
            }
        }
        let own = self.tree.order.len();
        self.append(vertices);
        let end = self.tree.order.len();
        self.tree.nodes.push(Node { start, own, end, halves });
        self.tree.nodes.len() - 1
    }

    /// Appends vertices in the order of a breadth-first walk among them (Cuthill-McKee): incomplete
    /// factors are better, and closer in memory, where neighbours have numbers near each other.
    fn append(&mut self, mut vertices: Vec<u32>) {
        vertices.sort_unstable();
        let walked = self.walk(&vertices, true);
        self.tree.order.extend(walked);
    }

    /// The vertices by distance from one of them, piece by piece where they are not connected; `far`
    /// starts at a vertex that is far from the first.
    fn walk(&mut self, vertices: &[u32], far: bool) -> Vec<u32> {
        const MARK: u32 = u32::MAX;
        let before: Vec<u32> = vertices.iter().map(|&v| self.branch[v as usize]).collect();
        for &v in vertices {
            self.branch[v as usize] = MARK;
        }
        let mut out: Vec<u32> = Vec::with_capacity(vertices.len());
        for &root in vertices {
            if self.seen[root as usize] {
                continue;
            }
            let mut from = root;
            for last in [!far, true] {
                let begin = out.len();
                self.seen[from as usize] = true;
                out.push(from);
                let mut next = begin;
                while next < out.len() {
                    for &w in self.graph.of(out[next] as usize) {
                        if self.branch[w as usize] == MARK && !self.seen[w as usize] {
                            self.seen[w as usize] = true;
                            out.push(w);
                        }
                    }
                    next += 1;
                }
                if last {
                    break;
                }
                from = out[out.len() - 1];
                for &v in &out[begin..] {
                    self.seen[v as usize] = false;
                }
                out.truncate(begin);
            }
        }
        for (&v, b) in vertices.iter().zip(before) {
            self.branch[v as usize] = b;
            self.seen[v as usize] = false;
        }
        out
    }

    /// Sorts so that the first half and the second are far from each other.
    fn sort_along(&mut self, vertices: &mut Vec<u32>) {
        let Some(x) = self.positions else {
            vertices.sort_unstable();
            *vertices = self.walk(vertices, true);
            return;
        };
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for &v in vertices.iter() {
            for c in 0..3 {
                low[c] = low[c].min(x[v as usize][c]);
                high[c] = high[c].max(x[v as usize][c]);
            }
        }
        let extent = |c: usize| high[c] - low[c];
        let axis = (1..3).fold(0, |a, c| if extent(c) > extent(a) { c } else { a });
        let at = vertices.len() / 2;
        vertices.select_nth_unstable_by(at, |&a, &b| {
            x[a as usize][axis].total_cmp(&x[b as usize][axis]).then(a.cmp(&b))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: u32) -> (Pattern, Vec<Vec3>) {
        let at = |i: u32, j: u32| i * n + j;
        let pattern = Pattern::symmetric((n * n) as usize, |couple| {
            for i in 0..n {
                for j in 0..n {
                    if i + 1 < n {
                        couple(at(i, j), at(i + 1, j));
                    }
                    if j + 1 < n {
                        couple(at(i, j), at(i, j + 1));
                    }
                }
            }
        })
        .unwrap();
        let x = (0..n * n).map(|k| [(k / n) as f64, (k % n) as f64, 0.0]).collect();
        (pattern, x)
    }

    #[test]
    fn lower_neighbours_stay_within_the_branch() {
        let (pattern, x) = grid(20);
        let graph = Graph::new(&pattern);
        for positions in [None, Some(&x[..])] {
            let tree = Tree::new(&graph, positions, 30);
            let mut sorted = tree.order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().enumerate().all(|(i, &v)| i == v as usize));
            assert!(tree.nodes.len() > 15);
            for node in &tree.nodes {
                for i in node.own..node.end {
                    for &j in graph.of(tree.order[i] as usize) {
                        let j = tree.inverse[j as usize] as usize;
                        assert!(j > i || j >= node.start, "{j} {i} {node:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_graph_without_edges_and_a_complete_one_are_numbered() {
        let none = Graph::new(&Pattern::symmetric(9, |_| {}).unwrap());
        assert_eq!(Tree::new(&none, None, 2).order.len(), 9);
        let all = Pattern::symmetric(9, |couple| {
            for i in 0..9 {
                for j in 0..i {
                    couple(i, j);
                }
            }
        });
        let tree = Tree::new(&Graph::new(&all.unwrap()), None, 2);
        assert_eq!((tree.order.len(), tree.nodes.len()), (9, 1));
    }
}

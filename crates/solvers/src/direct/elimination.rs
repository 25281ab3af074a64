//! The elimination tree of a vertex graph under an order, and how many vertices each column of the
//! factor has.

use crate::ordering::Graph;

/// No parent: a root.
pub(super) const ROOT: u32 = u32::MAX;

/// A graph under an order in which children come before parents, subtree after subtree.
pub(super) struct Elimination {
    /// New place to old number.
    pub(super) order: Vec<u32>,
    /// The parent of each column.
    pub(super) parent: Vec<u32>,
    /// Vertices in each column of the factor, the diagonal included.
    pub(super) counts: Vec<u32>,
}

impl Elimination {
    /// Sorts `order` into a postorder of its tree, which leaves the fill as it is.
    pub(super) fn new(graph: &Graph, order: &[u32]) -> Self {
        let place = inverse(order);
        let parent = tree(graph, order, &place);
        let post = postorder(&parent);
        let order: Vec<u32> = post.iter().map(|&k| order[k as usize]).collect();
        let place = inverse(&order);
        let renumbered = inverse(&post);
        let parent: Vec<u32> = post
            .iter()
            .map(|&k| renumbered.get(parent[k as usize] as usize).copied().unwrap_or(ROOT))
            .collect();
        let counts = column_counts(graph, &order, &place, &parent);
        Self { order, parent, counts }
    }
}

/// The inverse permutation.
pub(super) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0_u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old as usize] = new as u32;
    }
    place
}

/// The elimination tree (Liu, The role of elimination trees in sparse factorization, 1990): the
/// parent of a column is the first that it reaches.
pub(super) fn tree(graph: &Graph, order: &[u32], place: &[u32]) -> Vec<u32> {
    let n = order.len();
    let (mut parent, mut ancestor) = (vec![ROOT; n], vec![ROOT; n]);
    for k in 0..n {
        for &w in graph.neighbours(order[k] as usize) {
            let mut i = place[w as usize];
            // Climb from every earlier neighbour, and let all on the way point here.
            while (i as usize) < k {
                let next = std::mem::replace(&mut ancestor[i as usize], k as u32);
                if next == ROOT {
                    parent[i as usize] = k as u32;
                    break;
                }
                i = next;
            }
        }
    }
    parent
}

/// Children before parents and subtrees in one piece; children in their order.
pub(super) fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let (mut first, mut next) = (vec![ROOT; n], vec![ROOT; n]);
    let mut roots = Vec::new();
    for k in (0..n).rev() {
        match parent[k] {
            ROOT => roots.push(k as u32),
            p => next[k] = std::mem::replace(&mut first[p as usize], k as u32),
        }
    }
    let mut post = Vec::with_capacity(n);
    let mut open = Vec::new();
    while let Some(root) = roots.pop() {
        open.push(root);
        while let Some(&k) = open.last() {
            match first[k as usize] {
                ROOT => {
                    post.push(k);
                    open.pop();
                }
                child => {
                    first[k as usize] = next[child as usize];
                    open.push(child);
                }
            }
        }
    }
    post
}

/// Column counts without the columns (Gilbert, Ng and Peyton, An efficient algorithm to compute row
/// and column counts for sparse Cholesky factorization, 1994), for an order that is a postorder.
fn column_counts(graph: &Graph, order: &[u32], place: &[u32], parent: &[u32]) -> Vec<u32> {
    let n = order.len();
    // The first column of each subtree; a column that is its own first is a leaf.
    let mut first: Vec<u32> = (0..n as u32).collect();
    for k in 0..n {
        if parent[k] != ROOT {
            let p = parent[k] as usize;
            first[p] = first[p].min(first[k]);
        }
    }
    let mut delta: Vec<i64> = (0..n).map(|k| i64::from(first[k] as usize == k)).collect();
    let (mut latest_first, mut latest_leaf) = (vec![ROOT; n], vec![ROOT; n]);
    let mut set: Vec<u32> = (0..n as u32).collect();
    for j in 0..n {
        if parent[j] != ROOT {
            delta[parent[j] as usize] -= 1;
        }
        for &w in graph.neighbours(order[j] as usize) {
            let i = place[w as usize] as usize;
            // Column j is a leaf of row i's subtree if its own subtree starts after all seen in row i.
            if i > j && (latest_first[i] == ROOT || first[j] > latest_first[i]) {
                latest_first[i] = first[j];
                delta[j] += 1;
                let before = std::mem::replace(&mut latest_leaf[i], j as u32);
                if before != ROOT {
                    delta[find(&mut set, before) as usize] -= 1;
                }
            }
        }
        if parent[j] != ROOT {
            set[j] = parent[j];
        }
    }
    for j in 0..n {
        if parent[j] != ROOT {
            delta[parent[j] as usize] += delta[j];
        }
    }
    delta.into_iter().map(|d| d as u32).collect()
}

/// The root of the set of `k`, with the paths halved on the way.
fn find(set: &mut [u32], mut k: u32) -> u32 {
    while set[k as usize] != k {
        set[k as usize] = set[set[k as usize] as usize];
        k = set[k as usize];
    }
    k
}

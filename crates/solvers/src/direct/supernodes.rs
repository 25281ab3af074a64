//! [`Supernodes`]: columns of the factor with (nearly) the same rows, taken together as dense panels.

use super::elimination::{Elimination, ROOT, inverse, postorder};
use crate::ordering::Graph;

/// Two supernodes become one when the zeros this stores are at most this part of the whole, by the
/// width of the whole in vertices. Wide panels pay for zeros in arithmetic; narrow ones cost more in
/// calls than in arithmetic. Somewhat less and somewhat more joining, tried on M + h²K of 4k and 19k vertices,
/// made no difference above the noise of a busy machine.
const RELAX: [(u32, f64); 4] = [(3, 1.0), (8, 0.6), (24, 0.2), (u32::MAX, 0.05)];

/// The tree of supernodes, children before parents.
#[derive(Debug, Clone)]
pub(super) struct Supernodes {
    /// New place to old number of the vertices.
    pub(super) order: Vec<u32>,
    /// Old number to new place.
    pub(super) place: Vec<u32>,
    /// Columns of supernode s: `starts[s]..starts[s + 1]`.
    pub(super) starts: Vec<u32>,
    /// The parent of each.
    pub(super) parent: Vec<u32>,
    /// Where the rows below the columns start.
    pub(super) row_offsets: Vec<usize>,
    /// Rows below the columns, new places, ascending.
    pub(super) rows: Vec<u32>,
    /// Vertex blocks of the factor without the zeros that joining supernodes stores.
    pub(super) exact_blocks: u64,
}

impl Supernodes {
    /// Number of supernodes.
    pub(super) fn len(&self) -> usize {
        self.parent.len()
    }

    /// Number of columns, in vertices.
    pub(super) fn width(&self, s: usize) -> usize {
        (self.starts[s + 1] - self.starts[s]) as usize
    }

    /// Rows below the columns.
    pub(super) fn rows(&self, s: usize) -> &[u32] {
        &self.rows[self.row_offsets[s]..self.row_offsets[s + 1]]
    }

    /// Finds the supernodes of a graph in an order.
    pub(super) fn new(graph: &Graph, order: &[u32]) -> Self {
        let columns = Elimination::new(graph, order);
        let exact_blocks = columns.counts.iter().map(|&c| u64::from(c)).sum();
        let joined = join(&columns);
        // The columns of the joined supernodes, in a postorder of their tree.
        let post = postorder(&joined.parent);
        let renumbered = inverse(&post);
        let mut order = Vec::with_capacity(columns.order.len());
        let mut starts = vec![0_u32];
        for &s in &post {
            let members =
                &joined.members[joined.offsets[s as usize]..joined.offsets[s as usize + 1]];
            order.extend(members.iter().map(|&k| columns.order[k as usize]));
            starts.push(order.len() as u32);
        }
        let parent: Vec<u32> = post
            .iter()
            .map(|&s| renumbered.get(joined.parent[s as usize] as usize).copied().unwrap_or(ROOT))
            .collect();
        let place = inverse(&order);
        let (row_offsets, rows) = rows_of(graph, &order, &place, &starts, &parent);
        Self { order, place, starts, parent, row_offsets, rows, exact_blocks }
    }
}

/// Supernodes after joining: the columns of each, and its parent.
struct Joined {
    parent: Vec<u32>,
    offsets: Vec<usize>,
    members: Vec<u32>,
}

/// Finds maximal runs of columns with the same rows, then joins children to parents as [`RELAX`] allows
/// (Ashcraft and Grimes, The influence of relaxed supernode partitions on the multifrontal method, 1989).
fn join(columns: &Elimination) -> Joined {
    let n = columns.order.len();
    let mut of = vec![0_u32; n];
    let mut starts = Vec::new();
    for k in 0..n {
        let same = k > 0
            && columns.parent[k - 1] as usize == k
            && columns.counts[k - 1] == columns.counts[k] + 1;
        if !same {
            starts.push(k as u32);
        }
        of[k] = starts.len() as u32 - 1;
    }
    let count = starts.len();
    starts.push(n as u32);
    let mut width: Vec<u32> = (0..count).map(|s| starts[s + 1] - starts[s]).collect();
    let below: Vec<u32> =
        (0..count).map(|s| columns.counts[starts[s + 1] as usize - 1] - 1).collect();
    let parent: Vec<u32> = (0..count)
        .map(|s| match columns.parent[starts[s + 1] as usize - 1] {
            ROOT => ROOT,
            p => of[p as usize],
        })
        .collect();
    let mut zeros = vec![0_u64; count];
    // Into whom each was joined; itself if it stands.
    let mut into: Vec<u32> = (0..count as u32).collect();
    let (mut first, mut next) = (vec![ROOT; count], vec![ROOT; count]);
    for s in (0..count).rev() {
        if parent[s] != ROOT {
            next[s] = std::mem::replace(&mut first[parent[s] as usize], s as u32);
        }
    }
    let mut children = Vec::new();
    for s in 0..count {
        children.clear();
        let mut child = first[s];
        while child != ROOT {
            children.push(child);
            child = next[child as usize];
        }
        // Those that fit best come first, as each one joined makes the others fit less.
        children.sort_by_key(|&c| (std::cmp::Reverse(below[c as usize]), c));
        for &c in &children {
            let c = c as usize;
            let front = width[s] + below[s];
            let wide = width[c] + width[s];
            let zero = zeros[c] + zeros[s] + u64::from(width[c]) * u64::from(front - below[c]);
            let (w, r) = (u64::from(wide), u64::from(below[s]));
            let all = w * (w + 1) / 2 + w * r;
            let limit = RELAX.iter().find(|x| wide <= x.0).map_or(0.0, |x| x.1);
            if zero as f64 <= limit * all as f64 {
                into[c] = s as u32;
                width[s] = wide;
                zeros[s] = zero;
            }
        }
    }
    // Those that stand, numbered as they come, with the columns of all that went into them.
    let mut number = vec![ROOT; count];
    let mut stand = vec![0_u32; count];
    let mut sizes = Vec::new();
    for s in (0..count).rev() {
        let target = into[s] as usize;
        stand[s] = if target == s { s as u32 } else { stand[target] };
    }
    for s in 0..count {
        if stand[s] as usize == s {
            number[s] = sizes.len() as u32;
            sizes.push(width[s] as usize);
        }
    }
    let mut offsets = vec![0_usize];
    for (k, size) in sizes.iter().enumerate() {
        offsets.push(offsets[k] + size);
    }
    let mut fill = offsets.clone();
    let mut members = vec![0_u32; n];
    let mut joined_parent = vec![ROOT; sizes.len()];
    for s in 0..count {
        let to = number[stand[s] as usize] as usize;
        for k in starts[s]..starts[s + 1] {
            members[fill[to]] = k;
            fill[to] += 1;
        }
        if stand[s] as usize == s && parent[s] != ROOT {
            joined_parent[to] = number[stand[parent[s] as usize] as usize];
        }
    }
    Joined { parent: joined_parent, offsets, members }
}

/// Rows of each supernode: those of its children and those its columns are coupled to, beyond itself.
fn rows_of(
    graph: &Graph,
    order: &[u32],
    place: &[u32],
    starts: &[u32],
    parent: &[u32],
) -> (Vec<usize>, Vec<u32>) {
    let count = parent.len();
    let (mut first, mut next) = (vec![ROOT; count], vec![ROOT; count]);
    for s in (0..count).rev() {
        if parent[s] != ROOT {
            next[s] = std::mem::replace(&mut first[parent[s] as usize], s as u32);
        }
    }
    let mut mark = vec![ROOT; order.len()];
    let mut offsets = vec![0_usize];
    let mut rows: Vec<u32> = Vec::new();
    for s in 0..count {
        let end = starts[s + 1];
        let from = rows.len();
        let mut child = first[s];
        while child != ROOT {
            for at in offsets[child as usize]..offsets[child as usize + 1] {
                let row = rows[at];
                if row >= end && std::mem::replace(&mut mark[row as usize], s as u32) != s as u32 {
                    rows.push(row);
                }
            }
            child = next[child as usize];
        }
        for k in starts[s]..end {
            for &w in graph.neighbours(order[k as usize] as usize) {
                let row = place[w as usize];
                if row >= end && std::mem::replace(&mut mark[row as usize], s as u32) != s as u32 {
                    rows.push(row);
                }
            }
        }
        rows[from..].sort_unstable();
        offsets.push(rows.len());
    }
    (offsets, rows)
}

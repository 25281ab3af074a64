//! [`Plan`]: all that a factorisation needs to know before it sees values.

use pliant_algebra::sparse::Pattern;

use super::elimination::ROOT;
use super::supernodes::Supernodes;
use super::tasks::{Task, Tasks};
use crate::ordering::Graph;

/// A block of the matrix and its place in a panel, in vertices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Its place in the matrix.
    pub(super) slot: u32,
    /// Row of the front.
    pub(super) row: u32,
    /// Twice the column, plus one if the block must be transposed.
    pub(super) column: u32,
}

/// Rows of a child that lie next to each other in the parent's front too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// The first among the child's rows.
    pub(super) from: u32,
    /// Its place in the parent's front.
    pub(super) to: u32,
    /// How many.
    pub(super) len: u32,
}

/// Supernodes with the places of everything that belongs to them.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) nodes: Supernodes,
    /// Where the panel of each supernode starts in the factor, and at the end its length.
    pub(super) panels: Vec<usize>,
    /// Where the front vector of each supernode starts, in scalars.
    pub(super) fronts: Vec<usize>,
    child_offsets: Vec<u32>,
    children: Vec<u32>,
    run_offsets: Vec<u32>,
    runs: Vec<Run>,
    entry_offsets: Vec<u32>,
    entries: Vec<Entry>,
    pub(super) tasks: Vec<Task>,
    /// Where each update matrix lies.
    pub(super) updates: Vec<usize>,
    /// Entries of the memory for update matrices.
    pub(super) work: usize,
}

impl Plan {
    /// Plans the factorisation of matrices of that pattern in that order.
    pub(super) fn new(pattern: &Pattern, graph: &Graph, order: &[u32]) -> Self {
        let nodes = Supernodes::new(graph, order);
        let count = nodes.len();
        let (mut panels, mut fronts) = (vec![0_usize], vec![0_usize]);
        let mut child_offsets = vec![0_u32; count + 1];
        for s in 0..count {
            let (w, f) = (nodes.width(s), nodes.width(s) + nodes.rows(s).len());
            panels.push(panels[s] + 9 * w * f);
            fronts.push(fronts[s] + 3 * f);
            if nodes.parent[s] != ROOT {
                child_offsets[nodes.parent[s] as usize + 1] += 1;
            }
        }
        for s in 0..count {
            child_offsets[s + 1] += child_offsets[s];
        }
        let mut children = vec![0_u32; child_offsets[count] as usize];
        let mut next = child_offsets.clone();
        let (mut run_offsets, mut runs) = (vec![0_u32], Vec::new());
        for s in 0..count {
            if nodes.parent[s] != ROOT {
                let p = nodes.parent[s] as usize;
                children[next[p] as usize] = s as u32;
                next[p] += 1;
                push_runs(&nodes, s, p, &mut runs);
            }
            run_offsets.push(runs.len() as u32);
        }
        let (entry_offsets, entries) = entries(pattern, &nodes);
        let Tasks { list: tasks, updates, work } = Tasks::new(&nodes);
        Self {
            nodes,
            panels,
            fronts,
            child_offsets,
            children,
            run_offsets,
            runs,
            entry_offsets,
            entries,
            tasks,
            updates,
            work,
        }
    }

    /// Children of a supernode, ascending.
    pub(super) fn children(&self, s: usize) -> &[u32] {
        &self.children[self.child_offsets[s] as usize..self.child_offsets[s + 1] as usize]
    }

    /// Where the rows of a supernode lie in its parent's front.
    pub(super) fn runs(&self, s: usize) -> &[Run] {
        &self.runs[self.run_offsets[s] as usize..self.run_offsets[s + 1] as usize]
    }

    /// The matrix blocks that belong to the panel of a supernode.
    pub(super) fn entries(&self, s: usize) -> &[Entry] {
        &self.entries[self.entry_offsets[s] as usize..self.entry_offsets[s + 1] as usize]
    }

    /// Scalar columns, and scalar rows below them.
    pub(super) fn shape(&self, s: usize) -> (usize, usize) {
        (3 * self.nodes.width(s), 3 * self.nodes.rows(s).len())
    }

    /// Bytes of the plan itself.
    pub(super) fn memory(&self) -> usize {
        let nodes = &self.nodes;
        8 * (self.panels.len() + self.fronts.len() + self.updates.len() + nodes.row_offsets.len())
            + 4 * (nodes.rows.len() + 2 * nodes.order.len() + 5 * nodes.len())
            + 12 * (self.runs.len() + self.entries.len())
    }
}

/// Walks down the rows of `s` and the front of its parent `p` side by side.
fn push_runs(nodes: &Supernodes, s: usize, p: usize, runs: &mut Vec<Run>) {
    let (start, end) = (nodes.starts[p], nodes.starts[p + 1]);
    let above = nodes.rows(p);
    let mut at = 0;
    let from = runs.len();
    for (k, &row) in nodes.rows(s).iter().enumerate() {
        let to = if row < end {
            row - start
        } else {
            // Every row of a child is a column or a row of its parent.
            while above[at] < row {
                at += 1;
            }
            end - start + at as u32
        };
        match runs[from..].last_mut() {
            // A run does not cross from the parent's columns to its rows.
            Some(run) if run.to + run.len == to && to != end - start => run.len += 1,
            _ => runs.push(Run { from: k as u32, to, len: 1 }),
        }
    }
}

fn entries(pattern: &Pattern, nodes: &Supernodes) -> (Vec<u32>, Vec<Entry>) {
    let count = nodes.len();
    let mut of = vec![0_u32; nodes.order.len()];
    for s in 0..count {
        of[nodes.starts[s] as usize..nodes.starts[s + 1] as usize].fill(s as u32);
    }
    let mut offsets = vec![0_u32; count + 1];
    let each = |visit: &mut dyn FnMut(u32, u32, u32, usize, bool)| {
        for i in 0..pattern.rows() {
            let a = nodes.place[i];
            for (slot, &j) in pattern.range(i).zip(pattern.row(i)) {
                let b = nodes.place[j as usize];
                let column = a.min(b);
                visit(of[column as usize], a.max(b), column, slot, a < b);
            }
        }
    };
    each(&mut |s, _, _, _, _| offsets[s as usize + 1] += 1);
    for s in 0..count {
        offsets[s + 1] += offsets[s];
    }
    let mut next = offsets.clone();
    let mut entries = vec![Entry { slot: 0, row: 0, column: 0 }; pattern.blocks()];
    each(&mut |s, row, column, slot, turned| {
        let s = s as usize;
        let (start, end) = (nodes.starts[s], nodes.starts[s + 1]);
        let row = if row < end {
            row - start
        } else {
            end - start + nodes.rows(s).partition_point(|&r| r < row) as u32
        };
        let column = 2 * (column - start) + u32::from(turned);
        entries[next[s] as usize] = Entry { slot: slot as u32, row, column };
        next[s] += 1;
    });
    (offsets, entries)
}

//! [`Task`]: what is done in one go, and what may be done at the same time before it.
//!
//! Which subtrees are tasks of their own depends on the tree alone, never on the number of threads.

use super::elimination::ROOT;
use super::supernodes::Supernodes;

/// A subtree is a task of its own if it has at least this part of all the work, …
const PART: f64 = 1.0 / 32.0;
/// … and is worth the handing over, in floating-point operations.
const LEAST: f64 = 3e5;

/// A subtree without the subtrees that are tasks of their own.
#[derive(Debug, Clone, Default)]
pub(super) struct Task {
    /// All supernodes of the subtree, those of `kids` included.
    pub(super) first: usize,
    /// One past the last.
    pub(super) end: usize,
    /// Tasks below, ascending. To be done before, in any order.
    pub(super) kids: Vec<usize>,
    /// Own supernodes, as ranges, ascending.
    pub(super) own: Vec<(usize, usize)>,
    /// Where the memory for its update matrices starts, that of the kids included.
    pub(super) work: usize,
}

/// Tasks, of which the first has everything, and where the update matrix of each supernode lies.
pub(super) struct Tasks {
    pub(super) list: Vec<Task>,
    pub(super) updates: Vec<usize>,
    /// Entries of all update matrices that are alive at one time.
    pub(super) work: usize,
}

/// Operations for each supernode: a third of the cube of the columns, and so on, summed exactly
/// enough for sharing out.
pub(super) fn flops(width: usize, below: usize) -> f64 {
    let (w, r) = (3.0 * width as f64, 3.0 * below as f64);
    w * w * w / 3.0 + w * w * r + w * r * r
}

impl Tasks {
    pub(super) fn new(nodes: &Supernodes) -> Self {
        let count = nodes.len();
        let parent = |s: usize| (nodes.parent[s] != ROOT).then(|| nodes.parent[s] as usize);
        let size = |s: usize| (3 * nodes.rows(s).len()).pow(2);
        let mut work: Vec<f64> =
            (0..count).map(|s| flops(nodes.width(s), nodes.rows(s).len())).collect();
        let total: f64 = work.iter().sum();
        let least = (total * PART).max(LEAST);
        let mut first: Vec<usize> = (0..count).collect();
        let mut large_kids = vec![0_u32; count + 1];
        for s in 0..count {
            if work[s] >= least {
                large_kids[parent(s).unwrap_or(count)] += 1;
            }
            if let Some(p) = parent(s) {
                work[p] += work[s];
                first[p] = first[p].min(first[s]);
            }
        }
        let is_top = |s: usize| work[s] >= least && large_kids[parent(s).unwrap_or(count)] > 1;
        // The task of each supernode; parents come before kids.
        let mut tasks = vec![Task { end: count, ..Task::default() }];
        let mut of = vec![0_usize; count];
        for s in (0..count).rev() {
            let above = parent(s).map_or(0, |p| of[p]);
            of[s] = above;
            if is_top(s) {
                of[s] = tasks.len();
                tasks[above].kids.push(of[s]);
                tasks.push(Task { first: first[s], end: s + 1, ..Task::default() });
            }
        }
        for at in 0..tasks.len() {
            tasks[at].kids.reverse();
            let mut from = tasks[at].first;
            let mut own = Vec::new();
            for &kid in &tasks[at].kids {
                own.push((from, tasks[kid].first));
                from = tasks[kid].end;
            }
            own.push((from, tasks[at].end));
            own.retain(|r| r.0 < r.1);
            tasks[at].own = own;
        }
        // Memory. Each supernode has a region in which its subtree works; its own update matrix lies at
        // one end of it, those of its children at the other, one beside the other. While a child
        // works it may use all that its finished siblings leave. Kids have memory of their own, as
        // they run at the same time.
        let mut need: Vec<usize> = vec![0; count];
        let mut taken = vec![0_usize; count];
        let mut sequential = vec![0_usize; tasks.len()];
        for s in 0..count {
            need[s] = need[s].max(size(s) + taken[s]);
            match parent(s).filter(|_| !is_top(s)) {
                Some(p) => {
                    need[p] = need[p].max(taken[p] + need[s]);
                    taken[p] += size(s);
                }
                None => sequential[of[s]] = sequential[of[s]].max(need[s]),
            }
        }
        let mut whole = sequential.clone();
        for at in (0..tasks.len()).rev() {
            whole[at] += tasks[at].kids.iter().map(|&kid| whole[kid]).sum::<usize>();
        }
        for at in 0..tasks.len() {
            let mut base = tasks[at].work + sequential[at];
            for kid in tasks[at].kids.clone() {
                tasks[kid].work = base;
                base += whole[kid];
            }
        }
        let mut updates = vec![0_usize; count];
        let mut regions = vec![Region::default(); count];
        for s in (0..count).rev() {
            let region = if let Some(p) = parent(s).filter(|_| !is_top(s)) {
                // Children are met last first here.
                taken[p] -= size(s);
                regions[p].for_child(taken[p])
            } else {
                let low = tasks[of[s]].work;
                Region { low, high: low + sequential[of[s]], at_high: false }
            };
            updates[s] = if region.at_high { region.high - size(s) } else { region.low };
            regions[s] = region;
        }
        Self { list: tasks, updates, work: whole[0] }
    }
}

/// Where a subtree works, and at which end its root leaves its update matrix.
#[derive(Debug, Clone, Copy, Default)]
struct Region {
    low: usize,
    high: usize,
    at_high: bool,
}

impl Region {
    /// The region of a child whose finished siblings take `taken`.
    fn for_child(self, taken: usize) -> Self {
        let Self { low, high, at_high } = self;
        if at_high {
            Self { low: low + taken, high, at_high: false }
        } else {
            Self { low, high: high - taken, at_high: true }
        }
    }
}

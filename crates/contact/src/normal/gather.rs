//! [`Gather`]: sums over sources for each target, in parallel and in a fixed order.

use pliant_algebra::sparse::for_each_part;
use rayon::prelude::*;

/// Entries that one task adds, but for those of the target it ends in.
const TASK: usize = 512;

/// Adds something of a source to a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Where it is added.
    pub(super) target: u32,
    /// What is added; the caller knows what the number stands for.
    pub(super) source: u32,
    /// What it is multiplied by.
    pub(super) weight: f64,
}

/// Entries by target, and those of one target by source: the order in which they are added, whatever the threads.
#[derive(Debug, Clone, Default)]
pub(super) struct Gather {
    entries: Vec<Entry>,
    /// First and last entry of each task, which has all entries of its targets.
    tasks: Vec<[u32; 2]>,
    /// The first target of each task.
    targets: Vec<u32>,
}

impl Gather {
    /// Takes in entries in any order; no two of them have the same target and source.
    pub(super) fn remake(&mut self, fill: impl FnOnce(&mut Vec<Entry>)) {
        let Self { entries, tasks, targets } = self;
        entries.clear();
        fill(entries);
        entries.par_sort_unstable_by_key(|e| (u64::from(e.target) << 32) | u64::from(e.source));
        tasks.clear();
        targets.clear();
        let mut first = 0;
        while first < entries.len() {
            let end = (first + TASK).min(entries.len());
            let last = entries[end - 1].target;
            let end = end + entries[end..].iter().take_while(|e| e.target == last).count();
            tasks.push([first as u32, end as u32]);
            targets.push(entries[first].target);
            first = end;
        }
    }

    /// Calls `add` for all entries with the value of their target.
    pub(super) fn run<T: Send>(&mut self, values: &mut [T], add: impl Fn(&mut T, &Entry) + Sync) {
        let Self { entries, tasks, targets } = self;
        for_each_part(
            tasks,
            (values, 0),
            &|(values, from), task| split(values, from, targets[task]),
            &|_, &mut [first, end], (values, from)| {
                for entry in &entries[first as usize..end as usize] {
                    add(&mut values[(entry.target - from) as usize], entry);
                }
            },
        );
    }
}

/// Values, and the target of the first one.
type Part<'a, T> = (&'a mut [T], u32);

/// Values `from`.. before and from the target `at`.
fn split<T>(values: &mut [T], from: u32, at: u32) -> (Part<'_, T>, Part<'_, T>) {
    let (before, after) = values.split_at_mut((at - from) as usize);
    ((before, from), (after, at))
}

//! The multifrontal factorisation (Duff and Reid 1983; Liu, The multifrontal method for sparse matrix
//! solution, 1992): each supernode adds up its blocks of the matrix and the update matrices of its
//! children, eliminates its columns, and leaves an update matrix to its parent.

use faer::{Accum, MatMut};
use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::Pack;
use pliant_algebra::sparse::Block;

use super::dense::{BadPivot, factor_panel, join, subtract_square};
use super::plan::{Plan, Run};
use super::real::Real;

/// A pivot that is not positive, with its scalar column in the order of the factor.
pub(super) type Failure = BadPivot;

/// Factors. `factor` has the panels, `work` the update matrices.
pub(super) fn factor<T: Real>(
    plan: &Plan,
    values: &[Block],
    factor: &mut [T],
    work: &mut [T],
) -> Result<(), Failure> {
    let parallel = rayon::current_num_threads() > 1;
    let pass = Pass { plan, values, parallel };
    // Once into the pool, not once for each tile.
    join(parallel, || pass.task(0, factor, work), || ()).0
}

struct Pass<'a> {
    plan: &'a Plan,
    values: &'a [Block],
    parallel: bool,
}

impl Pass<'_> {
    /// Factors the subtree of a task. `panels` and `work` are its own.
    fn task<T: Real>(&self, at: usize, panels: &mut [T], work: &mut [T]) -> Result<(), Failure> {
        let task = &self.plan.tasks[at];
        self.kids(&task.kids, panels, self.plan.panels[task.first], work, task.work)?;
        for &(first, end) in &task.own {
            for s in first..end {
                let base = self.plan.panels[task.first];
                let panel = &mut panels[self.plan.panels[s] - base..self.plan.panels[s + 1] - base];
                self.supernode(s, panel, work, task.work)?;
            }
        }
        Ok(())
    }

    /// Runs tasks side by side. The slices start at the given places.
    fn kids<T: Real>(
        &self,
        kids: &[usize],
        panels: &mut [T],
        panel_base: usize,
        work: &mut [T],
        work_base: usize,
    ) -> Result<(), Failure> {
        match kids {
            [] => Ok(()),
            [kid] => {
                let task = &self.plan.tasks[*kid];
                let at = |s: usize| self.plan.panels[s] - panel_base;
                self.task(
                    *kid,
                    &mut panels[at(task.first)..at(task.end)],
                    &mut work[task.work - work_base..],
                )
            }
            _ => {
                let (low, high) = kids.split_at(kids.len() / 2);
                let next = &self.plan.tasks[high[0]];
                let panel_cut = self.plan.panels[next.first];
                let (low_panels, high_panels) = panels.split_at_mut(panel_cut - panel_base);
                let (low_work, high_work) = work.split_at_mut(next.work - work_base);
                // Both run to their end, so that which of two failures is told is always the same.
                let (a, b) = join(
                    self.parallel,
                    || self.kids(low, low_panels, panel_base, low_work, work_base),
                    || self.kids(high, high_panels, panel_cut, high_work, next.work),
                );
                a.and(b)
            }
        }
    }

    fn supernode<T: Real>(
        &self,
        s: usize,
        panel: &mut [T],
        work: &mut [T],
        base: usize,
    ) -> Result<(), Failure> {
        let plan = self.plan;
        let (columns, below) = plan.shape(s);
        let front = columns + below;
        let start = plan.updates[s] - base;
        let (before, rest) = work.split_at_mut(start);
        let (update, after) = rest.split_at_mut(below * below);
        let child = |c: u32| {
            let c = c as usize;
            let rows = 3 * plan.nodes.rows(c).len();
            let from = plan.updates[c] - base;
            let matrix = match from.checked_sub(start + below * below) {
                Some(from) => &after[from..from + rows * rows],
                None => &before[from..from + rows * rows],
            };
            (plan.runs(c), matrix, rows)
        };
        panel.fill(T::default());
        for entry in plan.entries(s) {
            let block = &self.values[entry.slot as usize];
            let at = 3 * entry.row as usize + 3 * (entry.column / 2) as usize * front;
            let turned = entry.column % 2 == 1;
            for c in 0..3 {
                let target = &mut panel[at + c * front..at + c * front + 3];
                for r in 0..3 {
                    target[r] = T::of(if turned { block[3 * c + r] } else { block[3 * r + c] });
                }
            }
        }
        for &c in plan.children(s) {
            let (runs, matrix, rows) = child(c);
            let inside = runs.partition_point(|r| 3 * (r.to as usize) < columns);
            let range = 0..inside;
            let (target, height, origin) = (&mut *panel, front, 0);
            Level::best().run(Add { runs, range, matrix, rows, target, height, origin });
        }
        let mut l = MatMut::from_column_major_slice_mut(panel, front, columns);
        factor_panel(l.as_mut(), self.parallel).map_err(|bad| BadPivot {
            column: 3 * plan.nodes.starts[s] as usize + bad.column,
            pivot: bad.pivot,
        })?;
        if below > 0 {
            // The update matrix is made of the product first and then added to: children have
            // nothing there that the elimination would need.
            let u = MatMut::from_column_major_slice_mut(&mut *update, below, below);
            subtract_square(u, l.as_ref().get(columns.., ..), Accum::Replace, self.parallel);
            for &c in plan.children(s) {
                let (runs, matrix, rows) = child(c);
                let inside = runs.partition_point(|r| 3 * (r.to as usize) < columns);
                let range = inside..runs.len();
                let (target, height, origin) = (&mut *update, below, columns);
                Level::best().run(Add { runs, range, matrix, rows, target, height, origin });
            }
        }
        Ok(())
    }
}

/// Adds the lower triangle of a child's update matrix to a matrix of `height` rows, those columns that
/// lie in the runs `range`. `origin` is the place in the front of the first row and column of `target`.
struct Add<'a, T> {
    runs: &'a [Run],
    range: std::ops::Range<usize>,
    matrix: &'a [T],
    rows: usize,
    target: &'a mut [T],
    height: usize,
    origin: usize,
}

impl<T: Real> Kernel for Add<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { runs, range, matrix, rows, target, height, origin } = self;
        for k in range {
            let run = runs[k];
            for column in 0..3 * run.len as usize {
                let from = 3 * run.from as usize + column;
                let to = 3 * run.to as usize + column - origin;
                let source = &matrix[from * rows..(from + 1) * rows];
                let column_to = &mut target[to * height..(to + 1) * height];
                // The run of the column itself from its diagonal on, then those below.
                let len = 3 * run.len as usize - column;
                add(&mut column_to[to..to + len], &source[from..from + len]);
                for below in &runs[k + 1..] {
                    let from = 3 * below.from as usize;
                    let at = 3 * below.to as usize - origin;
                    let len = 3 * below.len as usize;
                    add(&mut column_to[at..at + len], &source[from..from + len]);
                }
            }
        }
    }
}

#[inline(always)]
fn add<T: Real>(to: &mut [T], from: &[T]) {
    for (t, s) in to.iter_mut().zip(from) {
        *t += *s;
    }
}

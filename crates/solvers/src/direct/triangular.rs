//! Forward and backward substitution over the tree of supernodes. Each supernode has a vector of its
//! front: columns first, then what it passes to its parent. So subtrees share nothing and may run at the
//! same time, and sums are in the order of the tree.

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::Pack;
use pliant_algebra::vec3::Vec3;

use super::dense::join;
use super::plan::Plan;
use super::real::Real;

/// Solves L Lᵀ x = b / s for `many` right-hand sides b with their scales s, whose vectors come one after the other.
/// `fronts` has `many` entries for each of the plan's fronts.
pub(super) fn solve<'b, T: Real>(
    plan: &Plan,
    factor: &[T],
    many: usize,
    b: impl Fn(usize) -> (&'b [Vec3], f64) + Sync,
    fronts: &mut [T],
) {
    let parallel = rayon::current_num_threads() > 1;
    let pass = Pass { plan, factor, many, b, parallel };
    join(
        parallel,
        || {
            pass.walk(Way::Forward, 0, &mut *fronts);
            pass.walk(Way::Backward, 0, &mut *fronts);
        },
        || (),
    );
}

/// The solution at each vertex times a scale, from the fronts.
pub(super) fn collect<T: Real>(
    plan: &Plan,
    many: usize,
    which: usize,
    fronts: &[T],
    scale: f64,
    x: &mut [Vec3],
) {
    for s in 0..plan.nodes.len() {
        let (columns, below) = plan.shape(s);
        let at = plan.fronts[s] * many + which * (columns + below);
        let start = plan.nodes.starts[s] as usize;
        for (k, v) in fronts[at..at + columns].as_chunks::<3>().0.iter().enumerate() {
            x[plan.nodes.order[start + k] as usize] = v.map(|v| scale * v.double());
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Forward,
    Backward,
}

struct Pass<'a, T, B> {
    plan: &'a Plan,
    factor: &'a [T],
    many: usize,
    b: B,
    parallel: bool,
}

impl<'b, T: Real, B: Fn(usize) -> (&'b [Vec3], f64) + Sync> Pass<'_, T, B> {
    fn walk(&self, way: Way, at: usize, fronts: &mut [T]) {
        let task = &self.plan.tasks[at];
        let base = self.plan.fronts[task.first];
        if way == Way::Forward {
            self.kids(way, &task.kids, fronts, base);
            for &(first, end) in &task.own {
                (first..end).for_each(|s| self.forward(s, fronts, base));
            }
        } else {
            for &(first, end) in task.own.iter().rev() {
                (first..end).rev().for_each(|s| self.backward(s, fronts, base));
            }
            self.kids(way, &task.kids, fronts, base);
        }
    }

    fn kids(&self, way: Way, kids: &[usize], fronts: &mut [T], base: usize) {
        match kids {
            [] => {}
            [kid] => {
                let task = &self.plan.tasks[*kid];
                let at = |s: usize| (self.plan.fronts[s] - base) * self.many;
                self.walk(way, *kid, &mut fronts[at(task.first)..at(task.end)]);
            }
            _ => {
                let (low, high) = kids.split_at(kids.len() / 2);
                let cut = self.plan.fronts[self.plan.tasks[high[0]].first];
                let (a, b) = fronts.split_at_mut((cut - base) * self.many);
                join(
                    self.parallel,
                    || self.kids(way, low, a, base),
                    || self.kids(way, high, b, cut),
                );
            }
        }
    }

    /// The front vectors before supernode s, and its own.
    fn split<'f>(&self, s: usize, fronts: &'f mut [T], base: usize) -> (&'f mut [T], &'f mut [T]) {
        let at = |s: usize| (self.plan.fronts[s] - base) * self.many;
        let (before, rest) = fronts.split_at_mut(at(s));
        (before, &mut rest[..at(s + 1) - at(s)])
    }

    fn forward(&self, s: usize, fronts: &mut [T], base: usize) {
        let plan = self.plan;
        let (columns, below) = plan.shape(s);
        let front = columns + below;
        let (before, own) = self.split(s, fronts, base);
        let start = plan.nodes.starts[s] as usize;
        let vertices = &plan.nodes.order[start..plan.nodes.starts[s + 1] as usize];
        for (which, y) in own.chunks_exact_mut(front).enumerate() {
            let (b, scale) = (self.b)(which);
            for (y, &v) in y.as_chunks_mut::<3>().0.iter_mut().zip(vertices) {
                *y = b[v as usize].map(|b| T::of(b / scale));
            }
            y[columns..].fill(T::default());
        }
        for &c in plan.children(s) {
            let c = c as usize;
            let (wide, tall) = plan.shape(c);
            let at = (plan.fronts[c] - base) * self.many;
            for (which, y) in own.chunks_exact_mut(front).enumerate() {
                let from = &before[at + which * (wide + tall) + wide..][..tall];
                for run in plan.runs(c) {
                    let (f, t, len) = (run.from as usize, run.to as usize, run.len as usize);
                    for (y, z) in
                        y[3 * t..3 * (t + len)].iter_mut().zip(&from[3 * f..3 * (f + len)])
                    {
                        *y += *z;
                    }
                }
            }
        }
        let panel = &self.factor[plan.panels[s]..plan.panels[s + 1]];
        for y in own.chunks_exact_mut(front) {
            Level::best().run(Forward { panel, columns, y });
        }
    }

    fn backward(&self, s: usize, fronts: &mut [T], base: usize) {
        let plan = self.plan;
        let (columns, below) = plan.shape(s);
        let front = columns + below;
        let (before, own) = self.split(s, fronts, base);
        let panel = &self.factor[plan.panels[s]..plan.panels[s + 1]];
        for y in own.chunks_exact_mut(front) {
            Level::best().run(Backward { panel, columns, y });
        }
        // Children are told what they need, so that their subtrees need not look up.
        for &c in plan.children(s) {
            let c = c as usize;
            let (wide, tall) = plan.shape(c);
            let at = (plan.fronts[c] - base) * self.many;
            for (which, y) in own.chunks_exact(front).enumerate() {
                let to = &mut before[at + which * (wide + tall) + wide..][..tall];
                for run in plan.runs(c) {
                    let (f, t, len) = (run.from as usize, run.to as usize, run.len as usize);
                    to[3 * f..3 * (f + len)].copy_from_slice(&y[3 * t..3 * (t + len)]);
                }
            }
        }
    }
}

/// y₁ := L₁₁⁻¹ y₁, y₂ := y₂ − L₂₁ y₁.
struct Forward<'a, T> {
    panel: &'a [T],
    columns: usize,
    y: &'a mut [T],
}

impl<T: Real> Kernel for Forward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { panel, columns, y } = self;
        // Two vertices at a time, so that y is read and written half as often.
        let mut j = 0;
        while j + 6 <= columns {
            forward::<T, 6>(panel, j, y);
            j += 6;
        }
        if j < columns {
            forward::<T, 3>(panel, j, y);
        }
    }
}

/// Eliminates N columns from column j on.
#[inline(always)]
fn forward<T: Real, const N: usize>(panel: &[T], j: usize, y: &mut [T]) {
    let front = y.len();
    let l: [&[T]; N] = std::array::from_fn(|k| &panel[(j + k) * front + j..(j + k + 1) * front]);
    let (head, rest) = y[j..].split_at_mut(N);
    let mut a = [T::default(); N];
    for k in 0..N {
        let mut sum = head[k];
        for i in 0..k {
            sum -= l[i][k] * a[i];
        }
        a[k] = sum / l[k][k];
        head[k] = a[k];
    }
    let l = l.map(|l| &l[N..][..rest.len()]);
    for i in 0..rest.len() {
        let mut sum = T::default();
        for k in 0..N {
            sum += l[k][i] * a[k];
        }
        rest[i] -= sum;
    }
}

/// y₁ := L₁₁⁻ᵀ (y₁ − L₂₁ᵀ y₂).
struct Backward<'a, T> {
    panel: &'a [T],
    columns: usize,
    y: &'a mut [T],
}

impl<T: Real> Kernel for Backward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { panel, columns, y } = self;
        let mut j = columns;
        while j >= 6 {
            j -= 6;
            T::backward::<6>(panel, j, y);
        }
        if j > 0 {
            T::backward::<3>(panel, 0, y);
        }
    }
}

/// Solves for N columns from column j on.
#[inline(always)]
pub(super) fn backward<T: Real, const N: usize, const LANES: usize>(
    panel: &[T],
    j: usize,
    y: &mut [T],
) {
    let front = y.len();
    let l: [&[T]; N] = std::array::from_fn(|k| &panel[(j + k) * front + j..(j + k + 1) * front]);
    let (head, rest) = y[j..].split_at_mut(N);
    // Partial sums for each column, which the compiler keeps in a vector.
    let mut lanes = [[T::default(); LANES]; N];
    let tails = l.map(|l| &l[N..][..rest.len()]);
    let chunks = tails.map(|t| t.as_chunks::<LANES>().0);
    let (y4, y_rest) = rest.as_chunks::<LANES>();
    let chunks = chunks.map(|c| &c[..y4.len()]);
    for i in 0..y4.len() {
        let y = y4[i];
        for k in 0..N {
            let l = chunks[k][i];
            let sums = &mut lanes[k];
            for lane in 0..LANES {
                sums[lane] += l[lane] * y[lane];
            }
        }
    }
    let mut a = [T::default(); N];
    for k in (0..N).rev() {
        let mut sum = total(lanes[k]);
        for (l, y) in tails[k][LANES * y4.len()..].iter().zip(y_rest) {
            sum += *l * *y;
        }
        for i in k + 1..N {
            sum += l[k][i] * a[i];
        }
        a[k] = (head[k] - sum) / l[k][k];
        head[k] = a[k];
    }
}

/// The upper half is added to the lower one, until one number is left.
#[inline(always)]
fn total<T: Real, const LANES: usize>(mut lanes: [T; LANES]) -> T {
    let mut half = LANES / 2;
    while half > 0 {
        for k in 0..half {
            let other = lanes[k + half];
            lanes[k] += other;
        }
        half /= 2;
    }
    lanes[0]
}

//! The springs of a part, eight at a time.

use std::ops::Range;

use pliant_algebra::dispatch::Kernel;
use pliant_algebra::lanes::{LANES, Pack, Row4};
use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::Vec3;

use super::parts::{Part, PartTargets, PartWork, Window};
use crate::assembly::Collected;

/// Springs shorter than this part of their rest length have no direction any more.
const SHORTEST: f64 = 1e-12;

/// What to compute, alike for all parts.
#[allow(clippy::struct_excessive_bools, reason = "each is asked for by itself")]
#[derive(Clone, Copy)]
pub(super) struct Job {
    pub(super) gradient: bool,
    pub(super) tangent: bool,
    pub(super) position_weight: f64,
    pub(super) velocity_weight: f64,
    pub(super) project: bool,
    /// Whether damping adds its own ∂g/∂x.
    pub(super) exact_damping: bool,
}

/// A part, prepared, and the slices of gradient and matrix that it owns (empty if not asked for).
pub(super) struct Work<'a> {
    pub(super) job: Job,
    pub(super) part: &'a Part,
    /// Empty where no tangent is wanted.
    pub(super) targets: &'a PartTargets,
    pub(super) table: &'a mut PartWork,
    pub(super) collected: &'a mut Collected,
    pub(super) gradient: &'a mut [Vec3],
    pub(super) tangent: &'a mut [Block],
}

/// What eight springs exert on their first ends, and their part of the tangent there.
struct Exerted<P> {
    force: [P; 3],
    block: [P; 9],
    energy: P,
}

/// The sum of the vertex that springs start from at the moment: they come one after another, and
/// would wait for each other if each went through memory.
struct Running {
    vertex: usize,
    sum: [Row4; 3],
}

impl Running {
    /// Leaves the vertex for another one.
    #[inline(always)]
    fn turn_to(&mut self, vertex: usize, sums: &mut [[Row4; 3]]) {
        if vertex != self.vertex {
            self.leave(sums);
            self.vertex = vertex;
        }
    }

    #[inline(always)]
    fn leave(&mut self, sums: &mut [[Row4; 3]]) {
        for (to, row) in sums[self.vertex].iter_mut().zip(&self.sum) {
            add(to, row);
        }
        self.sum = [Row4::default(); 3];
    }
}

impl Kernel for Work<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pack>(mut self) {
        match (self.job.tangent, self.part.damping.is_empty()) {
            (false, true) => self.sweep::<P, false, false>(),
            (false, false) => self.sweep::<P, false, true>(),
            (true, true) => self.sweep::<P, true, false>(),
            (true, false) => self.sweep::<P, true, true>(),
        }
    }
}

impl Work<'_> {
    #[inline(always)]
    fn sweep<P: Pack, const TANGENT: bool, const DAMPED: bool>(&mut self) {
        let mut energy = P::zero();
        let mut finite = true;
        for window in 0..self.part.windows.len() {
            let Window { rows, packs } = self.part.windows[window].clone();
            let mut running = Running { vertex: rows.start, sum: [Row4::default(); 3] };
            for pack in packs {
                let Exerted { force, block, energy: stored } =
                    self.springs::<P, TANGENT, DAMPED>(pack);
                // Always: it tells whether positions are finite.
                energy += stored;
                if TANGENT {
                    self.add_tangent::<P>(pack, &block, &force, &mut running);
                } else if self.job.gradient {
                    self.add_forces::<P>(pack, &force, &mut running);
                }
            }
            running.leave(&mut self.table.sums);
            finite &= self.hand_over::<TANGENT>(rows);
        }
        self.collect::<TANGENT>();
        self.collected.energy = 0.5 * energy.sum_lanes();
        self.table.finite = finite && self.collected.energy.is_finite();
    }

    #[inline(always)]
    fn springs<P: Pack, const TANGENT: bool, const DAMPED: bool>(&self, pack: usize) -> Exerted<P> {
        let Self { job, part, .. } = self;
        let (zero, one) = (P::zero(), P::one());
        let (wx, wv) = (P::splat(job.position_weight), P::splat(job.velocity_weight));
        let springs = &part.packs[pack];
        let (rest, k) = (P::load(&springs.rest), P::load(&springs.stiffness));
        let d = difference::<P>(&self.table.x, &springs.ends);
        let d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        // Without direction a spring acts as one without rest length: g = k d, K = k I.
        let directed = d2.greater(rest * rest * (SHORTEST * SHORTEST)) & d2.greater(zero);
        let length = d2.sqrt();
        let inverse_length = P::select(directed, one / P::select(directed, length, one), zero);
        let inverse = inverse_length * inverse_length;
        // r = l₀/|d|
        let r = rest * inverse_length;
        let tension = k * (one - r);
        let mut pull = tension;
        let stretch = length - rest;
        let energy = k * stretch * stretch;
        // Hauth B: K = k [(1 − r) I + r d dᵀ/d²]; eigenvalues k along d, k (1 − r) across.
        let (mut along, mut across) = (k * r * inverse * wx, tension * wx);
        if TANGENT && job.project {
            across = k * (one - r).max(zero) * wx;
            along = k * r.min(one) * inverse * wx;
        }
        let mut dv = [zero; 3];
        let mut oblique = zero;
        if DAMPED {
            // f = R β d with β = Δv·d/d²; ∂f/∂v = R d dᵀ/d²;
            // ∂f/∂x = R (d Δvᵀ/d² − 2β d dᵀ/d² + β I).
            let resistance = P::load(&part.damping[pack]) * inverse;
            dv = difference::<P>(&self.table.v, &springs.ends);
            let closing = dv[0] * d[0] + dv[1] * d[1] + dv[2] * d[2];
            let beta = resistance * closing;
            pull += beta;
            along += resistance * wv;
            if job.exact_damping {
                along -= beta * inverse * wx * 2.0;
                across += beta * wx;
                oblique = resistance * wx;
            }
        }
        let force = [pull * d[0], pull * d[1], pull * d[2]];
        let mut block = [zero; 9];
        if TANGENT {
            let a = [along * d[0], along * d[1], along * d[2]];
            let (xy, xz, yz) = (a[0] * d[1], a[0] * d[2], a[1] * d[2]);
            let (xx, yy, zz) = (a[0] * d[0], a[1] * d[1], a[2] * d[2]);
            block = [across + xx, xy, xz, xy, across + yy, yz, xz, yz, across + zz];
            if DAMPED {
                for i in 0..3 {
                    for j in 0..3 {
                        block[3 * i + j] += oblique * d[i] * dv[j];
                    }
                }
            }
        }
        Exerted { force, block, energy }
    }

    /// Forces to the sums of both ends.
    #[inline(always)]
    fn add_forces<P: Pack>(&mut self, pack: usize, force: &[P; 3], running: &mut Running) {
        let (packs, sums) = (&self.part.packs, &mut self.table.sums);
        let [first, second] = &packs[pack].ends;
        let forces = P::rows([P::zero(), force[0], force[1], force[2]]);
        for lane in 0..LANES {
            running.turn_to(first[lane] as usize, sums);
            add(&mut running.sum[2], &forces[lane]);
            subtract(&mut sums[second[lane] as usize][2], &forces[lane]);
        }
    }

    /// Forces and blocks to the sums of both ends, and blocks to the matrix. All four blocks of a
    /// spring are ± the same one.
    #[inline(always)]
    fn add_tangent<P: Pack>(&mut self, pack: usize, k: &[P; 9], f: &[P; 3], running: &mut Running) {
        let PartTargets { pairs, mirrors, .. } = self.targets;
        let (sums, collected) = (&mut self.table.sums, &mut self.collected.blocks);
        let [first, second] = &self.part.packs[pack].ends;
        let upper = P::rows([k[0], k[1], k[2], k[3]]);
        let lower = P::rows([k[4], k[5], k[6], k[7]]);
        let last = P::rows([k[8], f[0], f[1], f[2]]);
        for lane in 0..LANES {
            let (upper, lower, last) = (&upper[lane], &lower[lane], &last[lane]);
            running.turn_to(first[lane] as usize, sums);
            add(&mut running.sum[0], upper);
            add(&mut running.sum[1], lower);
            add(&mut running.sum[2], last);
            let [zz, fx, fy, fz] = last.0;
            let sum = &mut sums[second[lane] as usize];
            add(&mut sum[0], upper);
            add(&mut sum[1], lower);
            add(&mut sum[2], &Row4([zz, -fx, -fy, -fz]));
        }
        for targets in [Some(&pairs[pack]), mirrors.get(pack)].into_iter().flatten() {
            for lane in 0..LANES {
                let block = targets[lane].of(self.tangent, collected);
                subtract_block(block, &upper[lane], &lower[lane], &last[lane]);
            }
        }
    }

    /// Adds the sums of some vertices to gradient and matrix; returns true if they are finite.
    #[inline(always)]
    fn hand_over<const TANGENT: bool>(&mut self, rows: Range<usize>) -> bool {
        let (sums, diagonal) = (&self.table.sums, &self.targets.diagonal);
        let mut finite = true;
        if self.job.gradient {
            for (g, [_, _, last]) in self.gradient[rows.clone()].iter_mut().zip(&sums[rows.clone()])
            {
                for i in 0..3 {
                    g[i] += last.0[1 + i];
                    finite &= last.0[1 + i].is_finite();
                }
            }
        }
        if TANGENT {
            for (target, [upper, lower, last]) in diagonal[rows.clone()].iter().zip(&sums[rows]) {
                let t = target.of(self.tangent, &mut []);
                add_block(t, upper, lower, last);
                finite &= t[0].is_finite() && t[4].is_finite() && t[8].is_finite();
            }
        }
        finite
    }

    /// Puts the sums of shared vertices, which come last in the table, aside.
    #[inline(always)]
    fn collect<const TANGENT: bool>(&mut self) {
        let (sums, diagonal) = (&self.table.sums, &self.targets.diagonal);
        let Collected { gradient, blocks, .. } = &mut *self.collected;
        for (g, [_, _, last]) in gradient.iter_mut().rev().zip(sums.iter().rev()) {
            g.copy_from_slice(&last.0[1..]);
        }
        if TANGENT {
            let inside = self.part.windows.last().map_or(0, |w| w.rows.end);
            for (target, [upper, lower, last]) in diagonal.iter().zip(sums).skip(inside) {
                add_block(target.of(&mut [], blocks), upper, lower, last);
            }
        }
    }
}

/// Values at the first ends less those at the second.
#[inline(always)]
fn difference<P: Pack>(table: &[Row4], ends: &[[u32; LANES]; 2]) -> [P; 3] {
    let [ax, ay, az, _] = P::gather(table, &ends[0]);
    let [bx, by, bz, _] = P::gather(table, &ends[1]);
    [ax - bx, ay - by, az - bz]
}

#[inline(always)]
fn add(to: &mut Row4, row: &Row4) {
    for i in 0..4 {
        to.0[i] += row.0[i];
    }
}

#[inline(always)]
fn subtract(to: &mut Row4, row: &Row4) {
    for i in 0..4 {
        to.0[i] -= row.0[i];
    }
}

/// Adds a block that lies in rows of sums.
#[inline(always)]
fn add_block(to: &mut Block, upper: &Row4, lower: &Row4, last: &Row4) {
    for i in 0..4 {
        to[i] += upper.0[i];
        to[4 + i] += lower.0[i];
    }
    to[8] += last.0[0];
}

#[inline(always)]
fn subtract_block(to: &mut Block, upper: &Row4, lower: &Row4, last: &Row4) {
    for i in 0..4 {
        to[i] -= upper.0[i];
        to[4 + i] -= lower.0[i];
    }
    to[8] -= last.0[0];
}

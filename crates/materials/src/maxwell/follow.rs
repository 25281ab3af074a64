//! The end of a step: what eight points remember from now on, what their branches store, and what they have lost.

use pliant_algebra::dispatch::{LaneWork, Level};
use pliant_algebra::lanes::{F64x8, InLanes};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use super::factors::moments;
use super::recall::{Layout, Packs, read_tensor};
use super::six::{Full, Hooke, Lame};
use super::{Factors, Form, MOST_BRANCHES, Maxwell, Moduli, Six};
use crate::jet::PAIRS;

/// What a step comes to at eight points.
#[derive(Debug)]
pub struct Followed<'a> {
    /// E, or Sᵉ, at its end.
    pub now: &'a Six,
    /// The rate of it, of cubic interpolation.
    pub rate: &'a Six,
    /// The change of E, of branches of stresses.
    pub strain: &'a Six,
    /// What was remembered at its start.
    pub committed: &'a Packs,
    /// What will be remembered, where it is wanted.
    pub tried: Option<&'a mut Packs>,
    /// Energy of the branches at its end, J/m³.
    pub stored: F64x8,
    /// Energy lost in it, J/m³.
    pub dissipated: F64x8,
}

/// Weights of the losses of all branches.
struct Losses {
    /// Of q₀:q₀, q₀:ΔE and ΔE:ΔE.
    linear: [[f64; 3]; MOST_BRANCHES],
    /// Of T_j:T_k, T = (q₀, ΔE, Δ Ė₀, Δ Ė).
    cubic: [[[f64; 4]; 4]; MOST_BRANCHES],
    /// Of H₀:ΔE and ΔS:ΔE in the work of a branch of stresses.
    work: [[f64; 2]; MOST_BRANCHES],
}

impl Losses {
    fn new(maxwell: &Maxwell, factors: &Factors) -> Self {
        let mut losses = Self {
            linear: [[0.0; 3]; MOST_BRANCHES],
            cubic: [[[0.0; 4]; 4]; MOST_BRANCHES],
            work: [[0.0; 2]; MOST_BRANCHES],
        };
        for (k, branch) in maxwell.branches().iter().enumerate() {
            let a = factors.elapsed / branch.time;
            match (maxwell.form, factors.cubic) {
                (Form::Strain, false) => losses.linear[k] = factors.loss(k, branch.time),
                (Form::Strain, true) => losses.cubic[k] = factors.cubic_loss(k, branch.time),
                (Form::Stress, _) if a == f64::INFINITY => {}
                (Form::Stress, _) => {
                    let [phi, slow, _] = moments(a);
                    losses.work[k] = [branch.strength * phi, branch.strength * slow];
                }
            }
        }
        losses
    }
}

/// Follows branches to the end of a step.
pub fn follow(
    level: Level,
    maxwell: &Maxwell,
    factors: &Factors,
    moduli: Moduli<'_>,
    followed: &mut Followed<'_>,
) {
    let losses = Losses::new(maxwell, factors);
    let (layout, form) = (Layout::of(maxwell), maxwell.form);
    match moduli {
        Moduli::Isotropic(list) => {
            level.work(Follow::<false> { layout, form, factors, losses, list, followed });
        }
        Moduli::Anisotropic(list) => {
            level.work(Follow::<true> { layout, form, factors, losses, list, followed });
        }
    }
}

struct Follow<'j, 'a, const FULL: bool> {
    layout: Layout,
    form: Form,
    factors: &'j Factors,
    losses: Losses,
    list: &'j [F64x8],
    followed: &'j mut Followed<'a>,
}

#[inline(always)]
fn matrix<R: Real>(six: [R; 6]) -> Mat3<R> {
    let mut m = Mat3::zero();
    for (k, (i, j)) in PAIRS.into_iter().enumerate() {
        m.0[i][j] = six[k];
        m.0[j][i] = six[k];
    }
    m
}

impl<const FULL: bool> Follow<'_, '_, FULL> {
    #[inline(always)]
    fn weigh<R: InLanes>(&self, strain: [R; 6], lane: usize) -> Mat3<R> {
        let strain = matrix(strain);
        if FULL {
            <Full<R> as Hooke<R>>::read(self.list, lane).apply(&strain)
        } else {
            <Lame<R> as Hooke<R>>::read(self.list, lane).apply(&strain)
        }
    }
}

impl<const FULL: bool> LaneWork for Follow<'_, '_, FULL> {
    #[inline(always)]
    fn at<R: InLanes>(&mut self, lane: usize) {
        let factors = self.factors;
        let (layout, form) = (self.layout, self.form);
        let committed = &self.followed.committed[..layout.packs()];
        let read = |from: &Six| [0, 1, 2, 3, 4, 5].map(|c| R::read(&from[c], lane));
        let now = read(self.followed.now);
        let before = read_tensor::<R>(committed, 0, lane);
        let mut change = [R::zero(); 6];
        for c in 0..6 {
            change[c] = now[c] - before[c];
        }
        let (mut start_rate, mut rate) = ([R::zero(); 6], [R::zero(); 6]);
        if factors.cubic {
            start_rate = read_tensor::<R>(committed, 6, lane);
            rate = read(self.followed.rate);
        }
        let strain =
            if form == Form::Stress { matrix(read(self.followed.strain)) } else { Mat3::zero() };
        let of_change = self.weigh(change, lane);
        let (mut stored, mut lost) = (R::zero(), R::zero());
        for k in 0..factors.count {
            let q0 = read_tensor::<R>(committed, layout.branch(k), lane);
            let [of_change_here, of_start, of_rate] = factors.changes[k];
            let mut q = [R::zero(); 6];
            for c in 0..6 {
                q[c] = q0[c] * factors.decays[k] + change[c] * of_change_here;
                if factors.cubic {
                    q[c] += start_rate[c] * of_start + rate[c] * of_rate;
                }
            }
            let weighed = self.weigh(q, lane);
            let energy = weighed.contract(&matrix(q)) * (0.5 * factors.strengths[k]);
            stored += energy;
            let of_q0 = self.weigh(q0, lane);
            lost += match (form, factors.cubic) {
                (Form::Strain, false) => {
                    let [a, b, c] = self.losses.linear[k];
                    of_q0.contract(&matrix(q0)) * a
                        + of_q0.contract(&matrix(change)) * b
                        + of_change.contract(&matrix(change)) * c
                }
                (Form::Strain, true) => {
                    let h = factors.elapsed;
                    let scaled = |six: [R; 6]| six.map(|x| x * h);
                    let t = [q0, change, scaled(start_rate), scaled(rate)];
                    let weighed = t.map(|t| self.weigh(t, lane));
                    let mut sum = R::zero();
                    for i in 0..4 {
                        for j in 0..4 {
                            sum += weighed[i].contract(&matrix(t[j])) * self.losses.cubic[k][i][j];
                        }
                    }
                    sum
                }
                (Form::Stress, _) => {
                    let [a, b] = self.losses.work[k];
                    let before = of_q0.contract(&matrix(q0)) * (0.5 * factors.strengths[k]);
                    let work = (matrix(q0).scale(R::splat(a)) + matrix(change).scale(R::splat(b)))
                        .contract(&strain);
                    work - (energy - before)
                }
            };
            if let Some(tried) = &mut self.followed.tried {
                put(q, tried, layout.branch(k), lane);
            }
        }
        if let Some(tried) = &mut self.followed.tried {
            put(now, tried, 0, lane);
            if factors.cubic {
                put(rate, tried, 6, lane);
            }
        }
        stored.write(&mut self.followed.stored, lane);
        lost.write(&mut self.followed.dissipated, lane);
    }
}

#[inline(always)]
fn put<R: InLanes>(six: [R; 6], to: &mut Packs, at: usize, lane: usize) {
    for (c, value) in six.into_iter().enumerate() {
        let mut pack = F64x8(to[at + c]);
        value.write(&mut pack, lane);
        to[at + c] = pack.0;
    }
}

/// Writes what points remember that have been where they are for ever, or were brought there at an instant.
pub fn begin(maxwell: &Maxwell, now: &Six, rate: &Six, packs: &mut Packs) {
    let layout = Layout::of(maxwell);
    for pack in packs.iter_mut() {
        *pack = [0.0; 8];
    }
    for c in 0..6 {
        packs[c] = now[c].0;
        if maxwell.is_cubic() {
            packs[6 + c] = rate[c].0;
        }
        if maxwell.start == super::Start::Instant {
            for k in 0..maxwell.branches().len() {
                packs[layout.branch(k) + c] = now[c].0;
            }
        }
    }
}

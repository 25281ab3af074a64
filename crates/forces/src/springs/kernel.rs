//! The springs of a range of rows, eight at a time.

use pliant_algebra::dispatch::Kernel;
use pliant_algebra::lanes::{LANES, Pack};
use pliant_algebra::vec3::Vec3;

use super::rows::{NOT_MINE, Rows};

/// Springs shorter than this part of their rest length have no direction any more.
const SHORTEST: f64 = 1e-12;

/// What to compute, alike for all rows.
#[derive(Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) rows: &'a Rows,
    pub(super) x: &'a [Vec3],
    pub(super) v: &'a [Vec3],
    pub(super) energy: bool,
    pub(super) position_weight: f64,
    pub(super) velocity_weight: f64,
    pub(super) project: bool,
    /// Whether damping adds its own ∂g/∂x.
    pub(super) exact_damping: bool,
}

/// Rows `first..first + count`, and the parts of gradient and tangent that they own.
pub(super) struct Part<'a> {
    pub(super) job: Job<'a>,
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) gradient: Option<&'a mut [Vec3]>,
    pub(super) tangent: Option<&'a mut [[f64; 9]]>,
    /// Place of the first block of `tangent`.
    pub(super) tangent_from: u32,
}

/// What comes back besides the arrays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub(super) energy: f64,
    /// Whether every force was finite.
    pub(super) finite: bool,
}

impl Kernel for Part<'_> {
    type Output = Outcome;

    #[inline(always)]
    fn run<P: Pack>(mut self) -> Outcome {
        let Job { rows, x, v, .. } = self.job;
        let (wx, wv) = (P::splat(self.job.position_weight), P::splat(self.job.velocity_weight));
        let (zero, one) = (P::zero(), P::one());
        let damped = !rows.damping.is_empty();
        let mut energy = zero;
        let mut finite = true;
        for row in self.first..self.first + self.count {
            let packs = rows.packs(row);
            if packs.is_empty() {
                continue;
            }
            let here = splat::<P>(x[row]);
            let velocity = if damped { splat::<P>(v[row]) } else { [zero; 3] };
            let mut g = [zero; 3];
            // Upper triangle of the symmetric part, and e d Δvᵀ where damping makes one.
            let mut diagonal = [zero; 6];
            let mut skew = [zero; 9];
            for pack in packs {
                let other = &rows.other[pack];
                let (rest, k) = (P::load(&rows.rest[pack]), P::load(&rows.stiffness[pack]));
                let d = difference(here, gather::<P>(x, other));
                let d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                // Without direction a spring acts as one without rest length: g = k d, K = k I.
                let directed = d2.greater(rest * rest * (SHORTEST * SHORTEST)) & d2.greater(zero);
                let length = d2.sqrt();
                let inverse_length =
                    P::select(directed, one / P::select(directed, length, one), zero);
                let inverse = inverse_length * inverse_length;
                // r = l₀/|d|
                let r = rest * inverse_length;
                let tension = k * (one - r);
                let mut pull = tension;
                // Hauth B: K = k [(1 − r) I + r d dᵀ/d²]; eigenvalues k along d, k (1 − r) across.
                let (mut along, mut across) = (k * r * inverse * wx, tension * wx);
                if self.job.project {
                    across = k * (one - r).max(zero) * wx;
                    along = k * r.min(one) * inverse * wx;
                }
                if self.job.energy {
                    let stretch = length - rest;
                    energy += k * stretch * stretch;
                }
                let mut dv = [zero; 3];
                let mut oblique = zero;
                if damped {
                    // f = R β d with β = Δv·d/d²; ∂f/∂v = R d dᵀ/d²;
                    // ∂f/∂x = R (d Δvᵀ/d² − 2β d dᵀ/d² + β I).
                    let resistance = P::load(&rows.damping[pack]) * inverse;
                    dv = difference(velocity, gather::<P>(v, other));
                    let closing = dv[0] * d[0] + dv[1] * d[1] + dv[2] * d[2];
                    let beta = resistance * closing;
                    pull += beta;
                    along += resistance * wv;
                    if self.job.exact_damping {
                        along -= beta * inverse * wx * 2.0;
                        across += beta * wx;
                        oblique = resistance * wx;
                    }
                }
                for i in 0..3 {
                    g[i] += pull * d[i];
                }
                let Some(tangent) = self.tangent.as_deref_mut() else {
                    continue;
                };
                let a = [along * d[0], along * d[1], along * d[2]];
                let block = [
                    across + a[0] * d[0],
                    a[0] * d[1],
                    a[0] * d[2],
                    across + a[1] * d[1],
                    a[1] * d[2],
                    across + a[2] * d[2],
                ];
                for (sum, entry) in diagonal.iter_mut().zip(block) {
                    *sum += entry;
                }
                let place = &rows.place[pack];
                let [xx, xy, xz, yy, yz, zz] = lanes(block);
                for lane in 0..LANES {
                    if place[lane] != NOT_MINE {
                        let t = &mut tangent[(place[lane] - self.tangent_from) as usize];
                        t[0] -= xx[lane];
                        t[1] -= xy[lane];
                        t[2] -= xz[lane];
                        t[3] -= xy[lane];
                        t[4] -= yy[lane];
                        t[5] -= yz[lane];
                        t[6] -= xz[lane];
                        t[7] -= yz[lane];
                        t[8] -= zz[lane];
                    }
                }
                if damped && self.job.exact_damping {
                    let mut part = [zero; 9];
                    for i in 0..3 {
                        for j in 0..3 {
                            part[3 * i + j] = oblique * d[i] * dv[j];
                            skew[3 * i + j] += part[3 * i + j];
                        }
                    }
                    let part = lanes(part);
                    for lane in 0..LANES {
                        if place[lane] != NOT_MINE {
                            let t = &mut tangent[(place[lane] - self.tangent_from) as usize];
                            for entry in 0..9 {
                                t[entry] -= part[entry][lane];
                            }
                        }
                    }
                }
            }
            let sum = [g[0].sum_lanes(), g[1].sum_lanes(), g[2].sum_lanes()];
            finite &= sum[0].is_finite() && sum[1].is_finite() && sum[2].is_finite();
            if let Some(gradient) = self.gradient.as_deref_mut() {
                let g = &mut gradient[row - self.first];
                for i in 0..3 {
                    g[i] += sum[i];
                }
            }
            if let Some(tangent) = self.tangent.as_deref_mut() {
                const FULL: [usize; 9] = [0, 1, 2, 1, 3, 4, 2, 4, 5];
                let at = rows.diagonal[row];
                let t = &mut tangent[(at - self.tangent_from) as usize];
                let mut sums = [0.0; 6];
                for i in 0..6 {
                    sums[i] = diagonal[i].sum_lanes();
                }
                for entry in 0..9 {
                    t[entry] += sums[FULL[entry]];
                }
                if damped && self.job.exact_damping {
                    for entry in 0..9 {
                        t[entry] += skew[entry].sum_lanes();
                    }
                }
            }
        }
        // ½ k (|d| − l₀)², half of it from each end.
        Outcome { energy: 0.25 * energy.sum_lanes(), finite }
    }
}

#[inline(always)]
fn splat<P: Pack>(a: Vec3) -> [P; 3] {
    [P::splat(a[0]), P::splat(a[1]), P::splat(a[2])]
}

#[inline(always)]
fn difference<P: Pack>(a: [P; 3], b: [P; 3]) -> [P; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn gather<P: Pack>(points: &[Vec3], index: &[u32; LANES]) -> [P; 3] {
    let mut lanes = [[0.0; LANES]; 3];
    for lane in 0..LANES {
        let p = points[index[lane] as usize];
        lanes[0][lane] = p[0];
        lanes[1][lane] = p[1];
        lanes[2][lane] = p[2];
    }
    [P::from_lanes(lanes[0]), P::from_lanes(lanes[1]), P::from_lanes(lanes[2])]
}

#[inline(always)]
fn lanes<P: Pack, const N: usize>(packs: [P; N]) -> [[f64; LANES]; N] {
    let mut out = [[0.0; LANES]; N];
    for i in 0..N {
        out[i] = packs[i].to_lanes();
    }
    out
}

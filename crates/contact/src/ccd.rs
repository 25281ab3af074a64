//! Continuous collision detection: how far two primitives may move along straight lines before
//! they come closer than a separation ξ.
//!
//! Additive advancement (Li, Kaufman and Jiang, Codimensional incremental potential contact, 2021) with a
//! sharper bound on the speed. At time t the closest points give a direction n. Whatever n is, two
//! convex primitives whose vertices satisfy n·(aᵢ − bⱼ) > ξ |n| for all i and j are farther apart than ξ. As
//! vertices move on straight lines each of these gaps is linear in time, so the first moment at which one
//! of them would vanish is known exactly, and it is safe to go a part η of the way there. The usual bound divides the
//! distance by the largest relative speed; this one sees only the part of the velocity along n, and only that of vertices that approach. The
//! usual bound is taken where it is the larger one.
//!
//! Rounding is paid for by ρ = 32 ε max |coordinate|, which is added to ξ: it covers the computed gaps, and that a
//! caller moves to the rounded x + t Δ. A pair that starts closer than ξ + 2ρ is
//! [`CcdEnd::TooClose`], with time zero: its advances would be lost in the last places of positions.

use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm_squared, sub};

use crate::distance::Stencil;

/// Settings of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CcdParams {
    /// ξ, the distance to keep, m.
    pub separation: f64,
    /// η, the part of the way to the bound that is gone in one advance, 0 < η < 1. A pair is hit where its gap falls below
    /// (1 − η) of that at the start, or of `far` where that is smaller.
    pub advance: f64,
    /// A pair with a larger gap, m, is followed until it is as near as one with this gap. Infinite unless said otherwise.
    pub far: f64,
    /// Advances after which the time so far is returned; it is safe.
    pub max_iterations: u32,
}

impl Default for CcdParams {
    fn default() -> Self {
        Self { separation: 0.0, advance: 0.9, far: f64::INFINITY, max_iterations: 1000 }
    }
}

/// How a query ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CcdEnd {
    /// The whole motion is safe.
    Free,
    /// The pair is about to meet: its gap falls below (1 − η) of that at the start, or of [`CcdParams::far`].
    Near,
    /// The cap on iterations was reached.
    Capped,
    /// The gap at the start is within rounding, or negative: no motion can be said to be safe. The caller has to separate the pair by other means.
    TooClose,
}

/// The part of a motion that is safe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CcdBound {
    /// No two points of the primitives are closer than ξ from 0 to this time.
    pub time: f64,
    /// How the query ended.
    pub end: CcdEnd,
    /// Advances that were made.
    pub iterations: u32,
}

/// Returns the part of the motion x + t Δ, 0 ≤ t ≤ `longest`, over which the two primitives keep
/// their separation. `by` is Δ, m.
pub fn safe_time(
    stencil: Stencil,
    x: &[Vec3; 4],
    by: &[Vec3; 4],
    longest: f64,
    params: &CcdParams,
) -> CcdBound {
    let motion = Motion::new(stencil, x, by, longest, params.separation);
    let mut from = motion.clearance(x);
    if from.gap <= motion.rounding || from.gap.is_nan() {
        return CcdBound { time: 0.0, end: CcdEnd::TooClose, iterations: 0 };
    }
    let stop = (1.0 - params.advance) * from.gap.min(params.far);
    let mut time = 0.0;
    for iterations in 0..params.max_iterations {
        let next = time + params.advance * motion.time_until(&from, 0.0);
        if next >= longest {
            return CcdBound { time: longest, end: CcdEnd::Free, iterations };
        }
        // From the start, so that roundings do not add up.
        let at = std::array::from_fn(|i| add_scaled(x[i], by[i], next));
        let there = motion.clearance(&at);
        if there.gap < stop || there.gap.is_nan() {
            let time = time + motion.time_until(&from, stop).max(0.0);
            return CcdBound { time, end: CcdEnd::Near, iterations: iterations + 1 };
        }
        (time, from) = (next, there);
    }
    CcdBound { time, end: CcdEnd::Capped, iterations: params.max_iterations }
}

/// What stays the same during a query.
struct Motion {
    stencil: Stencil,
    /// Velocities of vertices of the first primitive relative to those of the second.
    velocities: [Vec3; 4],
    /// Largest |velocity|.
    speed: f64,
    /// ξ + ρ
    margin: f64,
    /// ρ
    rounding: f64,
}

/// How far apart the primitives are at a moment.
struct Clearance {
    /// d − ξ − ρ
    gap: f64,
    /// n·(aᵢ − bⱼ) − ξ − ρ
    slack: [f64; 4],
    /// The rates at which these fall.
    closing: [f64; 4],
}

impl Motion {
    fn new(stencil: Stencil, x: &[Vec3; 4], by: &[Vec3; 4], longest: f64, separation: f64) -> Self {
        let used = stencil.vertices();
        let largest = |v: &[Vec3; 4]| {
            v[..used].iter().flatten().fold(0.0, |largest: f64, c| largest.max(c.abs()))
        };
        let size = largest(x) + longest * largest(by);
        let rounding = 32.0 * f64::EPSILON * size;
        let velocities = differences(stencil, by);
        let speed = velocities.iter().fold(0.0, |s: f64, &v| s.max(norm_squared(v))).sqrt();
        Self { stencil, velocities, speed, margin: separation + rounding, rounding }
    }

    fn clearance(&self, x: &[Vec3; 4]) -> Clearance {
        let closest = self.stencil.closest(x);
        let n = closest.normal;
        Clearance {
            gap: closest.distance - self.margin,
            slack: differences(self.stencil, x).map(|r| dot(n, r) - self.margin),
            closing: self.velocities.map(|v| -dot(n, v)),
        }
    }

    /// A time from then on over which the gap stays at `level` or above it.
    fn time_until(&self, from: &Clearance, level: f64) -> f64 {
        let mut time = f64::INFINITY;
        for (slack, closing) in from.slack.into_iter().zip(from.closing) {
            if closing > 0.0 {
                time = time.min((slack - level) / closing);
            }
        }
        // Where rounding has spoilt the direction the distance is still good.
        time.max((from.gap - level) / self.speed)
    }
}

/// aᵢ − bⱼ of all vertices of the two primitives; the last is repeated to make four.
#[inline]
fn differences(stencil: Stencil, x: &[Vec3; 4]) -> [Vec3; 4] {
    let from = |i: usize, j: usize| sub(x[i], x[j]);
    match stencil {
        Stencil::PointPoint => [from(0, 1); 4],
        Stencil::PointEdge => [from(0, 1), from(0, 2), from(0, 2), from(0, 2)],
        Stencil::PointTriangle => [from(0, 1), from(0, 2), from(0, 3), from(0, 3)],
        Stencil::EdgeEdge => [from(0, 2), from(0, 3), from(1, 2), from(1, 3)],
    }
}

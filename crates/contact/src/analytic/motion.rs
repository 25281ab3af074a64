//! How far a point may move along a straight line before it enters a shape.

use pliant_algebra::vec3::{Vec3, add_scaled, dot};
use pliant_forces::obstacles::Shape;

use super::gap::gaps;

/// Part of the gap at the start that is left where a motion is stopped.
const LEFT: f64 = 0.1;
/// Part of the way to a bound that is gone at once.
const ADVANCE: f64 = 0.9;
/// Advances after which the time so far is returned; it is safe.
const MOST: usize = 200;

/// Returns the part of the motion x + t Δ, 0 ≤ t ≤ `longest`, on which the point stays outside of the shape: all of it, or up to where a gap
/// is between a tenth and a fifth of what it was. Zero for a point that is not outside by more than rounding.
///
/// All shapes, and the rooms inside of them, are convex. So a solid one lies behind the plane through the nearest point of it, and the
/// time until that is met is safe. The gap inside of a room is a concave function of time, which lies above its chords.
pub fn safe_time(shape: &Shape, x: Vec3, by: Vec3, longest: f64) -> f64 {
    let largest = |v: Vec3| v.iter().fold(0.0, |largest: f64, c| largest.max(c.abs()));
    let rounding = 32.0 * f64::EPSILON * (largest(x) + longest * largest(by));
    let mut time = longest;
    let mut wall = 0;
    gaps(shape, x, |start| {
        let at = |t: f64| {
            let (mut k, mut found) = (0, start);
            gaps(shape, add_scaled(x, by, t), |gap| {
                if k == wall {
                    found = gap;
                }
                k += 1;
            });
            (found.distance - rounding, found.normal)
        };
        let free = if start.distance - rounding <= rounding {
            0.0
        } else if shape.is_room() {
            inside(&at, longest, LEFT * (start.distance - rounding))
        } else {
            outside(&at, by, longest, LEFT * (start.distance - rounding))
        };
        time = time.min(free);
        wall += 1;
    });
    time
}

fn outside(at: &dyn Fn(f64) -> (f64, Vec3), by: Vec3, longest: f64, least: f64) -> f64 {
    let mut time = 0.0;
    for _ in 0..MOST {
        let (gap, normal) = at(time);
        let closing = -dot(normal, by);
        if closing <= 0.0 {
            return longest;
        }
        let next = time + ADVANCE * gap / closing;
        if next >= longest {
            return longest;
        }
        if at(next).0 < least {
            // On the plane of this moment a tenth is left.
            return time + ((gap - least) / closing).max(0.0);
        }
        time = next;
    }
    time
}

fn inside(at: &dyn Fn(f64) -> (f64, Vec3), longest: f64, least: f64) -> f64 {
    let end = at(longest).0;
    if end >= least {
        return longest;
    }
    let mut time = 0.0;
    for _ in 0..MOST {
        let gap = at(time).0;
        if gap < 2.0 * least {
            break;
        }
        time += (longest - time) * (gap - least) / (gap - end);
    }
    time
}

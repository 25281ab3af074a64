//! The surface as the lattice sees it: inside or outside, near or far, and where an edge meets it.

use pliant_algebra::vec3::{Vec3, lerp};

use crate::spatial::{TriangleTree, WindingTree};

/// Crossings nearer than this fraction of an edge are one.
const SAME: f64 = 1e-9;

/// Inside and outside of a surface.
pub(crate) struct Field<'a> {
    surface: &'a TriangleTree,
    winding: WindingTree<'a>,
    /// Whether the winding number is whole everywhere, so that it only changes across triangles.
    closed: bool,
}

/// What is known about a ball.
pub(crate) enum Ball {
    /// All of it is inside.
    Inside,
    /// All of it is outside.
    Outside,
    /// The surface, or the rim of a hole, is in reach.
    Mixed,
}

impl<'a> Field<'a> {
    pub(crate) fn new(surface: &'a TriangleTree, closed: bool) -> Self {
        Self { surface, winding: WindingTree::new(surface), closed }
    }

    pub(crate) fn inside(&self, p: Vec3) -> bool {
        self.winding.at(p) > 0.5
    }

    /// Where the ball of that radius about `p` is.
    pub(crate) fn ball(&self, p: Vec3, radius: f64) -> Ball {
        if self.surface.nearest_within(p, radius).is_some() {
            return Ball::Mixed;
        }
        let w = self.winding.at(p);
        // Through a hole the winding number goes from 1 to 0 without a triangle; near whole numbers
        // the hole fills so little of the view that it is out of reach.
        if !self.closed && (w - 0.5).abs() < 0.4 {
            return Ball::Mixed;
        }
        if w > 0.5 { Ball::Inside } else { Ball::Outside }
    }

    /// Where the surface passes between `p`, inside, and `q`, outside: the fraction of the way. Of
    /// several crossings the first beyond which it is outside.
    pub(crate) fn cut(&self, p: Vec3, q: Vec3, crossings: &mut Vec<f64>) -> f64 {
        crossings.clear();
        self.surface.crossings(p, q, crossings);
        crossings.dedup_by(|b, a| *b - *a < SAME);
        if let (true, [t]) = (self.closed, &crossings[..]) {
            return *t;
        }
        let outside = |t: f64| !self.inside(lerp(p, q, t));
        // Between crossings the winding number is continuous. Look at the middle of each interval.
        let mut inside_until = 0.0_f64;
        let mut start = 0.0;
        for &end in crossings.iter().chain(&[1.0]) {
            let middle = 0.5 * (start + end);
            if end - start > SAME && outside(middle) {
                // It changed at the start of this interval or continuously within.
                return if start > 0.0 && outside(start + SAME.min(0.5 * (end - start))) {
                    start
                } else {
                    bisect(inside_until.max(start), middle, outside)
                };
            }
            if end - start > SAME {
                inside_until = middle;
            }
            start = end;
        }
        bisect(inside_until, 1.0, outside)
    }
}

/// Where `outside` becomes true between `low`, where it is not, and `high`, where it is.
fn bisect(mut low: f64, mut high: f64, outside: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if outside(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

//! Signed distances: negative on the inner side of a surface.

use pliant_algebra::vec3::{Vec3, dot, norm, normalized, scale, sub};

use super::{Closest, Stencil};

impl Closest {
    /// The same closest points with a distance that is negative where the first primitive, a point, lies behind the second as
    /// seen along `outward`, and the normal of the side that `outward` points to. Gradient and tangent are then those of the
    /// signed distance, which is as smooth across the surface as beside it.
    ///
    /// Over the face of a triangle `outward` is its normal; at edges and corners a mean of those around, weighted by angles
    /// (Bærentzen and Aanæs, Signed distance computation using the angle weighted pseudonormal, 2005).
    #[must_use]
    pub fn signed(mut self, x: &[Vec3; 4], outward: Vec3) -> Self {
        let Some(n) = normalized(outward) else { return self };
        if self.active == Stencil::PointTriangle {
            // Of the plane itself: right to rounding at any depth, none included.
            self.normal = n;
            self.distance = dot(n, sub(x[0], x[1]));
            return self;
        }
        let along = dot(self.normal, n);
        if self.distance == 0.0 || norm(self.normal) == 0.0 {
            (self.distance, self.normal) = (0.0, n);
        } else if along < 0.0 {
            (self.distance, self.normal) = (-self.distance, scale(self.normal, -1.0));
        }
        self
    }
}

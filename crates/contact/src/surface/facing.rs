//! The part of a vertex's area that faces what is near it.
//!
//! A corner of a triangle with the area a = ∫N dA and the normal N counts by a φ(c), c = −N·n, where n points from what is near to the
//! vertex: by all of it where the triangle looks straight at it, by nothing where it is turned away, as the sides of a block
//! are that stands on something. φ = c² (3 − 2c) is flat at both ends, so that a slight tilt changes nothing.
//!
//! Areas are lagged, as the normal forces of friction are: N and n are those of the start of a step. With those of the present the
//! energy would have kinks where n turns at once, as it does from a face to its edge, and there Newton's method does not converge: the
//! force b ∂w/∂n ∂n/∂x is as large as w b′ near an edge.

use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, norm, sub};

use super::CollisionSurface;

/// The part of the area of a vertex that counts at least, so that nothing is without repulsion that turns within a step: of one that is near
/// at the start of the step, and of one that is far.
const LEAST: [f64; 2] = [0.01, 0.1];

/// φ of the cosine.
fn part(cosine: f64) -> f64 {
    let c = cosine.clamp(0.0, 1.0);
    c * c * (3.0 - 2.0 * c)
}

/// The vector of twice the area of a triangle, and its length, m².
fn area_vector(corners: [Vec3; 3]) -> (Vec3, f64) {
    let [a, b, c] = corners;
    let vector = cross(sub(b, a), sub(c, a));
    (vector, norm(vector))
}

impl CollisionSurface {
    /// Returns the area of a vertex that faces what lies in the direction −n, m², for positions `y` of the collision vertices. All of it
    /// where the surface has two sides.
    ///
    /// `doubt` is 0 where n is the direction in which both will meet, and 1 where they were far apart when n was found. Then triangles count
    /// by φ((1 + c)/2), so that one that looks elsewhere by a right angle counts by a half: a weight that is far too small would be made up for by a
    /// gap that is, and Newton's method would creep there.
    pub fn facing_area(&self, y: &[Vec3], vertex: u32, n: Vec3, doubt: f64) -> f64 {
        if self.is_two_sided(self.bodies()[vertex as usize]) {
            return self.vertex_areas()[vertex as usize];
        }
        let [near, far] = LEAST;
        let least = (near + doubt * (far - near)) * self.vertex_areas()[vertex as usize];
        self.faced(y, vertex, n, doubt).0.max(least)
    }

    /// The same where nothing counts of a surface with one side that is turned away, and the sum of these areas times their normals, m².
    pub(crate) fn faced(&self, y: &[Vec3], vertex: u32, n: Vec3, doubt: f64) -> (f64, Vec3) {
        let (mut sum, mut normal) = (0.0, [0.0; 3]);
        for corner in self.corners_of(vertex) {
            let corners = self.triangles()[corner.triangle as usize].map(|v| y[v as usize]);
            let (vector, length) = area_vector(corners);
            if length > 0.0 {
                let cosine = -dot(vector, n) / length;
                let area = corner.area * part(cosine + 0.5 * doubt * (1.0 - cosine));
                sum += area;
                normal = add_scaled(normal, vector, area / length);
            }
        }
        (sum, normal)
    }
}

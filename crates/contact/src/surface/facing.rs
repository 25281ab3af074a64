//! The part of a vertex's area that faces what is near it.
//!
//! A corner of a triangle with the area a = ∫N dA and the normal N counts by a φ(c), c = −N·n, where n points from what is near to the
//! vertex: by all of it where the triangle looks straight at it, by nothing where it is turned away, as the sides of a block
//! are that stands on something. φ = c² (3 − 2c) is flat at both ends, so that the energy is C¹ and a slight tilt changes nothing. N
//! and n are those of the present, and the gradient has their turning in it: forces are those of an energy. The
//! tangent leaves it out; there it is smaller than the rest by the ratio of d̂ to an edge.

use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, norm, scale, sub};

use super::CollisionSurface;

/// φ and φ' of the cosine.
fn part(cosine: f64) -> [f64; 2] {
    if cosine <= 0.0 {
        return [0.0; 2];
    }
    let c = cosine.min(1.0);
    [c * c * (3.0 - 2.0 * c), 6.0 * c * (1.0 - c)]
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
    pub fn facing_area(&self, y: &[Vec3], vertex: u32, n: Vec3) -> f64 {
        if self.is_two_sided(self.bodies()[vertex as usize]) {
            return self.vertex_areas()[vertex as usize];
        }
        let mut sum = 0.0;
        for corner in self.corners_of(vertex) {
            let corners = self.triangles()[corner.triangle as usize].map(|v| y[v as usize]);
            let (vector, length) = area_vector(corners);
            if length > 0.0 {
                sum += corner.area * part(-dot(vector, n) / length)[0];
            }
        }
        sum
    }

    /// Calls `visit` with `times` the derivative of [`CollisionSurface::facing_area`] by the positions of the vertices of the
    /// triangles around a vertex, m, and returns `times` that by n, m².
    pub fn facing_slope(
        &self,
        y: &[Vec3],
        vertex: u32,
        n: Vec3,
        times: f64,
        mut visit: impl FnMut(u32, Vec3),
    ) -> Vec3 {
        let mut by_normal = [0.0; 3];
        if self.is_two_sided(self.bodies()[vertex as usize]) {
            return by_normal;
        }
        for corner in self.corners_of(vertex) {
            let vertices = self.triangles()[corner.triangle as usize];
            let corners = vertices.map(|v| y[v as usize]);
            let (vector, length) = area_vector(corners);
            if length == 0.0 {
                continue;
            }
            let normal = scale(vector, 1.0 / length);
            let cosine = -dot(normal, n);
            let slope = times * corner.area * part(cosine)[1];
            if slope == 0.0 {
                continue;
            }
            by_normal = add_scaled(by_normal, normal, -slope);
            // ∂c = −n·∂N = m·∂(N |A|), with m = −(n + c N)/|A|; m·A is a determinant of edges.
            let m = scale(add_scaled(n, normal, cosine), -slope / length);
            let [a, b, c] = corners;
            let (at_b, at_c) = (cross(sub(c, a), m), cross(m, sub(b, a)));
            visit(vertices[0], scale(add(at_b, at_c), -1.0));
            visit(vertices[1], at_b);
            visit(vertices[2], at_c);
        }
        by_normal
    }
}

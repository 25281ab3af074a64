//! Vectors of three as plain `[f64; 3]`: free functions, no wrapper type.

/// A point or vector in space.
pub type Vec3 = [f64; 3];

/// a + b
#[inline]
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b
#[inline]
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s a
#[inline]
pub fn scale(a: Vec3, s: f64) -> Vec3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// a + s b
#[inline]
pub fn add_scaled(a: Vec3, b: Vec3, s: f64) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// a · b
#[inline]
pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b
#[inline]
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a · (b × c), six times the volume of the tetrahedron they span
#[inline]
pub fn triple(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    dot(a, cross(b, c))
}

/// |a|²
#[inline]
pub fn norm_squared(a: Vec3) -> f64 {
    dot(a, a)
}

/// |a|
#[inline]
pub fn norm(a: Vec3) -> f64 {
    norm_squared(a).sqrt()
}

/// |a − b|
#[inline]
pub fn distance(a: Vec3, b: Vec3) -> f64 {
    norm(sub(a, b))
}

/// (1−t) a + t b
#[inline]
pub fn lerp(a: Vec3, b: Vec3, t: f64) -> Vec3 {
    [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])]
}

/// a / |a|, or `None` where the length is zero or not finite.
#[inline]
pub fn normalized(a: Vec3) -> Option<Vec3> {
    let n = norm(a);
    (n > 0.0 && n.is_finite()).then(|| [a[0] / n, a[1] / n, a[2] / n])
}

/// Component-wise minimum.
#[inline]
pub fn min(a: Vec3, b: Vec3) -> Vec3 {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].min(b[2])]
}

/// Component-wise maximum.
#[inline]
pub fn max(a: Vec3, b: Vec3) -> Vec3 {
    [a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2])]
}

/// Whether every component is finite.
#[inline]
pub fn is_finite(a: Vec3) -> bool {
    a[0].is_finite() && a[1].is_finite() && a[2].is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_product_is_right_handed_and_orthogonal() {
        let (a, b) = ([1.0, 2.0, -0.5], [0.3, -1.0, 4.0]);
        let c = cross(a, b);
        assert!(dot(a, c).abs() < 1e-14 && dot(b, c).abs() < 1e-14);
        assert_eq!(cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        assert_eq!(triple([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]), 1.0);
    }

    #[test]
    fn a_vector_without_direction_has_no_unit_vector() {
        assert_eq!(normalized([0.0; 3]), None);
        assert_eq!(normalized([0.0, 3.0, 4.0]), Some([0.0, 0.6, 0.8]));
    }
}

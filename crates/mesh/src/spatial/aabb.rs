//! [`Aabb`]: an axis-aligned box.

use pliant_algebra::vec3::{Vec3, max, min, sub};

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Lowest corner, m.
    pub min: Vec3,
    /// Highest corner, m.
    pub max: Vec3,
}

impl Aabb {
    /// Contains nothing; the neutral element of [`Aabb::union`].
    pub const EMPTY: Aabb = Aabb { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// The smallest box around `points`; [`Aabb::EMPTY`] if there are none. Coordinates that are not
    /// a number are passed over.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }

    /// The bounding box of a body: that around its points; of none, an empty box at the origin.
    pub fn of(points: &[Vec3]) -> Self {
        let Self { min, max } = Self::around(points.iter().copied());
        let known = |i: usize| min[i] <= max[i];
        Self {
            min: std::array::from_fn(|i| if known(i) { min[i] } else { 0.0 }),
            max: std::array::from_fn(|i| if known(i) { max[i] } else { 0.0 }),
        }
    }

    /// The smallest box around this one and a point.
    #[must_use]
    pub fn with(self, p: Vec3) -> Self {
        Aabb { min: min(self.min, p), max: max(self.max, p) }
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Aabb { min: min(self.min, other.min), max: max(self.max, other.max) }
    }

    /// Whether the two share a point.
    #[inline]
    pub fn overlaps(&self, other: &Aabb) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether `other` lies inside, its faces allowed to touch.
    pub fn encloses(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.min[k] && other.max[k] <= self.max[k])
    }

    /// Whether `p` is inside or on the rim.
    #[inline]
    pub fn contains(&self, p: Vec3) -> bool {
        (0..3).all(|k| self.min[k] <= p[k] && p[k] <= self.max[k])
    }

    /// Squared distance from `p`; zero inside.
    #[inline]
    pub fn distance_squared(&self, p: Vec3) -> f64 {
        let mut sum = 0.0;
        for k in 0..3 {
            let d = (self.min[k] - p[k]).max(p[k] - self.max[k]).max(0.0);
            sum += d * d;
        }
        sum
    }

    /// The middle.
    pub fn centre(&self) -> Vec3 {
        std::array::from_fn(|k| 0.5 * self.min[k] + 0.5 * self.max[k])
    }

    /// Lengths along x, y and z, m.
    pub fn extent(&self) -> Vec3 {
        sub(self.max, self.min)
    }

    /// Length of the diagonal, m. Infinite only where the length itself exceeds what an `f64` holds.
    pub fn diagonal(&self) -> f64 {
        let e = self.extent();
        e[0].hypot(e[1]).hypot(e[2])
    }

    /// The axis of the greatest extent: 0, 1 or 2; the first among equals.
    pub fn longest_axis(&self) -> usize {
        let e = self.extent();
        let second = usize::from(e[1] > e[0]);
        if e[2] > e[second] { 2 } else { second }
    }

    /// Half the area of its faces, for building trees.
    pub(super) fn half_area(&self) -> f64 {
        let [x, y, z] = self.extent().map(|e| e.max(0.0));
        x * y + y * z + z * x
    }
}

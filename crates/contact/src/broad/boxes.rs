//! Eight boxes side by side, tested in step.

use pliant_algebra::lanes::{F64x8, LANES, Pack, prefetch};
use pliant_algebra::real::Mask;
use pliant_algebra::vec3::Vec3;
use pliant_mesh::spatial::Aabb;

/// The box around all positions x + t Δ, 0 ≤ t ≤ 1, and `padding` (m) more on each side. Finite for finite numbers: an infinite
/// one would overlap the empty boxes of lanes without an item.
#[inline]
pub(crate) fn swept(x: Vec3, by: Vec3, padding: f64) -> Aabb {
    let mut swept = Aabb { min: x, max: x };
    for k in 0..3 {
        let to = x[k] + by[k];
        swept.min[k] = (lower(x[k], to) - padding).max(f64::MIN);
        swept.max[k] = (higher(x[k], to) + padding).min(f64::MAX);
    }
    swept
}

/// The box around both. Not a number is of no concern here: the first of both may be taken.
#[inline(always)]
pub(crate) fn union(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb {
        min: std::array::from_fn(|k| lower(a.min[k], b.min[k])),
        max: std::array::from_fn(|k| higher(a.max[k], b.max[k])),
    }
}

/// Tells whether two boxes share a point.
#[inline]
pub(crate) fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|k| a.min[k] <= b.max[k] && b.min[k] <= a.max[k])
}

/// One instruction, unlike `f64::min`.
#[inline(always)]
fn lower(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn higher(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Eight boxes, face by face.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    min: [F64x8; 3],
    max: [F64x8; 3],
}

impl Group {
    /// Boxes that overlap nothing.
    pub(super) const EMPTY: Self = Self {
        min: [F64x8([f64::INFINITY; LANES]); 3],
        max: [F64x8([f64::NEG_INFINITY; LANES]); 3],
    };

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, b: &Aabb) {
        for k in 0..3 {
            self.min[k].0[lane] = b.min[k];
            self.max[k].0[lane] = b.max[k];
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Aabb {
        Aabb {
            min: std::array::from_fn(|k| self.min[k].0[lane]),
            max: std::array::from_fn(|k| self.max[k].0[lane]),
        }
    }

    /// Asks for all cache lines.
    #[inline(always)]
    pub(super) fn prefetch(&self) {
        for face in self.min.iter().chain(&self.max) {
            prefetch(Some(face));
        }
    }

    /// The box around all eight.
    #[inline(always)]
    pub(super) fn bounds(&self) -> Aabb {
        (1..LANES).fold(self.get(0), |b, lane| union(&b, &self.get(lane)))
    }

    /// Bit l tells whether box l and `b` share a point.
    #[inline(always)]
    pub(super) fn overlaps<P: Pack>(&self, b: &Splat<P>) -> u32 {
        self.overlap_mask(b).to_bits().into()
    }

    /// True in the lanes of boxes that share a point with `b`.
    #[inline(always)]
    pub(super) fn overlap_mask<P: Pack>(&self, b: &Splat<P>) -> P::Mask {
        let mut both = P::load(&self.min[0]).less_equal(b.max[0]);
        both = both & b.min[0].less_equal(P::load(&self.max[0]));
        for k in 1..3 {
            both = both & P::load(&self.min[k]).less_equal(b.max[k]);
            both = both & b.min[k].less_equal(P::load(&self.max[k]));
        }
        both
    }
}

/// One box, in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Splat<P> {
    min: [P; 3],
    max: [P; 3],
}

impl<P: Pack> Splat<P> {
    #[inline(always)]
    pub(super) fn new(b: &Aabb) -> Self {
        let [a, c, d] = b.min;
        let [e, f, g] = b.max;
        Self {
            min: [P::splat(a), P::splat(c), P::splat(d)],
            max: [P::splat(e), P::splat(f), P::splat(g)],
        }
    }
}

/// Half the area of the faces; zero if empty.
pub(super) fn half_area(b: &Aabb) -> f64 {
    let [x, y, z] = b.extent().map(|e| e.max(0.0));
    x * y + y * z + z * x
}

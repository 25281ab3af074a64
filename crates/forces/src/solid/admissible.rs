//! How far a solid may go along a direction before an element inverts.
//!
//! With A = ∂x/∂ξ and B = ∂d/∂ξ at a point, J along x + α d is det(∂X/∂ξ)⁻¹ (nodes may be in an order that makes it
//! negative) times
//!
//! det(A + α B) = det A + α cof A : B + α² A : cof B + α³ det B,
//!
//! a cubic whose first root is what is looked for. Most elements have none in reach, which shows from the sizes of
//! the coefficients, eight elements at a time.

use std::marker::PhantomData;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::{F64x8, LANES, Pack, Row4};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Mask;
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Point};

use super::Solid;
use super::chunk::{ChunkWork, Elements, Geometry};
use super::stages::{gather, load_geometry};
use crate::workspace::Workspace;

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// The largest α ≤ `limit` up to which J stays above 0 at all points of all elements.
    pub(super) fn reach(
        &self,
        x: &[Vec3],
        direction: &[Vec3],
        limit: f64,
        work: &mut Workspace,
    ) -> f64 {
        let assembly = &self.parts.assembly;
        let tables = assembly.tables::<ChunkWork<N>>(work);
        assembly.each(tables, &|rows, elements, table: &mut ChunkWork<N>| {
            rows.fill(&mut table.x, x);
            rows.fill(&mut table.g, direction);
            table.reach = elements.reach::<E>(table, self.level, limit);
        });
        tables.iter().fold(limit, |reach, table| reach.min(table.data.reach))
    }
}

impl<const N: usize> Elements<N> {
    fn reach<E: Element<3, N>>(&self, table: &ChunkWork<N>, level: Level, limit: f64) -> f64 {
        let mut reach = limit;
        for pack in 0..self.packs() {
            let nodes = &self.nodes[pack * N..(pack + 1) * N];
            for (q, point) in E::POINTS.iter().enumerate() {
                let cubics = level.run(Cubics {
                    point,
                    geometry: &self.geometry[pack * E::POINTS.len() + q],
                    nodes,
                    x: &table.x,
                    d: &table.g,
                    limit: reach,
                    element: PhantomData::<E>,
                });
                let Some((doubtful, cubics)) = cubics else { continue };
                for lane in (0..LANES).filter(|lane| doubtful >> lane & 1 == 1) {
                    reach = reach.min(first_root(cubics.map(|c| c.0[lane]), reach));
                }
            }
        }
        reach
    }
}

/// The coefficients of det(A + α B) of eight elements at a point.
struct Cubics<'a, E, const N: usize> {
    point: &'a Point<3, N>,
    geometry: &'a Geometry,
    nodes: &'a [[u32; LANES]],
    x: &'a [Row4],
    d: &'a [Row4],
    limit: f64,
    element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for Cubics<'_, E, N> {
    /// Bits of the lanes that may have a root within the limit, and all coefficients; nothing if none may.
    type Output = Option<(u8, [F64x8; 4])>;

    #[inline(always)]
    fn run<P: Pack>(self) -> Self::Output {
        let a = Mat3(E::jacobian(self.point, &gather::<P, N>(self.x, self.nodes)));
        let b = Mat3(E::jacobian(self.point, &gather::<P, N>(self.d, self.nodes)));
        let c = [
            a.determinant(),
            a.cofactor().contract(&b),
            b.cofactor().contract(&a),
            b.determinant(),
        ];
        let inverse = load_geometry::<P>(self.geometry).0.determinant();
        let c = c.map(|c| c * inverse);
        let t = P::splat(self.limit);
        let most = t * (c[1].abs() + t * (c[2].abs() + t * c[3].abs()));
        // False where something is not a number, too.
        let safe = most.less(c[0]);
        (!safe.all()).then(|| (!safe.to_bits(), c.map(Pack::store)))
    }
}

/// J along a direction may fall to this part of what it is at the start: so much above 0 that a direction which only
/// touches it is not taken for one that passes by.
const LEAST: f64 = 1e-12;

/// The first t in (0, limit] at which c₀ + c₁ t + c₂ t² + c₃ t³ has fallen to 0, or nearly, from below; the limit if
/// there is none, and 0 where the polynomial does not begin above 0.
fn first_root(mut c: [f64; 4], limit: f64) -> f64 {
    c[0] -= LEAST * c[0].abs();
    let value = |t: f64| c[0] + t * (c[1] + t * (c[2] + t * c[3]));
    if !(c[0] > 0.0 && c.iter().all(|c| c.is_finite())) {
        return 0.0;
    }
    // Between its extrema the polynomial is monotonic.
    let [low, high] = extrema(c);
    let mut from = 0.0;
    for to in [low, high, limit] {
        if !(to > from && to <= limit) {
            continue;
        }
        if value(to) <= 0.0 {
            return bisect(value, from, to);
        }
        from = to;
    }
    limit
}

/// Zeros of the derivative c₁ + 2 c₂ t + 3 c₃ t², ascending; not a number where there are none.
fn extrema([_, c1, c2, c3]: [f64; 4]) -> [f64; 2] {
    if c3 == 0.0 {
        return [-0.5 * c1 / c2, f64::NAN];
    }
    let root = (c2 * c2 - 3.0 * c1 * c3).sqrt();
    // Without cancellation.
    let q = -(c2 + root.copysign(c2));
    let (s, t) = (q / (3.0 * c3), c1 / q);
    if s <= t { [s, t] } else { [t, s] }
}

/// Where a function that is above 0 at the low end changes its sign, from below.
fn bisect(value: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if value(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::first_root;

    /// (a − t)(b − t)(c − t) for positive roots.
    fn with_roots([a, b, c]: [f64; 3]) -> [f64; 4] {
        [a * b * c, -(a * b + b * c + c * a), a + b + c, -1.0]
    }

    #[test]
    fn first_roots_of_cubics_are_found_from_below() {
        for roots in [[0.3, 0.4, 0.9], [0.2, 5.0, 7.0], [1e-9, 0.5, 0.6], [0.5, 0.5, 3.0]] {
            let found = first_root(with_roots(roots), 1.0);
            let off = (found - roots[0]).abs();
            // A double root is found to half the digits.
            let tolerance = if roots[0] == roots[1] { 2e-6 } else { 1e-11 };
            assert!(off <= tolerance, "{roots:?}: {found}");
        }
        assert_eq!(first_root(with_roots([1.5, 2.0, 3.0]), 1.0), 1.0);
        assert_eq!(first_root([1.0, 1.0, 1.0, 1.0], 1.0), 1.0);
        // Two roots close together, with positive values on both sides.
        let dip = first_root([0.25 - 1e-6, -1.0, 1.0, 0.0], 1.0);
        assert!((dip - (0.5 - 1e-3)).abs() < 1e-9, "{dip}");
        assert!((first_root([1.0, -2.0, 0.0, 0.0], 1.0) - 0.5).abs() < 1e-11);
        assert_eq!(first_root([-1.0, 2.0, 0.0, 0.0], 1.0), 0.0);
        assert_eq!(first_root([f64::NAN, 2.0, 0.0, 0.0], 1.0), 0.0);
    }
}

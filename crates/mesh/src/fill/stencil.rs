//! The stencils of isosurface stuffing: which tetrahedra stand for the inside of one tetrahedron of
//! the lattice, given the signs of its corners.
//!
//! Labelle and Shewchuk, "Isosurface Stuffing", SIGGRAPH 2007, section 3. A tetrahedron of the
//! body-centred cubic lattice has two long edges, which are opposite and lie along axes, and four
//! short ones. After warping its corners are inside (+), outside (−) or on the surface (0), and
//! edges from + to − carry a cut point.

/// A point of the lattice in units of half a cell: all even for corners of the finest cells.
pub(crate) type Site = [i32; 3];

/// Fraction of a long edge within which a cut point draws the end of the edge to itself.
///
/// This pair is the result of an own search for the largest smallest angle over all configurations
/// of [`stencil`] (see the test below); it reproduces the paper's bounds of 10.7° and 164.8°.
pub(crate) const ALPHA_LONG: f64 = 0.285;
/// The same for a short edge.
pub(crate) const ALPHA_SHORT: f64 = 0.399;

/// A corner of an output tetrahedron.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    /// That corner of the lattice tetrahedron.
    Corner(usize),
    /// The cut point between an inside and an outside corner.
    Cut(usize, usize),
}
use Node::{Corner, Cut};

/// Whether the edge between two sites is a long one.
pub(crate) fn is_long(a: Site, b: Site) -> bool {
    (0..3).filter(|&k| a[k] != b[k]).count() == 1
}

/// Calls `emit` with each tetrahedron that the inside of a positive lattice tetrahedron is made of;
/// all are positive. Nothing is emitted unless a corner is inside.
pub(crate) fn stencil(signs: [i8; 4], sites: [Site; 4], mut emit: impl FnMut([Node; 4])) {
    // Corners by sign, in an order that is an even permutation of 0123: the tetrahedron
    // (o[0], o[1], o[2], o[3]) is positive.
    let mut o = [0, 1, 2, 3];
    o.sort_by_key(|&i| -signs[i]);
    let inside = signs.iter().filter(|&&s| s > 0).count();
    let outside = signs.iter().filter(|&&s| s < 0).count();
    if !is_even(o) {
        // Two corners of four share a sign, and may be swapped.
        let twin = (0..3).find(|&i| signs[o[i]] == signs[o[i + 1]]).unwrap_or(0);
        o.swap(twin, twin + 1);
    }
    let [a, b, c, d] = o;
    match (inside, outside) {
        (0, _) => {}
        (_, 0) => emit([Corner(0), Corner(1), Corner(2), Corner(3)]),
        (1, _) => {
            emit(o.map(|i| if signs[i] < 0 { Cut(a, i) } else { Corner(i) }));
        }
        (2, 1) => {
            // A pyramid with its apex at c, on the surface.
            if diagonal_from(a, b, d, &sites) {
                emit([Corner(a), Corner(b), Corner(c), Cut(b, d)]);
                emit([Corner(a), Cut(b, d), Corner(c), Cut(a, d)]);
            } else {
                emit([Corner(a), Corner(b), Corner(c), Cut(a, d)]);
                emit([Cut(a, d), Corner(b), Corner(c), Cut(b, d)]);
            }
        }
        (2, _) => {
            // A wedge between the triangles of a and of b with their cut points. (a, c, d, b) is
            // an even permutation of (a, b, c, d).
            let low = [Corner(a), Cut(a, c), Cut(a, d)];
            let high = [Corner(b), Cut(b, c), Cut(b, d)];
            let first = diagonal_from(a, b, c, &sites);
            let second = diagonal_from(a, b, d, &sites);
            let order = match (first, second) {
                (false, true) => [1, 0, 2],
                (true, false) => [2, 0, 1],
                // Does not happen: on both faces it is the same rule with opposite outcome.
                (true, true) => [0, 1, 2],
                (false, false) => [1, 2, 0],
            };
            prism(low, high, order, emit);
        }
        _ => {
            let low = [Corner(a), Corner(b), Corner(c)];
            let high = [Cut(a, d), Cut(b, d), Cut(c, d)];
            // Rank by the number of diagonals that end at the top of each pillar.
            let pillars = [a, b, c];
            let rank = |i: usize| {
                (0..3)
                    .filter(|&j| j != i && diagonal_from(pillars[j], pillars[i], d, &sites))
                    .count()
            };
            let mut order = [0, 1, 2];
            order.sort_by_key(|&i| rank(i));
            prism(low, high, order, emit);
        }
    }
}

/// The triangle a, b (inside), n (outside) is truncated to a quadrilateral. Whether the diagonal
/// that splits it starts at corner a (and ends at the cut point of b), rather than at b. It depends
/// on the triangle alone, so that both its tetrahedra agree.
fn diagonal_from(a: usize, b: usize, n: usize, sites: &[Site; 4]) -> bool {
    let (a, b, n) = (sites[a], sites[b], sites[n]);
    if is_long(a, b) {
        // Parity rule: of the two ends of a long edge exactly one exceeds the apex in an even number
        // of coordinates. The wedge on that edge then never gets both diagonals at the same end.
        (0..3).filter(|&k| a[k] > n[k]).count() % 2 == 0
    } else if is_long(a, n) == is_long(b, n) {
        // Not a triangle of the uniform lattice.
        a < b
    } else {
        // The diagonal ends at the cut point of the long edge.
        is_long(b, n)
    }
}

/// Splits the prism between the triangles `low` and `high` (seen from below, `low` clockwise) with
/// the diagonal of each side from the low end of the pillar that comes first in `order` to the high
/// end of the other.
fn prism(low: [Node; 3], high: [Node; 3], order: [usize; 3], mut emit: impl FnMut([Node; 4])) {
    let [x, y, z] = order;
    let even = is_even([x, y, z, 3]);
    for [p, q, r, s] in [
        [low[x], low[y], low[z], high[z]],
        [low[x], low[y], high[z], high[y]],
        [low[x], high[y], high[z], high[x]],
    ] {
        emit(if even { [p, q, r, s] } else { [q, p, r, s] });
    }
}

fn is_even(p: [usize; 4]) -> bool {
    let inversions = (0..4).flat_map(|i| (0..i).map(move |j| (j, i))).filter(|&(j, i)| p[j] > p[i]);
    inversions.count() % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::report::DIHEDRAL_BOUNDS;
    use crate::quality::tet_quality;
    use pliant_algebra::vec3::{Vec3, lerp, sub, triple};

    fn position(s: Site) -> Vec3 {
        s.map(|x| 0.5 * f64::from(x))
    }

    /// A tetrahedron of the lattice: `kind` chooses among the 12 that touch a cell's centre.
    fn lattice_tet(kind: usize) -> [Site; 4] {
        let (axis, edge) = (kind % 3, kind / 3 % 4);
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let corner = |i: usize| {
            let mut s = [2; 3];
            s[u] = [0, 2, 2, 0][i % 4];
            s[v] = [0, 0, 2, 2][i % 4];
            s
        };
        let (low, mut high) = ([1; 3], [1; 3]);
        high[axis] = 3;
        [low, high, corner(edge), corner(edge + 1)]
    }

    /// Directions in which a lattice point can be drawn, and how far.
    fn warps() -> Vec<(Site, f64)> {
        let mut warps = vec![([0; 3], 0.0)];
        for k in 0..8 {
            warps.push(([0, 1, 2].map(|b| (k >> b & 1) * 2 - 1), ALPHA_SHORT));
        }
        for k in 0..3 {
            for side in [-2, 2] {
                let mut s = [0; 3];
                s[k] = side;
                warps.push((s, ALPHA_LONG));
            }
        }
        warps
    }

    /// Smallest and largest angle and smallest volume of the stencil with given cut parameters.
    fn extremes(
        signs: [i8; 4],
        sites: [Site; 4],
        at: [Vec3; 4],
        near: [bool; 6],
    ) -> (f64, f64, f64) {
        let (mut lowest, mut highest, mut volume) = (180.0_f64, 0.0_f64, f64::INFINITY);
        stencil(signs, sites, |tet| {
            let p = tet.map(|node| match node {
                Corner(i) => at[i],
                Cut(i, j) => {
                    let slot = (0..4).flat_map(|b| (0..b).map(move |a| (a, b)));
                    let slot = slot.into_iter().position(|e| e == (i.min(j), i.max(j))).unwrap();
                    let alpha = if is_long(sites[i], sites[j]) { ALPHA_LONG } else { ALPHA_SHORT };
                    lerp(at[i], at[j], if near[slot] { alpha } else { 1.0 - alpha })
                }
            });
            let q = tet_quality(p);
            (lowest, highest) = (lowest.min(q.min_dihedral), highest.max(q.max_dihedral));
            volume = volume.min(triple(sub(p[1], p[0]), sub(p[2], p[0]), sub(p[3], p[0])));
        });
        (lowest, highest, volume)
    }

    #[test]
    fn all_extreme_configurations_keep_the_bounds_of_the_method() {
        let warps = warps();
        let (mut lowest, mut highest) = (180.0_f64, 0.0_f64);
        for kind in 0..12 {
            let sites = lattice_tet(kind);
            for code in 0..81 {
                let signs = [1, 3, 9, 27].map(|p| (code / p % 3) as i8 - 1);
                let zeros = signs.iter().filter(|&&s| s == 0).count();
                // Full enumeration; the three-fold warps on one tetrahedron only, which is enough:
                // without diagonals the others are its mirror images.
                if signs.iter().all(|&s| s <= 0) || (zeros == 3 && kind > 0) {
                    continue;
                }
                for choice in 0..warps.len().pow(zeros as u32) {
                    let (mut at, mut rest) = (sites.map(position), choice);
                    let mut drawn = [[0; 3]; 4];
                    for i in (0..4).filter(|&i| signs[i] == 0) {
                        let (to, alpha) = warps[rest % warps.len()];
                        rest /= warps.len();
                        drawn[i] = std::array::from_fn(|k| sites[i][k] + to[k]);
                        at[i] = lerp(at[i], position(drawn[i]), alpha);
                    }
                    // One cut point does not draw both ends of its edge.
                    let both = |i: usize, j: usize| drawn[i] == sites[j] && drawn[j] == sites[i];
                    if (0..4).any(|i| (0..i).any(|j| both(i, j))) {
                        continue;
                    }
                    for cuts in 0..if zeros == 3 { 1 } else { 64 } {
                        let near = std::array::from_fn(|e| cuts >> e & 1 == 1);
                        let (low, high, volume) = extremes(signs, sites, at, near);
                        assert!(volume > 0.01, "{signs:?} {volume}");
                        (lowest, highest) = (lowest.min(low), highest.max(high));
                    }
                }
            }
        }
        assert!(lowest > DIHEDRAL_BOUNDS.0 && lowest < DIHEDRAL_BOUNDS.0 + 0.2, "{lowest}");
        assert!(highest < DIHEDRAL_BOUNDS.1 && highest > DIHEDRAL_BOUNDS.1 - 0.2, "{highest}");
    }
}

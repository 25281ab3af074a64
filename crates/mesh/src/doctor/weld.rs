//! Vertices that are one vertex twice.

use pliant_algebra::vec3::{Vec3, distance, is_finite};

use crate::spatial::Aabb;
use crate::topology::UnionFind;

/// Members of a crowded grid cell that are compared with those of its neighbours.
const SAMPLE: usize = 4;

/// Which vertices are the same.
pub(super) struct Same {
    /// For each vertex, the first one at exactly the same place: itself, where it is the first.
    pub(super) exact: Vec<u32>,
    /// The same with those very close by.
    pub(super) close: Vec<u32>,
    /// The distance that counts as close, m.
    pub(super) tolerance: f64,
}

/// Finds the vertices that are at one place, and those within `relative` times the diagonal of the
/// bounding box. Vertices of one element (`stride` of the `nodes`) are never taken for one because
/// they are close: that element is small, and merging would destroy it.
pub(super) fn same_vertices(
    vertices: &[Vec3],
    nodes: &[u32],
    stride: usize,
    relative: f64,
) -> Same {
    let tolerance = relative * Aabb::of(vertices).diagonal();
    let exact = first_at_same_place(vertices);
    let mut close = first_nearby(vertices, &exact, tolerance);
    let mut torn = vec![false; vertices.len()];
    for element in nodes.chunks_exact(stride) {
        for (i, &v) in element.iter().enumerate() {
            let joined = |&w: &u32| {
                close[w as usize] == close[v as usize] && exact[w as usize] != exact[v as usize]
            };
            torn[close[v as usize] as usize] |= element[..i].iter().any(joined);
        }
    }
    for (close, &exact) in close.iter_mut().zip(&exact) {
        if torn[*close as usize] {
            *close = exact;
        }
    }
    Same { exact, close, tolerance }
}

/// For each vertex, the first one at exactly the same place: itself, where it is the first.
/// Vertices that are not finite are never the same.
fn first_at_same_place(vertices: &[Vec3]) -> Vec<u32> {
    // Adding zero turns −0 into 0, which is the same place.
    let key = |v: u32| vertices[v as usize].map(|c| c + 0.0);
    let compare = |a: Vec3, b: Vec3| {
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]))
    };
    let mut order: Vec<u32> =
        (0..vertices.len() as u32).filter(|&v| is_finite(vertices[v as usize])).collect();
    order.sort_unstable_by(|&a, &b| compare(key(a), key(b)).then(a.cmp(&b)));
    let mut first: Vec<u32> = (0..vertices.len() as u32).collect();
    for same in order.chunk_by(|&a, &b| compare(key(a), key(b)).is_eq()) {
        for &v in same {
            first[v as usize] = same[0];
        }
    }
    first
}

/// For each vertex, the first one of its cluster, given [`first_at_same_place`]: vertices within
/// `tolerance` of each other are in one cluster, those beyond √3 times that never directly.
///
/// Vertices are put into the cells of a grid as wide as the tolerance, and the cells sorted. All in
/// one cell are united; of neighbouring cells, those that are close enough. In a cell crowded with
/// more than a few different vertices only some are compared with the next cells, which keeps the
/// time proportional to n log n whatever the input.
fn first_nearby(vertices: &[Vec3], same: &[u32], tolerance: f64) -> Vec<u32> {
    let mut clusters = UnionFind::new(vertices.len());
    for (v, &first) in same.iter().enumerate() {
        clusters.unite(first, v as u32);
    }
    if tolerance > 0.0 && tolerance.is_finite() {
        unite_close(vertices, same, tolerance, &mut clusters);
    }
    (0..vertices.len() as u32).map(|v| clusters.find(v)).collect()
}

fn unite_close(vertices: &[Vec3], same: &[u32], tolerance: f64, clusters: &mut UnionFind) {
    let origin = Aabb::of(vertices).min;
    let mut members: Vec<([i64; 3], u32)> = (0..vertices.len() as u32)
        .filter(|&v| same[v as usize] == v && is_finite(vertices[v as usize]))
        .map(|v| {
            let p = vertices[v as usize];
            (std::array::from_fn(|i| ((p[i] - origin[i]) / tolerance).floor() as i64), v)
        })
        .collect();
    members.sort_unstable();
    let cells: Vec<&[([i64; 3], u32)]> = members.chunk_by(|a, b| a.0 == b.0).collect();
    // Half of the 26 neighbours, as rows along z. The cells come sorted, and so do the beginnings
    // of the rows next to them: one pointer for each row only ever moves forward.
    const ROWS: [[i64; 2]; 5] = [[0, 0], [0, 1], [1, -1], [1, 0], [1, 1]];
    let mut pointers = [0; ROWS.len()];
    for (index, cell) in cells.iter().enumerate() {
        for &(_, v) in &cell[1..] {
            clusters.unite(cell[0].1, v);
        }
        let [x, y, z] = cell[0].0;
        for ([dx, dy], pointer) in ROWS.into_iter().zip(&mut pointers) {
            let at = |z| [x.saturating_add(dx), y.saturating_add(dy), z];
            let (from, to) = (at(z.saturating_sub(1)), at(z.saturating_add(1)));
            while cells.get(*pointer).is_some_and(|c| c[0].0 < from) {
                *pointer += 1;
            }
            let row = cells[*pointer..].iter().take_while(|c| c[0].0 <= to).take(3);
            for other in row.filter(|c| c[0].0 != cells[index][0].0) {
                for &(_, v) in cell.iter().take(SAMPLE) {
                    for &(_, w) in other.iter().take(SAMPLE) {
                        if distance(vertices[v as usize], vertices[w as usize]) <= tolerance {
                            clusters.unite(v, w);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(vertices: &[Vec3], tolerance: f64) -> Vec<u32> {
        first_nearby(vertices, &first_at_same_place(vertices), tolerance)
    }

    #[test]
    fn zero_and_minus_zero_are_one_place_and_nan_is_none() {
        let n = f64::NAN;
        let same = first_at_same_place(&[[0.0; 3], [n; 3], [-0.0; 3], [n; 3], [0.0, 0.0, 1.0]]);
        assert_eq!(same, [0, 1, 0, 3, 4]);
    }

    #[test]
    fn close_pairs_are_found_in_every_direction() {
        // Every displacement within the tolerance, from points placed anywhere in the grid.
        for k in 0..500u32 {
            let r = |m: u32| f64::from(k.wrapping_mul(m).wrapping_add(m) % 97) / 97.0;
            let p = [1.0 + r(31), 1.0 + r(57), 1.0 + r(83)];
            let d = [r(5) - 0.5, r(11) - 0.5, r(23) - 0.5].map(|c| 1.15 * c * 1e-3);
            let close = [p[0] + d[0], p[1] + d[1], p[2] + d[2]];
            let far = [p[0] + 4e-3, p[1], p[2]];
            assert_eq!(cluster(&[[0.0; 3], far, p, close], 1e-3), [0, 1, 2, 2], "{p:?} {d:?}");
        }
    }

    #[test]
    fn a_lattice_at_twice_the_tolerance_stays_apart() {
        let mut points = Vec::new();
        for i in 0..1000 {
            points.push([f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100)]);
        }
        let expected: Vec<u32> = (0..1000).collect();
        assert_eq!(cluster(&points, 0.5), expected);
        assert!(cluster(&points, 1.01).iter().all(|&c| c == 0));
        assert_eq!(cluster(&points, f64::INFINITY), expected);
    }
}

//! Nested dissection of regular grids (George 1973): the separator is a layer of vertices in a
//! coordinate plane.

use pliant_algebra::vec3::Vec3;

/// Coordinates closer than this part of the body's size lie in one plane.
const SAME_PLANE: f64 = 1e-6;

/// Cuts at the middle plane of the axis that has the most of them, which on a grid is the smallest
/// layer. On meshes that are no grids the order is one of many: the planes separate nothing.
pub(super) fn order(positions: &[Vec3]) -> Vec<u32> {
    let n = positions.len();
    let planes = [0, 1, 2].map(|axis| planes_of(positions, axis));
    // Separators get the highest numbers: they are dealt from the top, before the two sides.
    let mut order = vec![0_u32; n];
    let mut top = n;
    let mut open = vec![(0..n as u32).collect::<Vec<u32>>()];
    while let Some(set) = open.pop() {
        let mut best: Option<(usize, usize, Vec<u32>)> = None;
        for (axis, plane) in planes.iter().enumerate() {
            let mut used: Vec<u32> = set.iter().map(|&v| plane[v as usize]).collect();
            used.sort_unstable();
            used.dedup();
            if best.as_ref().is_none_or(|b| used.len() > b.0) {
                best = Some((used.len(), axis, used));
            }
        }
        let Some((count, axis, used)) = best else { continue };
        if count < 3 {
            top -= set.len();
            order[top..top + set.len()].copy_from_slice(&set);
            continue;
        }
        let cut = used[count / 2];
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for v in set.into_iter().rev() {
            match planes[axis][v as usize].cmp(&cut) {
                std::cmp::Ordering::Less => left.push(v),
                std::cmp::Ordering::Greater => right.push(v),
                std::cmp::Ordering::Equal => {
                    top -= 1;
                    order[top] = v;
                }
            }
        }
        left.reverse();
        right.reverse();
        open.push(left);
        open.push(right);
    }
    order
}

/// The number of the plane each vertex lies in, along one axis.
fn planes_of(positions: &[Vec3], axis: usize) -> Vec<u32> {
    let mut by_place: Vec<u32> = (0..positions.len() as u32).collect();
    let at = |v: u32| positions[v as usize][axis];
    by_place.sort_unstable_by(|&a, &b| at(a).total_cmp(&at(b)).then(a.cmp(&b)));
    let mut size = 0.0_f64;
    for k in 0..3 {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for p in positions {
            (low, high) = (low.min(p[k]), high.max(p[k]));
        }
        size = size.max(high - low);
    }
    let mut plane = vec![0_u32; positions.len()];
    let mut number = 0;
    for pair in by_place.windows(2) {
        number += u32::from(at(pair[1]) - at(pair[0]) > SAME_PLANE * size);
        plane[pair[1] as usize] = number;
    }
    plane
}

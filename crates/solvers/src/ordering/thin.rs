//! Nested dissection with thin separators: the planes of Zhuang and Canny, but of the vertices beside
//! a plane only those on one side that are coupled to the other. About half of a layer of elements.

use pliant_algebra::vec3::Vec3;

use super::Graph;

/// Sets of at most this many vertices are not cut any more.
const LEAF: usize = 8;

/// Cuts at the median along the axis with the smallest separator.
pub(super) fn order(graph: &Graph, positions: &[Vec3]) -> Vec<u32> {
    let n = graph.vertices();
    let mut order = vec![0_u32; n];
    let mut top = n;
    let mut number = |set: &[u32]| {
        top -= set.len();
        order[top..top + set.len()].copy_from_slice(set);
    };
    // Which set a vertex is in, and on which side of the plane of the moment.
    let mut member = vec![0_u32; n];
    let mut high = vec![false; n];
    let mut median = Vec::new();
    let mut rounds = 0_u32;
    let mut open = vec![(0..n as u32).collect::<Vec<u32>>()];
    while let Some(set) = open.pop() {
        rounds += 1;
        for &v in &set {
            member[v as usize] = rounds;
        }
        let mut best: Option<(Vec<u32>, usize, f64)> = None;
        for axis in (0..3).filter(|_| set.len() > LEAF) {
            median.clear();
            median.extend(set.iter().map(|&v| positions[v as usize][axis]));
            let (_, &mut plane, _) = median.select_nth_unstable_by(set.len() / 2, f64::total_cmp);
            let mut count = 0;
            for &v in &set {
                high[v as usize] = positions[v as usize][axis] >= plane;
                count += usize::from(high[v as usize]);
            }
            if count == set.len() {
                continue;
            }
            let coupled = |&v: &u32| {
                graph
                    .neighbours(v as usize)
                    .iter()
                    .any(|&w| member[w as usize] == rounds && high[w as usize] != high[v as usize])
            };
            let (above, below): (Vec<u32>, Vec<u32>) =
                set.iter().filter(|v| coupled(v)).partition(|&&v| high[v as usize]);
            let thinner = if above.len() < below.len() { above } else { below };
            if best.as_ref().is_none_or(|b| thinner.len() < b.0.len()) {
                best = Some((thinner, axis, plane));
            }
        }
        let Some((separator, axis, plane)) = best else {
            number(&set);
            continue;
        };
        number(&separator);
        for &v in &separator {
            member[v as usize] = 0;
        }
        let (left, right): (Vec<u32>, Vec<u32>) = set
            .into_iter()
            .filter(|&v| member[v as usize] != 0)
            .partition(|&v| positions[v as usize][axis] < plane);
        open.push(left);
        open.push(right);
    }
    order
}

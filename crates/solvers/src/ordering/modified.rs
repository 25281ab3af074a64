//! Modified nested dissection of Zhuang and Canny (Real-time Global Deformations, §5.1): the
//! separator is the layer of elements that an axis plane cuts, so that no grid is needed.

use pliant_algebra::vec3::Vec3;

/// An element's extent and middle along each axis.
struct Extent {
    low: Vec3,
    high: Vec3,
    centroid: Vec3,
}

/// The plane runs through the median of the elements' centroids, along the axis where it cuts the
/// fewest. Cut elements are dissected in their turn, and get the highest numbers.
pub(super) fn order(
    vertices: usize,
    positions: &[Vec3],
    elements: &[u32],
    nodes: usize,
) -> Vec<u32> {
    let extents: Vec<Extent> =
        elements.chunks_exact(nodes).map(|element| extent(positions, element)).collect();
    let mut order = vec![0_u32; vertices];
    let mut seen = vec![false; vertices];
    let mut top = vertices;
    let mut number = |set: &[u32]| {
        for &e in set {
            for &v in &elements[e as usize * nodes..(e as usize + 1) * nodes] {
                if !std::mem::replace(&mut seen[v as usize], true) {
                    top -= 1;
                    order[top] = v;
                }
            }
        }
    };
    let mut median = Vec::new();
    // A list instead of calls: how deep the sets lie in one another is the mesh's affair.
    let mut open = vec![(0..extents.len() as u32).collect::<Vec<u32>>()];
    while let Some(set) = open.pop() {
        let cut = (0..3)
            .filter(|_| set.len() > 1)
            .filter_map(|axis| dissector(&extents, &set, axis, &mut median))
            .min_by_key(|&(cut, axis, _)| (cut, axis));
        match cut {
            Some((_, axis, plane)) => {
                let (mut left, mut middle, mut right) = (Vec::new(), Vec::new(), Vec::new());
                for e in set {
                    let extent = &extents[e as usize];
                    if extent.high[axis] < plane {
                        left.push(e);
                    } else if extent.low[axis] >= plane {
                        right.push(e);
                    } else {
                        middle.push(e);
                    }
                }
                // Last in, first out: the middle is numbered before the sides.
                open.push(right);
                open.push(left);
                open.push(middle);
            }
            None => number(&set),
        }
    }
    // Vertices of no element are coupled to nobody, as far as is known: they come first.
    for v in (0..vertices).rev() {
        if !seen[v] {
            top -= 1;
            order[top] = v as u32;
        }
    }
    order
}

fn extent(positions: &[Vec3], element: &[u32]) -> Extent {
    let mut e =
        Extent { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3], centroid: [0.0; 3] };
    for &v in element {
        let p = positions[v as usize];
        for k in 0..3 {
            e.low[k] = e.low[k].min(p[k]);
            e.high[k] = e.high[k].max(p[k]);
            e.centroid[k] += p[k] / element.len() as f64;
        }
    }
    e
}

/// How many elements the plane through the median cuts, the axis, and where it lies; nothing where the
/// separator or one side would take everything, as dissection would never end. Elements that touch the plane
/// from below count as cut: otherwise both sides could share vertices on it.
fn dissector(
    extents: &[Extent],
    set: &[u32],
    axis: usize,
    median: &mut Vec<f64>,
) -> Option<(usize, usize, f64)> {
    median.clear();
    median.extend(set.iter().map(|&e| extents[e as usize].centroid[axis]));
    let (_, &mut plane, _) = median.select_nth_unstable_by(set.len() / 2, f64::total_cmp);
    let (mut cut, mut right) = (0, 0);
    for &e in set {
        let extent = &extents[e as usize];
        if extent.low[axis] >= plane {
            right += 1;
        } else if extent.high[axis] >= plane {
            cut += 1;
        }
    }
    let left = set.len() - cut - right;
    (left.max(cut).max(right) < set.len()).then_some((cut, axis, plane))
}

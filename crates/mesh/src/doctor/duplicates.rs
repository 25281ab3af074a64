//! Elements that have the same vertices.

use crate::topology::Grouped;

/// For each of the elements in `nodes`, of `stride` nodes each, the first element whose first
/// `corners` nodes (at most eight) are the same vertices in any order: itself, where it is the
/// first.
pub(super) fn first_alike(
    nodes: &[u32],
    stride: usize,
    corners: usize,
    vertices: usize,
) -> Vec<u32> {
    let elements = || nodes.chunks_exact(stride).map(|element| &element[..corners]);
    let lowest = |element: &[u32]| element.iter().copied().min().unwrap_or(0);
    let by_lowest = Grouped::new(vertices, || elements().map(lowest).zip(0u32..));
    let mut first: Vec<u32> = (0..by_lowest.items.len() as u32).collect();
    let mut keys: Vec<([u32; 8], u32)> = Vec::new();
    for vertex in 0..vertices {
        keys.clear();
        keys.extend(by_lowest.of(vertex).iter().map(|&index| {
            let begin = index as usize * stride;
            let mut key = [u32::MAX; 8];
            key[..corners].copy_from_slice(&nodes[begin..begin + corners]);
            key[..corners].sort_unstable();
            (key, index)
        }));
        keys.sort_unstable();
        for alike in keys.chunk_by(|a, b| a.0 == b.0) {
            for &(_, index) in alike {
                first[index as usize] = alike[0].1;
            }
        }
    }
    first
}

/// Whether a vertex stands twice among `nodes`.
pub(super) fn repeats(nodes: &[u32]) -> bool {
    (1..nodes.len()).any(|i| nodes[..i].contains(&nodes[i]))
}

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
    let mut keys = Grouped::new(vertices, || {
        nodes.chunks_exact(stride).zip(0u32..).map(|(element, index)| {
            let mut key = [u32::MAX; 8];
            key[..corners].copy_from_slice(&element[..corners]);
            key.sort_unstable();
            (key[0], (key, index))
        })
    });
    let mut first: Vec<u32> = (0..keys.items.len() as u32).collect();
    for vertex in 0..vertices {
        let bucket = keys.of_mut(vertex);
        bucket.sort_unstable();
        for alike in bucket.chunk_by(|a, b| a.0 == b.0) {
            alike.iter().for_each(|&(_, index)| first[index as usize] = alike[0].1);
        }
    }
    first
}

/// Whether a vertex stands twice among `nodes`.
pub(super) fn repeats(nodes: &[u32]) -> bool {
    (1..nodes.len()).any(|i| nodes[..i].contains(&nodes[i]))
}

//! The order the vertices come in.

/// 0, 1, 2, …
pub(super) fn order(vertices: usize) -> Vec<u32> {
    (0..vertices as u32).collect()
}

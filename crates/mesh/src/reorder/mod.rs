//! Reordering of vertices and cells for locality.
//!
//! A [`Permutation`] says which old item stands where; [`hilbert_vertices`] and
//! [`cuthill_mckee`] order vertices, [`hilbert_cells`] and [`cells_by_lowest_vertex`] cells, and
//! [`reordered`] applies both. [`bandwidth`] and [`mean_index_distance`] say what it brought.

mod apply;
mod cuthill_mckee;
mod hilbert;
mod permutation;

pub use apply::{bandwidth, cells_by_lowest_vertex, mean_index_distance, reordered};
pub use cuthill_mckee::{cuthill_mckee, cuthill_mckee_of};
pub use hilbert::{hilbert_cells, hilbert_key, hilbert_points, hilbert_vertices};
pub use permutation::Permutation;

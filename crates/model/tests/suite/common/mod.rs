//! Bodies that tests share.

use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::BoxShape;
use pliant_model::Elastic;

/// A bar of 1 m × 0.2 m × 0.2 m.
pub(crate) fn bar(cells: [usize; 3]) -> VolumeMesh {
    BoxShape { size: [1.0, 0.2, 0.2], cells, ..BoxShape::default() }.generate().unwrap()
}

/// Soft rubber.
pub(crate) fn rubber() -> Elastic {
    Elastic::young("neo-hookean", 1e5, 0.4).unwrap()
}

//! Memory that a body takes, estimated before anything is made of its mesh.

use pliant_forces::ElementName;
use pliant_mesh::CellType;
use pliant_mesh::memory::bytes;
use pliant_units::count;

use crate::error::SceneError;

/// Bytes of a 3×3 block and of the number of its column.
const BLOCK: f64 = 76.0;
/// Vectors of a vertex that methods keep: positions, velocities, residuals, directions and their like.
const VECTORS: f64 = 20.0 * 24.0;

/// Bytes that are needed at the least.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Estimate {
    /// For one matrix: blocks of one triangle.
    matrix: f64,
    /// For all.
    all: f64,
}

/// Estimates a body of such elements. Blocks a vertex are those of one triangle inside of regular meshes: a tet4 mesh has about 7 edges a
/// vertex, a tet10 mesh 13, a hex8 mesh 13, a hex20 mesh 29; each cell keeps the inverse of its rest shape at each quadrature point.
fn estimate(element: ElementName, vertices: usize, cells: usize) -> Estimate {
    let (blocks, points, nodes) = match element.cell_type() {
        CellType::Tet4 => (8.0, 1.0, 4.0),
        CellType::Tet10 => (14.0, 4.0, 10.0),
        CellType::Hex8 => (14.0, 8.0, 8.0),
        CellType::Hex20 => (30.0, 27.0, 20.0),
    };
    let (vertices, cells) = (vertices as f64, cells as f64);
    let matrix = vertices * blocks * BLOCK;
    let of_cells = cells * (points * 80.0 + nodes * 8.0 + 0.5 * nodes * (nodes + 1.0) * 4.0);
    Estimate { matrix, all: matrix + of_cells + vertices * VECTORS }
}

/// Refuses a body that does not fit into the memory that is free.
pub(crate) fn check(
    element: ElementName,
    vertices: usize,
    cells: usize,
    free: Option<u64>,
) -> Result<(), SceneError> {
    let Estimate { matrix, all } = estimate(element, vertices, cells);
    let Some(free) = free.filter(|free| all > *free as f64) else { return Ok(()) };
    let text = format!(
        "{} {} cells with {} vertices need {} of memory at least ({} for a matrix), and {} are free",
        count(cells as u64),
        element.name(),
        count(vertices as u64),
        bytes(all),
        bytes(matrix),
        bytes(free as f64)
    );
    let factor = (all / (free.max(1) as f64)).cbrt();
    let hint = format!(
        "take cells that are {factor:.1} times as long or longer, or a machine with more memory"
    );
    Err(SceneError::new(text).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_numbers() {
        check(ElementName::Tet4, 1000, 5000, Some(1 << 30)).unwrap();
        check(ElementName::Tet4, 1000, 5000, None).unwrap();
        let error = check(ElementName::Hex8, 1_000_000, 990_000, Some(1 << 30)).unwrap_err();
        let text = error.to_string().replace('\u{202f}', ",");
        for words in
            ["990,000 hex8 cells", "1,000,000 vertices", "1.1 GB for a matrix", "1.1 GB are free"]
        {
            assert!(text.contains(words), "'{words}' is not in: {text}");
        }
    }
}

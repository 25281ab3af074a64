//! The unit cube as a grid of cells, mapped anywhere.

use pliant_algebra::vec3::Vec3;

use super::section::Section;
use super::sweep::{Path, sweep, unit_lines};
use super::{CellChoice, check};
use crate::error::{ErrorKind, MeshError};
use crate::refine::to_quadratic;
use crate::volume::VolumeMesh;

/// A grid of `cells` over the unit cube, moved by `map` from (u, v, w) ∈ [0, 1]³ to space. The map
/// must not fold; a mirrored one is accepted. Names the vertex sets `u-min`, `u-max`, `v-min`,
/// `v-max`, `w-min`, `w-max`. Vertices are numbered with u fastest, w slowest. Grading is the map's
/// affair: let it move u before anything else. Middle nodes of quadratic cells are moved by the map too, onto its curved
/// sides.
pub fn mapped_block(
    cells: [usize; 3],
    cell: CellChoice,
    map: impl Fn(Vec3) -> Vec3,
) -> Result<VolumeMesh, MeshError> {
    let names = ["u-min", "u-max", "v-min", "v-max", "w-min", "w-max"];
    if !cell.is_quadratic() {
        return named_block(cells, names, cell, map);
    }
    let mut mesh = to_quadratic(&named_block(cells, names, cell, |p| p)?)?;
    for x in &mut mesh.vertices {
        *x = map(*x);
    }
    mesh.validate()?;
    mesh.orient();
    let flat = |c: &usize| {
        let volume = mesh.cell_volume(*c);
        volume.is_nan() || volume <= 0.0
    };
    match (0..mesh.cell_count()).find(flat) {
        None => Ok(mesh),
        Some(cell) => {
            let message = format!("cell {cell} has volume {:e}", mesh.cell_volume(cell));
            Err(MeshError::new(ErrorKind::Geometry, message).hint("the map folds"))
        }
    }
}

/// The same with other names for the six sides.
pub(super) fn named_block(
    cells: [usize; 3],
    names: [&'static str; 6],
    cell: CellChoice,
    map: impl Fn(Vec3) -> Vec3,
) -> Result<VolumeMesh, MeshError> {
    check::grid("cells", cells)?;
    let lines = cells.map(unit_lines);
    let [a, b, c, d, bottom, top] = names;
    let section = Section::grid(&lines[0], &lines[1], [a, b, c, d])?;
    let path = Path { stations: &lines[2], ends: Some([bottom, top]) };
    cell.apply(sweep(&section, &path, |[u, v], w| map([u, v, w]))?)
}

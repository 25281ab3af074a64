//! Errors of a material in a cell.

use pliant_algebra::vec3::Vec3;
use pliant_units::vector;

use crate::error::{Location, SceneError};
use crate::spec::cell_quantity::{CellValues, MeshData};

/// Where in a mesh something is wrong.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) cell: usize,
    /// The quadrature point, from 0, where it is not the same in all of the cell.
    pub(super) point: Option<usize>,
    /// At rest, m.
    pub(super) at: Vec3,
}

/// An error in a cell, with the numbers that the mesh file or a formula has for it.
pub(super) fn in_cell(
    error: impl Into<SceneError> + std::fmt::Display,
    spot: Spot,
    values: &[CellValues<'_>],
    data: MeshData<'_>,
) -> SceneError {
    in_cell_at(error, spot, values, (data, &data.body.location))
}

/// The same with the location where no number has one.
pub(super) fn in_cell_at(
    error: impl Into<SceneError> + std::fmt::Display,
    Spot { cell, point, at }: Spot,
    values: &[CellValues<'_>],
    (data, otherwise): (MeshData<'_>, &Location),
) -> SceneError {
    let (number, body) = (data.body.mesh.file_cell(cell), &data.body.name);
    let sources: Vec<String> = values.iter().filter_map(|v| v.source(cell, at)).collect();
    let mut text = format!("element {number} of body '{body}'");
    if let Some(point) = point {
        text += &format!(", point {} at {}", point + 1, vector(at, "m"));
    }
    if !sources.is_empty() {
        text += &format!(", where {}", sources.join(" and "));
    }
    text += &format!(": {error}");
    let location = values.iter().find_map(CellValues::location);
    error.into().told(text).at(location.unwrap_or(otherwise))
}

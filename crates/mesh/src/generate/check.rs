//! Parameters of generators: what is accepted, and the error that says so.

use crate::error::{ErrorKind, MeshError};
use crate::memory;

/// Lengths outside are refused: their cubes would leave the range of f64.
const LENGTHS: [f64; 2] = [1e-30, 1e30];

/// An error about parameter `name`, which was `found`.
pub(super) fn refuse(name: &str, found: impl std::fmt::Display, accepted: &str) -> MeshError {
    MeshError::new(
        ErrorKind::Geometry,
        format!("parameter '{name}' is {found}, accepted is {accepted}"),
    )
}

/// A length, in m.
pub(super) fn length(name: &str, value: f64) -> Result<(), MeshError> {
    within(name, value, LENGTHS[0], LENGTHS[1])
}

/// A number from `low` to `high`, both included.
pub(super) fn within(name: &str, value: f64, low: f64, high: f64) -> Result<(), MeshError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(refuse(name, format!("{value:?}"), &format!("a number from {low:?} to {high:?}")))
    }
}

/// That `small` is less than `large`.
pub(super) fn less(
    small_name: &str,
    small: f64,
    large_name: &str,
    large: f64,
) -> Result<(), MeshError> {
    if small < large {
        Ok(())
    } else {
        let text = format!("less than '{large_name}', which is {large:?}");
        Err(refuse(small_name, format!("{small:?}"), &text))
    }
}

/// A number of cells.
pub(super) fn count(name: &str, value: usize, least: usize) -> Result<(), MeshError> {
    let most = u32::MAX as usize;
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(refuse(name, value, &format!("a whole number from {least} to {most}")))
    }
}

/// That 32-bit indices can name `vertices` (computed with saturation), and that there is memory for a mesh of so many with as many
/// hexahedra, which is the least that a generator makes.
pub(super) fn vertices(vertices: usize) -> Result<usize, MeshError> {
    memory::check(vertices as f64, vertices as f64, 8).map(|()| vertices)
}

/// The vertices of a grid of `cells`, checked; each count is checked under `name`.
pub(super) fn grid(name: &str, cells: [usize; 3]) -> Result<usize, MeshError> {
    for (axis, n) in ["x", "y", "z"].into_iter().zip(cells) {
        count(&format!("{name} {axis}"), n, 1)?;
    }
    vertices(cells.iter().fold(1, |product: usize, n| product.saturating_mul(n + 1)))
}

/// A table for `count` entries, or an error where memory does not suffice.
pub(super) fn table<T>(count: usize) -> Result<Vec<T>, MeshError> {
    let mut table = Vec::new();
    table.try_reserve_exact(count).map_err(|_| {
        let bytes = count.saturating_mul(size_of::<T>());
        let message =
            format!("the mesh needs {bytes} bytes of memory at once, which are not there");
        MeshError::new(ErrorKind::Geometry, message).hint("use fewer cells")
    })?;
    Ok(table)
}

/// The counts of a disc-shaped section with a square core, swept over `stations`.
pub(super) fn disc_sweep(core: usize, rings: usize, stations: usize) -> Result<(), MeshError> {
    count("core", core, 1)?;
    count("rings", rings, 1)?;
    let rim = core.saturating_mul(4).saturating_mul(rings);
    let section = (core + 1).saturating_mul(core + 1).saturating_add(rim);
    vertices(section.saturating_mul(stations)).map(|_| ())
}

//! Cylinders and tubes.

use super::section::Section;
use super::sweep::{Path, sweep, unit_lines};
use super::{CellChoice, check};
use crate::error::MeshError;
use crate::volume::VolumeMesh;

/// A cylinder about the z axis, from z = 0 to `length`. The section has a square grid in the middle
/// and rings around it. Vertex sets: `outer` (the mantle), `bottom` (z = 0), `top`.
#[derive(Debug, Clone, PartialEq)]
pub struct Cylinder {
    /// Radius, m.
    pub radius: f64,
    /// Length along z, m.
    pub length: f64,
    /// Cells across the square in the middle of the section; four times as many around the rim.
    pub core: usize,
    /// Rings of cells between the square and the mantle; about half of `core` is even.
    pub rings: usize,
    /// Cells along z.
    pub layers: usize,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for Cylinder {
    fn default() -> Self {
        let cell = CellChoice::default();
        Self { radius: 0.5, length: 1.0, core: 4, rings: 2, layers: 6, cell }
    }
}

impl Cylinder {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("radius", self.radius)?;
        check::length("length", self.length)?;
        check::count("layers", self.layers, 1)?;
        check::disc_sweep(self.core, self.rings, self.layers + 1)?;
        let section = Section::disc(self.core, self.rings)?;
        let (r, l) = (self.radius, self.length);
        extrude(&section, self.layers, self.cell, |[x, y], t| [r * x, r * y, l * t])
    }
}

/// A hollow cylinder about the z axis, from z = 0 to `length`.
/// Vertex sets: `inner`, `outer` (the mantles), `bottom` (z = 0), `top`.
#[derive(Debug, Clone, PartialEq)]
pub struct Tube {
    /// Inner radius, m.
    pub inner: f64,
    /// Outer radius, m.
    pub outer: f64,
    /// Length along z, m.
    pub length: f64,
    /// Cells through the wall.
    pub radial: usize,
    /// Cells around, at least 3; an even number for [`CellChoice::Tet5`].
    pub around: usize,
    /// Cells along z.
    pub layers: usize,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for Tube {
    fn default() -> Self {
        let cell = CellChoice::default();
        Self { inner: 0.3, outer: 0.5, length: 1.0, radial: 2, around: 16, layers: 6, cell }
    }
}

impl Tube {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("inner", self.inner)?;
        check::length("outer", self.outer)?;
        check::length("length", self.length)?;
        check::less("inner", self.inner, "outer", self.outer)?;
        check::count("radial", self.radial, 1)?;
        check::count("around", self.around, 3)?;
        check::count("layers", self.layers, 1)?;
        let in_section = (self.radial + 1).saturating_mul(self.around);
        check::vertices(in_section.saturating_mul(self.layers + 1))?;
        let section = Section::annulus([self.inner, self.outer], self.radial, self.around)?;
        extrude(&section, self.layers, self.cell, |[x, y], t| [x, y, self.length * t])
    }
}

fn extrude(
    section: &Section,
    layers: usize,
    cell: CellChoice,
    map: impl Fn([f64; 2], f64) -> [f64; 3],
) -> Result<VolumeMesh, MeshError> {
    let lines = unit_lines(layers);
    let path = Path { stations: &lines, ends: Some(["bottom", "top"]) };
    cell.apply(sweep(section, &path, map)?)
}

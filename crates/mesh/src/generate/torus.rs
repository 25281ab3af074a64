//! Solid rings.

use super::section::Section;
use super::sweep::{Path, sweep};
use super::{CellChoice, check};
use crate::error::MeshError;
use crate::volume::VolumeMesh;

/// A solid torus about the z axis, its middle circle in the plane z = 0.
/// Vertex set: `outer` (the whole surface).
#[derive(Debug, Clone, PartialEq)]
pub struct Torus {
    /// Radius of the middle circle, m.
    pub major: f64,
    /// Radius of the section, m; less than `major`.
    pub minor: f64,
    /// Cells across the square in the middle of the section; four times as many around its rim.
    pub core: usize,
    /// Rings of cells between that square and the surface.
    pub rings: usize,
    /// Cells around the axis, at least 3; an even number for [`CellChoice::Tet5`].
    pub around: usize,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for Torus {
    fn default() -> Self {
        let cell = CellChoice::default();
        Self { major: 0.7, minor: 0.3, core: 4, rings: 2, around: 32, cell }
    }
}

impl Torus {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("major", self.major)?;
        check::length("minor", self.minor)?;
        check::less("minor", self.minor, "major", self.major)?;
        check::count("around", self.around, 3)?;
        check::disc_sweep(self.core, self.rings, self.around)?;
        let section = Section::disc(self.core, self.rings)?;
        let turn = std::f64::consts::TAU / self.around as f64;
        let angles: Vec<f64> = (0..self.around).map(|i| i as f64 * turn).collect();
        // The section's x becomes z and its y the radius: with the angle that is right-handed.
        let map = |[x, y]: [f64; 2], angle: f64| {
            let r = self.major + self.minor * y;
            [r * angle.cos(), r * angle.sin(), self.minor * x]
        };
        self.cell.apply(sweep(&section, &Path { stations: &angles, ends: None }, map)?)
    }
}

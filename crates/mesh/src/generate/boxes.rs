//! Boxes and bars.

use super::jitter::jitter;
use super::section::Section;
use super::sweep::{Path, graded_lines, sweep};
use super::{CellChoice, check};
use crate::error::MeshError;
use crate::volume::VolumeMesh;

/// A box from the origin to `size`, graded and jittered if asked for.
/// Vertex sets: `x-min`, `x-max`, `y-min`, `y-max`, `z-min`, `z-max`.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxShape {
    /// Edge lengths, m.
    pub size: [f64; 3],
    /// Cells along each axis.
    pub cells: [usize; 3],
    /// Along each axis the length of the last cell over that of the first, from 1e-6 to 1e6.
    pub grading: [f64; 3],
    /// How far inner vertices move at random, as a part of their smallest cell, from 0 to 1. Vertices
    /// of the surface stay in their face, those of edges in their edge. No cell is inverted:
    /// vertices move less where one would be.
    pub jitter: f64,
    /// Chooses among the random displacements.
    pub seed: u64,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for BoxShape {
    fn default() -> Self {
        Self {
            size: [1.0; 3],
            cells: [4; 3],
            grading: [1.0; 3],
            jitter: 0.0,
            seed: 0,
            cell: CellChoice::default(),
        }
    }
}

impl BoxShape {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            check::length(&format!("size {name}"), self.size[axis])?;
            check::within(&format!("grading {name}"), self.grading[axis], 1e-6, 1e6)?;
        }
        check::within("jitter", self.jitter, 0.0, 1.0)?;
        check::grid("cells", self.cells)?;
        let lines: [Vec<f64>; 3] = std::array::from_fn(|axis| {
            let unit = graded_lines(self.cells[axis], self.grading[axis]);
            unit.iter().map(|t| t * self.size[axis]).collect()
        });
        let section = Section::grid(&lines[0], &lines[1], ["x-min", "x-max", "y-min", "y-max"])?;
        let path = Path { stations: &lines[2], ends: Some(["z-min", "z-max"]) };
        let mut mesh = self.cell.apply(sweep(&section, &path, |[x, y], z| [x, y, z])?)?;
        if self.jitter > 0.0 {
            let room = lines.map(|line| room(&line));
            let (nx, ny) = (room[0].len(), room[1].len());
            jitter(&mut mesh, self.seed, |v| {
                let at = [v % nx, v / nx % ny, v / (nx * ny)];
                std::array::from_fn(|axis| self.jitter * room[axis][at[axis]])
            });
        }
        Ok(mesh)
    }
}

/// For each grid line the smaller of the two steps beside it; nothing for the first and last.
fn room(line: &[f64]) -> Vec<f64> {
    let mut room = vec![0.0; line.len()];
    for i in 1..line.len().saturating_sub(1) {
        room[i] = (line[i] - line[i - 1]).min(line[i + 1] - line[i]);
    }
    room
}

/// A bar along x, from the origin, with cells as near to cubes as whole numbers allow.
/// Vertex sets as for [`BoxShape`].
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Length along x, m.
    pub length: f64,
    /// Width along y, m.
    pub width: f64,
    /// Height along z, m.
    pub height: f64,
    /// Cells across the smaller of width and height.
    pub across: usize,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for Bar {
    fn default() -> Self {
        Self { length: 1.0, width: 0.1, height: 0.1, across: 2, cell: CellChoice::default() }
    }
}

impl Bar {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("length", self.length)?;
        check::length("width", self.width)?;
        check::length("height", self.height)?;
        check::count("across", self.across, 1)?;
        let size = [self.length, self.width, self.height];
        let cell_size = self.width.min(self.height) / self.across as f64;
        let cells = size.map(|s| cells_over(s, cell_size));
        BoxShape { size, cells, cell: self.cell, ..BoxShape::default() }.linear()
    }
}

/// How many cells of about `cell_size` a length holds.
pub(super) fn cells_over(length: f64, cell_size: f64) -> usize {
    // Casting saturates, and the count is checked afterwards.
    ((length / cell_size).round() as usize).clamp(1, u32::MAX as usize)
}

//! Boxes with a part cut out.

use super::boxes::cells_over;
use super::section::Section;
use super::sweep::{Path, sweep, unit_lines};
use super::{CellChoice, check};
use crate::error::MeshError;
use crate::volume::VolumeMesh;

/// Grid lines that pass through all of `breaks`, with steps of about `cell_size` between them.
fn broken_lines(breaks: &[f64], cell_size: f64) -> Result<Vec<f64>, MeshError> {
    let mut lines = vec![breaks[0]];
    for pair in breaks.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let cells = cells_over(to - from, cell_size);
        check::vertices(lines.len().saturating_add(cells))?;
        lines.extend(unit_lines(cells)[1..].iter().map(|t| from * (1.0 - t) + to * t));
    }
    Ok(lines)
}

/// Refuses too many vertices before anything is allocated for them.
fn check_size(lengths: [f64; 3], cell_size: f64) -> Result<(), MeshError> {
    let counts = lengths.map(|l| (l / cell_size).ceil().min(u32::MAX as f64) as usize);
    check::vertices(counts.iter().fold(1, |product: usize, n| product.saturating_mul(n + 1)))?;
    Ok(())
}

fn extrude(
    section: &Section,
    thickness: f64,
    cell_size: f64,
    cell: CellChoice,
) -> Result<VolumeMesh, MeshError> {
    let stations = broken_lines(&[0.0, thickness], cell_size)?;
    let path = Path { stations: &stations, ends: Some(["z-min", "z-max"]) };
    cell.apply(sweep(section, &path, |[x, y], z| [x, y, z])?)
}

const SIDES: [&str; 4] = ["x-min", "x-max", "y-min", "y-max"];

/// An L in the x-y plane: one leg along x, one along y, meeting at the origin.
/// Vertex sets: `x-min` and `y-min` (the outer sides), `x-max` and `y-max` (the ends of the legs),
/// `z-min`, `z-max`, and `inner` (the two sides at the re-entrant edge).
#[derive(Debug, Clone, PartialEq)]
pub struct LShape {
    /// Outer length of each leg, m.
    pub size: f64,
    /// Width of each leg, m; less than `size`.
    pub width: f64,
    /// Thickness along z, m.
    pub thickness: f64,
    /// Cells across the width of a leg; the others are about as long.
    pub across: usize,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for LShape {
    fn default() -> Self {
        let cell = CellChoice::default();
        Self { size: 1.0, width: 0.5, thickness: 0.25, across: 4, cell }
    }
}

impl LShape {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        let Self { size, width, thickness, .. } = *self;
        check::length("size", size)?;
        check::length("width", width)?;
        check::length("thickness", thickness)?;
        check::less("width", width, "size", size)?;
        check::count("across", self.across, 1)?;
        let cell_size = width / self.across as f64;
        check_size([size, size, thickness], cell_size)?;
        let lines = broken_lines(&[0.0, width, size], cell_size)?;
        let section =
            Section::grid(&lines, &lines, SIDES)?.without("inner", |[x, y]| x > width && y > width);
        extrude(&section, thickness, cell_size, self.cell)
    }
}

/// A bar along x with a rectangular notch in the middle of its upper side (y = `height`).
/// Vertex sets: `x-min`, `x-max`, `y-min`, `y-max`, `z-min`, `z-max`, `notch`.
#[derive(Debug, Clone, PartialEq)]
pub struct NotchedBar {
    /// Length along x, m.
    pub length: f64,
    /// Height along y, m.
    pub height: f64,
    /// Thickness along z, m.
    pub thickness: f64,
    /// Width of the notch along x, m; less than `length`.
    pub notch_width: f64,
    /// Depth of the notch along y, m; less than `height`.
    pub notch_depth: f64,
    /// Cells across the height; the others are about as long.
    pub across: usize,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for NotchedBar {
    fn default() -> Self {
        Self {
            length: 1.0,
            height: 0.2,
            thickness: 0.2,
            notch_width: 0.1,
            notch_depth: 0.1,
            across: 4,
            cell: CellChoice::default(),
        }
    }
}

impl NotchedBar {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        let Self { length, height, thickness, notch_width, notch_depth, .. } = *self;
        check::length("length", length)?;
        check::length("height", height)?;
        check::length("thickness", thickness)?;
        check::length("notch_width", notch_width)?;
        check::length("notch_depth", notch_depth)?;
        check::less("notch_width", notch_width, "length", length)?;
        check::less("notch_depth", notch_depth, "height", height)?;
        check::count("across", self.across, 1)?;
        let cell_size = height / self.across as f64;
        check_size([length, height, thickness], cell_size)?;
        let (left, right) = (0.5 * (length - notch_width), 0.5 * (length + notch_width));
        let floor = height - notch_depth;
        let xs = broken_lines(&[0.0, left, right, length], cell_size)?;
        let ys = broken_lines(&[0.0, floor, height], cell_size)?;
        let section = Section::grid(&xs, &ys, SIDES)?
            .without("notch", |[x, y]| left < x && x < right && y > floor);
        extrude(&section, thickness, cell_size, self.cell)
    }
}

//! Single mapped blocks: the bodies of well-known tests.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use super::block::named_block;
use super::{CellChoice, check};
use crate::error::MeshError;
use crate::volume::{NamedSet, VolumeMesh};

const BOX_SIDES: [&str; 6] = ["x-min", "x-max", "y-min", "y-max", "z-min", "z-max"];
const RING_SIDES: [&str; 6] = ["inner", "outer", "y-min", "x-min", "bottom", "top"];

/// Cook's panel: a tapered cantilever with the corners (0, 0), (48, 44), (48, 60), (0, 44), thick
/// along z. Vertex sets: `x-min` (clamped), `x-max` (loaded), `y-min`, `y-max`, `z-min`, `z-max`.
#[derive(Debug, Clone, PartialEq)]
pub struct CookPanel {
    /// Unit of the numbers above, m: 1 as published, 0.001 for a panel in millimetres.
    pub unit: f64,
    /// Thickness in that unit.
    pub thickness: f64,
    /// Cells along x, y and z.
    pub cells: [usize; 3],
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for CookPanel {
    fn default() -> Self {
        Self { unit: 1.0, thickness: 1.0, cells: [16, 16, 1], cell: CellChoice::default() }
    }
}

impl CookPanel {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("unit", self.unit)?;
        check::length("thickness", self.thickness)?;
        named_block(self.cells, BOX_SIDES, self.cell, |[u, v, w]| {
            let y = (1.0 - v) * 44.0 * u + v * (44.0 + 16.0 * u);
            [48.0 * u, y, self.thickness * w].map(|x| x * self.unit)
        })
    }
}

/// A quarter of a ring about the z axis, in the quadrant of positive x and y: the hollow cylinder
/// in plane strain. Vertex sets: `inner`, `outer`, `x-min` and `y-min` (the planes of symmetry x = 0
/// and y = 0), `bottom` (z = 0), `top`.
#[derive(Debug, Clone, PartialEq)]
pub struct QuarterRing {
    /// Inner radius, m.
    pub inner: f64,
    /// Outer radius, m.
    pub outer: f64,
    /// Thickness along z, m.
    pub thickness: f64,
    /// Cells along the radius, around, and along z.
    pub cells: [usize; 3],
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for QuarterRing {
    fn default() -> Self {
        let cell = CellChoice::default();
        Self { inner: 1.0, outer: 2.0, thickness: 0.1, cells: [8, 12, 1], cell }
    }
}

impl QuarterRing {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("inner", self.inner)?;
        check::length("outer", self.outer)?;
        check::less("inner", self.inner, "outer", self.outer)?;
        check::length("thickness", self.thickness)?;
        named_block(self.cells, RING_SIDES, self.cell, |[u, v, w]| {
            let r = self.inner * (1.0 - u) + self.outer * u;
            let (sin, cos) = quarter_turn(v);
            [r * cos, r * sin, self.thickness * w]
        })
    }
}

/// Sine and cosine of v quarter turns; exactly on the axes at the ends, so that planes of symmetry
/// are planes.
fn quarter_turn(v: f64) -> (f64, f64) {
    if v == 1.0 { (1.0, 0.0) } else { (FRAC_PI_2 * v).sin_cos() }
}

/// A quarter of an elliptic plate in the quadrant of positive x and y: the membrane of NAFEMS LE1
/// and, at a thickness of 0.6, the plate of LE10. Point D of the benchmarks is the inner end of
/// the side y = 0. Vertex sets as for [`QuarterRing`], and with an even number of cells along z
/// `outer-middle` (the line at half the thickness that LE10 supports).
#[derive(Debug, Clone, PartialEq)]
pub struct EllipticPlate {
    /// Half axes of the hole along x and y, m.
    pub inner: [f64; 2],
    /// Half axes of the rim along x and y, m.
    pub outer: [f64; 2],
    /// Thickness along z, m.
    pub thickness: f64,
    /// Cells from the hole to the rim, around, and along z.
    pub cells: [usize; 3],
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for EllipticPlate {
    fn default() -> Self {
        Self {
            inner: [2.0, 1.0],
            outer: [3.25, 2.75],
            thickness: 0.1,
            cells: [8, 12, 1],
            cell: CellChoice::default(),
        }
    }
}

impl EllipticPlate {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        for (axis, name) in ["x", "y"].into_iter().enumerate() {
            let (inner, outer) = (format!("inner {name}"), format!("outer {name}"));
            check::length(&inner, self.inner[axis])?;
            check::length(&outer, self.outer[axis])?;
            check::less(&inner, self.inner[axis], &outer, self.outer[axis])?;
        }
        check::length("thickness", self.thickness)?;
        let mut mesh = named_block(self.cells, RING_SIDES, self.cell, |[u, v, w]| {
            let half_axis = |i: usize| self.inner[i] * (1.0 - u) + self.outer[i] * u;
            let (sin, cos) = quarter_turn(v);
            [half_axis(0) * cos, half_axis(1) * sin, self.thickness * w]
        })?;
        let [radial, around, layers] = self.cells;
        if layers % 2 == 0 {
            let first = layers / 2 * (around + 1);
            let line = (first..=first + around).map(|row| (row * (radial + 1) + radial) as u32);
            mesh.vertex_sets.push(NamedSet::new("outer-middle", line.collect()));
        }
        Ok(mesh)
    }
}

/// The 45° bend: a bar of square section whose axis starts at the origin along +x and curves in
/// the x-y plane about (0, `radius`, 0). With the defaults its tip is at (70.71, 29.29, 0). Vertex sets:
/// `start`, `end`, `outer` and `inner` (far from and near to the centre), `z-min`, `z-max`.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvedBeam {
    /// Radius of the axis, m.
    pub radius: f64,
    /// Width of the section in the plane of the bend, m; less than twice the radius.
    pub width: f64,
    /// Height of the section along z, m.
    pub height: f64,
    /// Angle of the bend in radians, up to a full turn without closing.
    pub angle: f64,
    /// Cells along the axis, across the width, and across the height.
    pub cells: [usize; 3],
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for CurvedBeam {
    fn default() -> Self {
        Self {
            radius: 100.0,
            width: 1.0,
            height: 1.0,
            angle: FRAC_PI_4,
            cells: [64, 2, 2],
            cell: CellChoice::default(),
        }
    }
}

impl CurvedBeam {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("radius", self.radius)?;
        check::length("width", self.width)?;
        check::length("height", self.height)?;
        check::less("width", self.width, "twice the radius", 2.0 * self.radius)?;
        check::within("angle", self.angle, 1e-6, std::f64::consts::TAU * (1.0 - 1e-6))?;
        let names = ["start", "end", "outer", "inner", "z-min", "z-max"];
        named_block(self.cells, names, self.cell, |[u, v, w]| {
            let (sin, cos) = (self.angle * u).sin_cos();
            let r = self.radius - self.width * (v - 0.5);
            [r * sin, self.radius - r * cos, self.height * (w - 0.5)]
        })
    }
}

/// The twisted cantilever of MacNeal and Harder: a straight axis along x, the section turned
/// about it from one end to the other. Vertex sets: `start` (x = 0), `end`, and the sides `y-min`,
/// `y-max`, `z-min`, `z-max`, named as they lie at the start.
#[derive(Debug, Clone, PartialEq)]
pub struct TwistedBeam {
    /// Length along x, m.
    pub length: f64,
    /// Width of the section, along y at the start, m.
    pub width: f64,
    /// Thickness of the section, along z at the start, m.
    pub thickness: f64,
    /// Turn of the section over the length, radians, at most four turns either way.
    pub twist: f64,
    /// Cells along x, across the width, and across the thickness.
    pub cells: [usize; 3],
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for TwistedBeam {
    fn default() -> Self {
        Self {
            length: 12.0,
            width: 1.1,
            thickness: 0.32,
            twist: FRAC_PI_2,
            cells: [48, 4, 2],
            cell: CellChoice::default(),
        }
    }
}

impl TwistedBeam {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("length", self.length)?;
        check::length("width", self.width)?;
        check::length("thickness", self.thickness)?;
        let most = 4.0 * std::f64::consts::TAU;
        check::within("twist", self.twist, -most, most)?;
        let names = ["start", "end", "y-min", "y-max", "z-min", "z-max"];
        named_block(self.cells, names, self.cell, |[u, v, w]| {
            let (sin, cos) = (self.twist * u).sin_cos();
            let (y, z) = (self.width * (v - 0.5), self.thickness * (w - 0.5));
            [self.length * u, y * cos - z * sin, y * sin + z * cos]
        })
    }
}

//! Balls and hollow spheres.

use pliant_algebra::vec3::{Vec3, lerp, scale};

use super::lattice::{
    LatticeSurface, cell_lines, core_point, lattice_surface, on_ball, surface_point_count,
};
use super::{CellChoice, check};
use crate::cell::CellType;
use crate::error::MeshError;
use crate::volume::{NamedSet, VolumeMesh};

/// A ball about the origin: a cube in the middle and six blocks around it, so that no cell is
/// degenerate. Vertex set: `outer`.
#[derive(Debug, Clone, PartialEq)]
pub struct Sphere {
    /// Radius, m.
    pub radius: f64,
    /// Cells along an edge of the cube in the middle.
    pub core: usize,
    /// Layers of cells between that cube and the surface; about half of `core` is even.
    pub rings: usize,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for Sphere {
    fn default() -> Self {
        Self { radius: 0.5, core: 4, rings: 2, cell: CellChoice::default() }
    }
}

impl Sphere {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("radius", self.radius)?;
        check::count("core", self.core, 1)?;
        check::count("rings", self.rings, 1)?;
        let n = self.core;
        let in_core = check::grid("core", [n; 3])?;
        let in_shells = surface_point_count([n; 3]).saturating_mul(self.rings);
        check::vertices(in_core.saturating_add(in_shells))?;

        let lines = cell_lines(n);
        let mut vertices: Vec<Vec3> = check::table(in_core + in_shells)?;
        for z in &lines {
            for y in &lines {
                vertices.extend(lines.iter().map(|x| scale(core_point([*x, *y, *z]), self.radius)));
            }
        }
        let at = |[i, j, k]: [usize; 3]| (i + (n + 1) * (j + (n + 1) * k)) as u32;
        let mut cells = Vec::new();
        for k in 0..n {
            for j in 0..n {
                for i in 0..n {
                    let corner = |[a, b, c]: [usize; 3]| at([i + a, j + b, k + c]);
                    for c in [0, 1] {
                        cells.extend([[0, 0, c], [1, 0, c], [1, 1, c], [0, 1, c]].map(corner));
                    }
                }
            }
        }
        let surface = lattice_surface([n; 3]);
        let inner: Vec<u32> = surface.points.iter().map(|&p| at(p)).collect();
        let mut mesh = VolumeMesh::new(CellType::Hex8, vertices, cells);
        let outer = shells(&mut mesh, &surface, inner, self.rings, |p, t| {
            let p = p.map(|i| lines[i]);
            scale(lerp(core_point(p), on_ball(p), t), self.radius)
        });
        mesh.vertex_sets.push(NamedSet::new("outer", outer));
        self.cell.apply(mesh)
    }
}

/// A hollow sphere about the origin. Vertex sets: `inner`, `outer`.
#[derive(Debug, Clone, PartialEq)]
pub struct HollowSphere {
    /// Inner radius, m.
    pub inner: f64,
    /// Outer radius, m.
    pub outer: f64,
    /// Cells along an edge of each of the six blocks; four times as many around a great circle.
    pub across: usize,
    /// Cells through the wall.
    pub radial: usize,
    /// The cells to make.
    pub cell: CellChoice,
}

impl Default for HollowSphere {
    fn default() -> Self {
        Self { inner: 0.3, outer: 0.5, across: 4, radial: 2, cell: CellChoice::default() }
    }
}

impl HollowSphere {
    pub(super) fn linear(&self) -> Result<VolumeMesh, MeshError> {
        check::length("inner", self.inner)?;
        check::length("outer", self.outer)?;
        check::less("inner", self.inner, "outer", self.outer)?;
        check::count("across", self.across, 1)?;
        check::count("radial", self.radial, 1)?;
        let on_surface = surface_point_count([self.across; 3]);
        check::vertices(on_surface.saturating_mul(self.radial + 1))?;

        let lines = cell_lines(self.across);
        let surface = lattice_surface([self.across; 3]);
        let place = |p: [usize; 3], t: f64| {
            let radius = self.inner * (1.0 - t) + self.outer * t;
            scale(on_ball(p.map(|i| lines[i])), radius)
        };
        let vertices = surface.points.iter().map(|&p| place(p, 0.0)).collect();
        let inner: Vec<u32> = (0..surface.points.len() as u32).collect();
        let mut mesh = VolumeMesh::new(CellType::Hex8, vertices, Vec::new());
        mesh.vertex_sets.push(NamedSet::new("inner", inner.clone()));
        let outer = shells(&mut mesh, &surface, inner, self.radial, place);
        mesh.vertex_sets.push(NamedSet::new("outer", outer));
        self.cell.apply(mesh)
    }
}

/// Grows `layers` layers of hexahedra outward from the vertices `inner` of a lattice's surface;
/// `place` gives the position of a surface point at 0 < t ≤ 1. Returns the outermost vertices.
fn shells(
    mesh: &mut VolumeMesh,
    surface: &LatticeSurface,
    mut inner: Vec<u32>,
    layers: usize,
    place: impl Fn([usize; 3], f64) -> Vec3,
) -> Vec<u32> {
    for layer in 1..=layers {
        let t = layer as f64 / layers as f64;
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(surface.points.iter().map(|&p| place(p, t)));
        let outer: Vec<u32> = (first..mesh.vertices.len() as u32).collect();
        for quad in &surface.quads {
            mesh.cells.extend(quad.map(|v| inner[v as usize]));
            mesh.cells.extend(quad.map(|v| outer[v as usize]));
        }
        inner = outer;
    }
    inner
}

//! What happens before the lattice: checks of the input, its transformation to lattice coordinates,
//! limits and progress.

use std::ops::Range;

use pliant_algebra::vec3::{Vec3, distance, norm, sub};
use rayon::prelude::*;

use crate::error::{ErrorKind, MeshError};
use crate::fill::FillOptions;
use crate::fill::octree::{MAX_COARSENING, MAX_DEPTH};
use crate::fill::repair::{Repaired, repair};
use crate::spatial::Aabb;
use crate::spatial::triangles::area_normal;
use crate::surface::SurfaceMesh;

/// Lattice cells between the body and the rim of the octree.
const PADDING: f64 = 2.0;
/// Tetrahedra in a cell of the lattice.
const TETS_PER_CELL: usize = 12;

/// A surface in lattice coordinates: x = origin + size × x'.
pub(crate) struct Prepared {
    pub origin: Vec3,
    pub size: f64,
    /// Of the body's bounding box, m.
    pub diagonal: f64,
    /// The octree has 2^depth cells along an edge.
    pub depth: u32,
    pub surface: Repaired,
}

/// Checks surface and options and moves the surface to lattice coordinates, where a cell is 1 wide:
/// so the result does not depend on units or on the distance from the origin.
pub(crate) fn prepare(surface: &SurfaceMesh, options: &FillOptions) -> Result<Prepared, MeshError> {
    let geometry = |text: String| MeshError::new(ErrorKind::Geometry, text);
    surface.validate()?;
    let size = options.size;
    let used = surface.triangles.iter().flatten().map(|&v| surface.vertices[v as usize]);
    let bounds = Aabb::around(used);
    let extent = sub(bounds.max, bounds.min);
    let (diagonal, longest) = (norm(extent), extent.into_iter().fold(0.0, f64::max));
    if surface.triangles.is_empty() {
        return Err(geometry("the surface has no triangles".into()));
    }
    if !(diagonal > 0.0 && diagonal.is_finite()) {
        return Err(geometry(format!("the surface measures {extent:?} m, which holds no body")));
    }
    let suggestion =
        format!("the body measures {longest:.3e} m; try a size of {:.3e}", longest / 30.0);
    if !(size > 0.0 && size.is_finite()) {
        return Err(geometry(format!("the size is {size}; it must be positive")).hint(suggestion));
    }
    if size > longest {
        return Err(
            geometry(format!("the size of {size:e} m is larger than the body")).hint(suggestion)
        );
    }
    if options.grading > MAX_COARSENING {
        return Err(geometry(format!("grading {} is beyond {MAX_COARSENING}", options.grading)));
    }
    let cells = longest / size + 2.0 * PADDING;
    let depth = cells.log2().ceil().max(1.0) as u32;
    if !(depth <= MAX_DEPTH) {
        return Err(
            geometry(format!("the body is {cells:.1e} lattice cells long")).hint(suggestion)
        );
    }
    let origin: Vec3 = bounds.min.map(|x| x - PADDING * size);
    let to_lattice =
        |p: Vec3| -> Vec3 { std::array::from_fn(|k| (p[k] - bounds.min[k]) / size + PADDING) };
    let vertices: Vec<Vec3> = surface.vertices.iter().map(|&p| to_lattice(p)).collect();
    let surface = repair(&vertices, &surface.triangles);
    let prepared = Prepared { origin, size, diagonal, depth, surface };
    Budget { prepared: &prepared, tets: options.max_tets }
        .check(prepared.cells(options.grading))?;
    Ok(prepared)
}

impl Prepared {
    /// Estimated number of lattice cells, rather too low than too high.
    fn cells(&self, grading: u32) -> usize {
        let area: f64 = self.surface.triangles.iter().map(|&t| norm(area_normal(t))).sum();
        let bulk = if grading == 0 { self.surface.volume.abs() } else { 0.0 };
        bulk.max(area) as usize
    }

    /// Back from lattice coordinates, m.
    pub(crate) fn to_world(&self, p: Vec3) -> Vec3 {
        std::array::from_fn(|k| self.origin[k] + self.size * p[k])
    }
}

/// How many tetrahedra may be made.
pub(crate) struct Budget<'a> {
    pub prepared: &'a Prepared,
    pub tets: usize,
}

impl Budget<'_> {
    /// Refuses a lattice of that many cells if it is too large.
    pub(crate) fn check(&self, cells: usize) -> Result<(), MeshError> {
        let tets = cells.saturating_mul(TETS_PER_CELL);
        if tets <= self.tets {
            return Ok(());
        }
        let size = self.prepared.size;
        let better = size * (tets as f64 / self.tets.max(1) as f64).cbrt() * 1.2;
        Err(MeshError::new(
            ErrorKind::Geometry,
            format!(
                "size {size:e} needs about {tets:.1e} tetrahedra; the limit is {:.1e}",
                self.tets
            ),
        )
        .hint(format!("try a size of {better:.2e}, or raise the limit")))
    }
}

/// Tells the caller how far the work is, and stops it on request.
pub(crate) struct Progress<'a>(pub &'a dyn Fn(f64) -> bool);

impl Progress<'_> {
    pub(crate) fn report(&self, done: f64) -> Result<(), MeshError> {
        if (self.0)(done) {
            Ok(())
        } else {
            Err(MeshError::new(ErrorKind::Geometry, "filling was stopped on request"))
        }
    }

    /// Maps all items on all threads, in order, reporting in between.
    pub(crate) fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        range: Range<f64>,
        f: impl Fn(&T) -> R + Sync,
    ) -> Result<Vec<R>, MeshError> {
        const CHUNK: usize = 1 << 14;
        let mut out = Vec::with_capacity(items.len());
        for chunk in items.chunks(CHUNK) {
            let done = out.len() as f64 / items.len() as f64;
            self.report(range.start + done * (range.end - range.start))?;
            out.par_extend(chunk.par_iter().map(&f));
        }
        Ok(out)
    }
}

/// Whether the surface encloses anything at all: a point just behind one of its largest triangles
/// is inside.
pub(crate) fn encloses_something(triangles: &[[Vec3; 3]], inside: impl Fn(Vec3) -> bool) -> bool {
    let mut by_area: Vec<(f64, usize)> =
        triangles.iter().enumerate().map(|(i, &t)| (norm(area_normal(t)), i)).collect();
    by_area.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    by_area.iter().take(1000).any(|&(area, i)| {
        let [a, b, c] = triangles[i];
        let normal = area_normal([a, b, c]);
        let depth = 1e-4 * distance(a, b).max(distance(a, c));
        let middle = crate::spatial::triangles::centroid([a, b, c]);
        inside(std::array::from_fn(|k| middle[k] - depth * normal[k] / area))
    })
}

//! Filling a closed surface with tetrahedra by isosurface stuffing.
//!
//! A body-centred cubic lattice is laid over the body; lattice points too close to the surface are
//! moved onto it, and the tetrahedra that it still cuts are replaced by small stencils (Labelle and
//! Shewchuk, "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles", 2007). All
//! dihedral angles lie within [`DIHEDRAL_BOUNDS`] whatever the surface. Inside is where the
//! generalized winding number exceeds one half, so that small holes, self-intersections and
//! repeated triangles do not matter. Features thinner than the lattice are lost, and sharp edges
//! are bevelled over one cell.

mod field;
mod lattice;
mod octree;
mod prepare;
mod repair;
mod report;
mod stencil;
mod warp;

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError, Note};
use crate::quality;
use crate::spatial::{Hausdorff, TriangleTree, hausdorff};
use crate::surface::SurfaceMesh;
use crate::topology::{boundary_faces, polygon_edges};
use crate::volume::VolumeMesh;

pub use report::{DIHEDRAL_BOUNDS, FillReport};

/// How to fill.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FillOptions {
    /// Length of the lattice's long edges, m; the short ones measure 0.87 of it.
    pub size: f64,
    /// How many times the edge length may double towards the inside; 0 keeps it uniform.
    pub grading: u32,
    /// Refuse to make more tetrahedra than about this.
    pub max_tets: usize,
}

impl FillOptions {
    /// A uniform filling of that edge length.
    pub fn new(size: f64) -> Self {
        Self { size, ..Self::default() }
    }
}

impl Default for FillOptions {
    /// The size must be set.
    fn default() -> Self {
        Self { size: f64::NAN, grading: 0, max_tets: 50_000_000 }
    }
}

/// A filled body.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// Its tetrahedra.
    pub mesh: VolumeMesh,
    /// How well they represent the surface.
    pub report: FillReport,
}

/// Fills the inside of `surface`. `progress` is told the fraction done, from this thread, and stops
/// the work by returning false.
///
/// ```
/// use pliant_mesh::{SurfaceMesh, fill::{FillOptions, fill}};
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let faces = vec![[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]];
/// let surface = SurfaceMesh::new(corners.to_vec(), faces);
/// let filled = fill(&surface, &FillOptions::new(0.05), &|_| true)?;
/// assert!(filled.report.volume_error < 0.03);
/// assert!(filled.report.min_dihedral > 10.7);
/// # Ok::<(), pliant_mesh::MeshError>(())
/// ```
pub fn fill(
    surface: &SurfaceMesh,
    options: &FillOptions,
    progress: &dyn Fn(f64) -> bool,
) -> Result<Filled, MeshError> {
    let progress = prepare::Progress(progress);
    progress.report(0.0)?;
    let prepared = prepare::prepare(surface, options)?;
    let tree = TriangleTree::new(prepared.surface.triangles.clone());
    let field = field::Field::new(&tree, prepared.surface.open_edges == 0);
    progress.report(0.05)?;
    let budget = prepare::Budget { prepared: &prepared, tets: options.max_tets };
    let cells = octree::cells(&field, prepared.depth, options.grading, &budget)?;
    let lattice = lattice::lattice(&cells, &field, &progress)?;
    drop(cells);
    let stuffed = warp::stuff(lattice, &field, &progress)?;
    if stuffed.tets.is_empty() {
        return Err(nothing_inside(&prepared, &field));
    }
    progress.report(0.7)?;
    let (mesh, report) = measured(stuffed, &prepared, &tree);
    progress.report(1.0)?;
    Ok(Filled { mesh, report })
}

fn nothing_inside(prepared: &prepare::Prepared, field: &field::Field<'_>) -> MeshError {
    let error = |text: String| MeshError::new(ErrorKind::Geometry, text);
    let open = prepared.surface.open_edges;
    if prepare::encloses_something(&prepared.surface.triangles, |p| field.inside(p)) {
        error(format!("the body is thinner than the size of {:e} m everywhere", prepared.size))
            .hint(format!("try a size of {:.2e}", prepared.size / 4.0))
    } else {
        error(format!("the surface encloses nothing ({open} open edges)"))
            .hint("close its holes, or give it a thickness")
    }
}

/// Returns the mesh to its place and measures it.
fn measured(
    stuffed: warp::Stuffed,
    prepared: &prepare::Prepared,
    surface: &TriangleTree,
) -> (VolumeMesh, FillReport) {
    let warp::Stuffed { vertices, tets } = stuffed;
    let mut mesh = VolumeMesh::new(CellType::Tet4, vertices, tets.into_flattened());
    let quality = quality::cells(&mesh);
    let volume: f64 = (0..mesh.cell_count()).map(|c| mesh.cell_volume(c)).sum();
    let faces = boundary_faces(&mesh).vertices;
    let pinched_edges = polygon_edges(&faces, 3, mesh.vertex_count()).non_manifold.len();
    let (faces, _) = faces.as_chunks::<3>();
    let corners = |f: &[u32; 3]| f.map(|v| mesh.vertices[v as usize]);
    let rim = TriangleTree::new(faces.iter().map(corners).collect());
    let distances = hausdorff::between(surface, &rim);

    for p in &mut mesh.vertices {
        *p = prepared.to_world(*p);
    }
    let inverted = (0..mesh.cell_count()).filter(|&c| mesh.cell_volume(c) <= 0.0).count();

    let (size, repaired) = (prepared.size, &prepared.surface);
    let mut report = FillReport {
        min_dihedral: quality.iter().map(|q| q.min_dihedral).fold(180.0, f64::min),
        max_dihedral: quality.iter().map(|q| q.max_dihedral).fold(0.0, f64::max),
        bounds: DIHEDRAL_BOUNDS,
        volume: volume * size.powi(3),
        surface_volume: repaired.volume * size.powi(3),
        volume_error: ((volume - repaired.volume) / repaired.volume).abs(),
        hausdorff: Hausdorff {
            forward: distances.forward * size,
            backward: distances.backward * size,
        },
        hausdorff_relative: distances.symmetric() * size / prepared.diagonal,
        open_edges: repaired.open_edges,
        degenerate_triangles: repaired.degenerate,
        repeated_triangles: repaired.repeated,
        turned_triangles: repaired.turned,
        flipped_orientation: repaired.flipped,
        pinched_edges,
        inverted,
        notes: Vec::new(),
    };
    report.notes = notes(&report);
    (mesh, report)
}

fn notes(report: &FillReport) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut assumed = |happened: bool, text: String| {
        if happened {
            notes.push(Note::Assumed(text));
        }
    };
    let r = report;
    assumed(r.flipped_orientation, "the surface was inside out and was turned round".into());
    assumed(
        r.turned_triangles > 0,
        format!(
            "{} triangles were turned round to agree with their neighbours",
            r.turned_triangles
        ),
    );
    assumed(
        r.open_edges > 0,
        format!("the surface is open at {} edges; the winding number closed it", r.open_edges),
    );
    assumed(
        r.pinched_edges > 0,
        format!(
            "the mesh hangs together by an edge at {} places, where the body is thinner than the size",
            r.pinched_edges
        ),
    );
    for (count, what) in [
        (r.degenerate_triangles, "triangles without area"),
        (r.repeated_triangles, "repeated triangles"),
    ] {
        if count > 0 {
            notes.push(Note::Skipped(format!("{count} {what} were ignored")));
        }
    }
    notes
}

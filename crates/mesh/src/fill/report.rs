//! What a filling is worth: angles, volume, distance from the surface.

use crate::error::Note;
use crate::spatial::Hausdorff;

/// Smallest and largest dihedral angle the method can produce, degrees (Labelle and Shewchuk 2007,
/// abstract).
pub const DIHEDRAL_BOUNDS: (f64, f64) = (10.7, 164.8);

/// Measures of a filling.
#[derive(Debug, Clone, PartialEq)]
pub struct FillReport {
    /// Smallest dihedral angle of all tetrahedra, degrees.
    pub min_dihedral: f64,
    /// Largest dihedral angle, degrees.
    pub max_dihedral: f64,
    /// What the method guarantees for both, degrees.
    pub bounds: (f64, f64),
    /// Volume of the tetrahedra, m³.
    pub volume: f64,
    /// Volume inside the surface, m³; overlaps count twice.
    pub surface_volume: f64,
    /// |volume − surface volume| / surface volume.
    pub volume_error: f64,
    /// Distances between the surface (first) and the boundary of the mesh (second), m, by samples.
    pub hausdorff: Hausdorff,
    /// The larger of both over the diagonal of the surface's bounding box.
    pub hausdorff_relative: f64,
    /// Edges of the surface at which it is open.
    pub open_edges: usize,
    /// Triangles without area, which were ignored.
    pub degenerate_triangles: usize,
    /// Further copies of triangles, which were ignored.
    pub repeated_triangles: usize,
    /// Triangles that were turned round to agree with their neighbours.
    pub turned_triangles: usize,
    /// Whether the whole surface was inside out and was turned round.
    pub flipped_orientation: bool,
    /// Edges where more than two faces of the mesh's boundary meet: the body is thinner than the
    /// lattice there, and hangs together by an edge.
    pub pinched_edges: usize,
    /// Tetrahedra that are not positive; 0.
    pub inverted: usize,
    /// The remarkable among the above, in words.
    pub notes: Vec<Note>,
}

//! What a filling is worth: angles, volume, distance from the surface.

use pliant_algebra::vec3::{Vec3, cross, dot, norm_squared, sub};

use crate::cell::TET_FACES;
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

/// Smallest and largest dihedral angle of a tetrahedron, degrees.
pub(crate) fn dihedral_range(p: [Vec3; 4]) -> (f64, f64) {
    let normals = TET_FACES.map(|[a, b, c]| cross(sub(p[b], p[a]), sub(p[c], p[a])));
    let (mut low, mut high) = (-1.0_f64, 1.0_f64);
    for i in 0..4 {
        for j in 0..i {
            // Outward normals: the angle between the faces is π minus the one between normals.
            let product = (norm_squared(normals[i]) * norm_squared(normals[j])).sqrt();
            let cosine = -dot(normals[i], normals[j]) / product;
            (low, high) = (low.max(cosine), high.min(cosine));
        }
    }
    (low.clamp(-1.0, 1.0).acos().to_degrees(), high.clamp(-1.0, 1.0).acos().to_degrees())
}

/// The faces that belong to one tetrahedron, outward, and the number of edges where more than two
/// of them meet.
pub(crate) fn boundary(tets: &[[u32; 4]]) -> (Vec<[u32; 3]>, usize) {
    let mut faces: Vec<([u32; 3], [u32; 3])> = tets
        .iter()
        .flat_map(|t| {
            TET_FACES.map(|f| {
                let face = f.map(|i| t[i]);
                let mut key = face;
                key.sort_unstable();
                (key, face)
            })
        })
        .collect();
    faces.sort_unstable();
    let outer: Vec<[u32; 3]> = faces
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|run| run.len() == 1)
        .map(|run| run[0].1)
        .collect();
    let mut edges: Vec<(u32, u32)> = outer
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)].map(|(a, b)| (a.min(b), a.max(b))))
        .collect();
    edges.sort_unstable();
    let pinched = edges.chunk_by(|a, b| a == b).filter(|run| run.len() > 2).count();
    (outer, pinched)
}

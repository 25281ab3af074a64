//! Embedding: points and surfaces bound to a volume mesh and carried along with it.
//!
//! Every point is a fixed combination of the corners of one cell: barycentric in a tetrahedron,
//! trilinear in a hexahedron. Points outside the mesh belong to the nearest cell and continue its
//! map affinely, so that a detailed surface may stick out of a coarse mesh.

mod bind;
mod hex;
mod isoparametric;
mod tet;

use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, normalized, sub, triple};
use rayon::prelude::*;

use crate::cell::HEX_CORNERS;
use crate::error::{ErrorKind, MeshError};

/// Points for each piece of parallel work; each point is computed alone, so that the number of
/// threads changes no bit.
const GRAIN: usize = 2048;

/// Points bound to a volume mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// Corners of the cells: 4 or 8; or all nodes, 10 or 20, see [`Embedding::isoparametric`].
    pub vertices_per_point: usize,
    /// Volume vertices, `vertices_per_point` for each point, in the order of the cell's corners.
    pub indices: Vec<u32>,
    /// Their weights, which sum to 1 for each point.
    pub weights: Vec<f64>,
    /// The cell of each point; empty where it is not known.
    pub cells: Vec<u32>,
    /// The points that lie outside the mesh.
    pub outside: Outside,
}

/// How many points lie outside the mesh they are bound to, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outside {
    /// How many. Points nearer than 1e-10 of the mesh's diagonal count as inside.
    pub count: usize,
    /// The largest distance to the mesh, m.
    pub largest: f64,
}

impl Embedding {
    /// Number of points.
    pub fn point_count(&self) -> usize {
        self.indices.len().checked_div(self.vertices_per_point).unwrap_or(0)
    }

    /// Checks that the tables fit each other and a mesh of `vertices` vertices. To be called once
    /// for an embedding that came from a file.
    pub fn check(&self, vertices: usize) -> Result<(), MeshError> {
        let k = self.vertices_per_point;
        let counts = (self.indices.len(), self.weights.len(), self.cells.len());
        if !(k == 4 || k == 8) || counts.0 != counts.1 || !counts.0.is_multiple_of(k) {
            let (i, w, _) = counts;
            let text = format!("{i} vertices and {w} weights do not make points of {k} (4 or 8)");
            return Err(MeshError::new(ErrorKind::Count, text));
        }
        if counts.2 != 0 && counts.2 != counts.0 / k {
            let text = format!("{} cells for {} points", counts.2, counts.0 / k);
            return Err(MeshError::new(ErrorKind::Count, text));
        }
        if let Some(i) = self.indices.iter().position(|&v| v as usize >= vertices) {
            let (point, v) = (i / k, self.indices[i]);
            let text = format!("point {point} names vertex {v}, but the mesh has {vertices}");
            let hint = "the embedding belongs to another mesh, or counts from 1";
            return Err(MeshError::new(ErrorKind::Index, text).hint(hint));
        }
        if let Some(i) = self.weights.iter().position(|w| !w.is_finite()) {
            let text = format!("a weight of point {} is {}", i / k, self.weights[i]);
            return Err(MeshError::new(ErrorKind::NotFinite, text));
        }
        Ok(())
    }

    /// The places of all points when the volume's vertices are at `positions`.
    ///
    /// # Panics
    /// If `out` has another length than there are points, or a vertex is out of range: see
    /// [`Embedding::check`].
    pub fn interpolate(&self, positions: &[Vec3], out: &mut [Vec3]) {
        assert_eq!(out.len(), self.point_count(), "one place for each point");
        let k = self.vertices_per_point;
        out.par_iter_mut()
            .zip_eq(self.indices.par_chunks_exact(k))
            .zip_eq(self.weights.par_chunks_exact(k))
            .with_min_len(GRAIN)
            .for_each(|((out, indices), weights)| *out = combine(positions, indices, weights));
    }

    /// The unit normals of all points when the volume moves from `rest` to `x`, from those at rest.
    ///
    /// A normal goes with the area it stands on: n da = cof(F) N dA (Nanson), which is F⁻ᵀ N up to
    /// length but needs no inverse, and agrees with the winding of triangles even where F inverts.
    /// Where F flattens the area to nothing the normal at rest is kept.
    ///
    /// # Panics
    /// As [`Embedding::interpolate`] does.
    pub fn interpolate_normals(
        &self,
        rest: &[Vec3],
        x: &[Vec3],
        rest_normals: &[Vec3],
        out: &mut [Vec3],
    ) {
        assert_eq!(out.len(), self.point_count(), "one normal for each point");
        assert_eq!(out.len(), rest_normals.len(), "one normal at rest for each point");
        let k = self.vertices_per_point;
        out.par_iter_mut()
            .zip_eq(rest_normals)
            .zip_eq(self.indices.par_chunks_exact(k))
            .zip_eq(self.weights.par_chunks_exact(k))
            .with_min_len(GRAIN)
            .for_each(|(((out, &normal), indices), weights)| {
                let before = tangents(rest, indices, weights);
                let after = tangents(x, indices, weights);
                *out = carry_normal(before, after, normal);
            });
    }
}

#[inline]
fn combine(positions: &[Vec3], indices: &[u32], weights: &[f64]) -> Vec3 {
    let mut sum = [0.0; 3];
    for (&v, &w) in indices.iter().zip(weights) {
        sum = add_scaled(sum, positions[v as usize], w);
    }
    sum
}

/// Derivatives of the cell's map with respect to its reference coordinates. Those of a point in a
/// hexahedron follow from its weights, ξ = Σ w ξᵢ; outside they stop at the surface.
fn tangents(positions: &[Vec3], indices: &[u32], weights: &[f64]) -> [Vec3; 3] {
    if let Some(tangents) = isoparametric::tangents(positions, indices, weights) {
        return tangents;
    }
    let at = |i: usize| positions[indices[i] as usize];
    if indices.len() == 8 {
        let mut xi = [0.0; 3];
        for (s, &w) in HEX_CORNERS.iter().zip(weights) {
            xi = add_scaled(xi, *s, w);
        }
        hex::jacobian(&std::array::from_fn(at), xi.map(|x| x.clamp(-1.0, 1.0)))
    } else {
        [1, 2, 3].map(|i| sub(at(i), at(0)))
    }
}

/// cof(F) n for F = D E⁻¹ with the columns of E `before` and of D `after`. As cof is a product of
/// cofactors, cof(F) n = cof(D) Eᵀ n / det E = Σₖ (eₖ·n) (dₖ₊₁ × dₖ₊₂) / det E.
fn carry_normal(before: [Vec3; 3], after: [Vec3; 3], normal: Vec3) -> Vec3 {
    let mut sum = [0.0; 3];
    for k in 0..3 {
        let area = cross(after[(k + 1) % 3], after[(k + 2) % 3]);
        sum = add_scaled(sum, area, dot(before[k], normal));
    }
    let sign = triple(before[0], before[1], before[2]).signum();
    normalized(sum.map(|c| c * sign)).unwrap_or(normal)
}

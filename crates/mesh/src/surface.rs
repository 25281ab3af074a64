//! [`SurfaceMesh`]: triangles, with the groups and texture coordinates of their file.

use pliant_algebra::vec3::{Vec3, add, cross, dot, norm, normalized, sub};

use crate::error::{ErrorKind, MeshError};

/// A named group of triangles, as in OBJ's `g` / `o` and `usemtl`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SurfaceGroup {
    /// Its name.
    pub name: String,
    /// The material it is drawn with, by name.
    pub material: Option<String>,
}

/// A triangle surface.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfaceMesh {
    /// Vertex positions, m.
    pub vertices: Vec<Vec3>,
    /// Vertex indices; counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Named groups. May be empty.
    pub groups: Vec<SurfaceGroup>,
    /// The group of each triangle; empty when there are no groups.
    pub triangle_group: Vec<u32>,
    /// Texture coordinates. May be empty.
    pub texture: Vec<[f64; 2]>,
    /// Indices into `texture`, three for each triangle; empty when there are none.
    /// `u32::MAX` marks a corner without.
    pub triangle_texture: Vec<[u32; 3]>,
    /// Normals of the file. May be empty; see [`SurfaceMesh::vertex_normals`] for computed ones.
    pub normals: Vec<Vec3>,
    /// Indices into `normals`; empty when there are none. `u32::MAX` marks a corner without.
    pub triangle_normals: Vec<[u32; 3]>,
    /// Material library files that the file names.
    pub material_libraries: Vec<String>,
}

impl SurfaceMesh {
    /// A plain surface.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self { vertices, triangles, ..Self::default() }
    }

    /// The corners of triangle `index`.
    pub fn corners(&self, index: usize) -> [Vec3; 3] {
        self.triangles[index].map(|v| self.vertices[v as usize])
    }

    /// Area, m².
    pub fn area(&self) -> f64 {
        (0..self.triangles.len())
            .map(|t| {
                let [a, b, c] = self.corners(t);
                0.5 * norm(cross(sub(b, a), sub(c, a)))
            })
            .sum()
    }

    /// Volume inside, m³; meaningful for a closed surface, positive when normals point outward.
    /// Summed about the first vertex, so that a body far from the origin loses no digits.
    pub fn volume(&self) -> f64 {
        let Some(&origin) = self.vertices.first() else { return 0.0 };
        (0..self.triangles.len())
            .map(|t| {
                let [a, b, c] = self.corners(t).map(|p| sub(p, origin));
                dot(a, cross(b, c)) / 6.0
            })
            .sum()
    }

    /// Area-weighted unit normals at the vertices; zero where no triangle gives one.
    pub fn vertex_normals(&self) -> Vec<Vec3> {
        let mut normals = vec![[0.0; 3]; self.vertices.len()];
        smooth_normals(&self.vertices, &self.triangles, &mut normals);
        normals
    }

    /// Checks that every index is in range, every number finite, every table of the right length.
    pub fn validate(&self) -> Result<(), MeshError> {
        let err = |kind, text: String| Err(MeshError::new(kind, text));
        let n = self.triangles.len();
        if let Some(v) = self.vertices.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return err(ErrorKind::NotFinite, format!("vertex {v} is at {:?}", self.vertices[v]));
        }
        let limit = self.vertices.len();
        if let Some(t) = self.triangles.iter().position(|t| t.iter().any(|&v| v as usize >= limit))
        {
            return err(
                ErrorKind::Index,
                format!(
                    "triangle {t} names {:?}, but there are {limit} vertices",
                    self.triangles[t]
                ),
            );
        }
        for (indices, limit, what) in [
            (&self.triangle_texture, self.texture.len(), "texture coordinates"),
            (&self.triangle_normals, self.normals.len(), "normals"),
        ] {
            if !indices.is_empty() && indices.len() != n {
                return err(
                    ErrorKind::Count,
                    format!("{} triples of {what} for {n} triangles", indices.len()),
                );
            }
            if let Some(t) =
                indices.iter().position(|t| t.iter().any(|&i| i != u32::MAX && i as usize >= limit))
            {
                return err(
                    ErrorKind::Index,
                    format!("triangle {t} names {what} {:?}, but there are {limit}", indices[t]),
                );
            }
        }
        let expected = if self.groups.is_empty() { 0 } else { n };
        if self.triangle_group.len() != expected {
            return err(
                ErrorKind::Count,
                format!("{} group numbers for {n} triangles", self.triangle_group.len()),
            );
        }
        if let Some(t) = self.triangle_group.iter().position(|&g| g as usize >= self.groups.len()) {
            return err(
                ErrorKind::Index,
                format!("triangle {t} is in a group that does not exist"),
            );
        }
        Ok(())
    }
}

/// Area-weighted unit normals at vertices that are at `positions`; zero where no triangle gives one.
/// Each triangle names three of them.
pub fn smooth_normals(positions: &[Vec3], triangles: &[[u32; 3]], normals: &mut [Vec3]) {
    normals.fill([0.0; 3]);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| positions[v as usize]);
        let n = cross(sub(b, a), sub(c, a));
        for &v in triangle {
            normals[v as usize] = add(normals[v as usize], n);
        }
    }
    for n in normals {
        *n = normalized(*n).unwrap_or([0.0; 3]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tetrahedron_far_away_keeps_its_volume_and_area() {
        let far = 1e6;
        let at = |x, y, z| [far + x, far + y, far + z];
        let surface = SurfaceMesh::new(
            vec![at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0), at(0.0, 0.0, 1.0)],
            vec![[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]],
        );
        assert!((surface.volume() - 1.0 / 6.0).abs() < 1e-15);
        assert!((surface.area() - (1.5 + 3f64.sqrt() / 2.0)).abs() < 1e-12);
        assert_eq!(surface.validate(), Ok(()));
    }
}

//! Writing `.ply`.

use std::io::Write;

use crate::error::{MeshError, Note};
use crate::io::text::TextWriter;
use crate::surface::SurfaceMesh;

use super::TEXTURE;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Little-endian binary rather than text. Both keep every bit of the coordinates.
    pub binary: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { binary: true }
    }
}

/// Writes a surface. Normals and texture coordinates are kept where each vertex has one.
pub fn write(
    mesh: &SurfaceMesh,
    sink: &mut dyn Write,
    options: &Options,
) -> Result<Vec<Note>, MeshError> {
    mesh.validate()?;
    let mut notes = Vec::new();
    let mut lost = |count: usize, what: &str, why: &str| {
        if count > 0 {
            notes.push(Note::Lost(format!("{what} ({count}): {why}")));
        }
    };
    let normals = per_vertex(mesh, &mesh.triangle_normals);
    let texture = per_vertex(mesh, &mesh.triangle_texture);
    let one = "PLY holds one for each vertex, and some have several or none";
    lost(if normals.is_none() { mesh.normals.len() } else { 0 }, "normals", one);
    lost(if texture.is_none() { mesh.texture.len() } else { 0 }, "texture coordinates", one);
    lost(mesh.groups.len(), "groups", "PLY has none");
    lost(mesh.material_libraries.len(), "material libraries", "PLY has none");

    let mut out = TextWriter::new(sink);
    let encoding = if options.binary { "binary_little_endian" } else { "ascii" };
    out.text(&format!("ply\nformat {encoding} 1.0\nelement vertex {}\n", mesh.vertices.len()))?;
    let names = ["x", "y", "z"].iter();
    let names = names.chain(if normals.is_some() { &["nx", "ny", "nz"][..] } else { &[] });
    for name in names.chain(if texture.is_some() { &TEXTURE[0][..] } else { &[] }) {
        out.text(&format!("property double {name}\n"))?;
    }
    // Readers know `int` best; beyond its range there is no choice.
    let index = if i32::try_from(mesh.vertices.len()).is_ok() { "int" } else { "uint" };
    let faces = mesh.triangles.len();
    out.text(&format!("element face {faces}\nproperty list uchar {index} vertex_indices\n"))?;
    out.text("end_header\n")?;

    let mut row: Vec<f64> = Vec::with_capacity(8);
    for (v, vertex) in mesh.vertices.iter().enumerate() {
        row.clear();
        row.extend(vertex);
        if let Some(normals) = &normals {
            row.extend(mesh.normals.get(normals[v] as usize).unwrap_or(&[0.0; 3]));
        }
        if let Some(texture) = &texture {
            row.extend(mesh.texture.get(texture[v] as usize).unwrap_or(&[0.0; 2]));
        }
        if options.binary {
            for x in &row {
                out.bytes(&x.to_le_bytes())?;
            }
        } else {
            out.float_line(&row)?;
        }
    }
    for triangle in &mesh.triangles {
        if options.binary {
            out.bytes(&[3])?;
            for v in triangle {
                out.bytes(&v.to_le_bytes())?;
            }
        } else {
            out.integer_line([3].into_iter().chain(triangle.iter().copied().map(u64::from)))?;
        }
    }
    out.finish()?;
    Ok(notes)
}

/// For each vertex the one index that all its corners have in `table`; `u32::MAX` for vertices
/// without triangles. `None` where the table is empty, or the corners disagree or lack an index.
fn per_vertex(mesh: &SurfaceMesh, table: &[[u32; 3]]) -> Option<Vec<u32>> {
    if table.is_empty() {
        return None;
    }
    // Tables that number as the vertices do keep the entries of vertices without triangles too.
    if table == mesh.triangles {
        return Some((0..mesh.vertices.len() as u32).collect());
    }
    let mut indices = vec![u32::MAX; mesh.vertices.len()];
    for (&vertex, &index) in mesh.triangles.iter().flatten().zip(table.iter().flatten()) {
        let known = &mut indices[vertex as usize];
        if index == u32::MAX || (*known != u32::MAX && *known != index) {
            return None;
        }
        *known = index;
    }
    Some(indices)
}

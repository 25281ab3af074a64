//! Writing `.obj`.

use std::io::Write;

use crate::error::{MeshError, Note};
use crate::io::text::TextWriter;
use crate::surface::SurfaceMesh;

/// Writes a surface with its groups, texture coordinates and normals, triangles in their order.
pub fn write(mesh: &SurfaceMesh, sink: &mut dyn Write) -> Result<Vec<Note>, MeshError> {
    mesh.validate()?;
    let mut names = Names::default();
    let mut out = TextWriter::new(sink);
    for library in &mesh.material_libraries {
        out.text(&format!("mtllib {}\n", names.clean(library)))?;
    }
    let records = |out: &mut TextWriter<'_>, word: &str, values: &[f64]| {
        out.text(word)?;
        out.float_line(values)
    };
    for vertex in &mesh.vertices {
        records(&mut out, "v ", vertex)?;
    }
    for texture in &mesh.texture {
        records(&mut out, "vt ", texture)?;
    }
    for normal in &mesh.normals {
        records(&mut out, "vn ", normal)?;
    }
    let mut used = vec![false; mesh.groups.len()];
    let (mut group, mut name, mut material) = (None, None, None);
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let here = mesh.triangle_group.get(t).copied();
        if here != group
            && let Some(g) = here.map(|g| g as usize)
        {
            group = here;
            used[g] = true;
            let next = &mesh.groups[g];
            if name != Some(&next.name) {
                out.text(&format!("g {}\n", names.clean(&next.name)))?;
                name = Some(&next.name);
            }
            if material != next.material.as_ref() {
                // Without a name: no material from here on.
                let text = next.material.as_deref().map(|m| names.clean(m)).unwrap_or_default();
                out.text(&format!("usemtl {text}\n"))?;
                material = next.material.as_ref();
            }
        }
        let indices = |table: &[[u32; 3]], corner: usize| {
            table.get(t).map(|triple| triple[corner]).filter(|&i| i != u32::MAX)
        };
        out.text("f")?;
        for (corner, &vertex) in triangle.iter().enumerate() {
            out.text(" ")?;
            out.integer(u64::from(vertex) + 1)?;
            let texture = indices(&mesh.triangle_texture, corner);
            let normal = indices(&mesh.triangle_normals, corner);
            if texture.is_some() || normal.is_some() {
                out.text("/")?;
            }
            if let Some(texture) = texture {
                out.integer(u64::from(texture) + 1)?;
            }
            if let Some(normal) = normal {
                out.text("/")?;
                out.integer(u64::from(normal) + 1)?;
            }
        }
        out.text("\n")?;
    }
    out.finish()?;
    let unused = used.iter().filter(|&&used| !used).count();
    let mut notes = Vec::new();
    if unused > 0 {
        notes.push(Note::Lost(format!("groups without triangles ({unused})")));
    }
    if names.changed > 0 {
        let text = "names with '#', '\\', line ends, or blanks at an end: replaced by '_'";
        notes.push(Note::Lost(format!("{text} ({})", names.changed)));
    }
    Ok(notes)
}

/// Makes names that read back as one name.
#[derive(Default)]
struct Names {
    changed: usize,
}

impl Names {
    fn clean(&mut self, name: &str) -> String {
        let bad = |c: char| c == '#' || c == '\\' || (c.is_control() && c != '\t');
        let mut clean: String = name.chars().map(|c| if bad(c) { '_' } else { c }).collect();
        if clean.trim() != clean || clean.is_empty() {
            clean = format!("_{}_", clean.trim());
        }
        self.changed += usize::from(clean != name);
        clean
    }
}

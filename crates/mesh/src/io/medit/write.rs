//! Writing MEDIT's `.mesh`.

use std::io::{self, Write};

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError, Note};
use crate::io::tetgen::facets::labelled;
use crate::io::tetgen::labels;
use crate::io::tetgen::write::end_line;
use crate::io::text::TextWriter;
use crate::volume::VolumeMesh;

use super::FACET_SETS;

/// Writes a `.mesh` file of version 2, in double precision. What it cannot hold comes back as
/// notes.
pub fn write(mesh: &VolumeMesh, sink: &mut dyn Write) -> Result<Vec<Note>, MeshError> {
    mesh.validate()?;
    let [_, triangle_sets, quadrilateral_sets] = FACET_SETS;
    let (cells, facets, prefix) = match mesh.cell_type {
        CellType::Tet4 => ("Tetrahedra", "Triangles", triangle_sets),
        CellType::Tet10 => ("TetrahedraP2", "TrianglesP2", triangle_sets),
        CellType::Hex8 => ("Hexahedra", "Quadrilaterals", quadrilateral_sets),
        CellType::Hex20 => {
            let text = "a .mesh file holds tet4, tet10 or hex8 cells, not hex20";
            return Err(MeshError::new(ErrorKind::Unsupported, text)
                .hint("write it as .vtu, .vtk or .msh, or keep only the corners of its cells"));
        }
    };
    let mut notes = Vec::new();
    let (boundary, facet_labels) = labelled(mesh, prefix);
    let vertex_labels = labels::of_vertices(mesh, &facet_labels.held, &mut notes);
    let cell_labels = labels::of_cells(mesh, &mut notes);
    labels::note_the_rest(mesh, "MEDIT", &mut notes);

    let mut out = TextWriter::new(sink);
    out.text("MeshVersionFormatted 2\n\nDimension 3\n\nVertices\n")?;
    out.text(&format!("{}\n", mesh.vertex_count()))?;
    for (i, vertex) in mesh.vertices.iter().enumerate() {
        for &x in vertex {
            out.float(x)?;
            out.bytes(b" ")?;
        }
        end_line(&mut out, Some(vertex_labels.get(i).unwrap_or(&0)))?;
    }
    let used: Vec<(&[u32], i64)> = boundary
        .iter()
        .zip(facet_labels.labels.iter().copied())
        .filter(|(_, label)| *label != 0)
        .collect();
    if !used.is_empty() {
        section(&mut out, facets, used.into_iter())?;
    }
    let of_cell = (0..mesh.cell_count()).map(|i| cell_labels.get(i).copied().unwrap_or(0));
    section(&mut out, cells, mesh.cells().zip(of_cell))?;
    out.text("\nEnd\n")?;
    out.finish()?;
    Ok(notes)
}

/// A keyword, a count, and lines of vertices from 1 with a reference.
fn section<'a>(
    out: &mut TextWriter<'_>,
    keyword: &str,
    lines: impl ExactSizeIterator<Item = (&'a [u32], i64)>,
) -> io::Result<()> {
    out.text(&format!("\n{keyword}\n{}\n", lines.len()))?;
    for (nodes, label) in lines {
        for (i, &node) in nodes.iter().enumerate() {
            if i > 0 {
                out.bytes(b" ")?;
            }
            out.integer(u64::from(node) + 1)?;
        }
        end_line(out, Some(&label))?;
    }
    Ok(())
}

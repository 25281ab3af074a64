//! Writing TetGen's files.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError, Note};
use crate::io::text::TextWriter;
use crate::volume::VolumeMesh;

use super::facets::{FacetLabels, Facets, labelled};
use super::{FACE_SETS, VTK_FROM_TETGEN, labels};

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The number of the first vertex, tetrahedron and face: 0 or 1.
    pub first_number: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { first_number: 1 }
    }
}

/// Writes `stem.node`, `stem.ele` and `stem.face`, the last with the boundary faces. What the
/// files cannot hold comes back as notes.
pub fn write(mesh: &VolumeMesh, stem: &Path, options: &Options) -> Result<Vec<Note>, MeshError> {
    check(mesh, options.first_number)?;
    let facets = Facets::boundary(mesh);
    let labels = FacetLabels::new(mesh, &facets, FACE_SETS);
    let base = u64::from(options.first_number);
    let mut notes = Vec::new();
    to_file(stem, ".node", |sink| node_file(mesh, &labels.held, sink, base, &mut notes))?;
    to_file(stem, ".ele", |sink| ele_file(mesh, sink, base, &mut notes))?;
    to_file(stem, ".face", |sink| face_file(&facets, &labels, sink, base))?;
    Ok(notes)
}

/// Writes a `.node` file: the vertices, with the vertex sets that face markers do not hold.
pub fn write_node(
    mesh: &VolumeMesh,
    sink: &mut dyn Write,
    first_number: u32,
) -> Result<Vec<Note>, MeshError> {
    check(mesh, first_number)?;
    let (_, labels) = labelled(mesh, FACE_SETS);
    let mut notes = Vec::new();
    node_file(mesh, &labels.held, sink, u64::from(first_number), &mut notes)?;
    Ok(notes)
}

/// Writes a `.ele` file: the tetrahedra, with their regions.
pub fn write_ele(
    mesh: &VolumeMesh,
    sink: &mut dyn Write,
    first_number: u32,
) -> Result<Vec<Note>, MeshError> {
    check(mesh, first_number)?;
    let mut notes = Vec::new();
    ele_file(mesh, sink, u64::from(first_number), &mut notes)?;
    Ok(notes)
}

/// Writes a `.face` file: the boundary faces, with the vertex sets `face N` as markers.
pub fn write_face(
    mesh: &VolumeMesh,
    sink: &mut dyn Write,
    first_number: u32,
) -> Result<Vec<Note>, MeshError> {
    check(mesh, first_number)?;
    let facets = Facets::boundary(mesh);
    let labels = FacetLabels::new(mesh, &facets, FACE_SETS);
    face_file(&facets, &labels, sink, u64::from(first_number))?;
    Ok(Vec::new())
}

fn check(mesh: &VolumeMesh, first_number: u32) -> Result<(), MeshError> {
    if first_number > 1 {
        let text = format!("numbers cannot start at {first_number}: TetGen takes 0 or 1");
        return Err(MeshError::new(ErrorKind::Unsupported, text));
    }
    if mesh.cell_type.linear() == CellType::Hex8 {
        let text = format!("TetGen's files hold tetrahedra, not {} cells", mesh.cell_type);
        return Err(MeshError::new(ErrorKind::Unsupported, text)
            .hint("split the cells into tetrahedra first"));
    }
    mesh.validate()
}

fn to_file(
    stem: &Path,
    extension: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), MeshError> {
    // The stem may have dots of its own: `box.1`.
    let mut name = OsString::from(stem);
    name.push(extension);
    let path = PathBuf::from(name);
    let name = || path.display().to_string();
    let created = fs::File::create(&path);
    let mut file = created.map_err(|e| MeshError::io(name(), "write it", e))?;
    write(&mut file).map_err(|e| MeshError::unwritten(name(), e))
}

fn node_file(
    mesh: &VolumeMesh,
    held: &[bool],
    sink: &mut dyn Write,
    base: u64,
    notes: &mut Vec<Note>,
) -> io::Result<()> {
    let markers = labels::of_vertices(mesh, held, notes);
    let mut out = TextWriter::new(sink);
    let marked = u8::from(!markers.is_empty());
    out.text(&format!("{} 3 0 {marked}\n", mesh.vertex_count()))?;
    for (i, vertex) in mesh.vertices.iter().enumerate() {
        out.integer(base + i as u64)?;
        for &x in vertex {
            out.bytes(b" ")?;
            out.float(x)?;
        }
        end_line(&mut out, markers.get(i))?;
    }
    out.finish()
}

fn ele_file(
    mesh: &VolumeMesh,
    sink: &mut dyn Write,
    base: u64,
    notes: &mut Vec<Note>,
) -> io::Result<()> {
    let attributes = labels::of_cells(mesh, notes);
    labels::note_the_rest(mesh, "TetGen", notes);
    let mut out = TextWriter::new(sink);
    let width = mesh.cell_type.nodes();
    let attributed = u8::from(!attributes.is_empty());
    out.text(&format!("{} {width} {attributed}\n", mesh.cell_count()))?;
    for (i, cell) in mesh.cells().enumerate() {
        let mut nodes = [0; 10];
        for (&node, &place) in cell.iter().zip(&VTK_FROM_TETGEN) {
            nodes[place] = node;
        }
        line(&mut out, i, &nodes[..width], attributes.get(i), base)?;
    }
    out.finish()
}

fn face_file(
    facets: &Facets,
    labels: &FacetLabels,
    sink: &mut dyn Write,
    base: u64,
) -> io::Result<()> {
    let mut out = TextWriter::new(sink);
    out.text(&format!("{} 1\n", facets.len()))?;
    for (i, (facet, marker)) in facets.iter().zip(&labels.labels).enumerate() {
        match *facet {
            // TetGen names the middle of an edge after the corner opposite to it.
            [a, b, c, ab, bc, ca] => line(&mut out, i, &[a, b, c, bc, ca, ab], Some(marker), base)?,
            _ => line(&mut out, i, facet, Some(marker), base)?,
        }
    }
    out.finish()
}

/// A numbered line of vertices and a label.
fn line(
    out: &mut TextWriter<'_>,
    index: usize,
    nodes: &[u32],
    label: Option<&i64>,
    base: u64,
) -> io::Result<()> {
    out.integer(base + index as u64)?;
    for &node in nodes {
        out.bytes(b" ")?;
        out.integer(base + u64::from(node))?;
    }
    end_line(out, label)
}

/// The label, if any, and the end of the line.
pub(in crate::io) fn end_line(out: &mut TextWriter<'_>, label: Option<&i64>) -> io::Result<()> {
    if let Some(label) = label {
        out.text(if *label < 0 { " -" } else { " " })?;
        out.integer(label.unsigned_abs())?;
    }
    out.bytes(b"\n")
}

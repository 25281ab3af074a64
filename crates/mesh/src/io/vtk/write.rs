//! The legacy writer: version 3.0, which every reader knows.

use std::io::{self, Write};

use crate::error::{ErrorKind, MeshError, Note};
use crate::io::text::TextWriter;
use crate::volume::{CellData, NamedSet, VolumeMesh};

use super::Options;
use super::column::{REGION, REGION_NAMES, SET_PREFIX};
use super::names::encode;

/// Writes an unstructured grid with regions, sets and cell data.
pub fn write(
    mesh: &VolumeMesh,
    sink: &mut dyn Write,
    options: &Options,
) -> Result<Vec<Note>, MeshError> {
    if mesh.vertex_count() > i32::MAX as usize {
        let text = format!("{} vertices: a legacy file counts in 32 bits", mesh.vertex_count());
        return Err(MeshError::new(ErrorKind::Unsupported, text).hint("write .vtu"));
    }
    let mut out = Legacy { out: TextWriter::new(sink), binary: options.binary };
    let (points, cells) = (mesh.vertex_count(), mesh.cell_count());
    let nodes = mesh.cell_type.nodes();
    let format = if options.binary { "BINARY" } else { "ASCII" };
    out.line(&format!("# vtk DataFile Version 3.0\nwritten by Pliant\n{format}"))?;
    out.line("DATASET UNSTRUCTURED_GRID")?;
    out.line(&format!("POINTS {points} double"))?;
    for p in &mesh.vertices {
        out.floats(p)?;
    }
    out.end()?;
    out.line(&format!("CELLS {cells} {}", cells * (nodes + 1)))?;
    for cell in mesh.cells() {
        out.cell(cell)?;
    }
    out.end()?;
    out.line(&format!("CELL_TYPES {cells}"))?;
    for _ in 0..cells {
        out.integer(i32::from(mesh.cell_type.vtk()))?;
    }
    out.end()?;
    // Here both VTK and meshio take a field to belong to the whole grid.
    if !mesh.regions.is_empty() {
        let names = names_of_regions(mesh);
        out.line("FIELD FieldData 1")?;
        out.line(&format!("{REGION_NAMES} 1 {} unsigned_char", names.len()))?;
        out.bytes(names.iter().copied())?;
    }
    let (data, mut notes) = writable_data(mesh, &|_| false);
    let cell_arrays = mesh.cell_sets.len() + usize::from(!mesh.regions.is_empty()) + data.len();
    if cell_arrays > 0 {
        out.line(&format!("CELL_DATA {cells}\nFIELD FieldData {cell_arrays}"))?;
        if !mesh.regions.is_empty() {
            out.line(&format!("{REGION} 1 {cells} int"))?;
            for &r in &mesh.cell_region {
                // NO_REGION has the bits of −1.
                out.integer(r as i32)?;
            }
            out.end()?;
        }
        out.sets(&mesh.cell_sets, cells)?;
        for CellData { name, values } in data {
            out.line(&format!("{} 1 {cells} double", encode(name)))?;
            values.iter().try_for_each(|v| out.floats(&[*v]))?;
            out.end()?;
        }
    }
    if !mesh.vertex_sets.is_empty() {
        let sets = mesh.vertex_sets.len();
        out.line(&format!("POINT_DATA {points}\nFIELD FieldData {sets}"))?;
        out.sets(&mesh.vertex_sets, points)?;
    }
    out.out.finish()?;
    notes.extend(lost(mesh, ".vtk"));
    Ok(notes)
}

/// The cell data whose names are free, and a note about the others.
pub(in crate::io) fn writable_data<'a>(
    mesh: &'a VolumeMesh,
    taken: &dyn Fn(&str) -> bool,
) -> (Vec<&'a CellData>, Vec<Note>) {
    let clashes = |name: &str| {
        let set = |s: &NamedSet| name.strip_prefix(SET_PREFIX) == Some(&s.name);
        name.is_empty()
            || taken(name)
            || (name == REGION && !mesh.regions.is_empty())
            || mesh.cell_sets.iter().any(set)
    };
    let (lost, kept): (Vec<_>, Vec<_>) = mesh.cell_data.iter().partition(|d| clashes(&d.name));
    let note = |d: &CellData| Note::Lost(format!("cell data '{}': the name is taken", d.name));
    (kept, lost.into_iter().map(note).collect())
}

/// The regions' names, each ended by a zero.
pub(in crate::io) fn names_of_regions(mesh: &VolumeMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    for region in &mesh.regions {
        bytes.extend(region.name.bytes().filter(|&b| b != 0));
        bytes.push(0);
    }
    bytes
}

/// One byte for each of `count` items: whether the set has it.
pub(in crate::io) fn membership(set: &NamedSet, count: usize) -> Vec<u8> {
    let mut flags = vec![0; count];
    for &item in &set.items {
        if let Some(flag) = flags.get_mut(item as usize) {
            *flag = 1;
        }
    }
    flags
}

/// What neither kind of VTK file holds.
pub(in crate::io) fn lost(mesh: &VolumeMesh, extension: &str) -> Vec<Note> {
    let mut notes = Vec::new();
    if !mesh.materials.is_empty() {
        let n = mesh.materials.len();
        notes.push(Note::Lost(format!("materials ({n}): {extension} has none, .veg does")));
    }
    if mesh.regions.iter().any(|r| r.name.contains('\0')) {
        notes.push(Note::Lost("zero characters in the names of regions".into()));
    }
    notes
}

/// Numbers as text or in binary.
struct Legacy<'a> {
    out: TextWriter<'a>,
    binary: bool,
}

impl Legacy<'_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        self.out.text(text)?;
        self.out.bytes(b"\n")
    }

    /// The line end after binary data.
    fn end(&mut self) -> io::Result<()> {
        if self.binary { self.out.bytes(b"\n") } else { Ok(()) }
    }

    fn floats(&mut self, values: &[f64]) -> io::Result<()> {
        if !self.binary {
            return self.out.float_line(values);
        }
        values.iter().try_for_each(|x| self.out.bytes(&x.to_be_bytes()))
    }

    fn integer(&mut self, value: i32) -> io::Result<()> {
        if self.binary {
            return self.out.bytes(&value.to_be_bytes());
        }
        if value < 0 {
            self.out.bytes(b"-")?;
        }
        self.out.integer_line([u64::from(value.unsigned_abs())])
    }

    fn cell(&mut self, cell: &[u32]) -> io::Result<()> {
        let size = cell.len() as u32;
        let mut values = std::iter::once(size).chain(cell.iter().copied());
        if self.binary {
            values.try_for_each(|v| self.out.bytes(&v.to_be_bytes()))
        } else {
            self.out.integer_line(values.map(u64::from))
        }
    }

    fn bytes(&mut self, bytes: impl Iterator<Item = u8>) -> io::Result<()> {
        for byte in bytes {
            if self.binary {
                self.out.bytes(&[byte])?;
            } else {
                self.out.integer_line([u64::from(byte)])?;
            }
        }
        self.end()
    }

    fn sets(&mut self, sets: &[NamedSet], count: usize) -> io::Result<()> {
        for set in sets {
            let name = encode(&format!("{SET_PREFIX}{}", set.name));
            self.line(&format!("{name} 1 {count} unsigned_char"))?;
            self.bytes(membership(set, count).into_iter())?;
        }
        Ok(())
    }
}

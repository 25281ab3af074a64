//! The writer: one piece, inline data.

use std::io::Write;

use crate::error::{ErrorKind, MeshError, Note};
use crate::io::text::TextWriter;
use crate::io::vtk::column::{REGION, REGION_NAMES, SET_PREFIX, TIME};
use crate::io::vtk::write::{lost, membership, names_of_regions, writable_data};
use crate::volume::{CellData, NamedSet, VolumeMesh};

use super::encode::Stored;
use super::payload::ZLIB;
use super::xml::{escape, is_unwritable};
use super::{DataArray, DataValues, Encoding, Options};

/// Writes an unstructured grid with regions, sets and cell data.
pub fn write(
    mesh: &VolumeMesh,
    sink: &mut dyn Write,
    options: &Options,
) -> Result<Vec<Note>, MeshError> {
    write_with_data(mesh, &[], &[], None, sink, options)
}

/// Writes an unstructured grid with regions, sets and cell data, further data on points and cells, and the time (s)
/// that it belongs to. The lengths of the data must be those of the mesh times the components. Of two cell
/// arrays of one name, that of the mesh is left out with a note.
pub fn write_with_data(
    mesh: &VolumeMesh,
    point_data: &[DataArray<'_>],
    cell_data: &[DataArray<'_>],
    time: Option<f64>,
    sink: &mut dyn Write,
    options: &Options,
) -> Result<Vec<Note>, MeshError> {
    let (points, cells) = (mesh.vertex_count(), mesh.cell_count());
    check(point_data, points, "points")?;
    check(cell_data, cells, "cells")?;
    let mut out = Arrays { out: TextWriter::new(sink), encoding: options.encoding };
    let compressor = match options.encoding {
        Encoding::Zlib => format!(" compressor=\"{ZLIB}\""),
        Encoding::Ascii | Encoding::Base64 => String::new(),
    };
    out.line("<?xml version=\"1.0\"?>")?;
    out.line(&format!(
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\"{compressor}>\n<UnstructuredGrid>"
    ))?;
    if time.is_some() || !mesh.regions.is_empty() {
        out.line("<FieldData>")?;
        if let Some(time) = time {
            out.array(TIME, "NumberOfTuples=\"1\"", Stored::Data(DataValues::F64(&[time])))?;
        }
        if !mesh.regions.is_empty() {
            let names = names_of_regions(mesh);
            let tuples = format!("NumberOfTuples=\"{}\"", names.len());
            out.array(REGION_NAMES, &tuples, Stored::Data(DataValues::U8(&names)))?;
        }
        out.line("</FieldData>")?;
    }
    out.line(&format!("<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">"))?;
    out.line("<PointData>")?;
    out.data(point_data)?;
    out.sets(&mesh.vertex_sets, points)?;
    out.line("</PointData>\n<CellData>")?;
    out.data(cell_data)?;
    if !mesh.regions.is_empty() {
        // NO_REGION has the bits of −1.
        out.array(REGION, "", Stored::Bits32(&mesh.cell_region))?;
    }
    out.sets(&mesh.cell_sets, cells)?;
    let (data, mut notes) = writable_data(mesh, &|name| cell_data.iter().any(|d| d.name == name));
    for CellData { name, values } in data {
        out.array(name, "", Stored::Data(DataValues::F64(values)))?;
    }
    out.line("</CellData>\n<Points>")?;
    let positions = Stored::Data(DataValues::F64(mesh.vertices.as_flattened()));
    out.array("Points", "NumberOfComponents=\"3\"", positions)?;
    out.line("</Points>\n<Cells>")?;
    out.cells(mesh)?;
    out.line("</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>")?;
    out.out.finish()?;

    notes.extend(lost(mesh, ".vtu"));
    let sets = mesh.cell_sets.iter().chain(&mesh.vertex_sets).map(|s| &s.name);
    if sets.chain(mesh.cell_data.iter().map(|d| &d.name)).any(|n| n.contains(is_unwritable)) {
        let text = "control characters in the names of sets or cell data: XML has none";
        notes.push(Note::Lost(text.into()));
    }
    Ok(notes)
}

fn check(arrays: &[DataArray<'_>], count: usize, what: &str) -> Result<(), MeshError> {
    for array in arrays {
        let (found, components) = (Stored::Data(array.values).len(), array.components);
        if components == 0 || components.checked_mul(count) != Some(found) {
            let name = array.name;
            let text = format!(
                "data '{name}' has {found} values, needed are {components} for each of {count} {what}"
            );
            return Err(MeshError::new(ErrorKind::Count, text));
        }
    }
    Ok(())
}

struct Arrays<'a> {
    out: TextWriter<'a>,
    encoding: Encoding,
}

type Done = std::io::Result<()>;

impl Arrays<'_> {
    fn line(&mut self, text: &str) -> Done {
        self.out.text(text)?;
        self.out.bytes(b"\n")
    }

    fn array(&mut self, name: &str, attributes: &str, values: Stored<'_>) -> Done {
        let (name, kind) = (escape(name), values.type_name());
        let format = if self.encoding == Encoding::Ascii { "ascii" } else { "binary" };
        let blank = if attributes.is_empty() { "" } else { " " };
        self.line(&format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\"{blank}{attributes} format=\"{format}\">"
        ))?;
        values.write(&mut self.out, self.encoding)?;
        self.line("\n</DataArray>")
    }

    fn data(&mut self, arrays: &[DataArray<'_>]) -> Done {
        for array in arrays {
            let components = format!("NumberOfComponents=\"{}\"", array.components);
            // One component is the default, and meshio makes a column of it if it is said.
            let attributes = if array.components == 1 { "" } else { &components };
            self.array(array.name, attributes, Stored::Data(array.values))?;
        }
        Ok(())
    }

    fn sets(&mut self, sets: &[NamedSet], count: usize) -> Done {
        for set in sets {
            let flags = membership(set, count);
            let name = format!("{SET_PREFIX}{}", set.name);
            self.array(&name, "", Stored::Data(DataValues::U8(&flags)))?;
        }
        Ok(())
    }

    fn cells(&mut self, mesh: &VolumeMesh) -> Done {
        let (cells, nodes) = (mesh.cell_count(), mesh.cell_type.nodes());
        let fits = |largest: usize| i32::try_from(largest).is_ok();
        if fits(mesh.vertex_count()) {
            self.array("connectivity", "", Stored::Bits32(&mesh.cells))?;
        } else {
            let wide: Vec<i64> = mesh.cells.iter().map(|&v| i64::from(v)).collect();
            self.array("connectivity", "", Stored::I64(&wide))?;
        }
        if fits(cells * nodes) {
            let ends: Vec<u32> = (1..=cells).map(|i| (i * nodes) as u32).collect();
            self.array("offsets", "", Stored::Bits32(&ends))?;
        } else {
            let ends: Vec<i64> = (1..=cells).map(|i| (i * nodes) as i64).collect();
            self.array("offsets", "", Stored::I64(&ends))?;
        }
        let types = vec![mesh.cell_type.vtk(); cells];
        self.array("types", "", Stored::Data(DataValues::U8(&types)))
    }
}

//! The legacy reader: the header, and the sections one after the other.

use crate::error::{ErrorKind, MeshError};
use crate::io::scanner::{Scanner, Syntax, quote};
use crate::io::{Imported, Source};
use crate::volume::VolumeMesh;

use super::column::Owner;
use super::grid::{Grid, Piece};
use super::sections::Sections;

/// Reads an unstructured grid. Cell arrays of one component become cell data; data other than these, regions
/// and sets is skipped with a note.
pub fn read(source: Source<'_>) -> Result<Imported<VolumeMesh>, MeshError> {
    let name = source.name.clone();
    read_grid(source).and_then(Grid::finish).map_err(|e| e.in_file(name))
}

fn read_grid(source: Source<'_>) -> Result<Grid, MeshError> {
    let mut scanner = Scanner::new(source, Syntax::PLAIN);
    let (major, binary) = header(&mut scanner)?;
    let mut grid = Grid::default();
    grid.pieces.push(Piece::default());
    let mut sections =
        Sections { scanner, grid, binary, owner: Owner::Grid, points: 0, cells: 0, components: 1 };
    let mut dataset = false;
    while let Some(word) = sections.keyword()? {
        match word.as_str() {
            "dataset" => {
                sections.dataset()?;
                dataset = true;
            }
            "field" => sections.fields()?,
            "metadata" => sections.metadata()?,
            _ if !dataset => {
                return Err(sections.scanner.unexpected("after the header", "DATASET or FIELD"));
            }
            "points" => sections.points()?,
            "cells" if major >= 5 => sections.cells_by_offsets()?,
            "cells" => sections.cell_list()?,
            "cell_types" => sections.cell_types()?,
            "point_data" => sections.data_of(Owner::Points)?,
            "cell_data" => sections.data_of(Owner::Cells)?,
            "lookup_table" => sections.lookup_table()?,
            "scalars" => sections.scalars()?,
            "color_scalars" => sections.color_scalars()?,
            "vectors" | "normals" => sections.attribute(3)?,
            "tensors" => sections.attribute(9)?,
            "tensors6" => sections.attribute(6)?,
            "texture_coordinates" => sections.texture_coordinates()?,
            "global_ids" | "pedigree_ids" | "edge_flags" => sections.attribute(1)?,
            _ => {
                return Err(sections.scanner.unexpected(
                    "a section",
                    "POINTS, CELLS, CELL_TYPES, POINT_DATA or CELL_DATA",
                ));
            }
        }
    }
    if !dataset {
        return Err(sections.scanner.truncated("the line DATASET UNSTRUCTURED_GRID"));
    }
    Ok(sections.grid)
}

/// The first three lines: the major version, and whether the data is binary.
fn header(scanner: &mut Scanner<'_>) -> Result<(u32, bool), MeshError> {
    if !scanner.next_line()? {
        return Err(scanner.truncated("the line '# vtk DataFile Version 3.0'"));
    }
    let line = scanner.line().to_ascii_lowercase();
    let Some(version) = line.strip_prefix(b"# vtk datafile version") else {
        let found = quote(scanner.line());
        let text = format!("expected '# vtk DataFile Version 3.0', found {found}");
        return Err(scanner
            .error(ErrorKind::Syntax, text)
            .hint("XML files of VTK end in .vtu: is the extension wrong?"));
    };
    let major = version.iter().find(|b| b.is_ascii_digit()).map_or(0, |b| u32::from(b - b'0'));
    if !(1..=5).contains(&major) {
        let text = format!("version {}: 2.0 to 5.1 are read", quote(version.trim_ascii()));
        return Err(scanner.error(ErrorKind::Unsupported, text));
    }
    if !scanner.next_line()? {
        return Err(scanner.truncated("the title"));
    }
    if !scanner.next_content_line()? {
        return Err(scanner.truncated("ASCII or BINARY"));
    }
    match scanner.field().unwrap_or_default().to_ascii_lowercase().as_slice() {
        b"ascii" => Ok((major, false)),
        b"binary" => Ok((major, true)),
        _ => Err(scanner.unexpected("the third line", "ASCII or BINARY")),
    }
}

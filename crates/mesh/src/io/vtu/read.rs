//! The reader: walks through the elements, and fills arrays as their data comes by. Appended data
//! comes after all elements: its arrays are noted down and read in the order of their offsets.

use crate::error::{ErrorKind, MeshError};
use crate::io::scanner::quote;
use crate::io::vtk::column::{Column, Length, Owner, Role, TIME};
use crate::io::vtk::grid::{Grid, Piece};
use crate::io::vtk::scalar::{ByteOrder, Scalar};
use crate::io::{Imported, Source};
use crate::volume::VolumeMesh;
use pliant_algebra::vec3::Vec3;

use super::payload::{Format, Place, read_binary, read_text};
use super::xml::{Event, Tag, Xml};

/// Reads an unstructured grid. Cell arrays of one component become cell data; data other than these, regions
/// and sets is skipped with a note.
pub fn read(source: Source<'_>) -> Result<Imported<VolumeMesh>, MeshError> {
    let name = source.name.clone();
    let reader = walk(source, None);
    reader.and_then(|reader| reader.grid.finish()).map_err(|e| e.in_file(name))
}

/// What a frame of a run says of a state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameState {
    /// Where the points are, m.
    pub positions: Vec<Vec3>,
    /// The point array `velocity`, m/s; empty where there is none.
    pub velocities: Vec<Vec3>,
    /// The time, s, if the file says it.
    pub time: Option<f64>,
}

/// Reads positions, velocities and time of a frame, and nothing else.
pub fn read_state(source: Source<'_>) -> Result<FrameState, MeshError> {
    let name = source.name.clone();
    let reader = walk(source, Some(FrameState::default()));
    reader.map(|reader| reader.state.unwrap_or_default()).map_err(|e| e.in_file(name))
}

/// The point array that holds velocities.
const VELOCITY: &str = "velocity";

/// zlib cannot make more bytes than this of one.
const HIGHEST_RATIO: u64 = 1032;
/// No mesh has more vertices in a cell, on average.
const LARGEST_CELL: u64 = 64;
/// More text than that is no list of names.
const LONGEST_NAMES: u64 = 1 << 24;

/// An array whose data is appended.
struct Appended {
    offset: u64,
    piece: usize,
    tag: Tag,
    column: Column,
}

struct Reader<'a> {
    xml: Xml<'a>,
    format: Format,
    grid: Grid,
    /// In place of the grid, where only a state is wanted.
    state: Option<FrameState>,
    /// Points and cells that the current piece announces.
    points: u64,
    cells: u64,
    appended: Vec<Appended>,
}

fn walk(source: Source<'_>, state: Option<FrameState>) -> Result<Reader<'_>, MeshError> {
    let mut xml = Xml::new(source)?;
    let Event::Start(root) = xml.next()? else {
        let text = "no element <VTKFile …>: this is no .vtu file";
        return Err(MeshError::new(ErrorKind::Syntax, text)
            .hint("legacy files of VTK end in .vtk: is the extension wrong?"));
    };
    let format = file_format(&root)?;
    let grid = Grid::default();
    let appended = Vec::new();
    let mut reader = Reader { xml, format, grid, state, points: 0, cells: 0, appended };
    loop {
        match reader.xml.next()? {
            Event::Start(tag) => match tag.name.as_str() {
                "Piece" => reader.piece(&tag)?,
                "DataArray" | "Array" => reader.array(tag)?,
                "AppendedData" => {
                    reader.appended_data(&tag)?;
                    return Ok(reader);
                }
                _ => {}
            },
            Event::End => {}
            Event::Eof => break,
        }
    }
    match reader.appended.first() {
        None => Ok(reader),
        Some(array) => Err(array.tag.error(
            ErrorKind::Truncated,
            "the data of this array is appended, but there is no element <AppendedData>",
        )),
    }
}

/// What the root element says.
fn file_format(root: &Tag) -> Result<Format, MeshError> {
    if root.name != "VTKFile" {
        let text = format!("expected <VTKFile …>, found <{}>", root.name);
        return Err(root.error(ErrorKind::Syntax, text).hint("this is no .vtu file"));
    }
    let kind = root.get("type").unwrap_or_default();
    if kind != "UnstructuredGrid" {
        let hint = match kind {
            "PolyData" => {
                "it is a surface: save it as .obj, .stl or .ply, then 'pliant mesh fill' makes a volume"
            }
            "PUnstructuredGrid" | "Collection" => {
                "it names other files: read those, or merge them in ParaView"
            }
            _ => "ParaView's filter 'Append Datasets' turns it into an unstructured grid",
        };
        let text = format!("the file holds {}: UnstructuredGrid is read", quote(kind.as_bytes()));
        return Err(root.error(ErrorKind::Unsupported, text).hint(hint));
    }
    let accept = |name: &str, values: &[&str; 2]| match root.get(name) {
        None => Ok(0),
        Some(found) => values.iter().position(|v| *v == found).ok_or_else(|| {
            let (found, [a, b]) = (quote(found.as_bytes()), values);
            root.error(ErrorKind::Syntax, format!("{name}: expected {a} or {b}, found {found}"))
        }),
    };
    let orders = [ByteOrder::Little, ByteOrder::Big];
    Ok(Format {
        order: orders[accept("byte_order", &["LittleEndian", "BigEndian"])?],
        header: [4, 8][accept("header_type", &["UInt32", "UInt64"])?],
        compressor: root.get("compressor").filter(|c| !c.is_empty()).map(str::to_owned),
    })
}

impl Reader<'_> {
    fn piece(&mut self, tag: &Tag) -> Result<(), MeshError> {
        self.points = self.announced(tag, "NumberOfPoints", 3)?;
        self.cells = self.announced(tag, "NumberOfCells", 1)?;
        self.grid.pieces.push(Piece::default());
        Ok(())
    }

    /// A count that the file states, if its data can be in the file at all.
    fn announced(&self, tag: &Tag, name: &str, each: u64) -> Result<u64, MeshError> {
        let Some(count) = tag.count(name)? else {
            return Err(tag.error(ErrorKind::Syntax, format!("<Piece> lacks {name}")));
        };
        if count > u64::from(u32::MAX) {
            let text = format!("{name} is {count}: at most 2^32 − 1 is served");
            return Err(tag.error(ErrorKind::Count, text));
        }
        let length = self.xml.input.length();
        let ratio = if self.format.compressor.is_some() { HIGHEST_RATIO } else { 1 };
        if count * each > length.saturating_mul(ratio) {
            let text = format!("{name} is {count}, but the file has only {length} bytes");
            return Err(tag
                .error(ErrorKind::Count, text)
                .hint("the file is cut off, or the count is wrong"));
        }
        Ok(count)
    }

    /// An array: read, noted down or skipped.
    fn array(&mut self, tag: Tag) -> Result<(), MeshError> {
        let Some(mut column) = self.column(&tag)? else { return Ok(()) };
        let piece = self.grid.pieces.len().wrapping_sub(1);
        let format = tag.get("format").unwrap_or("ascii");
        if format.eq_ignore_ascii_case("appended") {
            let Some(offset) = tag.count("offset")? else {
                return Err(tag.error(ErrorKind::Syntax, "an appended array needs an offset"));
            };
            self.appended.push(Appended { offset, piece, tag, column });
            return Ok(());
        }
        if !self.xml.has_content() {
            // An empty array may be written without any data.
        } else if format.eq_ignore_ascii_case("ascii") {
            let left = self.xml.input.remaining();
            // A guess for the connectivity: that of tetrahedra. It doubles as it grows.
            column.reserve_announced(4 * self.cells, left / 2);
            read_text(&mut self.xml.input, &mut column)?;
        } else if format.eq_ignore_ascii_case("binary") {
            read_binary(&mut self.xml.input, Place::Inline, &self.format, &mut column)?;
        } else {
            let found = quote(format.as_bytes());
            let text = format!("format: expected ascii, binary or appended, found {found}");
            return Err(tag.error(ErrorKind::Syntax, text));
        }
        store((&mut self.grid, self.state.as_mut()), piece, &tag, column)
    }

    /// The column for an array that the mesh holds.
    fn column(&mut self, tag: &Tag) -> Result<Option<Column>, MeshError> {
        let name = tag.get("Name").unwrap_or_default();
        let components = tag.count("NumberOfComponents")?;
        let parent = self.xml.open.iter().rev().nth(1).map_or("", String::as_str);
        let owner = match parent {
            "PointData" => Some(Owner::Points),
            "CellData" => Some(Owner::Cells),
            "FieldData" => Some(Owner::Grid),
            _ => None,
        };
        let scalar = scalar(tag.get("type").unwrap_or_default());
        if self.state.is_some() {
            let points = Length::Exactly(3 * self.points);
            let (role, length) = match (parent, name) {
                ("Points", _) => (Role::Points, points),
                ("PointData", VELOCITY) if components == Some(3) => (Role::Points, points),
                ("FieldData", TIME) => (Role::CellData(TIME.to_owned()), Length::Exactly(1)),
                _ => return Ok(None),
            };
            let column = scalar.map(|scalar| Column::new(role, scalar, length)).transpose();
            return column.map_err(|e| e.at(tag.at));
        }
        let (role, length) = match (parent, name) {
            ("Points", _) => {
                if components.is_some_and(|c| c != 3) {
                    let text = "points must have 3 components";
                    return Err(tag.error(ErrorKind::Unsupported, text));
                }
                (Role::Points, Length::Exactly(3 * self.points))
            }
            ("Cells", "connectivity") => {
                (Role::Connectivity, Length::AtMost(LARGEST_CELL * (self.cells + 1)))
            }
            ("Cells", "offsets") => {
                (Role::Offsets { leading_zero: false }, Length::Exactly(self.cells))
            }
            ("Cells", "types") => (Role::Types, Length::Exactly(self.cells)),
            _ => {
                let Some(owner) = owner else { return Ok(None) };
                // Texts have as many characters as they like; only those of the grid are names.
                let text = tag.get("type") == Some("String") && owner != Owner::Grid;
                let number = scalar.filter(|_| !text);
                let role = number.and_then(|s| Role::of(owner, name, s, components.unwrap_or(1)));
                let Some(role) = role else {
                    self.grid.skip(name);
                    return Ok(None);
                };
                let length = match owner {
                    Owner::Points => Length::Exactly(self.points),
                    Owner::Cells => Length::Exactly(self.cells),
                    Owner::Grid => Length::AtMost(LONGEST_NAMES),
                };
                (role, length)
            }
        };
        if role != Role::RegionNames && !self.xml.open.iter().any(|n| n == "Piece") {
            return Err(tag.error(ErrorKind::Syntax, format!("<{parent}> outside of <Piece>")));
        }
        let Some(scalar) = scalar else {
            let found = quote(tag.get("type").unwrap_or_default().as_bytes());
            let text = format!("type: expected Int8 to UInt64, Float32 or Float64, found {found}");
            return Err(tag.error(ErrorKind::Syntax, text));
        };
        Column::new(role, scalar, length).map(Some).map_err(|e| e.at(tag.at))
    }

    /// `<AppendedData>`: after an underscore, the data of all arrays.
    fn appended_data(&mut self, tag: &Tag) -> Result<(), MeshError> {
        let place = match tag.get("encoding") {
            Some("base64") => Place::AppendedBase64,
            Some("raw") | None => Place::AppendedRaw,
            Some(other) => {
                let found = quote(other.as_bytes());
                let text = format!("encoding: expected raw or base64, found {found}");
                return Err(tag.error(ErrorKind::Syntax, text));
            }
        };
        let input = &mut self.xml.input;
        loop {
            match input.peek(1)?.first() {
                Some(b'_') => break,
                Some(b) if b.is_ascii_whitespace() => input.consume(1),
                Some(_) => {
                    let text = "appended data must begin with '_'";
                    return Err(input.error(ErrorKind::Syntax, text));
                }
                None => return Err(input.truncated("the appended data")),
            }
        }
        input.consume(1);
        input.binary = place == Place::AppendedRaw;
        let start = input.offset();
        self.appended.sort_by_key(|a| a.offset);
        for mut array in self.appended.drain(..) {
            let here = input.offset() - start;
            let Some(gap) = array.offset.checked_sub(here) else {
                let text = format!("offset {} lies within the array before it", array.offset);
                return Err(array.tag.error(ErrorKind::Unsupported, text));
            };
            input.skip(gap, "the data of an array")?;
            read_binary(input, place, &self.format, &mut array.column)?;
            let to = (&mut self.grid, self.state.as_mut());
            store(to, array.piece, &array.tag, array.column)?;
        }
        Ok(())
    }
}

/// Puts a filled array where it belongs.
fn store(
    (grid, state): (&mut Grid, Option<&mut FrameState>),
    piece: usize,
    tag: &Tag,
    column: Column,
) -> Result<(), MeshError> {
    let Some(state) = state else {
        return grid.store(piece, column).map_err(|e| e.at(tag.at));
    };
    column.finish().map_err(|e| e.at(tag.at))?;
    match tag.get("Name") {
        Some(TIME) => state.time = column.numbers.first().copied(),
        Some(VELOCITY) => state.velocities.extend(column.points),
        _ => state.positions.extend(column.points),
    }
    Ok(())
}

/// A number type by VTK's name.
fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "Int8" => Scalar::I8,
        "UInt8" | "String" => Scalar::U8,
        "Int16" => Scalar::I16,
        "UInt16" => Scalar::U16,
        "Int32" => Scalar::I32,
        "UInt32" => Scalar::U32,
        "Int64" => Scalar::I64,
        "UInt64" => Scalar::U64,
        "Float32" => Scalar::F32,
        "Float64" => Scalar::F64,
        _ => return None,
    })
}

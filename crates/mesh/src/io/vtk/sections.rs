//! The sections of a legacy file.

use crate::error::{ErrorKind, MeshError};
use crate::io::scanner::{Scanner, quote};

use super::column::{Column, Length, Owner, REGION_NAMES, Role};
use super::grid::Grid;
use super::names::decode;
use super::scalar::{ByteOrder, Scalar};

/// The state between sections.
pub(super) struct Sections<'a> {
    pub(super) scanner: Scanner<'a>,
    pub(super) grid: Grid,
    pub(super) binary: bool,
    /// To what the next arrays belong.
    pub(super) owner: Owner,
    /// Counts of what arrays can belong to.
    pub(super) points: u64,
    pub(super) cells: u64,
}

/// What an array's numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Number(Scalar),
    /// Eight to the byte.
    Bit,
    Text,
}

/// Bytes taken from binary data at a time.
const CHUNK: usize = 64 * 1024;
/// More text than that is no list of names.
const LONGEST_TEXT: u64 = 1 << 24;

type Done = Result<(), MeshError>;

impl Sections<'_> {
    /// The next word in lower case; `None` at the end of the file.
    pub(super) fn keyword(&mut self) -> Result<Option<String>, MeshError> {
        let word = self.scanner.token()?;
        Ok(word.map(|w| String::from_utf8_lossy(w).to_ascii_lowercase()))
    }

    fn word(&mut self, what: &str) -> Result<Vec<u8>, MeshError> {
        match self.scanner.field() {
            Some(word) => Ok(word.to_vec()),
            None => Err(self.scanner.missing(what)),
        }
    }

    fn element(&mut self) -> Result<Element, MeshError> {
        let word = self.word("a data type")?.to_ascii_lowercase();
        Ok(Element::Number(match word.as_slice() {
            b"bit" => return Ok(Element::Bit),
            b"string" | b"utf8_string" => return Ok(Element::Text),
            b"char" | b"signed_char" | b"vtktypeint8" => Scalar::I8,
            b"unsigned_char" | b"vtktypeuint8" => Scalar::U8,
            b"short" | b"vtktypeint16" => Scalar::I16,
            b"unsigned_short" | b"vtktypeuint16" => Scalar::U16,
            // Whatever VTK was built with, it stores its index type in 32 bits.
            b"int" | b"vtktypeint32" | b"vtkidtype" => Scalar::I32,
            b"unsigned_int" | b"vtktypeuint32" => Scalar::U32,
            b"long" | b"vtktypeint64" | b"long_long" => Scalar::I64,
            b"unsigned_long" | b"vtktypeuint64" | b"unsigned_long_long" => Scalar::U64,
            b"float" | b"vtktypefloat32" => Scalar::F32,
            b"double" | b"vtktypefloat64" => Scalar::F64,
            _ => return Err(self.scanner.unexpected("a data type", "int, float, double, …")),
        }))
    }

    fn number_type(&mut self, what: &str) -> Result<Scalar, MeshError> {
        match self.element()? {
            Element::Number(scalar) => Ok(scalar),
            _ => Err(self.scanner.unexpected(what, "int, float, double, …")),
        }
    }

    pub(super) fn dataset(&mut self) -> Done {
        let kind = self.word("the kind of dataset")?;
        if kind.eq_ignore_ascii_case(b"unstructured_grid") {
            return Ok(());
        }
        let hint = if kind.eq_ignore_ascii_case(b"polydata") {
            "it is a surface: save it as .obj, .stl or .ply, then 'pliant mesh fill' makes a volume"
        } else {
            "ParaView's filter 'Append Datasets' turns it into an unstructured grid"
        };
        let text = format!("the dataset is {}: UNSTRUCTURED_GRID is read", quote(&kind));
        Err(self.scanner.error(ErrorKind::Unsupported, text).hint(hint))
    }

    /// Reads `values` numbers for the mesh.
    fn fill(&mut self, role: Role, scalar: Scalar, values: u64) -> Done {
        let each = if self.binary { scalar.size() as u64 } else { 2 };
        // A count above 2^32 − 1 may be right for all numbers of a large mesh together.
        let left = self.scanner.remaining();
        if values.saturating_mul(each) > left + 1 {
            let text = format!("the file announces {values} numbers, but only {left} bytes follow");
            return Err(self
                .scanner
                .error(ErrorKind::Count, text)
                .hint("the file is cut off, or the count is wrong"));
        }
        let placed =
            |e: MeshError, s: &Scanner<'_>| e.at(s.error(ErrorKind::Syntax, "").details().at);
        let mut column = Column::new(role, scalar, Length::Exactly(values))
            .map_err(|e| placed(e, &self.scanner))?;
        column.reserve(values, left);
        if self.binary {
            let mut left = values as usize * scalar.size();
            let mut chunk = vec![0; CHUNK];
            while left > 0 {
                let chunk = &mut chunk[..left.min(CHUNK)];
                self.scanner.read_exact(chunk, "binary data")?;
                column.take_bytes(chunk, ByteOrder::Big).map_err(|e| placed(e, &self.scanner))?;
                left -= chunk.len();
            }
            self.scanner.end_binary();
        } else {
            for _ in 0..values {
                let Some(token) = self.scanner.token()? else {
                    return Err(self.scanner.truncated("a number"));
                };
                column.take_text(token).map_err(|e| placed(e, &self.scanner))?;
            }
        }
        self.grid.store(0, column).map_err(|e| placed(e, &self.scanner))
    }

    /// Passes over the data of an array.
    fn skip(&mut self, element: Element, values: u64) -> Done {
        if element == Element::Text {
            for _ in 0..values {
                self.text()?;
            }
            return Ok(());
        }
        if !self.binary {
            for _ in 0..values {
                if self.scanner.token()?.is_none() {
                    return Err(self.scanner.truncated("a number"));
                }
            }
            return Ok(());
        }
        let mut left = match element {
            Element::Number(scalar) => values.saturating_mul(scalar.size() as u64),
            _ => values.div_ceil(8),
        };
        let mut chunk = vec![0; CHUNK];
        while left > 0 {
            let n = left.min(CHUNK as u64);
            self.scanner.read_exact(&mut chunk[..n as usize], "binary data")?;
            left -= n;
        }
        self.scanner.end_binary();
        Ok(())
    }

    fn text(&mut self) -> Result<String, MeshError> {
        if self.binary {
            let text = self.binary_text()?;
            self.scanner.end_binary();
            return Ok(text);
        }
        if !self.scanner.next_line()? {
            return Err(self.scanner.truncated("a string"));
        }
        Ok(decode(self.scanner.line().trim_ascii()))
    }

    /// A string after its length, whose first two bits say in how many bytes it is stored.
    fn binary_text(&mut self) -> Result<String, MeshError> {
        let mut first = [0];
        self.scanner.read_exact(&mut first, "the length of a string")?;
        let more = [7, 3, 1, 0][usize::from(first[0] >> 6)];
        let mut length = [0; 8];
        length[7 - more] = first[0] & 0x3f;
        self.scanner.read_exact(&mut length[8 - more..], "the length of a string")?;
        let length = u64::from_be_bytes(length);
        if length > LONGEST_TEXT.min(self.scanner.remaining()) {
            let text = format!("a string of {length} bytes");
            return Err(self.scanner.error(ErrorKind::Count, text));
        }
        let mut bytes = vec![0; length as usize];
        self.scanner.read_exact(&mut bytes, "a string")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(super) fn points(&mut self) -> Done {
        let n = self.scanner.u64_field("the number of points")?;
        let scalar = self.number_type("the type of the points")?;
        let each = if self.binary { 3 * scalar.size() as u64 } else { 6 };
        self.points = self.scanner.checked_count(n, each, "points")? as u64;
        self.fill(Role::Points, scalar, 3 * self.points)
    }

    /// Version 2 to 4: each cell's size, then its vertices.
    pub(super) fn cell_list(&mut self) -> Done {
        let cells = self.scanner.u64_field("the number of cells")?;
        let values = self.scanner.u64_field("the size of the cell list")?;
        if cells > values {
            let text = format!("{cells} cells in a list of {values} numbers");
            return Err(self.scanner.error(ErrorKind::Count, text));
        }
        self.cells = cells;
        self.fill(Role::CellList, Scalar::I32, values)
    }

    /// Version 5: offsets and connectivity apart.
    pub(super) fn cells_by_offsets(&mut self) -> Done {
        let offsets = self.scanner.u64_field("the number of offsets")?;
        let values = self.scanner.u64_field("the size of the connectivity")?;
        self.cells = offsets.saturating_sub(1);
        self.expect_word("OFFSETS")?;
        let scalar = self.number_type("the type of the offsets")?;
        self.fill(Role::Offsets { leading_zero: true }, scalar, offsets)?;
        self.expect_word("CONNECTIVITY")?;
        let scalar = self.number_type("the type of the connectivity")?;
        self.fill(Role::Connectivity, scalar, values)
    }

    fn expect_word(&mut self, word: &str) -> Done {
        match self.keyword()? {
            Some(found) if found.eq_ignore_ascii_case(word) => Ok(()),
            Some(_) => Err(self.scanner.unexpected("in the cells of a version 5 file", word)),
            None => Err(self.scanner.truncated(word)),
        }
    }

    pub(super) fn cell_types(&mut self) -> Done {
        let n = self.scanner.u64_field("the number of cell types")?;
        self.fill(Role::Types, Scalar::I32, n)
    }

    /// Points or cells, whichever the next arrays belong to.
    fn tuples(&self) -> u64 {
        match self.owner {
            Owner::Points => self.points,
            Owner::Cells => self.cells,
            Owner::Grid => 1,
        }
    }

    /// `POINT_DATA n` or `CELL_DATA n`.
    pub(super) fn data_of(&mut self, owner: Owner) -> Done {
        self.owner = owner;
        let (announced, there) = (self.scanner.u64_field("a count")?, self.tuples());
        if announced == there {
            return Ok(());
        }
        let text = format!("data for {announced}, but there are {there}");
        Err(self.scanner.error(ErrorKind::Count, text))
    }

    /// Reads an array that the mesh holds, or skips it.
    fn array(&mut self, name: &[u8], element: Element, components: u64, tuples: u64) -> Done {
        let name = decode(name);
        let values = components.checked_mul(tuples).ok_or_else(|| {
            let text = format!("array '{name}' has {components} times {tuples} values");
            self.scanner.error(ErrorKind::Count, text)
        })?;
        match element {
            Element::Text if self.owner == Owner::Grid && name == REGION_NAMES => {
                let mut names = Vec::new();
                for _ in 0..values {
                    names.push(self.text()?);
                }
                return self.grid.name_regions(names);
            }
            Element::Number(scalar) => {
                if let Some(role) = Role::of(self.owner, &name, scalar, components) {
                    let needed = self.tuples();
                    if self.owner != Owner::Grid && tuples != needed {
                        let text = format!("array '{name}' has {tuples} values for {needed}");
                        return Err(self.scanner.error(ErrorKind::Count, text));
                    }
                    return self.fill(role, scalar, values);
                }
            }
            _ => {}
        }
        self.grid.skip(&name);
        self.skip(element, values)
    }

    /// `FIELD name n` and its arrays.
    pub(super) fn fields(&mut self) -> Done {
        self.word("the name of the field")?;
        let arrays = self.scanner.u64_field("the number of arrays")?;
        for _ in 0..arrays {
            let mut name = self.array_name()?;
            while name.eq_ignore_ascii_case(b"metadata") {
                self.metadata()?;
                name = self.array_name()?;
            }
            // A missing array is written as this one word.
            if name == b"NULL_ARRAY" {
                continue;
            }
            let components = self.scanner.u64_field("the number of components")?;
            let tuples = self.scanner.u64_field("the number of tuples")?;
            let element = self.element()?;
            self.array(&name, element, components, tuples)?;
        }
        Ok(())
    }

    fn array_name(&mut self) -> Result<Vec<u8>, MeshError> {
        match self.scanner.token()? {
            Some(word) => Ok(word.to_vec()),
            None => Err(self.scanner.truncated("the name of an array")),
        }
    }

    /// `SCALARS name type [components]`, then `LOOKUP_TABLE name`.
    pub(super) fn scalars(&mut self) -> Done {
        let name = self.word("the name of the scalars")?;
        let element = self.element()?;
        let components = match self.scanner.peek_field() {
            Some(_) => self.scanner.u64_field("the number of components")?,
            None => 1,
        };
        match self.keyword()?.as_deref() {
            Some("lookup_table") => drop(self.word("the name of the lookup table")?),
            Some(_) => return Err(self.scanner.unexpected("after SCALARS", "LOOKUP_TABLE")),
            None => return Err(self.scanner.truncated("LOOKUP_TABLE")),
        }
        self.array(&name, element, components, self.tuples())
    }

    /// `COLOR_SCALARS name components`: bytes in binary files, floats in text.
    pub(super) fn color_scalars(&mut self) -> Done {
        let name = self.word("the name of the colours")?;
        let components = self.scanner.u64_field("the number of components")?;
        let scalar = if self.binary { Scalar::U8 } else { Scalar::F32 };
        self.array(&name, Element::Number(scalar), components, self.tuples())
    }

    /// `LOOKUP_TABLE name size`: four bytes, or four floats in text, for each colour.
    pub(super) fn lookup_table(&mut self) -> Done {
        self.word("the name of the lookup table")?;
        let size = self.scanner.u64_field("the size of the lookup table")?;
        self.skip(Element::Number(Scalar::U8), size.saturating_mul(4))
    }

    /// `KEYWORD name type` with a fixed number of components.
    pub(super) fn attribute(&mut self, components: u64) -> Done {
        let name = self.word("the name of an array")?;
        let element = self.element()?;
        self.array(&name, element, components, self.tuples())
    }

    /// `TEXTURE_COORDINATES name dimensions type`.
    pub(super) fn texture_coordinates(&mut self) -> Done {
        let name = self.word("the name of the texture coordinates")?;
        let components = self.scanner.u64_field("the number of dimensions")?;
        let element = self.element()?;
        self.array(&name, element, components, self.tuples())
    }

    /// Everything up to a blank line.
    pub(super) fn metadata(&mut self) -> Done {
        while self.scanner.next_line()? && self.scanner.peek_field().is_some() {}
        Ok(())
    }
}

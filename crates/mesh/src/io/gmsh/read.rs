//! The sections of a `.msh` file, and the mesh from them.

use std::collections::BTreeMap;

use crate::error::{ErrorKind, MeshError, Note};
use crate::io::scanner::{Scanner, Syntax, quote};
use crate::io::{Imported, Source};
use crate::volume::{CellData, VolumeMesh};

use super::element_data::{self, Section};
use super::elements::Elements;
use super::groups::Groups;
use super::input::{Encoding, Input, Width};
use super::nodes::Nodes;

/// The versions of the format, with what differs between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// 2.0 to 2.2
    V2,
    /// 4.0
    V40,
    /// 4.1; `size_t` may have 4 or 8 bytes.
    V41 { size: Width },
}

impl Format {
    /// Width of node and element tags.
    pub(super) fn tag_width(self) -> Width {
        match self {
            Format::V2 | Format::V40 => Width::Four,
            Format::V41 { size } => size,
        }
    }

    /// Width of counts.
    pub(super) fn size_width(self) -> Width {
        match self {
            Format::V2 | Format::V40 => Width::Eight,
            Format::V41 { size } => size,
        }
    }

    /// Whether nodes and elements start with the range of their tags.
    pub(super) fn has_tag_range(self) -> bool {
        self.tags_first()
    }

    /// Whether all node tags of a block come before all of its positions.
    pub(super) fn tags_first(self) -> bool {
        matches!(self, Format::V41 { .. })
    }

    /// Dimension and tag of an entity, which 4.0 has the other way round.
    pub(super) fn dim_and_tag(
        self,
        input: &mut Input<'_>,
        what: &str,
    ) -> Result<[i64; 2], MeshError> {
        let first = input.integer(Width::Four, what)?;
        let second = input.integer(Width::Four, what)?;
        Ok(if self == Format::V40 { [second, first] } else { [first, second] })
    }
}

/// Reads a `.msh` file: 2.0 to 2.2, 4.0 and 4.1, text or binary of either byte order.
///
/// Physical groups of volumes become regions; where a cell is in several, the first is its region
/// and the others become cell sets. Groups of points, curves and surfaces become vertex sets. `$ElementData` of one
/// component on all cells becomes cell data.
pub fn read(source: Source<'_>) -> Result<Imported<VolumeMesh>, MeshError> {
    let name = source.name.clone();
    read_sections(source).map_err(|e| e.in_file(name))
}

fn read_sections(source: Source<'_>) -> Result<Imported<VolumeMesh>, MeshError> {
    let length = source.length;
    let mut input = Input::new(Scanner::new(source, Syntax::PLAIN));
    let format = read_format(&mut input)?;
    let mut groups = Groups::new();
    let (mut nodes, mut elements) = (None, None);
    let (mut cell_tags, mut data) = (None, Data::default());
    let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
    while input.scanner.next_content_line()? {
        // Gmsh passes over what is between sections, and so do we.
        let Some(name) = section_name(&mut input) else { continue };
        match name.as_str() {
            stray if stray.starts_with("End") => {}
            "PhysicalNames" => groups.read_names(&mut input)?,
            "Entities" if format != Format::V2 => {
                groups.read_entities(&mut input, format, false)?;
            }
            "PartitionedEntities" if matches!(format, Format::V41 { .. }) => {
                groups.read_entities(&mut input, format, true)?;
            }
            "Nodes" | "ParametricNodes" => {
                once(&input, nodes.is_some(), "Nodes")?;
                nodes = Some(Nodes::read(&mut input, format, &name)?);
            }
            "Elements" => {
                once(&input, elements.is_some(), "Elements")?;
                let Some(nodes) = &nodes else {
                    let text = "$Elements comes before $Nodes";
                    return Err(input.scanner.error(ErrorKind::Syntax, text));
                };
                let mut read = Elements::read(&mut input, format, nodes, &mut groups)?;
                cell_tags = read.cell_tags().map(|tags| (tags, read.cell_count()));
                elements = Some(read);
            }
            _ => {
                if let (true, Some((tags, cells))) = (name == "ElementData", &cell_tags) {
                    if !data.take(element_data::read(&mut input, tags, *cells)?) {
                        *skipped.entry(name).or_default() += 1;
                    }
                    continue;
                }
                skip_section(&mut input, &name)?;
                if name != "Comments" {
                    *skipped.entry(quote(name.as_bytes()).replace('\'', "")).or_default() += 1;
                }
            }
        }
    }
    let nodes = nodes.ok_or_else(|| missing_section(&input, "Nodes"))?;
    let elements = elements.ok_or_else(|| missing_section(&input, "Elements"))?;
    if nodes.positions.is_empty() {
        return Err(MeshError::new(ErrorKind::Geometry, "the file has no nodes"));
    }
    drop(input);
    let mut imported = assemble(nodes, elements, groups, &skipped, length)?;
    imported.notes.extend(data.notes);
    imported.mesh.cell_data = data.kept;
    Ok(imported)
}

/// The cell data of a file.
#[derive(Default)]
struct Data {
    kept: Vec<CellData>,
    notes: Vec<Note>,
}

impl Data {
    /// Keeps what a section has; false where a mesh has no place for it. Of several sections of one name,
    /// which are steps in time, the first counts.
    fn take(&mut self, section: Section) -> bool {
        match section {
            Section::Data(data) if self.kept.iter().any(|d| d.name == data.name) => return false,
            Section::Data(data) => self.kept.push(data),
            Section::Unusable(note) => self.notes.push(note),
            Section::NotScalar => return false,
        }
        true
    }
}

/// `$MeshFormat`, which comes first, but for comments.
fn read_format(input: &mut Input<'_>) -> Result<Format, MeshError> {
    loop {
        if !input.scanner.next_content_line()? {
            let empty = input.scanner.source().length == 0;
            let text = if empty { "the file is empty" } else { "the file has no $MeshFormat" };
            let kind = if empty { ErrorKind::Truncated } else { ErrorKind::Syntax };
            return Err(input.scanner.error(kind, text));
        }
        match section_name(input).as_deref() {
            Some("MeshFormat") => break,
            Some("NOD" | "NOE" | "ELM") => {
                let text = "a Gmsh file of version 1.0, which is not served";
                return Err(input
                    .scanner
                    .error(ErrorKind::Unsupported, text)
                    .hint("re-save as 4.1 in Gmsh"));
            }
            Some("Comments") => skip_section(input, "Comments")?,
            _ => {
                input.scanner.field();
                return Err(input.scanner.unexpected("a Gmsh file", "$MeshFormat"));
            }
        }
    }
    let version = input.scanner.f64_token("the version")?;
    let format = match version {
        2.0..3.0 => Format::V2,
        4.0 => Format::V40,
        4.1 => Format::V41 { size: Width::Eight },
        _ => {
            let text = format!("Gmsh format {version}: 2.0 to 2.2, 4.0 and 4.1 are served");
            return Err(input
                .scanner
                .error(ErrorKind::Unsupported, text)
                .hint("re-save as 4.1 in Gmsh"));
        }
    };
    let binary = match input.scanner.u64_token("the file type")? {
        0 => false,
        1 => true,
        _ => return Err(input.scanner.unexpected("the file type", "0 (text) or 1 (binary)")),
    };
    let data_size = input.scanner.u64_token("the data size")?;
    let format = match (format, data_size) {
        (Format::V41 { .. }, 4) => Format::V41 { size: Width::Four },
        (format, 8) => format,
        (format, _) if !binary => format,
        _ => {
            let text = format!("data of {data_size} bytes: 8 is served, and 4 in version 4.1");
            return Err(input
                .scanner
                .error(ErrorKind::Unsupported, text)
                .hint("re-save as text in Gmsh"));
        }
    };
    if binary {
        let mut one = [0; 4];
        input.scanner.read_exact(&mut one, "the byte order mark")?;
        let big_endian = match (i32::from_le_bytes(one), i32::from_be_bytes(one)) {
            (1, _) => false,
            (_, 1) => true,
            (other, _) => {
                let text = format!("the byte order mark is {other}, not 1 in either order");
                return Err(input.scanner.error(ErrorKind::Syntax, text));
            }
        };
        input.encoding = Encoding::Binary { big_endian };
    }
    input.end_section("MeshFormat")?;
    Ok(format)
}

/// The name of the section that the current line opens, if it opens one.
fn section_name(input: &mut Input<'_>) -> Option<String> {
    let name = input.scanner.line().trim_ascii().strip_prefix(b"$")?;
    let name = String::from_utf8_lossy(name).into_owned();
    input.scanner.field();
    Some(name)
}

fn skip_section(input: &mut Input<'_>, name: &str) -> Result<(), MeshError> {
    let opened = input.place(0);
    let end = format!("$End{name}");
    while input.scanner.next_line()? {
        if input.scanner.line().trim_ascii() == end.as_bytes() {
            return Ok(());
        }
    }
    let short = quote(format!("${name}").as_bytes());
    let text = format!("the section {short} has no end");
    Err(input.scanner.error(ErrorKind::Truncated, text).at(opened))
}

fn once(input: &Input<'_>, seen: bool, name: &str) -> Result<(), MeshError> {
    if seen {
        let text = format!("a second section ${name}");
        return Err(input.scanner.error(ErrorKind::Syntax, text));
    }
    Ok(())
}

fn missing_section(input: &Input<'_>, name: &str) -> MeshError {
    input
        .scanner
        .error(ErrorKind::Truncated, format!("the file ends without a section ${name}"))
        .hint("it may have been cut off: get it again")
}

fn assemble(
    nodes: Nodes,
    mut elements: Elements,
    mut groups: Groups,
    skipped: &BTreeMap<String, u64>,
    length: u64,
) -> Result<Imported<VolumeMesh>, MeshError> {
    let cell_type = elements.one_kind()?;
    let mut notes = Vec::new();
    if !skipped.is_empty() {
        let mut list: Vec<_> =
            skipped.iter().take(8).map(|(name, count)| format!("${name} ({count})")).collect();
        if skipped.len() > 8 {
            list.push("…".to_owned());
        }
        notes.push(Note::Skipped(format!("sections not used: {}", list.join(", "))));
    }
    if elements.ungrouped > 0 {
        let n = elements.ungrouped;
        notes.push(Note::Skipped(format!(
            "points, lines and faces in no physical group, skipped: {n}"
        )));
    }
    let Nodes { mut positions, tags } = nodes;
    drop(tags);
    let unused = elements.used.iter().filter(|&&used| !used).count();
    if unused > 0 {
        notes.push(Note::Skipped(format!("nodes that no element uses, dropped: {unused}")));
        let mut new = Vec::with_capacity(positions.len());
        let mut next = 0;
        for &used in &elements.used {
            new.push(next);
            next += u32::from(used);
        }
        let mut used = elements.used.iter();
        positions.retain(|_| used.next() == Some(&true));
        positions.shrink_to_fit();
        for node in &mut elements.cells {
            *node = new[*node as usize];
        }
        groups.renumber(&new);
    }
    let mut mesh = VolumeMesh::new(cell_type, positions, elements.cells);
    groups.give_to(&mut mesh, length + 1_000_000)?;
    Imported::checked(mesh, notes)
}

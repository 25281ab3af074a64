//! Reading `.veg`.

use std::collections::HashSet;

use pliant_algebra::vec3::Vec3;

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError, Note};
use crate::io::scanner::parse_u64;
use crate::io::{Imported, Source};
use crate::material::MaterialRecord;
use crate::volume::{NamedSet, VolumeMesh};

use super::lines::{Line, Lines, placed, trimmed};
use super::nearest::nearest;
use super::numbers::{Numbering, Numbers};
use super::regions::{RegionLine, assemble};
use super::{ALL_ELEMENTS, key, material};

const KEYWORDS: [&str; 6] = ["*VERTICES", "*ELEMENTS", "*MATERIAL", "*SET", "*REGION", "*INCLUDE"];

/// Reads a `.veg` file.
pub fn read(source: Source<'_>) -> Result<Imported<VolumeMesh>, MeshError> {
    let name = source.name.clone();
    let mut file = File::default();
    file.sections(&mut Lines::new(source))?;
    file.finish().map_err(|e| e.in_file(name))
}

/// What has been read so far. Numbers of vertices and elements are still the file's own.
#[derive(Default)]
struct File {
    vertices: Option<(Vec<Vec3>, Numbering)>,
    elements: Option<Elements>,
    materials: Vec<MaterialRecord>,
    sets: Vec<(String, Vec<u32>)>,
    regions: Vec<RegionLine>,
    names: HashSet<(Named, String)>,
    notes: Vec<Note>,
}

struct Elements {
    kind: CellType,
    nodes: Vec<u32>,
    numbering: Numbering,
}

/// Sets and materials have names of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Named {
    Set,
    Material,
}

impl File {
    fn sections(&mut self, lines: &mut Lines<'_>) -> Result<(), MeshError> {
        let mut line = lines.next()?;
        if line == Line::End {
            return Err(lines.here().truncated("a .veg file").hint("it holds nothing to read"));
        }
        loop {
            line = match line {
                Line::End => return Ok(()),
                Line::Data => {
                    let accepted = format!("one of {}", KEYWORDS.join(", "));
                    return Err(lines.here().unexpected("the start of a section", &accepted));
                }
                Line::Keyword => match lines.keyword().as_str() {
                    "*VERTICES" => self.vertices(lines)?,
                    "*ELEMENTS" => self.elements(lines)?,
                    "*MATERIAL" => self.material(lines)?,
                    "*SET" => self.set(lines)?,
                    "*REGION" | "*REGION," => self.region(lines)?,
                    other => return Err(unknown_keyword(lines, other)),
                },
            }
        }
    }

    fn vertices(&mut self, lines: &mut Lines<'_>) -> Result<Line, MeshError> {
        if self.vertices.is_some() {
            return Err(lines.error(ErrorKind::Syntax, "a second *VERTICES section"));
        }
        lines.expect_data("the number of vertices")?;
        let (count, room) = lines.count(8, "vertices")?;
        if count == 0 {
            return Err(lines.error(ErrorKind::Geometry, "the mesh has no vertices"));
        }
        if let Some(field) = lines.here().field()
            && parse_u64(field) != Some(3)
        {
            return Err(lines.here().unexpected("coordinates of a vertex", "3"));
        }
        let mut vertices: Vec<Vec3> = Vec::with_capacity(room);
        let mut numbers = Numbers::default();
        let next = loop {
            let line = lines.next()?;
            if line != Line::Data {
                break line;
            }
            if vertices.len() == count {
                return Err(too_many(lines, count, "vertices"));
            }
            numbers.push(lines.index("the number of a vertex")?);
            let s = lines.here();
            vertices.push([
                s.f64_field("the x coordinate")?,
                s.f64_field("the y coordinate")?,
                s.f64_field("the z coordinate")?,
            ]);
        };
        check_count(lines, next, vertices.len(), count, "vertices")?;
        let numbering = numbers.finish("vertex").map_err(|e| placed(&lines.place(), e))?;
        self.vertices = Some((numbering.arrange(vertices, 1), numbering));
        Ok(next)
    }

    fn elements(&mut self, lines: &mut Lines<'_>) -> Result<Line, MeshError> {
        if let Some(before) = &self.elements {
            let text = format!("a second *ELEMENTS section, after one of {}", before.kind);
            return Err(lines
                .error(ErrorKind::MixedCells, text)
                .hint("a .veg file holds one kind of element in one section"));
        }
        let kind = element_kind(lines)?;
        let nodes_each = kind.nodes();
        lines.expect_data("the number of elements")?;
        let (count, room) = lines.count(2 * (nodes_each as u64 + 1), "elements")?;
        if count == 0 {
            return Err(lines.error(ErrorKind::Geometry, "the mesh has no elements"));
        }
        if let Some(field) = lines.here().field()
            && parse_u64(field) != Some(nodes_each as u64)
        {
            let accepted = format!("{nodes_each} for {kind} elements");
            return Err(lines.here().unexpected("vertices of an element", &accepted));
        }
        // Vertices that have been read bound the numbers here; otherwise the last check does.
        let (lowest, highest) = match &self.vertices {
            Some((v, n)) => (n.base, (v.len() as u64 - 1 + u64::from(n.base)) as u32),
            None => (0, u32::MAX),
        };
        let mut nodes: Vec<u32> = Vec::with_capacity(room * nodes_each);
        let mut numbers = Numbers::default();
        let next = loop {
            let line = lines.next()?;
            if line != Line::Data {
                break line;
            }
            if nodes.len() == count * nodes_each {
                return Err(too_many(lines, count, "elements"));
            }
            numbers.push(lines.index("the number of an element")?);
            let s = lines.here();
            for _ in 0..nodes_each {
                let node = s.u64_field("a vertex of the element")?;
                if node < u64::from(lowest) || node > u64::from(highest) {
                    let text = format!("vertex {node}: they are numbered {lowest} to {highest}");
                    return Err(s.error(ErrorKind::Index, text));
                }
                nodes.push(node as u32);
            }
            if s.peek_field().is_some() {
                refuse_other_kind(lines, kind)?;
            }
        };
        check_count(lines, next, nodes.len() / nodes_each, count, "elements")?;
        let numbering = numbers.finish("element").map_err(|e| placed(&lines.place(), e))?;
        let nodes = numbering.arrange(nodes, nodes_each);
        self.elements = Some(Elements { kind, nodes, numbering });
        Ok(next)
    }

    fn material(&mut self, lines: &mut Lines<'_>) -> Result<Line, MeshError> {
        let name = self.new_name(Named::Material, "*MATERIAL", lines)?;
        lines.expect_data("the law of the material")?;
        self.materials.push(material::parse(name, lines.here(), &mut self.notes)?);
        lines.next()
    }

    fn set(&mut self, lines: &mut Lines<'_>) -> Result<Line, MeshError> {
        let name = self.new_name(Named::Set, "*SET", lines)?;
        let (lowest, highest) = self.element_numbers();
        let mut items = Vec::new();
        let next = loop {
            let line = lines.next()?;
            if line != Line::Data {
                break line;
            }
            loop {
                let item = lines.index("an element of the set")?;
                if item < lowest || item > highest {
                    let text = format!(
                        "set '{name}' names element {item}: they are numbered {lowest} to {highest}"
                    );
                    return Err(lines.error(ErrorKind::Index, text));
                }
                items.push(item);
                if lines.here().field().is_none() {
                    break;
                }
            }
        };
        self.sets.push((name, items));
        Ok(next)
    }

    fn region(&mut self, lines: &mut Lines<'_>) -> Result<Line, MeshError> {
        lines.expect_data("the set and the material of the region")?;
        loop {
            self.regions.push(region_line(lines)?);
            let line = lines.next()?;
            if line != Line::Data {
                return Ok(line);
            }
        }
    }

    fn new_name(
        &mut self,
        kind: Named,
        keyword: &str,
        lines: &Lines<'_>,
    ) -> Result<String, MeshError> {
        let name = lines.name(keyword)?;
        if self.names.insert((kind, key(&name))) {
            return Ok(name);
        }
        let text = format!("{keyword} '{name}' is defined twice");
        Err(lines.error(ErrorKind::Syntax, text).hint("give one of them another name"))
    }

    /// The lowest and the highest number of an element, as far as known.
    fn element_numbers(&self) -> (u32, u32) {
        match &self.elements {
            Some(e) => {
                let count = (e.nodes.len() / e.kind.nodes()) as u64;
                (e.numbering.base, (count - 1 + u64::from(e.numbering.base)) as u32)
            }
            None => (0, u32::MAX),
        }
    }

    /// Turns the file's numbers into indices and its sets into regions.
    fn finish(self) -> Result<Imported<VolumeMesh>, MeshError> {
        let missing = |section: &str| {
            MeshError::new(ErrorKind::Syntax, format!("there is no {section} section"))
                .hint("a .veg file has *VERTICES and *ELEMENTS")
        };
        let (lowest, highest) = self.element_numbers();
        let (vertices, vertex_numbering) = self.vertices.ok_or_else(|| missing("*VERTICES"))?;
        let Elements { kind, mut nodes, .. } = self.elements.ok_or_else(|| missing("*ELEMENTS"))?;
        if vertex_numbering.base == 1 {
            for node in &mut nodes {
                *node = node.checked_sub(1).ok_or_else(|| {
                    let text = "an element names vertex 0, but they are numbered from 1";
                    MeshError::new(ErrorKind::Index, text)
                })?;
            }
        }
        let cells = nodes.len() / kind.nodes();
        let mut sets = Vec::with_capacity(self.sets.len());
        for (name, mut items) in self.sets {
            for item in &mut items {
                if *item < lowest || *item > highest {
                    let text = format!(
                        "set '{name}' names element {item}: they are numbered {lowest} to {highest}"
                    );
                    return Err(MeshError::new(ErrorKind::Index, text));
                }
                *item -= lowest;
            }
            let set = NamedSet::new(name, items);
            if key(&set.name) == ALL_ELEMENTS {
                if set.items.len() == cells {
                    continue;
                }
                let (n, text) =
                    (set.items.len(), "is the set of all elements, but is defined with");
                let text = format!("'{ALL_ELEMENTS}' {text} {n} of {cells}");
                return Err(MeshError::new(ErrorKind::Count, text).hint("give it another name"));
            }
            sets.push(set);
        }
        let parts = assemble(cells, sets, &self.regions, &self.materials)?;
        let mesh = VolumeMesh {
            regions: parts.regions,
            cell_region: parts.cell_region,
            cell_sets: parts.cell_sets,
            materials: self.materials,
            ..VolumeMesh::new(kind, vertices, nodes)
        };
        Imported::checked(mesh, self.notes)
    }
}

/// The line after `*ELEMENTS`. As in Vega the beginning of the word decides.
fn element_kind(lines: &mut Lines<'_>) -> Result<CellType, MeshError> {
    lines.expect_data("the kind of the elements")?;
    let word = lines.keyword();
    if word.starts_with("TET") {
        Ok(CellType::Tet4)
    } else if word.starts_with("CUBIC") || word.starts_with("CUBE") {
        Ok(CellType::Hex8)
    } else {
        let error = lines.here().unexpected("the kind of the elements", "TET or CUBIC");
        Err(match nearest(&word, ["TET", "CUBIC"]) {
            Some(meant) => error.hint(format!("did you mean {meant}?")),
            None => error,
        })
    }
}

/// Columns after the last vertex mean nothing, unless they make the element one of the other kind.
fn refuse_other_kind(lines: &mut Lines<'_>, kind: CellType) -> Result<(), MeshError> {
    let mut nodes = kind.nodes();
    while lines.here().field().is_some() {
        nodes += 1;
    }
    if kind == CellType::Tet4 && nodes == CellType::Hex8.nodes() {
        let text = "an element of 8 vertices in a section of TET elements";
        return Err(lines
            .error(ErrorKind::MixedCells, text)
            .hint("a .veg file holds one kind of element: split cubes into tetrahedra first"));
    }
    Ok(())
}

/// `set, material`, or two words without a comma.
fn region_line(lines: &mut Lines<'_>) -> Result<RegionLine, MeshError> {
    let place = lines.place();
    let line = trimmed(lines.here().line()).into_owned();
    let (set, material) = line
        .split_once(',')
        .or_else(|| {
            line.split_once(|c: char| c.is_ascii_whitespace())
                .filter(|(_, material)| !material.trim().contains(char::is_whitespace))
        })
        .ok_or_else(|| {
            let found = lines.quoted();
            lines.error(
                ErrorKind::Syntax,
                format!("a region: expected the names of a set and a material, found {found}"),
            )
        })?;
    Ok(RegionLine { set: set.trim().to_owned(), material: material.trim().to_owned(), place })
}

fn unknown_keyword(lines: &Lines<'_>, keyword: &str) -> MeshError {
    let text = format!("unknown keyword {keyword}: expected one of {}", KEYWORDS.join(", "));
    let error = lines.error(ErrorKind::Syntax, text);
    match nearest(keyword, KEYWORDS) {
        Some(meant) => error.hint(format!("did you mean {meant}?")),
        None => error,
    }
}

fn too_many(lines: &Lines<'_>, count: usize, what: &str) -> MeshError {
    let found = lines.quoted();
    let text = format!("the file announces {count} {what}, but one more follows: {found}");
    lines.error(ErrorKind::Count, text).hint("correct the count at the head of the section")
}

/// At the end of a section: is everything there?
fn check_count(
    lines: &Lines<'_>,
    next: Line,
    found: usize,
    announced: usize,
    what: &str,
) -> Result<(), MeshError> {
    if found == announced {
        return Ok(());
    }
    let text = format!("the file announces {announced} {what}, but {found} are there");
    Err(if next == Line::End {
        lines.error(ErrorKind::Truncated, text).hint("it may have been cut off: get it again")
    } else {
        lines.error(ErrorKind::Count, text).hint("correct the count at the head of the section")
    })
}

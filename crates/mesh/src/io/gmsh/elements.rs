//! The elements of a `.msh` file: volume cells, and the nodes of the others by physical group.

use crate::cell::CellType;
use crate::error::{ErrorKind, Location, MeshError};

use super::combination::{Combination, NONE};
use super::element::{KINDS, Kind, reorder};
use super::groups::Groups;
use super::input::{Input, Width};
use super::nodes::{NodeTags, Nodes};
use super::read::Format;

/// What `$Elements` holds.
#[derive(Debug)]
pub(super) struct Elements {
    /// The kind of the first volume cell; `cells` has those of this kind.
    cell_type: Option<CellType>,
    pub cells: Vec<u32>,
    /// Whether an element uses a node.
    pub used: Vec<bool>,
    /// Elements of lower dimension without a physical group.
    pub ungrouped: u64,
    /// Volume elements by type number.
    tally: [u64; KINDS],
    /// Type number of each kind of volume element and where the first one is, in file order.
    kinds: Vec<(Kind, Location)>,
    total: u64,
    taken: u64,
    width: Width,
}

impl Elements {
    /// Reads the section after its first line.
    pub(super) fn read(
        input: &mut Input<'_>,
        format: Format,
        nodes: &Nodes,
        groups: &mut Groups,
    ) -> Result<Elements, MeshError> {
        let mut elements = Elements {
            cell_type: None,
            cells: Vec::new(),
            used: vec![false; nodes.positions.len()],
            ungrouped: 0,
            tally: [0; KINDS],
            kinds: Vec::new(),
            total: 0,
            taken: 0,
            width: format.tag_width(),
        };
        match (format, input.is_text()) {
            (Format::V2, true) => elements.version_2_text(input, &nodes.tags, groups)?,
            (Format::V2, false) => elements.version_2_binary(input, &nodes.tags, groups)?,
            _ => elements.version_4(input, format, &nodes.tags, groups)?,
        }
        input.end_section("Elements")?;
        elements.cells.shrink_to_fit();
        Ok(elements)
    }

    /// The one kind of its cells.
    pub(super) fn one_kind(&self) -> Result<CellType, MeshError> {
        let unserved = |kind: &Kind| kind.cell_type().is_none();
        let list = |kinds: &[(Kind, Location)], keep: &dyn Fn(&Kind) -> bool| {
            let kept = kinds.iter().filter(|(kind, _)| keep(kind));
            kept.map(|(kind, _)| format!("{} {kind}", self.tally[usize::from(kind.number)]))
                .collect::<Vec<_>>()
                .join(", ")
        };
        if let Some((_, at)) = self.kinds.iter().find(|(kind, _)| unserved(kind)) {
            let found = list(&self.kinds, &unserved);
            let text = format!("volume elements of types not served: {found}");
            return Err(MeshError::new(ErrorKind::Unsupported, text)
                .at(*at)
                .hint("tet4, tet10 and hex8 are: mesh again with one of these"));
        }
        if let Some((_, at)) = self.kinds.get(1) {
            let found = list(&self.kinds, &|_| true);
            let text = format!("volume elements of several kinds: {found}");
            return Err(MeshError::new(ErrorKind::MixedCells, text)
                .at(*at)
                .hint("a mesh has cells of one kind: mesh again with one kind"));
        }
        self.cell_type.ok_or_else(|| {
            MeshError::new(ErrorKind::Geometry, "the file has no volume elements")
                .hint("in Gmsh, mesh in 3D, and put volumes into a physical group if there are any")
        })
    }

    fn version_2_text(
        &mut self,
        input: &mut Input<'_>,
        tags: &NodeTags,
        groups: &mut Groups,
    ) -> Result<(), MeshError> {
        self.total = input.text_count(4, 0, "elements")? as u64;
        for _ in 0..self.total {
            input.integer(Width::Four, "the number of an element")?;
            let number = input.integer(Width::Four, "the type of an element")?;
            let kind = known(input, number)?;
            let tag_count = input.integer(Width::Four, "the number of tags of an element")?;
            let tag = physical_tag(input, tag_count)?;
            self.version_2_element(input, tags, groups, kind, tag)?;
        }
        Ok(())
    }

    fn version_2_binary(
        &mut self,
        input: &mut Input<'_>,
        tags: &NodeTags,
        groups: &mut Groups,
    ) -> Result<(), MeshError> {
        self.total = input.text_count(0, 8, "elements")? as u64;
        while self.taken < self.total {
            let number = input.integer(Width::Four, "the type of an element block")?;
            let kind = known(input, number)?;
            let count = input.integer(Width::Four, "the size of an element block")?;
            let tag_count = input.integer(Width::Four, "the number of tags of an element")?;
            // Type and counts are ints, so that the product cannot overflow.
            let row = 4 * (1 + tag_count.max(0) as u64 + u64::from(kind.nodes));
            let count = self.block_size(input, count, row)?;
            input.announce(count * row);
            for _ in 0..count {
                input.integer(Width::Four, "the number of an element")?;
                let tag = physical_tag(input, tag_count)?;
                self.version_2_element(input, tags, groups, kind, tag)?;
            }
        }
        Ok(())
    }

    /// In 2.x, Gmsh repeats an element that is in several physical groups.
    #[inline]
    fn version_2_element(
        &mut self,
        input: &mut Input<'_>,
        tags: &NodeTags,
        groups: &mut Groups,
        kind: Kind,
        tag: i64,
    ) -> Result<(), MeshError> {
        let combination = groups.of_tag(kind.dim, tag);
        let before = self.cells.len();
        self.element(input, tags, groups, kind, combination)?;
        if self.cells.len() > before {
            let n = usize::from(kind.nodes);
            let repeated = before >= n && self.cells[before - n..before] == self.cells[before..];
            if repeated && groups.add_to_last_cell(combination) {
                self.cells.truncate(before);
                self.tally[usize::from(kind.number)] -= 1;
            } else {
                groups.add_cell(combination);
            }
        }
        Ok(())
    }

    fn version_4(
        &mut self,
        input: &mut Input<'_>,
        format: Format,
        tags: &NodeTags,
        groups: &mut Groups,
    ) -> Result<(), MeshError> {
        let size = format.size_width();
        let blocks = input.count(size, 4, 16, "element blocks")?;
        self.total = input.count(size, 2, 2 * self.width.bytes(), "elements")? as u64;
        if format.has_tag_range() {
            input.integer(size, "the least element tag")?;
            input.integer(size, "the largest element tag")?;
        }
        for _ in 0..blocks {
            let [_, entity] = format.dim_and_tag(input, "the entity of an element block")?;
            let number = input.integer(Width::Four, "the type of an element block")?;
            let kind = known(input, number)?;
            let numbers = 1 + u64::from(kind.nodes);
            let row = numbers * self.width.bytes();
            let count = input.count(size, numbers, row, "elements of a block")?;
            let count = self.block_size(input, count as i64, row)?;
            input.announce(count * row);
            let combination = groups.of_entity(kind.dim, entity);
            for _ in 0..count {
                input.integer(self.width, "the tag of an element")?;
                let before = self.cells.len();
                self.element(input, tags, groups, kind, combination)?;
                if self.cells.len() > before {
                    groups.add_cell(combination);
                }
            }
        }
        if self.taken < self.total {
            let (total, found) = (self.total, self.taken);
            let text = format!("{total} elements are announced, but the blocks hold {found}");
            return Err(input.error(ErrorKind::Count, text, 0));
        }
        Ok(())
    }

    /// Checks the size of a block against what was announced, and the bytes against what is left.
    fn block_size(&self, input: &Input<'_>, count: i64, row: u64) -> Result<u64, MeshError> {
        match u64::try_from(count) {
            Ok(count) if count <= self.total - self.taken => {
                let each = if input.is_text() { 0 } else { row };
                input.scanner.checked_count(count, each, "elements of a block")?;
                Ok(count)
            }
            _ => {
                let left = self.total - self.taken;
                let text = format!(
                    "a block of {count} elements, but {left} of the announced {} are left",
                    self.total
                );
                Err(input.error(ErrorKind::Count, text, 4))
            }
        }
    }

    /// Takes the nodes of one element.
    #[inline]
    fn element(
        &mut self,
        input: &mut Input<'_>,
        tags: &NodeTags,
        groups: &mut Groups,
        kind: Kind,
        combination: Combination,
    ) -> Result<(), MeshError> {
        if kind.dim == 3 {
            let tally = &mut self.tally[usize::from(kind.number)];
            if *tally == 0 {
                self.first_of_its_kind(input, kind);
            }
            self.tally[usize::from(kind.number)] += 1;
            if self.cell_type.is_some() && kind.cell_type() == self.cell_type {
                let start = self.cells.len();
                for _ in 0..kind.nodes {
                    let node = self.node(input, tags)?;
                    self.cells.push(node);
                }
                if let Some(cell_type) = self.cell_type {
                    reorder(cell_type, &mut self.cells[start..]);
                }
            } else {
                // One kind too many: only counted, for the error.
                for _ in 0..kind.nodes {
                    self.node(input, tags)?;
                }
            }
        } else if combination == NONE {
            self.ungrouped += 1;
            for _ in 0..kind.nodes {
                self.node(input, tags)?;
            }
        } else {
            let collected = groups.vertices(kind.dim, combination);
            for _ in 0..kind.nodes {
                collected.push(self.node(input, tags)?);
            }
        }
        self.taken += 1;
        Ok(())
    }

    #[cold]
    fn first_of_its_kind(&mut self, input: &Input<'_>, kind: Kind) {
        if self.kinds.iter().any(|(known, _)| known.number == kind.number) {
            return;
        }
        self.kinds.push((kind, input.place(4)));
        if self.kinds.len() == 1 {
            self.cell_type = kind.cell_type();
            // Cells come last in most files: the rest of the section is of this kind.
            let nodes = u64::from(kind.nodes);
            let bytes = if input.is_text() { 2 } else { self.width.bytes() };
            let possible = input.scanner.source().length / (bytes * nodes);
            let expected = (self.total - self.taken).min(possible);
            if self.cell_type.is_some() {
                self.cells.reserve_exact((expected * nodes) as usize);
            }
        }
    }

    #[inline]
    fn node(&mut self, input: &mut Input<'_>, tags: &NodeTags) -> Result<u32, MeshError> {
        let tag = input.integer(self.width, "a node of an element")?;
        if let Some(index) = tags.index(tag)
            && let Some(used) = self.used.get_mut(index as usize)
        {
            *used = true;
            return Ok(index);
        }
        let text = format!("an element names node {tag}, which is not in $Nodes");
        Err(input.error(ErrorKind::Index, text, self.width.bytes()))
    }
}

fn known(input: &Input<'_>, number: i64) -> Result<Kind, MeshError> {
    Kind::of(number).ok_or_else(|| {
        let what = match number {
            34 => " (polygon)",
            35 => " (polyhedron)",
            _ => "",
        };
        let text = format!("an element of type {number}{what}, which is not served");
        input
            .error(ErrorKind::Unsupported, text, 4)
            .hint("types with a fixed number of nodes, such as tet4 (4) and hex8 (5), are")
    })
}

/// Takes the tags of a 2.x element. The first is its physical group, 0 for none; the others are of
/// no use here.
#[inline]
fn physical_tag(input: &mut Input<'_>, count: i64) -> Result<i64, MeshError> {
    if count < 0 {
        let text = format!("an element with {count} tags");
        return Err(input.error(ErrorKind::Count, text, 4));
    }
    let mut physical = 0;
    for i in 0..count {
        let tag = input.integer(Width::Four, "a tag of an element")?;
        if i == 0 {
            physical = tag;
        }
    }
    Ok(physical)
}

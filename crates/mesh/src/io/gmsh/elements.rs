//! The elements of a `.msh` file: volume cells, and the nodes of the others by physical group.

use crate::cell::CellType;
use crate::error::{ErrorKind, Location, MeshError};

use super::combination::{Combination, NONE};
use super::element::{KINDS, Kind, from_gmsh};
use super::groups::Groups;
use super::input::{Input, Width};
use super::nodes::{Nodes, TagCollector, Tags};
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
    /// Tags of `cells`, in their order.
    cell_tags: TagCollector,
    /// Scratch for rows.
    rows: Vec<i64>,
}

/// More tags than any element has: 2 and the partitions it belongs to.
const MOST_TAGS: usize = 10_000;

/// What elements refer to.
struct Target<'a> {
    tags: &'a Tags,
    groups: &'a mut Groups,
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
            cell_tags: TagCollector::default(),
            rows: Vec::new(),
        };
        let to = &mut Target { tags: &nodes.tags, groups };
        match (format, input.is_text()) {
            (Format::V2, true) => elements.version_2_text(input, to)?,
            (Format::V2, false) => elements.version_2_binary(input, to)?,
            _ => elements.version_4(input, format, to)?,
        }
        input.end_section("Elements")?;
        elements.cells.shrink_to_fit();
        Ok(elements)
    }

    /// The way from tags to cells; none where tags repeat, so that data cannot be assigned.
    pub(super) fn cell_tags(&mut self) -> Option<Tags> {
        std::mem::take(&mut self.cell_tags).finish().ok()
    }

    /// Number of cells.
    pub(super) fn cell_count(&self) -> usize {
        self.cell_type.map_or(0, |kind| self.cells.len() / kind.nodes())
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
                .hint("tet4, tet10, hex8 and hex20 are: mesh again with one of these"));
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
        to: &mut Target<'_>,
    ) -> Result<(), MeshError> {
        self.total = input.text_count(4, 0, "elements")? as u64;
        for _ in 0..self.total {
            let tag = input.integer(Width::Four, "the number of an element")?;
            let number = input.integer(Width::Four, "the type of an element")?;
            let kind = known(input, number)?;
            let tags = tag_count(input)?;
            self.rows(input, kind, 1, tags + usize::from(kind.nodes), |elements, row| {
                elements.version_2_element(to, kind, row, (tag, 0))
            })?;
        }
        Ok(())
    }

    fn version_2_binary(
        &mut self,
        input: &mut Input<'_>,
        to: &mut Target<'_>,
    ) -> Result<(), MeshError> {
        self.total = input.text_count(0, 8, "elements")? as u64;
        while self.taken < self.total {
            let number = input.integer(Width::Four, "the type of an element block")?;
            let kind = known(input, number)?;
            let count = input.integer(Width::Four, "the size of an element block")?;
            let count = self.block_size(input, count)?;
            let tags = tag_count(input)?;
            let integers = 1 + tags + usize::from(kind.nodes);
            self.rows(input, kind, count, integers, |elements, rows| {
                for (i, row) in rows.chunks_exact(integers).enumerate() {
                    let taken = elements.version_2_element(to, kind, row, (row[0], 1));
                    taken.map_err(|place| i * integers + place)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn version_4(
        &mut self,
        input: &mut Input<'_>,
        format: Format,
        to: &mut Target<'_>,
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
            let count = input.count(size, 0, 0, "elements of a block")?;
            let count = self.block_size(input, count as i64)?;
            let combination = to.groups.of_entity(kind.dim, entity);
            self.rows(input, kind, count, 1 + usize::from(kind.nodes), |elements, rows| {
                let cells = elements.take(to, kind, rows, 1, combination)?;
                if cells > 0 {
                    for row in rows.chunks_exact(1 + usize::from(kind.nodes)) {
                        elements.tag_cell(row[0]);
                    }
                }
                to.groups.add_cells(combination, cells);
                Ok(())
            })?;
        }
        if self.taken < self.total {
            let (total, found) = (self.total, self.taken);
            let text = format!("{total} elements are announced, but the blocks hold {found}");
            return Err(input.error(ErrorKind::Count, text, 0));
        }
        Ok(())
    }

    /// Checks the size of a block against what was announced.
    fn block_size(&self, input: &Input<'_>, count: i64) -> Result<usize, MeshError> {
        let left = self.total - self.taken;
        if u64::try_from(count).is_ok_and(|count| count <= left) {
            return Ok(count as usize);
        }
        let total = self.total;
        let text =
            format!("a block of {count} elements, but {left} of the announced {total} are left");
        Err(input.error(ErrorKind::Count, text, 4))
    }

    /// Gives `accept` the elements as rows of integers, as many rows at once as can be had. It
    /// returns the place among these of what is not the tag of a node.
    #[inline]
    fn rows(
        &mut self,
        input: &mut Input<'_>,
        kind: Kind,
        count: usize,
        integers: usize,
        mut accept: impl FnMut(&mut Self, &[i64]) -> Result<(), usize>,
    ) -> Result<(), MeshError> {
        let width = self.width;
        let each = if input.is_text() { 2 } else { width.bytes() } * integers as u64;
        input.scanner.checked_count(count as u64, each, "elements")?;
        input.announce(count as u64 * each);
        if kind.dim == 3 && self.tally[usize::from(kind.number)] == 0 && count > 0 {
            self.first_of_its_kind(input, kind);
        }
        let mut rows = std::mem::take(&mut self.rows);
        let mut left = count;
        while left > 0 {
            let now = left.min(input.rows_at_once(integers));
            rows.resize(now * integers, 0);
            input.integers(&mut rows, width, "a tag or node of an element")?;
            if let Err(place) = accept(self, &rows) {
                let text = format!("an element names node {}, which is not in $Nodes", rows[place]);
                let back = rows.len() - place - 1;
                return Err(input.error_before(ErrorKind::Index, text, back, width));
            }
            left -= now;
        }
        self.rows = rows;
        Ok(())
    }

    /// Notes the tag of the next cell. Negative ones, which no file should have, name nothing.
    #[inline]
    fn tag_cell(&mut self, tag: i64) {
        self.cell_tags.push(u64::try_from(tag).unwrap_or(u64::MAX), self.total as usize);
    }

    /// Takes one element of a 2.x file with its number: a row of tags, after `skip` other numbers, and
    /// nodes. The first tag is its physical group, 0 for none. Gmsh repeats an element that is in several.
    #[inline]
    fn version_2_element(
        &mut self,
        to: &mut Target<'_>,
        kind: Kind,
        row: &[i64],
        (number, skip): (i64, usize),
    ) -> Result<(), usize> {
        let n = usize::from(kind.nodes);
        let tags = &row[skip..row.len() - n];
        let combination = to.groups.of_tag(kind.dim, tags.first().copied().unwrap_or(0));
        if self.take(to, kind, row, row.len() - n, combination)? > 0 {
            let start = self.cells.len() - n;
            let (before, cell) = self.cells.split_at(start);
            let repeated = before.iter().rev().zip(cell.iter().rev()).all(|(a, b)| a == b);
            if repeated && start > 0 && to.groups.add_to_last_cell(combination) {
                self.cells.truncate(start);
                self.tally[usize::from(kind.number)] -= 1;
            } else {
                to.groups.add_cells(combination, 1);
                self.tag_cell(number);
            }
        }
        Ok(())
    }

    /// Takes elements as rows of `skip` numbers and the nodes; returns how many cells they are. On
    /// failure returns the place of what is not the tag of a node.
    #[inline]
    fn take(
        &mut self,
        to: &mut Target<'_>,
        kind: Kind,
        rows: &[i64],
        skip: usize,
        combination: Combination,
    ) -> Result<u32, usize> {
        let Self { cells, used, .. } = self;
        let n = usize::from(kind.nodes);
        let count = rows.len() / (skip + n);
        self.taken += count as u64;
        if kind.dim == 3 {
            self.tally[usize::from(kind.number)] += count as u64;
            if let Some(cell_type) = self.cell_type
                && kind.cell_type() == Some(cell_type)
            {
                let start = cells.len();
                cells.resize(start + count * n, 0);
                let mut places = cells[start..].iter_mut();
                indices(rows, skip, n, to.tags, used, |node| {
                    if let Some(place) = places.next() {
                        *place = node;
                    }
                })?;
                from_gmsh(cell_type, &mut cells[start..]);
                return Ok(count as u32);
            }
            // One kind too many: only counted, for the error.
            indices(rows, skip, n, to.tags, used, |_| ())?;
        } else if combination == NONE {
            self.ungrouped += count as u64;
            indices(rows, skip, n, to.tags, used, |_| ())?;
        } else {
            let collected = to.groups.vertices(kind.dim, combination);
            indices(rows, skip, n, to.tags, used, |node| collected.push(node))?;
        }
        Ok(0)
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

/// Turns the last `n` of each row of `skip + n` numbers from tags into indices, and marks these as
/// used. On failure returns the place of what is not a tag.
#[inline]
fn indices(
    rows: &[i64],
    skip: usize,
    n: usize,
    tags: &Tags,
    used: &mut [bool],
    mut push: impl FnMut(u32),
) -> Result<(), usize> {
    for (i, row) in rows.chunks_exact(skip + n).enumerate() {
        for (j, &tag) in row[skip..].iter().enumerate() {
            let index = tags.index(tag).ok_or(i * (skip + n) + skip + j)?;
            used[index as usize] = true;
            push(index);
        }
    }
    Ok(())
}

/// The number of tags of a 2.x element.
fn tag_count(input: &mut Input<'_>) -> Result<usize, MeshError> {
    let count = input.integer(Width::Four, "the number of tags of an element")?;
    match usize::try_from(count) {
        Ok(count) if count <= MOST_TAGS => Ok(count),
        _ => {
            let text = format!("an element with {count} tags: 0 to {MOST_TAGS} are accepted");
            Err(input.error(ErrorKind::Count, text, 4))
        }
    }
}

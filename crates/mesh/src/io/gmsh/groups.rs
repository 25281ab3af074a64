//! Physical groups: read by dimension, and turned into regions, cell sets and vertex sets.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{ErrorKind, MeshError};
use crate::volume::{NO_REGION, NamedSet, Region, VolumeMesh};

use super::combination::{Combination, Combinations, NONE};
use super::input::{Input, Width};
use super::read::Format;

/// What a file says about physical groups, and what was found in them.
#[derive(Debug)]
pub(super) struct Groups {
    /// Dimension, tag and name, in file order.
    names: Vec<(u8, u64, String)>,
    dims: [Dim; 4],
    /// The combination of one cell after the other: how often each.
    runs: Vec<(Combination, u32)>,
}

/// The groups of one dimension.
#[derive(Debug)]
struct Dim {
    combinations: Combinations,
    /// The combination that each entity of a 4.x file is in.
    entities: BTreeMap<i64, Combination>,
    /// Nodes of elements that are not cells, by combination.
    vertices: Vec<Vec<u32>>,
}

impl Groups {
    pub(super) fn new() -> Self {
        let dim = || Dim {
            combinations: Combinations::new(),
            entities: BTreeMap::new(),
            vertices: Vec::new(),
        };
        Self { names: Vec::new(), dims: [dim(), dim(), dim(), dim()], runs: Vec::new() }
    }

    /// Reads `$PhysicalNames`, which is text in binary files too, after its first line.
    pub(super) fn read_names(&mut self, input: &mut Input<'_>) -> Result<(), MeshError> {
        let scanner = &mut input.scanner;
        let count = scanner.u64_token("the number of physical names")?;
        let count = scanner.checked_count(count, 5, "physical names")?;
        for _ in 0..count {
            if !scanner.next_content_line()? {
                return Err(scanner.truncated("a physical name"));
            }
            let dim = scanner.u64_field("the dimension of a physical group")?;
            if dim > 3 {
                return Err(scanner.unexpected("the dimension of a physical group", "0 to 3"));
            }
            let tag = scanner.i64_field("the tag of a physical group")?.unsigned_abs();
            let name = unquoted(scanner.rest_of_line());
            self.names.push((dim as u8, tag, String::from_utf8_lossy(name).into_owned()));
        }
        // What is between the last name and the end of its line was taken as part of the name.
        if scanner.next_content_line()? && scanner.field() == Some(b"$EndPhysicalNames") {
            return Ok(());
        }
        let text = format!("$EndPhysicalNames should follow after {count} names");
        Err(scanner.error(ErrorKind::Count, text))
    }

    /// Reads `$Entities`, or the entities of `$PartitionedEntities`, after the first line.
    pub(super) fn read_entities(
        &mut self,
        input: &mut Input<'_>,
        format: Format,
        partitioned: bool,
    ) -> Result<(), MeshError> {
        let size = format.size_width();
        if partitioned {
            input.count(size, 0, 0, "partitions")?;
            let ghosts = input.count(size, 2, 8, "ghost entities")?;
            for _ in 0..2 * ghosts {
                input.integer(Width::Four, "a ghost entity")?;
            }
        }
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = input.count(size, 5, 8, "entities")?;
        }
        for (dim, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                let tag = input.integer(Width::Four, "the tag of an entity")?;
                if partitioned {
                    input.integer(Width::Four, "the dimension of a parent entity")?;
                    input.integer(Width::Four, "the tag of a parent entity")?;
                    skip_integers(input, size, "partition tags")?;
                }
                let box_numbers = if dim == 0 && format != Format::V40 { 3 } else { 6 };
                input.skip_floats(box_numbers, "the bounding box of an entity")?;
                let groups = input.count(size, 1, 4, "physical tags of an entity")?;
                let Dim { combinations, entities, .. } = &mut self.dims[dim];
                let mut combination = NONE;
                for _ in 0..groups {
                    let group = input.integer(Width::Four, "a physical tag")?.unsigned_abs();
                    // A volume whose first group is 0 has sets, but no region.
                    if group != 0 || dim == 3 {
                        combination = combinations.with(combination, group);
                    }
                }
                if combination != NONE {
                    entities.insert(tag, combination);
                }
                if dim > 0 {
                    skip_integers(input, size, "bounding entities")?;
                }
            }
        }
        input.end_section(if partitioned { "PartitionedEntities" } else { "Entities" })
    }

    /// The groups of entity `tag`.
    pub(super) fn of_entity(&self, dim: u8, tag: i64) -> Combination {
        self.dims[usize::from(dim)].entities.get(&tag).copied().unwrap_or(NONE)
    }

    /// The groups of an element of a 2.x file, which names at most one: 0 is none.
    #[inline]
    pub(super) fn of_tag(&mut self, dim: u8, tag: i64) -> Combination {
        match tag.unsigned_abs() {
            0 => NONE,
            group => self.dims[usize::from(dim)].combinations.with(NONE, group),
        }
    }

    /// Notes the groups of the next cells.
    #[inline]
    pub(super) fn add_cells(&mut self, combination: Combination, cells: u32) {
        match self.runs.last_mut() {
            Some((same, count)) if *same == combination => *count += cells,
            _ if cells > 0 => self.runs.push((combination, cells)),
            _ => {}
        }
    }

    /// Puts the last cell into a further group, unless that is the one it was put into last.
    pub(super) fn add_to_last_cell(&mut self, combination: Combination) -> bool {
        let combinations = &mut self.dims[3].combinations;
        let (Some(last), Some(group)) = (self.runs.last_mut(), combinations.last(combination))
        else {
            return false;
        };
        if combinations.last(last.0) == Some(group) {
            return false;
        }
        let before = if last.0 == NONE { combinations.with(NONE, 0) } else { last.0 };
        let grown = combinations.with(before, group);
        last.1 -= 1;
        if last.1 == 0 {
            self.runs.pop();
        }
        self.add_cells(grown, 1);
        true
    }

    /// Where nodes of elements in `combination` are collected.
    #[inline]
    pub(super) fn vertices(&mut self, dim: u8, combination: Combination) -> &mut Vec<u32> {
        let vertices = &mut self.dims[usize::from(dim)].vertices;
        if vertices.len() <= combination as usize {
            vertices.resize_with(combination as usize + 1, Vec::new);
        }
        &mut vertices[combination as usize]
    }

    /// Renumbers collected vertices.
    pub(super) fn renumber(&mut self, new: &[u32]) {
        for vertex in self.dims.iter_mut().flat_map(|d| &mut d.vertices).flatten() {
            *vertex = new[*vertex as usize];
        }
    }

    /// Tags and names of the groups of a dimension: the named ones in file order, then the others.
    fn listed(&self, dim: u8, used: &BTreeSet<u64>) -> Vec<(u64, String)> {
        let mut seen = BTreeSet::new();
        let named = self.names.iter().filter(|name| name.0 == dim && seen.insert(name.1));
        let mut list: Vec<_> = named.map(|(_, tag, name)| (*tag, name.clone())).collect();
        list.extend(used.difference(&seen).map(|tag| (*tag, tag.to_string())));
        list
    }

    /// Gives the mesh its regions and sets; `limit` is the most items that all sets together may
    /// have.
    pub(super) fn give_to(mut self, mesh: &mut VolumeMesh, limit: u64) -> Result<(), MeshError> {
        let mut budget = Budget { left: limit, limit };
        self.volume_groups(mesh, &mut budget)?;
        mesh.vertex_sets = self.vertex_groups(&mut budget)?;
        Ok(())
    }

    /// The first group of a cell is its region. A group that comes second or later somewhere is a
    /// cell set, with all of its cells.
    fn volume_groups(&self, mesh: &mut VolumeMesh, budget: &mut Budget) -> Result<(), MeshError> {
        let Dim { combinations, entities, .. } = &self.dims[3];
        let filled: BTreeSet<_> = self.runs.iter().map(|run| run.0).collect();
        let groups: BTreeMap<_, _> = entities
            .values()
            .chain(&filled)
            .map(|&combination| (combination, combinations.groups(combination)))
            .collect();
        let firsts: BTreeSet<u64> =
            filled.iter().filter_map(|combination| groups[combination].first().copied()).collect();
        let sets: BTreeSet<u64> = groups.values().flat_map(|g| g.iter().skip(1)).copied().collect();
        // Physical tag 0 stands for no group.
        let used: BTreeSet<u64> = firsts.union(&sets).copied().filter(|&g| g != 0).collect();
        let listed = self.listed(3, &used);

        let VolumeMesh { regions, cell_region, cell_sets, .. } = mesh;
        let (mut region_of, mut set_of) = (BTreeMap::new(), BTreeMap::new());
        for (tag, name) in listed {
            if sets.contains(&tag) {
                set_of.insert(tag, cell_sets.len());
                cell_sets.push(NamedSet { name: name.clone(), items: Vec::new() });
            }
            // A name without cells is that of an empty region.
            if firsts.contains(&tag) || !sets.contains(&tag) {
                region_of.insert(tag, regions.len() as u32);
                regions.push(Region { name, material: None });
            }
        }

        let in_set = |c: Combination| groups[&c].iter().filter_map(|g| set_of.get(g)).copied();
        if !cell_sets.is_empty() {
            let mut next = 0;
            for &(combination, count) in &self.runs {
                for set in in_set(combination) {
                    budget.spend(u64::from(count))?;
                    cell_sets[set].items.extend(next..next + count);
                }
                next += count;
            }
        }
        if !regions.is_empty() {
            let cells: usize = self.runs.iter().map(|run| run.1 as usize).sum();
            cell_region.reserve_exact(cells);
            for &(combination, count) in &self.runs {
                let first = groups[&combination].first();
                let region = first.and_then(|g| region_of.get(g)).copied().unwrap_or(NO_REGION);
                cell_region.extend(std::iter::repeat_n(region, count as usize));
            }
        }
        Ok(())
    }

    /// Groups of points, curves and surfaces are sets of the vertices on them.
    fn vertex_groups(&mut self, budget: &mut Budget) -> Result<Vec<NamedSet>, MeshError> {
        let mut sets: Vec<(u8, NamedSet)> = Vec::new();
        for dim in 0..3_u8 {
            let Dim { combinations, vertices, .. } = &mut self.dims[usize::from(dim)];
            let mut items: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for (combination, vertices) in vertices.iter_mut().enumerate() {
                let mut vertices = std::mem::take(vertices);
                if vertices.is_empty() {
                    continue;
                }
                vertices.sort_unstable();
                vertices.dedup();
                for group in combinations.groups(combination as Combination) {
                    if group != 0 {
                        budget.spend(vertices.len() as u64)?;
                        items.entry(group).or_default().extend(&vertices);
                    }
                }
            }
            for (tag, name) in self.listed(dim, &items.keys().copied().collect()) {
                let items = items.remove(&tag).unwrap_or_default();
                sets.push((dim, NamedSet::new(name, items)));
            }
        }
        let mut dims_of: BTreeMap<String, BTreeSet<u8>> = BTreeMap::new();
        for (dim, set) in &sets {
            dims_of.entry(set.name.clone()).or_default().insert(*dim);
        }
        Ok(sets
            .into_iter()
            .map(|(dim, mut set)| {
                if dims_of[&set.name].len() > 1 {
                    set.name = format!("{} (dim {dim})", set.name);
                }
                set
            })
            .collect())
    }
}

/// Keeps a small file from asking for huge sets: an entity of n elements in m groups makes n m
/// items out of n + m numbers.
struct Budget {
    left: u64,
    limit: u64,
}

impl Budget {
    fn spend(&mut self, items: u64) -> Result<(), MeshError> {
        let limit = self.limit;
        self.left = self.left.checked_sub(items).ok_or_else(|| {
            let text =
                format!("the physical groups overlap so much that they have over {limit} items");
            MeshError::new(ErrorKind::Unsupported, text)
                .hint("put each entity into fewer physical groups")
        })?;
        Ok(())
    }
}

fn skip_integers(input: &mut Input<'_>, size: Width, what: &str) -> Result<(), MeshError> {
    let count = input.count(size, 1, 4, what)?;
    for _ in 0..count {
        input.integer(Width::Four, what)?;
    }
    Ok(())
}

/// What is between the first and the last quote; all of it, trimmed, where there are none.
pub(super) fn unquoted(text: &[u8]) -> &[u8] {
    let first = text.iter().position(|&b| b == b'"');
    let last = text.iter().rposition(|&b| b == b'"');
    match (first, last) {
        (Some(first), Some(last)) if first < last => &text[first + 1..last],
        _ => text.trim_ascii(),
    }
}

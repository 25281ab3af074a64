//! [`Grid`]: the arrays of an unstructured grid as VTK files hold them, and the volume mesh they make.

use std::collections::HashMap;

use pliant_algebra::vec3::Vec3;

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError, Note};
use crate::io::Imported;
use crate::volume::{CellData, NO_REGION, NamedSet, Region, VolumeMesh};

use super::column::{Column, Role, TIME};
use super::kind::{Kind, VOXEL, VOXEL_TYPE, kind};

/// The arrays of one piece of a grid.
#[derive(Debug, Default)]
pub(in crate::io) struct Piece {
    points: Option<Vec<Vec3>>,
    connectivity: Option<Vec<u32>>,
    sizes: Option<Vec<u32>>,
    types: Option<Vec<u8>>,
    region: Option<Vec<u32>>,
    cell_sets: Vec<NamedSet>,
    vertex_sets: Vec<NamedSet>,
    cell_data: Vec<CellData>,
}

/// All pieces and what belongs to the whole.
#[derive(Debug, Default)]
pub(in crate::io) struct Grid {
    pub(in crate::io) pieces: Vec<Piece>,
    region_names: Option<Vec<String>>,
    skipped: Vec<String>,
    skipped_count: usize,
    notes: Vec<Note>,
}

/// How many skipped arrays a note names.
const NAMED: usize = 12;

impl Grid {
    /// Puts a filled array where it belongs.
    pub(in crate::io) fn store(&mut self, piece: usize, column: Column) -> Result<(), MeshError> {
        column.finish()?;
        let Column { role, points, mut integers, mut sizes, bytes, numbers, .. } = column;
        // Room that was guessed must not add up over many pieces.
        integers.shrink_to_fit();
        sizes.shrink_to_fit();
        if role == Role::RegionNames {
            return put(&mut self.region_names, split_names(&bytes), "region names");
        }
        let Some(piece) = self.pieces.get_mut(piece) else {
            return Err(MeshError::new(ErrorKind::Syntax, "an array stands outside of any piece"));
        };
        match role {
            Role::Points => put(&mut piece.points, points, "points")?,
            Role::Connectivity => put(&mut piece.connectivity, integers, "connectivity")?,
            Role::Offsets { .. } => put(&mut piece.sizes, sizes, "offsets")?,
            Role::CellList => {
                put(&mut piece.connectivity, integers, "cells")?;
                put(&mut piece.sizes, sizes, "cells")?;
            }
            Role::Types => put(&mut piece.types, bytes, "cell types")?,
            Role::Region => put(&mut piece.region, integers, "regions")?,
            Role::CellSet(name) => piece.cell_sets.push(NamedSet { name, items: integers }),
            Role::VertexSet(name) => piece.vertex_sets.push(NamedSet { name, items: integers }),
            // Of two arrays of one name the first counts.
            Role::CellData(name) if piece.cell_data.iter().any(|d| d.name == name) => {
                self.skip(&name);
            }
            Role::CellData(name) => match numbers.iter().position(|v| !v.is_finite()) {
                None => piece.cell_data.push(CellData { name, values: numbers }),
                Some(cell) => {
                    let (value, text) = (numbers[cell], "and was skipped");
                    let text = format!("cell data '{name}' is {value} in cell {cell} {text}");
                    self.notes.push(Note::Skipped(text));
                }
            },
            Role::RegionNames => {}
        }
        Ok(())
    }

    /// The regions' names, where the file holds them as strings.
    pub(in crate::io) fn name_regions(&mut self, names: Vec<String>) -> Result<(), MeshError> {
        put(&mut self.region_names, names, "region names")
    }

    /// Remembers an array that a mesh cannot hold; the time of a frame is no loss to it.
    pub(in crate::io) fn skip(&mut self, name: &str) {
        if name == TIME {
            return;
        }
        self.skipped_count += 1;
        if self.skipped.len() < NAMED && !self.skipped.iter().any(|n| n == name) {
            self.skipped.push(name.to_owned());
        }
    }

    /// The mesh that the grid holds.
    pub(in crate::io) fn finish(mut self) -> Result<Imported<VolumeMesh>, MeshError> {
        let mut notes = std::mem::take(&mut self.notes);
        let cell_data = self.merge_cell_data();
        if self.skipped_count > 0 {
            let dots = if self.skipped_count > self.skipped.len() { ", …" } else { "" };
            let names = self.skipped.join("', '");
            notes.push(Note::Skipped(format!(
                "data arrays are not part of a mesh and were skipped: '{names}'{dots}"
            )));
        }
        let mut whole = Cells { data: cell_data, ..Cells::default() };
        let mut vertices = Vec::new();
        let mut sets = [Sets::default(), Sets::default()];
        for (number, mut piece) in std::mem::take(&mut self.pieces).into_iter().enumerate() {
            let (first_vertex, first_cell) = (vertices.len(), whole.types.len());
            let (points, cells) = piece.geometry(number)?;
            sets[0].append(piece.cell_sets, first_cell)?;
            sets[1].append(piece.vertex_sets, first_vertex)?;
            whole.append(cells, piece.region, (first_vertex, points.len()))?;
            append(&mut vertices, points);
        }
        if vertices.is_empty() || whole.types.is_empty() {
            let text = format!("{} points and {} cells", vertices.len(), whole.types.len());
            return Err(MeshError::new(ErrorKind::Geometry, format!("the grid is empty: {text}")));
        }
        let [mut cell_sets, vertex_sets] = sets.map(|s| s.sets);
        let (cell_type, lower) = whole.cell_type()?;
        if !lower.is_empty() {
            notes.push(Note::Skipped(format!("cells of lower dimension were skipped: {lower}")));
            whole.drop_lower(&mut cell_sets);
        }
        whole.check_sizes(cell_type)?;
        whole.turn_voxels();
        let Cells { connectivity, region, data, .. } = whole;
        let mut mesh = VolumeMesh::new(cell_type, vertices, connectivity);
        if let Some(region) = region {
            (mesh.regions, mesh.cell_region) = name_regions(self.region_names, region);
        }
        (mesh.cell_sets, mesh.vertex_sets) = (cell_sets, vertex_sets);
        mesh.cell_data = data;
        Imported::checked(mesh, notes)
    }
}

impl Grid {
    /// Data that every piece with cells has, one piece after the other. Other data is skipped.
    fn merge_cell_data(&mut self) -> Vec<CellData> {
        let with_cells = |p: &&mut Piece| p.types.as_ref().is_some_and(|t| !t.is_empty());
        let mut pieces = self.pieces.iter_mut().filter(with_cells);
        let mut merged =
            pieces.next().map_or_else(Vec::new, |first| std::mem::take(&mut first.cell_data));
        let mut lacking = Vec::new();
        for piece in pieces {
            let mut found = std::mem::take(&mut piece.cell_data);
            merged.retain_mut(|data| {
                let place = found.iter().position(|d| d.name == data.name);
                match place.map(|i| found.swap_remove(i)) {
                    Some(more) => append(&mut data.values, more.values),
                    None => lacking.push(data.name.clone()),
                }
                place.is_some()
            });
            lacking.extend(found.into_iter().map(|d| d.name));
        }
        for name in &lacking {
            self.skip(name);
        }
        merged
    }
}

impl Piece {
    /// Takes the points and cells out.
    fn geometry(&mut self, number: usize) -> Result<(Vec<Vec3>, Cells), MeshError> {
        // An array may be left out where it would be empty.
        let points = self.points.take().unwrap_or_default();
        let connectivity = self.connectivity.take().unwrap_or_default();
        let sizes = self.sizes.take().unwrap_or_default();
        let types = self.types.take().unwrap_or_default();
        let count =
            |text: String| MeshError::new(ErrorKind::Count, format!("piece {number}: {text}"));
        if sizes.len() != types.len() {
            return Err(count(format!("{} cells, but {} cell types", sizes.len(), types.len())));
        }
        let nodes: u64 = sizes.iter().map(|&s| u64::from(s)).sum();
        if nodes != connectivity.len() as u64 {
            let found = connectivity.len();
            return Err(count(format!("the cells need {nodes} vertex indices, found {found}")));
        }
        if let Some(region) = &self.region
            && region.len() != types.len()
        {
            return Err(count(format!("{} region numbers, {} cells", region.len(), types.len())));
        }
        Ok((points, Cells { connectivity, sizes, types, region: None, data: Vec::new() }))
    }
}

/// Cells of any kinds.
#[derive(Debug, Default)]
struct Cells {
    connectivity: Vec<u32>,
    sizes: Vec<u32>,
    types: Vec<u8>,
    region: Option<Vec<u32>>,
    data: Vec<CellData>,
}

impl Cells {
    /// Adds the cells of a piece whose vertices are `first..first + count` of the whole.
    fn append(
        &mut self,
        mut cells: Cells,
        region: Option<Vec<u32>>,
        (first, count): (usize, usize),
    ) -> Result<(), MeshError> {
        let (before, new) = (self.types.len(), cells.types.len());
        let first = u32::try_from(first)
            .map_err(|_| MeshError::new(ErrorKind::Count, "more than 2^32 − 1 points"))?;
        for v in &mut cells.connectivity {
            // Without this check the index would silently name another piece's vertex.
            let shifted = v.checked_add(first).filter(|_| (*v as usize) < count);
            *v = shifted.ok_or_else(|| {
                let text = format!("a cell names vertex {v}, but there are {count}");
                MeshError::new(ErrorKind::Index, text).hint("vertices are numbered from 0")
            })?;
        }
        if region.is_some() || self.region.is_some() {
            let all = self.region.get_or_insert_with(|| vec![NO_REGION; before]);
            append(all, region.unwrap_or_else(|| vec![NO_REGION; new]));
        }
        append(&mut self.connectivity, cells.connectivity);
        append(&mut self.sizes, cells.sizes);
        append(&mut self.types, cells.types);
        Ok(())
    }

    /// The one kind of volume cell there is, and the lower-dimensional cells as text.
    fn cell_type(&self) -> Result<(CellType, String), MeshError> {
        let mut counts = [0_usize; 256];
        for &t in &self.types {
            counts[t as usize] += 1;
        }
        let (mut volumes, mut lower) = (Vec::new(), Vec::new());
        for (t, &n) in counts.iter().enumerate().filter(|&(_, &n)| n > 0) {
            let (name, kind) = kind(t as u8);
            let list = if kind == Kind::Lower { &mut lower } else { &mut volumes };
            match list.iter_mut().find(|(other, _, _)| *other == name) {
                Some((_, _, count)) => *count += n,
                None => list.push((name, kind, n)),
            }
        }
        let text = |list: &[(&str, Kind, usize)]| {
            let parts: Vec<_> = list.iter().map(|(name, _, n)| format!("{n} {name}")).collect();
            parts.join(", ")
        };
        match volumes[..] {
            [(_, Kind::Volume(cell_type), _)] => Ok((cell_type, text(&lower))),
            [] => Err(MeshError::new(
                ErrorKind::Geometry,
                format!("the grid has no volume cells, only {}", text(&lower)),
            )
            .hint("make one from a closed surface with 'pliant mesh fill'")),
            [_] => Err(MeshError::new(
                ErrorKind::Unsupported,
                format!(
                    "cells are {}: tet4, tet10, hex8, hex20 and voxels are read",
                    text(&volumes)
                ),
            )
            .hint("ParaView's filter Tetrahedralize turns them into tetrahedra")),
            _ => Err(MeshError::new(
                ErrorKind::MixedCells,
                format!("cells of several kinds: {}; a mesh has one", text(&volumes)),
            )
            .hint("ParaView's filter Tetrahedralize turns them all into tetrahedra")),
        }
    }

    /// Drops all but volume cells, here and in the sets.
    fn drop_lower(&mut self, cell_sets: &mut [NamedSet]) {
        let is_volume = |t: u8| matches!(kind(t).1, Kind::Volume(_));
        for set in cell_sets {
            // Both ascend, so that one walk renumbers the set.
            let (mut old, mut new) = (0, 0);
            set.items.retain_mut(|item| {
                while old < *item {
                    new += u32::from(self.types.get(old as usize).is_some_and(|&t| is_volume(t)));
                    old += 1;
                }
                let keep = self.types.get(old as usize).is_some_and(|&t| is_volume(t));
                *item = new;
                keep
            });
        }
        let (mut read, mut written, mut cells) = (0, 0, 0);
        for i in 0..self.types.len() {
            let size = self.sizes[i] as usize;
            if is_volume(self.types[i]) {
                self.connectivity.copy_within(read..read + size, written);
                written += size;
                (self.sizes[cells], self.types[cells]) = (self.sizes[i], self.types[i]);
                if let Some(region) = &mut self.region {
                    region[cells] = region[i];
                }
                for data in &mut self.data {
                    data.values[cells] = data.values[i];
                }
                cells += 1;
            }
            read += size;
        }
        self.connectivity.truncate(written);
        self.sizes.truncate(cells);
        self.types.truncate(cells);
        if let Some(region) = &mut self.region {
            region.truncate(cells);
        }
        for data in &mut self.data {
            data.values.truncate(cells);
        }
    }

    fn check_sizes(&self, cell_type: CellType) -> Result<(), MeshError> {
        let nodes = cell_type.nodes();
        match self.sizes.iter().position(|&s| s as usize != nodes) {
            None => Ok(()),
            Some(i) => {
                let found = self.sizes[i];
                let text = format!("cell {i} has {found} vertices, but a {cell_type} has {nodes}");
                Err(MeshError::new(ErrorKind::Count, text))
            }
        }
    }

    fn turn_voxels(&mut self) {
        if !self.types.contains(&VOXEL_TYPE) {
            return;
        }
        let (cells, _) = self.connectivity.as_chunks_mut::<8>();
        for (cell, _) in cells.iter_mut().zip(&self.types).filter(|&(_, &t)| t == VOXEL_TYPE) {
            *cell = VOXEL.map(|i| cell[i]);
        }
    }
}

/// Sets of the whole, found by name.
#[derive(Default)]
struct Sets {
    sets: Vec<NamedSet>,
    places: HashMap<String, usize>,
}

impl Sets {
    /// Adds the sets of a piece; `first` is its first item's number in the whole.
    fn append(&mut self, sets: Vec<NamedSet>, first: usize) -> Result<(), MeshError> {
        let first = u32::try_from(first)
            .map_err(|_| MeshError::new(ErrorKind::Count, "more than 2^32 − 1 cells or points"))?;
        // Sets of one name from several pieces are one; within a piece they stay apart.
        let earlier = self.sets.len();
        for mut set in sets {
            for item in &mut set.items {
                *item = item.saturating_add(first);
            }
            let place = self.places.get(&set.name).filter(|&&i| i < earlier);
            match place.and_then(|&i| self.sets.get_mut(i)) {
                Some(known) if set.items.is_empty() || known.items.last() < set.items.first() => {
                    append(&mut known.items, set.items);
                }
                _ => {
                    self.places.entry(set.name.clone()).or_insert(self.sets.len());
                    self.sets.push(set);
                }
            }
        }
        Ok(())
    }
}

/// `to` followed by `from`, without a copy where `to` is empty.
fn append<T>(to: &mut Vec<T>, mut from: Vec<T>) {
    if to.is_empty() {
        *to = from;
    } else {
        to.append(&mut from);
    }
}

fn put<T>(place: &mut Option<T>, value: T, what: &str) -> Result<(), MeshError> {
    if place.replace(value).is_some() {
        return Err(MeshError::new(ErrorKind::Syntax, format!("{what} are given twice")));
    }
    Ok(())
}

/// Texts that each end with a zero.
fn split_names(bytes: &[u8]) -> Vec<String> {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let mut names: Vec<_> = bytes.split(|&b| b == 0).map(text).collect();
    // After the last zero there is nothing; a last name without one is taken too.
    if names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    names
}

/// Regions from a cell array: numbers index `names`, or name the regions themselves.
fn name_regions(names: Option<Vec<String>>, mut numbers: Vec<u32>) -> (Vec<Region>, Vec<u32>) {
    let region = |name| Region { name, material: None };
    if let Some(names) = names.filter(|n| !n.is_empty()) {
        return (names.into_iter().map(region).collect(), numbers);
    }
    let mut distinct = numbers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.retain(|&n| n != NO_REGION);
    if distinct.is_empty() {
        return (Vec::new(), Vec::new());
    }
    for n in &mut numbers {
        // NO_REGION is not among the distinct numbers and stays.
        if let Ok(i) = distinct.binary_search(n) {
            *n = i as u32;
        }
    }
    (distinct.iter().map(|n| region(n.to_string())).collect(), numbers)
}

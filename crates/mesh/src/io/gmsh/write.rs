//! Meshes as `.msh` files.

use std::io::Write;

use pliant_algebra::vec3::{Vec3, max, min};

use crate::error::{ErrorKind, MeshError, Note};
use crate::volume::{CellData, NamedSet, VolumeMesh};

use super::combination::{Combination, Combinations, NONE};
use super::element::{Kind, POINT, to_gmsh};
use super::output::Output;

/// Which `.msh` to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 2.2, which most programs read; a cell can be in one group only.
    V22,
    /// 4.1, Gmsh's own.
    V41,
}

/// How to write a `.msh` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The version of the format.
    pub version: Version,
    /// Binary (little-endian) rather than text.
    pub binary: bool,
}

impl Default for Options {
    /// 4.1, binary.
    fn default() -> Self {
        Self { version: Version::V41, binary: true }
    }
}

/// Writes a `.msh` file. Regions become physical groups of volumes; vertex sets become physical
/// groups of points, with a point element on each vertex; cell sets become further physical groups
/// of volumes in 4.1. Cell data becomes `$ElementData`.
pub fn write(
    mesh: &VolumeMesh,
    sink: &mut dyn Write,
    options: &Options,
) -> Result<Vec<Note>, MeshError> {
    mesh.validate()?;
    let (points, unused) = points(mesh);
    let numbers = mesh.vertex_count().max(points.len() + mesh.cell_count());
    if numbers > i32::MAX as usize {
        let text = format!("{numbers} nodes or elements: a .msh file has at most 2^31 − 1");
        return Err(MeshError::new(ErrorKind::Unsupported, text));
    }
    let mut notes = Vec::new();
    if !mesh.materials.is_empty() {
        let n = mesh.materials.len();
        notes.push(Note::Lost(format!("materials ({n}): .msh has none, write .veg for them")));
    }
    if options.version == Version::V22 && !mesh.cell_sets.is_empty() {
        let n = mesh.cell_sets.len();
        notes.push(Note::Lost(format!(
            "cell sets ({n}): in .msh 2.2 a cell is in one group, write 4.1 for them"
        )));
    }

    let mut out = Output::new(sink, options.binary);
    let version = if options.version == Version::V22 { "2.2" } else { "4.1" };
    out.begin("MeshFormat")?;
    out.line(&format!("{version} {} 8", u8::from(options.binary)))?;
    if options.binary {
        out.int(1)?;
        out.end("MeshFormat")?;
    } else {
        out.line("$EndMeshFormat")?;
    }
    notes.extend(write_names(mesh, options.version, &mut out)?);
    match options.version {
        Version::V22 => write_22(mesh, &unused, options.binary, &mut out)?,
        Version::V41 => write_41(mesh, &points, &mut out)?,
    }
    // Elements are numbered from 1: points first, then cells.
    let members: usize = mesh.vertex_sets.iter().map(|set| set.items.len()).sum();
    let before = match options.version {
        Version::V22 => members + unused.len(),
        Version::V41 => points.len(),
    };
    notes.extend(write_data(mesh, before as u32 + 1, &mut out)?);
    out.finish()?;
    Ok(notes)
}

/// Vertices that get a point element: those in sets, and those that no cell uses, which readers
/// would drop otherwise. Returns (combination of sets, vertex) by combination, the groups of the
/// combinations, and the latter kind alone.
fn points(mesh: &VolumeMesh) -> (Points, Vec<u32>) {
    let mut combinations = Combinations::new();
    let mut of_vertex = vec![NONE; mesh.vertex_count()];
    for (set, NamedSet { items, .. }) in mesh.vertex_sets.iter().enumerate() {
        for &vertex in items {
            let combination = &mut of_vertex[vertex as usize];
            *combination = combinations.with(*combination, set as u64 + 1);
        }
    }
    let mut used = vec![false; mesh.vertex_count()];
    for &vertex in &mesh.cells {
        used[vertex as usize] = true;
    }
    let grouped = |v: u32| of_vertex[v as usize] != NONE;
    let vertices = 0..mesh.vertex_count() as u32;
    let unused: Vec<u32> = vertices.clone().filter(|&v| !used[v as usize] && !grouped(v)).collect();
    let mut points: Vec<(Combination, u32)> = vertices
        .filter(|&v| grouped(v) || !used[v as usize])
        .map(|v| (of_vertex[v as usize], v))
        .collect();
    points.sort_unstable();
    (Points { combinations, points }, unused)
}

struct Points {
    combinations: Combinations,
    /// Combination of vertex sets, and vertex; sorted.
    points: Vec<(Combination, u32)>,
}

impl Points {
    fn len(&self) -> usize {
        self.points.len()
    }

    /// One slice for each combination.
    fn entities(&self) -> impl Iterator<Item = &[(Combination, u32)]> {
        self.points.chunk_by(|a, b| a.0 == b.0)
    }
}

fn write_names(
    mesh: &VolumeMesh,
    version: Version,
    out: &mut Output<'_>,
) -> Result<Option<Note>, MeshError> {
    let regions = mesh.regions.iter().map(|region| &region.name);
    let cell_sets = if version == Version::V41 { &mesh.cell_sets[..] } else { &[] };
    let volumes: Vec<_> = regions.chain(cell_sets.iter().map(|set| &set.name)).collect();
    let points: Vec<_> = mesh.vertex_sets.iter().map(|set| &set.name).collect();
    if volumes.is_empty() && points.is_empty() {
        return Ok(None);
    }
    let mut changed = 0;
    out.line("$PhysicalNames")?;
    out.line(&(volumes.len() + points.len()).to_string())?;
    for (dim, names) in [(0, &points), (3, &volumes)] {
        for (i, name) in names.iter().enumerate() {
            // Quotes have no escape, and a name has one line.
            let plain = name.replace('"', "'").replace(char::is_control, " ");
            changed += usize::from(plain != **name);
            out.line(&format!("{dim} {} \"{plain}\"", i + 1))?;
        }
    }
    out.line("$EndPhysicalNames")?;
    Ok((changed > 0).then(|| {
        let text = "quotes and control characters in names of groups";
        Note::Lost(format!("{text} ({changed}): .msh cannot hold them"))
    }))
}

/// One section for each array; `first` is the number of the first cell.
fn write_data(
    mesh: &VolumeMesh,
    first: u32,
    out: &mut Output<'_>,
) -> Result<Option<Note>, MeshError> {
    let mut changed = 0;
    for CellData { name, values } in &mesh.cell_data {
        let plain = name.replace('"', "'").replace(char::is_control, " ");
        changed += usize::from(plain != *name);
        out.begin("ElementData")?;
        // One string, the name; one real, the time; three integers: step, components, values.
        out.line(&format!("1\n\"{plain}\"\n1\n0\n3\n0\n1\n{}", values.len()))?;
        for (number, &value) in (first..).zip(values) {
            out.int(number)?;
            out.float(value)?;
            out.end_line()?;
        }
        out.end("ElementData")?;
    }
    Ok((changed > 0).then(|| {
        let text = "quotes and control characters in names of cell data";
        Note::Lost(format!("{text} ({changed}): .msh cannot hold them"))
    }))
}

fn write_22(
    mesh: &VolumeMesh,
    unused: &[u32],
    binary: bool,
    out: &mut Output<'_>,
) -> Result<(), MeshError> {
    out.begin("Nodes")?;
    out.line(&mesh.vertex_count().to_string())?;
    for (i, position) in mesh.vertices.iter().enumerate() {
        out.int(i as u32 + 1)?;
        out.floats(position)?;
        out.end_line()?;
    }
    out.end("Nodes")?;

    let kind = Kind::of_cell(mesh.cell_type);
    let members: usize = mesh.vertex_sets.iter().map(|set| set.items.len()).sum();
    let point_count = members + unused.len();
    let total = point_count + mesh.cell_count();
    if total > i32::MAX as usize {
        let text =
            format!("{total} elements, those of vertex sets included: 2.2 has at most 2^31 − 1");
        return Err(MeshError::new(ErrorKind::Unsupported, text).hint("write version 4.1"));
    }
    let mut number = 0;
    // Number, type, number of tags; physical group, entity.
    let mut head = |out: &mut Output<'_>, kind: u8, physical: u32, entity: u32| {
        number += 1;
        out.int(number)?;
        if !binary {
            out.int(u32::from(kind))?;
            out.int(2)?;
        }
        out.int(physical)?;
        out.int(entity)
    };
    let block = |out: &mut Output<'_>, kind: u8, count: usize| {
        if binary && count > 0 {
            out.int(u32::from(kind))?;
            out.int(count as u32)?;
            out.int(2)?;
        }
        Ok::<_, MeshError>(())
    };
    out.begin("Elements")?;
    out.line(&total.to_string())?;
    block(out, POINT, point_count)?;
    let sets = mesh.vertex_sets.iter().map(|set| &set.items[..]);
    for (set, items) in sets.chain([unused]).enumerate() {
        let entity = set as u32 + 1;
        let physical = if set < mesh.vertex_sets.len() { entity } else { 0 };
        for &vertex in items {
            head(out, POINT, physical, entity)?;
            out.int(vertex + 1)?;
            out.end_line()?;
        }
    }
    block(out, kind.number, mesh.cell_count())?;
    for (i, cell) in mesh.cells().enumerate() {
        let region = mesh.region_of(i).map(|region| region as u32 + 1);
        let entity = region.unwrap_or(mesh.regions.len() as u32 + 1);
        head(out, kind.number, region.unwrap_or(0), entity)?;
        let (nodes, n) = to_gmsh(mesh.cell_type, cell);
        for &node in &nodes[..n] {
            out.int(node + 1)?;
        }
        out.end_line()?;
    }
    out.end("Elements")?;
    Ok(())
}

/// A volume entity of a 4.1 file: the cells of one combination of region and cell sets.
struct Volume {
    physical: Vec<u64>,
    least: Vec3,
    most: Vec3,
}

/// The volume entities, and that of each cell.
fn volumes(mesh: &VolumeMesh) -> (Vec<Volume>, Vec<u32>) {
    let mut combinations = Combinations::new();
    let set_group = |set: usize| (mesh.regions.len() + set) as u64 + 1;
    // The first group is the region: 0 says that there is none.
    let mut of_cell: Vec<Combination> = (0..mesh.cell_count())
        .map(|cell| combinations.with(NONE, mesh.region_of(cell).map_or(0, |r| r as u64 + 1)))
        .collect();
    for (set, NamedSet { items, .. }) in mesh.cell_sets.iter().enumerate() {
        for &cell in items {
            let combination = &mut of_cell[cell as usize];
            *combination = combinations.with(*combination, set_group(set));
        }
    }
    let ungrouped = mesh.regions.is_empty() && mesh.cell_sets.is_empty();
    let mut entity_of = vec![u32::MAX; combinations.len()];
    let mut volumes: Vec<Volume> = Vec::new();
    for (cell, combination) in of_cell.iter_mut().enumerate() {
        let entity = &mut entity_of[*combination as usize];
        if *entity == u32::MAX {
            *entity = volumes.len() as u32;
            let groups = combinations.groups(*combination);
            let physical = if ungrouped { Vec::new() } else { groups };
            volumes.push(Volume { physical, least: [f64::MAX; 3], most: [f64::MIN; 3] });
        }
        *combination = *entity;
        let volume = &mut volumes[*entity as usize];
        for &vertex in mesh.cell(cell) {
            let position = mesh.vertices[vertex as usize];
            volume.least = min(volume.least, position);
            volume.most = max(volume.most, position);
        }
    }
    let empty = mesh.cell_sets.iter().enumerate().filter(|(_, set)| set.items.is_empty());
    let empty: Vec<u64> = empty.map(|(set, _)| set_group(set)).collect();
    if !empty.is_empty() {
        // An entity without cells keeps the empty sets.
        let physical = std::iter::once(0).chain(empty).collect();
        volumes.push(Volume { physical, least: [0.0; 3], most: [0.0; 3] });
    }
    (volumes, of_cell)
}

fn write_41(mesh: &VolumeMesh, points: &Points, out: &mut Output<'_>) -> Result<(), MeshError> {
    let (volumes, entity_of_cell) = volumes(mesh);
    let groups_exist =
        !volumes.iter().all(|v| v.physical.is_empty()) || !mesh.vertex_sets.is_empty();
    let physical = |out: &mut Output<'_>, groups: &[u64]| {
        // Some readers want a group for every entity or for none: 0 stands for none.
        let groups = if groups.is_empty() && groups_exist { &[0][..] } else { groups };
        out.size(groups.len() as u64)?;
        groups.iter().try_for_each(|&group| out.int(group as u32))
    };

    out.begin("Entities")?;
    for count in [points.entities().count(), 0, 0, volumes.len()] {
        out.size(count as u64)?;
    }
    out.end_line()?;
    for (i, entity) in points.entities().enumerate() {
        let (combination, vertex) = entity[0];
        out.int(i as u32 + 1)?;
        out.floats(&mesh.vertices[vertex as usize])?;
        physical(out, &points.combinations.groups(combination))?;
        out.end_line()?;
    }
    for (i, volume) in volumes.iter().enumerate() {
        out.int(i as u32 + 1)?;
        out.floats(&volume.least)?;
        out.floats(&volume.most)?;
        physical(out, &volume.physical)?;
        out.size(0)?;
        out.end_line()?;
    }
    out.end("Entities")?;

    // All nodes in one block, on the first volume, so that they keep their order.
    let count = mesh.vertex_count() as u64;
    out.begin("Nodes")?;
    for number in [1, count, 1, count] {
        out.size(number)?;
    }
    out.end_line()?;
    for number in [3, 1, 0] {
        out.int(number)?;
    }
    out.size(count)?;
    out.end_line()?;
    for tag in 1..=count {
        out.size(tag)?;
        out.end_line()?;
    }
    for position in &mesh.vertices {
        out.floats(position)?;
        out.end_line()?;
    }
    out.end("Nodes")?;

    // A block for each run of cells of one entity, so that cells keep their order.
    let runs = || entity_of_cell.chunk_by(|a, b| a == b);
    let total = (points.len() + mesh.cell_count()) as u64;
    out.begin("Elements")?;
    let blocks = points.entities().count() + runs().count();
    for number in [blocks as u64, total, 1, total] {
        out.size(number)?;
    }
    out.end_line()?;
    let block = |out: &mut Output<'_>, dim: u32, entity: u32, kind: u8, count: usize| {
        for number in [dim, entity, u32::from(kind)] {
            out.int(number)?;
        }
        out.size(count as u64)?;
        out.end_line()
    };
    let mut number = 0;
    for (i, entity) in points.entities().enumerate() {
        block(out, 0, i as u32 + 1, POINT, entity.len())?;
        for &(_, vertex) in entity {
            number += 1;
            out.size(number)?;
            out.size(u64::from(vertex) + 1)?;
            out.end_line()?;
        }
    }
    let kind = Kind::of_cell(mesh.cell_type);
    let mut cells = mesh.cells();
    for run in runs() {
        block(out, 3, run[0] + 1, kind.number, run.len())?;
        for cell in cells.by_ref().take(run.len()) {
            number += 1;
            out.size(number)?;
            let (nodes, n) = to_gmsh(mesh.cell_type, cell);
            for &node in &nodes[..n] {
                out.size(u64::from(node) + 1)?;
            }
            out.end_line()?;
        }
    }
    out.end("Elements")?;
    Ok(())
}

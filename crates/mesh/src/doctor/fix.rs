//! Repairs of volume meshes.

use std::fmt;

use pliant_algebra::vec3::Vec3;

use super::Options;
use super::common::{copies, finite, structural_error};
use super::duplicates::{first_alike, repeats};
use super::problem::{Diagnosis, ProblemKind};
use super::volume::check;
use super::weld::{Same, same_vertices};
use crate::error::Note;
use crate::quality;
use crate::volume::{NO_REGION, NamedSet, VolumeMesh};

/// Something that was repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Action {
    /// The problem it was.
    pub kind: ProblemKind,
    /// How many items were changed or removed.
    pub count: usize,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.count;
        match self.kind {
            ProblemKind::Inverted => write!(f, "turned round {n} inverted elements"),
            ProblemKind::DuplicateVertices => write!(f, "merged {n} duplicate vertices"),
            ProblemKind::CloseVertices => write!(f, "merged {n} vertices very close to others"),
            ProblemKind::RepeatedVertex => write!(f, "removed {n} collapsed elements"),
            ProblemKind::DuplicateElements => write!(f, "removed {n} copies of elements"),
            ProblemKind::UnreferencedVertices => write!(f, "removed {n} unreferenced vertices"),
            ProblemKind::EmptySets => write!(f, "removed {n} empty sets"),
            ProblemKind::EmptyRegions => write!(f, "removed {n} empty regions"),
            ProblemKind::InconsistentOrientation => {
                write!(f, "turned {n} triangles to agree with their neighbours")
            }
            ProblemKind::InsideOut => write!(f, "turned {n} triangles outward"),
            kind => write!(f, "repaired {n} of kind {kind}"),
        }
    }
}

/// Keeps the actions that did something.
pub(super) fn did(done: &mut Vec<Action>, kind: ProblemKind, count: usize) {
    if count > 0 {
        done.push(Action { kind, count });
    }
}

/// A repaired mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixed {
    /// The mesh.
    pub mesh: VolumeMesh,
    /// What was done.
    pub done: Vec<Action>,
    /// What is still wrong.
    pub left: Diagnosis,
}

/// Repairs what can be repaired without changing the body: merges duplicate and very close
/// vertices, removes collapsed elements without volume, copies of elements, unreferenced vertices,
/// empty sets and regions, and turns inverted elements round. Regions and sets follow: what was
/// said of a vertex or element that was merged is said of the one that stays. Elements that are
/// flat though their vertices differ stay, because removing them would leave a gap.
pub fn fix(mesh: &VolumeMesh, options: &Options) -> Fixed {
    let mut mesh = mesh.clone();
    let mut done = Vec::new();
    let sound = structural_error(mesh.validate(), || {
        VolumeMesh { vertices: finite(&mesh.vertices), ..mesh.clone() }.validate()
    })
    .is_none();
    if sound {
        let nodes = (&mut mesh.cells[..], mesh.cell_type.nodes());
        let merged = merge_vertices(&mesh.vertices, nodes, options, &mut done);
        for set in &mut mesh.vertex_sets {
            let items = set.items.iter().map(|&v| merged[v as usize]).collect();
            *set = NamedSet::new(std::mem::take(&mut set.name), items);
        }
        drop_cells(&mut mesh, options, &mut done);
        if let Some(Note::Reoriented { count, .. }) = mesh.orient() {
            did(&mut done, ProblemKind::Inverted, count);
        }
        drop_vertices(&mut mesh, &merged, &mut done);
        drop_empty(&mut mesh, &mut done);
    }
    let left = check(&mesh, options);
    Fixed { mesh, done, left }
}

/// Makes `nodes` name the first of each cluster of vertices; the first of each vertex.
pub(super) fn merge_vertices(
    vertices: &[Vec3],
    (nodes, stride): (&mut [u32], usize),
    options: &Options,
    done: &mut Vec<Action>,
) -> Vec<u32> {
    let Same { exact, close, .. } = same_vertices(vertices, nodes, stride, options.close);
    let duplicates = copies(&exact).count;
    did(done, ProblemKind::DuplicateVertices, duplicates);
    did(done, ProblemKind::CloseVertices, copies(&close).count - duplicates);
    for v in nodes.iter_mut() {
        *v = close[*v as usize];
    }
    close
}

fn drop_cells(mesh: &mut VolumeMesh, options: &Options, done: &mut Vec<Action>) {
    let n = mesh.cell_count();
    let flat = |c: usize| quality::cell(mesh, c).relative_volume.abs() <= options.degenerate;
    let collapsed: Vec<bool> = (0..n).map(|c| repeats(mesh.cell(c)) && flat(c)).collect();
    let alike = first_alike(
        &mesh.cells,
        mesh.cell_type.nodes(),
        mesh.cell_type.corners(),
        mesh.vertex_count(),
    );
    // Where each cell goes: to its own new place, to that of the cell it copies, or nowhere.
    let (mut target, mut cells, mut region) = (Vec::with_capacity(n), Vec::new(), Vec::new());
    let mut kept_cells = Vec::new();
    let (mut removed, mut copied) = (0, 0);
    for c in 0..n {
        let first = alike[c] as usize;
        if collapsed[c] {
            removed += 1;
            target.push(u32::MAX);
        } else if first != c && target[first] != u32::MAX {
            copied += 1;
            let kept = target[first];
            target.push(kept);
            if let Some(&r) = mesh.cell_region.get(c)
                && region[kept as usize] == NO_REGION
            {
                region[kept as usize] = r;
            }
        } else {
            target.push((cells.len() / mesh.cell_type.nodes()) as u32);
            cells.extend_from_slice(mesh.cell(c));
            kept_cells.push(c);
            region.extend(mesh.cell_region.get(c));
        }
    }
    mesh.cells = cells;
    mesh.cell_region = region;
    for data in &mut mesh.cell_data {
        data.values = kept_cells.iter().map(|&c| data.values[c]).collect();
    }
    renumber(&mut mesh.cell_sets, &target);
    did(done, ProblemKind::RepeatedVertex, removed);
    did(done, ProblemKind::DuplicateElements, copied);
}

/// Sets in new numbers; what goes to `u32::MAX` leaves them.
fn renumber(sets: &mut [NamedSet], target: &[u32]) {
    for set in sets {
        let moved = set.items.iter().map(|&i| target[i as usize]);
        let items = moved.filter(|&i| i != u32::MAX).collect();
        *set = NamedSet::new(std::mem::take(&mut set.name), items);
    }
}

fn drop_vertices(mesh: &mut VolumeMesh, merged: &[u32], done: &mut Vec<Action>) {
    let (target, loose) = compact(&mut mesh.vertices, &mut mesh.cells, merged);
    renumber(&mut mesh.vertex_sets, &target);
    did(done, ProblemKind::UnreferencedVertices, loose);
}

/// Keeps the vertices that `nodes` name and renumbers those; the new index of each vertex, and how
/// many were dropped beside those that were merged into others.
pub(super) fn compact(
    vertices: &mut Vec<Vec3>,
    nodes: &mut [u32],
    merged: &[u32],
) -> (Vec<u32>, usize) {
    let mut target = vec![u32::MAX; vertices.len()];
    for &v in nodes.iter() {
        target[v as usize] = 0;
    }
    let (mut kept, mut loose) = (Vec::new(), 0);
    for (v, slot) in target.iter_mut().enumerate() {
        if *slot == 0 {
            *slot = kept.len() as u32;
            kept.push(vertices[v]);
        } else if merged[v] as usize == v {
            loose += 1;
        }
    }
    *vertices = kept;
    for v in nodes.iter_mut() {
        *v = target[*v as usize];
    }
    (target, loose)
}

fn drop_empty(mesh: &mut VolumeMesh, done: &mut Vec<Action>) {
    let before = mesh.cell_sets.len() + mesh.vertex_sets.len();
    mesh.cell_sets.retain(|s| !s.items.is_empty());
    mesh.vertex_sets.retain(|s| !s.items.is_empty());
    let sets = before - mesh.cell_sets.len() - mesh.vertex_sets.len();
    did(done, ProblemKind::EmptySets, sets);
    let mut target = vec![NO_REGION; mesh.regions.len()];
    mesh.cell_region.iter().filter(|&&r| r != NO_REGION).for_each(|&r| target[r as usize] = 0);
    let mut kept = Vec::new();
    for (region, slot) in mesh.regions.iter().zip(&mut target) {
        if *slot == 0 {
            *slot = kept.len() as u32;
            kept.push(region.clone());
        }
    }
    did(done, ProblemKind::EmptyRegions, mesh.regions.len() - kept.len());
    mesh.regions = kept;
    if mesh.regions.is_empty() {
        mesh.cell_region.clear();
    }
    mesh.cell_region.iter_mut().filter(|r| **r != NO_REGION).for_each(|r| *r = target[*r as usize]);
}

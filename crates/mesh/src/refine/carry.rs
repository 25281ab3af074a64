//! What passes from a mesh to its refinement: regions, cell sets, vertex sets, materials, cell data.

use crate::error::{ErrorKind, MeshError};
use crate::volume::{CellData, NamedSet, VolumeMesh};

/// Refuses what 32-bit cell numbers cannot name.
pub(super) fn check_cell_count(count: usize) -> Result<(), MeshError> {
    if count > u32::MAX as usize {
        return Err(MeshError::new(
            ErrorKind::Count,
            format!("the result has {count} cells: at most 2^32 − 1 are served"),
        ));
    }
    Ok(())
}

/// Gives the cells of `to` the regions, materials, data and cell sets of their parents in `from`.
/// `cell_parent` must ascend: the parts of a cell stand together, in the order of the cells.
pub(super) fn carry_cells(from: &VolumeMesh, to: &mut VolumeMesh, cell_parent: &[u32]) {
    to.regions.clone_from(&from.regions);
    to.materials.clone_from(&from.materials);
    let inherited = |values: &[f64]| cell_parent.iter().map(|&p| values[p as usize]).collect();
    to.cell_data = from
        .cell_data
        .iter()
        .map(|d| CellData { name: d.name.clone(), values: inherited(&d.values) })
        .collect();
    if !from.cell_region.is_empty() {
        to.cell_region = cell_parent.iter().map(|&p| from.cell_region[p as usize]).collect();
    }
    if from.cell_sets.is_empty() {
        return;
    }
    let mut first_part = vec![0u32; from.cell_count() + 1];
    for &p in cell_parent {
        first_part[p as usize + 1] += 1;
    }
    for p in 1..first_part.len() {
        first_part[p] += first_part[p - 1];
    }
    to.cell_sets = from
        .cell_sets
        .iter()
        .map(|set| NamedSet {
            name: set.name.clone(),
            items: set
                .items
                .iter()
                .flat_map(|&c| first_part[c as usize]..first_part[c as usize + 1])
                .collect(),
        })
        .collect();
}

/// Vertex sets with the new vertices whose parents are both members. Walks the vertices once with
/// the few sets each belongs to, so that thousands of small sets cost no more than one large one.
pub(super) fn extend_vertex_sets(sets: &[NamedSet], parents: &[[u32; 2]]) -> Vec<NamedSet> {
    if sets.is_empty() {
        return Vec::new();
    }
    // Row v of this table holds the sets of vertex v, ascending.
    let existing = parents.iter().enumerate().take_while(|(v, p)| **p == [*v as u32; 2]).count();
    let mut start = vec![0usize; existing + 1];
    for set in sets {
        for &v in &set.items {
            start[v as usize + 1] += 1;
        }
    }
    for v in 0..existing {
        start[v + 1] += start[v];
    }
    let mut fill = start.clone();
    let mut member = vec![0u32; start[existing]];
    for (s, set) in sets.iter().enumerate() {
        for &v in &set.items {
            member[fill[v as usize]] = s as u32;
            fill[v as usize] += 1;
        }
    }
    let mut extended = sets.to_vec();
    for (v, &[a, b]) in parents.iter().enumerate().skip(existing) {
        let (mut i, end_a) = (start[a as usize], start[a as usize + 1]);
        let (mut j, end_b) = (start[b as usize], start[b as usize + 1]);
        while i < end_a && j < end_b {
            match member[i].cmp(&member[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    extended[member[i] as usize].items.push(v as u32);
                    member.push(member[i]);
                    i += 1;
                    j += 1;
                }
            }
        }
        start.push(member.len());
    }
    extended
}

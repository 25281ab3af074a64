//! Integer labels for cells and vertices: what formats have that know no names.

use std::collections::{BTreeMap, HashSet};

use crate::error::Note;
use crate::volume::{NO_REGION, NamedSet, Region, VolumeMesh};

/// A name that can be used as a label: a nonzero integer of 32 bits, written the plain way.
pub(in crate::io) fn as_label(name: &str) -> Option<i64> {
    let label: i32 = name.parse().ok()?;
    (label != 0 && label.to_string() == name).then_some(i64::from(label))
}

/// Regions from one label for each cell: named by it, in ascending order; 0 is no region, and if
/// all are 0 there are none.
pub(in crate::io) fn regions(labels: &[i64]) -> (Vec<Region>, Vec<u32>) {
    let mut distinct: Vec<i64> = labels.iter().copied().filter(|&l| l != 0).collect();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let cell_region = labels
        .iter()
        .map(|label| distinct.binary_search(label).map_or(NO_REGION, |r| r as u32))
        .collect();
    let regions = distinct.iter().map(|l| Region { name: l.to_string(), material: None }).collect();
    (regions, cell_region)
}

/// Vertices by label, where that is not 0.
#[derive(Default)]
pub(in crate::io) struct LabelledVertices(BTreeMap<i64, Vec<u32>>);

impl LabelledVertices {
    /// Puts vertices under a label.
    pub(in crate::io) fn add(&mut self, label: i64, vertices: &[u32]) {
        if label != 0 {
            self.0.entry(label).or_default().extend_from_slice(vertices);
        }
    }

    /// The sets, named `prefix` and the label.
    pub(in crate::io) fn into_sets(self, prefix: &str) -> impl Iterator<Item = NamedSet> {
        self.0.into_iter().map(move |(label, list)| NamedSet::new(format!("{prefix}{label}"), list))
    }
}

/// A label for each name: itself where it is one, else the lowest that is free.
fn for_names(names: &[&str], what: &str) -> (Vec<i64>, Option<Note>) {
    let mut used = HashSet::new();
    let own: Vec<Option<i64>> =
        names.iter().map(|name| as_label(name).filter(|&label| used.insert(label))).collect();
    let mut next = 0;
    let mut given = Vec::new();
    let labels = own
        .into_iter()
        .zip(names)
        .map(|(own, name)| {
            own.unwrap_or_else(|| {
                next += 1;
                while used.contains(&next) {
                    next += 1;
                }
                given.push(format!("'{name}' is {next}"));
                next
            })
        })
        .collect();
    let note = (!given.is_empty()).then(|| {
        let n = given.len();
        given.truncate(8);
        let dots = if n > given.len() { ", …" } else { "" };
        Note::Lost(format!("names of {what} ({n}): {}{dots}", given.join(", ")))
    });
    (labels, note)
}

/// The label of each cell's region, 0 for none; empty if the mesh has no regions.
pub(in crate::io) fn of_cells(mesh: &VolumeMesh, notes: &mut Vec<Note>) -> Vec<i64> {
    let names: Vec<&str> = mesh.regions.iter().map(|r| r.name.as_str()).collect();
    let (labels, note) = for_names(&names, "regions");
    notes.extend(note);
    let mut empty = vec![true; labels.len()];
    let of_cells = mesh
        .cell_region
        .iter()
        .map(|&r| {
            if r == NO_REGION {
                return 0;
            }
            empty[r as usize] = false;
            labels[r as usize]
        })
        .collect();
    let empty = empty.iter().filter(|&&e| e).count();
    if empty > 0 {
        notes.push(Note::Lost(format!("regions without cells ({empty})")));
    }
    of_cells
}

/// One label for each vertex from those vertex sets that are not `held` elsewhere, 0 for none;
/// empty if there are no such sets.
pub(in crate::io) fn of_vertices(
    mesh: &VolumeMesh,
    held: &[bool],
    notes: &mut Vec<Note>,
) -> Vec<i64> {
    let sets: Vec<&NamedSet> =
        mesh.vertex_sets.iter().zip(held).filter(|(_, held)| !**held).map(|(s, _)| s).collect();
    if sets.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = sets.iter().map(|s| s.name.as_str()).collect();
    let (labels, note) = for_names(&names, "vertex sets");
    notes.extend(note);
    let mut of_vertices = vec![0; mesh.vertex_count()];
    let mut in_several = HashSet::new();
    for (set, &label) in sets.iter().zip(&labels) {
        for &v in &set.items {
            if of_vertices[v as usize] == 0 {
                of_vertices[v as usize] = label;
            } else {
                in_several.insert(v);
            }
        }
    }
    if !in_several.is_empty() {
        let n = in_several.len();
        notes.push(Note::Lost(format!(
            "vertices in several vertex sets ({n}): each stays in the first of them"
        )));
    }
    let empty = sets.iter().filter(|s| s.items.is_empty()).count();
    if empty > 0 {
        notes.push(Note::Lost(format!("vertex sets without vertices ({empty})")));
    }
    of_vertices
}

/// Notes on what no format of labels holds.
pub(in crate::io) fn note_the_rest(mesh: &VolumeMesh, format: &str, notes: &mut Vec<Note>) {
    let counts = [mesh.cell_sets.len(), mesh.materials.len(), mesh.cell_data.len()];
    for (n, what) in counts.into_iter().zip(["cell sets", "materials", "cell data"]) {
        if n > 0 {
            notes.push(Note::Lost(format!("{what} ({n}): {format} has none")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_numbers_stay_and_others_take_free_ones() {
        let (labels, note) = for_names(&["2", "arm", "-7", "02", "1", "2"], "regions");
        assert_eq!(labels, [2, 3, -7, 4, 1, 5]);
        let text = "names of regions (3): 'arm' is 3, '02' is 4, '2' is 5";
        assert_eq!(note, Some(Note::Lost(text.into())));
        assert_eq!(for_names(&["5"], "regions"), (vec![5], None));
    }

    #[test]
    fn zeros_are_no_region() {
        assert_eq!(regions(&[0, 0]), (vec![], vec![]));
        let (regions, of_cell) = regions(&[7, 0, -1, 7]);
        let names: Vec<_> = regions.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["-1", "7"]);
        assert_eq!(of_cell, [1, NO_REGION, 0, 1]);
    }
}

//! The boundary facets of a volume mesh and the labels that some formats give them.

use std::collections::HashSet;

use crate::cell::{CellType, HEX_FACES, TET_EDGES, TET_FACES};
use crate::volume::{NamedSet, VolumeMesh};

use super::labels::as_label;

/// Boundary facets, all with the same number of nodes.
pub(in crate::io) struct Facets {
    /// Nodes of a facet: 3 for tet4, 4 for hexahedra; for tet10 3 corners and the middles of 01, 12, 20.
    pub(in crate::io) width: usize,
    /// The nodes, facet by facet, outward, in the order of the cells.
    pub(in crate::io) nodes: Vec<u32>,
}

impl Facets {
    /// The faces that belong to one cell only.
    pub(in crate::io) fn boundary(mesh: &VolumeMesh) -> Self {
        let local: Vec<Vec<usize>> = match mesh.cell_type {
            CellType::Tet4 => TET_FACES.iter().map(|f| f.to_vec()).collect(),
            CellType::Hex8 | CellType::Hex20 => HEX_FACES.iter().map(|f| f.to_vec()).collect(),
            CellType::Tet10 => TET_FACES.iter().map(with_middles).collect(),
        };
        let corners = if mesh.cell_type.corners() == 8 { 4 } else { 3 };
        // Two cells share a face when its sorted corners are the same.
        let mut faces: Vec<([u32; 4], u64)> = Vec::with_capacity(mesh.cell_count() * local.len());
        for cell in mesh.cells() {
            for face in &local {
                let mut key = [u32::MAX; 4];
                for (k, &i) in key.iter_mut().zip(&face[..corners]) {
                    *k = cell[i];
                }
                key.sort_unstable();
                faces.push((key, faces.len() as u64));
            }
        }
        faces.sort_unstable();
        let mut single: Vec<u64> =
            faces.chunk_by(|a, b| a.0 == b.0).filter(|c| c.len() == 1).map(|c| c[0].1).collect();
        single.sort_unstable();
        let mut nodes = Vec::with_capacity(single.len() * local[0].len());
        for face in single {
            let (cell, face) = (face as usize / local.len(), face as usize % local.len());
            nodes.extend(local[face].iter().map(|&i| mesh.cell(cell)[i]));
        }
        Facets { width: local[0].len(), nodes }
    }

    /// All facets in order.
    pub(in crate::io) fn iter(&self) -> std::slice::ChunksExact<'_, u32> {
        self.nodes.chunks_exact(self.width)
    }

    /// How many there are.
    pub(in crate::io) fn len(&self) -> usize {
        self.nodes.len() / self.width
    }
}

/// The corners of a tetrahedron's face and the middles of its edges 01, 12, 20.
fn with_middles(face: &[usize; 3]) -> Vec<usize> {
    let middle = |a: usize, b: usize| {
        let on = |e: &[usize; 2]| e.contains(&a) && e.contains(&b);
        4 + TET_EDGES.iter().position(on).unwrap_or(0)
    };
    let [a, b, c] = *face;
    vec![a, b, c, middle(a, b), middle(b, c), middle(c, a)]
}

/// Labels of facets that stand for vertex sets.
pub(in crate::io) struct FacetLabels {
    /// For each facet its label, or 0.
    pub(in crate::io) labels: Vec<i64>,
    /// For each vertex set whether the labels hold it.
    pub(in crate::io) held: Vec<bool>,
}

/// The boundary facets and the labels of those that stand for vertex sets; no facets at all where
/// no set can be held by them.
pub(in crate::io) fn labelled(mesh: &VolumeMesh, prefix: &str) -> (Facets, FacetLabels) {
    let facets = if mesh.vertex_sets.iter().any(|set| label_of(set, prefix).is_some()) {
        Facets::boundary(mesh)
    } else {
        Facets { width: 1, nodes: Vec::new() }
    };
    let labels = FacetLabels::new(mesh, &facets, prefix);
    (facets, labels)
}

fn label_of(set: &NamedSet, prefix: &str) -> Option<i64> {
    set.name.strip_prefix(prefix).and_then(as_label)
}

impl FacetLabels {
    /// Finds the sets named `prefix` and a nonzero integer that are made of whole facets. A facet
    /// inside several of them goes to the smallest.
    pub(in crate::io) fn new(mesh: &VolumeMesh, facets: &Facets, prefix: &str) -> Self {
        let mut seen = HashSet::new();
        let sets: Vec<(usize, i64, &NamedSet)> = mesh
            .vertex_sets
            .iter()
            .enumerate()
            .filter_map(|(i, set)| label_of(set, prefix).map(|label| (i, label, set)))
            .filter(|(_, label, _)| seen.insert(*label))
            .collect();
        let mut held = vec![false; mesh.vertex_sets.len()];
        if sets.is_empty() {
            return FacetLabels { labels: vec![0; facets.len()], held };
        }
        let members = Members::new(mesh.vertex_count(), &sets);
        let mut covered = vec![false; members.sets.len()];
        let mut set_of_facet = Vec::with_capacity(facets.len());
        for facet in facets.iter() {
            let everywhere = |s: &u32| facet.iter().all(|&v| members.entry(v, *s).is_some());
            let inside = members.of(facet[0]).iter().copied().filter(everywhere);
            let smallest = inside.min_by_key(|&s| sets[s as usize].2.items.len());
            if let Some(s) = smallest {
                for entry in facet.iter().filter_map(|&v| members.entry(v, s)) {
                    covered[entry] = true;
                }
            }
            set_of_facet.push(smallest);
        }
        let mut left: Vec<usize> = sets.iter().map(|(_, _, set)| set.items.len()).collect();
        for (_, &s) in covered.iter().zip(&members.sets).filter(|(covered, _)| **covered) {
            left[s as usize] -= 1;
        }
        for ((i, _, set), &left) in sets.iter().zip(&left) {
            held[*i] = left == 0 && !set.items.is_empty();
        }
        let label = |s: Option<u32>| match s.map(|s| sets[s as usize]) {
            Some((i, label, _)) if held[i] => label,
            _ => 0,
        };
        FacetLabels { labels: set_of_facet.into_iter().map(label).collect(), held }
    }
}

/// The sets of each vertex.
struct Members {
    start: Vec<usize>,
    /// Indices of sets, ascending for each vertex.
    sets: Vec<u32>,
}

impl Members {
    fn new(vertices: usize, sets: &[(usize, i64, &NamedSet)]) -> Self {
        let mut start = vec![0; vertices + 1];
        for &v in sets.iter().flat_map(|(_, _, set)| &set.items) {
            start[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        let mut next = start.clone();
        let mut members = vec![0; start[vertices]];
        for (s, (_, _, set)) in (0..).zip(sets) {
            for &v in &set.items {
                members[next[v as usize]] = s;
                next[v as usize] += 1;
            }
        }
        Members { start, sets: members }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        &self.sets[self.start[vertex as usize]..self.start[vertex as usize + 1]]
    }

    /// Where in `sets` vertex and set meet.
    fn entry(&self, vertex: u32, set: u32) -> Option<usize> {
        let i = self.of(vertex).binary_search(&set).ok()?;
        Some(self.start[vertex as usize] + i)
    }
}

//! The boundary facets of a volume mesh and the labels that some formats give them.

use crate::cell::{CellType, HEX_FACES, TET_EDGES, TET_FACES};
use crate::volume::{NamedSet, VolumeMesh};

/// Boundary facets, all with the same number of nodes.
pub(in crate::io) struct Facets {
    /// Nodes of a facet: 3 for tet4, 4 for hex8; for tet10 3 corners and the middles of 01, 12, 20.
    pub(in crate::io) width: usize,
    /// The nodes, facet by facet, outward, in the order of the cells.
    pub(in crate::io) nodes: Vec<u32>,
}

impl Facets {
    /// The faces that belong to one cell only.
    pub(in crate::io) fn boundary(mesh: &VolumeMesh) -> Self {
        let local: Vec<Vec<usize>> = match mesh.cell_type {
            CellType::Tet4 => TET_FACES.iter().map(|f| f.to_vec()).collect(),
            CellType::Hex8 => HEX_FACES.iter().map(|f| f.to_vec()).collect(),
            CellType::Tet10 => TET_FACES.iter().map(with_middles).collect(),
        };
        let corners = if mesh.cell_type == CellType::Hex8 { 4 } else { 3 };
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

impl FacetLabels {
    /// Finds the sets named `prefix` and a nonzero integer that are made of whole facets.
    pub(in crate::io) fn new(mesh: &VolumeMesh, facets: &Facets, prefix: &str) -> Self {
        let mut labels = vec![0; facets.len()];
        let mut held = vec![false; mesh.vertex_sets.len()];
        for (set, held) in mesh.vertex_sets.iter().zip(&mut held) {
            let Some(label) = set.name.strip_prefix(prefix).and_then(super::labels::as_label)
            else {
                continue;
            };
            *held = label_set(mesh, facets, set, label, &mut labels);
        }
        FacetLabels { labels, held }
    }
}

/// Labels the facets inside `set`, if they are free and together are the whole of it.
fn label_set(
    mesh: &VolumeMesh,
    facets: &Facets,
    set: &NamedSet,
    label: i64,
    labels: &mut [i64],
) -> bool {
    let mut inside = vec![false; mesh.vertex_count()];
    for &v in &set.items {
        inside[v as usize] = true;
    }
    let whole = |(_, (facet, label)): &(usize, (&[u32], &i64))| {
        **label == 0 && facet.iter().all(|&v| inside[v as usize])
    };
    let chosen: Vec<usize> =
        facets.iter().zip(&*labels).enumerate().filter(whole).map(|(i, _)| i).collect();
    let mut covered = vec![false; mesh.vertex_count()];
    for &i in &chosen {
        for &v in &facets.nodes[i * facets.width..][..facets.width] {
            covered[v as usize] = true;
        }
    }
    if chosen.is_empty() || set.items.iter().any(|&v| !covered[v as usize]) {
        return false;
    }
    for i in chosen {
        labels[i] = label;
    }
    true
}

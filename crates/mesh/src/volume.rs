//! [`VolumeMesh`]: vertices, cells of one kind, named regions, sets and materials.

use std::borrow::Cow;

use pliant_algebra::vec3::{Vec3, sub, triple};

use crate::cell::{CellType, HEX_CORNERS, MOST_NODES};
use crate::error::{ErrorKind, MeshError, Note};
use crate::isoparametric::{hex20_volume, tet10_volume};
use crate::material::MaterialRecord;

/// Stands in [`VolumeMesh::cell_region`] for a cell that belongs to no region.
pub const NO_REGION: u32 = u32::MAX;

/// A named set of vertices or cells, sorted, without repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSet {
    /// Its name.
    pub name: String,
    /// Indices from 0, ascending and unique.
    pub items: Vec<u32>,
}

impl NamedSet {
    /// Sorts `items` and removes repetitions.
    pub fn new(name: impl Into<String>, mut items: Vec<u32>) -> Self {
        items.sort_unstable();
        items.dedup();
        Self { name: name.into(), items }
    }
}

/// A part of the body with a name and, perhaps, a material. Regions do not overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Index into [`VolumeMesh::materials`].
    pub material: Option<u32>,
}

/// A number for each cell, under a name: Young's modulus from a scan, a density, a label.
#[derive(Debug, Clone, PartialEq)]
pub struct CellData {
    /// Its name, unique among the data of a mesh.
    pub name: String,
    /// Finite, one for each cell. Units are those of whoever made them.
    pub values: Vec<f64>,
}

impl CellData {
    /// Least and largest value; none of a mesh without cells.
    pub fn range(&self) -> Option<(f64, f64)> {
        let first = *self.values.first()?;
        Some(self.values.iter().fold((first, first), |(low, high), &v| (low.min(v), high.max(v))))
    }
}

/// A volume mesh of one kind of cell.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeMesh {
    /// The kind of all its cells.
    pub cell_type: CellType,
    /// Vertex positions, m.
    pub vertices: Vec<Vec3>,
    /// Vertex indices, `cell_type.nodes()` for each cell, in VTK order.
    pub cells: Vec<u32>,
    /// Named, disjoint parts. May be empty.
    pub regions: Vec<Region>,
    /// The region of each cell, or [`NO_REGION`]; empty when there are no regions.
    pub cell_region: Vec<u32>,
    /// Further named cell sets, which may overlap.
    pub cell_sets: Vec<NamedSet>,
    /// Named vertex sets, which may overlap.
    pub vertex_sets: Vec<NamedSet>,
    /// Materials that regions refer to.
    pub materials: Vec<MaterialRecord>,
    /// Named numbers of the cells.
    pub cell_data: Vec<CellData>,
}

impl VolumeMesh {
    /// A mesh with neither regions nor sets. Cells are taken as they are:
    /// see [`VolumeMesh::validate`] and [`VolumeMesh::orient`].
    pub fn new(cell_type: CellType, vertices: Vec<Vec3>, cells: Vec<u32>) -> Self {
        Self {
            cell_type,
            vertices,
            cells,
            regions: Vec::new(),
            cell_region: Vec::new(),
            cell_sets: Vec::new(),
            vertex_sets: Vec::new(),
            materials: Vec::new(),
            cell_data: Vec::new(),
        }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.len() / self.cell_type.nodes()
    }

    /// The vertices of cell `index`.
    pub fn cell(&self, index: usize) -> &[u32] {
        let n = self.cell_type.nodes();
        &self.cells[index * n..(index + 1) * n]
    }

    /// All cells in order.
    pub fn cells(&self) -> std::slice::ChunksExact<'_, u32> {
        self.cells.chunks_exact(self.cell_type.nodes())
    }

    /// The corners of cell `index` of a tet4 or tet10 mesh.
    pub fn tet(&self, index: usize) -> [u32; 4] {
        let c = self.cell(index);
        [c[0], c[1], c[2], c[3]]
    }

    /// The region of cell `index`, if any.
    pub fn region_of(&self, index: usize) -> Option<usize> {
        self.cell_region.get(index).filter(|&&r| r != NO_REGION).map(|&r| r as usize)
    }

    /// The cells of region `region`, ascending.
    pub fn region_cells(&self, region: usize) -> Vec<u32> {
        (0..self.cell_region.len() as u32)
            .filter(|&c| self.cell_region[c as usize] as usize == region)
            .collect()
    }

    /// The set of that name among the vertex sets.
    pub fn vertex_set(&self, name: &str) -> Option<&NamedSet> {
        self.vertex_sets.iter().find(|s| s.name == name)
    }

    /// The cell data of that name.
    pub fn data_of_cells(&self, name: &str) -> Option<&CellData> {
        self.cell_data.iter().find(|d| d.name == name)
    }

    /// Signed volume of cell `index`, m³, curved sides included.
    pub fn cell_volume(&self, index: usize) -> f64 {
        let at = |i: usize| self.vertices[self.cell(index)[i] as usize];
        // Far from the origin, rounding of the sums would be more than the volume of a small cell.
        let from_first = |i: usize| sub(at(i), at(0));
        match self.cell_type {
            CellType::Tet4 => tet_volume([at(0), at(1), at(2), at(3)]),
            CellType::Tet10 => tet10_volume(&std::array::from_fn(from_first)),
            CellType::Hex8 => hex_volume(&std::array::from_fn(at)),
            CellType::Hex20 => hex20_volume(&std::array::from_fn(from_first)),
        }
    }

    /// Turns inverted cells round; returns what was done, if anything. A cell so flat that rounding
    /// makes it negative either way is left alone, so that a second call finds nothing to do.
    pub fn orient(&mut self) -> Option<Note> {
        let (n, flip) = (self.cell_type.nodes(), self.cell_type.flip());
        let (mut count, mut first) = (0, 0);
        for index in 0..self.cell_count() {
            if self.cell_volume(index) >= 0.0 {
                continue;
            }
            let mut old = [0; MOST_NODES];
            let range = index * n..(index + 1) * n;
            old[..n].copy_from_slice(&self.cells[range.clone()]);
            for (node, &from) in self.cells[range.clone()].iter_mut().zip(flip) {
                *node = old[from];
            }
            if self.cell_volume(index) > 0.0 {
                if count == 0 {
                    first = index;
                }
                count += 1;
            } else {
                self.cells[range].copy_from_slice(&old[..n]);
            }
        }
        (count > 0).then_some(Note::Reoriented { count, first })
    }

    /// Checks that every index is in range, every number finite, every table of the right length.
    pub fn validate(&self) -> Result<(), MeshError> {
        let err = |kind, text: String| Err(MeshError::new(kind, text));
        let (nodes, vertices) = (self.cell_type.nodes(), self.vertex_count());
        if vertices > u32::MAX as usize {
            return err(
                ErrorKind::Count,
                format!("{vertices} vertices: at most 2^32 − 1 are served"),
            );
        }
        if !self.cells.len().is_multiple_of(nodes) {
            let n = self.cells.len();
            return err(
                ErrorKind::Count,
                format!("{n} node indices do not make whole {} cells", self.cell_type),
            );
        }
        if let Some(v) = self.vertices.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return err(ErrorKind::NotFinite, format!("vertex {v} is at {:?}", self.vertices[v]));
        }
        if let Some(i) = self.cells.iter().position(|&v| v as usize >= vertices) {
            let (cell, v) = (i / nodes, self.cells[i]);
            return err(
                ErrorKind::Index,
                format!("element {cell} names vertex {v}, but there are {vertices}"),
            );
        }
        let cells = self.cell_count();
        let expected = if self.regions.is_empty() { 0 } else { cells };
        if self.cell_region.len() != expected {
            let n = self.cell_region.len();
            return err(
                ErrorKind::Count,
                format!("{n} region numbers for {cells} cells and {} regions", self.regions.len()),
            );
        }
        if let Some(c) = self
            .cell_region
            .iter()
            .position(|&r| r != NO_REGION && r as usize >= self.regions.len())
        {
            return err(
                ErrorKind::Index,
                format!(
                    "element {c} is in region {}, but there are {}",
                    self.cell_region[c],
                    self.regions.len()
                ),
            );
        }
        for region in &self.regions {
            if region.material.is_some_and(|m| m as usize >= self.materials.len()) {
                return err(
                    ErrorKind::Index,
                    format!("region '{}' names a material that does not exist", region.name),
                );
            }
        }
        for (sets, limit, what) in
            [(&self.cell_sets, cells, "element"), (&self.vertex_sets, vertices, "vertex")]
        {
            for set in sets {
                if let Some(&i) = set.items.iter().find(|&&i| i as usize >= limit) {
                    return err(
                        ErrorKind::Index,
                        format!("set '{}' names {what} {i}, but there are {limit}", set.name),
                    );
                }
                if !set.items.is_sorted_by(|a, b| a < b) {
                    return err(
                        ErrorKind::Syntax,
                        format!("set '{}' is not sorted and unique", set.name),
                    );
                }
            }
        }
        for (k, CellData { name, values }) in self.cell_data.iter().enumerate() {
            if values.len() != cells {
                let n = values.len();
                let text = format!("cell data '{name}' has {n} values for {cells} cells");
                return err(ErrorKind::Count, text);
            }
            if let Some(c) = values.iter().position(|v| !v.is_finite()) {
                let text = format!("cell data '{name}' of element {c} is {}", values[c]);
                return err(ErrorKind::NotFinite, text);
            }
            if self.cell_data[..k].iter().any(|d| d.name == *name) {
                return err(ErrorKind::Syntax, format!("there are two cell data '{name}'"));
            }
        }
        Ok(())
    }

    /// Positions with only the first `corners()` nodes of each cell: the cells of a tet10 mesh as
    /// tet4 connectivity, of a hex20 mesh as hex8, of others as they are.
    pub fn corner_cells(&self) -> Cow<'_, [u32]> {
        let (n, c) = (self.cell_type.nodes(), self.cell_type.corners());
        if n == c {
            Cow::Borrowed(&self.cells)
        } else {
            Cow::Owned(self.cells.chunks_exact(n).flat_map(|cell| &cell[..c]).copied().collect())
        }
    }
}

/// Signed volume of a tetrahedron, m³.
#[inline]
pub fn tet_volume([a, b, c, d]: [Vec3; 4]) -> f64 {
    triple(sub(b, a), sub(c, a), sub(d, a)) / 6.0
}

/// Volume of a trilinear hexahedron, m³: det J has degree 2 in each coordinate, so that 2×2×2 Gauss
/// points integrate it exactly.
pub fn hex_volume(corners: &[Vec3; 8]) -> f64 {
    let g = 1.0 / 3.0_f64.sqrt();
    HEX_CORNERS.iter().map(|s| hex_jacobian(corners, [s[0] * g, s[1] * g, s[2] * g])).sum()
}

/// Determinant of the trilinear map at reference point ξ ∈ [−1, 1]³.
pub fn hex_jacobian(corners: &[Vec3; 8], xi: Vec3) -> f64 {
    let mut columns = [[0.0; 3]; 3];
    for (x, s) in corners.iter().zip(&HEX_CORNERS) {
        let f = [1.0 + s[0] * xi[0], 1.0 + s[1] * xi[1], 1.0 + s[2] * xi[2]];
        let gradient = [s[0] * f[1] * f[2], s[1] * f[0] * f[2], s[2] * f[0] * f[1]];
        for (column, g) in columns.iter_mut().zip(gradient) {
            for (entry, x) in column.iter_mut().zip(x) {
                *entry += 0.125 * g * x;
            }
        }
    }
    triple(columns[0], columns[1], columns[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{HEX_FACES, TET_EDGES, TET_FACES};

    const TET: [Vec3; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn cube() -> [Vec3; 8] {
        HEX_CORNERS.map(|c| c.map(|x| 0.5 * (x + 1.0)))
    }

    #[test]
    fn reference_cells_have_their_volume() {
        assert_eq!(tet_volume(TET), 1.0 / 6.0);
        assert!((hex_volume(&cube()) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn hexahedron_with_bent_faces_has_the_volume_of_its_trilinear_map() {
        // Lifting one corner of the unit cube by t adds ∫∫ t ξη dξ dη = t/4.
        let mut corners = cube();
        corners[6][2] += 0.4;
        assert!((hex_volume(&corners) - 1.1).abs() < 1e-15);
    }

    #[test]
    fn faces_point_outward() {
        for face in TET_FACES {
            let [a, b, c] = face.map(|i| TET[i]);
            let opposite = TET[(0..4).find(|i| !face.contains(i)).unwrap()];
            assert!(triple(sub(b, a), sub(c, a), sub(opposite, a)) < 0.0);
        }
        let cube = cube();
        for face in HEX_FACES {
            let [a, b, _, d] = face.map(|i| cube[i]);
            assert!(triple(sub(b, a), sub(d, a), sub([0.5; 3], a)) < 0.0);
        }
    }

    #[test]
    fn orient_turns_every_kind_of_inverted_cell_round() {
        let mirrored =
            |points: &[Vec3]| points.iter().map(|p| [-p[0], p[1], p[2]]).collect::<Vec<_>>();
        let mut tet10 = TET.to_vec();
        tet10.extend(TET_EDGES.map(|[a, b]| pliant_algebra::vec3::lerp(TET[a], TET[b], 0.5)));
        for (cell_type, points) in [
            (CellType::Tet4, TET.to_vec()),
            (CellType::Tet10, tet10),
            (CellType::Hex8, cube().to_vec()),
        ] {
            let n = points.len() as u32;
            let mut mesh = VolumeMesh::new(cell_type, mirrored(&points), (0..n).collect());
            assert!(mesh.cell_volume(0) < 0.0);
            assert_eq!(mesh.orient(), Some(Note::Reoriented { count: 1, first: 0 }));
            assert!(mesh.cell_volume(0) > 0.0);
            assert_eq!(mesh.orient(), None);
            if cell_type == CellType::Tet10 {
                for (edge, [a, b]) in TET_EDGES.into_iter().enumerate() {
                    let at = |i: usize| mesh.vertices[mesh.cells[i] as usize];
                    assert_eq!(at(4 + edge), pliant_algebra::vec3::lerp(at(a), at(b), 0.5));
                }
            }
        }
    }

    #[test]
    fn validate_names_the_culprit() {
        let good = VolumeMesh::new(CellType::Tet4, TET.to_vec(), vec![0, 1, 2, 3]);
        assert_eq!(good.validate(), Ok(()));
        let mut bad = good.clone();
        bad.cells[2] = 7;
        assert!(bad.validate().unwrap_err().to_string().contains("element 0 names vertex 7"));
        let mut bad = good.clone();
        bad.vertices[1][2] = f64::NAN;
        assert_eq!(bad.validate().unwrap_err().kind(), ErrorKind::NotFinite);
        let mut bad = good.clone();
        bad.vertex_sets.push(NamedSet { name: "left".into(), items: vec![3, 9] });
        assert!(bad.validate().unwrap_err().to_string().contains("set 'left' names vertex 9"));
        let with = |values: Vec<f64>| {
            let cell_data = vec![CellData { name: "E".into(), values }];
            VolumeMesh { cell_data, ..good.clone() }.validate()
        };
        assert_eq!(with(vec![2.0]), Ok(()));
        let text = with(vec![]).unwrap_err().to_string();
        assert!(text.contains("cell data 'E' has 0 values for 1 cells"), "{text}");
        let text = with(vec![f64::NAN]).unwrap_err().to_string();
        assert!(text.contains("cell data 'E' of element 0 is NaN"), "{text}");
    }
}

//! [`Cells`]: nodes and rest positions, which is all that elements need of a mesh.

use pliant_algebra::vec3::{Vec3, is_finite};
use pliant_mesh::error::ErrorKind;
use pliant_mesh::{CellType, MeshError, NO_REGION, Region, VolumeMesh};

use crate::error::ForceError;

/// Cells of one kind, as plain slices: segments, triangles, tetrahedra, hexahedra, whatever their dimension. A
/// [`VolumeMesh`] is one (`From`), and so is any list of nodes with rest positions.
///
/// ```
/// use pliant_forces::{Cells, Partition};
/// let rest = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// let triangles = Cells::new(&[0, 1, 2, 0, 2, 3], 3, &rest);
/// assert_eq!(Partition::new(triangles).unwrap().vertices().len(), 4);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a> {
    nodes: &'a [u32],
    per_cell: usize,
    rest: &'a [Vec3],
    regions: &'a [Region],
    region_of: &'a [u32],
    /// The kind of cells, where a mesh says it; for messages.
    kind: Option<CellType>,
}

impl<'a> Cells<'a> {
    /// Cells of `per_cell` nodes each, one after another in `nodes`, on vertices with these positions at rest, m.
    /// Nothing is checked before a [`Partition`](crate::Partition) is made of them, or [`Cells::validate`] is called.
    pub fn new(nodes: &'a [u32], per_cell: usize, rest: &'a [Vec3]) -> Self {
        Self { nodes, per_cell, rest, regions: &[], region_of: &[], kind: None }
    }

    /// The same with regions: of each cell the number of its region, or [`NO_REGION`].
    #[must_use]
    pub fn with_regions(self, regions: &'a [Region], region_of: &'a [u32]) -> Self {
        Self { regions, region_of, ..self }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.nodes.len() / self.per_cell.max(1)
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Nodes of each cell.
    pub fn per_cell(&self) -> usize {
        self.per_cell
    }

    /// Number of vertices, those of no cell included.
    pub fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    /// Positions of all vertices at rest, m.
    pub fn rest(&self) -> &'a [Vec3] {
        self.rest
    }

    /// Nodes of a cell.
    #[inline]
    pub fn cell(&self, index: usize) -> &'a [u32] {
        &self.nodes[index * self.per_cell..(index + 1) * self.per_cell]
    }

    /// Nodes of every cell, one after another.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u32]> {
        self.nodes.chunks_exact(self.per_cell.max(1))
    }

    /// The regions that there are.
    pub fn regions(&self) -> &'a [Region] {
        self.regions
    }

    /// Number of the region of a cell, if it is in one.
    pub fn region_of(&self, index: usize) -> Option<usize> {
        self.region_of.get(index).filter(|&&r| r != NO_REGION).map(|&r| r as usize)
    }

    /// Checks that cells are whole, nodes exist, and positions are finite.
    pub fn validate(&self) -> Result<(), MeshError> {
        let err = |kind, text: String| Err(MeshError::new(kind, text));
        let (nodes, vertices) = (self.per_cell, self.rest.len());
        if vertices > u32::MAX as usize {
            let text = format!("{vertices} vertices: at most 2^32 − 1 are served");
            return err(ErrorKind::Count, text);
        }
        if nodes == 0 || !self.nodes.len().is_multiple_of(nodes) {
            let found = self.nodes.len();
            let text = format!("{found} node indices do not make whole cells of {nodes} nodes");
            return err(ErrorKind::Count, text);
        }
        if let Some(v) = self.rest.iter().position(|&p| !is_finite(p)) {
            return err(ErrorKind::NotFinite, format!("vertex {v} is at {:?}", self.rest[v]));
        }
        if let Some(i) = self.nodes.iter().position(|&v| v as usize >= vertices) {
            let (cell, v) = (i / nodes, self.nodes[i]);
            let text = format!("element {cell} names vertex {v}, but there are {vertices}");
            return err(ErrorKind::Index, text);
        }
        Ok(())
    }

    /// Refuses cells of another number of nodes than an element has.
    pub(crate) fn check_nodes(&self, element: &str, nodes: usize) -> Result<(), ForceError> {
        if self.per_cell == nodes {
            return Ok(());
        }
        let found = self.per_cell;
        let kind = self.kind.map_or(String::new(), |kind| format!(" ({kind})"));
        Err(ForceError::Unsupported(format!(
            "{element} elements need cells of {nodes} nodes, and the mesh has cells of {found} nodes{kind}"
        )))
    }

    /// Nodes of a cell, for elements of N nodes.
    pub(crate) fn nodes<const N: usize>(&self, index: usize) -> [u32; N] {
        let cell = self.cell(index);
        std::array::from_fn(|a| cell[a])
    }

    /// Rest positions of some vertices.
    pub(crate) fn positions<const N: usize>(&self, nodes: &[u32; N]) -> [Vec3; N] {
        nodes.map(|v| self.rest[v as usize])
    }
}

impl<'a> From<&'a VolumeMesh> for Cells<'a> {
    fn from(mesh: &'a VolumeMesh) -> Self {
        let cells = Self::new(&mesh.cells, mesh.cell_type.nodes(), &mesh.vertices)
            .with_regions(&mesh.regions, &mesh.cell_region);
        Self { kind: Some(mesh.cell_type), ..cells }
    }
}

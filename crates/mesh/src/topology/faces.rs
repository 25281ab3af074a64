//! Faces: which cells meet where, and which faces bound the mesh.

use super::edges::corner_cells;
use super::grouped::Grouped;
use crate::cell::{CellType, HEX_FACES, TET_FACES};
use crate::volume::VolumeMesh;

/// One side of a face: a cell and which of its faces it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Side {
    /// The cell.
    pub cell: u32,
    /// Its face, an index into [`TET_FACES`] or [`HEX_FACES`].
    pub face: u8,
}

impl Side {
    /// All nodes of the face, outward from the cell: its corners, then the middles of its edges.
    pub fn nodes(self, mesh: &VolumeMesh) -> impl Iterator<Item = u32> + '_ {
        let cell = mesh.cell(self.cell as usize);
        mesh.cell_type.faces()[self.face as usize].iter().map(move |&i| cell[i])
    }

    /// The corners of the face, outward from the cell: three or four of the array are set, the rest
    /// is `u32::MAX`.
    fn corners(self, mesh: &VolumeMesh) -> [u32; 4] {
        let cell = mesh.cell(self.cell as usize);
        match mesh.cell_type {
            CellType::Tet4 | CellType::Tet10 => {
                let [a, b, c] = TET_FACES[self.face as usize].map(|i| cell[i]);
                [a, b, c, u32::MAX]
            }
            CellType::Hex8 | CellType::Hex20 => HEX_FACES[self.face as usize].map(|i| cell[i]),
        }
    }
}

/// Faces of a cell, and corners of a face.
fn shape(cell_type: CellType) -> (usize, usize) {
    match cell_type {
        CellType::Tet4 | CellType::Tet10 => (TET_FACES.len(), 3),
        CellType::Hex8 | CellType::Hex20 => (HEX_FACES.len(), 4),
    }
}

/// Calls `visit` with the sides of each face, ascending; faces come sorted by their corners'
/// indices.
pub(crate) fn for_each_face(mesh: &VolumeMesh, visit: impl FnMut(&[Side])) {
    match mesh.cell_type {
        CellType::Tet4 | CellType::Tet10 => group(mesh, &TET_FACES, visit),
        CellType::Hex8 | CellType::Hex20 => group(mesh, &HEX_FACES, visit),
    }
}

fn group<const N: usize>(mesh: &VolumeMesh, local: &[[usize; N]], mut visit: impl FnMut(&[Side])) {
    // For each vertex, the sides whose lowest corner it is: few, and soon sorted by the others.
    let cells = corner_cells(mesh);
    let mut found: Vec<(u128, Side)> = Vec::new();
    let mut run = Vec::new();
    for v in 0..mesh.vertex_count() as u32 {
        found.clear();
        for &cell in cells.of(v as usize) {
            let nodes = mesh.cell(cell as usize);
            for (corners, face) in local.iter().zip(0..) {
                let mut corners = corners.map(|i| nodes[i]);
                if corners.iter().min() == Some(&v) {
                    corners.sort_unstable();
                    let key = corners.iter().fold(0, |key, &w| key << 32 | u128::from(w));
                    found.push((key, Side { cell, face }));
                }
            }
        }
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a.0 == b.0) {
            run.clear();
            run.extend(same.iter().map(|s| s.1));
            visit(&run);
        }
    }
}

/// All faces of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faces {
    /// Corners of a face: 3 or 4.
    pub corners: usize,
    /// The corners of each face, outward from the first of its cells.
    pub vertices: Vec<u32>,
    /// The sides of each face: one on the boundary, two inside, more where the mesh is broken.
    pub sides: Grouped<Side>,
}

impl Faces {
    /// Number of faces.
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// The corners of face `index`, outward from its first cell.
    pub fn face(&self, index: usize) -> &[u32] {
        &self.vertices[index * self.corners..(index + 1) * self.corners]
    }

    /// The first and, unless the face bounds the mesh, the second cell of face `index`.
    pub fn cells(&self, index: usize) -> (u32, Option<u32>) {
        let sides = self.sides.of(index);
        (sides[0].cell, sides.get(1).map(|s| s.cell))
    }
}

/// All faces, each once, sorted by their corners' indices.
pub fn faces(mesh: &VolumeMesh) -> Faces {
    let (_, corners) = shape(mesh.cell_type);
    let mut faces = Faces {
        corners,
        vertices: Vec::new(),
        sides: Grouped { offsets: vec![0], items: Vec::new() },
    };
    for_each_face(mesh, |sides| {
        faces.vertices.extend_from_slice(&sides[0].corners(mesh)[..corners]);
        faces.sides.items.extend_from_slice(sides);
        faces.sides.offsets.push(faces.sides.items.len());
    });
    faces
}

/// The faces that only one cell has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundaryFaces {
    /// Corners of a face: 3 or 4.
    pub corners: usize,
    /// The corners of each face, outward.
    pub vertices: Vec<u32>,
    /// The cell and local face of each face.
    pub sides: Vec<Side>,
}

/// The boundary as triangles or quadrilaterals between corners, ordered by cell and its faces.
pub fn boundary_faces(mesh: &VolumeMesh) -> BoundaryFaces {
    let (_, corners) = shape(mesh.cell_type);
    let mut sides = Vec::new();
    for_each_face(mesh, |face| {
        if let [side] = face {
            sides.push(*side);
        }
    });
    sides.sort_unstable();
    let mut vertices = Vec::with_capacity(sides.len() * corners);
    for side in &sides {
        vertices.extend_from_slice(&side.corners(mesh)[..corners]);
    }
    BoundaryFaces { corners, vertices, sides }
}

/// The cell across each face, four for each tetrahedron and six for each hexahedron in the order of
/// their faces; `u32::MAX` where there is none, also where three or more cells share the face.
pub fn cell_neighbours(mesh: &VolumeMesh) -> Vec<u32> {
    let (faces, _) = shape(mesh.cell_type);
    let mut neighbours = vec![u32::MAX; mesh.cell_count() * faces];
    for_each_face(mesh, |sides| {
        if let [a, b] = sides {
            neighbours[a.cell as usize * faces + a.face as usize] = b.cell;
            neighbours[b.cell as usize * faces + b.face as usize] = a.cell;
        }
    });
    neighbours
}

//! The kinds of volume cell and their node numbering, which is VTK's throughout.

/// A kind of volume cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CellType {
    /// Four-node tetrahedron, positive when det(b−a, c−a, d−a) > 0.
    Tet4,
    /// Ten-node tetrahedron: the corners, then the middles of edges 01, 12, 02, 03, 13, 23.
    Tet10,
    /// Eight-node hexahedron: bottom 0123 counter-clockwise seen from the top 4567.
    Hex8,
}

/// Corner faces of a tetrahedron, outward.
pub const TET_FACES: [[usize; 3]; 4] = [[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]];
/// Edges of a tetrahedron, in the order of a tet10's middle nodes.
pub const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
/// Faces of a hexahedron, outward.
pub const HEX_FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
/// Edges of a hexahedron.
pub const HEX_EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [4, 5],
    [5, 6],
    [6, 7],
    [7, 4],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];
/// Signs of the hexahedron's corners in the reference cube [−1, 1]³.
pub const HEX_CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

impl CellType {
    /// Nodes in a cell.
    pub const fn nodes(self) -> usize {
        match self {
            CellType::Tet4 => 4,
            CellType::Tet10 => 10,
            CellType::Hex8 => 8,
        }
    }

    /// Corners of a cell; they come first among its nodes.
    pub const fn corners(self) -> usize {
        match self {
            CellType::Tet4 | CellType::Tet10 => 4,
            CellType::Hex8 => 8,
        }
    }

    /// Edges between corners, as local indices.
    pub const fn edges(self) -> &'static [[usize; 2]] {
        match self {
            CellType::Tet4 | CellType::Tet10 => &TET_EDGES,
            CellType::Hex8 => &HEX_EDGES,
        }
    }

    /// VTK's number for it.
    pub const fn vtk(self) -> u8 {
        match self {
            CellType::Tet4 => 10,
            CellType::Tet10 => 24,
            CellType::Hex8 => 12,
        }
    }

    /// The name used in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            CellType::Tet4 => "tet4",
            CellType::Tet10 => "tet10",
            CellType::Hex8 => "hex8",
        }
    }

    /// The node permutation that turns an inverted cell into a positive one:
    /// new node i is old node `flip()[i]`.
    pub const fn flip(self) -> &'static [usize] {
        match self {
            CellType::Tet4 => &[0, 2, 1, 3],
            CellType::Tet10 => &[0, 2, 1, 3, 6, 5, 4, 7, 9, 8],
            CellType::Hex8 => &[4, 5, 6, 7, 0, 1, 2, 3],
        }
    }
}

impl std::fmt::Display for CellType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

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
    /// Twenty-node hexahedron (serendipity): the corners, then the middles of the edges in the order of [`HEX_EDGES`].
    Hex20,
}

/// Corner faces of a tetrahedron, outward.
pub const TET_FACES: [[usize; 3]; 4] = [[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]];
/// Edges of a tetrahedron, in the order of a tet10's middle nodes.
pub const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
/// Faces of a hexahedron, outward.
pub const HEX_FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
/// All nodes of the faces of a four-node tetrahedron.
const TET4_FACES: [&[usize]; 4] = [&TET_FACES[0], &TET_FACES[1], &TET_FACES[2], &TET_FACES[3]];
/// All nodes of the faces of a ten-node tetrahedron.
const TET10_FACES: [&[usize]; 4] =
    [&[0, 1, 3, 4, 8, 7], &[1, 2, 3, 5, 9, 8], &[2, 0, 3, 6, 7, 9], &[0, 2, 1, 6, 5, 4]];
/// All nodes of the faces of an eight-node hexahedron.
const HEX8_FACES: [&[usize]; 6] =
    [&HEX_FACES[0], &HEX_FACES[1], &HEX_FACES[2], &HEX_FACES[3], &HEX_FACES[4], &HEX_FACES[5]];
/// All nodes of the faces of a twenty-node hexahedron.
const HEX20_FACES: [&[usize]; 6] = [
    &[0, 3, 2, 1, 11, 10, 9, 8],
    &[4, 5, 6, 7, 12, 13, 14, 15],
    &[0, 1, 5, 4, 8, 17, 12, 16],
    &[1, 2, 6, 5, 9, 18, 13, 17],
    &[2, 3, 7, 6, 10, 19, 14, 18],
    &[3, 0, 4, 7, 11, 16, 15, 19],
];
/// Edges of a hexahedron, in the order of a hex20's middle nodes.
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

/// The most nodes that a cell has.
pub const MOST_NODES: usize = 20;

impl CellType {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tet4, Self::Tet10, Self::Hex8, Self::Hex20];

    /// Nodes in a cell.
    pub const fn nodes(self) -> usize {
        match self {
            CellType::Tet4 => 4,
            CellType::Tet10 => 10,
            CellType::Hex8 => 8,
            CellType::Hex20 => 20,
        }
    }

    /// Corners of a cell; they come first among its nodes.
    pub const fn corners(self) -> usize {
        match self {
            CellType::Tet4 | CellType::Tet10 => 4,
            CellType::Hex8 | CellType::Hex20 => 8,
        }
    }

    /// Returns true for cells with middle nodes on their edges, which may be curved.
    pub const fn is_quadratic(self) -> bool {
        self.nodes() > self.corners()
    }

    /// The cells with the same corners and a middle node on each edge; themselves if they have them.
    #[must_use]
    pub const fn quadratic(self) -> Self {
        match self {
            CellType::Tet4 | CellType::Tet10 => CellType::Tet10,
            CellType::Hex8 | CellType::Hex20 => CellType::Hex20,
        }
    }

    /// The cells with the same corners and no middle nodes.
    #[must_use]
    pub const fn linear(self) -> Self {
        match self {
            CellType::Tet4 | CellType::Tet10 => CellType::Tet4,
            CellType::Hex8 | CellType::Hex20 => CellType::Hex8,
        }
    }

    /// Edges between corners, as local indices.
    pub const fn edges(self) -> &'static [[usize; 2]] {
        match self {
            CellType::Tet4 | CellType::Tet10 => &TET_EDGES,
            CellType::Hex8 | CellType::Hex20 => &HEX_EDGES,
        }
    }

    /// Faces with all their nodes as local indices, outward: the corners in the order of [`TET_FACES`] or
    /// [`HEX_FACES`], then the middles of the edges from each corner to the next.
    pub const fn faces(self) -> &'static [&'static [usize]] {
        match self {
            CellType::Tet4 => &TET4_FACES,
            CellType::Tet10 => &TET10_FACES,
            CellType::Hex8 => &HEX8_FACES,
            CellType::Hex20 => &HEX20_FACES,
        }
    }

    /// VTK's number for it.
    pub const fn vtk(self) -> u8 {
        match self {
            CellType::Tet4 => 10,
            CellType::Tet10 => 24,
            CellType::Hex8 => 12,
            CellType::Hex20 => 25,
        }
    }

    /// The name used in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            CellType::Tet4 => "tet4",
            CellType::Tet10 => "tet10",
            CellType::Hex8 => "hex8",
            CellType::Hex20 => "hex20",
        }
    }

    /// The node permutation that turns an inverted cell into a positive one:
    /// new node i is old node `flip()[i]`.
    pub const fn flip(self) -> &'static [usize] {
        match self {
            CellType::Tet4 => &[0, 2, 1, 3],
            CellType::Tet10 => &[0, 2, 1, 3, 6, 5, 4, 7, 9, 8],
            CellType::Hex8 => &[4, 5, 6, 7, 0, 1, 2, 3],
            CellType::Hex20 => {
                &[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11, 16, 17, 18, 19]
            }
        }
    }
}

impl std::fmt::Display for CellType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

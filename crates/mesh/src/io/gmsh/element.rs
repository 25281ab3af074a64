//! Gmsh's element types: what each number means, and how many nodes it has.

use crate::cell::{CellType, MOST_NODES};

/// One past the largest type number that is known.
pub(super) const KINDS: usize = 141;

/// An element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    /// Gmsh's number for it.
    pub number: u8,
    /// `point`, `line`, `triangle`, `quad`, `tet`, `hex`, `prism` or `pyramid`.
    shape: &'static str,
    /// Dimension, 0 to 3.
    pub dim: u8,
    /// Number of nodes.
    pub nodes: u16,
}

impl Kind {
    /// The type of that number, if it is a known one with a fixed number of nodes.
    #[inline]
    pub(super) fn of(number: i64) -> Option<Kind> {
        let kind = *TABLE.get(usize::try_from(number).ok()?)?;
        (kind.nodes > 0).then_some(kind)
    }

    /// The type that holds cells of that kind.
    pub(super) fn of_cell(cell_type: CellType) -> Kind {
        TABLE[match cell_type {
            CellType::Tet4 => 4,
            CellType::Tet10 => 11,
            CellType::Hex8 => 5,
            CellType::Hex20 => 17,
        }]
    }

    /// The kind of cell it is, if it is one that a mesh here can have.
    #[inline]
    pub(super) fn cell_type(self) -> Option<CellType> {
        match self.number {
            4 => Some(CellType::Tet4),
            5 => Some(CellType::Hex8),
            11 => Some(CellType::Tet10),
            17 => Some(CellType::Hex20),
            _ => None,
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.dim {
            0 => f.write_str(self.shape),
            _ => write!(f, "{}{}", self.shape, self.nodes),
        }
    }
}

/// For each node of a hex20 in VTK's order its position in Gmsh's, which has the middles of edges 01, 03, 04, 12, 15,
/// 23, 26, 37, 45, 47, 56, 67.
const HEX20: [usize; 20] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15];

/// Puts the nodes of cells from Gmsh's order into VTK's. A tet10 has its last two middle nodes swapped, a hex20 has
/// all middle nodes in another order, the others are alike.
#[inline]
pub(super) fn from_gmsh(cell_type: CellType, cells: &mut [u32]) {
    match cell_type {
        CellType::Tet4 | CellType::Hex8 => {}
        CellType::Tet10 => cells.chunks_exact_mut(10).for_each(|cell| cell.swap(8, 9)),
        CellType::Hex20 => {
            for cell in cells.chunks_exact_mut(20) {
                let file: [u32; 20] = std::array::from_fn(|i| cell[i]);
                cell.copy_from_slice(&HEX20.map(|i| file[i]));
            }
        }
    }
}

/// The nodes of a cell in Gmsh's order, and how many there are: the inverse of [`from_gmsh`].
pub(super) fn to_gmsh(cell_type: CellType, cell: &[u32]) -> ([u32; MOST_NODES], usize) {
    let mut nodes = [0; MOST_NODES];
    nodes[..cell.len()].copy_from_slice(cell);
    match cell_type {
        CellType::Tet4 | CellType::Hex8 => {}
        CellType::Tet10 => nodes.swap(8, 9),
        CellType::Hex20 => {
            for (&at, &vertex) in HEX20.iter().zip(cell) {
                nodes[at] = vertex;
            }
        }
    }
    (nodes, cell.len())
}

/// Type number of a point.
pub(super) const POINT: u8 = 15;

static TABLE: [Kind; KINDS] = table();

const fn table() -> [Kind; KINDS] {
    let mut table = [Kind { number: 0, shape: "", dim: 0, nodes: 0 }; KINDS];
    let mut shape = 0;
    while shape < SHAPES.len() {
        let (name, dim, types) = SHAPES[shape];
        let mut i = 0;
        while i < types.len() {
            let (number, nodes) = types[i];
            table[number as usize] = Kind { number, shape: name, dim, nodes };
            i += 1;
        }
        shape += 1;
    }
    table
}

type Shape = (&'static str, u8, &'static [(u8, u16)]);

/// (type number, nodes) by shape: as Gmsh 4.15 states them, with those of prisms above order 2,
/// which it cannot describe, after the number of nodes of the complete and serendipity spaces.
const SHAPES: [Shape; 8] = [
    ("point", 0, &[(POINT, 1)]),
    (
        "line",
        1,
        &[
            (1, 2),
            (8, 3),
            (26, 4),
            (27, 5),
            (28, 6),
            (62, 7),
            (63, 8),
            (64, 9),
            (65, 10),
            (66, 11),
            (84, 1),
        ],
    ),
    (
        "triangle",
        2,
        &[
            (2, 3),
            (9, 6),
            (20, 9),
            (21, 10),
            (22, 12),
            (23, 15),
            (24, 15),
            (25, 21),
            (42, 28),
            (43, 36),
            (44, 45),
            (45, 55),
            (46, 66),
            (52, 18),
            (53, 21),
            (54, 24),
            (55, 27),
            (56, 30),
            (85, 1),
        ],
    ),
    (
        "quad",
        2,
        &[
            (3, 4),
            (10, 9),
            (16, 8),
            (36, 16),
            (37, 25),
            (38, 36),
            (39, 12),
            (40, 16),
            (41, 20),
            (47, 49),
            (48, 64),
            (49, 81),
            (50, 100),
            (51, 121),
            (57, 24),
            (58, 28),
            (59, 32),
            (60, 36),
            (61, 40),
            (86, 1),
        ],
    ),
    (
        "tet",
        3,
        &[
            (4, 4),
            (11, 10),
            (29, 20),
            (30, 35),
            (31, 56),
            (32, 22),
            (33, 28),
            (71, 84),
            (72, 120),
            (73, 165),
            (74, 220),
            (75, 286),
            (79, 34),
            (80, 40),
            (81, 46),
            (82, 52),
            (83, 58),
            (87, 1),
            (137, 16),
        ],
    ),
    (
        "hex",
        3,
        &[
            (5, 8),
            (12, 27),
            (17, 20),
            (88, 1),
            (92, 64),
            (93, 125),
            (94, 216),
            (95, 343),
            (96, 512),
            (97, 729),
            (98, 1000),
            (99, 32),
            (100, 44),
            (101, 56),
            (102, 68),
            (103, 80),
            (104, 92),
            (105, 104),
        ],
    ),
    ("prism", 3, &[(6, 6), (13, 18), (18, 15), (89, 1), (90, 40), (91, 75)]),
    (
        "pyramid",
        3,
        &[
            (7, 5),
            (14, 14),
            (19, 13),
            (118, 30),
            (119, 55),
            (120, 91),
            (121, 140),
            (122, 204),
            (123, 285),
            (124, 385),
            (125, 21),
            (126, 29),
            (127, 37),
            (128, 45),
            (129, 53),
            (130, 61),
            (131, 69),
            (132, 1),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn served_cells_have_the_node_counts_of_their_gmsh_types() {
        for cell_type in CellType::ALL {
            let kind = Kind::of_cell(cell_type);
            assert_eq!(kind.cell_type(), Some(cell_type));
            assert_eq!(usize::from(kind.nodes), cell_type.nodes());
            assert_eq!(kind.to_string(), cell_type.name());
        }
        assert_eq!(Kind::of(i64::from(POINT)).unwrap().nodes, 1);
    }

    #[test]
    fn unknown_types_and_those_without_a_fixed_node_count_are_none() {
        for number in [-1, 0, 34, 35, 76, 140, 141, i64::MAX] {
            assert_eq!(Kind::of(number), None, "{number}");
        }
    }
}

//! VTK's cell types: which of them make a volume mesh.

use crate::cell::CellType;

/// What a VTK cell type means for a volume mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cell of that type; a voxel becomes a hexahedron.
    Volume(CellType),
    /// A volume cell that meshes here do not hold.
    Other,
    /// Points, lines and faces.
    Lower,
}

/// VTK's name of a cell type, and what it means here.
pub(super) fn kind(vtk_type: u8) -> (&'static str, Kind) {
    match vtk_type {
        0 => ("empty cell", Kind::Lower),
        1 | 2 => ("vertex", Kind::Lower),
        3 | 4 | 21 | 35 | 68 | 75 => ("line", Kind::Lower),
        5 | 6 | 22 | 34 | 69 | 76 => ("triangle", Kind::Lower),
        7 | 36 => ("polygon", Kind::Lower),
        8 | 9 | 23 | 28 | 30 | 70 | 77 => ("quadrilateral", Kind::Lower),
        10 => ("tet4", Kind::Volume(CellType::Tet4)),
        11 | 12 => ("hex8", Kind::Volume(CellType::Hex8)),
        24 => ("tet10", Kind::Volume(CellType::Tet10)),
        13 => ("wedge", Kind::Other),
        14 => ("pyramid", Kind::Other),
        15 | 16 => ("prism", Kind::Other),
        25 => ("hex20", Kind::Volume(CellType::Hex20)),
        29 | 33 => ("quadratic hexahedron", Kind::Other),
        26 | 31 | 32 => ("quadratic wedge", Kind::Other),
        27 | 37 => ("quadratic pyramid", Kind::Other),
        41 | 42 => ("polyhedron", Kind::Other),
        71..=74 | 78..=81 => ("higher-order cell", Kind::Other),
        _ => ("unknown cell type", Kind::Other),
    }
}

/// VTK numbers a voxel's corners row by row: the corner of a hexahedron at each place.
pub(super) const VOXEL: [usize; 8] = [0, 1, 3, 2, 4, 5, 7, 6];
/// VTK's number for a voxel.
pub(super) const VOXEL_TYPE: u8 = 11;

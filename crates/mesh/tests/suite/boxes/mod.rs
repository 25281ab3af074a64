//! Small box meshes for tests, written out so that they depend on nothing that is tested.
#![allow(dead_code, reason = "each test file uses a part")]

use pliant_mesh::{CellType, VolumeMesh};

/// nx × ny × nz unit cubes as hexahedra, x fastest.
pub(crate) fn hex_box(nx: u32, ny: u32, nz: u32) -> VolumeMesh {
    let at = |i: u32, j: u32, k: u32| i + (nx + 1) * (j + (ny + 1) * k);
    let mut vertices = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            vertices.extend((0..=nx).map(|i| [f64::from(i), f64::from(j), f64::from(k)]));
        }
    }
    let mut cells = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                for top in [k, k + 1] {
                    let (x, y) = (i + 1, j + 1);
                    cells.extend([at(i, j, top), at(x, j, top), at(x, y, top), at(i, y, top)]);
                }
            }
        }
    }
    VolumeMesh::new(CellType::Hex8, vertices, cells)
}

/// The same box, each cube in six tetrahedra round its diagonal 0–6.
pub(crate) fn tet_box(nx: u32, ny: u32, nz: u32) -> VolumeMesh {
    const SIX: [[usize; 4]; 6] =
        [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];
    let hex = hex_box(nx, ny, nz);
    let cells = hex.cells().flat_map(|c| SIX.into_iter().flatten().map(|i| c[i])).collect();
    VolumeMesh::new(CellType::Tet4, hex.vertices, cells)
}

/// The numbers 0..n in an order that looks random: a fixed linear congruential generator.
pub(crate) fn shuffled(n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut state = 1u64;
    for i in (1..n).rev() {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

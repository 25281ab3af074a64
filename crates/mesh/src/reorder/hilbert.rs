//! Order along Hilbert's space-filling curve.

use pliant_algebra::vec3::{Vec3, add, scale};

use super::permutation::Permutation;
use crate::spatial::Aabb;
use crate::volume::VolumeMesh;

/// Bits for each axis: three times 21 fill 63 bits of a key.
const BITS: u32 = 21;

/// Position along Hilbert's curve through the grid of `2^bits` points on each axis, with `bits` at
/// most 21 and coordinates below `2^bits`. Consecutive positions are neighbours in the grid.
///
/// After J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707 (2004): from the highest
/// bit down, each octant's own reflection and exchange of axes is undone on the bits below; what
/// remains is the curve's Gray code, one bit of each axis in turn.
pub fn hilbert_key(mut point: [u32; 3], bits: u32) -> u64 {
    let bits = bits.min(BITS);
    for level in (1..bits).rev() {
        let (bit, below) = (1 << level, (1 << level) - 1);
        for axis in 0..3 {
            if point[axis] & bit != 0 {
                point[0] ^= below;
            } else {
                let exchange = (point[0] ^ point[axis]) & below;
                point[0] ^= exchange;
                point[axis] ^= exchange;
            }
        }
    }
    // From Gray code to a number: each bit is the parity of those before it.
    let (mut key, mut parity) = (0, 0);
    for level in (0..bits).rev() {
        for axis in point {
            parity ^= (axis >> level) & 1;
            key = key << 1 | u64::from(parity);
        }
    }
    key
}

/// The order of points along the curve through a cube around them; equal positions by index.
pub fn hilbert_points(points: &[Vec3]) -> Permutation {
    let bounds = Aabb::of(points);
    // Halves, because the difference of two coordinates may exceed what an f64 holds.
    let low = scale(bounds.min, 0.5);
    let high = scale(bounds.max, 0.5);
    let size = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
    let last = (1u32 << BITS) - 1;
    let keys: Vec<u64> = points
        .iter()
        .map(|p| {
            // The cast turns what is not a number, as 0 / 0, into 0.
            let grid = |i: usize| ((0.5 * p[i] - low[i]) / size * f64::from(last)) as u32;
            hilbert_key(std::array::from_fn(|i| grid(i).min(last)), BITS)
        })
        .collect();
    Permutation::sorting(&keys)
}

/// Vertices in the order of Hilbert's curve.
pub fn hilbert_vertices(mesh: &VolumeMesh) -> Permutation {
    hilbert_points(&mesh.vertices)
}

/// Cells in the order of their centres along Hilbert's curve.
pub fn hilbert_cells(mesh: &VolumeMesh) -> Permutation {
    let share = 1.0 / mesh.cell_type.nodes() as f64;
    let centre = |cell: &[u32]| {
        cell.iter().fold([0.0; 3], |sum, &v| add(sum, scale(mesh.vertices[v as usize], share)))
    };
    hilbert_points(&mesh.cells().map(centre).collect::<Vec<_>>())
}

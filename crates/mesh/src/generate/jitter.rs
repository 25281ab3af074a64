//! Moving vertices at random without inverting a cell.

use pliant_algebra::vec3::{Vec3, add_scaled, distance};

use super::check;
use crate::cell::{CellType, HEX_CORNERS};
use crate::error::{ErrorKind, MeshError};
use crate::topology::{boundary_faces, edges};
use crate::volume::{VolumeMesh, hex_jacobian, tet_volume};

/// A cell may keep as little as this part of its Jacobian.
const LEAST: f64 = 0.1;

/// The mesh with its inner vertices moved at random, each by at most `part` (0 to 1) of half its
/// shortest edge along each axis. The boundary stays, and no cell is inverted. For meshes of tet4 or
/// hex8; jitter before adding middle nodes.
pub fn jittered(mesh: &VolumeMesh, part: f64, seed: u64) -> Result<VolumeMesh, MeshError> {
    check::within("jitter", part, 0.0, 1.0)?;
    mesh.validate()?;
    if mesh.cell_type.is_quadratic() {
        let message = format!(
            "moving the corners of {} cells would leave their middle nodes behind",
            mesh.cell_type
        );
        return Err(MeshError::new(ErrorKind::Unsupported, message).hint(format!(
            "jitter the {} mesh, then add the middle nodes",
            mesh.cell_type.linear()
        )));
    }
    let mut room = vec![f64::INFINITY; mesh.vertex_count()];
    for [a, b] in edges(mesh).into_iter().map(|e| e.map(|v| v as usize)) {
        let length = distance(mesh.vertices[a], mesh.vertices[b]);
        room[a] = room[a].min(length);
        room[b] = room[b].min(length);
    }
    for v in boundary_faces(mesh).vertices {
        room[v as usize] = 0.0;
    }
    let mut moved = mesh.clone();
    // An unused vertex has no edge and stays where it is.
    jitter(&mut moved, seed, |v| [if room[v].is_finite() { 0.5 * part * room[v] } else { 0.0 }; 3]);
    Ok(moved)
}

/// Moves every vertex by a random part of `amplitude` (per axis, m). Where a cell would lose too
/// much of its volume its vertices move by half of that, and again, until none does.
pub(super) fn jitter(mesh: &mut VolumeMesh, seed: u64, amplitude: impl Fn(usize) -> Vec3) {
    let rest = mesh.vertices.clone();
    let mut random = SplitMix64(seed);
    let displacement: Vec<Vec3> =
        (0..rest.len()).map(|v| amplitude(v).map(|a| a * random.symmetric())).collect();
    let least: Vec<f64> =
        (0..mesh.cell_count()).map(|c| LEAST * smallest_jacobian(mesh, c)).collect();
    let mut part = vec![1.0; rest.len()];
    // After 64 halvings nothing is left of a displacement, so the last rounds find the mesh at
    // rest wherever it still objects; a chain of neighbours may take a few rounds more.
    for round in 0..128 {
        for (v, x) in mesh.vertices.iter_mut().enumerate() {
            *x = add_scaled(rest[v], displacement[v], part[v]);
        }
        let bad: Vec<usize> =
            (0..mesh.cell_count()).filter(|&c| smallest_jacobian(mesh, c) < least[c]).collect();
        if bad.is_empty() {
            return;
        }
        let mut touched: Vec<u32> = bad.iter().flat_map(|&c| mesh.cell(c)).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        for v in touched {
            part[v as usize] *= if round < 64 { 0.5 } else { 0.0 };
        }
    }
    mesh.vertices = rest;
}

/// The smallest Jacobian determinant of a cell; of a hexahedron among its corners and Gauss points.
fn smallest_jacobian(mesh: &VolumeMesh, index: usize) -> f64 {
    let at = |i: usize| mesh.vertices[mesh.cell(index)[i] as usize];
    match mesh.cell_type {
        CellType::Tet4 | CellType::Tet10 => tet_volume(std::array::from_fn(at)),
        CellType::Hex8 | CellType::Hex20 => {
            let corners = std::array::from_fn(at);
            let gauss = 1.0 / 3.0_f64.sqrt();
            HEX_CORNERS
                .iter()
                .flat_map(|s| [*s, s.map(|x| x * gauss)])
                .map(|xi| hex_jacobian(&corners, xi))
                .fold(f64::INFINITY, f64::min)
        }
    }
}

/// Steele, Lea and Flood's SplitMix64 generator (OOPSLA 2014): a counter and a mixing function.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [−1, 1).
    fn symmetric(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_moves_inner_vertices_only_and_inverts_nothing() {
        for cell in [super::super::CellChoice::Tet6, super::super::CellChoice::Hex] {
            let ball = super::super::Sphere { cell, ..Default::default() }.generate().unwrap();
            let moved = jittered(&ball, 1.0, 3).unwrap();
            let outer = &ball.vertex_set("surface").or(ball.vertex_set("outer")).unwrap().items;
            for (v, (a, b)) in ball.vertices.iter().zip(&moved.vertices).enumerate() {
                assert_eq!(a == b, outer.contains(&(v as u32)), "vertex {v}");
            }
            assert!((0..moved.cell_count()).all(|c| smallest_jacobian(&moved, c) > 0.0));
            assert_eq!(moved, jittered(&ball, 1.0, 3).unwrap());
            assert_ne!(moved, jittered(&ball, 1.0, 4).unwrap());
        }
    }

    #[test]
    fn random_numbers_are_those_of_the_published_generator() {
        let mut random = SplitMix64(1234567);
        let expected = [6457827717110365317, 3203168211198807973, 9817491932198370423];
        assert_eq!([random.next(), random.next(), random.next()], expected);
    }
}

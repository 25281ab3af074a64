//! Systems for tests and examples of the direct solvers: linear elasticity on boxes of tetrahedra,
//! assembled here in a few lines.
#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{self, Vec3};
use pliant_solvers::Layout;

/// A mesh with its system.
pub struct System {
    pub positions: Vec<Vec3>,
    pub elements: Vec<u32>,
    pub nodes: usize,
    pub pattern: Arc<Pattern>,
}

impl System {
    pub fn layout(&self) -> Layout<'_> {
        Layout { positions: Some(&self.positions), elements: Some((&self.elements, self.nodes)) }
    }
}

/// Numbers in −1..1 from a seed.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x0D1C_E5B4;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

pub fn random_vector(n: usize, seed: u64) -> Vec<Vec3> {
    let mut r = random(seed);
    (0..n).map(|_| [r(), r(), r()]).collect()
}

/// A box of cells of edge `size`, vertices moved by at most `shake` of it, six tetrahedra a cell.
pub fn tetrahedra(cells: [usize; 3], size: f64, shake: f64, seed: u64) -> System {
    let (positions, corner) = grid(cells, size, shake, seed);
    let mut elements = Vec::new();
    for (x, y, z) in each_cell(cells) {
        // One tetrahedron for each way from the lowest corner to the highest along the edges.
        for way in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let mut at = [x, y, z];
            let mut tet = vec![corner(at)];
            for axis in way {
                at[axis] += 1;
                tet.push(corner(at));
            }
            if volume(&positions, &tet) < 0.0 {
                tet.swap(2, 3);
            }
            elements.extend(tet);
        }
    }
    system(positions, elements, 4)
}

/// A box of hexahedra; only its pattern is of use here.
pub fn hexahedra(cells: [usize; 3]) -> System {
    let (positions, corner) = grid(cells, 1.0, 0.0, 0);
    let mut elements = Vec::new();
    for (x, y, z) in each_cell(cells) {
        for k in 0..8 {
            elements.push(corner([x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)]));
        }
    }
    system(positions, elements, 8)
}

fn grid(
    cells: [usize; 3],
    size: f64,
    shake: f64,
    seed: u64,
) -> (Vec<Vec3>, impl Fn([usize; 3]) -> u32) {
    let [nx, ny, nz] = cells.map(|c| c + 1);
    let mut r = random(seed);
    let mut positions = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                positions.push([x, y, z].map(|c| size * (c as f64 + shake * r())));
            }
        }
    }
    (positions, move |[x, y, z]: [usize; 3]| ((x * ny + y) * nz + z) as u32)
}

fn each_cell([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..nx * ny * nz).map(move |c| (c / (ny * nz), c / nz % ny, c % nz))
}

fn system(positions: Vec<Vec3>, elements: Vec<u32>, nodes: usize) -> System {
    let pattern = Pattern::symmetric(positions.len(), |couple| {
        for element in elements.chunks_exact(nodes) {
            for &i in element {
                for &j in element {
                    couple(i, j);
                }
            }
        }
    })
    .unwrap();
    System { positions, elements, nodes, pattern: Arc::new(pattern) }
}

fn volume(p: &[Vec3], t: &[u32]) -> f64 {
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| p[t[k] as usize]);
    vec3::triple(vec3::sub(b, a), vec3::sub(c, a), vec3::sub(d, a)) / 6.0
}

/// `mass` M + `stiffness` K: Young 1 MPa, Poisson 0.45, density 1000.
pub fn elasticity(system: &System, mass: f64, stiffness: f64) -> BlockMatrix {
    let (young, poisson, density) = (1e6, 0.45, 1000.0);
    let mu = young / (2.0 * (1.0 + poisson));
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let mut matrix = BlockMatrix::zero(Arc::clone(&system.pattern));
    for tet in system.elements.chunks_exact(4) {
        let p = [0, 1, 2, 3].map(|k| system.positions[tet[k] as usize]);
        let v = volume(&system.positions, tet);
        let e = [1, 2, 3].map(|k| vec3::sub(p[k], p[0]));
        let s = 1.0 / (6.0 * v);
        let mut g = [[0.0; 3]; 4];
        for k in 0..3 {
            g[k + 1] = vec3::scale(vec3::cross(e[(k + 1) % 3], e[(k + 2) % 3]), s);
            g[0] = vec3::sub(g[0], g[k + 1]);
        }
        for a in 0..4 {
            for b in (0..4).filter(|&b| tet[a] <= tet[b]) {
                let mut block = [0.0; 9];
                for i in 0..3 {
                    for j in 0..3 {
                        block[3 * i + j] +=
                            stiffness * v * (lambda * g[a][i] * g[b][j] + mu * g[b][i] * g[a][j]);
                    }
                    block[4 * i] += stiffness * v * mu * vec3::dot(g[a], g[b]);
                    if a == b {
                        block[4 * i] += mass * density * v / 4.0;
                    }
                }
                matrix.add(tet[a], tet[b], &block);
            }
        }
    }
    matrix
}

//! Elastic systems for the tests and examples of the iterative solvers.
#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_elements::Tet4;
use pliant_forces::mass::lumped;
use pliant_forces::{
    Ask, Configuration, ForceModel, Parameters, Partition, Slots, Solid, Workspace,
};
use pliant_materials::linear::Linear;
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{BoxShape, CellChoice};

/// Numbers in [−1, 1], the same on every run.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut s = seed.wrapping_mul(2) + 1;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

pub fn random_vector(n: usize, seed: u64) -> Vec<Vec3> {
    let mut r = random(seed);
    (0..n).map(|_| [r(), r(), r()]).collect()
}

/// A linear elastic body and its matrices, in system numbering.
pub struct Body {
    pub positions: Vec<Vec3>,
    pub pattern: Arc<Pattern>,
    pub stiffness: BlockMatrix,
    pub mass: Vec<f64>,
}

#[derive(Clone, Copy)]
pub struct Matter {
    pub young: f64,
    pub poisson: f64,
    pub density: f64,
}

pub const RUBBER: Matter = Matter { young: 1e6, poisson: 0.45, density: 1000.0 };

pub fn box_mesh(size: [f64; 3], cells: [usize; 3], jitter: f64) -> VolumeMesh {
    BoxShape { size, cells, jitter, seed: 3, cell: CellChoice::Tet6, ..BoxShape::default() }
        .generate()
        .unwrap()
}

impl Body {
    pub fn new(mesh: &VolumeMesh, matter: Matter) -> Self {
        let Matter { young, poisson, density } = matter;
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let mu = young / (2.0 * (1.0 + poisson));
        let partition = Partition::new(mesh).unwrap();
        let constants = [lambda, mu];
        let mut solid =
            Solid::new(mesh, &partition, Tet4, Box::new(Linear), Parameters::Uniform(&constants))
                .unwrap();
        let n = mesh.vertex_count();
        let pattern = Arc::new(Pattern::symmetric(n, |couple| solid.couplings(couple)).unwrap());
        solid.bind(&Slots::new(&pattern, 0, "model")).unwrap();
        let positions = partition.vertices().apply(&mesh.vertices);
        let mut stiffness = BlockMatrix::zero(pattern.clone());
        let state = Configuration::new(&positions, &positions, 0.0);
        let mut ask =
            Ask { tangent: Some(&mut stiffness.values), position_weight: 1.0, ..Ask::default() };
        solid.evaluate(&state, &mut ask, &mut Workspace::new()).unwrap();
        let mass = lumped(mesh, &partition, Tet4, &|_| density).unwrap();
        Self { positions, pattern, stiffness, mass }
    }

    /// A jittered box of that many cells.
    pub fn box_of(cells: [usize; 3]) -> Self {
        let size = cells.map(|c| 0.05 * c as f64);
        Self::new(&box_mesh(size, cells, 0.3), RUBBER)
    }

    /// M + h² K
    pub fn implicit(&self, h: f64) -> BlockMatrix {
        let mut matrix = self.stiffness.clone();
        for v in matrix.values.as_flattened_mut() {
            *v *= h * h;
        }
        for (i, m) in self.mass.iter().enumerate() {
            matrix.add(i as u32, i as u32, &[*m, 0.0, 0.0, 0.0, *m, 0.0, 0.0, 0.0, *m]);
        }
        matrix
    }

    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn layout(&self) -> pliant_solvers::Layout<'_> {
        pliant_solvers::Layout { positions: Some(&self.positions), elements: None }
    }
}

/// x with A x = b by elimination with pivoting, for small systems.
pub fn dense_solve(matrix: &BlockMatrix, b: &[Vec3]) -> Vec<Vec3> {
    let n = 3 * matrix.rows();
    let mut a = matrix.to_dense();
    let mut x: Vec<f64> = b.as_flattened().to_vec();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()));
        let pivot = pivot.unwrap();
        for c in 0..n {
            a.swap(k * n + c, pivot * n + c);
        }
        x.swap(k, pivot);
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            if f != 0.0 {
                for c in k..n {
                    a[i * n + c] -= f * a[k * n + c];
                }
                x[i] -= f * x[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|c| a[k * n + c] * x[c]).sum();
        x[k] = (x[k] - sum) / a[k * n + k];
    }
    x.as_chunks().0.to_vec()
}

pub fn norm(list: &[Vec3]) -> f64 {
    list.iter().flatten().map(|v| v * v).sum::<f64>().sqrt()
}

/// |a − b| / |b|
pub fn difference(a: &[Vec3], b: &[Vec3]) -> f64 {
    let d: f64 = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b) * (a - b)).sum();
    d.sqrt() / norm(b)
}

pub fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
}

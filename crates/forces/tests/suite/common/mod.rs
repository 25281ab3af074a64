//! Small meshes, states and systems for the tests of this crate.
#![allow(dead_code, unreachable_pub)]

pub mod laws;

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_forces::{Ask, Configuration, ForceError, ForceModel, Partition, Slots, Workspace};
use pliant_mesh::VolumeMesh;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::refine::to_quadratic;

/// Numbers in [−1, 1], the same on every run.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut s = seed.wrapping_mul(2) + 1;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A box of irregular cells: tet4, tet10, hex8 or hex20, by the number of nodes; quadratic ones with straight edges.
pub fn irregular_box(nodes: usize, cells: [usize; 3]) -> VolumeMesh {
    let cell = if matches!(nodes, 8 | 20) { CellChoice::Hex } else { CellChoice::Tet6 };
    let shape = BoxShape {
        size: [1.0, 0.8, 0.9],
        cells,
        jitter: 0.4,
        seed: 5,
        cell,
        ..BoxShape::default()
    };
    let mesh = shape.generate().unwrap();
    if matches!(nodes, 10 | 20) { to_quadratic(&mesh).unwrap() } else { mesh }
}

/// Positions in system numbering: bent, stretched and shaken.
pub fn deformed(mesh: &VolumeMesh, partition: &Partition, shake: f64) -> Vec<Vec3> {
    let mut r = random(11);
    let rest = partition.vertices().apply(&mesh.vertices);
    let bend = |[x, y, z]: Vec3| {
        [1.1 * x + 0.2 * y * y, 0.9 * y + 0.15 * x * z, z - 0.2 * x * x + 0.1 * y]
    };
    rest.iter().map(|&p| bend(p).map(|c| c + shake * r())).collect()
}

/// Energy, gradient and matrix of a model in a state.
pub struct Everything {
    pub energy: f64,
    pub gradient: Vec<Vec3>,
    pub matrix: BlockMatrix,
}

impl Everything {
    pub fn bits(&self) -> Vec<u64> {
        let all = self.gradient.iter().flatten().chain(self.matrix.values.iter().flatten());
        std::iter::once(&self.energy).chain(all).map(|v| v.to_bits()).collect()
    }
}

pub fn pattern_of(model: &dyn ForceModel, n: usize) -> Arc<Pattern> {
    Arc::new(Pattern::symmetric(n, |couple| model.couplings(couple)).unwrap())
}

pub fn everything(
    model: &mut dyn ForceModel,
    x: &[Vec3],
    pattern: &Arc<Pattern>,
    weight: f64,
) -> Result<Everything, ForceError> {
    model.bind(&Slots::new(pattern, 0, "model"))?;
    let mut all = Everything {
        energy: 0.0,
        gradient: vec![[0.0; 3]; x.len()],
        matrix: BlockMatrix::zero(pattern.clone()),
    };
    let v = vec![[0.0; 3]; x.len()];
    let mut ask = Ask {
        energy: Some(&mut all.energy),
        gradient: Some(&mut all.gradient),
        tangent: Some(&mut all.matrix.values),
        position_weight: weight,
        ..Ask::default()
    };
    model.evaluate(&Configuration::new(x, &v, 0.0), &mut ask, &mut Workspace::new())?;
    Ok(all)
}

pub fn norm(list: &[Vec3]) -> f64 {
    list.iter().flatten().map(|v| v * v).sum::<f64>().sqrt()
}

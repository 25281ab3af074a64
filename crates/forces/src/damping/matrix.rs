//! [`Blocks`]: the 3×3 blocks of one model's own matrix, and their places in the system's.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled};

use crate::model::{Ask, ForceError, ForceModel, State};

/// A sparse matrix by blocks. Of a symmetric one only blocks with row ≤ column are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    /// Row and column of each block, sorted, each once.
    pub(super) pairs: Vec<(u32, u32)>,
    pub(super) values: Vec<[f64; 9]>,
    pub(super) symmetric: bool,
    /// Where block (i, j) is kept in the system's matrix and where (j, i) is, as read from the
    /// row's side: [`PASS_OVER`] where the other one is kept.
    places: Vec<[u32; 2]>,
    one_triangle: bool,
}

const PASS_OVER: u32 = u32::MAX;

impl Blocks {
    /// The pattern of a model (and the whole diagonal below `diagonal`), all values zero.
    pub(super) fn pattern(model: &dyn ForceModel, diagonal: usize) -> Self {
        let mut pairs: Vec<(u32, u32)> = (0..diagonal as u32).map(|v| (v, v)).collect();
        let symmetric = model.is_symmetric();
        model.couplings(&mut |i, j| {
            pairs.push(if symmetric { (i.min(j), i.max(j)) } else { (i, j) });
        });
        Self::new(pairs, symmetric)
    }

    pub(super) fn new(mut pairs: Vec<(u32, u32)>, symmetric: bool) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let values = vec![[0.0; 9]; pairs.len()];
        Self { pairs, values, symmetric, places: Vec::new(), one_triangle: false }
    }

    /// Makes a model write into these values.
    pub(super) fn bind_model(&self, model: &mut dyn ForceModel) {
        model.bind(&|i, j| {
            let swapped = self.symmetric && i > j;
            let pair = if swapped { (j, i) } else { (i, j) };
            // A block that the model did not declare has no place: the index is then out of range,
            // and the first write to it fails.
            (self.index(pair).map_or(u32::MAX, |at| at as u32), swapped)
        });
    }

    pub(super) fn index(&self, pair: (u32, u32)) -> Option<usize> {
        self.pairs.binary_search(&pair).ok()
    }

    /// Lets a model write its tangent with these weights here, over what was before.
    pub(super) fn tangent_of(
        &mut self,
        model: &mut dyn ForceModel,
        state: &State<'_>,
        (position_weight, velocity_weight): (f64, f64),
        project: bool,
    ) -> Result<(), ForceError> {
        self.values.fill([0.0; 9]);
        let mut ask = Ask {
            tangent: Some(&mut self.values),
            position_weight,
            velocity_weight,
            project,
            ..Ask::default()
        };
        model.add(state, &mut ask)
    }

    /// Adds s m to the diagonal blocks.
    pub(super) fn add_diagonal(&mut self, masses: &[f64], s: f64) {
        for (v, &mass) in masses.iter().enumerate() {
            if let Some(at) = self.index((v as u32, v as u32)) {
                for e in [0, 4, 8] {
                    self.values[at][e] += s * mass;
                }
            }
        }
    }

    /// Adds s A v.
    pub(super) fn multiply(&self, v: &[Vec3], s: f64, to: &mut [Vec3]) {
        for (&(i, j), block) in self.pairs.iter().zip(&self.values) {
            let (i, j) = (i as usize, j as usize);
            let block = Mat3::from_array(*block);
            to[i] = add_scaled(to[i], block.mul_vec(v[j]), s);
            if self.symmetric && i != j {
                to[j] = add_scaled(to[j], block.transpose_mul_vec(v[i]), s);
            }
        }
    }

    /// The pairs, as [`ForceModel::couplings`] wants them.
    pub(super) fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.pairs.iter().for_each(|&(i, j)| couple(i, j));
    }

    /// Looks up the system's places.
    pub(super) fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.one_triangle = false;
        self.places.clear();
        for &(i, j) in &self.pairs {
            let mut keep = |i, j| {
                let (at, transposed) = slot(i, j);
                self.one_triangle |= transposed;
                if transposed { PASS_OVER } else { at }
            };
            let mirrored = self.symmetric && i != j;
            let here = keep(i, j);
            self.places.push([here, if mirrored { keep(j, i) } else { PASS_OVER }]);
        }
    }

    /// As [`Places::check`](crate::places::Places::check).
    pub(super) fn check(&self, model: &str) -> Result<(), ForceError> {
        if self.places.len() != self.pairs.len() {
            return Err(ForceError::Unsupported(format!(
                "{model} was asked for its tangent before it was bound to a pattern"
            )));
        }
        if self.one_triangle && !self.symmetric {
            return Err(ForceError::Unsupported(format!(
                "the tangent of {model} is not symmetric: it needs a matrix that stores both triangles"
            )));
        }
        Ok(())
    }

    /// Adds s A to the system's matrix.
    pub(super) fn scatter(&self, s: f64, tangent: &mut [[f64; 9]]) {
        for (&[here, mirror], block) in self.places.iter().zip(&self.values) {
            if here != PASS_OVER {
                for (entry, value) in tangent[here as usize].iter_mut().zip(block) {
                    *entry += s * value;
                }
            }
            if mirror != PASS_OVER {
                let entries = &mut tangent[mirror as usize];
                for r in 0..3 {
                    for c in 0..3 {
                        entries[3 * r + c] += s * block[3 * c + r];
                    }
                }
            }
        }
    }

    /// Bound on the largest eigenvalue of M⁻¹A: the largest row of Frobenius norms over masses.
    pub(super) fn largest_row(&self, mass: &[f64]) -> f64 {
        let mut rows = vec![0.0; mass.len()];
        for (&(i, j), block) in self.pairs.iter().zip(&self.values) {
            let size = block.iter().map(|b| b * b).sum::<f64>().sqrt();
            rows[i as usize] += size;
            if self.symmetric && i != j {
                rows[j as usize] += size;
            }
        }
        let ratio = |(row, mass): (&f64, &f64)| if *row > 0.0 { row / mass } else { 0.0 };
        rows.iter().zip(mass).map(ratio).fold(0.0, f64::max)
    }
}

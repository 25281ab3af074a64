//! [`OwnMatrix`]: the matrix of one model, and the places of its blocks in the system's.

use std::sync::Arc;

use pliant_algebra::sparse::{Block, BlockMatrix, Pattern, PatternError, Product};
use pliant_algebra::vec3::{Vec3, add_scaled};

use crate::model::{Ask, ForceError, ForceModel, State};

/// A sparse matrix that is kept beside the system's, to be multiplied with or added to it.
#[derive(Debug, Clone)]
pub(super) struct OwnMatrix {
    pub(super) matrix: BlockMatrix,
    product: Product,
    /// A v of the last product.
    result: Vec<Vec3>,
    /// Where block (i, j) is kept in the system's matrix and where (j, i) is, as read from the
    /// row's side: [`PASS_OVER`] where the other one is kept.
    places: Vec<[u32; 2]>,
    one_triangle: bool,
}

const PASS_OVER: u32 = u32::MAX;

fn unsupported(error: &PatternError) -> ForceError {
    ForceError::Unsupported(error.to_string())
}

impl OwnMatrix {
    /// Zero, with the pattern of a model on `vertices` vertices.
    pub(super) fn of_model(model: &dyn ForceModel, vertices: usize) -> Result<Self, ForceError> {
        Self::new(vertices, model.is_symmetric(), |couple| model.couplings(couple))
    }

    /// Zero, with the pattern that `couplings` names (twice).
    pub(super) fn new(
        vertices: usize,
        symmetric: bool,
        couplings: impl FnMut(&mut dyn FnMut(u32, u32)),
    ) -> Result<Self, ForceError> {
        let pattern = if symmetric {
            Pattern::symmetric(vertices, couplings)
        } else {
            Pattern::unsymmetric(vertices, couplings)
        };
        let pattern = pattern.map_err(|e| unsupported(&e))?;
        Ok(Self {
            product: Product::new(&pattern),
            matrix: BlockMatrix::zero(Arc::new(pattern)),
            result: vec![[0.0; 3]; vertices],
            places: Vec::new(),
            one_triangle: false,
        })
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.matrix.pattern().is_symmetric()
    }

    /// Makes a model write into matrices of this pattern.
    pub(super) fn bind_model(&self, model: &mut dyn ForceModel) {
        let pattern = self.matrix.pattern();
        // A block that the model did not declare has no place: the index is then out of range, and
        // the first write to it fails.
        model.bind(&|i, j| pattern.slot(i, j).unwrap_or((u32::MAX, false)));
    }

    /// Adds s m to the diagonal blocks.
    pub(super) fn add_diagonal(&mut self, masses: &[f64], s: f64) {
        for (v, &mass) in masses.iter().enumerate() {
            let m = s * mass;
            self.matrix.add(v as u32, v as u32, &[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m]);
        }
    }

    /// Adds s A v.
    pub(super) fn multiply(&mut self, v: &[Vec3], s: f64, to: &mut [Vec3]) {
        self.product.apply(&self.matrix.values, &v[..self.result.len()], &mut self.result);
        for (to, &av) in to.iter_mut().zip(&self.result) {
            *to = add_scaled(*to, av, s);
        }
    }

    /// Row and column of each block, in the order of the values.
    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let pattern = self.matrix.pattern();
        (0..pattern.rows()).flat_map(|i| pattern.row(i).iter().map(move |&j| (i as u32, j)))
    }

    /// The pairs, as [`ForceModel::couplings`] wants them.
    pub(super) fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.pairs().for_each(|(i, j)| couple(i, j));
    }

    /// Looks up the system's places.
    pub(super) fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        let symmetric = self.is_symmetric();
        let mut one_triangle = false;
        let mut keep = |i, j| {
            let (at, transposed) = slot(i, j);
            one_triangle |= transposed;
            if transposed { PASS_OVER } else { at }
        };
        let places = self
            .pairs()
            .map(|(i, j)| [keep(i, j), if symmetric && i != j { keep(j, i) } else { PASS_OVER }])
            .collect();
        self.places = places;
        self.one_triangle = one_triangle;
    }

    /// As [`Places::check`](crate::places::Places::check).
    pub(super) fn check(&self, model: &str) -> Result<(), ForceError> {
        if self.places.len() != self.matrix.values.len() {
            return Err(ForceError::Unsupported(format!(
                "{model} was asked for its tangent before it was bound to a pattern"
            )));
        }
        if self.one_triangle && !self.is_symmetric() {
            return Err(ForceError::Unsupported(format!(
                "the tangent of {model} is not symmetric: it needs a matrix that stores both triangles"
            )));
        }
        Ok(())
    }

    /// Adds s A to the system's matrix.
    pub(super) fn scatter(&self, s: f64, tangent: &mut [Block]) {
        self.scatter_values(&self.matrix.values, s, tangent);
    }

    /// Adds s A for other values of this pattern.
    pub(super) fn scatter_values(&self, values: &[Block], s: f64, tangent: &mut [Block]) {
        for (&[here, mirror], block) in self.places.iter().zip(values) {
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

    /// Bound on the largest eigenvalue of M⁻¹A: the largest row of Frobenius norms over masses. It
    /// allocates one number a row.
    pub(super) fn largest_row(&self, mass: &[f64]) -> f64 {
        let symmetric = self.is_symmetric();
        let mut rows = vec![0.0; self.matrix.rows()];
        for ((i, j), block) in self.pairs().zip(&self.matrix.values) {
            let size = block.iter().map(|b| b * b).sum::<f64>().sqrt();
            rows[i as usize] += size;
            if symmetric && i != j {
                rows[j as usize] += size;
            }
        }
        let ratio = |(row, mass): (&f64, &f64)| if *row > 0.0 { row / mass } else { 0.0 };
        rows.iter().zip(mass).map(ratio).fold(0.0, f64::max)
    }
}

/// Lets a model write its tangent with these weights into values that it is bound to, over what was
/// before.
pub(super) fn write_tangent(
    values: &mut [Block],
    model: &mut dyn ForceModel,
    state: &State<'_>,
    (position_weight, velocity_weight): (f64, f64),
    project: bool,
) -> Result<(), ForceError> {
    values.fill([0.0; 9]);
    let mut ask =
        Ask { tangent: Some(values), position_weight, velocity_weight, project, ..Ask::default() };
    model.add(state, &mut ask)
}

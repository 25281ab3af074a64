//! [`OwnMatrix`]: the matrix of one model, and the slots of its blocks in the system's.

use std::sync::Arc;

use pliant_algebra::sparse::{Block, BlockMatrix, Pattern, PatternError, Product};
use pliant_algebra::vec3::{Vec3, add_scaled};

use crate::assembly::{Assembly, Binding, Target, largest_ratio, not_bound};
use crate::error::ForceError;
use crate::model::ForceModel;
use crate::slots::Slots;
use crate::workspace::Workspace;

/// A sparse matrix that is kept beside the system's, to be multiplied with or added to it.
#[derive(Debug, Clone)]
pub(super) struct OwnMatrix {
    pub(super) matrix: BlockMatrix,
    /// Where each block (i, j) goes in the system's matrix, and where its transpose does if the system stores both
    /// triangles and this matrix one: `None` where the other one is stored.
    binding: Option<Binding<Vec<[Option<Target>; 2]>>>,
}

/// Scratch memory of products with an [`OwnMatrix`].
struct ProductWork {
    pattern: Arc<Pattern>,
    product: Product,
    result: Vec<Vec3>,
}

fn unsupported(error: &PatternError) -> ForceError {
    ForceError::Unsupported(error.to_string())
}

impl OwnMatrix {
    /// Zero, with the pattern of a model on `vertices` vertices.
    pub(super) fn of_model(model: &dyn ForceModel, vertices: usize) -> Result<Self, ForceError> {
        Self::new(vertices, model.character().symmetric, |couple| model.couplings(couple))
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
        Ok(Self { matrix: BlockMatrix::zero(Arc::new(pattern)), binding: None })
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.matrix.pattern().is_symmetric()
    }

    /// Makes a model write into matrices of this pattern.
    pub(super) fn bind_model(&self, model: &mut dyn ForceModel) -> Result<(), ForceError> {
        let name = model.name().to_owned();
        model.bind(&Slots::new(self.matrix.pattern(), 0, &name))
    }

    /// Adds s m to the diagonal blocks.
    pub(super) fn add_diagonal(&mut self, masses: &[f64], s: f64) {
        for (v, &mass) in masses.iter().enumerate() {
            let m = s * mass;
            self.matrix.add(v as u32, v as u32, &[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m]);
        }
    }

    /// Adds s A v.
    pub(super) fn multiply(&self, v: &[Vec3], s: f64, to: &mut [Vec3], work: &mut Workspace) {
        let (pattern, rows) = (self.matrix.pattern(), self.matrix.rows());
        let ProductWork { product, result, .. } = work.get(
            |work: &ProductWork| Arc::ptr_eq(&work.pattern, pattern),
            || ProductWork {
                pattern: pattern.clone(),
                product: Product::new(pattern),
                result: vec![[0.0; 3]; rows],
            },
        );
        product.apply(&self.matrix.values, &v[..rows], result);
        for (to, &av) in to.iter_mut().zip(&*result) {
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

    /// Looks up the system's slots.
    pub(super) fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        let symmetric = self.is_symmetric();
        slots.check_symmetry(symmetric)?;
        let binding = Assembly::whole(slots.vertices(), ()).bind(slots, |_, lookup| {
            let found = self.pairs().map(|(i, j)| {
                let mirror = symmetric && i != j;
                let mirror = if mirror { lookup.stored(j, i)? } else { None };
                Ok([lookup.stored(i, j)?, mirror])
            });
            found.collect()
        })?;
        self.binding = Some(binding);
        Ok(())
    }

    /// Adds s A to the system's matrix.
    pub(super) fn scatter(
        &self,
        model: &str,
        s: f64,
        tangent: &mut [Block],
    ) -> Result<(), ForceError> {
        let bound = self.binding.as_ref().ok_or_else(|| not_bound(model))?.chunk(0);
        let tangent = &mut tangent[bound.own.clone()];
        for (&[here, mirror], block) in bound.targets.iter().zip(&self.matrix.values) {
            if let Some(here) = here {
                for (entry, value) in here.of(tangent, &mut []).iter_mut().zip(block) {
                    *entry += s * value;
                }
            }
            if let Some(mirror) = mirror {
                let entries = mirror.of(tangent, &mut []);
                for r in 0..3 {
                    for c in 0..3 {
                        entries[3 * r + c] += s * block[3 * c + r];
                    }
                }
            }
        }
        Ok(())
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
        largest_ratio(&rows, mass)
    }
}

//! A law that stands in for that of a solid while a tangled body is brought upright.

use std::sync::Arc;

use pliant_algebra::lanes::{F64x8, LANES};
use pliant_algebra::mat3::Mat3;
use pliant_elements::Element;
use pliant_materials::{LawName, Material};

use super::chunk::{Elements, Layout};
use super::{Parts, Solid};
use crate::assembly::{Assembly, Chunk};

/// Poisson's ratio of the law that stands in: bodies that give way in volume find their way out of a tangle.
const POISSON: f64 = 0.3;

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// See [`ForceModel::stand_in`](crate::ForceModel::stand_in). Elements, and where blocks lie, stay the same.
    pub(super) fn set_stand_in(&mut self, on: bool) -> bool {
        let law = self.law();
        let fit = law.takes_inversion()
            && law.has_energy()
            && !E::MEAN_DILATATION
            // What pulls is not what the body is made of.
            && self.activation.is_none();
        match self.own.take() {
            Some(own) if !on => self.parts = own,
            None if on && fit => {
                let easier = Arc::new(self.easier());
                self.own = Some(std::mem::replace(&mut self.parts, easier));
            }
            same => self.own = same,
        }
        self.own.is_some()
    }

    /// The same elements with `stable-neo-hookean` of the same shear modulus.
    fn easier(&self) -> Parts<N> {
        let material = Material::new(LawName::STABLE_NEO_HOOKEAN);
        let chunks = self.parts.assembly.chunks().iter().map(|chunk| {
            let (rows, mut data) = (chunk.rows.clone(), chunk.data.clone());
            self.soften(&mut data);
            Chunk { rows, data }
        });
        Parts {
            name: self.parts.name.clone(),
            law: material.point(),
            assembly: Assembly::new(self.parts.assembly.vertices(), chunks.collect()),
            branches: None,
        }
    }

    /// Puts the constants of `stable-neo-hookean` in place of those of the law, pack by pack and point by point.
    fn soften(&self, elements: &mut Elements<N>) {
        let points = E::POINTS.len();
        let mut parameters = Vec::with_capacity(2 * points * elements.packs());
        for pack in 0..elements.packs() {
            for q in 0..points {
                let of_law = &elements.parameters[elements.layout.at(pack, q)];
                let mut pair = [[0.0; LANES]; 2];
                for l in 0..LANES {
                    let p: Vec<f64> = of_law.iter().map(|p| p.0[l]).collect();
                    let mu = self.shear_modulus(&p);
                    let lambda = 2.0 * mu * POISSON / (1.0 - 2.0 * POISSON);
                    // As in the paper of the law, section 3.4.
                    (pair[0][l], pair[1][l]) = (lambda + 5.0 / 6.0 * mu, 4.0 / 3.0 * mu);
                }
                parameters.extend(pair.map(F64x8));
            }
        }
        elements.layout = Layout { count: 2, pack_stride: 2 * points, point_stride: 2 };
        elements.parameters = parameters;
    }

    /// Returns the shear modulus of small strains, Pa: the mean of ∂Pᵢₖ/∂Fᵢₖ, i ≠ k, at rest.
    fn shear_modulus(&self, p: &[f64]) -> f64 {
        let mut sum = 0.0;
        for k in 0..3 {
            let mut axis = [0.0; 3];
            axis[k] = 1.0;
            let block = self.law().block(p, &Mat3::identity(), false, axis, axis);
            sum += (0..3).filter(|i| *i != k).map(|i| block.0[i][i]).sum::<f64>();
        }
        // Lanes without an element have no constants.
        if sum > 0.0 { sum / 6.0 } else { 1.0 }
    }
}

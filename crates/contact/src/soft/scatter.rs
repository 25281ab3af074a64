//! Energy, gradient and tangent of presses: computed in parallel, added in order.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled};
use pliant_forces::Ask;
use rayon::prelude::*;

use super::presses::{Press, Presses};
use super::{SoftContact, SoftTangent};
use crate::distance::Blocks;
use crate::normal::{Node, add_blocks};

/// Presses below which their blocks are made one after the other.
const FEW: usize = 64;

/// Exact tangents of presses.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    list: Vec<Press>,
    blocks: Vec<Blocks>,
}

impl Press {
    /// ∂²φ/∂x². With `project` without its negative part.
    fn hessian(&self, y: &[Vec3], project: bool) -> Blocks {
        let [_, first, second] = self.potential();
        let x = self.vertices.map(|v| y[v as usize]);
        // By the signed distance g, as p = d̂ − g.
        if project {
            self.closest.projected_tangent(&x, -first, second)
        } else {
            self.closest.tangent(&x, -first, second)
        }
    }
}

impl Parts {
    /// Adds what is asked for. Presses are added one after the other, so that the bits do not depend on threads.
    pub(super) fn add(&mut self, contact: &SoftContact, presses: &Presses, ask: &mut Ask<'_>) {
        let Self { list, blocks } = self;
        let exact = contact.tangent == SoftTangent::Exact && ask.tangent.is_some();
        if exact {
            list.clear();
            list.extend(presses.iter().copied());
            let project = ask.project;
            let made = list.par_iter().with_min_len(FEW);
            made.map(|press| press.hessian(&presses.y, project)).collect_into_vec(blocks);
        }
        let mut exact = blocks.iter().filter(|_| exact);
        for press in presses.iter() {
            let [energy, force, stiffness] = press.potential();
            for sum in [&mut ask.energy, &mut ask.stored].into_iter().flatten() {
                **sum += energy;
            }
            let nodes = press.vertices.map(|v| contact.nodes[v as usize]);
            let (c, n) = (press.closest.weights, press.closest.normal);
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                for (&v, c) in nodes.iter().zip(c) {
                    let g = &mut gradient[v as usize];
                    *g = add_scaled(*g, n, -force * c);
                }
            }
            let (Some(tangent), Some((pattern, first))) =
                (ask.tangent.as_deref_mut(), contact.declared.bound())
            else {
                continue;
            };
            if let Some(blocks) = exact.next() {
                let nodes: [Node; 4] =
                    std::array::from_fn(|of| Node { vertex: first + nodes[of], of, weight: 1.0 });
                add_blocks(pattern, &nodes, blocks, ask.position_weight, tangent);
                continue;
            }
            let total: f64 = c.iter().map(|c| c.abs()).sum();
            let block = Mat3::outer(n, n).scale(ask.position_weight * stiffness * total);
            for (&v, c) in nodes.iter().zip(c).filter(|(_, c)| *c != 0.0) {
                let Some(slot) = pattern.slot(first + v, first + v) else { continue };
                let values = &mut tangent[slot.index() as usize];
                for (value, b) in values.iter_mut().zip(block.scale(c.abs()).to_array()) {
                    *value += b;
                }
            }
        }
    }
}

//! Making the branches of all points of a solid.

use pliant_algebra::lanes::{F64x8, LANES};
use pliant_elements::Element;
use pliant_materials::maxwell::RestModuli;

use super::Parts;
use super::chunk::Layout;
use super::memory::{Branches, ChunkBranches};
use crate::error::ForceError;

impl<const N: usize> Parts<N> {
    /// Gives all points their branches.
    pub(super) fn branch<E: Element<3, N>>(
        &mut self,
        mut branches: Branches,
    ) -> Result<(), ForceError> {
        let points = E::POINTS.len();
        let Self { name, law, assembly, .. } = self;
        let maxwell = &branches.maxwell;
        let weights = |p: &[f64]| -> Result<(RestModuli, RestModuli), ForceError> {
            let rest = maxwell.goes_with(&**law, p).and_then(|()| RestModuli::of(&**law, p));
            let weights = rest.and_then(|r| Ok((r.weights(maxwell.form, maxwell.share)?, r)));
            weights.map_err(|e| ForceError::Unsupported(format!("{name}: {e}")))
        };
        let mut first = 0;
        for chunk in assembly.chunks_mut() {
            let elements = &mut chunk.data;
            let (mut lists, mut full) = (Vec::new(), false);
            let same = elements.layout.pack_stride == 0;
            for pack in 0..if same { elements.packs().min(1) } else { elements.packs() } {
                for q in 0..if elements.layout.point_stride == 0 { 1 } else { points } {
                    let of_law = &elements.parameters[elements.layout.at(pack, q)];
                    let mut lanes = Vec::with_capacity(LANES);
                    for l in 0..LANES {
                        // Lanes that fill up the last pack, or all of one list, are like the first.
                        let lane = if same { 0 } else { l };
                        let p: Vec<f64> = of_law.iter().map(|p| p.0[lane]).collect();
                        let (weights, rest) = weights(&p)?;
                        full |= !rest.is_isotropic();
                        lanes.push(weights);
                    }
                    lists.push(lanes);
                }
            }
            let count = if full { 21 } else { 2 };
            let mut moduli = vec![F64x8::default(); lists.len() * count];
            for (to, lanes) in moduli.chunks_mut(count).zip(&lists) {
                for (l, weights) in lanes.iter().enumerate() {
                    let weights = if full { weights.in_full() } else { weights.clone() };
                    for (to, value) in to.iter_mut().zip(weights.list()) {
                        to.0[l] = *value;
                    }
                }
            }
            let of_law = elements.layout;
            let each = if of_law.point_stride == 0 { 1 } else { points };
            let layout = Layout {
                count,
                pack_stride: if same { 0 } else { each * count },
                point_stride: if of_law.point_stride == 0 { 0 } else { count },
            };
            let packs = elements.packs() * points * branches.layout.packs();
            elements.branches = ChunkBranches { first, moduli, layout };
            first += packs;
        }
        branches.numbers = first * LANES;
        self.branches = Some(branches);
        Ok(())
    }
}

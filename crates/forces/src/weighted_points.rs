//! [`WeightedPoints`]: points Σ c x of any number of vertices, which attachments, grabs and planes act on.
//!
//! Whatever acts on a point d = Σ c x has the gradient c_a ∂Π/∂d at vertex a and the blocks c_a c_b ∂²Π/∂d². One chunk
//! of the assembler owns all rows: there are few such points, and they come and go.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled};

use crate::assembly::{Assembly, Binding, Target, add_block, not_bound};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::Ask;
use crate::parameter::finite_vertex;
use crate::slots::Slots;

/// A list of points Σ c x.
#[derive(Debug, Clone)]
pub(crate) struct WeightedPoints {
    /// Where the nodes of each point start, and its blocks.
    starts: Vec<(usize, usize)>,
    nodes: Vec<u32>,
    coefficients: Vec<f64>,
    /// Where the block of each pair of nodes goes; nowhere if one triangle is stored, and has the transposed one.
    binding: Option<Binding<Vec<Option<Target>>>>,
}

impl Default for WeightedPoints {
    fn default() -> Self {
        Self { starts: vec![(0, 0)], nodes: vec![], coefficients: vec![], binding: None }
    }
}

/// What pulls at a point: ∂Π/∂d = size · direction, N, and the weighted ∂²Π/∂d².
pub(crate) struct Pull {
    pub(crate) direction: Vec3,
    pub(crate) size: f64,
    pub(crate) tangent: Mat3<f64>,
}

impl WeightedPoints {
    /// Adds a point.
    pub(crate) fn push(&mut self, nodes: impl IntoIterator<Item = (u32, f64)>) {
        let (first, blocks) = self.starts[self.starts.len() - 1];
        for (v, c) in nodes {
            self.nodes.push(v);
            self.coefficients.push(c);
        }
        let count = self.nodes.len() - first;
        self.starts.push((self.nodes.len(), blocks + count * count));
        self.binding = None;
    }

    /// Vertices of a point, with their coefficients.
    pub(crate) fn point(&self, index: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[index].0..self.starts[index + 1].0;
        self.nodes[range.clone()].iter().copied().zip(self.coefficients[range].iter().copied())
    }

    /// Vertices of every point.
    fn lists(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.nodes[pair[0].0..pair[1].0])
    }

    /// Names all pairs of vertices of a point.
    pub(crate) fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        for list in self.lists() {
            for &i in list {
                list.iter().filter(|&&j| i <= j).for_each(|&j| couple(i, j));
            }
        }
    }

    /// Looks up the slots of all blocks.
    pub(crate) fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        let assembly = Assembly::whole(slots.vertices(), ());
        let binding = assembly.bind(slots, |_, lookup| {
            let mut targets = Vec::new();
            for list in self.lists() {
                for &i in list {
                    for &j in list {
                        targets.push(lookup.stored(i, j)?);
                    }
                }
            }
            Ok(targets)
        })?;
        self.binding = Some(binding);
        Ok(())
    }

    /// Refuses tangents before binding.
    pub(crate) fn check(&self, model: &str, ask: &Ask<'_>) -> Result<(), ForceError> {
        if ask.tangent.is_some() && self.binding.is_none() && !self.nodes.is_empty() {
            return Err(not_bound(model));
        }
        Ok(())
    }

    /// Returns d₀ + Σ c x and ḋ₀ + Σ c v.
    pub(crate) fn value(
        &self,
        index: usize,
        at: &Configuration<'_>,
        (mut d, mut rate): (Vec3, Vec3),
    ) -> Result<(Vec3, Vec3), ForceError> {
        for (vertex, c) in self.point(index) {
            let (x, v) = finite_vertex(at, vertex)?;
            d = add_scaled(d, x, c);
            rate = add_scaled(rate, v, c);
        }
        Ok((d, rate))
    }

    /// Adds what pulls at a point to gradient and tangent.
    pub(crate) fn add(&self, index: usize, pull: &Pull, ask: &mut Ask<'_>) {
        if let Some(gradient) = ask.gradient.as_deref_mut() {
            for (v, c) in self.point(index) {
                let g = &mut gradient[v as usize];
                *g = add_scaled(*g, pull.direction, pull.size * c);
            }
        }
        let (Some(tangent), Some(binding)) = (ask.tangent.as_deref_mut(), &self.binding) else {
            return;
        };
        let bound = binding.chunk(0);
        let blocks = &mut tangent[bound.own.clone()];
        let mut targets = bound.targets[self.starts[index].1..].iter();
        for (_, a) in self.point(index) {
            for ((_, b), target) in self.point(index).zip(&mut targets) {
                if let Some(target) = target {
                    let block = pull.tangent.scale(a * b).to_array();
                    add_block(target.of(blocks, &mut []), &block);
                }
            }
        }
    }
}

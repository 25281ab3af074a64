//! [`Solid`]: finite elements of one kind with one law.
//!
//! Work is done chunk by chunk ([`Partition`](crate::Partition)), in packs of eight elements. A chunk
//! copies the positions of its vertices to a table of its own, works on that table, and hands over
//! what it has for its inner vertices; what several chunks have for a shared vertex, or a block that
//! couples two of them, is summed in the order of the chunks. The same code runs on one thread and
//! on many, with the same bits.
//!
//! What a solid is made of does not change and is shared by its clones; tables and buffers are in the
//! caller's [`Workspace`](crate::Workspace).

mod admissible;
mod bind;
mod build;
mod choose;
mod chunk;
mod dilatation;
mod held_frames;
mod model;
mod parameters;
mod reduce;
mod scalar;
mod scatter;
mod stages;
mod sweep;

pub(crate) use bind::own_ranges_or_none;
pub use choose::{ElementName, SolidModel, elastic, elastic_weighted, solid, solid_weighted};
pub use parameters::Parameters;
pub(crate) use parameters::check_weights;

use std::sync::Arc;

use bind::Bound;
use chunk::Chunk;
use pliant_algebra::dispatch::Level;
use pliant_elements::Element;
use pliant_materials::PointLaw;
use reduce::Shared;

/// Finite elements E (of N nodes) with one law, on all cells of a mesh or on some of them. A clone is a handle
/// to the same elements: it costs no memory, and serves whoever wants stresses while another steps.
#[derive(Debug, Clone)]
pub struct Solid<E: Element<N>, const N: usize> {
    parts: Arc<Parts<N>>,
    element: E,
    level: Level,
    /// Where its blocks lie, once it is bound.
    bound: Option<Arc<Bound>>,
}

/// What a solid is made of.
#[derive(Debug)]
struct Parts<const N: usize> {
    name: String,
    law: Box<dyn PointLaw>,
    vertices: usize,
    chunks: Vec<Chunk<N>>,
    shared_vertices: Shared,
}

impl<E: Element<N>, const N: usize> Solid<E, N> {
    /// The law.
    pub fn law(&self) -> &dyn PointLaw {
        &*self.parts.law
    }

    /// The kind of element.
    pub fn element(&self) -> E {
        self.element
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.parts.chunks.iter().map(|c| c.cells.len()).sum()
    }

    /// Uses the instructions of another level than the best. The bits do not change.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }
}

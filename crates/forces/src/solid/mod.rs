//! [`Solid`]: finite elements of one kind with one law.
//!
//! Work is done chunk by chunk ([`Partition`](crate::Partition)), in packs of eight elements. A chunk
//! copies the positions of its vertices to a table of its own, works on that table, and hands over
//! what it has for its inner vertices; what several chunks have for a shared vertex, or a block that
//! couples two of them, is summed in the order of the chunks. The same code runs on one thread and
//! on many, with the same bits.

mod bind;
mod build;
mod choose;
mod chunk;
mod dilatation;
mod model;
mod parameters;
mod reduce;
mod scalar;
mod scatter;
mod stages;
mod sweep;

pub use choose::{ElementName, SolidModel, elastic, solid};
pub use parameters::Parameters;

use chunk::Chunk;
use pliant_algebra::dispatch::Level;
use pliant_elements::Element;
use pliant_materials::PointLaw;
use reduce::Shared;

/// Finite elements E (of N nodes) with one law, on all cells of a mesh or on some of them.
#[derive(Debug)]
pub struct Solid<E: Element<N>, const N: usize> {
    name: String,
    law: Box<dyn PointLaw>,
    element: E,
    level: Level,
    vertices: usize,
    chunks: Vec<Chunk<N>>,
    /// Where the inner vertices and the own blocks of each chunk start.
    starts: Vec<(usize, usize)>,
    shared_vertices: Shared,
    shared_blocks: Shared,
    /// Whether both triangles are stored where the model is bound.
    full: bool,
    /// Blocks that the matrix must have at least; none before the model is bound.
    matrix_blocks: usize,
}

impl<E: Element<N>, const N: usize> Solid<E, N> {
    /// The law.
    pub fn law(&self) -> &dyn PointLaw {
        &*self.law
    }

    /// The kind of element.
    pub fn element(&self) -> E {
        self.element
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.chunks.iter().map(|c| c.cells.len()).sum()
    }

    /// Uses the instructions of another level than the best. The bits do not change.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }
}

//! [`Solid`]: finite elements of one kind with one law.
//!
//! A kernel of the assembler ([`assembly`](crate::assembly)) in lanes: work is done chunk by chunk, in packs of
//! eight elements. A chunk copies the positions of its vertices to a table of its own and works on that table.
//! Element e of a chunk is lane e % 8 of pack e / 8; a pack has, for each node, the local numbers of eight vertices
//! (`nodes[pack * N + a][lane]`), and for each pair of nodes eight targets (`targets[pack * pairs + pair][lane]`).
//!
//! What a solid is made of does not change and is shared by its clones; tables and buffers are in the
//! caller's [`Workspace`](crate::Workspace).

mod activation;
mod admissible;
mod bind;
mod branches;
mod build;
mod choose;
mod chunk;
mod dilatation;
mod element_name;
mod follow;
mod held_frames;
mod inspect;
mod memory;
mod model;
mod parameters;
mod scalar;
mod scatter;
mod stages;
mod stand_in;
mod sweep;

pub use choose::{SolidModel, elastic, elastic_weighted, solid, solid_weighted};
pub use element_name::{ElementName, ElementVisitor};
pub use parameters::Parameters;
pub(crate) use parameters::check_weights;

use std::sync::Arc;

use chunk::Elements;
use memory::Branches;
use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::LANES;
use pliant_elements::Element;
use pliant_materials::PointLaw;

use crate::assembly::{Assembly, Binding, Target};
use crate::loads::TimeCurve;

/// Finite elements E (of N nodes) with one law, on all cells of a mesh or on some of them. A clone is a handle
/// to the same elements: it costs no memory, and serves whoever wants stresses while another steps.
#[derive(Debug, Clone)]
pub struct Solid<E: Element<3, N>, const N: usize> {
    parts: Arc<Parts<N>>,
    element: E,
    level: Level,
    /// Where its blocks lie, once it is bound.
    bound: Option<Arc<Targets>>,
    /// What it is made of, while another law stands in.
    own: Option<Arc<Parts<N>>>,
    /// What the first parameter of the law is multiplied by, as time goes on.
    activation: Option<Arc<TimeCurve>>,
}

/// Targets of all blocks: eight for each pack and pair of nodes.
type Targets = Binding<Vec<[Target; LANES]>>;

/// What a solid is made of.
#[derive(Debug)]
struct Parts<const N: usize> {
    name: String,
    law: Box<dyn PointLaw>,
    assembly: Assembly<Elements<N>>,
    /// What it remembers by.
    branches: Option<Branches>,
}

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
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
        self.parts.assembly.chunks().iter().map(|c| c.data.cells.len()).sum()
    }

    /// Uses the instructions of another level than the best. The bits do not change.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }
}

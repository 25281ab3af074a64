//! Orderings: in which order a factorisation takes the vertices decides how much fills in.
//!
//! All work on the graph of vertices, three unknowns each. An order is a list of vertices, new place
//! to old number.

mod amd;
mod graph;
mod metis;
mod modified;
mod natural;
mod rcm;
mod regular;
mod thin;

use std::str::FromStr;

use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::{self, Vec3};
use pliant_errors::names::nearest;

use crate::{Layout, SolverError};

pub use graph::Graph;

/// An ordering by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OrderingName {
    /// As the vertices come.
    Natural,
    /// Reverse Cuthill-McKee.
    ReverseCuthillMcKee,
    /// Approximate minimum degree.
    Amd,
    /// Multilevel nested dissection.
    #[default]
    Metis,
    /// Nested dissection of regular grids; needs positions.
    NestedDissection,
    /// Zhuang and Canny's for any mesh; needs positions and elements.
    ModifiedNestedDissection,
    /// The same with separators one vertex thin; needs positions.
    VertexNestedDissection,
}

impl OrderingName {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Natural,
        Self::ReverseCuthillMcKee,
        Self::Amd,
        Self::Metis,
        Self::NestedDissection,
        Self::ModifiedNestedDissection,
        Self::VertexNestedDissection,
    ];

    /// The name users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Natural => "natural",
            Self::ReverseCuthillMcKee => "rcm",
            Self::Amd => "amd",
            Self::Metis => "metis",
            Self::NestedDissection => "nested-dissection",
            Self::ModifiedNestedDissection => "modified-nested-dissection",
            Self::VertexNestedDissection => "vertex-nested-dissection",
        }
    }
}

impl OrderingName {
    /// One line about it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Natural => "as the vertices come",
            Self::ReverseCuthillMcKee => "reverse Cuthill-McKee: small bandwidth",
            Self::Amd => "approximate minimum degree",
            Self::Metis => "multilevel nested dissection of the graph",
            Self::NestedDissection => "nested dissection of regular grids, by positions",
            Self::ModifiedNestedDissection => {
                "planes through the medians of elements, which are the separators (Zhuang and Canny)"
            }
            Self::VertexNestedDissection => "the same with separators one vertex thin",
        }
    }
}

impl std::fmt::Display for OrderingName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for OrderingName {
    type Err = SolverError;

    fn from_str(name: &str) -> Result<Self, SolverError> {
        Self::ALL.into_iter().find(|o| o.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            let near = nearest(name, Self::ALL.map(Self::name));
            SolverError::Usage(format!(
                "unknown ordering {name:?}; did you mean {near:?}? (there are {names})"
            ))
        })
    }
}

/// The order of the vertices of that pattern, new place to old number.
pub fn order(
    name: OrderingName,
    pattern: &Pattern,
    layout: &Layout<'_>,
) -> Result<Vec<u32>, SolverError> {
    order_graph(name, &Graph::new(pattern), layout)
}

/// The same for those who have the graph already.
pub fn order_graph(
    name: OrderingName,
    graph: &Graph,
    layout: &Layout<'_>,
) -> Result<Vec<u32>, SolverError> {
    let n = graph.vertices();
    Ok(match name {
        OrderingName::Natural => natural::order(n),
        OrderingName::ReverseCuthillMcKee => rcm::order(graph),
        OrderingName::Amd => amd::order(graph)?,
        OrderingName::Metis => metis::order(graph)?,
        OrderingName::NestedDissection => regular::order(positions(name, n, layout)?),
        OrderingName::ModifiedNestedDissection => {
            let positions = positions(name, n, layout)?;
            let (elements, nodes) = elements(name, n, layout)?;
            modified::order(n, positions, elements, nodes)
        }
        OrderingName::VertexNestedDissection => thin::order(graph, positions(name, n, layout)?),
    })
}

fn positions<'a>(
    name: OrderingName,
    vertices: usize,
    layout: &Layout<'a>,
) -> Result<&'a [Vec3], SolverError> {
    let positions = layout.positions.ok_or_else(|| {
        SolverError::Usage(format!(
            "ordering {name} needs the positions of the vertices; give them in the layout, or take metis"
        ))
    })?;
    if positions.len() != vertices {
        return Err(SolverError::Usage(format!(
            "ordering {name}: {} positions for {vertices} vertices",
            positions.len()
        )));
    }
    match positions.iter().position(|&p| !vec3::is_finite(p)) {
        Some(vertex) => Err(SolverError::NotFinite { what: "the position", vertex }),
        None => Ok(positions),
    }
}

fn elements<'a>(
    name: OrderingName,
    vertices: usize,
    layout: &Layout<'a>,
) -> Result<(&'a [u32], usize), SolverError> {
    let (elements, nodes) = layout.elements.ok_or_else(|| {
        SolverError::Usage(format!(
            "ordering {name} needs elements; give them in the layout, or take vertex-nested-dissection"
        ))
    })?;
    if nodes == 0 || elements.len() % nodes != 0 {
        return Err(SolverError::Usage(format!(
            "ordering {name}: {} entries are no elements of {nodes} nodes",
            elements.len()
        )));
    }
    match elements.iter().position(|&v| v as usize >= vertices) {
        Some(at) => Err(SolverError::Usage(format!(
            "ordering {name}: element {} has vertex {}, but there are {vertices}",
            at / nodes,
            elements[at]
        ))),
        None => Ok((elements, nodes)),
    }
}

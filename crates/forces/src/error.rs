//! [`ForceError`]: why forces could not be computed.

use pliant_algebra::vec3::Vec3;
use pliant_errors::{Class, six_digits, six_digits_of};

/// Why forces could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ForceError {
    /// An element is inverted or collapsed, and its law cannot take that.
    #[error(
        "element {element} is inverted or collapsed (J = {jacobian:.3e}), which {law} cannot take: use its invertible form, a smaller step, or a finer mesh"
    )]
    Inverted {
        /// The first such element, in the user's numbering.
        element: usize,
        /// det F there.
        jacobian: f64,
        /// The law.
        law: String,
        /// The first vertex of the body that it belongs to, as the system counts; 0 from a model by itself.
        first_vertex: usize,
    },
    /// A position or velocity is not finite.
    #[error("vertex {vertex} is at {}: the state is no longer finite", six_digits_of(*.position))]
    NotFinite {
        /// The first such vertex.
        vertex: usize,
        /// Where it is.
        position: Vec3,
    },
    /// A surface is in the way of a motion.
    #[error(
        "vertex {vertex} would pass through the surface at vertex {other}, at {}: take a smaller step, or stop what drives it there",
        six_digits_of(*.place)
    )]
    Blocked {
        /// A vertex of what moves.
        vertex: usize,
        /// A vertex of what is in the way.
        other: usize,
        /// Where the vertex is, m.
        place: Vec3,
    },
    /// Surfaces intersect.
    #[error("the edge between vertices {} and {} passes through the triangle of vertices {}, {} and {}, at {}", .edge[0], .edge[1], .triangle[0], .triangle[1], .triangle[2], six_digits_of(*.place))]
    Intersecting {
        /// Vertices of the edge.
        edge: [usize; 2],
        /// Vertices of the triangle.
        triangle: [usize; 3],
        /// Where they meet, m.
        place: Vec3,
    },
    /// A vertex is in an obstacle, or would enter it.
    #[error("vertex {vertex} {} obstacle '{obstacle}' at {}: take a smaller step, or stop what drives it there", if *.inside { "is inside" } else { "cannot go on without entering" }, six_digits_of(*.place))]
    Obstacle {
        /// The vertex.
        vertex: usize,
        /// The name of the obstacle.
        obstacle: String,
        /// Where the vertex is, m.
        place: Vec3,
        /// Whether it is inside already.
        inside: bool,
    },
    /// A model wants the slot of a block that its couplings do not name.
    #[error(
        "{model} asks for the slot of block ({row}, {column}), which its couplings do not name: declare the pair in `couplings`"
    )]
    Undeclared {
        /// The model.
        model: String,
        /// Row of the block, as the model counts vertices.
        row: u32,
        /// Its column.
        column: u32,
    },
    /// A parameter is outside its domain.
    #[error("{what} = {}: {accepted}", six_digits(*.found))]
    Parameter {
        /// Which parameter, and where (region, element).
        what: String,
        /// Its value.
        found: f64,
        /// What is accepted.
        accepted: String,
    },
    /// The model cannot serve the system it is asked to.
    #[error("{0}")]
    Unsupported(String),
}

impl ForceError {
    /// Returns its class. A model that asks for an undeclared block is wrong itself, whatever the scene says: whoever
    /// runs a scene has given no bad input.
    pub fn class(&self) -> Class {
        match self {
            Self::Inverted { .. }
            | Self::NotFinite { .. }
            | Self::Blocked { .. }
            | Self::Intersecting { .. }
            | Self::Obstacle { .. }
            | Self::Undeclared { .. } => Class::Computation,
            Self::Parameter { .. } | Self::Unsupported(_) => Class::Input,
        }
    }
}

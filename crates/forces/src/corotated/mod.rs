//! Linear tetrahedra in frames that the element as a whole chooses (Kharevych 2.2.3). Frames that
//! follow from F alone are laws of the materials crate, for any element.
//!
//! - [`CorotatedLeast`]: the frame of least nodal displacements;
//! - [`CorotatedFixed`]: elements with two, three or four fixed nodes.

mod element;
mod fixed;
mod least;

pub use fixed::{CorotatedFixed, fixed_node_counts};
pub use least::CorotatedLeast;

/// Which frame an element takes where it is free to turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrameRule {
    /// Σ|û_a|² over the nodes is least, û_a = Rᵀ(x_a − b) − (X_a − b₀) with the barycentres b and b₀
    /// (Kharevych after Felippa). As Σ|û|² = const − 2 R : A, R is the rotation nearest to
    /// A = Σ (x_a − b)(X_a − b₀)ᵀ = Σ x_a (X_a − b₀)ᵀ.
    #[default]
    LeastDisplacement,
    /// The polar rotation, nearest to F = Σ x_a n_aᵀ.
    Polar,
}

/// What the turning of frames adds to the tangent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrameTangent {
    /// The derivative of the rotation too. Not symmetric, and neither is the model.
    #[default]
    Exact,
    /// R K Rᵀ with frames held (Müller and Gross): symmetric and positive semi-definite. Newton's
    /// method then converges linearly, with a rate of the order of the strain.
    Frozen,
}

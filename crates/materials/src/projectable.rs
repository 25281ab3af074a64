//! [`Projectable`]: a tangent in the cheap form of its law, or projected in the frame of stretches.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::law::Tangent;
use crate::spectral::SpectralTangent;

/// The tangent of an isotropic law. Which of the two it is follows from `project` alone, so that the
/// branch is the same for all elements of an assembly.
#[derive(Clone, Copy, Debug)]
pub enum Projectable<T, R> {
    /// As the law has it.
    Plain(T),
    /// Positive semi-definite.
    Projected(SpectralTangent<R>),
}

/// What one gradient gives.
#[derive(Clone, Copy, Debug)]
pub enum ProjectableNode<N, R> {
    /// For a plain tangent.
    Plain(N),
    /// For a projected one.
    Projected([R; 3]),
}

impl<R: Real, T: Tangent<R>> Tangent<R> for Projectable<T, R> {
    type Node = ProjectableNode<T::Node, R>;

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> Self::Node {
        match self {
            Self::Plain(tangent) => ProjectableNode::Plain(tangent.node(gradient)),
            Self::Projected(tangent) => ProjectableNode::Projected(tangent.node(gradient)),
        }
    }

    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        match (self, a, b) {
            (Self::Plain(tangent), ProjectableNode::Plain(a), ProjectableNode::Plain(b)) => {
                tangent.block(a, b)
            }
            (
                Self::Projected(tangent),
                ProjectableNode::Projected(a),
                ProjectableNode::Projected(b),
            ) => tangent.block(a, b),
            // Nodes of another tangent.
            _ => Mat3::splat(&Mat3([[f64::NAN; 3]; 3])),
        }
    }
}

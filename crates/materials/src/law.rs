//! The seam between constitutive laws and elements.

use std::fmt::Debug;

use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::eight::{self, EightPoints};

/// A constitutive law, as element kernels see it: statically dispatched, lane-generic, without state.
///
/// `p` holds the law's parameters at the point, in the order of [`Law::PARAMETERS`], in SI units and
/// as the kernels need them (Lamé constants, not Young and Poisson).
pub trait Law: Copy + Debug + Send + Sync + 'static {
    /// Names of the parameters in `p`.
    const PARAMETERS: &'static [&'static str];
    /// Whether the law is a function of an energy. Without one, [`Law::energy`] is not called, and
    /// the tangent need not be symmetric.
    const HAS_ENERGY: bool = true;
    /// Whether F with det F ≤ 0 is outside the law's domain. Elements then report the point.
    const NEEDS_POSITIVE_J: bool = false;
    /// Whether the law is meant for det F ≤ 0 too, or knows no such thing as inversion. Where it is not,
    /// equilibrium of an inverted element, which formulas may well have, is not an answer.
    const TAKES_INVERSION: bool = false;
    /// Whether the law is linear in a frame that turns with F, of which [`Law::frame`] knows the rotation. λ and
    /// μ are then its first two parameters.
    const HAS_FRAMES: bool = false;
    /// Whether P is linear in F − I, and depends on its symmetric part alone. Elements that average the change of volume
    /// then do so by the trace of the strain, and stay linear.
    const IS_LINEAR: bool = false;
    /// ∂P/∂F at a point, prepared for contraction with shape gradients.
    type Tangent<R: Real>: Tangent<R>;

    /// Energy density W(F), J/m³, zero at rest.
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R;
    /// First Piola-Kirchhoff stress P = ∂W/∂F, Pa.
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R>;
    /// P and its derivative. With `project` the derivative is replaced by the nearest positive
    /// semi-definite one (in the Frobenius norm of its eigensystem).
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        project: bool,
    ) -> (Mat3<R>, Self::Tangent<R>);

    /// The rotation of the frame that a corotated law takes at F; none of laws without [`Law::HAS_FRAMES`].
    fn frame<R: Real>(&self, _p: &[R], _f: &Mat3<R>) -> Option<Mat3<R>> {
        None
    }

    /// All of the above at eight points, through memory. Isotropic laws have a way that compiles faster:
    /// [`eight::isotropic`](crate::eight::isotropic).
    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>) {
        eight::direct(self, level, points);
    }
}

/// The fourth-order tensor A = ∂P/∂F, contracted with two shape gradients a and b into the 3×3 block
/// `block[i][k] = Σ_jl ∂P_ij/∂F_kl a_j b_l`. What depends on one gradient alone is computed once for
/// each node.
pub trait Tangent<R: Real>: Copy {
    /// What one gradient gives.
    type Node: Copy;
    /// Prepares a shape gradient.
    fn node(&self, gradient: [R; 3]) -> Self::Node;
    /// The block that couples two nodes.
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R>;
}

//! Isotropic laws: what they offer beyond [`Law`], so that any of them can be made
//! [invertible](crate::invertible) and projected.

use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::F64x8;
use pliant_algebra::real::Real;

use crate::eight::{self, EightPoints, Response};
use crate::law::Law;
use crate::spectral::Spectrum;

/// A law whose energy depends on the principal stretches alone, and on them symmetrically.
///
/// Users do not implement this: an energy in invariants
/// ([`InvariantLaw`](crate::invariants::InvariantLaw)) or in stretches
/// ([`StretchLaw`](crate::stretches::StretchLaw)) brings it along.
pub trait Isotropic: Law {
    /// Stretches below this are continued by [`Invertible`](crate::invertible::Invertible), unless
    /// the user says otherwise.
    const INVERSION_THRESHOLD: f64;
    /// ψ(σ)
    fn stretch_energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R;
    /// k of a part k/2 ln² J of ψ, which [`Invertible`](crate::invertible::Invertible) continues in a way
    /// of its own; zero if there is none.
    #[inline(always)]
    fn log_modulus<R: Real>(&self, _p: &[R]) -> R {
        R::zero()
    }
    /// ∂ψ/∂σᵢ
    fn stretch_gradient<R: Real>(&self, p: &[R], sigma: [R; 3]) -> [R; 3];
    /// First and second derivatives with the modes of pairs.
    fn spectrum<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Spectrum<R>;
    /// What `points` want of the above at eight points, through memory: the energy into `points`, derivatives into `response`.
    fn respond(
        &self,
        level: Level,
        sigma: &[F64x8; 3],
        points: &mut EightPoints<'_>,
        response: &mut Response,
    ) {
        eight::respond(self, level, sigma, points, response);
    }
}

/// The most parameters an isotropic law can have.
pub const MAX_PARAMETERS: usize = 8;

/// The parameters as constants of `$type`, a number with derivatives; zero beyond the given ones. A macro,
/// as closures may stay calls outside the SIMD level.
macro_rules! lift {
    ($type:ident, $p:expr) => {{
        let p = $p;
        let mut lifted = [$type::constant(Real::zero()); $crate::isotropic::MAX_PARAMETERS];
        for k in 0..p.len().min($crate::isotropic::MAX_PARAMETERS) {
            lifted[k] = $type::constant(p[k]);
        }
        lifted
    }};
}
pub(crate) use lift;

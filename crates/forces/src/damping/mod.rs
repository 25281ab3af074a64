//! Damping: forces that depend on velocity.
//!
//! - [`LinearDamping`]: a constant matrix D; with [`LinearDamping::rayleigh`] αM + βK of the rest
//!   state;
//! - [`CurrentRayleigh`]: αM + βK(x) around a force model, with the stiffness of the moment;
//! - [`Viscous`]: the correspondence principle, Lamé's constants on the strain rate.

mod linear;
mod matrix;
mod rayleigh;
mod viscous;

pub use linear::LinearDamping;
pub use rayleigh::{CurrentRayleigh, RayleighTangent};
pub use viscous::Viscous;

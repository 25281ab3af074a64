//! Damping: forces that depend on velocity. Damping by the current stiffness, βK(x) v, is for the system to apply,
//! which has K(x) anyway.
//!
//! - [`LinearDamping`]: a constant matrix D; with [`LinearDamping::rayleigh`] αM + βK of the rest
//!   state;
//! - [`Viscous`]: the correspondence principle, Lamé's constants on the strain rate.

mod linear;
mod matrix;
mod viscous;

pub use linear::LinearDamping;
pub use viscous::{Viscous, viscous};

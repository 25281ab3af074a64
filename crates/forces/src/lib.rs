//! Force models: elements with their materials, springs, loads, damping; and the one assembler.
//!
//! Sign: every model adds g = +∂Π/∂x (N); the residual of motion is M a + Σg; users are shown −g.

pub mod damping;
pub mod loads;
pub mod model;
pub mod obstacles;
mod parameter;
mod places;
pub mod springs;

pub use model::{Ask, ForceError, ForceModel, State};

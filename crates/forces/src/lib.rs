//! Force models: elements with their materials, springs, loads, damping; and the one assembler.
//!
//! Sign: every model adds g = +∂Π/∂x (N); the residual of motion is M a + Σg; users are shown −g.

pub mod check;
pub mod corotated;
pub mod damping;
pub mod loads;
pub mod mass;
pub mod model;
pub mod obstacles;
mod parameter;
pub mod partition;
mod places;
pub mod polynomial;
mod slices;
pub mod solid;
pub mod springs;
mod stencils;
pub mod stress;
mod worst;

pub use check::{DifferenceReport, StepErrors, finite_difference_check};
pub use model::{Ask, ForceError, ForceModel, State};
pub use partition::Partition;
pub use polynomial::PolynomialStVenantKirchhoff;
pub use solid::{ElementName, Parameters, Solid, SolidModel};
pub use stress::Stress;
pub use worst::Worst;

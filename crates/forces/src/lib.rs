//! Force models: elements with their materials, springs, loads, damping; and the one assembler.
//!
//! Sign: every model adds g = +∂Π/∂x (N); the residual of motion is M a + Σg; users are shown −g.

pub mod assembly;
mod cells;
mod character;
pub mod check;
mod configuration;
pub mod corotated;
pub mod coulomb;
pub mod damping;
mod element_matrices;
mod error;
mod inspection;
pub mod loads;
pub mod mass;
pub mod membrane;
mod memory;
pub mod model;
pub mod obstacles;
mod parameter;
pub mod polynomial;
mod slots;
pub mod solid;
pub mod springs;
pub mod stencils;
pub mod stress;
mod weighted_points;
mod workspace;
mod worst;

pub use assembly::Partition;
pub use cells::Cells;
pub use character::{
    Character, Couplings, Energy, Inversion, MemoryLayout, Split, TimeDependence, Velocity,
};
pub use check::{DifferenceReport, StepErrors, finite_difference_check};
pub use configuration::{Configuration, StepStart};
pub use element_matrices::ElementMatrices;
pub use error::ForceError;
pub use inspection::Inspection;
pub use membrane::Membrane;
pub use memory::{Keyed, Memory};
pub use model::{Ask, Change, ForceModel, Tried};
pub use polynomial::PolynomialStVenantKirchhoff;
pub use slots::Slots;
pub use solid::{ElementName, ElementVisitor, Parameters, Solid, SolidModel};
pub use stress::Stress;
pub use workspace::Workspace;
pub use worst::Worst;

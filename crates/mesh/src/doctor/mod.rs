//! The mesh doctor: finds, names and repairs what is wrong with a mesh.
//!
//! [`check`] and [`check_surface`] give a [`Diagnosis`]; [`fix`] and [`fix_surface`] repair what is
//! safe to repair and say what is left. No mesh with any numbers in it makes them fail.

mod duplicates;
mod fix;
mod fix_surface;
mod orientation;
mod problem;
mod surface;
mod volume;
mod weld;

pub use fix::{Action, Fixed, fix};
pub use fix_surface::{FixedSurface, fix_surface};
pub use problem::{Diagnosis, Item, Problem, ProblemKind, Severity};
pub use surface::check_surface;
pub use volume::check;

/// What counts as a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Vertices closer than this times the diagonal of the bounding box are one vertex twice.
    pub close: f64,
    /// Cells whose volume is at most this times the cube of their longest edge, and triangles whose
    /// doubled area is at most this times its square, are degenerate.
    pub degenerate: f64,
    /// Cells with a dihedral angle below this, or above 180 less this, are slivers; degrees.
    pub sliver_angle: f64,
    /// Cells with a radius ratio below this are slivers.
    pub sliver_ratio: f64,
    /// A body this long or longer gets a hint about its unit, m.
    pub largest: f64,
    /// A body this short or shorter gets a hint about its unit, m.
    pub smallest: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            close: 1e-9,
            degenerate: 1e-12,
            sliver_angle: 5.0,
            sliver_ratio: 0.01,
            largest: 1e3,
            smallest: 1e-6,
        }
    }
}

//! [`ForceModel`]: the seam between what exerts forces and what solves for motion.

use pliant_algebra::vec3::Vec3;

use crate::worst::Worst;

/// Where the vertices are and how they move. One entry a vertex, in the system's numbering.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    /// Current positions, m.
    pub x: &'a [Vec3],
    /// Velocities, m/s.
    pub v: &'a [Vec3],
    /// Time, s, for loads that depend on it.
    pub time: f64,
}

/// What a model is asked for, in one pass. Everything is added to, never overwritten.
#[derive(Debug, Default)]
pub struct Ask<'a> {
    /// Potential energy, J.
    pub energy: Option<&'a mut f64>,
    /// g = ∂Π/∂x plus velocity-dependent parts, N.
    pub gradient: Option<&'a mut [Vec3]>,
    /// Values of the system matrix, to which position_weight ∂g/∂x + velocity_weight ∂g/∂v is added:
    /// 3×3 blocks, row-major inside a block, in the order of the pattern the model was bound to.
    pub tangent: Option<&'a mut [[f64; 9]]>,
    /// Weight of ∂g/∂x.
    pub position_weight: f64,
    /// Weight of ∂g/∂v.
    pub velocity_weight: f64,
    /// Project each stencil's stiffness to positive semi-definite.
    pub project: bool,
}

/// Why forces could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ForceError {
    /// An element is inverted or collapsed, and its law cannot take that.
    #[error(
        "element {element} is inverted or collapsed (J = {jacobian:.3e}), which {law} cannot take: use its invertible form, a smaller step, or a finer mesh"
    )]
    Inverted {
        /// The first such element, in the user's numbering.
        element: usize,
        /// det F there.
        jacobian: f64,
        /// The law.
        law: String,
    },
    /// A position or velocity is not finite.
    #[error("vertex {vertex} is at {position:?}: the state is no longer finite")]
    NotFinite {
        /// The first such vertex.
        vertex: usize,
        /// Where it is.
        position: Vec3,
    },
    /// A parameter is outside its domain.
    #[error("{what} = {found}: {accepted}")]
    Parameter {
        /// Which parameter, and where (region, element).
        what: String,
        /// Its value.
        found: f64,
        /// What is accepted.
        accepted: String,
    },
    /// The model cannot serve the system it is asked to.
    #[error("{0}")]
    Unsupported(String),
}

/// Something that exerts forces on vertices. Required methods have no default bodies.
pub trait ForceModel: Send + Sync {
    /// A name for messages and reports.
    fn name(&self) -> &str;
    /// Whether ∂g/∂x and ∂g/∂v are symmetric for every state.
    fn is_symmetric(&self) -> bool;
    /// Whether g is the gradient of an energy that [`Ask::energy`] receives.
    fn has_energy(&self) -> bool;
    /// Calls `couple(i, j)` for each pair of vertices (i ≤ j for symmetric models) whose block may be
    /// non-zero.
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32));
    /// Tells the model where its blocks lie: `slot(i, j)` is the place of block (i, j) in
    /// [`Ask::tangent`] and, for symmetric storage, whether the place holds the transposed block.
    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool));
    /// Adds what is asked for. No allocation after the first call with the same request.
    ///
    /// Where it fails, the outputs hold what was there before plus an undefined part of what was
    /// asked for: throw them away, or keep a copy to go back to.
    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError>;
    /// The largest time step that an explicit method may take with it alone, s; infinite if it does
    /// not matter. Asked for now and then, not in every step: it may allocate.
    fn largest_step(&self, state: &State<'_>, mass: &[f64]) -> f64;
    /// For reports of what went wrong: the first element that is inverted or not finite at these
    /// positions; if there is none, the one with the smallest J; of models without elements, none. It may
    /// allocate.
    fn worst(&self, _x: &[Vec3]) -> Option<Worst> {
        None
    }
    /// Whether it is meant for elements that are turned inside out, or refuses them by itself. Where it is
    /// not, such a state is no answer, though forces may balance in it.
    fn takes_inversion(&self) -> bool {
        true
    }
    /// Whether [`Ask::energy`] receives an energy. Damped models store one too, though g is more than
    /// its gradient.
    fn stores_energy(&self) -> bool {
        self.has_energy()
    }
    /// Whether g of a body at rest is the gradient of the energy that it stores: what damps does not count
    /// then.
    fn has_energy_at_rest(&self) -> bool {
        self.stores_energy()
    }
    /// Whether g = D v with a constant and symmetric D. Then ½ v·g is a potential of the velocities, whose gradient by
    /// them is g, and an implicit step has something to lower though the model has no energy.
    fn is_linear_damping(&self) -> bool {
        false
    }
    /// Adds ∂g/∂t at fixed positions and velocities, N/s, which Rosenbrock methods need. False, with
    /// nothing added, where the model does not know it: the caller then takes a difference.
    fn add_time_derivative(
        &self,
        _state: &State<'_>,
        _rates: &mut [Vec3],
    ) -> Result<bool, ForceError> {
        Ok(false)
    }
}

//! [`ForceModel`]: the seam between what exerts forces and what solves for motion.

use std::any::Any;

use pliant_algebra::vec3::Vec3;

use crate::character::{Character, Couplings};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::inspection::Inspection;
use crate::memory::{Keyed, Memory};
use crate::slots::Slots;
use crate::workspace::Workspace;
use crate::worst::Worst;

/// Outputs of one evaluation, all computed in one pass. Everything is added to, never overwritten.
#[derive(Debug, Default)]
pub struct Ask<'a> {
    /// Potential Π, J, whose gradient by x is g: the stored energy of conservative models, the potential of
    /// the step of incremental ones ([`Energy`](crate::Energy)).
    pub energy: Option<&'a mut f64>,
    /// Stored energy, J, of incremental models. For others it is the same as `energy`.
    pub stored: Option<&'a mut f64>,
    /// The part of the stored energy, J, that relaxes with time: that of what models with memory remember.
    pub remembered: Option<&'a mut f64>,
    /// Potential φ of the velocities, W, whose gradient by v is g, of models whose forces are
    /// [`Velocity::Friction`](crate::Velocity::Friction).
    pub rate_potential: Option<&'a mut f64>,
    /// Energy taken out of the motion since the start of the step, J, by models with memory.
    pub dissipated: Option<&'a mut f64>,
    /// g = ∂Π/∂x plus velocity-dependent parts, N.
    pub gradient: Option<&'a mut [Vec3]>,
    /// ∂Π/∂x₀, N, of models of two configurations: the derivative by the positions at the start of the step.
    pub start_gradient: Option<&'a mut [Vec3]>,
    /// Values of the system matrix, to which position_weight ∂g/∂x + velocity_weight ∂g/∂v is added:
    /// 3×3 blocks, row-major inside a block, in the order of the pattern the model was bound to.
    pub tangent: Option<&'a mut [[f64; 9]]>,
    /// Weight of ∂g/∂x.
    pub position_weight: f64,
    /// Weight of ∂g/∂v.
    pub velocity_weight: f64,
    /// Project each stencil's stiffness to positive semi-definite.
    pub project: bool,
    /// Where a model with memory writes its tried memory; what is committed is in the configuration.
    pub memory: Option<Tried<'a>>,
}

/// Memory that becomes the committed one if the step is accepted.
#[derive(Debug)]
pub struct Tried<'a> {
    /// One number for each that the model declares, all of them overwritten.
    pub numbers: &'a mut [f64],
    /// Empty on entry; filled in ascending order of keys.
    pub keyed: &'a mut Keyed,
}

/// Something that exerts forces on vertices.
///
/// A model is evaluated by `&self`: what an evaluation needs besides is in a [`Workspace`] of the caller, so
/// that several threads may ask one model. [`ForceModel::character`] says once what the model is. Methods with
/// a default body are called only if the character announces them, and the default is an error.
pub trait ForceModel: Any + Send + Sync {
    /// Returns a name for messages and reports.
    fn name(&self) -> &str;
    /// Says what the model is. Constant between two calls of [`ForceModel::begin`].
    fn character(&self) -> Character;
    /// Calls `couple(i, j)` for each pair of vertices (i ≤ j for symmetric models) whose block may be
    /// non-zero.
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32));
    /// Looks up the slots of all blocks that [`ForceModel::couplings`] names.
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError>;
    /// Adds what is asked for. No allocation after the first call with the same workspace and request.
    ///
    /// On error, the outputs hold what was there before plus an undefined part of what was asked for: throw
    /// them away, or keep a copy to go back to.
    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError>;
    /// Returns the largest time step that an explicit method may take with this model alone, s; infinite if
    /// the model does not limit it. Called now and then, not in every step: it may allocate.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64;

    /// Looks at the configuration from which a step starts, or at an iterate within a solve, and says whether
    /// [`ForceModel::couplings`] now names other pairs. Asked once a step and once an iteration of models
    /// whose [`Character::couplings`] are [`Couplings::Changing`].
    fn begin(&mut self, _at: &Configuration<'_>) -> Result<Change, ForceError> {
        Err(self.undefined("how its couplings change"))
    }
    /// Returns the largest α ≤ `limit` for which x + α d is inside the model's domain for all smaller α too.
    /// Asked of models with [`Character::bounds_steps`].
    fn admissible(
        &self,
        _at: &Configuration<'_>,
        _direction: &[Vec3],
        _limit: f64,
        _work: &mut Workspace,
    ) -> Result<f64, ForceError> {
        Err(self.undefined("how far a step may go"))
    }
    /// Returns the error that says what stops x + α d first, of a model whose bound is not that of an element. Asked after
    /// [`ForceModel::admissible`] has returned less than `limit`; it may allocate.
    fn obstruction(
        &self,
        _at: &Configuration<'_>,
        _direction: &[Vec3],
        _limit: f64,
        _work: &mut Workspace,
    ) -> Option<ForceError> {
        None
    }
    /// Fails where a step must not end at these positions, whatever led there. Asked once, before a step is committed, of
    /// models with [`Character::checks_ends`].
    fn check_end(&self, _x: &[Vec3], _work: &mut Workspace) -> Result<(), ForceError> {
        Err(self.undefined("where a step may end"))
    }
    /// Takes over couplings that a checkpoint has beyond the fixed ones, ascending: those that this model named when it was
    /// written. Models whose couplings follow from the present alone need not.
    fn adopt_couplings(&mut self, _pairs: &[(u32, u32)]) {}
    /// Adds ∂g/∂t at fixed positions and velocities, N/s. Asked of models whose time dependence is
    /// [`TimeDependence::Known`](crate::TimeDependence::Known).
    fn add_time_derivative(
        &self,
        _at: &Configuration<'_>,
        _rates: &mut [Vec3],
        _work: &mut Workspace,
    ) -> Result<(), ForceError> {
        Err(self.undefined("its derivative by time"))
    }
    /// Writes the memory of a body that has been at rest in this configuration for ever. Asked of models that
    /// declare memory.
    fn start_memory(
        &self,
        _at: &Configuration<'_>,
        _memory: &mut Memory,
    ) -> Result<(), ForceError> {
        Err(self.undefined("the memory it starts with"))
    }
    /// Returns the first element that is inverted or not finite at these positions; if there is none, the one
    /// with the smallest J. For reports of what went wrong: it may allocate. Asked of models with
    /// [`Character::has_elements`].
    fn worst(&self, _x: &[Vec3]) -> Option<Worst> {
        None
    }
    /// Counts inverted points and finds the smallest J at these positions, those that are not finite included. Asked of
    /// models with [`Character::has_elements`], after a step: no allocation after the first call with the same workspace.
    fn inspect(&self, _x: &[Vec3], _work: &mut Workspace) -> Result<Inspection, ForceError> {
        Err(self.undefined("the J of its elements"))
    }

    /// Lets an easier law of the same shear modulus stand in for that of an elastic model, or takes it away again: for methods that
    /// bring a tangled body upright before they look for its state of rest. Returns true while one stands in; couplings,
    /// slots and character stay what they are. Models that have none stay as they are. It may allocate.
    fn stand_in(&mut self, _on: bool) -> bool {
        false
    }

    /// Makes the error of a method that the character announces and the model does not have.
    #[doc(hidden)]
    fn undefined(&self, what: &str) -> ForceError {
        ForceError::Unsupported(format!("{} announces, but does not define, {what}", self.name()))
    }
}

/// Whether a model's couplings are other ones than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// The pattern and all slots stay as they are.
    Same,
    /// [`ForceModel::couplings`] names other pairs, and the model has to be bound again.
    Couplings,
}

impl dyn ForceModel {
    /// Whether the model's couplings may change from step to step.
    pub fn changes(&self) -> bool {
        self.character().couplings == Couplings::Changing
    }
}

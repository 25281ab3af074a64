//! [`Character`]: what a force model is, in one value.

/// What a force model is. Every field is stated by every model: nothing is assumed.
#[allow(clippy::struct_excessive_bools, reason = "each says one thing, and no two go together")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Character {
    /// Whether ∂g/∂x and ∂g/∂v are symmetric in every configuration.
    pub symmetric: bool,
    /// What energy g has to do with.
    pub energy: Energy,
    /// How g depends on velocities.
    pub velocity: Velocity,
    /// How g depends on time at fixed positions and velocities.
    pub time: TimeDependence,
    /// What inverted elements mean to it.
    pub inversion: Inversion,
    /// Whether the pairs of coupled vertices stay the same.
    pub couplings: Couplings,
    /// Which part it is of a method that treats stiff forces implicitly and soft ones explicitly.
    pub split: Split,
    /// Whether stiffness may set in that ∂g/∂x of the moment does not show, as that of an obstacle before it is
    /// touched. [`ForceModel::stable_step`](crate::ForceModel::stable_step) knows it, and limits explicit methods.
    pub sets_in: bool,
    /// Whether [`ForceModel::admissible`](crate::ForceModel::admissible) bounds steps.
    pub bounds_steps: bool,
    /// The smallest distance at which surfaces begin to repel each other, m, of models of contact. Their bound keeps clear of what
    /// is in the way, so that it may be gone to the full.
    pub activation: Option<f64>,
    /// Whether its tangent is no less than ∂g/∂x in place of it, so that Newton's method comes nearer by a part an iteration: a residual
    /// that hardly falls is then no sign of rounding.
    pub majorised: bool,
    /// Whether [`ForceModel::check_end`](crate::ForceModel::check_end) looks at the end of each step.
    pub checks_ends: bool,
    /// Whether it has elements that [`ForceModel::worst`](crate::ForceModel::worst) can name.
    pub has_elements: bool,
    /// Whether it follows [`Configuration::frames`](crate::Configuration::frames).
    pub holds_frames: bool,
    /// The memory it keeps from step to step.
    pub memory: MemoryLayout,
}

/// What energy the forces of a model have to do with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Energy {
    /// g is the gradient of the energy that the model stores.
    Conservative,
    /// g is the gradient of a potential of the step ([`Ask::energy`](crate::Ask::energy)), which depends on
    /// the start of the step and on memory. The stored energy is another number
    /// ([`Ask::stored`](crate::Ask::stored)), and some may be dissipated.
    Incremental,
    /// It stores an energy, of which g at rest is the gradient; in motion g is more than that.
    Stored,
    /// There is none.
    None,
}

/// How forces depend on velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Velocity {
    /// Not at all.
    None,
    /// g = D v with a constant symmetric D. Then ½ v·g is a potential of the velocities, and an implicit step
    /// has something to lower though the model has no energy.
    LinearDamping,
    /// g = ∂φ/∂v with a convex φ(v) ([`Ask::rate_potential`](crate::Ask::rate_potential)) that is kinked at v = 0
    /// but for some smoothing: dry friction. Explicit methods may take any velocity within the step, as the model
    /// sees to it that they stay stable.
    Friction,
    /// In any other way; nothing of it is left at rest.
    General,
}

/// How forces depend on time at fixed positions and velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeDependence {
    /// Not at all.
    None,
    /// [`ForceModel::add_time_derivative`](crate::ForceModel::add_time_derivative) knows ∂g/∂t.
    Known,
    /// Whoever needs ∂g/∂t takes a difference.
    Unknown,
}

/// What inverted elements mean to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inversion {
    /// It has no elements, or is meant for inverted ones too.
    Allowed,
    /// An evaluation is an error where an element is inverted.
    Refused,
    /// Forces are computed, but were not meant for this: balance in such a state is no answer.
    Unfit,
}

/// Whether the pairs of coupled vertices stay the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Couplings {
    /// For ever.
    Fixed,
    /// They may change between steps and within solves: see [`ForceModel::begin`](crate::ForceModel::begin).
    Changing,
}

/// Which part of a split method treats a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// The implicit one: it limits explicit steps.
    Stiff,
    /// The explicit one: loads, gravity.
    Soft,
}

/// How much a model remembers from step to step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Numbers, the same count in every step.
    pub numbers: usize,
    /// Numbers of each entry of the keyed section, whose length may change between steps; 0 without one.
    pub keyed: usize,
}

impl MemoryLayout {
    /// None at all.
    pub const NONE: Self = Self { numbers: 0, keyed: 0 };

    /// Whether nothing is remembered.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

impl Character {
    /// Elements whose forces follow from a stored energy and from positions alone.
    pub const ELEMENTS: Self = Self {
        symmetric: true,
        energy: Energy::Conservative,
        velocity: Velocity::None,
        time: TimeDependence::None,
        inversion: Inversion::Allowed,
        couplings: Couplings::Fixed,
        split: Split::Stiff,
        sets_in: false,
        bounds_steps: false,
        activation: None,
        majorised: false,
        checks_ends: false,
        has_elements: true,
        holds_frames: false,
        memory: MemoryLayout::NONE,
    };

    /// Anything stiff without elements whose forces follow from a stored energy and from positions alone.
    pub const POTENTIAL: Self = Self { has_elements: false, ..Self::ELEMENTS };

    /// A load that follows a curve of time and the shape of the body: no energy, not symmetric.
    pub const FOLLOWING_LOAD: Self = Self {
        symmetric: false,
        energy: Energy::None,
        time: TimeDependence::Known,
        split: Split::Soft,
        ..Self::POTENTIAL
    };

    /// A load with a potential that follows a curve of time.
    pub const DEAD_LOAD: Self =
        Self { symmetric: true, energy: Energy::Conservative, ..Self::FOLLOWING_LOAD };

    /// Damping: forces of velocities that store no energy.
    pub const DAMPING: Self =
        Self { energy: Energy::None, velocity: Velocity::General, ..Self::POTENTIAL };

    /// Whether g is the gradient of the energy that the model stores.
    pub fn is_conservative(&self) -> bool {
        self.energy == Energy::Conservative && self.velocity == Velocity::None
    }

    /// Whether an energy can be asked for: the one stored, or the potential of the step.
    pub fn has_energy(&self) -> bool {
        self.energy != Energy::None
    }

    /// Whether g is the gradient of what [`Ask::energy`](crate::Ask::energy) receives, or comes from a
    /// potential of the velocities.
    pub fn has_potential(&self) -> bool {
        matches!(
            (self.energy, self.velocity),
            (Energy::Conservative | Energy::Incremental, Velocity::None)
                | (Energy::None, Velocity::LinearDamping | Velocity::Friction)
        )
    }

    /// Whether g of a body at rest is the gradient of its stored energy: what damps does not count then.
    pub fn has_potential_at_rest(&self) -> bool {
        self.has_energy() || self.velocity != Velocity::None
    }
}

//! [`Pressing`]: what presses surfaces together that rub.

use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::Vec3;
use pliant_forces::{Change, Couplings, ForceError, ForceModel, Slots};

use crate::normal::{self, NormalContact, Pressure};
use crate::soft::{self, SoftContact};
use crate::surface::CollisionSurface;

/// A model of normal contact, as friction has it: a copy of its own, which names the couplings of the places that rub.
#[derive(Debug, Clone)]
pub enum Pressing {
    /// A barrier.
    Barrier(Box<NormalContact>),
    /// A potential of the depth.
    Soft(Box<SoftContact>),
}

impl From<&NormalContact> for Pressing {
    fn from(contact: &NormalContact) -> Self {
        Self::Barrier(Box::new(contact.clone()))
    }
}

impl From<&SoftContact> for Pressing {
    fn from(contact: &SoftContact) -> Self {
        Self::Soft(Box::new(contact.clone()))
    }
}

/// What either kind keeps from one look to the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    barrier: normal::Scratch,
    soft: soft::Scratch,
}

impl Pressing {
    /// The surface of all bodies.
    pub fn surface(&self) -> &CollisionSurface {
        match self {
            Self::Barrier(contact) => contact.surface(),
            Self::Soft(contact) => contact.surface(),
        }
    }

    /// The distance below which two bodies press on each other by a potential of the depth, m; none by a barrier.
    pub fn soft_distance(&self, a: u32, b: u32) -> Option<f64> {
        match self {
            Self::Barrier(_) => None,
            Self::Soft(contact) => Some(contact.distance(a, b)),
        }
    }

    /// Lets pairs of bodies pass through each other: see [`NormalContact::ignore`]. Potentials of the depth act on all.
    pub(super) fn ignore(&mut self, pairs: &[[u32; 2]]) {
        if let Self::Barrier(contact) = self {
            contact.ignore(pairs);
        }
    }

    /// Calls `visit` for each pair of primitives that are pressed together at `x`, in ascending order of their keys. `start` are the
    /// positions at the start of the step, if one led to `x`.
    pub(super) fn pressures(
        &self,
        x: &[Vec3],
        start: Option<&[Vec3]>,
        work: &mut Scratch,
        visit: impl FnMut(Pressure),
    ) {
        match self {
            Self::Barrier(contact) => contact.pressures(x, start, &mut work.barrier, visit),
            Self::Soft(contact) => contact.pressures(x, &mut work.soft, visit),
        }
    }

    /// Whether the matrix has a diagonal in the place of blocks that couple bodies.
    pub(super) fn is_majorised(&self) -> bool {
        self.changes() == Couplings::Fixed
    }

    pub(super) fn changes(&self) -> Couplings {
        match self {
            Self::Barrier(_) => Couplings::Changing,
            Self::Soft(contact) => contact.character().couplings,
        }
    }

    pub(super) fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        match self {
            Self::Barrier(contact) => contact.couplings(couple),
            Self::Soft(contact) => contact.couplings(couple),
        }
    }

    pub(super) fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        match self {
            Self::Barrier(contact) => contact.bind(slots),
            Self::Soft(contact) => contact.bind(slots),
        }
    }

    /// Names the couplings of all pairs that are pressed together at `x`, and no others.
    pub(super) fn name_couplings(&mut self, x: &[Vec3]) -> Change {
        match self {
            Self::Barrier(contact) => contact.name_couplings(x),
            Self::Soft(contact) => contact.name_couplings(x),
        }
    }

    /// The pattern that it was bound to, and the number of its first vertex there.
    pub(super) fn bound(&self) -> Option<(&Pattern, u32)> {
        match self {
            Self::Barrier(contact) => contact.bound(),
            Self::Soft(contact) => contact.bound(),
        }
    }

    pub(super) fn adopt_couplings(&mut self, pairs: &[(u32, u32)]) {
        match self {
            Self::Barrier(contact) => contact.adopt_couplings(pairs),
            Self::Soft(contact) => contact.adopt_couplings(pairs),
        }
    }
}

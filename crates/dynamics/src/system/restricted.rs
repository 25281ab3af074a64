//! A system restricted to x = x(q).

use pliant_algebra::vec3::Vec3;
use pliant_solvers::matrix::Shape;

use super::System;
use crate::mapped::{Map, Restricted};
use crate::{DynamicsError, State};

impl System {
    /// Restricts positions to x = x(q), after masses and constraints were given. Static solves by Newton's method and
    /// one-step implicit methods serve such a system; others refuse it. Bring states to x(q) with [`System::settle`].
    pub fn with_map(mut self, mut map: Box<dyn Map>) -> Result<Self, DynamicsError> {
        map.bind(self.bound.pattern())?;
        self.restricted = Some(Restricted::new(map));
        Ok(self)
    }

    /// Returns true if positions are restricted to x = x(q).
    pub fn is_restricted(&self) -> bool {
        self.restricted.is_some()
    }

    /// Brings a state to x(q): positions to the nearest configuration, velocities and accelerations to those that
    /// motions within it have. Without a map nothing changes.
    pub fn settle(&mut self, state: &mut State) {
        if let Some(Restricted { map, .. }) = &mut self.restricted {
            map.settle(&mut state.x, Some(&mut state.v), Some(&mut state.a));
        }
    }

    /// Brings accelerations to those that motions from a state on x(q) have.
    pub(crate) fn settle_accelerations(&mut self, state: &mut State, a: &mut [Vec3]) {
        if let Some(Restricted { map, .. }) = &mut self.restricted {
            map.settle(&mut state.x, Some(&mut state.v), Some(a));
        }
    }

    /// Brings the end of a step to x(q).
    pub(super) fn settle_end(&mut self, x: &mut [Vec3], v: &mut [Vec3], a: Option<&mut [Vec3]>) {
        if let Some(Restricted { map, .. }) = &mut self.restricted {
            map.settle(x, Some(v), a);
        }
    }

    /// Takes the map out for a solve, which has the system on loan.
    pub(crate) fn take_restricted(&mut self) -> Option<Restricted> {
        self.restricted.take()
    }

    /// Puts it back.
    pub(crate) fn put_restricted(&mut self, restricted: Restricted) {
        self.restricted = Some(restricted);
    }

    /// The shape of Jacobians in q, for equations that hold at a share of a step.
    pub(crate) fn restricted_shape(&self, share: f64) -> Result<Option<Shape>, DynamicsError> {
        self.restricted.as_ref().map(|r| r.map.shape(share)).transpose()
    }

    /// Follows with the map where the pattern is another one.
    pub(super) fn bind_map(&mut self) -> Result<(), DynamicsError> {
        match &mut self.restricted {
            Some(restricted) => restricted.map.bind(self.bound.pattern()),
            None => Ok(()),
        }
    }
}

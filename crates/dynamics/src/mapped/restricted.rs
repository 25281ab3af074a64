//! [`Restricted`]: a map and its memory, as a system keeps them, and solves within it.

use pliant_algebra::vec3::Vec3;

use super::{Beginning, Map, Mapped, Work};
use crate::newton::NewtonReport;
use crate::{DynamicsError, NonlinearSolver, Problem};

/// The map of a system with what solves within it need.
pub(crate) struct Restricted {
    pub(crate) map: Box<dyn Map>,
    q: Vec<f64>,
    way: Vec<f64>,
    work: Work,
}

impl Restricted {
    pub(crate) fn new(map: Box<dyn Map>) -> Self {
        Self { map, q: Vec::new(), way: Vec::new(), work: Work::default() }
    }

    /// Solves for the deviations y from `at.base`, which hold the first guess on entry.
    pub(crate) fn solve(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        problem: &mut dyn Problem,
        at: (&[Vec3], &[Vec3], f64),
        y: &mut [Vec3],
    ) -> Result<NewtonReport, DynamicsError> {
        self.within(problem, at, y, |mapped, q, _| solver.solve(mapped, q))
    }

    /// As [`NonlinearSolver::prescribe`], for the ways of vertices that are unknowns themselves.
    pub(crate) fn prescribe(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        problem: &mut dyn Problem,
        at: (&[Vec3], &[Vec3], f64),
        y: &mut [Vec3],
        way: &[Vec3],
    ) -> Result<(), DynamicsError> {
        self.way.resize(self.map.shape(at.2)?.size(), 0.0);
        self.map.restrict(way, &mut self.way);
        self.within(problem, at, y, |mapped, q, way| solver.prescribe(mapped, q, way))
    }

    fn within<T>(
        &mut self,
        problem: &mut dyn Problem,
        (start, base, share): (&[Vec3], &[Vec3], f64),
        y: &mut [Vec3],
        work: impl FnOnce(&mut dyn Problem, &mut [f64], &[f64]) -> Result<T, DynamicsError>,
    ) -> Result<T, DynamicsError> {
        self.q.resize(self.map.shape(share)?.size(), 0.0);
        self.map.begin(&Beginning { start, base, guess: y, share }, &mut self.q);
        let mut mapped = Mapped::new(problem, &mut *self.map, share, &mut self.work)?;
        let outcome = work(&mut mapped, &mut self.q, &self.way);
        self.map.deviations(&self.q, y);
        outcome
    }
}

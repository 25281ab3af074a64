//! Problems in few unknowns: positions as a function x = x(q).
//!
//! [`Mapped`] is a [`Problem`] in q made of one in positions. With B = ∂x/∂q,
//!
//! ```text
//! r_q = Bᵀ r(x(q)),   J_q = Bᵀ J B + Σᵢ rᵢ ∂²xᵢ/∂q²
//! ```
//!
//! and energy, admissible steps and couplings are those of x(q). The second-order term is what makes Newton's method
//! converge quadratically where B is not constant. An implicit step solves for positions at its end, so that a step of
//! any scheme restricted to x(q) needs no inertia terms of its own: only r changes.
//!
//! A [`Map`] says what x(q) is. [`Restriction`] is the one that scenes use: free vertices, parts that move as one rigid
//! body, and bodies that move in a few modes x = x̄ + B q, in any mixture.

mod basis;
mod restricted;
mod restriction;
mod rigid_part;
mod rotation;

pub use restriction::Restriction;

pub(crate) use restricted::Restricted;

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::sums;

use crate::newton::Converged;
use crate::problem::blocks_of;
use crate::{DynamicsError, Evaluation, Iterate, Problem, Stopping};

/// A configuration to begin a solve from.
#[derive(Debug, Clone, Copy)]
pub struct Beginning<'a> {
    /// Positions at the start of the step, m.
    pub start: &'a [Vec3],
    /// The positions that deviations y = x − base are counted from, m.
    pub base: &'a [Vec3],
    /// The first guess of the deviations, m.
    pub guess: &'a [Vec3],
    /// Where between start (0) and end (1) the equations hold: forces are those of (1 − s) start + s x.
    pub share: f64,
}

/// Positions as a function of few numbers, x = x(q).
///
/// Virtual displacements are B = ∂x/∂q at the end of a step. A map that is not linear may take others for equations that
/// hold before the end ([`Beginning::share`]), such as rigid motions about the configuration where they hold: that is what
/// conserves angular momentum, at the price of an unsymmetric matrix.
pub trait Map: Send {
    /// Looks at the pattern of the Jacobian J in positions.
    fn bind(&mut self, pattern: &Arc<Pattern>) -> Result<(), DynamicsError>;
    /// Shape of the Jacobian in q, for equations that hold at a share of the step; its size is the number of unknowns.
    fn shape(&self, share: f64) -> Result<Shape, DynamicsError>;
    /// Returns true if r_q is the gradient of the energy over q.
    fn keeps_energy(&self, share: f64) -> bool;
    /// The norm of the largest column of B: forces on q are larger than those on vertices by about this.
    fn gain(&self) -> f64;
    /// Begins a solve: writes the q whose configuration is nearest to the guess.
    fn begin(&mut self, at: &Beginning<'_>, q: &mut [f64]);
    /// y = x(q) − base
    fn deviations(&mut self, q: &[f64], y: &mut [Vec3]);
    /// dx = B(q) dq
    fn push(&mut self, q: &[f64], dq: &[f64], dx: &mut [Vec3]);
    /// r_q = Bᵀ r
    fn pull(&mut self, q: &[f64], r: &[Vec3], to: &mut [f64]);
    /// Bᵀ J B and, where r is given, the second-order term, overwriting.
    fn tangent(
        &mut self,
        q: &[f64],
        jacobian: &BlockMatrix,
        r: Option<&[Vec3]>,
        to: &mut Matrix,
    ) -> Result<(), ForceError>;
    /// The change of q by which vertices that are unknowns themselves move by `way`.
    fn restrict(&self, way: &[Vec3], to: &mut [f64]);
    /// Brings positions to the nearest configuration x(q), and velocities and accelerations to those that motions within
    /// it can have, keeping linear and angular momentum of what is brought together.
    fn settle(&mut self, x: &mut [Vec3], v: Option<&mut [Vec3]>, a: Option<&mut [Vec3]>);
}

/// Lists that a mapped problem works in.
#[derive(Default)]
pub(crate) struct Work {
    /// Deviations, forces and displacements of vertices.
    y: Vec<Vec3>,
    r: Vec<Vec3>,
    way: Vec<Vec3>,
    /// The q that y and r are of.
    at: Vec<f64>,
    next: Vec<f64>,
    /// J
    jacobian: Option<Matrix>,
}

/// A problem in positions, restricted to x(q).
pub struct Mapped<'a> {
    inner: &'a mut dyn Problem,
    map: &'a mut dyn Map,
    share: f64,
    shape: Shape,
    work: &'a mut Work,
}

/// Cuts of a step along q whose chord in space is not admissible.
const CUTS: usize = 20;

impl<'a> Mapped<'a> {
    pub(crate) fn new(
        inner: &'a mut dyn Problem,
        map: &'a mut dyn Map,
        share: f64,
        work: &'a mut Work,
    ) -> Result<Self, DynamicsError> {
        let shape = map.shape(share)?;
        let n = inner.shape().size() / 3;
        for list in [&mut work.y, &mut work.r, &mut work.way] {
            list.resize(n, [0.0; 3]);
        }
        work.next.resize(shape.size(), 0.0);
        work.at.clear();
        Ok(Self { inner, map, share, shape, work })
    }

    /// Brings y and r to q.
    fn evaluate(&mut self, q: &[f64]) -> Result<Evaluation, ForceError> {
        self.work.at.clear();
        self.map.deviations(q, &mut self.work.y);
        let Work { y, r, .. } = &mut *self.work;
        let found = self.inner.residual(y.as_flattened(), r.as_flattened_mut())?;
        self.work.at.extend_from_slice(q);
        Ok(self.mapped(found))
    }

    /// What is told of x(q), of q.
    fn mapped(&self, found: Evaluation) -> Evaluation {
        let energy = found.energy.filter(|_| self.map.keeps_energy(self.share));
        Evaluation { scale: found.scale * self.map.gain(), energy, ..found }
    }

    /// J, made by `make` of the inner problem, its unknowns and its residual.
    fn with_jacobian<T>(
        &mut self,
        make: impl FnOnce(&mut dyn Problem, &[f64], &mut [f64], &mut Matrix) -> Result<T, ForceError>,
    ) -> Result<(T, Matrix), ForceError> {
        let shape = self.inner.shape();
        let known = self.work.jacobian.take().filter(|j| j.shape().same(&shape));
        let mut jacobian = known.unwrap_or_else(|| Matrix::zero(&shape));
        let Work { y, r, .. } = &mut *self.work;
        let made = make(self.inner, y.as_flattened(), r.as_flattened_mut(), &mut jacobian)?;
        Ok((made, jacobian))
    }
}

impl Problem for Mapped<'_> {
    fn shape(&self) -> Shape {
        self.shape.clone()
    }

    /// None: block rows may stand for rotations.
    fn positions(&self) -> Option<&[Vec3]> {
        None
    }

    fn size(&self) -> f64 {
        self.inner.size()
    }

    fn residual(&mut self, q: &[f64], r: &mut [f64]) -> Result<Evaluation, ForceError> {
        let found = self.evaluate(q)?;
        self.map.pull(q, &self.work.r, r);
        Ok(found)
    }

    /// A projected one has no second-order term, which may be indefinite.
    fn jacobian(
        &mut self,
        q: &[f64],
        project: bool,
        matrix: &mut Matrix,
    ) -> Result<(), ForceError> {
        if self.work.at != q {
            self.evaluate(q)?;
        }
        let ((), mut jacobian) =
            self.with_jacobian(|inner, y, _, jacobian| inner.jacobian(y, project, jacobian))?;
        let r = (!project).then_some(&self.work.r[..]);
        self.map.tangent(q, blocks_of(&mut jacobian)?, r, matrix)?;
        self.work.jacobian = Some(jacobian);
        Ok(())
    }

    fn linearize(
        &mut self,
        q: &[f64],
        r: &mut [f64],
        matrix: &mut Matrix,
    ) -> Result<Evaluation, ForceError> {
        self.work.at.clear();
        self.map.deviations(q, &mut self.work.y);
        let (found, mut jacobian) =
            self.with_jacobian(|inner, y, r, jacobian| inner.linearize(y, r, jacobian))?;
        self.work.at.extend_from_slice(q);
        self.map.pull(q, &self.work.r, r);
        self.map.tangent(q, blocks_of(&mut jacobian)?, Some(&self.work.r), matrix)?;
        self.work.jacobian = Some(jacobian);
        Ok(self.mapped(found))
    }

    fn weights(&self) -> [f64; 3] {
        self.inner.weights()
    }

    fn longest_move(&mut self, q: &[f64], d: &[f64]) -> f64 {
        self.map.push(q, d, &mut self.work.way);
        sums::longest(&self.work.way)
    }

    /// Along the chord in space, from x(q) to x(q + α d): where it is not admissible, α is cut until it is.
    fn admissible(&mut self, q: &[f64], d: &[f64], limit: f64) -> Result<f64, ForceError> {
        let mut alpha = limit;
        for _ in 0..CUTS {
            let Work { y, way, next, at, .. } = &mut *self.work;
            at.clear();
            self.map.deviations(q, y);
            sums::set_sum(next, q, alpha, d);
            self.map.deviations(next, way);
            for (way, y) in way.as_flattened_mut().iter_mut().zip(y.as_flattened()) {
                *way -= y;
            }
            let reach = self.inner.admissible(y.as_flattened(), way.as_flattened(), 1.0)?;
            if reach >= 1.0 {
                return Ok(alpha);
            }
            alpha *= reach.min(0.99);
        }
        Ok(alpha)
    }

    fn follow_couplings(&mut self, q: &[f64]) -> Result<bool, DynamicsError> {
        self.work.at.clear();
        self.map.deviations(q, &mut self.work.y);
        if !self.inner.follow_couplings(self.work.y.as_flattened())? {
            return Ok(false);
        }
        if let Shape::Blocks(pattern) = self.inner.shape() {
            self.map.bind(&pattern)?;
        }
        self.shape = self.map.shape(self.share)?;
        Ok(true)
    }

    fn has_contact(&self) -> bool {
        self.inner.has_contact()
    }

    fn is_majorised(&self) -> bool {
        self.inner.is_majorised()
    }

    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged> {
        self.inner.solved(rules, iterate)
    }
}

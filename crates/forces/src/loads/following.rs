//! [`Following`]: a load on faces that follows them, whatever its law and the element of the faces.

use std::fmt::Debug;
use std::marker::PhantomData;

use pliant_algebra::vec3::{Vec3, is_finite};
use pliant_elements::{Face, Point, points};

use super::curve::TimeCurve;
use super::faces::{FaceVisitor, Faces};
use super::field::{Phase, undefined};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::slots::Slots;
use crate::stencils::{Local, Stencils};
use crate::workspace::Workspace;

/// The force on one face, which depends on where its nodes are.
pub trait FaceForce: Debug + Clone + Send + Sync + 'static {
    /// Name of the load in messages and reports.
    const NAME: &'static str;

    /// Adds energy, g (N) and the weighted ∂g/∂x of the load in its phase, by quadrature over the points of the face.
    fn add<const N: usize>(
        &self,
        points: &[Point<2, N>],
        x: &[Vec3; N],
        request: FaceRequest,
        local: &mut Local<N>,
    );

    /// A position at rest where the load is not finite at a time, and its value there.
    fn not_finite(&self, time: f64) -> Option<(Vec3, f64)>;
}

/// What is wanted of a face.
#[derive(Debug, Clone, Copy)]
pub struct FaceRequest {
    /// When it is evaluated.
    pub phase: Phase,
    /// Weight of ∂g/∂x, if that is.
    pub tangent: Option<f64>,
}

/// A load on faces that follows them, times a curve of time.
#[derive(Debug)]
pub struct Following<F: FaceForce> {
    faces: Box<dyn FaceStencils>,
    curve: TimeCurve,
    character: Character,
    force: PhantomData<F>,
}

/// Faces of one element with their forces.
trait FaceStencils: Debug + Send + Sync {
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32));
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError>;
    fn add(
        &self,
        at: &Configuration<'_>,
        request: FaceRequest,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError>;
    fn not_finite(&self, time: f64) -> Option<(Vec3, f64)>;
}

#[derive(Debug)]
struct OnFaces<F, const N: usize> {
    points: Vec<Point<2, N>>,
    stencils: Stencils<F, N>,
}

impl<F: FaceForce, const N: usize> FaceStencils for OnFaces<F, N> {
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.stencils.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.stencils.bind(slots)
    }

    fn add(
        &self,
        at: &Configuration<'_>,
        request: FaceRequest,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        self.stencils.add(F::NAME, [at.x, at.v], ask, work, &|force, [x, v], local| {
            if x.iter().chain(v).all(|&p| is_finite(p)) {
                force.add(&self.points, x, request, local);
            } else {
                local.refuse();
            }
        })
    }

    fn not_finite(&self, time: f64) -> Option<(Vec3, f64)> {
        let mut found = None;
        self.stencils.each(|_, _, force| found = found.or_else(|| force.not_finite(time)));
        found
    }
}

/// Which rule the points of faces are those of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    /// [`Face::load_rule`], for what is the same over a face.
    Load,
    /// [`Face::field_rule`], for what varies over it.
    Field,
}

impl Points {
    pub(super) fn of<E: Face<N>, const N: usize>(self) -> Vec<Point<2, N>> {
        points::<E, 2, N>(&match self {
            Self::Load => E::load_rule(),
            Self::Field => E::field_rule(),
        })
    }
}

/// Makes stencils of faces.
struct Make<'a, F> {
    vertex_count: usize,
    points: Points,
    symmetric: bool,
    /// Of each face, by its index.
    forces: &'a [F],
}

impl<F: FaceForce> FaceVisitor for Make<'_, F> {
    type Output = Result<Box<dyn FaceStencils>, ForceError>;

    fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) -> Self::Output {
        let faces = list.iter().copied().zip(self.forces.iter().cloned());
        let stencils = Stencils::whole(self.vertex_count, self.symmetric, faces)?;
        Ok(Box::new(OnFaces { points: self.points.of::<E, N>(), stencils }))
    }
}

impl<F: FaceForce> Following<F> {
    /// Faces with a force each, on a system of `vertex_count` vertices.
    pub(super) fn on(
        vertex_count: usize,
        (faces, points): (Faces<'_>, Points),
        forces: &[F],
        curve: TimeCurve,
        character: Character,
    ) -> Result<Self, ForceError> {
        curve.check()?;
        faces.check(F::NAME, vertex_count)?;
        let make = Make { vertex_count, points, symmetric: character.symmetric, forces };
        let load = Self { faces: faces.visit(make)?, curve, character, force: PhantomData };
        load.check(0.0)?;
        Ok(load)
    }

    /// An error where the load is not finite at a time.
    fn check(&self, time: f64) -> Result<(), ForceError> {
        match self.faces.not_finite(time) {
            None => Ok(()),
            Some((at, found)) => Err(undefined(F::NAME, at, time, found)),
        }
    }

    fn add(
        &self,
        at: &Configuration<'_>,
        phase: Phase,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let tangent = ask.tangent.is_some().then_some(ask.position_weight);
        let added = self.faces.add(at, FaceRequest { phase, tangent }, ask, work);
        // Says what is not finite, where it is the load itself.
        added.or_else(|error| self.check(at.time).and(Err(error)))
    }
}

impl<F: FaceForce> ForceModel for Following<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn character(&self) -> Character {
        self.character
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.faces.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.faces.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let phase = Phase::of(F::NAME, &self.curve, at.time)?;
        self.add(at, phase, ask, work)
    }

    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        let phase = Phase::derivative(&self.curve, at.time);
        let mut ask = Ask { gradient: Some(rates), ..Ask::default() };
        // One chunk: the workspace stays empty, and nothing is allocated.
        self.add(at, phase, &mut ask, &mut Workspace::new())
    }

    fn stable_step(&self, _: &Configuration<'_>, _mass: &[f64]) -> f64 {
        // A load stiffness is no stiffness of the body: what it adds to its frequencies is of the
        // order of pressure times length, far below that of any body that carries it.
        f64::INFINITY
    }
}

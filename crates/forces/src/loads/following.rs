//! [`Following`]: a load on faces that follows them, whatever its law.

use std::fmt::Debug;

use pliant_algebra::vec3::{Vec3, is_finite};

use super::curve::{TimeCurve, curve_factor};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::slots::Slots;
use crate::stencils::{Local, Stencils};
use crate::workspace::Workspace;

/// The force on one face of N corners, which depends on where they are.
pub trait FaceForce<const N: usize>: Debug + Clone + Send + Sync + 'static {
    /// Name of the load in messages and reports.
    const NAME: &'static str;

    /// Adds energy, g (N) and the weighted ∂g/∂x of `request.factor` times the load.
    fn add(&self, x: &[Vec3; N], request: FaceRequest, local: &mut Local<N>);
}

/// What is wanted of a face.
#[derive(Debug, Clone, Copy)]
pub struct FaceRequest {
    /// Factor of the load.
    pub factor: f64,
    /// Whether g is.
    pub gradient: bool,
    /// Weight of ∂g/∂x, if that is.
    pub tangent: Option<f64>,
}

/// A load on faces that follows them, times a curve of time.
#[derive(Debug, Clone)]
pub struct Following<F: FaceForce<N>, const N: usize> {
    faces: Stencils<F, N>,
    curve: TimeCurve,
    character: Character,
}

impl<F: FaceForce<N>, const N: usize> Following<F, N> {
    /// Faces with their forces, on a system of `vertex_count` vertices.
    pub(super) fn on(
        vertex_count: usize,
        faces: impl IntoIterator<Item = ([u32; N], F)>,
        curve: TimeCurve,
        character: Character,
    ) -> Result<Self, ForceError> {
        curve.check()?;
        let faces = Stencils::whole(vertex_count, character.symmetric, faces)?;
        Ok(Self { faces, curve, character })
    }

    fn add(
        &self,
        at: &Configuration<'_>,
        factor: f64,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let request = FaceRequest {
            factor,
            gradient: ask.gradient.is_some(),
            tangent: ask.tangent.is_some().then_some(ask.position_weight),
        };
        self.faces.add(F::NAME, [at.x, at.v], ask, work, &|force, [x, v], local| {
            if x.iter().chain(v).all(|&p| is_finite(p)) {
                force.add(x, request, local);
            } else {
                local.refuse();
            }
        })
    }
}

impl<F: FaceForce<N>, const N: usize> ForceModel for Following<F, N> {
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
        let factor = curve_factor(F::NAME, &self.curve, at.time)?;
        self.add(at, factor, ask, work)
    }

    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
    ) -> Result<(), ForceError> {
        let rate = self.curve.rate(at.time);
        if rate != 0.0 {
            let mut ask = Ask { gradient: Some(rates), ..Ask::default() };
            // One chunk: the workspace stays empty, and nothing is allocated.
            self.add(at, rate, &mut ask, &mut Workspace::new())?;
        }
        Ok(())
    }

    fn stable_step(&self, _: &Configuration<'_>, _mass: &[f64]) -> f64 {
        // A load stiffness is no stiffness of the body: what it adds to its frequencies is of the
        // order of pressure times length, far below that of any body that carries it.
        f64::INFINITY
    }
}

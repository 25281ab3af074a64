//! [`CurrentRayleigh`]: damping by the stiffness of the moment.

use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::{Vec3, add_scaled, norm, scale};

use super::linear::{check_masses, check_velocities};
use super::matrix::{OwnMatrix, write_tangent};
use crate::model::{Ask, ForceError, ForceModel, State};
use crate::parameter::{length, not_negative, state_length};
use crate::places::stable_step;
use crate::worst::Worst;

/// What ∂(K(x) v)/∂x, a third derivative of the energy, adds to the tangent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RayleighTangent {
    /// Nothing: the tangent lacks a term of the order of strain rate times β K.
    #[default]
    Omit,
    /// A central difference of K along v: third derivatives are symmetric in all their indices, so
    /// the matrix ∂(K v)/∂x is the derivative of K in the direction v. Two more assemblies.
    Difference,
}

/// A force model together with its Rayleigh damping: g + α M v + β K(x) v.
///
/// It stands for the model it takes over: give the system this instead of the model. Forces alone
/// cost an assembly of K as well (unless β = 0), in return no stiffness from another state damps
/// rigid rotations or stays behind when the body stiffens. Meant for models with symmetric K.
pub struct CurrentRayleigh {
    inner: Box<dyn ForceModel>,
    name: String,
    masses: Vec<f64>,
    alpha: f64,
    beta: f64,
    option: RayleighTangent,
    stiffness: OwnMatrix,
    /// K at x ± εv, and x ± εv.
    shifted: Vec<Block>,
    moved: Vec<Vec3>,
}

impl CurrentRayleigh {
    /// Damps `inner` with lumped masses in kg, α in 1/s, β in s.
    pub fn new(
        mut inner: Box<dyn ForceModel>,
        masses: &[f64],
        alpha: f64,
        beta: f64,
        option: RayleighTangent,
    ) -> Result<Self, ForceError> {
        not_negative("mass damping α", alpha)?;
        not_negative("stiffness damping β", beta)?;
        check_masses(masses)?;
        if !inner.is_symmetric() {
            return Err(ForceError::Unsupported(format!(
                "Rayleigh damping needs a symmetric stiffness, which {} does not have",
                inner.name()
            )));
        }
        let stiffness = OwnMatrix::of_model(&*inner, masses.len())?;
        stiffness.bind_model(&mut *inner);
        let difference = option == RayleighTangent::Difference;
        Ok(Self {
            name: format!("{} with Rayleigh damping", inner.name()),
            masses: masses.to_vec(),
            alpha,
            beta,
            option,
            shifted: if difference { stiffness.matrix.values.clone() } else { Vec::new() },
            moved: if difference { vec![[0.0; 3]; masses.len()] } else { Vec::new() },
            stiffness,
            inner,
        })
    }

    /// Adds `weight` β ∂(K v)/∂x.
    fn add_change(
        &mut self,
        state: &State<'_>,
        weight: f64,
        tangent: &mut [[f64; 9]],
    ) -> Result<(), ForceError> {
        let count = self.masses.len();
        let fastest = state.v[..count].iter().map(|&v| norm(v)).fold(0.0, f64::max);
        if fastest == 0.0 || self.beta == 0.0 {
            return Ok(());
        }
        // The step that balances rounding and truncation of a central difference, ε^(1/3), against
        // the size of the body.
        let size = |k: usize| {
            let (low, high) = state.x[..count]
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x[k]), h.max(x[k])));
            high - low
        };
        let size = norm([size(0), size(1), size(2)]);
        if size == 0.0 {
            return Ok(()); // collapsed to a point: no length to measure a step by
        }
        let step = 1e-6 * size / fastest;
        for sign in [1.0, -1.0] {
            for (to, (&x, &v)) in self.moved.iter_mut().zip(state.x.iter().zip(state.v)) {
                *to = add_scaled(x, v, sign * step);
            }
            let shifted = State { x: &self.moved, v: state.v, time: state.time };
            write_tangent(&mut self.shifted, &mut *self.inner, &shifted, (1.0, 0.0), false)?;
            let weight = sign * weight * self.beta / (2.0 * step);
            self.stiffness.scatter_values(&self.shifted, weight, tangent);
        }
        Ok(())
    }
}

impl ForceModel for CurrentRayleigh {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn has_energy(&self) -> bool {
        self.inner.has_energy() && self.alpha == 0.0 && self.beta == 0.0
    }

    fn stores_energy(&self) -> bool {
        self.inner.stores_energy()
    }

    fn has_energy_at_rest(&self) -> bool {
        self.inner.has_energy_at_rest()
    }

    fn worst(&self, x: &[Vec3]) -> Option<Worst> {
        self.inner.worst(x)
    }

    fn takes_inversion(&self) -> bool {
        self.inner.takes_inversion()
    }

    /// Exact where K does not depend on time, as that of no body does.
    fn add_time_derivative(
        &self,
        state: &State<'_>,
        rates: &mut [Vec3],
    ) -> Result<bool, ForceError> {
        self.inner.add_time_derivative(state, rates)
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.stiffness.couplings(couple);
    }

    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.stiffness.bind(slot);
    }

    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError> {
        let count = self.masses.len();
        state_length(&self.name, state, count)?;
        length("vertices of a model with Rayleigh damping", state.x.len(), count)?;
        check_velocities(state, count)?;
        // The model's own energy and gradient; its tangent comes through K below.
        let mut own = Ask {
            energy: ask.energy.as_deref_mut(),
            gradient: ask.gradient.as_deref_mut(),
            ..Ask::default()
        };
        self.inner.add(state, &mut own)?;
        if let Some(gradient) = ask.gradient.as_deref_mut() {
            if self.beta != 0.0 {
                let values = &mut self.stiffness.matrix.values;
                write_tangent(values, &mut *self.inner, state, (1.0, 0.0), false)?;
                self.stiffness.multiply(state.v, self.beta, gradient);
            }
            for ((g, &v), mass) in gradient.iter_mut().zip(state.v).zip(&self.masses) {
                *g = add_scaled(*g, scale(v, self.alpha), *mass);
            }
        }
        if let Some(tangent) = ask.tangent.as_deref_mut() {
            self.stiffness.check(&self.name)?;
            let weights =
                (ask.position_weight + ask.velocity_weight * self.beta, ask.velocity_weight);
            // K stands there already if forces were asked for; a model that is no gradient may
            // have a ∂g/∂v of its own besides.
            let reuse = ask.gradient.is_some()
                && self.beta != 0.0
                && !ask.project
                && self.inner.has_energy();
            if reuse {
                self.stiffness.scatter(weights.0, tangent);
            } else {
                let values = &mut self.stiffness.matrix.values;
                write_tangent(values, &mut *self.inner, state, weights, ask.project)?;
                self.stiffness.scatter(1.0, tangent);
            }
            if self.option == RayleighTangent::Difference && !ask.project {
                self.add_change(state, ask.position_weight, tangent)?;
            }
            // α M by the same places.
            self.stiffness.matrix.clear();
            self.stiffness.add_diagonal(&self.masses, ask.velocity_weight * self.alpha);
            self.stiffness.scatter(1.0, tangent);
        }
        Ok(())
    }

    /// From the step that the model admits alone: ω = 2/h, and a damping rate of at most α + β ω².
    fn largest_step(&self, state: &State<'_>, mass: &[f64]) -> f64 {
        let omega = 2.0 / self.inner.largest_step(state, mass);
        stable_step(omega * omega, self.alpha + self.beta * omega * omega)
    }
}

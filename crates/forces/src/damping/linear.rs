//! [`LinearDamping`]: g = D v with a constant matrix.

use super::matrix::OwnMatrix;
use crate::assembly::stable_step;
use crate::character::{Character, Velocity};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{finite, finite_vertex, length, not_negative, state_length, vertices};
use crate::slots::Slots;
use crate::workspace::Workspace;

/// g = D v with a constant D, N·s/m. It has no energy; it dissipates vᵀDv, which is for the matrix to
/// be not negative.
#[derive(Debug, Clone)]
pub struct LinearDamping {
    name: &'static str,
    matrix: OwnMatrix,
    vertex_count: usize,
}

impl LinearDamping {
    /// D from its blocks (row, column, row-major 3×3); blocks named twice add up. Of a `symmetric`
    /// matrix name each pair once, the other triangle is understood: a block with row > column is
    /// taken as the transpose of its mirror.
    pub fn new(
        vertex_count: usize,
        blocks: &[(u32, u32, [f64; 9])],
        symmetric: bool,
    ) -> Result<Self, ForceError> {
        for (number, &(i, j, block)) in blocks.iter().enumerate() {
            vertices(format_args!("damping matrix, block {number}"), &[i, j], vertex_count)?;
            for entry in block {
                finite(format_args!("damping matrix, block ({i}, {j})"), entry)?;
            }
            if symmetric && i == j {
                for (r, c) in [(0, 1), (0, 2), (1, 2)] {
                    let skew = block[3 * r + c] - block[3 * c + r];
                    crate::parameter::accepted(
                        format_args!("damping matrix, block ({i}, {i}): skew part"),
                        skew,
                        |s| s.abs() <= 1e-12 * block.iter().fold(0.0, |m, b| b.abs().max(m)),
                        "the diagonal blocks of a symmetric matrix are symmetric",
                    )?;
                }
            }
        }
        let mut matrix = OwnMatrix::new(vertex_count, symmetric, |couple| {
            for &(i, j, _) in blocks {
                couple(i, j);
            }
        })?;
        for (i, j, block) in blocks {
            matrix.matrix.add(*i, *j, block);
        }
        Ok(Self { name: "damping matrix", matrix, vertex_count })
    }

    /// D = α M with lumped masses, kg; α in 1/s.
    pub fn mass_proportional(masses: &[f64], alpha: f64) -> Result<Self, ForceError> {
        check_masses(masses)?;
        let mut matrix = OwnMatrix::new(masses.len(), true, |_| ())?;
        matrix.add_diagonal(masses, not_negative("mass damping α", alpha)?);
        Ok(Self { name: "mass damping", matrix, vertex_count: masses.len() })
    }

    /// D = α M + β K with lumped masses (kg) and the stiffness that a model has in a state, usually
    /// that of rest; α in 1/s, β in s. The model is bound to a pattern of its own meanwhile: bind it
    /// (again) to that of the system afterwards.
    pub fn rayleigh(
        masses: &[f64],
        alpha: f64,
        model: &mut dyn ForceModel,
        at: &Configuration<'_>,
        beta: f64,
    ) -> Result<Self, ForceError> {
        not_negative("mass damping α", alpha)?;
        not_negative("stiffness damping β", beta)?;
        check_masses(masses)?;
        length("vertex masses for Rayleigh damping", masses.len(), at.x.len())?;
        let mut matrix = OwnMatrix::of_model(model, masses.len())?;
        matrix.bind_model(model)?;
        let mut ask = Ask {
            tangent: Some(&mut matrix.matrix.values),
            position_weight: 1.0,
            ..Ask::default()
        };
        model.evaluate(at, &mut ask, &mut Workspace::new())?;
        matrix.matrix.values.as_flattened_mut().iter_mut().for_each(|k| *k *= beta);
        matrix.add_diagonal(masses, alpha);
        Ok(Self { name: "Rayleigh damping", matrix, vertex_count: masses.len() })
    }
}

/// Masses that are not negative.
pub(super) fn check_masses(masses: &[f64]) -> Result<(), ForceError> {
    for (v, &mass) in masses.iter().enumerate() {
        not_negative(format_args!("mass of vertex {v}"), mass)?;
    }
    Ok(())
}

/// An error for the first velocity that is not finite.
pub(super) fn check_velocities(at: &Configuration<'_>, count: usize) -> Result<(), ForceError> {
    (0..count as u32).try_for_each(|v| finite_vertex(at, v).map(drop))
}

impl ForceModel for LinearDamping {
    fn name(&self) -> &str {
        self.name
    }

    fn character(&self) -> Character {
        let symmetric = self.matrix.is_symmetric();
        Character {
            symmetric,
            velocity: if symmetric { Velocity::LinearDamping } else { Velocity::General },
            ..Character::DAMPING
        }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.matrix.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.matrix.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        state_length(self.name, at, self.vertex_count)?;
        check_velocities(at, self.vertex_count)?;
        if let Some(gradient) = ask.gradient.as_deref_mut() {
            self.matrix.multiply(at.v, 1.0, gradient, work);
        }
        if let Some(tangent) = ask.tangent.as_deref_mut() {
            self.matrix.scatter(self.name, ask.velocity_weight, tangent)?;
        }
        Ok(())
    }

    /// It allocates.
    fn stable_step(&self, _: &Configuration<'_>, mass: &[f64]) -> f64 {
        stable_step(0.0, self.matrix.largest_row(mass))
    }
}

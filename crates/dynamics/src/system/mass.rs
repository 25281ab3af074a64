//! [`Mass`]: masses of a system, and what is multiplied with or divided by them.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{Vec3, scale};
use pliant_forces::Configuration;
use pliant_solvers::{Choice, Layout, SolverName};

use super::System;
use crate::DynamicsError;
use crate::vector::{add_scaled, check_length};

/// Masses, kg.
#[derive(Debug, Clone)]
pub enum Mass {
    /// One number a vertex.
    Lumped(Vec<f64>),
    /// A matrix, each block of which is in the pattern of the system.
    Consistent(BlockMatrix),
}

/// How a mass matrix, which has a pattern of its own, meets vectors and the matrices of the system.
#[derive(Debug)]
pub(super) struct MassBinding {
    product: Product,
    /// Slots of its blocks in the matrices of the system.
    slots: Vec<u32>,
}

impl Mass {
    /// Whether no vertex has mass.
    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Self::Lumped(masses) if masses.iter().all(|m| *m == 0.0))
    }

    /// Looks up the slots of a mass matrix in the pattern of a system.
    pub(super) fn bind(
        &self,
        pattern: &Arc<Pattern>,
    ) -> Result<Option<MassBinding>, DynamicsError> {
        let Self::Consistent(matrix) = self else { return Ok(None) };
        let mine = matrix.pattern();
        let wrong = || {
            DynamicsError::Unsupported("the mass matrix must have the pattern of the system".into())
        };
        if mine.rows() != pattern.rows() || mine.is_symmetric() != pattern.is_symmetric() {
            return Err(wrong());
        }
        let pairs = (0..mine.rows()).flat_map(|i| mine.row(i).iter().map(move |&j| (i as u32, j)));
        let slots = pairs.map(|(i, j)| Some(pattern.slot(i, j)?.index())).collect::<Option<_>>();
        Ok(Some(MassBinding { product: Product::new(mine), slots: slots.ok_or_else(wrong)? }))
    }
}

impl System {
    /// With masses. Each block of a mass matrix must be in the pattern of the system
    /// ([`System::pattern`]).
    pub fn with_mass(mut self, mass: Mass) -> Result<Self, DynamicsError> {
        if let Mass::Lumped(masses) = &mass {
            check_length("masses", masses.len(), self.rest.len())?;
            if let Some(v) = masses.iter().position(|m| !(*m >= 0.0 && m.is_finite())) {
                return Err(DynamicsError::Unsupported(format!(
                    "mass of vertex {v} = {}: a finite number of 0 or more is needed",
                    masses[v]
                )));
            }
        }
        self.mass_binding = mass.bind(self.bound.pattern())?;
        self.mass = mass;
        self.mass_solver = None;
        Ok(self)
    }

    /// The masses.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// Adds s M.
    pub(super) fn add_mass(&self, s: f64, matrix: &mut BlockMatrix) {
        if s == 0.0 {
            return;
        }
        match (&self.mass, &self.mass_binding) {
            (Mass::Lumped(masses), _) => {
                for (&slot, m) in self.bound.diagonal().iter().zip(masses) {
                    let block = &mut matrix.values[slot as usize];
                    for k in [0, 4, 8] {
                        block[k] += s * m;
                    }
                }
            }
            (Mass::Consistent(own), Some(binding)) => {
                for (&slot, from) in binding.slots.iter().zip(&own.values) {
                    for (to, from) in matrix.values[slot as usize].iter_mut().zip(from) {
                        *to += s * from;
                    }
                }
            }
            (Mass::Consistent(_), None) => {} // never: both are set together
        }
    }

    /// y = M x
    pub fn multiply_mass(&mut self, x: &[Vec3], y: &mut [Vec3]) {
        match (&self.mass, &mut self.mass_binding) {
            (Mass::Consistent(own), Some(binding)) => binding.product.apply(&own.values, x, y),
            (Mass::Consistent(_), None) => y.fill([0.0; 3]), // never: both are set together
            (Mass::Lumped(masses), _) => {
                for ((y, &x), &m) in y.iter_mut().zip(x).zip(masses) {
                    *y = scale(x, m);
                }
            }
        }
    }

    /// Accelerations: M a = −g on what is free, as the motions say on what is held. A vertex without
    /// mass is an error.
    pub fn accelerations(
        &mut self,
        at: &Configuration<'_>,
        a: &mut [Vec3],
    ) -> Result<(), DynamicsError> {
        self.forces(at, a, false)?;
        if let Mass::Lumped(masses) = &self.mass {
            for (v, (a, &m)) in a.iter_mut().zip(masses).enumerate() {
                if m == 0.0 && *a != [0.0; 3] {
                    return Err(massless(v));
                }
                *a = if m == 0.0 { [0.0; 3] } else { scale(*a, -1.0 / m) };
            }
            self.constraints.impose_accelerations(at.time, a);
            return Ok(());
        }
        // With a = c + S y: S M S y = S (−g − M c).
        let mut imposed = std::mem::take(&mut self.other);
        let mut load = std::mem::take(&mut self.part);
        imposed.fill([0.0; 3]);
        self.constraints.impose_accelerations(at.time, &mut imposed);
        self.multiply_mass(&imposed, &mut load);
        for (load, &g) in load.iter_mut().zip(&*a) {
            *load = std::array::from_fn(|k| -g[k] - load[k]);
        }
        self.constraints.filter(&mut load);
        let solved = self.solve_mass(&load, a);
        add_scaled(a, &imposed, 1.0);
        (self.other, self.part) = (imposed, load);
        solved
    }

    /// M a = load with the constraints in M, factored once.
    pub(crate) fn solve_mass(
        &mut self,
        load: &[Vec3],
        a: &mut [Vec3],
    ) -> Result<(), DynamicsError> {
        if self.mass_solver.is_none() {
            let pattern = self.bound.pattern().clone();
            let mut matrix = BlockMatrix::zero(pattern.clone());
            self.add_mass(1.0, &mut matrix);
            self.constraints.project(&mut matrix);
            let symmetric = pattern.is_symmetric();
            let solver = if symmetric { SolverName::Cholesky } else { SolverName::Lu };
            let mut solver = Choice { solver, ..Choice::default() }.build()?;
            let layout = Layout { positions: Some(&self.rest), elements: None };
            solver.analyze(&pattern, &layout)?;
            solver.factor(&matrix)?;
            self.mass_solver = Some((solver, matrix));
        }
        let Some((solver, matrix)) = &mut self.mass_solver else { return Ok(()) };
        solver.solve(matrix, load, a)?;
        Ok(())
    }
}

fn massless(vertex: usize) -> DynamicsError {
    DynamicsError::Unsupported(format!(
        "vertex {vertex} has no mass but a force acts on it: give its cells a density, remove it, or take an implicit method"
    ))
}

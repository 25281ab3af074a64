//! [`Gmres`]: generalised minimal residuals with restarts, for unsymmetric matrices.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::Vec3;

use super::krylov::{Krylov, zeros};
use super::preconditioner::Preconditioner;
use super::system::{Settings, System};
use super::vectors::{add_scaled, dot, norm, scale};
use crate::{Constraints, Report, SolverError, StopReason};

/// Saad and Schultz (1986), preconditioned from the right, so that what it minimises is ‖b − A x‖.
/// A cycle of `restart` iterations keeps as many vectors.
pub struct Gmres {
    system: System,
    restart: usize,
    basis: Vec<Vec<Vec3>>,
    z: Vec<Vec3>,
    /// The triangle R, column after column, `restart` + 1 entries each.
    triangle: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    right: Vec<f64>,
}

impl Gmres {
    /// GMRES(30) with that preconditioner.
    pub fn new(preconditioner: Box<dyn Preconditioner>, settings: Settings) -> Self {
        Self::with_restart(preconditioner, settings, 30)
    }

    /// GMRES(m).
    pub fn with_restart(
        preconditioner: Box<dyn Preconditioner>,
        settings: Settings,
        restart: usize,
    ) -> Self {
        Self {
            system: System::new("gmres", preconditioner, settings),
            restart: restart.max(1),
            basis: Vec::new(),
            z: Vec::new(),
            triangle: Vec::new(),
            rotations: Vec::new(),
            right: Vec::new(),
        }
    }

    /// The settings, to be changed between solves.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.system.settings
    }

    /// Constraints of the solves to come. The matrix stays as it is.
    pub fn set_constraints(&mut self, constraints: Option<Constraints>) {
        self.system.constraints = constraints;
    }

    /// One cycle from x with residual basis[0] of norm `length`: the number of iterations it made.
    fn cycle(
        &mut self,
        matrix: &BlockMatrix,
        length: f64,
        goal: f64,
        most: usize,
    ) -> Result<usize, SolverError> {
        let Self { system, restart, basis, z, triangle, rotations, right } = self;
        let stride = *restart + 1;
        scale(&mut basis[0], 1.0 / length);
        right.fill(0.0);
        right[0] = length;
        for k in 0..most.min(*restart) {
            system.precondition(&basis[k], z)?;
            let (old, new) = basis.split_at_mut(k + 1);
            let new = &mut new[0];
            system.multiply(matrix, z, new);
            let column = &mut triangle[k * stride..(k + 1) * stride];
            // Gram and Schmidt, modified.
            for (v, h) in old.iter().zip(column.iter_mut()) {
                *h = dot(v, new);
                add_scaled(new, -*h, v);
            }
            let left = norm(new);
            for (i, &(c, s)) in rotations[..k].iter().enumerate() {
                let (a, b) = (column[i], column[i + 1]);
                (column[i], column[i + 1]) = (c * a + s * b, c * b - s * a);
            }
            let size = column[k].hypot(left);
            if size == 0.0 {
                return Ok(k);
            }
            rotations[k] = (column[k] / size, left / size);
            column[k] = size;
            (right[k], right[k + 1]) = (rotations[k].0 * right[k], -rotations[k].1 * right[k]);
            if right[k + 1].abs() <= goal || left <= 1e-15 * size {
                return Ok(k + 1);
            }
            scale(new, 1.0 / left);
        }
        Ok(most.min(*restart))
    }

    /// x ← x + M⁻¹ V R⁻¹ g
    fn update(&mut self, count: usize, x: &mut [Vec3]) -> Result<(), SolverError> {
        let Self { system, restart, basis, z, triangle, right, .. } = self;
        let stride = *restart + 1;
        for k in (0..count).rev() {
            right[k] /= triangle[k * stride + k];
            for i in 0..k {
                right[i] -= triangle[k * stride + i] * right[k];
            }
        }
        // The sum takes the place of the first vector.
        let Some((sum, rest)) = basis.split_first_mut() else { return Ok(()) };
        scale(sum, right[0]);
        for (v, y) in rest.iter().zip(&right[1..count]) {
            add_scaled(sum, *y, v);
        }
        system.precondition(sum, z)?;
        add_scaled(x, 1.0, z);
        Ok(())
    }
}

impl Krylov for Gmres {
    const SYMMETRIC: bool = false;

    fn system(&self) -> &System {
        &self.system
    }

    fn system_mut(&mut self) -> &mut System {
        &mut self.system
    }

    fn resize(&mut self, rows: usize) {
        let m = self.restart;
        self.basis.resize(m + 1, Vec::new());
        zeros(self.basis.iter_mut().chain([&mut self.z]), rows);
        self.triangle.resize(m * (m + 1), 0.0);
        self.rotations.resize(m, (0.0, 0.0));
        self.right.resize(m + 1, 0.0);
    }

    fn bytes(&self) -> usize {
        let vectors = (self.restart + 2) * 24 * self.z.len();
        vectors + 8 * self.triangle.len()
    }

    fn check(&self, _: &BlockMatrix) -> Result<(), SolverError> {
        Ok(())
    }

    fn iterate(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        self.system.begin(matrix, b, x)?;
        let [first, second, ..] = &mut self.basis[..] else {
            return Err(SolverError::Usage("gmres: analyze a pattern first".into()));
        };
        let reference = self.system.reference(matrix, b, [first, second]);
        if reference == 0.0 {
            return Ok(self.system.zero(x));
        }
        let Settings { tolerance, max_iterations, .. } = self.system.settings;
        let mut iterations = 0;
        let mut before = f64::INFINITY;
        loop {
            let length = self.system.residual(matrix, b, x, &mut self.basis[0]);
            let residual = length / reference;
            let reason = if residual <= tolerance {
                Some(StopReason::Residual)
            } else if residual > 0.5 * before && self.system.is_rounding(residual, x, reference) {
                Some(StopReason::Stagnation)
            } else {
                None
            };
            if let Some(reason) = reason {
                return Ok(Report { iterations, relative_residual: residual, reason });
            }
            // A cycle that gains nothing is followed by others like it.
            let falls = residual < before * (1.0 - 1e-6);
            let stuck = !falls;
            if iterations >= max_iterations || stuck {
                let hint = if stuck {
                    "restarts gain nothing: keep more vectors, or take a stronger preconditioner or lu"
                } else {
                    "allow more iterations, or take a stronger preconditioner or lu"
                };
                let [first, second, ..] = &mut self.basis[..] else { continue };
                let scratch: [&mut [Vec3]; 2] = [first, second];
                return Err(self.system.failure(matrix, iterations, residual, hint, scratch));
            }
            before = residual;
            let most = max_iterations - iterations;
            let goal = 0.9 * tolerance * reference;
            let made = self.cycle(matrix, length, goal, most)?;
            if made == 0 {
                continue;
            }
            self.update(made, x)?;
            iterations += made;
        }
    }
}

//! [`ConstrainedDirect`]: constraints that change from step to step on a factor that does not.
//!
//! After VirTis §5.4.2: the constrained matrix is the free one with a perturbation of the rank of the
//! constraints, so that the Sherman-Morrison-Woodbury formula needs solutions with the free factor and a
//! small dense matrix only. Written here in its symmetric form: with the directions n_i as columns of N,
//!
//! ```text
//! A x + N λ = b,  Nᵀ x = v   ⇒   (Nᵀ A⁻¹ N) λ = Nᵀ A⁻¹ b − v,  x = A⁻¹ b − A⁻¹ N λ
//! ```
//!
//! which is what eliminating the constrained unknowns gives. λ are the forces of the constraints.
//! A⁻¹ is kept for whole vertices (three columns each), so that a direction may turn for free, and a
//! vertex that is constrained again costs nothing.

use std::sync::Arc;

use faer::MatMut;
use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{self, Vec3};

use super::dense::factor_panel;
use super::{Cholesky, Statistics};
use crate::ordering::OrderingName;
use crate::{BlockSolver, Layout, Report, SolverError, StopReason};

/// Vertices whose columns are solved for at once.
const AT_ONCE: usize = 5;
/// Residuals above this part of the right-hand side are refined.
const REFINE: f64 = 1e-12;
/// A direction that is shorter than this part of itself once the others at its vertex are taken out
/// depends on them.
const DEPENDENT: f64 = 1e-12;

/// direction · x = value at one vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// Whose.
    pub vertex: u32,
    /// Along what, of any length but zero.
    pub direction: Vec3,
    /// How far, in units of the length of `direction`.
    pub value: f64,
}

/// A Cholesky factor that solves with constraints.
#[derive(Debug, Clone)]
pub struct ConstrainedDirect {
    solver: Cholesky,
    capacity: usize,
    product: Option<Product>,
    columns: Vec<Columns>,
    calls: u64,
    solved: usize,
    /// What `capacitance` was made for.
    current: Vec<Constraint>,
    /// Which of `columns` each constraint uses.
    uses: Vec<usize>,
    capacitance: Vec<f64>,
    forces: Vec<f64>,
    step: Vec<f64>,
    residual: Vec<Vec3>,
    change: Vec<Vec3>,
}

/// A⁻¹ for the three unknowns of a vertex.
#[derive(Debug, Clone)]
struct Columns {
    vertex: u32,
    used: u64,
    axes: [Vec<Vec3>; 3],
}

impl ConstrainedDirect {
    /// A solver with that ordering which keeps the columns of at most `capacity` vertices beyond those
    /// that are constrained at the moment.
    pub fn new(ordering: OrderingName, capacity: usize) -> Self {
        Self {
            solver: Cholesky::new(ordering),
            capacity,
            product: None,
            columns: Vec::new(),
            calls: 0,
            solved: 0,
            current: Vec::new(),
            uses: Vec::new(),
            capacitance: Vec::new(),
            forces: Vec::new(),
            step: Vec::new(),
            residual: Vec::new(),
            change: Vec::new(),
        }
    }

    /// Looks at the pattern.
    pub fn analyze(
        &mut self,
        pattern: &Arc<Pattern>,
        layout: &Layout<'_>,
    ) -> Result<(), SolverError> {
        self.forget();
        self.product = None;
        self.solver.analyze(pattern, layout)?;
        self.product = Some(Product::new(pattern));
        self.residual = vec![[0.0; 3]; pattern.rows()];
        self.change = vec![[0.0; 3]; pattern.rows()];
        Ok(())
    }

    /// Factors the matrix without constraints, which must be positive definite. Columns of an earlier one are
    /// forgotten.
    pub fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.forget();
        self.solver.factor(matrix)
    }

    fn forget(&mut self) {
        self.columns.clear();
        self.current.clear();
        self.uses.clear();
        self.capacitance.clear();
        self.solved = 0;
    }

    /// How many columns were solved for since the matrix was factored: three for each new vertex.
    pub fn columns_solved(&self) -> usize {
        self.solved
    }

    /// The forces λ of the constraints of the last solution, in their order: positive where the
    /// constraint pulls along its direction less than it would move by itself.
    pub fn forces(&self) -> &[f64] {
        &self.forces
    }

    /// What the factorisation costs.
    pub fn statistics(&self) -> Option<Statistics> {
        self.solver.statistics()
    }

    /// Bytes held for the factor and the columns.
    pub fn memory(&self) -> usize {
        self.solver.memory() + 72 * self.residual.len() * self.columns.len()
    }

    /// Solves A x = b with constraints. `matrix` is the one that was factored.
    pub fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        constraints: &[Constraint],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        let n = self.residual.len();
        if b.len() != n || x.len() != n || matrix.rows() != n {
            return Err(SolverError::Usage(format!(
                "right-hand side of {} and solution of {} vertices for a matrix of {n}",
                b.len(),
                x.len()
            )));
        }
        if let Some(vertex) = b.iter().position(|&b| !vec3::is_finite(b)) {
            return Err(SolverError::NotFinite { what: "the right-hand side", vertex });
        }
        self.pose(constraints)?;
        self.step.clear();
        self.step.extend(constraints.iter().map(|c| c.value));
        self.forces.clear();
        self.forces.resize(constraints.len(), 0.0);
        x.fill([0.0; 3]);
        self.residual.copy_from_slice(b);
        // The first pass solves, the second refines.
        let mut steps = 0;
        self.pass(x)?;
        let mut error = self.residual_of(matrix, b, x)?;
        if error > REFINE {
            self.pass(x)?;
            error = self.residual_of(matrix, b, x)?;
            steps = 1;
        }
        Ok(Report { iterations: steps, relative_residual: error, reason: StopReason::Direct })
    }

    /// Adds to x and to the forces what solves for `residual`, with `step` as values of the constraints.
    fn pass(&mut self, x: &mut [Vec3]) -> Result<(), SolverError> {
        let m = self.current.len();
        self.solver.0.solve_unchecked(&[&self.residual], &mut [&mut self.change])?;
        for (value, c) in self.step.iter_mut().zip(&self.current) {
            *value = vec3::dot(c.direction, self.change[c.vertex as usize]) - *value;
        }
        // L Lᵀ λ = Nᵀ A⁻¹ b − v
        let l = |i: usize, j: usize| self.capacitance[j * m + i];
        for i in 0..m {
            let known: f64 = (0..i).map(|j| l(i, j) * self.step[j]).sum();
            self.step[i] = (self.step[i] - known) / l(i, i);
        }
        for i in (0..m).rev() {
            let known: f64 = (i + 1..m).map(|j| l(j, i) * self.step[j]).sum();
            self.step[i] = (self.step[i] - known) / l(i, i);
        }
        for ((c, &at), &force) in self.current.iter().zip(&self.uses).zip(&self.step) {
            for axis in 0..3 {
                let weight = -force * c.direction[axis];
                for (x, column) in self.change.iter_mut().zip(&self.columns[at].axes[axis]) {
                    *x = vec3::add_scaled(*x, *column, weight);
                }
            }
        }
        for (x, d) in x.iter_mut().zip(&self.change) {
            *x = vec3::add(*x, *d);
        }
        for (force, d) in self.forces.iter_mut().zip(&self.step) {
            *force += d;
        }
        Ok(())
    }

    /// ‖b − A x − N λ‖ relative to the larger of ‖b‖ and ‖N λ‖; leaves what is missing in `residual` and
    /// `step`.
    fn residual_of(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &[Vec3],
    ) -> Result<f64, SolverError> {
        let product = self.product.as_mut().ok_or_else(|| {
            SolverError::Usage("constrained solver: analyze the pattern first".into())
        })?;
        product.apply(&matrix.values, x, &mut self.residual);
        for (r, b) in self.residual.iter_mut().zip(b) {
            *r = vec3::sub(*b, *r);
        }
        let mut pulls = 0.0;
        for ((c, &force), missing) in self.current.iter().zip(&self.forces).zip(&mut self.step) {
            let at = c.vertex as usize;
            self.residual[at] = vec3::add_scaled(self.residual[at], c.direction, -force);
            pulls += force * force * vec3::norm_squared(c.direction);
            *missing = c.value - vec3::dot(c.direction, x[at]);
        }
        let norm = |v: &[Vec3]| v.iter().map(|&v| vec3::norm_squared(v)).sum::<f64>().sqrt();
        let size = norm(b).max(pulls.sqrt());
        let error = norm(&self.residual);
        Ok(if error == 0.0 { 0.0 } else { error / size })
    }

    /// Sees to the columns and the capacitance matrix for these constraints.
    fn pose(&mut self, constraints: &[Constraint]) -> Result<(), SolverError> {
        self.calls += 1;
        for c in constraints {
            let vertex = c.vertex as usize;
            if vertex >= self.residual.len() {
                return Err(SolverError::Usage(format!(
                    "constraint at vertex {vertex}, but there are {}",
                    self.residual.len()
                )));
            }
            if !vec3::is_finite(c.direction) || !c.value.is_finite() {
                return Err(SolverError::NotFinite { what: "the constraint", vertex });
            }
            if vec3::norm_squared(c.direction) == 0.0 {
                return Err(SolverError::Usage(format!(
                    "the constraint at vertex {vertex} has no direction"
                )));
            }
        }
        self.solve_columns(constraints)?;
        let same = self.current.len() == constraints.len()
            && self
                .current
                .iter()
                .zip(constraints)
                .all(|(a, b)| a.vertex == b.vertex && a.direction == b.direction);
        if same {
            self.current.copy_from_slice(constraints);
            return Ok(());
        }
        self.current.clear();
        let m = constraints.len();
        self.capacitance.clear();
        self.capacitance.resize(m * m, 0.0);
        for (j, c) in constraints.iter().enumerate() {
            let axes = &self.columns[self.uses[j]].axes;
            for (i, d) in constraints.iter().enumerate().skip(j) {
                let at = d.vertex as usize;
                // n_iᵀ (A⁻¹)_{v_i v_j} n_j
                self.capacitance[j * m + i] = (0..3)
                    .map(|axis| c.direction[axis] * vec3::dot(d.direction, axes[axis][at]))
                    .sum();
            }
        }
        let diagonal: Vec<f64> = (0..m).map(|i| self.capacitance[i * m + i]).collect();
        let matrix = MatMut::from_column_major_slice_mut(&mut self.capacitance, m, m);
        let dependent = match factor_panel(matrix, false) {
            Err(bad) => Some(bad.column),
            Ok(()) => {
                (0..m).find(|&i| self.capacitance[i * m + i].powi(2) <= DEPENDENT * diagonal[i])
            }
        };
        if let Some(at) = dependent {
            return Err(SolverError::Usage(format!(
                "constraint {at}, at vertex {}, repeats what others there say already: give each vertex independent directions",
                constraints[at].vertex
            )));
        }
        self.current.extend_from_slice(constraints);
        Ok(())
    }

    /// Solves for the columns of vertices that have none, and lets those go that were not used for longest.
    fn solve_columns(&mut self, constraints: &[Constraint]) -> Result<(), SolverError> {
        let calls = self.calls;
        let mut new: Vec<u32> = Vec::new();
        for c in constraints {
            match self.columns.iter_mut().find(|k| k.vertex == c.vertex) {
                Some(columns) => columns.used = calls,
                None if new.contains(&c.vertex) => {}
                None => new.push(c.vertex),
            }
        }
        if !new.is_empty() {
            // Uses change below; until they are found again the old matrix must not be taken for good.
            self.current.clear();
        }
        let n = self.residual.len();
        for vertices in new.chunks(AT_ONCE) {
            let mut units = vec![vec![[0.0; 3]; n]; 3 * vertices.len()];
            let mut solved = units.clone();
            for (k, unit) in units.iter_mut().enumerate() {
                unit[vertices[k / 3] as usize][k % 3] = 1.0;
            }
            let b: Vec<&[Vec3]> = units.iter().map(Vec::as_slice).collect();
            let mut x: Vec<&mut [Vec3]> = solved.iter_mut().map(Vec::as_mut_slice).collect();
            self.solver.0.solve_unchecked(&b, &mut x)?;
            self.solved += b.len();
            let mut solved = solved.into_iter();
            for &vertex in vertices {
                let axes = [(); 3].map(|()| solved.next().unwrap_or_default());
                self.columns.push(Columns { vertex, used: calls, axes });
            }
        }
        let idle = self.columns.iter().filter(|k| k.used != calls).count();
        for _ in self.capacity..idle {
            let oldest = (0..self.columns.len()).min_by_key(|&k| self.columns[k].used);
            if let Some(oldest) = oldest {
                self.columns.remove(oldest);
            }
        }
        self.uses.clear();
        for c in constraints {
            let at = self.columns.iter().position(|k| k.vertex == c.vertex).unwrap_or(0);
            self.uses.push(at);
        }
        Ok(())
    }
}

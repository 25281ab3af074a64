//! [`LinearlyImplicit`]: a step of any Rosenbrock or W-method, which solves linear systems only.
//!
//! For x′ = v, M v′ = −g(x, v, t) and in the variables that need no product with the Jacobian (Hairer and
//! Wanner, Solving ODEs II, IV.7), stage i is
//!
//! ```text
//! X = x₀ + Σ aᵢⱼ ξⱼ,   V = v₀ + Σ aᵢⱼ νⱼ,   τ = γ h
//! ξᵢ/τ − νᵢ = V + Σ cᵢⱼ ξⱼ / h
//! M νᵢ/τ + K ξᵢ + D νᵢ = −g(X, V, t + αᵢ h) + M Σ cᵢⱼ νⱼ / h − γᵢ h ∂g/∂t
//! ```
//!
//! With p the right-hand side of the first line, ξᵢ = τ (νᵢ + p): one system of n instead of 2n unknowns
//! (Hauth, section 3.4.1), for w = νᵢ + p so that only D, which undamped bodies do not have, is multiplied
//! with p:
//!
//! ```text
//! (M/τ + D + τ K) w = −g + M (Σ cᵢⱼ νⱼ / h + p/τ) + D p − γᵢ h ∂g/∂t
//! ```
//!
//! The matrix is that of the start of the step: one factorisation a step. What is held is no unknown but a
//! function of time, as loads are: its part of ∂g/∂t (and of M a, with a consistent mass) counts too.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{self, Vec3};
use pliant_sections::Sections;
use pliant_solvers::{BlockSolver, SolverError, SolverUse};

use crate::integrators::{Estimate, Integrator, Method, StepReport, check_step, failed_at};
use crate::linear::analyze;
use crate::newton::{Counters, Projection};
use crate::system::{Accelerations, End};
use crate::vector::add_scaled;
use crate::{DynamicsError, State, System, Weights};

/// One stage of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// αᵢ: forces are those of t + αᵢ h.
    pub time: f64,
    /// γᵢ = Σ γᵢⱼ: the weight of h ∂g/∂t.
    pub rate: f64,
    /// aᵢⱼ for the stages before.
    pub a: &'static [f64],
    /// cᵢⱼ for the stages before.
    pub c: &'static [f64],
}

/// A linearly implicit method: its coefficients.
pub trait LinearlyImplicitScheme: Send {
    /// The name users know it by.
    fn name(&self) -> &'static str;
    /// Its order with the exact Jacobian.
    fn order(&self) -> usize;
    /// Its order with any matrix in place of the Jacobian.
    fn order_with_any_jacobian(&self) -> usize;
    /// γ
    fn gamma(&self) -> f64;
    /// The stages.
    fn stages(&self) -> &[Stage];
    /// mᵢ: the step ends at y₀ + Σ mᵢ uᵢ.
    fn weights(&self) -> &[f64];
    /// eᵢ: Σ eᵢ uᵢ is the end of the step less that of the embedded method, and the order of the latter.
    fn error(&self) -> (&[f64], usize);
}

/// Differences by time go this part of the step to either side: their error, (10⁻⁴ h)² ∂³g/∂t³ / 6, and
/// that of rounding, 10⁻¹² of g, are both far below that of a step.
const DIFFERENCE: f64 = 1e-4;

/// An integrator made of a linearly implicit scheme and a linear solver.
///
/// Where the Jacobian cannot be factored it is made again with every element's stiffness projected to
/// positive semi-definite (unless that is forbidden); such a step has the order that holds for any matrix.
pub struct LinearlyImplicit {
    scheme: Box<dyn LinearlyImplicitScheme>,
    solver: Box<dyn BlockSolver>,
    projection: Projection,
    counters: Counters,
    analyzed: Option<Arc<Pattern>>,
    /// M/τ + D + τ K, and D.
    matrix: Option<BlockMatrix>,
    damping: Option<(BlockMatrix, Product)>,
    /// ξ and ν of each stage.
    stages: Vec<[Vec<Vec3>; 2]>,
    work: Work,
    knows_error: bool,
}

/// Vectors of the step under way.
#[derive(Default)]
struct Work {
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    g: Vec<Vec3>,
    p: Vec<Vec3>,
    q: Vec<Vec3>,
    /// ∂g/∂t
    rate: Vec<Vec3>,
    right: Vec<Vec3>,
    w: Vec<Vec3>,
    error_x: Vec<Vec3>,
    error_v: Vec<Vec3>,
}

impl LinearlyImplicit {
    /// Joins them.
    pub fn new(
        scheme: Box<dyn LinearlyImplicitScheme>,
        solver: Box<dyn BlockSolver>,
        projection: Projection,
    ) -> Self {
        Self {
            scheme,
            solver,
            projection,
            counters: Counters::default(),
            analyzed: None,
            matrix: None,
            damping: None,
            stages: Vec::new(),
            work: Work::default(),
            knows_error: false,
        }
    }

    /// Takes in a system, once.
    fn prepare(&mut self, system: &System) -> Result<(), DynamicsError> {
        let pattern = system.pattern();
        if self.analyzed.as_ref().is_some_and(|p| Arc::ptr_eq(p, pattern)) {
            return Ok(());
        }
        self.matrix = Some(analyze(&mut *self.solver, pattern, system.rest())?);
        // Forces that come from energies do not depend on velocities.
        self.damping = (!system.has_energy())
            .then(|| (BlockMatrix::zero(pattern.clone()), Product::new(pattern)));
        let zero = || vec![[0.0; 3]; system.vertices()];
        self.stages = self.scheme.stages().iter().map(|_| [zero(), zero()]).collect();
        let work = &mut self.work;
        for list in [
            &mut work.x,
            &mut work.v,
            &mut work.g,
            &mut work.p,
            &mut work.q,
            &mut work.rate,
            &mut work.right,
            &mut work.w,
            &mut work.error_x,
            &mut work.error_v,
        ] {
            *list = zero();
        }
        self.analyzed = Some(pattern.clone());
        Ok(())
    }

    /// Makes and factors the matrix of the step.
    fn linearize(
        &mut self,
        system: &mut System,
        state: &State,
        tau: f64,
        project: bool,
    ) -> Result<(), DynamicsError> {
        let Some(matrix) = &mut self.matrix else { return Err(not_prepared()) };
        let weights = Weights { mass: 1.0 / tau, position: tau, velocity: 1.0 };
        self.counters.jacobians += 1;
        system.tangent(&state.configuration(), weights, project, matrix)?;
        system.constraints().project(matrix);
        self.solver.factor(matrix)?;
        if let Some((damping, _)) = &mut self.damping {
            let weights = Weights { mass: 0.0, position: 0.0, velocity: 1.0 };
            system.tangent(&state.configuration(), weights, project, damping)?;
        }
        Ok(())
    }

    /// g of everything that acts at a time, held vertices and their inertia included, into `work.g`.
    fn forces(
        &mut self,
        system: &mut System,
        state: &State,
        time: f64,
        h: f64,
    ) -> Result<(), DynamicsError> {
        let Work { x, v, g, q, w, .. } = &mut self.work;
        let constraints = system.constraints();
        constraints.impose_positions(time, x);
        constraints.impose_velocities(time, v);
        system.forces(&state.ahead(x, v, time, h), g, false)?;
        self.counters.residuals += 1;
        if system.constraints().moves() {
            q.fill([0.0; 3]);
            system.constraints().impose_accelerations(time, q);
            system.multiply_mass(q, w);
            add_scaled(g, w, 1.0);
        }
        Ok(())
    }

    /// ∂g/∂t at the start: from the models where they know it, else by a central difference.
    fn find_rate(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
    ) -> Result<(), DynamicsError> {
        if !system.constraints().moves()
            && system.time_derivative(&state.configuration(), &mut self.work.rate)?
        {
            return Ok(());
        }
        let reach = DIFFERENCE * h;
        self.work.rate.fill([0.0; 3]);
        for sign in [1.0, -1.0] {
            self.work.x.copy_from_slice(&state.x);
            self.work.v.copy_from_slice(&state.v);
            self.forces(system, state, state.time + sign * reach, h)?;
            add_scaled(&mut self.work.rate, &self.work.g, sign / (2.0 * reach));
        }
        Ok(())
    }

    /// Stage i: ξ and ν.
    fn stage(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        i: usize,
    ) -> Result<(), DynamicsError> {
        let Stage { time, rate, a, c } = self.scheme.stages()[i];
        let tau = self.scheme.gamma() * h;
        let before = i.checked_sub(1).map(|before| self.scheme.stages()[before]);
        // Stages at the place of the one before share its forces.
        if before.is_none_or(|b| b.time != time || !a.strip_prefix(b.a).is_some_and(zero)) {
            self.work.x.copy_from_slice(&state.x);
            self.work.v.copy_from_slice(&state.v);
            for (&a, [xi, nu]) in a.iter().zip(&self.stages[..i]) {
                add_scaled(&mut self.work.x, xi, a);
                add_scaled(&mut self.work.v, nu, a);
            }
            self.forces(system, state, state.time + time * h, h)?;
        }
        let Work { v, g, p, q, rate: by_time, right, w, .. } = &mut self.work;
        p.copy_from_slice(v);
        q.fill([0.0; 3]);
        for (&c, [xi, nu]) in c.iter().zip(&self.stages[..i]) {
            add_scaled(p, xi, c / h);
            add_scaled(q, nu, c / h);
        }
        // What is held is no unknown.
        system.constraints().filter(p);
        add_scaled(q, p, 1.0 / tau);
        system.multiply_mass(q, right);
        if let Some((damping, product)) = &mut self.damping {
            product.apply(&damping.values, p, w);
            add_scaled(right, w, 1.0);
        }
        for ((right, g), by_time) in right.iter_mut().zip(&*g).zip(&*by_time) {
            *right = std::array::from_fn(|k| right[k] - g[k] - rate * h * by_time[k]);
        }
        system.constraints().filter(right);
        // A guess for those who iterate.
        w.copy_from_slice(p);
        let Some(matrix) = &self.matrix else { return Err(not_prepared()) };
        let report = self.solver.solve(matrix, right, w)?;
        self.counters.linear_iterations += report.iterations;
        let [xi, nu] = &mut self.stages[i];
        for (((xi, nu), &w), &p) in xi.iter_mut().zip(nu).zip(&*w).zip(&*p) {
            *xi = vec3::scale(w, tau);
            *nu = vec3::sub(w, p);
        }
        Ok(())
    }

    fn attempt(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
        project: bool,
    ) -> Result<(), DynamicsError> {
        state.check(system.vertices())?;
        system.begin_step(state, h)?;
        self.prepare(system)?;
        self.find_rate(system, state, h)?;
        self.linearize(system, state, self.scheme.gamma() * h, project)?;
        for i in 0..self.stages.len() {
            self.stage(system, state, h, i)?;
        }
        let Work { x, v, error_x, error_v, .. } = &mut self.work;
        x.copy_from_slice(&state.x);
        v.copy_from_slice(&state.v);
        error_x.fill([0.0; 3]);
        error_v.fill([0.0; 3]);
        let weights = self.scheme.weights().iter().zip(self.scheme.error().0);
        for ((&m, &e), [xi, nu]) in weights.zip(&self.stages) {
            add_scaled(x, xi, m);
            add_scaled(v, nu, m);
            add_scaled(error_x, xi, e);
            add_scaled(error_v, nu, e);
        }
        let (a, time) = (Accelerations::Unknown, state.time + h);
        system.end_step(state, End { x, v, a, time, keep: 0, followed: None })
    }
}

fn zero(list: &[f64]) -> bool {
    list.iter().all(|&a| a == 0.0)
}

fn not_prepared() -> DynamicsError {
    DynamicsError::Unsupported("linearly implicit method: no pattern was analyzed".into())
}

impl Method for LinearlyImplicit {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn order(&self) -> usize {
        self.scheme.order()
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        let Work { error_x, error_v, .. } = &self.work;
        let order = self.scheme.error().1;
        self.knows_error.then_some(Estimate { x: error_x, v: error_v, order })
    }

    /// What the linear solver keeps: the matrix is that of the start of a step.
    fn save(&self, to: &mut Sections) {
        to.write("linearly implicit").flag(self.analyzed.is_some());
        if self.analyzed.is_some() {
            self.solver.save(to);
        }
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        self.forget();
        let mut section = from.read("linearly implicit")?;
        let analyzed = section.flag()?;
        section.finish()?;
        if analyzed {
            self.prepare(system)?;
            self.solver.load(from, None)?;
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.analyzed = None;
    }
}

impl Integrator for LinearlyImplicit {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        check_step(h)?;
        self.knows_error = false;
        let first = self.projection == Projection::Always;
        let mut outcome = self.attempt(system, state, h, first);
        if let Err(DynamicsError::Linear(
            SolverError::NotPositiveDefinite { .. }
            | SolverError::Singular { .. }
            | SolverError::Indefinite { .. },
        )) = outcome
            && self.projection == Projection::WhenNeeded
        {
            self.counters.jacobians_projected += 1;
            outcome = self.attempt(system, state, h, true);
        }
        self.knows_error = outcome.is_ok();
        match outcome {
            Ok(()) => Ok(StepReport::default()),
            Err(cause) => Err(failed_at(system, state, &[], h, false, cause)),
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn chosen(&self) -> Option<SolverUse> {
        self.solver.chosen()
    }
}

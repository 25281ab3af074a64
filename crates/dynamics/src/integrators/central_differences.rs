//! Central differences: a_n = (x₁ − 2 x₀ + x₋₁)/h², v_n = (x₁ − x₋₁)/2h, written for velocities between
//! the steps as v½ = v₀ + h/2 a₀, x₁ = x₀ + h v½, v₁ = v½ + h/2 a₁.
//!
//! Where forces depend on velocities, a₁ and v₁ are found together from (M + h/2 D) (v₁ − v½) =
//! −h/2 g(x₁, v½), D = ∂g/∂v: exact if damping is linear, and still of order 2 if not.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::Vec3;
use pliant_forces::model::State as Place;
use pliant_solvers::{Choice, Layout, LinearSolver, SolverName};

use super::verlet::drift;
use super::{ExplicitScheme, Next};
use crate::implicit::place;
use crate::vector::{add_scaled, check_finite};
use crate::{DynamicsError, State, System, Weights};

/// Order 2, stable for h ω up to 2. Without damping it is Verlet's method.
#[derive(Default)]
pub struct CentralDifferences {
    damped: Option<bool>,
    matrix: Option<(Box<dyn LinearSolver>, BlockMatrix)>,
    load: Vec<Vec3>,
}

impl CentralDifferences {
    /// As it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// v₁ and a₁ with damping, from v½ in `next.v`.
    fn damped_kick(
        &mut self,
        system: &mut System,
        time: f64,
        h: f64,
        next: &mut Next,
    ) -> Result<(), DynamicsError> {
        if self.matrix.is_none() {
            let symmetric = system.pattern().is_symmetric();
            let name = if symmetric { SolverName::Cholesky } else { SolverName::Lu };
            let mut solver = Choice { solver: name, ..Choice::default() }.build()?;
            let layout = Layout { positions: Some(system.rest()), elements: None };
            solver.analyze(system.pattern(), &layout)?;
            self.matrix = Some((solver, BlockMatrix::zero(system.pattern().clone())));
        }
        let Some((solver, matrix)) = &mut self.matrix else { return Ok(()) };
        let end = Place { x: &next.x, v: &next.v, time };
        let weights = Weights { mass: 1.0, position: 0.0, velocity: 0.5 * h };
        system.tangent(&end, weights, false, matrix)?;
        system.constraints().project(matrix);
        solver.factor(matrix)?;
        let load = &mut self.load;
        load.resize(next.x.len(), [0.0; 3]);
        system.forces(&end, load, false)?;
        load.as_flattened_mut().iter_mut().for_each(|g| *g = -*g);
        system.constraints().filter(load);
        // a₁ = (v₁ − v½) / (h/2)
        next.a.fill([0.0; 3]);
        solver.solve(matrix, load, &mut next.a)?;
        check_finite("acceleration", &next.a)?;
        system.constraints().impose_accelerations(time, &mut next.a);
        Ok(())
    }
}

impl ExplicitScheme for CentralDifferences {
    fn name(&self) -> &'static str {
        "central-differences"
    }

    fn order(&self) -> usize {
        2
    }

    fn takes_velocity_forces(&self) -> bool {
        true
    }

    fn advance(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        next: &mut Next,
    ) -> Result<bool, DynamicsError> {
        let damped = match self.damped {
            Some(damped) => damped,
            None => *self.damped.insert(system.depends_on_velocity(&place(state))?),
        };
        drift(system, state, h, next)?;
        let time = state.time + h;
        if damped {
            self.damped_kick(system, time, h, next)?;
        } else {
            let end = Place { x: &next.x, v: &next.v, time };
            system.accelerations(&end, &mut next.a)?;
        }
        add_scaled(&mut next.v, &next.a, 0.5 * h);
        Ok(true)
    }
}

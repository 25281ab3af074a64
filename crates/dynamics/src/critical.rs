//! The longest stable step of explicit methods, by power iteration.

use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::Vec3;

use crate::implicit::place;
use crate::vector::{check_finite, dot};
use crate::{DynamicsError, Mass, State, System, Weights};

/// Iterations at most.
const ITERATIONS: usize = 500;
/// Changes of the eigenvalue below this end the iteration.
const TOLERANCE: f64 = 1e-6;

impl System {
    /// The highest frequency ω of the body in this state, rad/s: M⁻¹K by power iteration on what is free.
    /// It converges from below, to a few parts in a thousand or better. Undamped Verlet, central
    /// differences and symplectic Euler are stable for steps below 2/ω, Kutta's methods of order 4 below
    /// 2.83/ω. It assembles K once, and allocates.
    pub fn highest_frequency(&mut self, state: &State) -> Result<f64, DynamicsError> {
        state.check(self.vertices())?;
        let n = state.len();
        let mut matrix = BlockMatrix::zero(self.pattern().clone());
        let weights = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
        self.tangent(&place(state), weights, false, &mut matrix)?;
        let mut product = Product::new(self.pattern());
        // Signs that change from vertex to vertex: near the shapes that vibrate fastest.
        let mut x: Vec<Vec3> = (0..n)
            .map(|i| [1, 2, 3].map(|k| (f64::from(k) * 1.7 * (i as f64 + 1.0) * 1.1).sin()))
            .collect();
        let (mut force, mut next) = (x.clone(), x.clone());
        self.constraints().filter(&mut x);
        let mut eigenvalue = 0.0_f64;
        for _ in 0..ITERATIONS {
            product.apply(&matrix.values, &x, &mut force);
            self.constraints().filter(&mut force);
            // Rayleigh's quotient of x, and M⁻¹ K x to go on with.
            self.multiply_mass(&x, &mut next);
            let (stiff, inert) = (dot(&x, &force), dot(&x, &next));
            if inert <= 0.0 {
                break;
            }
            let now = stiff / inert;
            let settled = (now - eigenvalue).abs() <= TOLERANCE * now.abs();
            eigenvalue = now;
            if settled {
                break;
            }
            self.divide_by_mass(&force, &mut next)?;
            check_finite("fastest vibration", &next)?;
            let length = dot(&next, &next).sqrt();
            if length == 0.0 {
                break;
            }
            for (x, next) in x.iter_mut().zip(&next) {
                *x = next.map(|c| c / length);
            }
        }
        Ok(eigenvalue.max(0.0).sqrt())
    }

    /// y = M⁻¹ f on what is free; vertices without mass do not move.
    fn divide_by_mass(&mut self, f: &[Vec3], y: &mut [Vec3]) -> Result<(), DynamicsError> {
        if let Mass::Lumped(masses) = self.mass() {
            for ((y, f), &m) in y.iter_mut().zip(f).zip(masses) {
                *y = if m > 0.0 { f.map(|c| c / m) } else { [0.0; 3] };
            }
        } else {
            self.solve_mass(f, y)?;
        }
        self.constraints().filter(y);
        Ok(())
    }
}

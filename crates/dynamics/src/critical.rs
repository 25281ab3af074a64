//! The longest stable step of explicit methods, by power iteration.

use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::Vec3;

use crate::vector::{check_finite, dot};
use crate::{DynamicsError, IntegratorName, Mass, State, System, Weights};

/// Iterations at most.
const ITERATIONS: usize = 500;
/// Changes of the eigenvalue below this end the iteration.
const TOLERANCE: f64 = 1e-6;

/// How long the steps of a method may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CriticalStep {
    /// The method.
    pub integrator: IntegratorName,
    /// Longer steps let vibrations grow, s: infinite for implicit methods and those that cut their steps
    /// themselves, 0 for those that let every vibration grow. Damping by the method of the step is not
    /// counted on; where damping is strong, methods other than central differences need shorter steps.
    pub step: f64,
    /// ω, rad/s.
    pub highest_frequency: f64,
}

/// The critical step of a method for a body in this state, obstacles that it may come to included. Stiffer states
/// have shorter ones: ask again now and then.
pub fn critical_step(
    system: &mut System,
    state: &State,
    integrator: IntegratorName,
) -> Result<CriticalStep, DynamicsError> {
    let highest_frequency = system.highest_frequency(state)?.hypot(system.latent_frequency(state)?);
    let interval = integrator.imaginary_interval();
    let step = if interval == 0.0 || highest_frequency > 0.0 {
        interval / highest_frequency.max(f64::MIN_POSITIVE)
    } else {
        f64::INFINITY
    };
    Ok(CriticalStep { integrator, step, highest_frequency })
}

impl CriticalStep {
    /// What to tell before a run with steps of h seconds that would explode, or come near to it.
    pub fn warning(&self, h: f64) -> Option<String> {
        let name = self.integrator.name();
        if self.step == 0.0 && self.highest_frequency > 0.0 {
            return Some(format!(
                "{name} lets undamped vibrations grow at every step: take symplectic-euler, verlet or rk4"
            ));
        }
        (h > 0.9 * self.step).then(|| {
            format!(
                "the step of {h:.2e} s is {} the critical step of {name}, {:.2e} s (highest frequency {:.3e} rad/s): take {:.1e} s, or an implicit method",
                if h > self.step { "above" } else { "near" },
                self.step,
                self.highest_frequency,
                0.8 * self.step
            )
        })
    }
}

/// The largest y such that |R(it)| ≤ 1 for all t up to y; R by its coefficients.
pub(crate) fn stable_on_imaginary_axis(r: &[f64]) -> f64 {
    // |R(iy)|² − 1 as a polynomial in y²: Σₖ r_{2m−k} rₖ (−1)^{m−k}.
    let excess: Vec<f64> = (1..r.len())
        .map(|m| {
            let lowest = (2 * m + 1).saturating_sub(r.len());
            let terms = (lowest..=(2 * m).min(r.len() - 1)).map(|k| {
                let sign = if (m + k) % 2 == 0 { 1.0 } else { -1.0 };
                sign * r[2 * m - k] * r[k]
            });
            let (sum, size) = terms.fold((0.0, 0.0), |(s, n), t| (s + t, n + f64::abs(t)));
            // Conditions of the order make the first ones vanish, but for rounding.
            if f64::abs(sum) <= 1e-12 * size { 0.0 } else { sum }
        })
        .collect();
    let value = |y: f64| excess.iter().rev().fold(0.0, |sum, e| (sum + e) * y * y);
    match excess.iter().find(|e| **e != 0.0) {
        None => return f64::INFINITY,
        Some(first) if *first > 0.0 => return 0.0,
        Some(_) => {}
    }
    // It is negative at first, and positive in the end, as its last coefficient is a square.
    let Some(high) = (1..100_000).map(|k| 0.01 * f64::from(k)).find(|&y| value(y) > 0.0) else {
        return f64::INFINITY;
    };
    let mut high = high;
    let mut low = high - 0.01;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if value(middle) <= 0.0 { low = middle } else { high = middle }
    }
    low
}

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
        self.tangent(&state.configuration(), weights, false, &mut matrix)?;
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

    /// A bound of what stiffness that may still set in adds to the highest frequency, as the root of the sum of
    /// squares, rad/s: obstacles count as if every vertex touched them.
    pub(crate) fn latent_frequency(&self, state: &State) -> Result<f64, DynamicsError> {
        let at = state.configuration();
        let mut summed: Option<Vec<f64>> = None;
        let mut squares = 0.0;
        for entry in self.entries.iter().filter(|e| e.character.sets_in) {
            let masses = match self.mass() {
                Mass::Lumped(masses) => masses,
                Mass::Consistent(matrix) => &*summed.get_or_insert_with(|| least_masses(matrix)),
            };
            let step = entry.model.stable_step(&entry.part(&at)?, &masses[entry.vertices.clone()]);
            squares += 4.0 / (step * step);
        }
        Ok(squares.sqrt())
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

/// Lumped masses that are below a consistent mass matrix: a fifth of its rows' sums, which is the lowest ratio that
/// linear tetrahedra have. It allocates.
fn least_masses(matrix: &BlockMatrix) -> Vec<f64> {
    let pattern = matrix.pattern();
    let mut sums = vec![0.0; pattern.rows()];
    for i in 0..pattern.rows() {
        for (block, &j) in matrix.values[pattern.range(i)].iter().zip(pattern.row(i)) {
            sums[i] += 0.2 * block[0];
            if pattern.is_symmetric() && j as usize != i {
                sums[j as usize] += 0.2 * block[0];
            }
        }
    }
    sums
}

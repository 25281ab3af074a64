//! Explicit Runge-Kutta methods for x′ = v, v′ = a(x, v, t), from their tables.

use pliant_algebra::vec3::{Vec3, add_scaled};
use pliant_sections::Sections;

use super::{ExplicitScheme, Method, Next};
use crate::{DynamicsError, State, System};

/// A method: stage i is at t + cᵢ h with slopes weighted by row i of a; the end with b.
#[derive(Debug, Clone, Copy)]
pub struct Tableau {
    /// The name users know it by.
    pub name: &'static str,
    /// Its order.
    pub order: usize,
    /// Rows of a below the diagonal; the first is empty.
    pub a: &'static [&'static [f64]],
    /// b
    pub b: &'static [f64],
    /// c
    pub c: &'static [f64],
}

impl Tableau {
    /// The coefficients 1, Σ bᵢ, Σ bᵢ cᵢ, … of the stability polynomial R(z), by which a step multiplies a
    /// solution of y′ = λ y, z = h λ: those of zᵏ are bᵀ Aᵏ⁻¹ 1.
    pub fn stability_polynomial(&self) -> Vec<f64> {
        let mut powers = vec![1.0; self.b.len()];
        let mut coefficients = vec![1.0];
        for _ in self.b {
            coefficients.push(self.b.iter().zip(&powers).map(|(b, p)| b * p).sum());
            let row = |row: &&[f64]| row.iter().zip(&powers).map(|(a, p)| a * p).sum();
            powers = self.a.iter().map(row).collect();
        }
        coefficients
    }
}

/// An explicit Runge-Kutta method with its stages.
pub struct RungeKutta {
    tableau: &'static Tableau,
    /// v and a of each stage.
    slopes: Vec<(Vec<Vec3>, Vec<Vec3>)>,
    x: Vec<Vec3>,
}

impl RungeKutta {
    /// Of a table.
    pub fn new(tableau: &'static Tableau) -> Self {
        Self { tableau, slopes: Vec::new(), x: Vec::new() }
    }
}

/// to ← from + h Σ weightⱼ slopeⱼ, or without `from`. Some vertices at a time: what is summed up stays in the
/// cache, and every slope is read once.
pub(super) fn combine<'a>(
    to: &mut [Vec3],
    from: Option<&[Vec3]>,
    h: f64,
    weights: &[f64],
    slopes: &(impl Iterator<Item = &'a Vec<Vec3>> + Clone),
) {
    const VERTICES: usize = 256;
    for (part, to) in to.chunks_mut(VERTICES).enumerate() {
        let range = part * VERTICES..part * VERTICES + to.len();
        match from {
            Some(from) => to.copy_from_slice(&from[range.clone()]),
            None => to.fill([0.0; 3]),
        }
        for (&w, slope) in weights.iter().zip(slopes.clone()) {
            if w != 0.0 {
                for (to, &s) in to.iter_mut().zip(&slope[range.clone()]) {
                    *to = add_scaled(*to, s, h * w);
                }
            }
        }
    }
}

impl Method for RungeKutta {
    fn name(&self) -> &'static str {
        self.tableau.name
    }

    fn order(&self) -> usize {
        self.tableau.order
    }

    /// Nothing: a step depends on the state alone.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, _: &System) -> Result<(), DynamicsError> {
        Ok(())
    }
}

impl ExplicitScheme for RungeKutta {
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
        let (table, n) = (self.tableau, state.x.len());
        let zero = || vec![[0.0; 3]; n];
        if self.x.len() != n || self.slopes.len() != table.b.len() {
            self.x = zero();
            self.slopes = table.b.iter().map(|_| (zero(), zero())).collect();
        }
        for (stage, (row, c)) in table.a.iter().zip(table.c).enumerate() {
            let (done, rest) = self.slopes.split_at_mut(stage);
            let (v, a) = &mut rest[0];
            combine(&mut self.x, Some(&state.x), h, row, &done.iter().map(|s| &s.0));
            combine(v, Some(&state.v), h, row, &done.iter().map(|s| &s.1));
            let at = state.ahead(&self.x, v, state.time + c * h, h);
            if let Err(cause) = system.accelerations(&at, a) {
                // Where it failed, for the report.
                next.x.copy_from_slice(&self.x);
                return Err(cause);
            }
        }
        combine(&mut next.x, Some(&state.x), h, table.b, &self.slopes.iter().map(|s| &s.0));
        combine(&mut next.v, Some(&state.v), h, table.b, &self.slopes.iter().map(|s| &s.1));
        Ok(false)
    }
}

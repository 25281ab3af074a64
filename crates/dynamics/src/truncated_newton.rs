//! [`TruncatedNewton`]: Newton's quadratic model minimised by conjugate gradients inside a region in which
//! it is trusted; directions of negative curvature are followed to its border (Steihaug 1983).
//!
//! No factorisation and no projection: a stiffness that is not definite is what it is made for. Systems are
//! solved to η = min(½, √(|r|/|r₀|)), so that convergence is superlinear (Dembo and Steihaug 1983).

use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;
use pliant_sections::Sections;
use pliant_solvers::matrix::{Matrix, MatrixProduct, Shape};
use pliant_solvers::sums::{self, add_scaled, dot, norm, set_sum};

use crate::newton::{Counters, NewtonReport};
use crate::problem::inside;
use crate::{DynamicsError, Evaluation, Iterate, NonlinearSolver, Problem, Stopping};

/// Settings of [`TruncatedNewton`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TruncatedNewtonSettings {
    /// |r| ≤ this times the largest of the forces it is the sum of ends the iteration.
    pub force_tolerance: f64,
    /// |r| that ends it whatever it is the sum of, N.
    pub absolute_force: f64,
    /// Iterations after which it is an error.
    pub max_iterations: usize,
    /// Iterations of conjugate gradients within one.
    pub max_inner: usize,
    /// The first radius of trust, as a part of the body.
    pub first_radius: f64,
}

impl Default for TruncatedNewtonSettings {
    fn default() -> Self {
        Self {
            force_tolerance: 1e-6,
            absolute_force: 0.0,
            max_iterations: 200,
            max_inner: 2000,
            first_radius: 0.1,
        }
    }
}

/// The solver, with its memory. It needs problems with an energy.
pub struct TruncatedNewton {
    settings: TruncatedNewtonSettings,
    counters: Counters,
    history: Vec<f64>,
    linear: Option<(Matrix, MatrixProduct)>,
    /// Weights of the vertices in the radius, which also precondition: mean diagonals, of mean 1.
    weights: Vec<f64>,
    r: Vec<f64>,
    next: Vec<f64>,
    next_r: Vec<f64>,
    s: Vec<f64>,
    rest: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    kp: Vec<f64>,
}

/// Less than this part of the decrease that the model promises is no good.
const POOR: f64 = 0.1;
/// Below the first the radius shrinks, above the second it grows.
const TRUST: (f64, f64) = (0.25, 0.75);

/// What the model promises.
struct Promise {
    decrease: f64,
    length: f64,
    at_border: bool,
}

impl TruncatedNewton {
    /// With settings.
    pub fn new(settings: TruncatedNewtonSettings) -> Result<Self, DynamicsError> {
        let inside = |x: f64| x > 0.0 && x < 1.0;
        for (what, found, good, accepted) in [
            (
                "force tolerance",
                settings.force_tolerance,
                inside(settings.force_tolerance),
                "between 0 and 1",
            ),
            (
                "first radius",
                settings.first_radius,
                settings.first_radius > 0.0 && settings.first_radius.is_finite(),
                "a finite number above 0",
            ),
            ("inner iterations", settings.max_inner as f64, settings.max_inner > 0, "at least 1"),
        ] {
            if !good {
                return Err(DynamicsError::Setting { what, found, accepted });
            }
        }
        let none = Vec::new;
        Ok(Self {
            settings,
            counters: Counters::default(),
            history: Vec::new(),
            linear: None,
            weights: Vec::new(),
            r: none(),
            next: none(),
            next_r: none(),
            s: none(),
            rest: none(),
            z: none(),
            p: none(),
            kp: none(),
        })
    }

    fn prepare(&mut self, shape: &Shape) -> Result<(), DynamicsError> {
        let Shape::Blocks(pattern) = shape else {
            return Err(DynamicsError::Unsupported(format!(
                "truncated-newton serves problems of vertices, and this one has {}, as reduced bodies have: take newton",
                shape.kind()
            )));
        };
        let n = shape.size();
        if self.linear.as_ref().is_none_or(|(m, _)| !m.shape().same(shape)) {
            self.linear = Some((Matrix::zero(shape), MatrixProduct::new(shape)));
        }
        self.weights.resize(pattern.rows(), 1.0);
        for list in [
            &mut self.r,
            &mut self.next,
            &mut self.next_r,
            &mut self.s,
            &mut self.rest,
            &mut self.z,
            &mut self.p,
            &mut self.kp,
        ] {
            list.resize(n, 0.0);
        }
        Ok(())
    }

    /// Makes K at y, and the weights from its diagonal.
    fn linearize(&mut self, problem: &mut dyn Problem, y: &[f64]) -> Result<(), ForceError> {
        let Some((matrix, _)) = &mut self.linear else { return Ok(()) };
        self.counters.jacobians += 1;
        problem.jacobian(y, false, matrix)?;
        let matrix = crate::problem::blocks_of(matrix)?;
        for (i, weight) in self.weights.iter_mut().enumerate() {
            let block = matrix
                .pattern()
                .slot(i as u32, i as u32)
                .map_or([0.0; 9], |s| matrix.values[s.index() as usize]);
            *weight = (block[0].abs() + block[4].abs() + block[8].abs()) / 3.0;
        }
        let weights = &self.weights;
        let [sum] = sums::over(weights.len(), &|range| [weights[range].iter().sum()]);
        let mean = sum / self.weights.len().max(1) as f64;
        for weight in &mut self.weights {
            // None is so small that its vertex could go anywhere.
            *weight = if mean > 0.0 { (*weight / mean).max(1e-3) } else { 1.0 };
        }
        Ok(())
    }

    /// Σ wᵢ aᵢ·bᵢ / n: lengths are those of a mean vertex.
    fn inner(&self, a: &[f64], b: &[f64]) -> f64 {
        let (a, b, weights) = (a.as_chunks::<3>().0, b.as_chunks::<3>().0, &self.weights);
        let [sum] = sums::over(weights.len(), &|range| {
            let terms = a[range.clone()].iter().zip(&b[range.clone()]).zip(&weights[range]);
            [terms.map(|((a, b), w)| w * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2])).sum()]
        });
        sum / weights.len().max(1) as f64
    }

    /// The minimum of r·s + ½ s·K s within the radius, or near it, into s.
    fn minimize(&mut self, radius: f64, eta: f64) -> Promise {
        self.s.fill(0.0);
        self.rest.copy_from_slice(&self.r);
        let enough = eta * norm(&self.r);
        let mut decrease = 0.0;
        self.precondition();
        for (p, z) in self.p.iter_mut().zip(&self.z) {
            *p = -z;
        }
        let mut rz = dot(&self.rest, &self.z);
        for _ in 0..self.settings.max_inner {
            self.counters.linear_iterations += 1;
            if let Some((matrix, product)) = &mut self.linear {
                product.apply(matrix, &self.p, &mut self.kp);
            }
            let curvature = dot(&self.p, &self.kp);
            let slope = dot(&self.rest, &self.p);
            let (ss, sp, pp) = (
                self.inner(&self.s, &self.s),
                self.inner(&self.s, &self.p),
                self.inner(&self.p, &self.p),
            );
            // |s + t p| = radius
            let root = (sp * sp + pp * (radius * radius - ss)).max(0.0).sqrt();
            let border = (root - sp) / pp;
            let free = if curvature > 0.0 { rz / curvature } else { f64::INFINITY };
            let t = free.min(border);
            add_scaled(&mut self.s, t, &self.p);
            decrease -= t * slope + 0.5 * t * t * curvature;
            if free >= border {
                return Promise { decrease, length: radius, at_border: true };
            }
            add_scaled(&mut self.rest, t, &self.kp);
            if norm(&self.rest) <= enough {
                break;
            }
            self.precondition();
            let now = dot(&self.rest, &self.z);
            let beta = now / rz;
            rz = now;
            for (p, z) in self.p.iter_mut().zip(&self.z) {
                *p = beta * *p - z;
            }
        }
        Promise { decrease, length: self.inner(&self.s, &self.s).sqrt(), at_border: false }
    }

    fn precondition(&mut self) {
        let (z, r) = (self.z.as_chunks_mut::<3>().0, self.rest.as_chunks::<3>().0);
        for ((z, r), w) in z.iter_mut().zip(r).zip(&self.weights) {
            *z = r.map(|r| r / w);
        }
    }

    fn evaluate(&mut self, problem: &mut dyn Problem, y: &[f64]) -> Result<Evaluation, ForceError> {
        set_sum(&mut self.next, y, 1.0, &self.s);
        self.counters.residuals += 1;
        problem.residual(&self.next, &mut self.next_r)
    }
}

fn no_energy() -> DynamicsError {
    DynamicsError::Unsupported(
        "truncated-newton needs forces that come from an energy: take newton, or leave out damping and pressure on open surfaces".into(),
    )
}

impl NonlinearSolver for TruncatedNewton {
    fn solve(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
    ) -> Result<NewtonReport, DynamicsError> {
        self.prepare(&problem.shape())?;
        self.history.clear();
        self.counters.solves += 1;
        self.counters.residuals += 1;
        let mut here = problem.residual(y, &mut self.r)?;
        let mut radius = self.settings.first_radius * problem.size();
        let (first, mut iterations, mut inverted, mut stale) = (norm(&self.r), 0, None, true);
        let (relative, absolute) = (self.settings.force_tolerance, self.settings.absolute_force);
        let rules = Stopping::by_force(relative, absolute);
        loop {
            let Some((energy, of)) = here.energy else { return Err(no_energy()) };
            let size = norm(&self.r);
            self.history.push(size);
            let wanted = rules.force(here.scale);
            if let Some(reason) = problem.solved(&rules, &Iterate::new(size, &here)) {
                return Ok(NewtonReport::unfactored(iterations, size, here.scale, reason));
            }
            if iterations >= self.settings.max_iterations {
                let (residual, scale, change) =
                    (size, here.scale, problem.longest_move(y, &self.s));
                return Err(DynamicsError::NotConverged {
                    iterations,
                    residual,
                    wanted,
                    scale,
                    change,
                });
            }
            iterations += 1;
            self.counters.iterations += 1;
            if stale {
                self.linearize(problem, y)?;
            }
            let eta = (size / first).sqrt().min(0.5).max(0.5 * wanted / size);
            let promise = self.minimize(radius, eta);
            let reach = problem.admissible(y, &self.s, 1.0)?;
            if reach < 1.0 {
                // A region that lies inside of what models admit along this way.
                self.counters.inversions += 1;
                self.counters.shortened += 1;
                (radius, stale) = (inside(reach, 1.0) * promise.length, false);
                continue;
            }
            let noise = 16.0 * f64::EPSILON * of;
            let taken = match self.evaluate(problem, y) {
                Ok(next) => {
                    let gain = energy - next.energy.map_or(f64::INFINITY, |e| e.0);
                    // Where the decrease is lost in rounding the residual has the word.
                    let ratio = if promise.decrease <= noise {
                        if norm(&self.next_r) < size { 1.0 } else { -1.0 }
                    } else {
                        gain / promise.decrease
                    };
                    if ratio < TRUST.0 {
                        radius = 0.25 * promise.length;
                    } else if ratio > TRUST.1 && promise.at_border {
                        radius *= 2.0;
                    }
                    (ratio > POOR).then_some(next)
                }
                Err(ForceError::Inverted { element, .. }) => {
                    self.counters.inversions += 1;
                    inverted = Some(element);
                    radius = 0.25 * promise.length;
                    None
                }
                Err(other) => return Err(other.into()),
            };
            stale = taken.is_some();
            if let Some(next) = taken {
                y.copy_from_slice(&self.next);
                std::mem::swap(&mut self.r, &mut self.next_r);
                here = next;
            } else {
                self.counters.shortened += 1;
                if radius <= 1e-14 * problem.size() {
                    return Err(DynamicsError::Stuck {
                        iteration: iterations,
                        residual: size,
                        wanted,
                        trials: iterations,
                        shortest: radius / problem.size(),
                        merit: "the energy",
                        inverted,
                    });
                }
            }
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn history(&self) -> &[f64] {
        &self.history
    }

    /// Nothing: every solve starts anew.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, _: &Shape, _: Option<&[Vec3]>) -> Result<(), DynamicsError> {
        Ok(())
    }
}

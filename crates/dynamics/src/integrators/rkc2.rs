//! The Runge-Kutta-Chebyshev method of order 2: as many stages as a step needs to be stable.
//!
//! Van der Houwen and Sommeijer's recursion with the closed-form coefficients, damping ε = 2/13 and the error
//! estimate of Sommeijer, Shampine and Verwer (RKC: an explicit solver for parabolic PDEs, J. Comput. Appl.
//! Math. 88, 1998).

use super::Next;
use super::entry::{IntegratorEntry, explicit};
use super::stabilized::{Family, Stabilized, Stages};
use super::three_term::Recursion;
use crate::{DynamicsError, State, System};

/// ε
const DAMPING: f64 = 2.0 / 13.0;
/// More stages than this are a sign of a step that is much too long.
const MOST_STAGES: usize = 2000;

/// Order 2. With s stages it is stable along the negative real axis down to −0.65 s², in a narrow strip about
/// it: cost grows with the root of the stiffness.
///
/// It is for motion that damping rules: overdamped tissue, creep in a viscous surrounding, the way to rest.
/// There the eigenvalues are real. Vibrations have eigenvalues ±iω, which no number of stages covers; where
/// damping is weak, the step must resolve them (h ω below about 0.5), amplitudes grow by 0.04 (h ω)⁴ a step,
/// and another method is the better choice.
pub type Rkc2 = Stabilized<Rkc>;

/// The [`Family`] of [`Rkc2`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Rkc {
    stages: usize,
}

/// T, T′ and T″ of two orders that follow each other.
struct Chebyshev {
    now: [f64; 3],
    before: [f64; 3],
    at: f64,
}

impl Chebyshev {
    /// T₁ and T₀ at w.
    fn new(w: f64) -> Self {
        Self { now: [w, 1.0, 0.0], before: [1.0, 0.0, 0.0], at: w }
    }

    fn next(&mut self) {
        let ([t, d, dd], b, w) = (self.now, self.before, self.at);
        self.before = self.now;
        self.now = [2.0 * w * t - b[0], 2.0 * (w * d + t) - b[1], 2.0 * (w * dd + 2.0 * d) - b[2]];
    }
}

/// w₀ and w₁ of a number of stages.
fn shape(stages: usize) -> (f64, f64) {
    let w0 = 1.0 + DAMPING / (stages * stages) as f64;
    let mut t = Chebyshev::new(w0);
    (1..stages).for_each(|_| t.next());
    (w0, t.now[1] / t.now[2])
}

impl Rkc2 {
    /// β: with this many stages it is stable for h λ from −β to 0.
    pub fn real_interval(stages: usize) -> f64 {
        let (w0, w1) = shape(stages.max(2));
        (w0 + 1.0) / w1
    }
}

impl Family for Rkc {
    const NAME: &'static str = "rkc2";
    const STAGES: std::ops::RangeInclusive<usize> = 2..=MOST_STAGES;
    const STAGES_ACCEPTED: &'static str = "rkc2 has from 2 to 2000 of them";
    const ERROR_ORDER: usize = 2;

    fn stages(&self) -> usize {
        self.stages
    }

    fn take(&mut self, stages: usize) {
        self.stages = stages;
    }

    fn take_for(&mut self, z: f64) -> Result<(), DynamicsError> {
        // β is near 0.653 (s² − 1), from above or below by little.
        let guess = (1.0 + z / 0.66).sqrt();
        if guess.is_nan() || guess > MOST_STAGES as f64 {
            let accepted =
                "rkc2 would need more than 2000 stages: take a shorter step or an implicit method";
            return Err(DynamicsError::Setting {
                what: "step × spectral radius",
                found: z,
                accepted,
            });
        }
        self.stages = (guess as usize).max(2);
        while Rkc2::real_interval(self.stages) < z {
            self.stages += 1;
        }
        Ok(())
    }

    fn run(
        &self,
        Stages { recursion, .. }: &mut Stages,
        system: &mut System,
        state: &State,
    ) -> Result<(), DynamicsError> {
        let (w0, w1) = shape(self.stages);
        let mut t = Chebyshev::new(w0);
        // b₀ = b₁ = b₂
        let b2 = 1.0 / (4.0 * w0 * w0);
        let (mut b, mut before) = (b2, b2);
        let mut a = 1.0 - b * t.now[0];
        recursion.first_stage(b * w1);
        for _ in 2..=self.stages {
            t.next();
            let [value, slope, curvature] = t.now;
            let next = curvature / (slope * slope);
            let (mu, nu) = (2.0 * next * w0 / b, -next / before);
            let m = 2.0 * next * w1 / b;
            let stages = [1.0 - mu - nu, mu, nu];
            recursion.stage(system, state, Recursion { stages, slopes: [m, -a * m] })?;
            (before, b) = (b, next);
            a = 1.0 - next * value;
        }
        Ok(())
    }

    /// 4/5 (y₀ − y₁) + 2/5 h (f₀ + f₁)
    fn estimate(&self, Stages { recursion, error, h }: &mut Stages, state: &State, next: &Next) {
        let (first, h) = (&recursion.first, *h);
        for i in 0..next.x.len() {
            for k in 0..3 {
                let (v0, v1) = (state.v[i][k], next.v[i][k]);
                error.0[i][k] = 0.8 * (state.x[i][k] - next.x[i][k]) + 0.4 * h * (v0 + v1);
                error.1[i][k] = 0.8 * (v0 - v1) + 0.4 * h * (first[i][k] + next.a[i][k]);
            }
        }
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "rkc2",
    about: "explicit, order 2; as many stages as damped motion needs, knows its error",
    // |R(iy)|² = 1 + y⁴ (1/4 − 2 c₃ + 2 c₄) + …, with c₃ < 1/8 + c₄ for every number of stages.
    imaginary_interval: || 0.0,
    make: |_| explicit(Rkc2::new()),
    ..IntegratorEntry::EXPLICIT
};

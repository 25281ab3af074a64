//! ROCK2: a stabilised method of order 2 from orthogonal polynomials.
//!
//! Abdulle and Medovikov (Second order Chebyshev methods based on orthogonal polynomials, Numer. Math. 90,
//! 2001): the stability polynomial of s stages is R = w P, w of degree 2 with complex roots and P of degree s − 2
//! orthogonal with the weight w²/√(1−x²) on [−1, 1]. Then |w P| is nearly the same at all its extrema, and
//! P comes with a recursion of three terms, which the stages follow.
//!
//! Coefficients are computed here: with w = (x − α)² + β², α = 1 − 3/s² and β = k/s², there is one point a beyond
//! the interval at which R″R = R′², so that z = (x − a) R′(a)/R(a) makes R(z) = 1 + z + z²/2 + … up to a factor;
//! and k is the least for which |R| stays below 0.95 R(a) on [−1, 1]. The interval becomes 0.81 s².

use pliant_algebra::vec3::sub;

use super::entry::{IntegratorEntry, explicit};
use super::stabilized::{Family, Stabilized, Stages};
use super::three_term::Recursion;
use crate::{DynamicsError, State, System};

/// |R| is at most this on the interval.
const DAMPED: f64 = 0.95;
/// Coefficients take time that grows with the square of the number of stages.
const MOST_STAGES: usize = 300;

/// Order 2. With s stages it is stable along the negative real axis down to −0.81 s², a quarter more than
/// [`Rkc2`](super::Rkc2), and for the same kind of motion: that which damping rules.
pub type Rock2 = Stabilized<Rock>;

/// The [`Family`] of [`Rock2`].
#[derive(Debug, Clone, Default)]
pub struct Rock {
    /// What was computed so far, and which of it the last step took.
    tables: Vec<Table>,
    at: usize,
}

/// All that is known of a number of stages.
#[derive(Debug, Clone, Default)]
struct Table {
    stages: usize,
    /// The recursion of P: (x − A) p − B p₋.
    recursion: Vec<[f64; 2]>,
    /// α, β
    root: [f64; 2],
    /// a
    point: f64,
    /// dx/dz
    scale: f64,
}

impl Table {
    /// P orthogonal with the weight of these roots.
    fn with_root(stages: usize, root: [f64; 2]) -> Self {
        let [alpha, beta] = root;
        // Gauss and Chebyshev: exact for w² P², whose degree is 2 s.
        let nodes = stages + 2;
        let angle = |k: usize| (2 * k + 1) as f64 * std::f64::consts::PI / (2 * nodes) as f64;
        let x: Vec<f64> = (0..nodes).map(|k| angle(k).cos()).collect();
        let weight = |x: f64| ((x - alpha) * (x - alpha) + beta * beta).powi(2);
        let weights: Vec<f64> = x.iter().map(|&x| weight(x)).collect();
        // Stieltjes: each from the two before.
        let (mut older, mut last) = (vec![0.0; nodes], vec![1.0; nodes]);
        let mut recursion = Vec::new();
        let mut before = f64::INFINITY;
        for _ in 2..stages {
            let sum = |power: i32| -> f64 {
                (0..nodes).map(|k| weights[k] * x[k].powi(power) * last[k] * last[k]).sum()
            };
            let square = sum(0);
            let [a, b] = [sum(1) / square, square / before];
            for k in 0..nodes {
                (older[k], last[k]) = (last[k], (x[k] - a) * last[k] - b * older[k]);
            }
            before = square;
            recursion.push([a, b]);
        }
        Self { stages, recursion, root, ..Self::default() }
    }

    /// R, R′ and R″.
    fn value(&self, x: f64) -> [f64; 3] {
        let (mut p, mut older) = ([1.0, 0.0, 0.0], [0.0; 3]);
        for [a, b] in &self.recursion {
            let next = [
                (x - a) * p[0] - b * older[0],
                (x - a) * p[1] + p[0] - b * older[1],
                (x - a) * p[2] + 2.0 * p[1] - b * older[2],
            ];
            (p, older) = (next, p);
        }
        let [alpha, beta] = self.root;
        let (w, slope) = ((x - alpha) * (x - alpha) + beta * beta, 2.0 * (x - alpha));
        [w * p[0], slope * p[0] + w * p[1], 2.0 * p[0] + 2.0 * slope * p[1] + w * p[2]]
    }

    /// Finds a; whether there is one.
    fn find_point(&mut self) -> bool {
        let unit = 1.0 / (self.stages * self.stages) as f64;
        let curvature = |x: f64| {
            let [r, d, dd] = self.value(x);
            (dd * r - d * d) / (r * r)
        };
        // (log R)″ is positive near a, where the complex roots rule, and negative far off.
        let mut low = 1.0 - 0.5 * unit;
        let rising = curvature(low) > 0.0;
        let mut high = low;
        while (curvature(high) > 0.0) == rising {
            low = high;
            high += 0.05 * unit;
            if high > 1.0 + 8.0 * unit {
                return false;
            }
        }
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if (curvature(middle) > 0.0) == rising { low = middle } else { high = middle }
        }
        self.point = 0.5 * (low + high);
        let [r, d, _] = self.value(self.point);
        self.scale = r / d;
        true
    }

    /// The largest |R| on [−1, 1] beside R(a), looked at 16 times between zeros: half a percent at most is
    /// missed.
    fn largest(&self) -> f64 {
        let samples = 16 * self.stages;
        let angle = |k: usize| k as f64 * std::f64::consts::PI / samples as f64;
        let one = |k: usize| self.value(angle(k).cos())[0].abs();
        (0..=samples).map(one).fold(0.0, f64::max) / self.value(self.point)[0].abs()
    }

    /// Of a number of stages, at least 3.
    fn new(stages: usize) -> Self {
        let unit = 1.0 / (stages * stages) as f64;
        let make = |k: f64| {
            let mut table = Self::with_root(stages, [1.0 - 3.0 * unit, k * unit]);
            let found = table.find_point();
            (found && table.largest() <= DAMPED, table)
        };
        // At 6 it is always damped enough, at 2 never.
        let (mut low, mut high) = (2.0, 6.0);
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            if make(middle).0 { high = middle } else { low = middle }
        }
        make(high).1
    }

    /// The interval −l … 0 of z.
    fn real_interval(&self) -> f64 {
        (1.0 + self.point) / self.scale
    }

    /// σ and τ of w(z)/w(0) = 1 + 2σ z + τ z².
    fn finish(&self) -> [f64; 2] {
        let [alpha, beta] = self.root;
        let d = self.point - alpha;
        let w = d * d + beta * beta;
        [d * self.scale / w, self.scale * self.scale / w]
    }
}

/// The next number of stages that is taken: all up to 31, then every other, every third, …
fn rounded_up(stages: usize) -> usize {
    stages.next_multiple_of((stages / 16).max(1))
}

impl Rock2 {
    /// l: with this many stages it is stable for h λ from −l to 0. It takes a moment to compute.
    pub fn real_interval(stages: usize) -> f64 {
        Table::new(stages.clamp(3, MOST_STAGES)).real_interval()
    }
}

impl Family for Rock {
    const NAME: &'static str = "rock2";
    const STAGES: std::ops::RangeInclusive<usize> = 3..=MOST_STAGES;
    const STAGES_ACCEPTED: &'static str = "rock2 has from 3 to 300 of them";
    /// The correction of the last stages is that of a method of order 1.
    const ERROR_ORDER: usize = 1;

    fn stages(&self) -> usize {
        self.tables.get(self.at).map_or(0, |t| t.stages)
    }

    /// Takes the table of a number of stages, made when it is first needed.
    fn take(&mut self, stages: usize) {
        self.at = self.tables.iter().position(|t| t.stages == stages).unwrap_or_else(|| {
            self.tables.push(Table::new(stages));
            self.tables.len() - 1
        });
    }

    /// Takes the smallest number out of few: coefficients are not for nothing.
    fn take_for(&mut self, z: f64) -> Result<(), DynamicsError> {
        // l is 0.68 s² for 3 stages and soon 0.8 s².
        let least = (z / 0.81).sqrt();
        let refused = least.is_nan() || least > 0.9 * MOST_STAGES as f64;
        let mut stages =
            if refused { MOST_STAGES + 1 } else { rounded_up(least.max(3.0) as usize) };
        while stages <= MOST_STAGES {
            self.take(stages);
            if self.tables[self.at].real_interval() >= z {
                return Ok(());
            }
            stages = rounded_up(stages + 1);
        }
        let accepted = "rock2 would need more than 270 stages: take a shorter step, rkc2 or an implicit method";
        Err(DynamicsError::Setting { what: "step × spectral radius", found: z, accepted })
    }

    /// The slopes whose difference is the error are those of the last two stages.
    fn run(
        &self,
        Stages { recursion, error, h }: &mut Stages,
        system: &mut System,
        state: &State,
    ) -> Result<(), DynamicsError> {
        let table = &self.tables[self.at];
        let (a, d, h) = (table.point, table.scale, *h);
        // Each polynomial is divided by its value at a: p holds those values of the last two.
        let (mut p, mut older) = (1.0, 0.0);
        for (j, [shift, square]) in table.recursion.iter().enumerate() {
            let next = (a - shift) * p - square * older;
            let m = d * p / next;
            if j == 0 {
                recursion.first_stage(m);
            } else {
                let stages = [0.0, (a - shift) * p / next, -square * older / next];
                recursion.stage(system, state, Recursion { stages, slopes: [m, 0.0] })?;
            }
            (p, older) = (next, p);
        }
        // y₁ = (1 + σ z)² with the square of z corrected from σ² to τ, by slopes f₁ and f₂ on the way.
        let [sigma, tau] = table.finish();
        let step = Recursion { stages: [0.0, 1.0, 0.0], slopes: [sigma, 0.0] };
        recursion.stage(system, state, step)?;
        error.0.copy_from_slice(&recursion.older.1);
        error.1.copy_from_slice(&recursion.slope);
        recursion.stage(system, state, step)?;
        let weight = h * sigma * (1.0 - tau / (sigma * sigma));
        let correct = |error: &mut [[f64; 3]], slope: &[[f64; 3]], y: &mut [[f64; 3]]| {
            for ((e, &f), y) in error.iter_mut().zip(slope).zip(y) {
                *e = sub(f, *e).map(|c| weight * c);
                *y = sub(*y, *e);
            }
        };
        correct(&mut error.0, &recursion.older.1, &mut recursion.last.0);
        correct(&mut error.1, &recursion.slope, &mut recursion.last.1);
        Ok(())
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "rock2",
    about: "explicit, order 2; as rkc2, with a longer stability interval",
    // As of rkc2.
    imaginary_interval: || 0.0,
    make: |_| explicit(Rock2::new()),
    ..IntegratorEntry::EXPLICIT
};

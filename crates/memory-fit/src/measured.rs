//! [`Measured`]: data of a material over time or frequency, and their fits.

use std::f64::consts::{LN_10, TAU};

use crate::complex::Complex;
use crate::constant_q::Band;
use crate::error::FitError;
use crate::least_squares::{Columns, Residuals, minimise};
use crate::nnls::nonnegative;
use crate::relaxation::{MOST_TERMS, Relaxation, Term};

/// Rows that every table must have.
const FEWEST_ROWS: usize = 4;
/// A further term must lower the residual to this part of what it was.
const WORTH_A_TERM: f64 = 0.95;
/// A root mean square of relative residuals that is rounding.
const EXACT: f64 = 1e-12;
/// Relaxation times that are tried a decade.
const TIMES_A_DECADE: f64 = 8.0;
/// Below this part of the instantaneous modulus a long-term modulus is not seen by the data.
const NO_LONG_TERM: f64 = 1e-6;

/// Data of a material.
#[derive(Debug, Clone, PartialEq)]
pub enum Measured {
    /// Stress under some strain that varies with time. The strain is linear between rows; before the first row the material was at rest and unstrained,
    /// so that a first strain other than 0 is a step.
    Loading {
        /// s.
        time: Vec<f64>,
        /// Of any measure, if the modulus is meant for it.
        strain: Vec<f64>,
        /// Pa.
        stress: Vec<f64>,
    },
    /// Complex modulus in steady oscillation.
    Oscillation {
        /// Hz.
        frequency: Vec<f64>,
        /// Real part, Pa.
        storage: Vec<f64>,
        /// Imaginary part, Pa.
        loss: Vec<f64>,
    },
    /// Stress over strain after a step of strain at time 0.
    StepStrain {
        /// s.
        time: Vec<f64>,
        /// Pa.
        modulus: Vec<f64>,
    },
}

/// Data by a sum of exponentials.
#[derive(Debug, Clone, PartialEq)]
pub struct DataFit {
    /// The series.
    pub relaxation: Relaxation,
    /// Root mean square of residuals: relative ones of moduli, and of stresses over the root mean square of all stresses.
    pub rms: f64,
    /// Largest residual, measured alike.
    pub max_modulus_error: f64,
    /// Frequencies that the data tell of: those measured, or 1/2πt of the longest and the shortest time.
    pub band: Band,
    /// Smallest quality factor of the series in that band.
    pub q_min: f64,
    /// Largest quality factor of the series in that band; infinite without terms.
    pub q_max: f64,
}

impl Measured {
    /// Reads a table with a header: `time, strain, stress`, `frequency, storage, loss` or `time, modulus`, in any order; units may follow in brackets,
    /// as in `stress [kPa]`, and are s, Hz and Pa without. Errors say which line and column is wrong.
    ///
    /// ```
    /// use pliant_memory_fit::Measured;
    /// let table = "time [ms], modulus [kPa]\n1, 5\n10, 4\n100, 3\n1000, 3\n";
    /// assert_eq!(Measured::read(table)?.rows(), 4);
    /// # Ok::<(), pliant_memory_fit::FitError>(())
    /// ```
    pub fn read(text: &str) -> Result<Self, FitError> {
        crate::csv::read(text)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns().iter().map(|(_, column)| column.len()).min().unwrap_or(0)
    }

    /// The names of its columns: `"time, strain, stress"`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Loading { .. } => "time, strain, stress",
            Self::Oscillation { .. } => "frequency, storage, loss",
            Self::StepStrain { .. } => "time, modulus",
        }
    }

    fn columns(&self) -> Vec<(&'static str, &[f64])> {
        match self {
            Self::Loading { time, strain, stress } => {
                vec![("time", time), ("strain", strain), ("stress", stress)]
            }
            Self::Oscillation { frequency, storage, loss } => {
                vec![("frequency", frequency), ("storage", storage), ("loss", loss)]
            }
            Self::StepStrain { time, modulus } => vec![("time", time), ("modulus", modulus)],
        }
    }

    /// What is wrong with the numbers, if anything is.
    pub(crate) fn check(&self) -> Result<(), FitError> {
        let wrong = |row: usize, column: &'static str, text: &str| FitError::Row {
            row,
            column,
            text: text.to_owned(),
        };
        let columns = self.columns();
        let rows = self.rows();
        for (name, column) in columns {
            if column.len() != rows {
                return Err(wrong(rows, name, "the columns differ in length"));
            }
            if let Some(row) = column.iter().position(|v| !v.is_finite()) {
                return Err(wrong(row, name, "a finite number is needed"));
            }
            let good: fn(f64) -> bool = match name {
                "frequency" | "storage" | "modulus" => |v| v > 0.0,
                "loss" => |v| v >= 0.0,
                "time" if matches!(self, Self::StepStrain { .. }) => |v| v >= 0.0,
                _ => |_| true,
            };
            if let Some(row) = column.iter().position(|&v| !good(v)) {
                let zero = matches!(name, "loss" | "time");
                let text = if zero { "must not be below 0" } else { "must be above 0" };
                return Err(wrong(row, name, text));
            }
            if name == "time"
                && let Some(row) = column.windows(2).position(|pair| pair[1] <= pair[0])
            {
                return Err(wrong(row + 1, name, "times must ascend"));
            }
        }
        if rows < FEWEST_ROWS {
            let wanted = "a fit".to_owned();
            return Err(FitError::TooFewRows { rows, needed: FEWEST_ROWS, wanted });
        }
        match self {
            Self::Loading { strain, .. } if strain.iter().all(|e| *e == 0.0) => {
                Err(FitError::Undetermined("strain is 0 in all rows: no modulus follows".into()))
            }
            Self::Loading { stress, .. } if stress.iter().all(|s| *s == 0.0) => {
                Err(FitError::Undetermined("stress is 0 in all rows: no modulus follows".into()))
            }
            _ => Ok(()),
        }
    }

    /// Fits long-term modulus, moduli and times. Terms are added one by one, each at the time where it helps most, with all numbers fitted anew,
    /// until the next one would not lower the residual (over the degrees of freedom that are left) by 5 %, or there are `most`.
    pub fn fit(&self, most: usize) -> Result<DataFit, FitError> {
        self.check()?;
        let problem = Problem::new(self);
        // Two numbers a term and the long-term modulus; one residual more than these.
        let most = most.min(MOST_TERMS).min((problem.len() - 2) / 2);
        let times = self.candidates();
        let mut best = problem.linear(&[]);
        let mut freedom = problem.len() as f64 - 1.0;
        for _ in 0..most {
            if best.sum <= EXACT * EXACT * problem.len() as f64 {
                break;
            }
            let Some(next) = problem.with_one_more(&best, &times) else { break };
            let left = freedom - 2.0;
            let close = next.times().windows(2).any(|pair| pair[1] < 1.01 * pair[0]);
            let falls = next.sum / left < WORTH_A_TERM.powi(2) * best.sum / freedom;
            if close || !falls {
                break;
            }
            (best, freedom) = (next, left);
        }
        self.finish(&problem, &best)
    }

    /// Fits long-term modulus and moduli to given relaxation times (s), which is a linear problem. Times that do not help get no term.
    pub fn fit_times(&self, times: &[f64]) -> Result<DataFit, FitError> {
        self.check()?;
        if times.len() > MOST_TERMS {
            let (name, found) = ("times", times.len() as f64);
            return Err(FitError::OutOfRange { name, found, accepted: "at most 16 times" });
        }
        if let Some(&found) = times.iter().find(|t| !(t.is_finite() && **t > 0.0)) {
            let accepted = "must be a finite time above 0";
            return Err(FitError::OutOfRange { name: "times", found, accepted });
        }
        let (rows, needed) = (self.rows(), times.len() + 1);
        if rows < needed {
            let wanted = format!("{} times", times.len());
            return Err(FitError::TooFewRows { rows, needed, wanted });
        }
        let problem = Problem::new(self);
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        self.finish(&problem, &problem.linear(&times))
    }

    fn finish(&self, problem: &Problem<'_>, found: &Found) -> Result<DataFit, FitError> {
        let relaxation = found.relaxation.clone();
        let none = NO_LONG_TERM * relaxation.instantaneous();
        if relaxation.long_term <= none {
            let text = "the data relax to nothing: they tell of no long-term modulus, which an elastic law needs; data over longer times \
                        (or lower frequencies) may";
            return Err(FitError::Undetermined(text.to_owned()));
        }
        let band = self.band();
        let (mut q_min, mut q_max) = (f64::INFINITY, 0.0_f64);
        for f in band.frequencies() {
            let q = relaxation.q(TAU * f);
            (q_min, q_max) = (q_min.min(q), q_max.max(q));
        }
        let residuals = problem.sizes(&relaxation);
        let mean = residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len() as f64;
        let max_modulus_error = residuals.iter().fold(0.0_f64, |m, r| m.max(*r));
        Ok(DataFit { relaxation, rms: mean.sqrt(), max_modulus_error, band, q_min, q_max })
    }

    /// Shortest and longest time that the data resolve, s.
    fn resolved(&self) -> [f64; 2] {
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, 0.0_f64], |[a, b], v| [a.min(v), b.max(v)])
        };
        match self {
            Self::Loading { time, .. } => {
                let shortest = ends(&mut time.windows(2).map(|pair| pair[1] - pair[0]))[0];
                [shortest, time[time.len() - 1] - time[0]]
            }
            Self::Oscillation { frequency, .. } => {
                ends(&mut frequency.iter().map(|f| 1.0 / (TAU * f)))
            }
            Self::StepStrain { time, .. } => ends(&mut time.iter().copied().filter(|t| *t > 0.0)),
        }
    }

    fn band(&self) -> Band {
        let [shortest, longest] = self.resolved();
        Band { from: 1.0 / (TAU * longest), to: 1.0 / (TAU * shortest) }
    }

    /// Relaxation times to try, s: from half a decade before what is resolved to half a decade beyond.
    fn candidates(&self) -> Vec<f64> {
        let [shortest, longest] = self.resolved();
        let (from, to) = (shortest.ln() - 0.5 * LN_10, longest.ln() + 0.5 * LN_10);
        let count = ((to - from) / LN_10 * TIMES_A_DECADE).ceil();
        let time = |k: usize| (from + (to - from) * k as f64 / count).exp();
        (0..=count as usize).map(time).collect()
    }
}

/// A series and its Σ r².
#[derive(Clone)]
struct Found {
    relaxation: Relaxation,
    sum: f64,
}

impl Found {
    fn times(&self) -> Vec<f64> {
        self.relaxation.terms.iter().map(|t| t.time).collect()
    }
}

/// Residuals of data, scaled: Σ Gᵢ cᵢ − b, with a column c∞ for the long-term modulus and a column c(τ) for a time. Oscillations have their real
/// parts before their imaginary parts.
struct Problem<'a> {
    data: &'a Measured,
    /// What each row is divided by.
    scale: Vec<f64>,
    /// b.
    right: Vec<f64>,
}

impl<'a> Problem<'a> {
    fn new(data: &'a Measured) -> Self {
        let (scale, right) = match data {
            Measured::Loading { stress, .. } => {
                let mean = stress.iter().map(|s| s * s).sum::<f64>() / stress.len() as f64;
                let scale = vec![mean.sqrt(); stress.len()];
                let right = stress.iter().zip(&scale).map(|(s, by)| s / by).collect();
                (scale, right)
            }
            Measured::Oscillation { storage, loss, .. } => {
                let one: Vec<f64> = storage.iter().zip(loss).map(|(s, l)| s.hypot(*l)).collect();
                let scale = [&one[..], &one[..]].concat();
                let all = storage.iter().chain(loss);
                let right = all.zip(&scale).map(|(m, by)| m / by).collect();
                (scale, right)
            }
            Measured::StepStrain { modulus, .. } => (modulus.clone(), vec![1.0; modulus.len()]),
        };
        Self { data, scale, right }
    }

    fn scaled(&self, mut column: Vec<f64>) -> Vec<f64> {
        column.iter_mut().zip(&self.scale).for_each(|(c, by)| *c /= by);
        column
    }

    /// c∞.
    fn long_term(&self) -> Vec<f64> {
        self.scaled(match self.data {
            Measured::Loading { strain, .. } => strain.clone(),
            Measured::Oscillation { frequency, .. } => {
                let n = frequency.len();
                (0..2 * n).map(|k| if k < n { 1.0 } else { 0.0 }).collect()
            }
            Measured::StepStrain { time, .. } => vec![1.0; time.len()],
        })
    }

    /// c(τ) and ∂c/∂ln τ.
    fn branch(&self, tau: f64) -> [Vec<f64>; 2] {
        let pairs = match self.data {
            Measured::Loading { time, strain, .. } => loading(time, strain, tau),
            Measured::Oscillation { frequency, .. } => {
                let all = frequency.iter().map(|f| {
                    let z = Complex::new(0.0, TAU * f * tau);
                    let one = Complex::real(1.0) + z;
                    (z / one, z / one / one)
                });
                let (c, d): (Vec<Complex>, Vec<Complex>) = all.unzip();
                let flat = |c: &[Complex]| {
                    c.iter().map(|c| c.re).chain(c.iter().map(|c| c.im)).collect::<Vec<_>>()
                };
                [flat(&c), flat(&d)]
            }
            Measured::StepStrain { time, .. } => {
                let all = time.iter().map(|t| ((-t / tau).exp(), t / tau * (-t / tau).exp()));
                let (c, d) = all.unzip();
                [c, d]
            }
        };
        pairs.map(|column| self.scaled(column))
    }

    /// Residuals of a series, one a row of the table.
    fn sizes(&self, relaxation: &Relaxation) -> Vec<f64> {
        let mut r: Vec<f64> = self.right.iter().map(|b| -b).collect();
        let mut add = |g: f64, column: &[f64]| {
            r.iter_mut().zip(column).for_each(|(r, c)| *r += g * c);
        };
        add(relaxation.long_term, &self.long_term());
        for term in &relaxation.terms {
            add(term.modulus, &self.branch(term.time)[0]);
        }
        let rows = self.data.rows();
        if r.len() == rows {
            r.iter().map(|r| r.abs()).collect()
        } else {
            (0..rows).map(|k| r[k].hypot(r[rows + k])).collect()
        }
    }

    /// The moduli for given times; times without a modulus are left out.
    fn linear(&self, times: &[f64]) -> Found {
        let branches = times.iter().map(|&tau| self.branch(tau).into_iter().next());
        let columns: Columns =
            std::iter::once(self.long_term()).chain(branches.flatten()).collect();
        let x = nonnegative(&columns, &self.right);
        let terms = times.iter().zip(&x[1..]).filter(|(_, g)| **g > 0.0);
        let terms = terms.map(|(&time, &modulus)| Term { time, modulus }).collect();
        let relaxation = Relaxation { long_term: x[0], terms };
        let sum = self.sizes(&relaxation).iter().map(|r| r * r).sum();
        Found { relaxation, sum }
    }

    /// One term more, where it helps most, and all numbers fitted anew; none where no further term helps.
    fn with_one_more(&self, before: &Found, candidates: &[f64]) -> Option<Found> {
        let wanted = before.relaxation.terms.len() + 1;
        let known = before.times();
        let far = |t: &&f64| known.iter().all(|k| (**t / k).ln().abs() > 0.05);
        let tried = candidates.iter().filter(far).map(|&t| {
            let mut times = known.clone();
            times.push(t);
            self.linear(&times)
        });
        let whole = tried.filter(|found| found.relaxation.terms.len() == wanted);
        let mut start = whole.min_by(|a, b| a.sum.total_cmp(&b.sum))?.relaxation;
        // Its logarithm must be finite; what is not seen falls no lower.
        start.long_term = start.long_term.max(1e-9 * start.instantaneous());
        let minimum = minimise(self, start.logarithms());
        let relaxation = Relaxation::from_logarithms(&minimum.q);
        Some(Found { relaxation, sum: minimum.sum })
    }
}

impl Residuals for Problem<'_> {
    fn len(&self) -> usize {
        self.right.len()
    }

    fn residuals(&self, q: &[f64], r: &mut [f64]) {
        let m = (q.len() - 1) / 2;
        r.iter_mut().zip(&self.right).for_each(|(r, b)| *r = -b);
        let mut add = |g: f64, column: &[f64]| {
            r.iter_mut().zip(column).for_each(|(r, c)| *r += g * c);
        };
        add(q[0].exp(), &self.long_term());
        for k in 0..m {
            add(q[1 + k].exp(), &self.branch(q[1 + m + k].exp())[0]);
        }
    }

    fn jacobian(&self, q: &[f64], columns: &mut Columns) {
        let m = (q.len() - 1) / 2;
        let scaled = |g: f64, column: Vec<f64>| column.into_iter().map(|c| g * c).collect();
        columns[0] = scaled(q[0].exp(), self.long_term());
        for k in 0..m {
            let g = q[1 + k].exp();
            let [value, slope] = self.branch(q[1 + m + k].exp());
            columns[1 + k] = scaled(g, value);
            columns[1 + m + k] = scaled(g, slope);
        }
    }
}

/// The strain of the spring of a branch, q̇ = ε̇ − q/τ, exact for a strain that is linear between rows: q ← e q + φ Δε with
/// a = Δt/τ, e = exp(−a), φ = (1 − e)/a; and its derivative by ln τ.
fn loading(time: &[f64], strain: &[f64], tau: f64) -> [Vec<f64>; 2] {
    let (mut q, mut slope) = (strain[0], 0.0);
    let (mut values, mut slopes) = (vec![q], vec![slope]);
    for (t, e) in time.windows(2).zip(strain.windows(2)) {
        let a = (t[1] - t[0]) / tau;
        let (decay, phi) = ((-a).exp(), -(-a).exp_m1() / a);
        let change = e[1] - e[0];
        slope = decay * (slope + a * q) + (phi - decay) * change;
        q = decay * q + phi * change;
        values.push(q);
        slopes.push(slope);
    }
    [values, slopes]
}

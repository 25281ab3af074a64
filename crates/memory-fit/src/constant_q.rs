//! [`ConstantQ`]: a material whose quality factor does not depend on frequency (Kjartansson 1979), and its fit.

use std::f64::consts::{PI, TAU};

use crate::complex::Complex;
use crate::error::FitError;
use crate::gamma::gamma;
use crate::least_squares::{Columns, Residuals, minimise};
use crate::relaxation::{MOST_TERMS, Relaxation, Term};
use crate::residuals::Derivatives;

/// Frequencies a decade at which fits and their errors are taken.
pub const POINTS_A_DECADE: f64 = 40.0;
/// Decades that a band may have.
const MOST_DECADES: f64 = 12.0;

/// Frequencies from one to another, Hz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The lowest, Hz.
    pub from: f64,
    /// The highest, Hz.
    pub to: f64,
}

impl Band {
    /// The band that materials are fitted over where none is given: 0.1 Hz to 100 Hz, where hands and animations move.
    pub const DEFAULT: Self = Self { from: 0.1, to: 100.0 };

    /// Decades in it.
    pub fn decades(self) -> f64 {
        (self.to / self.from).log10()
    }

    /// Frequencies with equal ratios, both ends included, Hz.
    pub fn frequencies(self) -> Vec<f64> {
        let count = (POINTS_A_DECADE * self.decades()).round().max(1.0) as usize;
        let step = (self.to / self.from).ln() / count as f64;
        (0..=count).map(|k| self.from * (step * k as f64).exp()).collect()
    }

    fn check(self) -> Result<(), FitError> {
        let positive = "must be a finite frequency above 0";
        check("from", self.from, self.from > 0.0, positive)?;
        check(
            "to",
            self.to,
            self.to > self.from,
            "must be a finite frequency above that of 'from'",
        )?;
        check("to", self.to, self.decades() <= MOST_DECADES, "at most 12 decades above 'from'")
    }
}

/// M(ω) = M₀ (iω/ω₀)^2γ with γ = arctan(1/Q)/π.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstantQ {
    /// Q = Re M / Im M, at all frequencies.
    pub q: f64,
    /// M₀ = |M(ω₀)|, Pa: the absolute value, not the storage modulus.
    pub modulus: f64,
    /// ω₀/2π, Hz.
    pub at: f64,
}

/// A constant-Q material by a sum of exponentials.
#[derive(Debug, Clone, PartialEq)]
pub struct QFit {
    /// The series.
    pub relaxation: Relaxation,
    /// The band it was fitted over.
    pub band: Band,
    /// Root of the mean of |M/M_fit − 1|² over the band.
    pub rms: f64,
    /// Largest | |M_fit|/|M| − 1 | over the band.
    pub max_modulus_error: f64,
    /// Smallest quality factor over the band.
    pub q_min: f64,
    /// Largest quality factor over the band.
    pub q_max: f64,
    /// Iterations of the fit.
    pub iterations: usize,
}

fn check(
    name: &'static str,
    found: f64,
    good: bool,
    accepted: &'static str,
) -> Result<(), FitError> {
    if good && found.is_finite() {
        Ok(())
    } else {
        Err(FitError::OutOfRange { name, found, accepted })
    }
}

impl ConstantQ {
    /// γ = arctan(1/Q)/π, between 0 (elastic) and ½ (fluid).
    pub fn gamma(&self) -> f64 {
        (1.0 / self.q).atan() / PI
    }

    fn omega(&self) -> f64 {
        TAU * self.at
    }

    /// M(ω), Pa, at a circular frequency in rad/s.
    pub fn complex(&self, omega: f64) -> Complex {
        let power = 2.0 * self.gamma();
        Complex::polar(self.modulus * (omega / self.omega()).powf(power), 0.5 * PI * power)
    }

    /// G(t) = M₀/Γ(1−2γ) (ω₀t)^−2γ, Pa: stress at time t (s) after a unit step of strain.
    pub fn relaxation(&self, t: f64) -> f64 {
        let power = 2.0 * self.gamma();
        self.modulus / gamma(1.0 - power) * (self.omega() * t).powf(-power)
    }

    /// J(t) = (ω₀t)^2γ/(M₀ Γ(1+2γ)), 1/Pa: strain at time t (s) after a unit step of stress.
    pub fn creep(&self, t: f64) -> f64 {
        let power = 2.0 * self.gamma();
        (self.omega() * t).powf(power) / (self.modulus * gamma(1.0 + power))
    }

    fn check(&self) -> Result<(), FitError> {
        check("q", self.q, self.q > 0.0, "must be a finite quality factor above 0")?;
        check("modulus", self.modulus, self.modulus > 0.0, "must be a finite modulus above 0")?;
        check("at", self.at, self.at > 0.0, "must be a finite frequency above 0")
    }

    /// The series that follows from G(t) as an integral over exponentials, M₀ sin(πα)/π ∫ (1/ω₀τ)^α e^(−t/τ) d ln τ with α = 2γ, by the midpoint rule
    /// on equal pieces of the band; G∞ is the part of the integral beyond its slow end. What is beyond the fast end, a viscosity, is left out.
    pub fn closed_form(&self, band: Band, terms: usize) -> Relaxation {
        let alpha = 2.0 * self.gamma();
        let (shortest, longest) = (1.0 / (TAU * band.to), 1.0 / (TAU * band.from));
        let width = (longest / shortest).ln() / terms as f64;
        let part =
            |time: f64| self.modulus / PI * (PI * alpha).sin() * (self.omega() * time).powf(-alpha);
        let term = |k: usize| {
            let time = shortest * (width * (k as f64 + 0.5)).exp();
            Term { time, modulus: width * part(time) }
        };
        Relaxation { long_term: part(longest) / alpha, terms: (0..terms).map(term).collect() }
    }

    /// The series with the least relative error of compliance, Σ |M(ω)/M_fit(ω) − 1|², over a band.
    pub fn fit(&self, band: Band, terms: usize) -> Result<QFit, FitError> {
        self.check()?;
        band.check()?;
        let enough = (1..=MOST_TERMS).contains(&terms);
        check("terms", terms as f64, enough, "must be 1 to 16")?;
        let omegas: Vec<f64> = band.frequencies().iter().map(|f| TAU * f).collect();
        let wanted = omegas.iter().map(|&w| self.complex(w)).collect();
        let problem = Compliance { omegas, wanted };
        let minimum = minimise(&problem, self.closed_form(band, terms).logarithms());
        let relaxation = Relaxation::from_logarithms(&minimum.q);
        let mut fit = QFit {
            rms: (minimum.sum / problem.omegas.len() as f64).sqrt(),
            max_modulus_error: 0.0,
            q_min: f64::INFINITY,
            q_max: 0.0,
            iterations: minimum.iterations,
            relaxation,
            band,
        };
        for (&omega, wanted) in problem.omegas.iter().zip(&problem.wanted) {
            let m = fit.relaxation.complex(omega);
            let error = (m.size() / wanted.size() - 1.0).abs();
            fit.max_modulus_error = fit.max_modulus_error.max(error);
            (fit.q_min, fit.q_max) = (fit.q_min.min(m.re / m.im), fit.q_max.max(m.re / m.im));
        }
        Ok(fit)
    }

    /// Terms that keep |M| and Q within 5 % over a band for quality factors from 3: five for three decades, seven for five.
    pub fn default_terms(band: Band) -> usize {
        ((band.decades() * 1.4).ceil() as usize).clamp(3, MOST_TERMS)
    }
}

/// r = M/M_fit − 1 over frequencies, real parts before imaginary parts.
struct Compliance {
    omegas: Vec<f64>,
    wanted: Vec<Complex>,
}

impl Residuals for Compliance {
    fn len(&self) -> usize {
        2 * self.omegas.len()
    }

    fn residuals(&self, q: &[f64], r: &mut [f64]) {
        let (re, im) = r.split_at_mut(self.omegas.len());
        for (k, (&omega, &wanted)) in self.omegas.iter().zip(&self.wanted).enumerate() {
            let ratio = wanted / Derivatives::modulus(q, omega);
            (re[k], im[k]) = (ratio.re - 1.0, ratio.im);
        }
    }

    fn jacobian(&self, q: &[f64], columns: &mut Columns) {
        let half = self.omegas.len();
        for (k, (&omega, &wanted)) in self.omegas.iter().zip(&self.wanted).enumerate() {
            let m = Derivatives::modulus(q, omega);
            let factor = -(wanted / m) / m;
            Derivatives::of_modulus(q, omega, |j, d| {
                let d = factor * d;
                (columns[j][k], columns[j][half + k]) = (d.re, d.im);
            });
        }
    }
}

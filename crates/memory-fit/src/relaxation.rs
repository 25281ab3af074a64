//! [`Relaxation`]: a modulus that relaxes as a sum of exponentials.

use crate::complex::Complex;

/// The most terms of a series.
pub const MOST_TERMS: usize = 16;

/// A branch: Gᵢ e^(−t/τᵢ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// τᵢ, s.
    pub time: f64,
    /// Gᵢ, Pa.
    pub modulus: f64,
}

/// G(t) = G∞ + Σ Gᵢ e^(−t/τᵢ): the stress after a unit step of strain, of the generalised Maxwell model (a Prony series).
#[derive(Debug, Clone, PartialEq)]
pub struct Relaxation {
    /// G∞, Pa.
    pub long_term: f64,
    /// Branches, the shortest time first.
    pub terms: Vec<Term>,
}

impl Relaxation {
    /// G(0) = G∞ + Σ Gᵢ, Pa.
    pub fn instantaneous(&self) -> f64 {
        self.long_term + self.terms.iter().map(|t| t.modulus).sum::<f64>()
    }

    /// G(t), Pa.
    pub fn at(&self, t: f64) -> f64 {
        let branch = |term: &Term| term.modulus * (-t / term.time).exp();
        self.long_term + self.terms.iter().map(branch).sum::<f64>()
    }

    /// The complex modulus M(ω) = G∞ + Σ Gᵢ iωτᵢ/(1 + iωτᵢ) at a circular frequency in rad/s: stress over strain in a steady
    /// oscillation. Its real part stores, its imaginary part loses.
    pub fn complex(&self, omega: f64) -> Complex {
        let mut sum = Complex::real(self.long_term);
        for term in &self.terms {
            let z = Complex::new(0.0, omega * term.time);
            sum = sum + (z / (Complex::real(1.0) + z)).scale(term.modulus);
        }
        sum
    }

    /// The quality factor Re M / Im M at a circular frequency in rad/s.
    pub fn q(&self, omega: f64) -> f64 {
        let m = self.complex(omega);
        m.re / m.im
    }

    /// The longest relaxation time, s; 0 without terms.
    pub fn longest(&self) -> f64 {
        self.terms.iter().fold(0.0, |longest, t| longest.max(t.time))
    }

    /// ln G∞, ln Gᵢ…, ln τᵢ…: what fits vary, so that all of them stay above zero.
    pub(crate) fn logarithms(&self) -> Vec<f64> {
        let moduli = self.terms.iter().map(|t| t.modulus.ln());
        let times = self.terms.iter().map(|t| t.time.ln());
        std::iter::once(self.long_term.ln()).chain(moduli).chain(times).collect()
    }

    /// The series of such logarithms, in order of time.
    pub(crate) fn from_logarithms(q: &[f64]) -> Self {
        let m = (q.len() - 1) / 2;
        let term = |k: usize| Term { time: q[1 + m + k].exp(), modulus: q[1 + k].exp() };
        let mut terms: Vec<Term> = (0..m).map(term).collect();
        terms.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self { long_term: q[0].exp(), terms }
    }
}

//! [`Derivatives`]: moduli and their derivatives by the logarithms of long-term modulus, moduli and times.

use crate::complex::Complex;

/// Functions of q = (ln G∞, ln G₁ …, ln τ₁ …).
pub(crate) struct Derivatives;

impl Derivatives {
    /// Gᵢ and τᵢ.
    pub(crate) fn term(q: &[f64], k: usize) -> (f64, f64) {
        let m = (q.len() - 1) / 2;
        (q[1 + k].exp(), q[1 + m + k].exp())
    }

    /// M(ω).
    pub(crate) fn modulus(q: &[f64], omega: f64) -> Complex {
        let m = (q.len() - 1) / 2;
        let mut sum = Complex::real(q[0].exp());
        for k in 0..m {
            let (g, tau) = Self::term(q, k);
            let z = Complex::new(0.0, omega * tau);
            sum = sum + (z / (Complex::real(1.0) + z)).scale(g);
        }
        sum
    }

    /// ∂M/∂q_j for all j: G∞, Gᵢ z/(1+z), Gᵢ z/(1+z)² with z = iωτᵢ.
    pub(crate) fn of_modulus(q: &[f64], omega: f64, mut put: impl FnMut(usize, Complex)) {
        let m = (q.len() - 1) / 2;
        put(0, Complex::real(q[0].exp()));
        for k in 0..m {
            let (g, tau) = Self::term(q, k);
            let z = Complex::new(0.0, omega * tau);
            let one = Complex::real(1.0) + z;
            let by_modulus = (z / one).scale(g);
            put(1 + k, by_modulus);
            put(1 + m + k, by_modulus / one);
        }
    }
}

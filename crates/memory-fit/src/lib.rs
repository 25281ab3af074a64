//! Relaxation times and moduli of materials with memory, from what is known of a material: a quality factor that
//! hardly depends on frequency, or measured data.
//!
//! - [`Relaxation`]: G(t) = G∞ + Σ Gᵢ e^(−t/τᵢ), a sum of exponentials, with its complex modulus over frequency.
//! - [`ConstantQ`]: the material whose quality factor is the same at all frequencies, in closed form, and its fit by a
//!   [`Relaxation`] over a band of frequencies ([`ConstantQ::fit`]).
//! - [`Measured`]: tables of time, strain and stress, of frequency, storage and loss modulus, or of time and modulus, read from CSV, and their
//!   fits ([`Measured::fit`], [`Measured::fit_times`]).
//!
//! ```
//! use pliant_memory_fit::{Band, ConstantQ};
//!
//! let liver = ConstantQ { q: 4.8, modulus: 2500.0, at: 2.0 };
//! let fit = liver.fit(Band { from: 0.1, to: 100.0 }, 5)?;
//! assert!(fit.max_modulus_error < 0.02 && fit.q_min > 4.7 && fit.q_max < 5.0);
//! # Ok::<(), pliant_memory_fit::FitError>(())
//! ```

mod complex;
mod constant_q;
mod csv;
mod error;
mod gamma;
mod least_squares;
mod measured;
mod nnls;
mod relaxation;
mod residuals;

pub use complex::Complex;
pub use constant_q::{Band, ConstantQ, POINTS_A_DECADE, QFit};
pub use error::FitError;
pub use gamma::gamma;
pub use measured::{DataFit, Measured};
pub use relaxation::{MOST_TERMS, Relaxation, Term};

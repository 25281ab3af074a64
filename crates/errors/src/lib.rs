//! What the errors of all crates share.
//!
//! - [`Class`]: the input is wrong, the computation failed, or results could not be written. Each error enum has a method
//!   `class` with a match over all of its variants, so that a new variant does not compile before it is classified.
//!   Exit statuses and exceptions are made of the class alone.
//! - [`find`]: an error of a given type in a chain of sources, so that a program that sees the error of a scene can
//!   still tell a stuck Newton iteration from an inverted element.
//! - [`names`]: the name that was meant, for names that users type.
//! - [`six_digits`]: numbers in messages, no longer than they need to be.
//!
//! The crate is at the bottom, below `algebra`, as every other one has errors; it depends on nothing.

pub mod names;

use std::error::Error;

/// The three ways in which a job can fail, told apart by who can do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The input is wrong: a scene, a mesh, a setting, or a path that cannot be used. It fails again until it is changed.
    Input,
    /// The input makes sense, and the computation failed: it diverged, did not converge, or an element inverted.
    Computation,
    /// What was computed could not be written, as the disk is full.
    Output,
}

impl Class {
    /// `"input"`, `"computation"` or `"output"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Computation => "computation",
            Self::Output => "output",
        }
    }

    /// Returns the class of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Input, Self::Computation, Self::Output].into_iter().find(|c| c.name() == name)
    }
}

/// Returns a number for a message: six significant digits at most, with a power of ten where it would be a row of zeros. Whole
/// numbers below 10⁹ are exact, as they may count vertices.
///
/// ```
/// use pliant_errors::six_digits;
///
/// assert_eq!(six_digits(0.1 + 0.2), "0.3");
/// assert_eq!(six_digits(-2.0 / 3.0), "-0.666667");
/// assert_eq!(six_digits(1e60), "1e60");
/// assert_eq!(six_digits(f64::MIN_POSITIVE), "2.22507e-308");
/// assert_eq!(six_digits(12_345_678.0), "12345678");
/// assert_eq!(six_digits(f64::NAN), "NaN");
/// ```
pub fn six_digits(value: f64) -> String {
    if !value.is_finite() || (value.fract() == 0.0 && value.abs() < 1e9) {
        return value.to_string();
    }
    // What the rounded text reads as is printed with as few digits as tell it from its neighbours.
    let rounded = format!("{value:.5e}").parse().unwrap_or(value);
    if (1e-4..1e9).contains(&f64::abs(rounded)) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// Returns a position or velocity for a message, each component by [`six_digits`].
///
/// ```
/// assert_eq!(pliant_errors::six_digits_of([0.1 + 0.2, f64::NAN, 1e60]), "(0.3, NaN, 1e60)");
/// ```
pub fn six_digits_of(vector: [f64; 3]) -> String {
    format!("({})", vector.map(six_digits).join(", "))
}

/// Returns the first error of type `E` in the chain that begins with `error` and goes on with
/// [`source`](Error::source). Errors that hold one of their own kind keep it in a box, which is looked into.
///
/// ```
/// use std::fmt;
/// #[derive(Debug)]
/// struct Outer(std::num::ParseIntError);
/// impl fmt::Display for Outer {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         write!(f, "bad count: {}", self.0)
///     }
/// }
/// impl std::error::Error for Outer {
///     fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
///         Some(&self.0)
///     }
/// }
/// let error = Outer("x".parse::<i32>().unwrap_err());
/// assert!(pliant_errors::find::<std::num::ParseIntError>(&error).is_some());
/// assert!(pliant_errors::find::<std::io::Error>(&error).is_none());
/// ```
pub fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        let boxed = || error.downcast_ref::<Box<E>>().map(|boxed| &**boxed);
        if let Some(found) = error.downcast_ref::<E>().or_else(boxed) {
            return Some(found);
        }
        next = error.source();
    }
    None
}

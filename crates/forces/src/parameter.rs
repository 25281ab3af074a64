//! Checks of parameters: each error names what was given, its value, and what is accepted. Names are
//! taken as `format_args!`, so that good parameters cost no string.

use std::fmt::Display;

use pliant_algebra::vec3::{Vec3, is_finite};

use crate::configuration::Configuration;
use crate::error::ForceError;

fn reject(what: impl Display, found: f64, accepted: &str) -> ForceError {
    ForceError::Parameter { what: what.to_string(), found, accepted: accepted.into() }
}

/// The value itself, or an error that says why `accept` refused it.
pub(crate) fn accepted(
    what: impl Display,
    value: f64,
    accept: impl Fn(f64) -> bool,
    accepted: &str,
) -> Result<f64, ForceError> {
    if accept(value) { Ok(value) } else { Err(reject(what, value, accepted)) }
}

/// A finite number.
pub(crate) fn finite(what: impl Display, value: f64) -> Result<f64, ForceError> {
    accepted(what, value, f64::is_finite, "a finite number is needed")
}

/// A finite number above zero.
pub(crate) fn positive(what: impl Display, value: f64) -> Result<f64, ForceError> {
    accepted(what, value, |v| v > 0.0 && v.is_finite(), "a finite number above 0 is needed")
}

/// A finite number not below zero.
pub(crate) fn not_negative(what: impl Display, value: f64) -> Result<f64, ForceError> {
    accepted(what, value, |v| v >= 0.0 && v.is_finite(), "a finite number of 0 or more is needed")
}

/// A vector of finite numbers.
pub(crate) fn finite_vector(what: impl Display, value: Vec3) -> Result<Vec3, ForceError> {
    match value.into_iter().find(|c| !c.is_finite()) {
        None => Ok(value),
        Some(found) => Err(reject(what, found, "finite components are needed")),
    }
}

/// Vertices that exist.
pub(crate) fn vertices(
    what: impl Display,
    indices: &[u32],
    count: usize,
) -> Result<(), ForceError> {
    match indices.iter().find(|&&v| v as usize >= count) {
        None => Ok(()),
        Some(&v) => Err(reject(
            format_args!("{what}: vertex"),
            f64::from(v),
            &format!("there are {count} vertices, numbered from 0"),
        )),
    }
}

/// Two lists of the same length.
pub(crate) fn length(what: impl Display, found: usize, expected: usize) -> Result<(), ForceError> {
    if found == expected {
        return Ok(());
    }
    Err(reject(format_args!("number of {what}"), found as f64, &format!("{expected} are needed")))
}

/// A state with as many vertices as the model was made for.
pub(crate) fn state_length(
    model: &str,
    at: &Configuration<'_>,
    expected: usize,
) -> Result<(), ForceError> {
    for (what, found) in [("positions", at.x.len()), ("velocities", at.v.len())] {
        if found < expected {
            return Err(ForceError::Unsupported(format!(
                "{model} acts on {expected} vertices, but the state has {found} {what}"
            )));
        }
    }
    Ok(())
}

/// The position (or velocity) of a vertex, if both are finite.
pub(crate) fn finite_vertex(
    at: &Configuration<'_>,
    vertex: u32,
) -> Result<(Vec3, Vec3), ForceError> {
    let (x, v) = (at.x[vertex as usize], at.v[vertex as usize]);
    let bad = if is_finite(x) { v } else { x };
    if is_finite(bad) {
        return Ok((x, v));
    }
    Err(ForceError::NotFinite { vertex: vertex as usize, position: bad })
}

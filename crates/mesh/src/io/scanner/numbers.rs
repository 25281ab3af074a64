//! Numbers in text: fields and tokens as integers and finite reals, with errors that say what was found.

use super::Scanner;
use crate::error::{ErrorKind, MeshError};

impl Scanner<'_> {
    /// The next field of this line as a finite number. `what` names it in errors.
    #[inline]
    pub fn f64_field(&mut self, what: &str) -> Result<f64, MeshError> {
        let value = self.field().map(parse_f64);
        self.accept_f64(value, what)
    }

    /// The next field of this line as an unsigned integer.
    #[inline]
    pub fn u64_field(&mut self, what: &str) -> Result<u64, MeshError> {
        let value = self.field().map(parse_u64);
        self.accept_integer(value, what)
    }

    /// The next field of this line as a signed integer.
    #[inline]
    pub fn i64_field(&mut self, what: &str) -> Result<i64, MeshError> {
        let value = self.field().map(parse_i64);
        self.accept_integer(value, what)
    }

    /// The next token, across lines, as a finite number.
    #[inline]
    pub fn f64_token(&mut self, what: &str) -> Result<f64, MeshError> {
        let value = self.token()?.map(parse_f64);
        self.accept_f64(value, what)
    }

    /// The next token, across lines, as an unsigned integer.
    #[inline]
    pub fn u64_token(&mut self, what: &str) -> Result<u64, MeshError> {
        let value = self.token()?.map(parse_u64);
        self.accept_integer(value, what)
    }

    /// The next token, across lines, as a signed integer.
    #[inline]
    pub fn i64_token(&mut self, what: &str) -> Result<i64, MeshError> {
        let value = self.token()?.map(parse_i64);
        self.accept_integer(value, what)
    }

    // The outer option: is there a field? The inner one: is it a number?
    #[allow(clippy::option_option)]
    #[inline]
    pub(in crate::io) fn accept_f64(
        &self,
        value: Option<Option<f64>>,
        what: &str,
    ) -> Result<f64, MeshError> {
        match value {
            Some(Some(x)) if x.is_finite() => Ok(x),
            Some(Some(x)) => {
                Err(self.error(ErrorKind::NotFinite, format!("{what} is {x}, not a finite number")))
            }
            Some(None) => Err(self.unexpected(what, "a number")),
            None => Err(self.missing(what)),
        }
    }

    #[allow(clippy::option_option)]
    #[inline]
    pub(in crate::io) fn accept_integer<T>(
        &self,
        value: Option<Option<T>>,
        what: &str,
    ) -> Result<T, MeshError> {
        match value {
            Some(Some(x)) => Ok(x),
            Some(None) => Err(self.unexpected(what, "an integer")),
            None => Err(self.missing(what)),
        }
    }
}

/// A decimal number; `None` if the bytes are anything else. Infinite and NaN pass: callers decide.
#[inline]
pub fn parse_f64(bytes: &[u8]) -> Option<f64> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

/// An unsigned decimal integer.
#[inline]
pub fn parse_u64(bytes: &[u8]) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > 19 {
        return std::str::from_utf8(bytes).ok()?.parse().ok();
    }
    let mut value = 0_u64;
    for &b in bytes {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return match bytes {
                [b'+', digits @ ..] if digits.first().is_some_and(u8::is_ascii_digit) => {
                    parse_u64(digits)
                }
                _ => None,
            };
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

/// A signed decimal integer.
#[inline]
pub fn parse_i64(bytes: &[u8]) -> Option<i64> {
    match bytes.split_first()? {
        (b'-', digits) if digits.first().is_some_and(u8::is_ascii_digit) => {
            0_i64.checked_sub_unsigned(parse_u64(digits)?)
        }
        _ => i64::try_from(parse_u64(bytes)?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(parse_u64(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(parse_u64(b"18446744073709551616"), None);
        assert_eq!(parse_u64(b"+5"), Some(5));
        assert_eq!(parse_u64(b"+"), None);
        assert_eq!(parse_u64(b"++5"), None);
        assert_eq!(parse_u64(b""), None);
        assert_eq!(parse_u64(b"1.0"), None);
        assert_eq!(parse_i64(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(parse_i64(b"-"), None);
        assert_eq!(parse_i64(b"--1"), None);
        assert_eq!(parse_i64(b"-+1"), None);
    }
}

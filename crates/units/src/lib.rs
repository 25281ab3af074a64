//! Quantities with units, as users write them: `"3 kPa"`, `"10 ms"`, `"1000 kg/m^3"`. A plain number
//! is taken as SI. Inside Pliant every quantity is an SI `f64`. On the way out, [`si`] and its kin write numbers
//! for people: `1.24 kPa`, not `1238.6`.
//!
//! ```
//! use pliant_units::{Dimension, parse};
//! assert_eq!(parse("3 kPa", Dimension::PRESSURE), Ok(3000.0));
//! assert_eq!(parse("9.81", Dimension::ACCELERATION), Ok(9.81));
//! assert_eq!(pliant_units::si(1238.6, "Pa"), "1.24\u{a0}kPa");
//! assert!(parse("5 kg", Dimension::LENGTH).unwrap_err().to_string().contains("a length"));
//! ```

mod number;
mod option;
mod symbols;

use std::fmt;

use pliant_errors::Class;

pub use number::{Prefix, count, duration, exact, number, si, vector};
pub use option::{OptionKind, OptionSpec, OptionValue, Panel, Within, takers};

/// Exponents of metre, kilogram, second and radian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dimension {
    /// Metre, kilogram, second, radian.
    pub exponents: [i8; 4],
}

impl Dimension {
    const fn new(m: i8, kg: i8, s: i8) -> Self {
        Self { exponents: [m, kg, s, 0] }
    }

    /// A pure number.
    pub const NONE: Self = Self::new(0, 0, 0);
    /// m
    pub const LENGTH: Self = Self::new(1, 0, 0);
    /// m²
    pub const AREA: Self = Self::new(2, 0, 0);
    /// m³
    pub const VOLUME: Self = Self::new(3, 0, 0);
    /// kg
    pub const MASS: Self = Self::new(0, 1, 0);
    /// s
    pub const TIME: Self = Self::new(0, 0, 1);
    /// 1/s
    pub const FREQUENCY: Self = Self::new(0, 0, -1);
    /// m/s
    pub const VELOCITY: Self = Self::new(1, 0, -1);
    /// m/s²
    pub const ACCELERATION: Self = Self::new(1, 0, -2);
    /// kg/m³
    pub const DENSITY: Self = Self::new(-3, 1, 0);
    /// kg m/s²
    pub const FORCE: Self = Self::new(1, 1, -2);
    /// Pa
    pub const PRESSURE: Self = Self::new(-1, 1, -2);
    /// J, also N m
    pub const ENERGY: Self = Self::new(2, 1, -2);
    /// N/m
    pub const STIFFNESS: Self = Self::new(0, 1, -2);
    /// Pa s
    pub const VISCOSITY: Self = Self::new(-1, 1, -1);
    /// rad
    pub const ANGLE: Self = Self { exponents: [0, 0, 0, 1] };
    /// rad/s
    pub const ANGULAR_VELOCITY: Self = Self { exponents: [0, 0, -1, 1] };

    /// What the dimension is called, with an example of a unit.
    fn described(self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self::NONE => ("a pure number", "0.45"),
            Self::LENGTH => ("a length", "5 mm"),
            Self::AREA => ("an area", "2 cm^2"),
            Self::VOLUME => ("a volume", "1 l"),
            Self::MASS => ("a mass", "3 kg"),
            Self::TIME => ("a time", "10 ms"),
            Self::FREQUENCY => ("a frequency", "2 Hz"),
            Self::VELOCITY => ("a velocity", "1.5 m/s"),
            Self::ACCELERATION => ("an acceleration", "9.81 m/s^2"),
            Self::DENSITY => ("a density", "1000 kg/m^3"),
            Self::FORCE => ("a force", "3 N"),
            Self::PRESSURE => ("a pressure or modulus", "3 kPa"),
            Self::ENERGY => ("an energy or moment", "2 J"),
            Self::STIFFNESS => ("a stiffness", "100 N/m"),
            Self::VISCOSITY => ("a viscosity", "0.1 kPa s"),
            Self::ANGLE => ("an angle", "30 deg"),
            Self::ANGULAR_VELOCITY => ("an angular velocity", "10 rad/s"),
            _ => return None,
        })
    }

    /// A quantity of it with a unit, as users would write it.
    pub fn example(self) -> Option<&'static str> {
        self.described().map(|(_, example)| example)
    }

    fn times(self, other: Self, power: i8) -> Option<Self> {
        let mut exponents = self.exponents;
        for (e, o) in exponents.iter_mut().zip(other.exponents) {
            *e = e.checked_add(o.checked_mul(power)?)?;
        }
        Some(Self { exponents })
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = self.described() {
            return f.write_str(name);
        }
        f.write_str("a quantity in")?;
        for (unit, &e) in ["m", "kg", "s", "rad"].iter().zip(&self.exponents) {
            match e {
                0 => {}
                1 => write!(f, " {unit}")?,
                _ => write!(f, " {unit}^{e}")?,
            }
        }
        Ok(())
    }
}

/// Why a text is not the quantity that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// It does not start with a number.
    #[error("'{text}' does not start with a number{}", example(*.wanted))]
    NoNumber {
        /// The text as given.
        text: String,
        /// What was asked for.
        wanted: Dimension,
    },
    /// The number is infinite or NaN.
    #[error("'{text}' is not a finite number")]
    NotFinite {
        /// The text as given.
        text: String,
    },
    /// The unit is not known.
    #[error("unknown unit '{unit}' in '{text}'{}", suggestion(.nearest.as_deref()))]
    UnknownUnit {
        /// The text as given.
        text: String,
        /// The symbol that is not known.
        unit: String,
        /// A known symbol that looks like it.
        nearest: Option<String>,
    },
    /// The unit measures something else.
    #[error("'{text}' is {found}, but {wanted} is needed here{}", example(*.wanted))]
    WrongDimension {
        /// The text as given.
        text: String,
        /// What it measures.
        found: Dimension,
        /// What was asked for.
        wanted: Dimension,
    },
}

impl UnitError {
    /// Returns its class: a text that is no quantity is bad input.
    pub fn class(&self) -> Class {
        match self {
            Self::NoNumber { .. }
            | Self::NotFinite { .. }
            | Self::UnknownUnit { .. }
            | Self::WrongDimension { .. } => Class::Input,
        }
    }
}

fn example(wanted: Dimension) -> String {
    wanted.described().map_or(String::new(), |(_, e)| format!(" (for example \"{e}\")"))
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |n| format!(": did you mean '{n}'?"))
}

/// The SI value of `text`, which must measure `wanted`, or be a plain number.
pub fn parse(text: &str, wanted: Dimension) -> Result<f64, UnitError> {
    let (value, found) = read(text, wanted)?;
    match found {
        Some(found) if found != wanted => {
            Err(UnitError::WrongDimension { text: text.into(), found, wanted })
        }
        _ => Ok(value),
    }
}

/// The SI value of `text` and what it measures; nothing is known of a plain number.
pub fn measure(text: &str) -> Result<(f64, Option<Dimension>), UnitError> {
    read(text, Dimension::NONE)
}

fn read(text: &str, wanted: Dimension) -> Result<(f64, Option<Dimension>), UnitError> {
    let trimmed = text.trim();
    let split = number_end(trimmed);
    let Ok(number) = trimmed[..split].parse::<f64>() else {
        return Err(UnitError::NoNumber { text: text.into(), wanted });
    };
    let rest = trimmed[split..].trim();
    let (factor, found) = match rest {
        "" => (1.0, None),
        _ => unit_expression(rest, text).map(|(factor, found)| (factor, Some(found)))?,
    };
    let value = number * factor;
    if !value.is_finite() {
        return Err(UnitError::NotFinite { text: text.into() });
    }
    Ok((value, found))
}

/// Where the leading number ends. `e` belongs to it only if digits follow.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut i: usize| {
        while bytes.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        i
    };
    let sign = |i: usize| i + usize::from(matches!(bytes.get(i), Some(b'+' | b'-')));
    let mut end = digits(sign(0));
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = sign(end + 1);
        if digits(exponent) > exponent {
            end = digits(exponent);
        }
    }
    end
}

/// `kg/m^3`, `N m`, `kPa·s`, `m/s/s`: products and quotients from left to right.
fn unit_expression(expression: &str, text: &str) -> Result<(f64, Dimension), UnitError> {
    let unknown = |unit: &str| UnitError::UnknownUnit {
        text: text.into(),
        unit: unit.into(),
        nearest: symbols::nearest(unit),
    };
    let normal = expression
        .replace(['·', '*'], " ")
        .replace('/', " / ")
        .replace("²", "^2")
        .replace("³", "^3");
    let (mut factor, mut dimension, mut sign) = (1.0, Dimension::NONE, 1_i8);
    let mut pending = true;
    for word in normal.split_whitespace() {
        if word == "/" {
            if sign < 0 && pending {
                return Err(unknown("//"));
            }
            (sign, pending) = (-1, true);
            continue;
        }
        let (symbol, power) = match word.split_once('^') {
            Some((symbol, power)) => (symbol, power.parse::<i8>().map_err(|_| unknown(word))?),
            None => (word, 1),
        };
        if symbol == "1" {
            pending = false;
            continue;
        }
        let (unit, base) = symbols::lookup(symbol).ok_or_else(|| unknown(symbol))?;
        let power = power.checked_mul(sign).ok_or_else(|| unknown(word))?;
        factor *= unit.powi(i32::from(power));
        dimension = dimension.times(base, power).ok_or_else(|| unknown(word))?;
        (sign, pending) = (1, false);
    }
    if pending { Err(unknown(expression)) } else { Ok((factor, dimension)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(text: &str, dimension: Dimension, expected: f64) {
        let got = parse(text, dimension).unwrap();
        assert!((got - expected).abs() <= 1e-15 * expected.abs(), "{text}: {got}");
    }

    #[test]
    fn quantities_in_common_units() {
        close("3 kPa", Dimension::PRESSURE, 3000.0);
        close("3kPa", Dimension::PRESSURE, 3000.0);
        close("10 ms", Dimension::TIME, 0.01);
        close("1000 kg/m^3", Dimension::DENSITY, 1000.0);
        close("1 g/cm³", Dimension::DENSITY, 1000.0);
        close("-9.81 m/s^2", Dimension::ACCELERATION, -9.81);
        close("9.81 m/s/s", Dimension::ACCELERATION, 9.81);
        close("0.1 kPa·s", Dimension::VISCOSITY, 100.0);
        close("0.1 kPa s", Dimension::VISCOSITY, 100.0);
        close("2 N m", Dimension::ENERGY, 2.0);
        close("5 um", Dimension::LENGTH, 5e-6);
        close("5 µm", Dimension::LENGTH, 5e-6);
        close("180 deg", Dimension::ANGLE, std::f64::consts::PI);
        close("1 1/s", Dimension::FREQUENCY, 1.0);
        close("1e3", Dimension::LENGTH, 1000.0);
        close("1e-3 m", Dimension::LENGTH, 1e-3);
        close("2 N/mm^2", Dimension::PRESSURE, 2e6);
        close("50 %", Dimension::NONE, 0.5);
    }

    #[test]
    fn wrong_units_are_told_apart() {
        let message = |t, d| parse(t, d).unwrap_err().to_string();
        assert_eq!(
            message("5 kg", Dimension::LENGTH),
            "'5 kg' is a mass, but a length is needed here (for example \"5 mm\")"
        );
        assert_eq!(
            message("5 kPA", Dimension::PRESSURE),
            "unknown unit 'kPA' in '5 kPA': did you mean 'kPa'?"
        );
        assert!(message("soft", Dimension::PRESSURE).contains("does not start with a number"));
        for text in
            ["", "m", "1 /", "1 m/", "1 m^x", "1 m^200 m^100", "nan", "inf", "1e999", "1 m//s"]
        {
            assert!(parse(text, Dimension::LENGTH).is_err(), "{text}");
        }
    }
}

//! [`OptionSpec`]: a key that a method takes, described once. Readers of scenes, schemas, panels and reports loop over
//! the options of a method; none of them lists keys.

use std::fmt;

use crate::Dimension;

/// One option of a method whose settings are a `T`.
pub struct OptionSpec<T: 'static> {
    /// Key in scenes.
    pub key: &'static str,
    /// Name in panels.
    pub label: &'static str,
    /// One line for editors and panels.
    pub about: &'static str,
    /// What the key takes.
    pub kind: OptionKind,
    /// How panels show it.
    pub panel: Panel,
    /// Reads the value; none where nothing was chosen.
    pub get: fn(&T) -> Option<OptionValue>,
    /// Sets a value of the right kind and within the range.
    pub set: fn(&mut T, OptionValue),
}

/// What an option takes.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    /// A quantity.
    Number(Dimension, Within),
    /// A whole number that is not below this one.
    Count(usize),
    /// A name, each with a line about it.
    Name(fn() -> Vec<(&'static str, &'static str)>),
}

/// How a panel shows an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Panel {
    /// Not at all.
    Hidden,
    /// As a list of names.
    List,
    /// As a slider between these bounds.
    Slider(f64, f64),
}

/// Where a number must lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Within {
    /// Above the first number, and not above the second, which may be infinite.
    Above(f64, f64),
    /// From one number to another, both included.
    Closed(f64, f64),
}

/// A value of an option, SI.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OptionValue {
    /// Of a quantity.
    Number(f64),
    /// Of a whole number.
    Count(usize),
    /// Of a name.
    Name(&'static str),
}

impl Within {
    /// True for numbers inside.
    pub fn contains(self, value: f64) -> bool {
        match self {
            Self::Above(low, high) => value > low && value <= high,
            Self::Closed(low, high) => (low..=high).contains(&value),
        }
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Above(low, high) if high.is_infinite() => write!(f, "above {low}"),
            Self::Above(low, high) => write!(f, "above {low}, at most {high}"),
            Self::Closed(low, high) => write!(f, "{low} to {high}"),
        }
    }
}

impl OptionValue {
    /// The number, also of a whole one; none of a name.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(value),
            Self::Count(count) => Some(count as f64),
            Self::Name(_) => None,
        }
    }

    /// The whole number.
    pub fn count(self) -> Option<usize> {
        if let Self::Count(count) = self { Some(count) } else { None }
    }

    /// The name.
    pub fn name(self) -> Option<&'static str> {
        if let Self::Name(name) = self { Some(name) } else { None }
    }
}

impl<T> fmt::Debug for OptionSpec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OptionSpec({})", self.key)
    }
}

impl<T> Clone for OptionSpec<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OptionSpec<T> {}

/// "newmark does", "a, b and c do", "a, b, c and 17 others do": the methods that take an option.
pub fn takers(names: &[&str]) -> String {
    match names {
        [] => "nothing does".to_owned(),
        [one] => format!("{one} does"),
        [first @ .., last] if names.len() <= 4 => format!("{} and {last} do", first.join(", ")),
        _ => format!("{} and {} others do", names[..3].join(", "), names.len() - 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_say_what_they_take() {
        let open = Within::Above(0.0, 1.0);
        assert!(!open.contains(0.0) && open.contains(1.0) && !open.contains(f64::NAN));
        assert_eq!(open.to_string(), "above 0, at most 1");
        assert_eq!(Within::Above(0.0, f64::INFINITY).to_string(), "above 0");
        let closed = Within::Closed(0.5, 1.0);
        assert!(closed.contains(0.5) && !closed.contains(0.4));
        assert_eq!(closed.to_string(), "0.5 to 1");
    }

    #[test]
    fn takers_are_listed_if_they_are_few() {
        assert_eq!(takers(&["newmark"]), "newmark does");
        assert_eq!(takers(&["a", "b", "c"]), "a, b and c do");
        assert_eq!(takers(&["a", "b", "c", "d", "e"]), "a, b, c and 2 others do");
    }
}

//! [`Keys`]: numbers and words of a JSON object by key.

use pliant_algebra::vec3::Vec3;
use serde_json::{Map, Value};

/// An object, to be read by key.
pub(super) struct Keys<'a>(pub(super) &'a Map<String, Value>);

impl Keys<'_> {
    pub(super) fn word(&self, key: &str) -> Option<String> {
        self.0.get(key)?.as_str().map(str::to_owned)
    }

    pub(super) fn whole(&self, key: &str) -> Option<u64> {
        self.0.get(key)?.as_u64()
    }

    pub(super) fn whole_or_0(&self, key: &str) -> u64 {
        self.whole(key).unwrap_or(0)
    }

    pub(super) fn real(&self, key: &str) -> Option<f64> {
        self.0.get(key)?.as_f64()
    }

    /// Null stands for a number that was not finite.
    pub(super) fn or_nan(&self, key: &str) -> f64 {
        self.real(key).unwrap_or(f64::NAN)
    }
}

/// Reads three numbers; those that are missing are not numbers.
pub(super) fn vector(list: &Value) -> Vec3 {
    std::array::from_fn(|k| list[k].as_f64().unwrap_or(f64::NAN))
}

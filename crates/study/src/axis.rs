//! [`Axis`]: a key of the scene and the values it takes.

use std::str::FromStr;

use pliant_dynamics::IntegratorName;
use pliant_scene::SceneError;
use pliant_units::Dimension;

/// The key of the integrator.
pub(crate) const INTEGRATOR: &str = "time.integrator";
/// The key of the step.
pub(crate) const STEP: &str = "time.step";
/// The key of the linear solver.
pub(crate) const SOLVER: &str = "solver.linear";

/// A key of the scene and the values it takes, as `--set` takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// As in `body.bar.material.young`.
    pub key: String,
    /// Each different from the others.
    pub values: Vec<String>,
}

/// What a key is about, which decides what runs are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// How it is computed: the answer should be the same.
    Method,
    /// On what mesh: it should come to the same as meshes get finer.
    Mesh,
    /// What is computed: each value has an answer of its own.
    Model,
}

impl Axis {
    /// A key with its values.
    pub fn new(key: &str, values: Vec<String>) -> Result<Self, SceneError> {
        let key: Vec<&str> = key.split('.').map(str::trim).collect();
        let key = key.join(".");
        if values.is_empty() || values.iter().any(String::is_empty) {
            let text = format!("{key} has an empty value among those it is to take");
            return Err(
                SceneError::new(text).hint("separate values by single commas, as in 0.1,0.05")
            );
        }
        for (k, value) in values.iter().enumerate() {
            if values[..k].contains(value) {
                return Err(SceneError::new(format!("{key} is to take {value} twice")));
            }
        }
        Ok(Self { key, values })
    }

    /// From `key.path=v1,v2`. Commas inside of brackets and quotes belong to the values.
    pub fn parse(text: &str) -> Result<Self, SceneError> {
        let wrong = || {
            SceneError::new(format!("'{text}' does not say what varies"))
                .hint("write it as key.path=v1,v2, as in body.bar.material.young=10 kPa,20 kPa")
        };
        let (key, values) = text.split_once('=').ok_or_else(wrong)?;
        if key.trim().is_empty() {
            return Err(wrong());
        }
        Self::new(key, split(values))
    }

    /// Integrators by name; one that is not known is answered with the nearest.
    pub fn integrators(list: &str) -> Result<Self, SceneError> {
        let axis = Self::new(INTEGRATOR, split(list))?;
        axis.values.iter().try_for_each(|name| IntegratorName::from_str(name).map(drop))?;
        Ok(axis)
    }

    /// Steps, with or without units. They are told by their seconds from now on.
    pub fn steps(list: &str) -> Result<Self, SceneError> {
        let seconds = |text: String| step(&text).map(|h| format!("{h:?}"));
        let values: Result<_, _> =
            Self::new(STEP, split(list))?.values.into_iter().map(seconds).collect();
        Self::new(STEP, values?)
    }

    /// Linear solvers by name.
    pub fn solvers(list: &str) -> Result<Self, SceneError> {
        Self::new(SOLVER, split(list))
    }

    pub(crate) fn kind(&self) -> Kind {
        let keys: Vec<&str> = self.key.split('.').collect();
        match keys[..] {
            ["time", "end" | "steps" | "analysis"] => Kind::Model,
            ["time" | "solver" | "output", ..] => Kind::Method,
            ["body", _, "mesh" | "element", ..] => Kind::Mesh,
            _ => Kind::Model,
        }
    }
}

/// A step in seconds.
pub(crate) fn step(text: &str) -> Result<f64, SceneError> {
    let h = pliant_units::parse(text, Dimension::TIME)
        .map_err(|e| SceneError::new(format!("step '{text}': {e}")).because(e))?;
    if h > 0.0 && h.is_finite() {
        return Ok(h);
    }
    Err(SceneError::new(format!("a step of {text} leads nowhere"))
        .hint("give steps above 0, as in 0.1,0.05"))
}

/// At commas that are in no bracket and no quotes.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut quote) = (0_i32, None);
    for c in text.chars() {
        if quote.is_some() {
            quote = quote.filter(|q| *q != c);
        } else {
            match c {
                '"' | '\'' => quote = Some(c),
                '[' | '{' => depth += 1,
                ']' | '}' => depth -= 1,
                _ => {}
            }
        }
        if c == ',' && depth == 0 && quote.is_none() {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_of_values_do_not_part_them() {
        let axis = Axis::parse(" gravity = [0, -1, 0], [0, -2, 0]").unwrap();
        assert_eq!((axis.key.as_str(), axis.values.len()), ("gravity", 2));
        assert_eq!(axis.values[1], "[0, -2, 0]");
        let axis = Axis::parse(r#"body.b.mesh={ shape = "a,b" },"x,y""#).unwrap();
        assert_eq!(axis.values, [r#"{ shape = "a,b" }"#, r#""x,y""#]);
        assert_eq!(axis.kind(), Kind::Mesh);
    }

    #[test]
    fn steps_are_seconds_and_above_zero() {
        assert_eq!(Axis::steps("0.1, 5 ms").unwrap().values, ["0.1", "0.005"]);
        for (list, word) in [
            ("", "empty"),
            ("0.1,", "empty"),
            ("0", "leads nowhere"),
            ("-1 ms", "leads nowhere"),
            ("0.1,100 ms", "twice"),
            ("1 kg", "step '1 kg'"),
        ] {
            let error = Axis::steps(list).unwrap_err().to_string();
            assert!(error.contains(word), "{list}: {error}");
        }
    }

    #[test]
    fn keys_tell_what_they_are_about() {
        let kind = |text: &str| Axis::parse(text).unwrap().kind();
        assert_eq!(kind("time.step=1"), Kind::Method);
        assert_eq!(kind("solver.linear=cg"), Kind::Method);
        assert_eq!(kind("time.end=1"), Kind::Model);
        assert_eq!(kind("body.a.mesh.across=1"), Kind::Mesh);
        assert_eq!(kind("body.a.material.young=1"), Kind::Model);
    }
}

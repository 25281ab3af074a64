//! [`NumberField`] and [`VectorField`]: a number and a vector that depend on the position at rest and on time.

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::Moment;
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::expression::{Field, Names};
use crate::file::table::{Table, Written};

/// Three expressions of the position at rest and of time, SI.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorField {
    components: [Field; 3],
    /// As they were written.
    pub texts: [String; 3],
    /// Where they stand in the scene.
    pub location: Location,
}

impl VectorField {
    /// Reads `key = ["0.1*X", 0, "Z*sin(t)"]`.
    pub(crate) fn read(
        t: &Table<'_>,
        key: &'static str,
        dimension: Dimension,
        names: Names,
    ) -> Result<Option<Self>, SceneError> {
        let Some(written) = t.vector_field(key, dimension, names)? else { return Ok(None) };
        let texts = std::array::from_fn(|k| written[k].text.clone());
        let components = written.map(|Written { field, .. }| field);
        Ok(Some(Self { components, texts, location: t.place_of(key) }))
    }

    /// Its value if it is the same everywhere and always.
    pub fn uniform(&self) -> Option<Vec3> {
        let [x, y, z] = &self.components;
        Some([x.uniform()?, y.uniform()?, z.uniform()?])
    }

    /// Whether it depends on the position.
    pub fn varies(&self) -> bool {
        self.components.iter().any(Field::varies)
    }

    /// Whether it changes with time.
    pub fn changes(&self) -> bool {
        self.components.iter().any(Field::changes)
    }

    /// Its derivative by time, exact but for rounding. Allocates nothing.
    pub fn rate(&self, at: Vec3, t: f64) -> Vec3 {
        std::array::from_fn(|k| self.components[k].jet(at, t).rate)
    }

    /// Its value at a position at rest, m, and a time, s. Allocates nothing.
    pub fn value(&self, at: Vec3, t: f64) -> Vec3 {
        std::array::from_fn(|k| self.components[k].value(at, t))
    }

    /// Where a vertex is, and how it moves, that it displaces from `at`. Derivatives are exact but for rounding.
    pub fn moment(&self, at: Vec3, t: f64) -> Moment {
        let u = [0, 1, 2].map(|k| self.components[k].jet(at, t));
        Moment {
            x: std::array::from_fn(|k| at[k] + u[k].value),
            v: u.map(|u| u.rate),
            a: u.map(|u| u.curvature),
        }
    }

    /// In words: "(0.1*X, 0, Z*sin(t))".
    pub fn words(&self) -> String {
        format!("({})", self.texts.join(", "))
    }
}

/// An expression of the position at rest and of time, SI.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberField {
    field: Field,
    /// As it was written.
    pub text: String,
    /// Where it stands in the scene.
    pub location: Location,
}

impl NumberField {
    /// Reads `key = "1000*9.81*(2 - Z)"`.
    pub(crate) fn read(
        t: &Table<'_>,
        key: &'static str,
        dimension: Dimension,
        names: Names,
    ) -> Result<Option<Self>, SceneError> {
        let Some(Written { field, text }) = t.number_field(key, dimension, names)? else {
            return Ok(None);
        };
        Ok(Some(Self { field, text, location: t.place_of(key) }))
    }

    /// Its value if it is the same everywhere and always.
    pub fn uniform(&self) -> Option<f64> {
        self.field.uniform()
    }

    /// Whether it depends on the position.
    pub fn varies(&self) -> bool {
        self.field.varies()
    }

    /// Whether it changes with time.
    pub fn changes(&self) -> bool {
        self.field.changes()
    }

    /// Its value at a position at rest, m, and a time, s. Allocates nothing.
    pub fn value(&self, at: Vec3, t: f64) -> f64 {
        self.field.value(at, t)
    }

    /// Its derivative by time, exact but for rounding. Allocates nothing.
    pub fn rate(&self, at: Vec3, t: f64) -> f64 {
        self.field.jet(at, t).rate
    }
}

//! Reads fields: numbers, or texts that say how a number depends on place and time.

use pliant_units::{Dimension, measure, parse};

use super::{Read, Table};
use crate::error::{Location, SceneError};
use crate::file::document::{Node, Value};
use crate::file::expression::{ExpressionError, Field, Names};
use crate::file::key_log::Kind;

/// A field as it was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Written {
    pub(crate) field: Field,
    /// As it was written.
    pub(crate) text: String,
}

impl<'a> Table<'a> {
    /// An error that points into a key's text.
    pub(crate) fn error_within(
        &self,
        key: &'static str,
        text: &str,
        error: ExpressionError,
    ) -> SceneError {
        self.error_inside(key, self.place_of(key), text, error)
    }

    /// An error that points into a text which stands at a location.
    fn error_inside(
        &self,
        key: &'static str,
        mut location: Location,
        text: &str,
        error: ExpressionError,
    ) -> SceneError {
        // After the quote, where the text stands in the file as it is.
        let start = location.column as usize;
        let plain =
            location.line > 0 && location.source.get(start..).is_some_and(|s| s.starts_with(text));
        let ExpressionError { at, width, message } = error;
        let message = if plain {
            location.column += 1 + at as u64;
            location.width = width as u64;
            message
        } else {
            format!("{message} (at character {} of '{text}')", at + 1)
        };
        SceneError::new(format!("{}: {message}", self.full(key))).at(&location)
    }

    /// A quantity, or a text that says how it depends on what has names.
    pub(crate) fn number_field(
        &self,
        key: &'static str,
        dimension: Dimension,
        names: Names,
    ) -> Read<Option<Written>> {
        self.note(key, || Kind::NumberField(dimension));
        self.get(key).map(|node| self.field_of(key, node, dimension, names)).transpose()
    }

    /// Three quantities, or texts that say how they depend on what has names.
    pub(crate) fn vector_field(
        &self,
        key: &'static str,
        dimension: Dimension,
        names: Names,
    ) -> Read<Option<[Written; 3]>> {
        self.note(key, || Kind::VectorField(dimension));
        let Some(node) = self.get(key) else { return Ok(None) };
        let Value::List(list) = &node.value else {
            let needed = format!("a list of three ({dimension} each, a number or an expression)");
            return Err(self.wrong(key, node, &needed));
        };
        let read = |n: &'a Node| self.field_of(key, n, dimension, names);
        let list: Vec<Written> = list.iter().map(read).collect::<Read<_>>()?;
        let count = list.len();
        let three = <[Written; 3]>::try_from(list);
        three.map(Some).map_err(|_| {
            self.error(key, format!("three numbers or expressions are needed, not {count}"))
        })
    }

    /// A quantity of any dimension under a name that users choose: its value, SI, and its dimension if it has a unit.
    pub(crate) fn free_quantity(&self, name: &str) -> Read<Option<(f64, Option<Dimension>)>> {
        let Some(entry) = self.entries.iter().find(|e| e.key == name) else { return Ok(None) };
        entry.used.set(true);
        let node = &entry.node;
        let (value, dimension) = match &node.value {
            Value::Text(text) => measure(text).map_err(|e| {
                let message = format!("{}: {e}", self.full(name));
                SceneError::from(e).told(message).at(&self.document.location(&node.origin))
            })?,
            Value::Integer(_) | Value::Number(_) => {
                (self.quantity_of(name, node, Dimension::NONE)?, None)
            }
            _ => return Err(self.wrong(name, node, "a number, or one with a unit")),
        };
        Ok(Some((value, dimension)))
    }

    fn field_of(
        &self,
        key: &'static str,
        node: &Node,
        dimension: Dimension,
        names: Names,
    ) -> Read<Written> {
        let Value::Text(text) = &node.value else {
            let value = self.quantity_of(key, node, dimension)?;
            return Ok(Written { field: Field::constant(value), text: format!("{value}") });
        };
        // A quantity has more units than an expression, as kg m/s^2.
        let field = match parse(text, dimension) {
            Ok(value) if value.is_finite() => Ok(Field::constant(value)),
            _ => Field::parse(text, dimension, names),
        };
        let location = || self.document.location(&node.origin);
        let field = field.map_err(|e| self.error_inside(key, location(), text, e))?;
        if field.uniform().is_some_and(|value| !value.is_finite()) {
            let message = format!("{}: '{text}' is not a finite number", self.full(key));
            return Err(SceneError::new(message).at(&location()));
        }
        Ok(Written { field, text: text.clone() })
    }
}

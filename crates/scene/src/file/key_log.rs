//! [`KeyLog`]: all keys that readers ask for, and as what. The schema of scenes is made of it.

use std::collections::BTreeMap;

use pliant_units::Dimension;

/// What a key is read as.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Text,
    Switch,
    Count,
    Counts,
    Quantity(Dimension),
    /// A quantity, or cell data that has it.
    CellQuantity(Dimension),
    /// Three quantities.
    Vector(Dimension),
    /// A quantity or an expression.
    NumberField(Dimension),
    /// Three quantities or expressions.
    VectorField(Dimension),
    Quantities(Dimension),
    Vectors(Dimension),
    /// One of these names.
    OneOf(Vec<&'static str>),
    /// One or several texts; of these names, if there are any.
    Texts(Vec<&'static str>),
    Table,
    /// Tables that users have given names to.
    Named,
    /// A table or a list of them; texts may stand in their place.
    Rows {
        short: bool,
    },
}

/// Keys by the tables they are in: `body.*.load[]` has those of the loads of all bodies.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeyLog {
    pub(crate) tables: BTreeMap<String, BTreeMap<&'static str, Vec<Kind>>>,
}

impl KeyLog {
    /// Adds what a key was read as.
    pub(crate) fn add(&mut self, table: &str, key: &'static str, kind: Kind) {
        let keys = self.tables.entry(table.to_owned()).or_default();
        let kinds = keys.entry(key).or_default();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }

    /// What the table of a key is called.
    pub(crate) fn below(table: &str, key: &str) -> String {
        if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
    }
}

//! [`Table`]: the one reader of all tables of a scene. It knows which keys were asked for, so that a key
//! that nobody asked for is an error which suggests the nearest one that somebody did.

use std::cell::RefCell;
use std::str::FromStr;

use pliant_algebra::vec3::Vec3;
use pliant_errors::names::distance;
use pliant_units::{Dimension, OptionKind, OptionSpec, OptionValue, exact, parse};

use crate::error::{Location, SceneError};
use crate::file::copies::CopyOf;
use crate::file::document::{Document, Entry, Node, Value};
use crate::file::key_log::{KeyLog, Kind};
use crate::file::names::{LONGEST_NAME, bad_name, is_slip};

mod fields;

pub(crate) use fields::Written;

/// A table that is being read.
pub(crate) struct Table<'a> {
    document: &'a Document,
    /// As users write it: `body.jelly.material`.
    path: String,
    location: Location,
    entries: &'a [Entry],
    asked: RefCell<Vec<&'static str>>,
    /// What it is called in a [`KeyLog`]; empty where none is kept.
    pattern: String,
    /// What it is a copy of, if it is one.
    copy: Option<&'a CopyOf>,
}

type Read<T> = Result<T, SceneError>;

impl<'a> Table<'a> {
    /// All of a document.
    pub(crate) fn root(document: &'a Document) -> Self {
        Self::of(document, String::new(), String::new(), document.tables())
    }

    fn of(document: &'a Document, path: String, pattern: String, node: &'a Node) -> Self {
        let entries: &[Entry] = match &node.value {
            Value::Table(entries) => entries,
            _ => &[],
        };
        let location = document.place(node);
        let asked = RefCell::default();
        Self { document, path, location, entries, asked, pattern, copy: None }
    }

    /// Keeps a record of what was asked for, if one is kept.
    fn note(&self, key: &'static str, kind: impl FnOnce() -> Kind) {
        if let Some(record) = &self.document.record {
            record.borrow_mut().add(&self.pattern, key, kind());
        }
    }

    /// What the table below a key is called in a record.
    fn pattern_of(&self, key: &str, ending: &str) -> String {
        match self.document.record {
            Some(_) => KeyLog::below(&self.pattern, key) + ending,
            None => String::new(),
        }
    }

    /// Where it stands.
    pub(crate) fn location(&self) -> &Location {
        &self.location
    }

    /// What it is a copy of, if it is one.
    pub(crate) fn copy(&self) -> Option<&'a CopyOf> {
        self.copy
    }

    /// Its name in messages.
    pub(crate) fn path(&self) -> &str {
        if self.path.is_empty() { "the scene" } else { &self.path }
    }

    /// The folder that names of files are relative to.
    pub(crate) fn folder(&self) -> &'a std::path::Path {
        &self.document.folder
    }

    fn full(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn get(&self, key: &'static str) -> Option<&'a Node> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&key) {
            asked.push(key);
        }
        let entry = self.entries.iter().find(|e| e.key == key)?;
        entry.used.set(true);
        Some(&entry.node)
    }

    /// Whether the key is there.
    pub(crate) fn has(&self, key: &'static str) -> bool {
        self.get(key).is_some()
    }

    /// An error that points at a key's value, or at the table if it is not there.
    pub(crate) fn error(&self, key: &'static str, message: impl std::fmt::Display) -> SceneError {
        let message = format!("{}: {message}", self.full(key));
        SceneError::new(message).at(&self.place_of(key))
    }

    /// The error of a value that a lower level has refused, with its class and itself as the source.
    pub(crate) fn refused(
        &self,
        key: &'static str,
        error: impl Into<SceneError> + std::fmt::Display,
    ) -> SceneError {
        let message = format!("{}: {error}", self.full(key));
        error.into().told(message).at(&self.place_of(key))
    }

    /// Where a key's value stands.
    pub(crate) fn place_of(&self, key: &str) -> Location {
        let entry = self.entries.iter().find(|e| e.key == key);
        entry.map_or(self.location.clone(), |e| self.document.place(&e.node))
    }

    fn wrong(&self, key: &str, node: &Node, needed: &str) -> SceneError {
        let message = format!("{}: {needed} is needed, not {}", self.full(key), node.value.kind());
        SceneError::new(message).at(&self.document.location(&node.origin))
    }

    /// The error of a key that must be there.
    pub(crate) fn missing(&self, key: &'static str, example: &str) -> SceneError {
        self.missing_or(key, format!("for example {key} = {example}"))
    }

    /// The error of a key that must be there, or others that the hint names. Where there is a key nobody
    /// knows that looks like one of them, that is what is wrong.
    pub(crate) fn missing_or(&self, key: &'static str, hint: impl Into<String>) -> SceneError {
        self.get(key);
        for entry in self.entries.iter().filter(|e| !e.used.get()) {
            let asked = self.asked.borrow().iter().copied().find(|key| is_slip(&entry.key, key));
            if asked.is_some() {
                return self.unknown(entry, asked);
            }
        }
        let text = format!("{} needs '{key}'", self.path());
        SceneError::new(text).at(&self.location).hint(hint)
    }

    fn unknown(&self, entry: &Entry, nearest: Option<&str>) -> SceneError {
        let text = format!("unknown key '{}' in {}", entry.key, self.path());
        let location = self.document.location(&entry.key_origin);
        let asked = self.asked.borrow().join(", ");
        let hint = match nearest {
            Some(key) => format!("did you mean '{key}'? (known are {asked})"),
            None => format!("known are {asked}"),
        };
        SceneError::new(text).at(&location).hint(hint)
    }

    /// An error for the first key that nobody asked for. To be called last.
    pub(crate) fn finish(&self) -> Read<()> {
        let Some(entry) = self.entries.iter().find(|e| !e.used.get()) else { return Ok(()) };
        let asked = self.asked.borrow();
        let nearest = asked.iter().min_by_key(|key| distance(key, &entry.key)).copied();
        let near = nearest.filter(|key| distance(key, &entry.key) <= 2.max(key.len() / 3));
        Err(self.unknown(entry, near))
    }

    /// A text.
    pub(crate) fn text(&self, key: &'static str) -> Read<Option<&'a str>> {
        self.note(key, || Kind::Text);
        self.one_text(key)
    }

    fn one_text(&self, key: &'static str) -> Read<Option<&'a str>> {
        match self.get(key) {
            None => Ok(None),
            Some(Node { value: Value::Text(text), .. }) => Ok(Some(text)),
            Some(node) => Err(self.wrong(key, node, "a text")),
        }
    }

    /// A switch.
    pub(crate) fn switch(&self, key: &'static str) -> Read<Option<bool>> {
        self.note(key, || Kind::Switch);
        match self.get(key) {
            None => Ok(None),
            Some(Node { value: Value::Switch(switch), .. }) => Ok(Some(*switch)),
            Some(node) => Err(self.wrong(key, node, "true or false")),
        }
    }

    /// A whole number from 0.
    pub(crate) fn count(&self, key: &'static str) -> Read<Option<usize>> {
        self.note(key, || Kind::Count);
        let Some(node) = self.get(key) else { return Ok(None) };
        self.count_of(key, node).map(Some)
    }

    fn count_of(&self, key: &'static str, node: &Node) -> Read<usize> {
        match node.value {
            Value::Integer(n) if n >= 0 => Ok(n as usize),
            // 1e3 is how some write a thousand.
            Value::Number(n) if n >= 0.0 && n.fract() == 0.0 && n < 1e15 => Ok(n as usize),
            Value::Integer(_) | Value::Number(_) => {
                let message = format!("{}: a whole number of 0 or more is needed", self.full(key));
                Err(SceneError::new(message).at(&self.document.location(&node.origin)))
            }
            _ => Err(self.wrong(key, node, "a whole number")),
        }
    }

    fn quantity_of(&self, key: &str, node: &Node, dimension: Dimension) -> Read<f64> {
        let value = match &node.value {
            Value::Integer(n) => *n as f64,
            Value::Number(n) => *n,
            Value::Text(text) => parse(text, dimension).map_err(|e| {
                let message = format!("{}: {e}", self.full(key));
                SceneError::from(e).told(message).at(&self.document.location(&node.origin))
            })?,
            _ => return Err(self.wrong(key, node, &dimension.to_string())),
        };
        if value.is_finite() {
            return Ok(value);
        }
        let message = format!("{}: {value} is not a finite number", self.full(key));
        Err(SceneError::new(message).at(&self.document.location(&node.origin)))
    }

    /// A quantity, SI.
    pub(crate) fn quantity(&self, key: &'static str, dimension: Dimension) -> Read<Option<f64>> {
        self.note(key, || Kind::Quantity(dimension));
        self.get(key).map(|node| self.quantity_of(key, node, dimension)).transpose()
    }

    /// A quantity above zero.
    pub(crate) fn positive(&self, key: &'static str, dimension: Dimension) -> Read<Option<f64>> {
        let value = self.quantity(key, dimension)?;
        match value {
            Some(v) if v <= 0.0 => Err(self.error(key, format!("{}: must be above 0", exact(v)))),
            _ => Ok(value),
        }
    }

    /// Three quantities.
    pub(crate) fn vector(&self, key: &'static str, dimension: Dimension) -> Read<Option<Vec3>> {
        self.note(key, || Kind::Vector(dimension));
        let Some(list) = self.list(key, dimension)? else { return Ok(None) };
        match <[f64; 3]>::try_from(list) {
            Ok(vector) => Ok(Some(vector)),
            Err(list) => {
                Err(self.error(key, format!("three numbers are needed, not {}", list.len())))
            }
        }
    }

    /// A list of quantities.
    pub(crate) fn quantities(
        &self,
        key: &'static str,
        dimension: Dimension,
    ) -> Read<Option<Vec<f64>>> {
        self.note(key, || Kind::Quantities(dimension));
        self.list(key, dimension)
    }

    fn list(&self, key: &'static str, dimension: Dimension) -> Read<Option<Vec<f64>>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let Value::List(list) = &node.value else {
            return Err(self.wrong(key, node, &format!("a list ({dimension} each)")));
        };
        list.iter().map(|n| self.quantity_of(key, n, dimension)).collect::<Read<_>>().map(Some)
    }

    /// A list of lists of three quantities.
    pub(crate) fn vectors(
        &self,
        key: &'static str,
        dimension: Dimension,
    ) -> Read<Option<Vec<Vec3>>> {
        self.note(key, || Kind::Vectors(dimension));
        let Some(node) = self.get(key) else { return Ok(None) };
        let wrong = |node: &Node| self.wrong(key, node, "a list of lists of three numbers");
        let Value::List(list) = &node.value else { return Err(wrong(node)) };
        let one = |node: &Node| {
            let Value::List(three) = &node.value else { return Err(wrong(node)) };
            let numbers = three.iter().map(|n| self.quantity_of(key, n, dimension));
            let numbers: Vec<f64> = numbers.collect::<Read<_>>()?;
            <[f64; 3]>::try_from(numbers).map_err(|_| wrong(node))
        };
        list.iter().map(one).collect::<Read<_>>().map(Some)
    }

    /// A list of whole numbers.
    pub(crate) fn counts(&self, key: &'static str) -> Read<Option<Vec<usize>>> {
        self.note(key, || Kind::Counts);
        let Some(node) = self.get(key) else { return Ok(None) };
        let Value::List(list) = &node.value else {
            return Err(self.wrong(key, node, "a list of whole numbers"));
        };
        list.iter().map(|n| self.count_of(key, n)).collect::<Read<_>>().map(Some)
    }

    /// A text, or a list of texts.
    pub(crate) fn texts(&self, key: &'static str) -> Read<Vec<(&'a str, Location)>> {
        self.note(key, || Kind::Texts(Vec::new()));
        self.some_texts(key)
    }

    fn some_texts(&self, key: &'static str) -> Read<Vec<(&'a str, Location)>> {
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let one = |node: &'a Node| match &node.value {
            Value::Text(text) => Ok((text.as_str(), self.document.location(&node.origin))),
            _ => Err(self.wrong(key, node, "a text")),
        };
        match &node.value {
            Value::List(list) => list.iter().map(one).collect(),
            _ => Ok(vec![one(node)?]),
        }
    }

    /// An option of a method, checked against what its specification takes.
    pub(crate) fn option<T>(&self, spec: &OptionSpec<T>) -> Read<Option<OptionValue>> {
        let key = spec.key;
        match spec.kind {
            OptionKind::Number(dimension, within) => {
                let Some(value) = self.quantity(key, dimension)? else { return Ok(None) };
                if !within.contains(value) {
                    return Err(self.error(key, format!("{}: must be {within}", exact(value))));
                }
                Ok(Some(OptionValue::Number(value)))
            }
            OptionKind::Count(least) => {
                let Some(count) = self.count(key)? else { return Ok(None) };
                if count < least {
                    return Err(self.error(key, format!("{count}: at least {least} is needed")));
                }
                Ok(Some(OptionValue::Count(count)))
            }
            OptionKind::Name(choices) => {
                let names: Vec<_> = choices().iter().map(|(name, _)| (*name, *name)).collect();
                Ok(self.choice(key, &names)?.map(OptionValue::Name))
            }
        }
    }

    /// One of several names, whose type explains itself where it does not know one.
    pub(crate) fn name<T: FromStr>(&self, key: &'static str) -> Read<Option<T>>
    where
        T::Err: Into<SceneError> + std::fmt::Display,
    {
        let Some(text) = self.text(key)? else { return Ok(None) };
        text.parse().map(Some).map_err(|e: T::Err| self.refused(key, e))
    }

    /// One of these names.
    pub(crate) fn choice<T: Copy>(
        &self,
        key: &'static str,
        names: &[(&'static str, T)],
    ) -> Read<Option<T>> {
        self.note(key, || Kind::OneOf(names.iter().map(|(name, _)| *name).collect()));
        let Some(text) = self.one_text(key)? else { return Ok(None) };
        self.one_of(key, text, &self.place_of(key), names).map(Some)
    }

    /// Some of these names, one alone or a list.
    pub(crate) fn choices<T: Copy>(
        &self,
        key: &'static str,
        names: &[(&'static str, T)],
    ) -> Read<Vec<T>> {
        self.note(key, || Kind::Texts(names.iter().map(|(name, _)| *name).collect()));
        let texts = self.some_texts(key)?;
        texts.iter().map(|(text, location)| self.one_of(key, text, location, names)).collect()
    }

    fn one_of<T: Copy>(
        &self,
        key: &'static str,
        text: &str,
        location: &Location,
        names: &[(&'static str, T)],
    ) -> Read<T> {
        if let Some((_, value)) = names.iter().find(|(name, _)| *name == text) {
            return Ok(*value);
        }
        let near = pliant_errors::names::nearest(text, names.iter().map(|(n, _)| *n));
        let known = names.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ");
        let message = format!("{}: there is no '{text}' here", self.full(key));
        let hint = format!("did you mean '{near}'? (there are {known})");
        Err(SceneError::new(message).at(location).hint(hint))
    }

    /// Whether a key is this text.
    pub(crate) fn is_text(&self, key: &'static str, text: &'static str) -> bool {
        self.note(key, || Kind::OneOf(vec![text]));
        matches!(self.get(key), Some(Node { value: Value::Text(found), .. }) if found == text)
    }

    /// Whether a key holds a table.
    pub(crate) fn is_table(&self, key: &'static str) -> bool {
        matches!(self.get(key), Some(Node { value: Value::Table(_), .. }))
    }

    /// A table.
    pub(crate) fn table(&self, key: &'static str) -> Read<Option<Table<'a>>> {
        self.note(key, || Kind::Table);
        self.one_table(key, "")
    }

    /// The table of a quantity that names cell data in place of a number.
    pub(crate) fn cell_data(
        &self,
        key: &'static str,
        dimension: Dimension,
    ) -> Read<Option<Table<'a>>> {
        self.note(key, || Kind::CellQuantity(dimension));
        if self.is_table(key) { self.one_table(key, "") } else { Ok(None) }
    }

    fn one_table(&self, key: &'static str, ending: &str) -> Read<Option<Table<'a>>> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let pattern = self.pattern_of(key, ending);
        match &node.value {
            Value::Table(_) => Ok(Some(Self::of(self.document, self.full(key), pattern, node))),
            _ => Err(self.wrong(key, node, "a table")),
        }
    }

    /// Tables that users have given names to.
    pub(crate) fn named(&self, key: &'static str) -> Read<Vec<(&'a str, Table<'a>)>> {
        self.note(key, || Kind::Named);
        let Some(all) = self.one_table(key, ".*")? else { return Ok(Vec::new()) };
        let one = |entry: &'a Entry| {
            if let Some(what) = bad_name(&entry.key) {
                let text = format!("{}: {what}", all.path);
                let hint = format!(
                    "a name is 1 to {LONGEST_NAME} letters, digits and signs; files and columns are called after it"
                );
                let location = self.document.location(&entry.key_origin);
                return Err(SceneError::new(text).at(&location).hint(hint));
            }
            if let Value::Table(_) = &entry.node.value {
                let path = format!("{}.{}", all.path, entry.key);
                let mut table = Self::of(self.document, path, all.pattern.clone(), &entry.node);
                table.copy = entry.copy.as_ref();
                return Ok((entry.key.as_str(), table));
            }
            let text = format!("{}.{} must be a table", all.path, entry.key);
            let hint = format!("write [{}.NAME], and the keys below it", all.path);
            let location = self.document.location(&entry.key_origin);
            Err(SceneError::new(text).at(&location).hint(hint))
        };
        all.entries.iter().map(one).collect()
    }

    /// A list of tables, or one alone; texts among them are given to `short`.
    pub(crate) fn rows<T>(
        &self,
        key: &'static str,
        mut short: impl FnMut(&'a str, Location) -> Option<T>,
        mut read: impl FnMut(Table<'a>) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.note(key, || Kind::Rows { short: short("", Location::default()).is_some() });
        let Some(node) = self.get(key) else { return Ok(Vec::new()) };
        let pattern = self.pattern_of(key, "[]");
        let mut one = |node: &'a Node, path: String| match &node.value {
            Value::Table(_) => read(Self::of(self.document, path, pattern.clone(), node)),
            Value::Text(text) => short(text, self.document.location(&node.origin))
                .ok_or_else(|| self.wrong(key, node, "a table")),
            _ => Err(self.wrong(key, node, "a table")),
        };
        match &node.value {
            Value::List(list) => list
                .iter()
                .enumerate()
                .map(|(i, node)| one(node, format!("{}[{i}]", self.full(key))))
                .collect(),
            _ => Ok(vec![one(node, self.full(key))?]),
        }
    }
}

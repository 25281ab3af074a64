//! [`Document`]: a scene file as a tree of values that know where they were written.
//!
//! `include` at the top brings in other files, whose values those of the file itself replace; overrides
//! from the command line replace both.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Location, SceneError};
use crate::file::copies::{self, CopyOf};
use crate::file::key_log::KeyLog;
use crate::run::kept::key_of;

/// How deep files may include others, and how many there may be in all.
const DEEPEST: usize = 16;
const MOST_FILES: usize = 256;
/// Bytes of a file, at most.
const LONGEST: u64 = 256 << 20;

/// Reads the text of a scene. What is no file, or longer than any scene, is refused before it is read.
pub(crate) fn read_text(path: &Path) -> std::io::Result<String> {
    let data = std::fs::metadata(path)?;
    if !data.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    if data.len() > LONGEST {
        let text = format!("it has {} MB, and {} are the most", data.len() >> 20, LONGEST >> 20);
        return Err(std::io::Error::other(text));
    }
    std::fs::read_to_string(path)
}

/// A value and where it was written.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) origin: Origin,
    pub(crate) value: Value,
}

/// Which of the texts, and which bytes of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    source: usize,
    span: Range<usize>,
}

/// What can be written.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Number(f64),
    Switch(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

impl Value {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Integer(_) | Self::Number(_) => "a number",
            Self::Switch(_) => "true or false",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_origin: Origin,
    pub(crate) node: Node,
    /// Whether a reader has asked for it.
    pub(crate) used: Cell<bool>,
    /// What it is a copy of, if it is one.
    pub(crate) copy: Option<CopyOf>,
}

/// A text values come from.
#[derive(Debug, Clone)]
struct Source {
    name: String,
    text: String,
    /// An override: one line without a number.
    is_override: bool,
}

/// The name and the text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceText {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A scene file with all it includes and all that was set on top.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    sources: Vec<Source>,
    /// Texts to include in place of those on disk.
    kept: Option<Vec<SourceText>>,
    /// As it is written.
    pub(crate) root: Node,
    /// The same with copies in place of what they are copies of, if there are some.
    expanded: Option<Node>,
    /// Relative files are looked for here.
    pub(crate) folder: PathBuf,
    /// What readers ask for, if that is of interest.
    pub(crate) record: Option<RefCell<KeyLog>>,
}

impl Document {
    /// Parses a text that was read from `path`, of which names of files are relative to its folder.
    pub(crate) fn parse(text: &str, path: &Path, sets: &[String]) -> Result<Self, SceneError> {
        Self::parse_from(text, path, sets, None)
    }

    /// The same of files that were kept: the scene, and all that it includes.
    pub(crate) fn of_kept(files: &[SourceText], sets: &[String]) -> Result<Self, SceneError> {
        let Some(first) = files.first() else {
            return Err(SceneError::new("no scene was kept"));
        };
        Self::parse_from(&first.text, Path::new(&first.name), sets, Some(files.to_vec()))
    }

    fn parse_from(
        text: &str,
        path: &Path,
        sets: &[String],
        kept: Option<Vec<SourceText>>,
    ) -> Result<Self, SceneError> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let root = Node { origin: Origin::default(), value: Value::Table(Vec::new()) };
        let (sources, expanded, record) = (Vec::new(), None, None);
        let mut document = Self { sources, kept, root, expanded, folder, record };
        let mut stack = vec![path.canonicalize().unwrap_or(path.to_owned())];
        let root = document.load(text, path, &mut stack)?;
        document.root = root;
        for set in sets {
            document.set(set)?;
        }
        document.expanded = copies::expanded(&document)?;
        Ok(document)
    }

    /// All tables, as they are to be read.
    pub(crate) fn tables(&self) -> &Node {
        self.expanded.as_ref().unwrap_or(&self.root)
    }

    /// A text and what it includes.
    fn load(
        &mut self,
        text: &str,
        path: &Path,
        stack: &mut Vec<PathBuf>,
    ) -> Result<Node, SceneError> {
        let source = self.add(path.display().to_string(), text, false);
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let location = self.location(&Origin { source, span });
            SceneError::new(error.message()).at(&location).because(error)
        })?;
        let mut own = self.node_of_table(table.get_ref(), source, table.span())?;
        let Value::Table(entries) = &mut own.value else { return Ok(own) };
        let Some(at) = entries.iter().position(|e| e.key == "include") else { return Ok(own) };
        let include = entries.remove(at);
        let files = match include.node.value {
            Value::List(list) => list,
            _ => vec![include.node],
        };
        let mut merged: Option<Node> = None;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        for file in files {
            let location = self.location(&file.origin);
            let Value::Text(name) = &file.value else {
                let text = format!("include needs the name of a file, not {}", file.value.kind());
                return Err(SceneError::new(text).at(&location));
            };
            let included = folder.join(name);
            let fail = |what: String| SceneError::new(what).at(&location);
            let unread = |e: std::io::Error| {
                fail(format!("cannot include {}: {e}", included.display())).because(e)
            };
            let kept = self.kept.as_ref().and_then(|kept| {
                let name = included.display().to_string();
                kept.iter().find(|file| file.name == name).map(|file| file.text.clone())
            });
            let full = match kept {
                Some(_) => included.clone(),
                None => included.canonicalize().map_err(unread)?,
            };
            if stack.len() > DEEPEST || self.sources.len() >= MOST_FILES {
                let text = format!(
                    "{} is too much: files may include others {DEEPEST} deep, and {MOST_FILES} in all",
                    included.display()
                );
                return Err(fail(text).hint("put what they hold into fewer files"));
            }
            if stack.contains(&full) {
                let text = format!("{} includes itself, by way of this line", included.display());
                return Err(fail(text));
            }
            let text = match kept {
                Some(text) => text,
                None => read_text(&full).map_err(unread)?,
            };
            stack.push(full);
            let node = self.load(&text, &included, stack)?;
            stack.pop();
            merged = Some(match merged {
                Some(below) => merge(below, node),
                None => node,
            });
        }
        Ok(match merged {
            Some(below) => merge(below, own),
            None => own,
        })
    }

    fn add(&mut self, name: String, text: &str, is_override: bool) -> usize {
        self.sources.push(Source { name, text: text.to_owned(), is_override });
        self.sources.len() - 1
    }

    fn node_of_table(
        &self,
        table: &DeTable<'_>,
        source: usize,
        span: Range<usize>,
    ) -> Result<Node, SceneError> {
        let mut entries = Vec::with_capacity(table.len());
        for (key, value) in table {
            entries.push(Entry {
                key: key.get_ref().to_string(),
                key_origin: Origin { source, span: key.span() },
                node: self.node(value, source)?,
                used: Cell::new(false),
                copy: None,
            });
        }
        Ok(Node { origin: Origin { source, span }, value: Value::Table(entries) })
    }

    fn node(&self, value: &Spanned<DeValue<'_>>, source: usize) -> Result<Node, SceneError> {
        let origin = Origin { source, span: value.span() };
        let bad = |text: String| SceneError::new(text).at(&self.location(&origin));
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                let parsed = i64::from_str_radix(number.as_str(), number.radix());
                Value::Integer(parsed.map_err(|e| bad(format!("{}: {e}", number.as_str())))?)
            }
            DeValue::Float(number) => {
                let parsed = number.as_str().parse();
                Value::Number(parsed.map_err(|e| bad(format!("{}: {e}", number.as_str())))?)
            }
            DeValue::Boolean(switch) => Value::Switch(*switch),
            DeValue::Datetime(_) => {
                return Err(bad("a date: no key of a scene takes one".into()));
            }
            DeValue::Array(list) => {
                let list: Result<_, _> = list.iter().map(|v| self.node(v, source)).collect();
                Value::List(list?)
            }
            DeValue::Table(table) => return self.node_of_table(table, source, value.span()),
        };
        Ok(Node { origin, value })
    }

    /// Replaces or adds what `key.path=value` names. A value that is no TOML is a text.
    fn set(&mut self, text: &str) -> Result<(), SceneError> {
        let source = self.add(format!("--set {text}"), text, true);
        let origin = Origin { source, span: 0..text.len() };
        let location = self.location(&origin);
        let fail = |what: &str| {
            SceneError::new(what)
                .at(&location)
                .hint("write it as key.path=value, as in time.step=0.01")
        };
        let Some((path, value)) = text.split_once('=') else {
            return Err(fail("an override needs a '='"));
        };
        let keys: Vec<&str> = path.split('.').map(str::trim).collect();
        if keys.iter().any(|k| k.is_empty()) {
            return Err(fail("an override needs a key"));
        }
        let mut node = match DeValue::parse(value.trim()) {
            Ok(value) => self.node(&value, source)?,
            Err(_) => Node { origin: origin.clone(), value: Value::Text(value.trim().to_owned()) },
        };
        anchor(&mut node, &origin);
        put(&mut self.root, &keys, node, &origin)
            .map_err(|what| SceneError::new(what).at(&location))
    }

    /// Where something was written, for messages.
    pub(crate) fn location(&self, origin: &Origin) -> Location {
        let Some(source) = self.sources.get(origin.source) else { return Location::default() };
        if source.is_override {
            return Location { file: source.name.clone(), ..Location::default() };
        }
        let text = &source.text;
        let start = text.floor_char_boundary(origin.span.start.min(text.len()));
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let end = origin.span.end.clamp(start, line_end.max(start));
        Location {
            file: source.name.clone(),
            line: text[..start].matches('\n').count() as u64 + 1,
            column: (start - line_start) as u64 + 1,
            width: (end - start).max(1) as u64,
            source: text[line_start..line_end].to_owned(),
            set: String::new(),
        }
    }

    /// Where a value stands. That of a table names the keys in it that were set on top: they stand in no file.
    pub(crate) fn place(&self, node: &Node) -> Location {
        let mut location = self.location(&node.origin);
        if let (Value::Table(entries), true) = (&node.value, location.line > 0) {
            let source = |entry: &Entry| self.sources.get(entry.node.origin.source);
            let on_top = entries.iter().filter_map(source).filter(|s| s.is_override);
            location.set = on_top.map(|s| s.name.as_str()).collect::<Vec<_>>().join(", ");
        }
        location
    }

    /// The file and all that it includes.
    pub(crate) fn files(&self) -> Vec<SourceText> {
        let files = self.sources.iter().filter(|s| !s.is_override);
        files.map(|s| SourceText { name: s.name.clone(), text: s.text.clone() }).collect()
    }

    /// All texts, for a record of what was run, without overrides of certain keys.
    pub(crate) fn texts(&self, without: &[&str]) -> String {
        let mut all = String::new();
        let left_out = |s: &Source| s.is_override && without.contains(&key_of(&s.text).as_str());
        for source in self.sources.iter().filter(|s| !left_out(s)) {
            let name = if source.is_override { "" } else { &source.name };
            all += &format!("# {name}{}\n", if source.is_override { &source.name } else { "" });
            if !source.is_override {
                all += &source.text;
                all.push('\n');
            }
        }
        all
    }
}

/// Gives a node and all below it one origin.
fn anchor(node: &mut Node, origin: &Origin) {
    node.origin = origin.clone();
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(|n| anchor(n, origin)),
        Value::Table(entries) => {
            for entry in entries {
                entry.key_origin = origin.clone();
                anchor(&mut entry.node, origin);
            }
        }
        _ => {}
    }
}

/// Puts a value where keys lead. Entries of lists have numbers, from 0; that of an only one may be left out.
fn put(below: &mut Node, keys: &[&str], value: Node, origin: &Origin) -> Result<(), String> {
    let Some((&key, rest)) = keys.split_first() else {
        let empty = Node { origin: Origin::default(), value: Value::Switch(false) };
        let old = std::mem::replace(below, empty);
        *below = merge(old, value);
        return Ok(());
    };
    if let Value::List(list) = &mut below.value {
        let count = list.len();
        let index = match key.parse::<usize>() {
            Ok(index) => Some((index, rest)),
            Err(_) => (count == 1).then_some((0, keys)),
        };
        let Some((index, rest)) = index else {
            return Err(format!(
                "before '{key}' there is a list of {count}: say which one is meant, by a number from 0"
            ));
        };
        let slot = list.get_mut(index).ok_or_else(|| {
            format!("there is no entry {index} in this list of {count}, numbered from 0")
        })?;
        return put(slot, rest, value, origin);
    }
    if !matches!(below.value, Value::Table(_)) {
        *below = Node { origin: origin.clone(), value: Value::Table(Vec::new()) };
    }
    let Value::Table(entries) = &mut below.value else { return Ok(()) };
    let at = entries.iter().position(|e| e.key == key).unwrap_or_else(|| {
        let node = Node { origin: origin.clone(), value: Value::Table(Vec::new()) };
        let key = key.to_owned();
        let used = Cell::new(false);
        entries.push(Entry { key, key_origin: origin.clone(), node, used, copy: None });
        entries.len() - 1
    });
    entries[at].key_origin = origin.clone();
    put(&mut entries[at].node, rest, value, origin)
}

/// `above` on top of `below`: tables key by key, anything else replaced.
pub(super) fn merge(below: Node, above: Node) -> Node {
    match (below.value, above.value) {
        (Value::Table(mut entries), Value::Table(others)) => {
            for other in others {
                match entries.iter_mut().find(|e| e.key == other.key) {
                    Some(entry) => {
                        let empty = Node { origin: Origin::default(), value: Value::Switch(false) };
                        let old = std::mem::replace(&mut entry.node, empty);
                        entry.node = merge(old, other.node);
                        entry.key_origin = other.key_origin;
                    }
                    None => entries.push(other),
                }
            }
            Node { origin: below.origin, value: Value::Table(entries) }
        }
        (_, value) => Node { origin: above.origin, value },
    }
}

//! A scene as one file: with all that it includes and all that was set on top, to be run by itself.

use std::path::{Path, PathBuf};

use crate::error::SceneError;
use crate::file::builtin;
use crate::file::document::{Document, Entry, Node, Value};
use crate::file::vega;
use crate::run::folder::Origin;
use crate::spec::scene::Scene;

/// Texts under these keys are names of files.
const FILES: [&str; 4] = ["file", "weights", "mesh", "surface"];
/// Tables of tables that users have given names to.
const NAMED: [&str; 5] = ["body", "obstacle", "constraint", "probe", "norm"];

impl Origin {
    /// The scene as the text of a scene file that needs no other, but for meshes. These are named by their whole
    /// path, so that the file may stand anywhere.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        let path = Path::new(&self.scene);
        let document = match builtin::text(&self.scene) {
            Some(text) if !path.is_file() => Document::parse(text, path, &self.sets)?,
            _ => {
                let text =
                    std::fs::read_to_string(path).map_err(|e| SceneError::unread(path, e))?;
                let is_vega = path.extension().is_some_and(|e| e == "config");
                let text = if is_vega { vega::import(&text, path)?.scene } else { text };
                Document::parse(&text, path, &self.sets)?
            }
        };
        Ok(document.to_toml(path))
    }
}

impl Document {
    /// The document as the text of one file; `path` is where it came from.
    pub(crate) fn to_toml(&self, path: &Path) -> String {
        let document = self;
        // An empty path is the folder one is in.
        let folder = std::path::absolute(document.folder.join("."));
        let folder = folder.unwrap_or_else(|_| document.folder.clone());
        // Options of a method that was replaced would be errors beside the one that replaced it.
        let scene = Scene::of_document(document, path);
        let left_out = scene.map_or_else(|_| Vec::new(), |scene| scene.time.left_out);
        let mut writer = Writer { out: String::new(), folder, document, left_out };
        writer.root(table(&document.root).unwrap_or_default());
        writer.out
    }
}

struct Writer<'a> {
    out: String,
    folder: PathBuf,
    document: &'a Document,
    /// Keys of the tables `time` and `solver` that are not written.
    left_out: Vec<String>,
}

impl Writer<'_> {
    /// Keys first, then tables. Bodies, obstacles and probes have headings with their names, rows of tables one
    /// heading each; what is in all of these is written in one line.
    fn root(&mut self, entries: &[Entry]) {
        for entry in entries.iter().filter(|e| table(&e.node).is_none() && rows(&e.node).is_none())
        {
            self.line(entry);
        }
        for entry in entries {
            let name = key(&entry.key);
            if let Some(list) = rows(&entry.node) {
                self.rows(&name, list);
            } else if let Some(inner) = table(&entry.node) {
                if NAMED.contains(&entry.key.as_str()) {
                    self.named(&name, inner);
                } else {
                    self.out += &format!("\n[{name}]\n");
                    self.lines(&name, inner);
                }
            }
        }
    }

    fn named(&mut self, kind: &str, entries: &[Entry]) {
        for entry in entries {
            let name = format!("{kind}.{}", key(&entry.key));
            self.out += &format!("\n[{name}]\n");
            let inner = table(&entry.node).unwrap_or_default();
            for entry in inner.iter().filter(|e| rows(&e.node).is_none()) {
                self.line(entry);
            }
            for entry in inner {
                if let Some(list) = rows(&entry.node) {
                    self.rows(&format!("{name}.{}", key(&entry.key)), list);
                }
            }
        }
    }

    fn rows(&mut self, name: &str, list: &[Node]) {
        for row in list {
            self.out += &format!("\n[[{name}]]\n");
            self.lines("", table(row).unwrap_or_default());
        }
    }

    fn lines(&mut self, name: &str, entries: &[Entry]) {
        // Of `end` and `steps` the one that was set on top counts.
        let set = |key: &str| {
            let entry = entries.iter().find(|e| e.key == key);
            entry.map(|e| self.document.location(&e.node.origin).line == 0)
        };
        let dropped = match (set("end"), set("steps")) {
            (Some(true), Some(_)) => "steps",
            (Some(false), Some(true)) => "end",
            _ => "",
        };
        for entry in entries.iter().filter(|e| e.key != dropped) {
            if !self.left_out.contains(&format!("{name}.{}", entry.key)) {
                self.line(entry);
            }
        }
    }

    fn line(&mut self, entry: &Entry) {
        let value = self.value(&entry.key, &entry.node);
        self.out += &format!("{} = {value}\n", key(&entry.key));
    }

    fn value(&self, name: &str, node: &Node) -> String {
        match &node.value {
            Value::Text(text) if FILES.contains(&name) => {
                quoted(&self.folder.join(text).display().to_string())
            }
            Value::Text(text) => quoted(text),
            Value::Integer(number) => number.to_string(),
            Value::Number(number) if number.is_nan() => "nan".to_owned(),
            Value::Number(number) => format!("{number:?}"),
            Value::Switch(on) => on.to_string(),
            Value::List(list) => {
                let list: Vec<String> = list.iter().map(|n| self.value("", n)).collect();
                format!("[{}]", list.join(", "))
            }
            Value::Table(entries) if entries.is_empty() => "{}".to_owned(),
            Value::Table(entries) => {
                let line = |e: &Entry| format!("{} = {}", key(&e.key), self.value(&e.key, &e.node));
                let list: Vec<String> = entries.iter().map(line).collect();
                format!("{{ {} }}", list.join(", "))
            }
        }
    }
}

fn table(node: &Node) -> Option<&[Entry]> {
    match &node.value {
        Value::Table(entries) => Some(entries),
        _ => None,
    }
}

/// A list of tables.
fn rows(node: &Node) -> Option<&[Node]> {
    match &node.value {
        Value::List(list) if !list.is_empty() && list.iter().all(|n| table(n).is_some()) => {
            Some(list)
        }
        _ => None,
    }
}

fn key(name: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if !name.is_empty() && name.bytes().all(bare) { name.to_owned() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

//! Copies: a table with `copies` stands for several, `stone-1`, `stone-2`, …. Each has its number in place of `{copy}` in its
//! texts, and on top of all what a table of its own name says.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::error::{Location, SceneError};
use crate::file::document::{Document, Entry, Node, Value, merge};

/// Tables with names that may have copies.
const KINDS: [&str; 3] = ["body", "probe", "norm"];
/// Copies of a table, at most.
const MOST: i64 = 10_000;
/// In a text, the number of the copy.
const NUMBER: &str = "{copy}";

/// The table that one is a copy of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyOf {
    /// Its name.
    pub name: String,
    /// The number of the copy, from 1.
    pub number: usize,
}

/// The root of a document with all copies in place of what they are copies of; none where there are none.
pub(super) fn expanded(document: &Document) -> Result<Option<Node>, SceneError> {
    let mut root = document.root.clone();
    let Value::Table(entries) = &mut root.value else { return Ok(None) };
    let mut any = false;
    for entry in entries.iter_mut().filter(|e| KINDS.contains(&e.key.as_str())) {
        let Value::Table(named) = &mut entry.node.value else { continue };
        if named.iter().any(|e| copies(&e.node).is_some()) {
            any = true;
            *named = all_copied(document, &entry.key, std::mem::take(named))?;
        }
    }
    Ok(any.then_some(root))
}

/// The value of the key `copies` of a table.
fn copies(node: &Node) -> Option<&Node> {
    let Value::Table(entries) = &node.value else { return None };
    entries.iter().find(|e| e.key == "copies").map(|e| &e.node)
}

/// How many there are: a number, the `count` of a table, or as many as it has `offsets`.
fn count(node: &Node) -> Option<i64> {
    match &node.value {
        Value::Integer(count) => Some(*count),
        Value::Table(entries) => {
            let key = |key: &str| entries.iter().find(|e| e.key == key).map(|e| &e.node.value);
            match (key("count"), key("offsets")) {
                (Some(Value::Integer(count)), _) => Some(*count),
                (None, Some(Value::List(list))) => Some(list.len() as i64),
                _ => None,
            }
        }
        _ => None,
    }
}

fn all_copied(
    document: &Document,
    kind: &str,
    entries: Vec<Entry>,
) -> Result<Vec<Entry>, SceneError> {
    let at = |location: Location, text: String| SceneError::new(text).at(&location);
    // How many copies there are of what.
    let mut counts = BTreeMap::new();
    for entry in &entries {
        let Some(node) = copies(&entry.node) else { continue };
        let path = format!("{kind}.{}.copies", entry.key);
        let location = document.location(&node.origin);
        let Some(count) = count(node) else {
            let hint = "for example copies = { count = 5, translation = [\"20 cm\", 0, 0] }";
            let text = format!("{path}: it needs to be said how many there are");
            return Err(at(location, text).hint(hint));
        };
        if !(1..=MOST).contains(&count) {
            return Err(at(location, format!("{path}: {count}: 1 to {MOST} are possible")));
        }
        counts.insert(entry.key.clone(), count as usize);
    }
    let original = |name: &str| {
        let (of, number) = name.rsplit_once('-')?;
        let number = number.parse().ok().filter(|n| format!("{of}-{n}") == name)?;
        let is_one = counts.get(of).is_some_and(|&count| (1..=count).contains(&number));
        is_one.then(|| of.to_owned())
    };
    // Tables that say something of a copy.
    let mut own = BTreeMap::new();
    let mut rest = Vec::new();
    for entry in entries {
        let Some(of) = original(&entry.key) else {
            rest.push(entry);
            continue;
        };
        if copies(&entry.node).is_some() {
            let text = format!(
                "{kind}.{}: a copy of '{of}' cannot have copies of its own: give this table another name",
                entry.key
            );
            return Err(at(document.location(&entry.key_origin), text));
        }
        own.insert(entry.key.clone(), entry);
    }
    let mut all = Vec::new();
    for entry in rest {
        let Some(&count) = counts.get(&entry.key) else {
            all.push(entry);
            continue;
        };
        for number in 1..=count {
            let name = entry.key.clone();
            let key = format!("{name}-{number}");
            let (key_origin, mut node) = match own.remove(&key) {
                Some(own) => (own.key_origin, merge(entry.node.clone(), own.node)),
                None => (entry.key_origin.clone(), entry.node.clone()),
            };
            number_texts(&mut node, &number.to_string());
            let copy = Some(CopyOf { name, number });
            all.push(Entry { key, key_origin, node, used: Cell::new(false), copy });
        }
    }
    Ok(all)
}

/// Puts the number of a copy into all texts.
fn number_texts(node: &mut Node, number: &str) {
    match &mut node.value {
        Value::Text(text) if text.contains(NUMBER) => *text = text.replace(NUMBER, number),
        Value::List(list) => list.iter_mut().for_each(|node| number_texts(node, number)),
        Value::Table(entries) => {
            for entry in entries {
                number_texts(&mut entry.node, number);
            }
        }
        _ => {}
    }
}

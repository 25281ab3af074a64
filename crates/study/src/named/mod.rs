//! [`NamedStudy`]: what a source claims, run anew, with its numbers beside ours.

mod virtis_5_6;
mod zhuang_canny_12;

use pliant_errors::names::nearest;
use pliant_scene::SceneError;
use serde_json::{Map, Value, json};

/// What a study came to.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedStudy {
    /// What it is called.
    pub name: &'static str,
    /// What is claimed, in a sentence.
    pub claim: String,
    /// Whether it holds.
    pub holds: bool,
    /// The columns, with a unit where there is one.
    pub columns: Vec<&'static str>,
    /// A value for each column; null where there is none.
    pub rows: Vec<Vec<Value>>,
    /// What to know when reading it.
    pub notes: Vec<String>,
}

/// Asked after every step, with the part that is done: whether to go on.
pub(crate) type Going<'a> = &'a dyn Fn(f64) -> bool;

type Run = fn(Going<'_>) -> Result<Option<NamedStudy>, SceneError>;

/// Name, what it is, and how it is run.
const ALL: [(&str, &str, Run); 2] = [
    (
        virtis_5_6::NAME,
        "a sphere dropped on the ground, each mode of contact beside Hauth's table 5.6",
        virtis_5_6::run,
    ),
    (
        zhuang_canny_12::NAME,
        "collision integration: nodes that collide are back after two steps, equation 12",
        zhuang_canny_12::run,
    ),
];

impl NamedStudy {
    /// Names of all studies, and what each is.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
        ALL.iter().map(|(name, about, _)| (*name, *about))
    }

    /// Runs the study of that name; none if it was stopped.
    pub fn run(name: &str, going: &dyn Fn(f64) -> bool) -> Result<Option<Self>, SceneError> {
        if let Some((_, _, run)) = ALL.iter().find(|(known, _, _)| *known == name) {
            return run(going);
        }
        let near = nearest(name, ALL.iter().map(|(name, _, _)| *name));
        let known: Vec<_> = ALL.iter().map(|(name, _, _)| *name).collect();
        let hint = format!("did you mean '{near}'? (there are {})", known.join(", "));
        Err(SceneError::new(format!("there is no study '{name}'")).hint(hint))
    }

    /// `{claim, holds, rows, notes}`, each row an object by column.
    pub fn json(&self) -> Value {
        let row = |row: &Vec<Value>| {
            let pairs = self.columns.iter().zip(row);
            Value::Object(pairs.map(|(c, v)| ((*c).to_owned(), v.clone())).collect::<Map<_, _>>())
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({
            "study": self.name, "claim": self.claim, "holds": self.holds, "rows": rows,
            "notes": self.notes,
        })
    }

    /// A table of Markdown, which reads well as text too.
    pub fn table(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|c| (*c).to_owned()).collect());
        text += &line(vec!["---".to_owned(); self.columns.len()]);
        for row in &self.rows {
            text += &line(row.iter().map(shown).collect());
        }
        text
    }

    /// For people.
    pub fn text(&self) -> String {
        let verdict = if self.holds { "holds" } else { "does not hold" };
        let notes = self.notes.iter().fold(String::new(), |text, note| text + note + "\n");
        format!("{}: {verdict}\n\n{}\n{notes}", self.claim, self.table())
    }
}

/// Numbers with four digits, nothing for null.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(n) if n.is_f64() => pliant_units::number(n.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

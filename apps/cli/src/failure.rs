//! [`Failure`]: why a command could not do its job, for people and for scripts.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::ExitCode;

use pliant::dynamics::DynamicsError;
use pliant::forces::ForceError;
use pliant::materials::MaterialError;
use pliant::mesh::{Location, MeshError};
use pliant::scene::{Cause, SceneError};
use pliant::solvers::SolverError;
use serde_json::{Value, json};

use crate::style::{Style, paint};

/// Why a command failed; each kind has its exit status.
#[derive(Debug)]
pub enum Failure {
    /// Bad input or usage: status 2.
    Input(String),
    /// A mesh file or a mesh that cannot serve: status 2.
    Mesh(MeshError),
    /// A scene that is wrong (status 2), or could not be run to its end (status 1).
    Scene(SceneError),
    /// The answer is no, and it has been printed already (`mesh check`): status 1.
    Negative,
    /// Forces that could not be computed, a system that could not be solved: status 1.
    Computation(String),
    /// Ctrl-C: status 1.
    Interrupted(String),
}

impl From<MeshError> for Failure {
    fn from(error: MeshError) -> Self {
        Failure::Mesh(error)
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Failure::Scene(error)
    }
}

impl From<MaterialError> for Failure {
    fn from(error: MaterialError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<ForceError> for Failure {
    fn from(error: ForceError) -> Self {
        match error {
            ForceError::Parameter { .. } | ForceError::Unsupported(_) => {
                Failure::Input(error.to_string())
            }
            _ => Failure::Computation(error.to_string()),
        }
    }
}

impl From<DynamicsError> for Failure {
    fn from(error: DynamicsError) -> Self {
        match error {
            DynamicsError::Force(error) => error.into(),
            DynamicsError::Linear(error) => error.into(),
            DynamicsError::Setting { .. }
            | DynamicsError::Unsupported(_)
            | DynamicsError::Step { .. }
            | DynamicsError::UnknownIntegrator { .. }
            | DynamicsError::UnknownStaticMethod { .. } => Failure::Input(error.to_string()),
            _ => Failure::Computation(error.to_string()),
        }
    }
}

impl From<SolverError> for Failure {
    fn from(error: SolverError) -> Self {
        match error {
            SolverError::Usage(_) => Failure::Input(error.to_string()),
            _ => Failure::Computation(error.to_string()),
        }
    }
}

impl Failure {
    /// Prints it, on standard error for people and as the one JSON document for scripts.
    pub fn report(&self, as_json: bool) -> ExitCode {
        let (status, text, details) = match self {
            Failure::Input(text) => (2, text.clone(), json!({"kind": "usage", "message": text})),
            Failure::Computation(text) => {
                (1, text.clone(), json!({"kind": "computation", "message": text}))
            }
            Failure::Interrupted(text) => {
                (1, text.clone(), json!({"kind": "interrupted", "message": text}))
            }
            Failure::Negative => return ExitCode::from(1),
            Failure::Mesh(error) => (2, explain(error), mesh_json(error)),
            Failure::Scene(error) => {
                let status = if error.details().cause == Cause::Input { 2 } else { 1 };
                (status, explain_scene(error), scene_json(error))
            }
        };
        eprintln!("{} {text}", paint(Style::Error, "error:"));
        if as_json {
            println!("{:#}", json!({"error": details}));
        }
        ExitCode::from(status)
    }
}

fn mesh_json(error: &MeshError) -> Value {
    let d = error.details();
    let mut value = json!({
        "kind": format!("{:?}", d.kind),
        "message": d.message,
        "file": d.file,
        "hint": d.hint,
    });
    match d.at {
        Location::File => {}
        Location::Line { line, column, .. } => {
            value["line"] = line.into();
            value["column"] = column.into();
        }
        Location::Offset(offset) => value["offset"] = offset.into(),
    }
    value
}

fn scene_json(error: &SceneError) -> Value {
    let d = error.details();
    let place = d.place.as_ref().filter(|p| p.line > 0);
    json!({
        "kind": match d.cause {
            Cause::Input => "scene",
            Cause::Computation => "computation",
            Cause::Output => "output",
        },
        "message": d.message,
        "file": d.place.as_ref().map(|p| &p.file),
        "line": place.map(|p| p.line),
        "column": place.map(|p| p.column),
        "hint": d.hint,
    })
}

/// As [`explain`], with the line that the error brings along.
fn explain_scene(error: &SceneError) -> String {
    let d = error.details();
    let mut text = d.message.clone();
    if let Some(place) = &d.place {
        text += &format!("\n {} {place}", paint(Style::Place, "-->"));
        if place.line > 0 {
            text += &excerpt(&place.source, place.line, place.column, place.width);
        }
    }
    if let Some(hint) = &d.hint {
        text += &format!("\n {} {hint}", paint(Style::Hint, "hint:"));
    }
    text
}

/// The message, the place with the line of the file that is wrong, and the hint.
fn explain(error: &MeshError) -> String {
    let d = error.details();
    let mut text = d.message.clone();
    if let Some(file) = &d.file {
        let arrow = paint(Style::Place, "-->");
        match d.at {
            Location::File => text += &format!("\n {arrow} {file}"),
            Location::Offset(offset) => text += &format!("\n {arrow} {file}, byte {offset}"),
            Location::Line { line, column, width } => {
                text += &format!("\n {arrow} {file}:{line}:{column}");
                if let Some(source) = line_of(file, line) {
                    text += &excerpt(&source, line, column, width);
                }
            }
        }
    }
    if let Some(hint) = &d.hint {
        text += &format!("\n {} {hint}", paint(Style::Hint, "hint:"));
    }
    text
}

/// The line of the file, if it can be read again and is text of a sane length.
fn line_of(file: &str, line: u64) -> Option<String> {
    let mut reader = BufReader::new(std::fs::File::open(file).ok()?);
    for _ in 1..line {
        reader.skip_until(b'\n').ok()?;
    }
    let mut bytes = Vec::new();
    reader.take(4096).read_until(b'\n', &mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let text = text.trim_end_matches(['\n', '\r']).to_owned();
    (!text.chars().any(|c| c.is_control() && c != '\t')).then_some(text)
}

/// The line with a mark under what is wrong; long lines are cut round the mark.
fn excerpt(source: &str, line: u64, column: u64, width: u64) -> String {
    let start = source.floor_char_boundary((column as usize).saturating_sub(1));
    let end = source.floor_char_boundary(start.saturating_add(width as usize));
    let before: String = source[..start].chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    let skip = before.chars().count().saturating_sub(60);
    let shown: String =
        source.chars().map(|c| if c == '\t' { ' ' } else { c }).skip(skip).take(100).collect();
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    let bar = paint(Style::Place, "|");
    let blank = " ".repeat(before.chars().count() - skip);
    let marks = "^".repeat(source[start..end].chars().count().clamp(1, 60));
    let marks = paint(Style::Error, &marks);
    let number = paint(Style::Place, &number);
    format!("\n {gutter} {bar}\n {number} {bar} {shown}\n {gutter} {bar} {blank}{marks}")
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn the_mark_stands_under_what_is_wrong() {
        let text = excerpt("3 0.1\tabc 0.2", 12, 7, 3);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines, [" 12 | 3 0.1 abc 0.2", "    |       ^^^"]);
    }

    #[test]
    fn a_mark_beyond_the_line_does_no_harm() {
        for (column, width) in [(0, 0), (1, 0), (9, 5), (u64::MAX, u64::MAX)] {
            assert!(excerpt("äöü", 1, column, width).contains('^'));
        }
    }
}

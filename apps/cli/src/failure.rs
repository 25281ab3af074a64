//! [`Failure`]: why a command could not do its job, for people and for scripts.

use std::error::Error;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::process::ExitCode;

use pliant::dynamics::DynamicsError;
use pliant::errors::Class;
use pliant::forces::ForceError;
use pliant::materials::MaterialError;
use pliant::memory_fit::FitError;
use pliant::mesh::{Location, MeshError};
use pliant::model::ModelError;
use pliant::scene::SceneError;
use pliant::solvers::SolverError;
use pliant_viewer::ViewError;
use serde_json::{Value, json};

use crate::style::{Style, paint};

/// Why a command failed. The exit status follows from the class alone, see [`Failure::class`].
#[derive(Debug)]
pub enum Failure {
    /// Bad input or usage.
    Input(String),
    /// A result that could not be written.
    Output(String),
    /// A mesh file or a mesh that cannot serve, or could not be written.
    Mesh(MeshError),
    /// A scene that is wrong, or could not be run to its end.
    Scene(SceneError),
    /// An error of a library that knows neither files nor scenes, with the class that it gives itself.
    Library(Class, Box<dyn Error + Send + Sync>),
    /// The answer is no, and it has been printed already (`mesh check`).
    Negative,
    /// Ctrl-C.
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

impl From<ViewError> for Failure {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Scene(error) => Failure::Scene(error),
            other => Failure::Library(other.class(), other.into()),
        }
    }
}

/// Errors of libraries bring their class along.
macro_rules! from {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::Library(error.class(), error.into())
            }
        }
    )*};
}

from!(MaterialError, ForceError, SolverError, DynamicsError, FitError);

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Mesh(error) => error.into(),
            ModelError::Material(error) => error.into(),
            ModelError::Force(error) => error.into(),
            ModelError::Dynamics(error) => error.into(),
            error => Failure::Library(error.class(), error.into()),
        }
    }
}

impl Failure {
    /// Of a file that was named on the command line: a path that cannot be written to at all is bad usage, a device
    /// that has no room left is not.
    pub fn unwritten(text: String, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::WriteZero => Failure::Output(text),
            _ => Failure::Input(text),
        }
    }

    /// Returns its class. Answers of no and interruptions count as computations that did not come to their end.
    pub fn class(&self) -> Class {
        match self {
            Failure::Input(_) => Class::Input,
            Failure::Output(_) => Class::Output,
            Failure::Mesh(error) => error.class(),
            Failure::Scene(error) => error.class(),
            Failure::Library(class, _) => *class,
            Failure::Negative | Failure::Interrupted(_) => Class::Computation,
        }
    }

    /// Returns the exit status: 2 for what the user has to change, 1 for all else.
    pub fn status(&self) -> u8 {
        match self.class() {
            Class::Input => 2,
            Class::Computation | Class::Output => 1,
        }
    }

    /// Prints it, on standard error for people and as the one JSON document for scripts.
    pub fn report(&self, as_json: bool) -> ExitCode {
        let plain = |kind: &str, text: String| {
            let details = json!({"kind": kind, "message": text});
            (text, details)
        };
        let (text, mut details) = match self {
            Failure::Negative => return ExitCode::from(self.status()),
            Failure::Input(text) => plain("usage", text.clone()),
            Failure::Output(text) => plain("output", text.clone()),
            Failure::Interrupted(text) => plain("interrupted", text.clone()),
            Failure::Library(class, error) => {
                let kind = match class {
                    Class::Input => "usage",
                    Class::Computation | Class::Output => class.name(),
                };
                plain(kind, error.to_string())
            }
            Failure::Mesh(error) => (explain(error), mesh_json(error)),
            Failure::Scene(error) => (explain_scene(error), scene_json(error)),
        };
        details["class"] = self.class().name().into();
        eprintln!("{} {text}", paint(Style::Error, "error:"));
        if as_json {
            println!("{:#}", json!({"error": details}));
        }
        ExitCode::from(self.status())
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
    let location = d.location.as_ref().filter(|p| p.line > 0);
    json!({
        "kind": match d.class {
            Class::Input => "scene",
            Class::Computation | Class::Output => d.class.name(),
        },
        "message": d.message,
        "file": d.location.as_ref().map(|p| &p.file),
        "line": location.map(|p| p.line),
        "column": location.map(|p| p.column),
        "hint": d.hint,
    })
}

/// As [`explain`], with the line that the error brings along.
fn explain_scene(error: &SceneError) -> String {
    let d = error.details();
    let mut text = d.message.clone();
    if let Some(location) = &d.location {
        text += &format!("\n {} {location}", paint(Style::Location, "-->"));
        if location.line > 0 {
            text += &excerpt(&location.source, location.line, location.column, location.width);
        }
    }
    if let Some(hint) = &d.hint {
        text += &format!("\n {} {hint}", paint(Style::Hint, "hint:"));
    }
    text
}

/// The message, the location with the line of the file that is wrong, and the hint.
fn explain(error: &MeshError) -> String {
    let d = error.details();
    let mut text = d.message.clone();
    if let Some(file) = &d.file {
        let arrow = paint(Style::Location, "-->");
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
    let bar = paint(Style::Location, "|");
    let blank = " ".repeat(before.chars().count() - skip);
    let marks = "^".repeat(source[start..end].chars().count().clamp(1, 60));
    let marks = paint(Style::Error, &marks);
    let number = paint(Style::Location, &number);
    format!("\n {gutter} {bar}\n {number} {bar} {shown}\n {gutter} {bar} {blank}{marks}")
}

#[cfg(test)]
mod tests {
    use pliant::mesh::ErrorKind;

    use super::*;

    #[test]
    fn the_class_alone_makes_the_status() {
        let io = |kind: io::ErrorKind| io::Error::from(kind);
        let modes = || DynamicsError::Modes { found: 1, wanted: 2, subspace: 3, residual: 1.0 };
        let stuck = || DynamicsError::NotConverged {
            iterations: 1,
            residual: 1.0,
            wanted: 0.1,
            scale: 1.0,
            change: 1.0,
        };
        let load =
            |cause| DynamicsError::Load { factor: 0.5, increments: 1, cause: Box::new(cause) };
        let step = || DynamicsError::Step { found: -1.0 };
        let table: [(Failure, Class, u8); 16] = [
            (Failure::Input("--cells 0".into()), Class::Input, 2),
            (Failure::Output("standard output".into()), Class::Output, 1),
            (Failure::Negative, Class::Computation, 1),
            (Failure::Interrupted("stopped".into()), Class::Computation, 1),
            (SceneError::new("unknown key").into(), Class::Input, 2),
            (SceneError::computation("diverged").into(), Class::Computation, 1),
            (SceneError::output("disk full").into(), Class::Output, 1),
            (MeshError::new(ErrorKind::Syntax, "x").into(), Class::Input, 2),
            (MeshError::from(io(io::ErrorKind::StorageFull)).into(), Class::Output, 1),
            (SceneError::from(modes()).into(), Class::Computation, 1),
            (modes().into(), Class::Computation, 1),
            (load(stuck()).into(), Class::Computation, 1),
            (SceneError::from(load(step())).into(), Class::Input, 2),
            (load(step()).into(), Class::Input, 2),
            (SolverError::Usage("no such solver".into()).into(), Class::Input, 2),
            (ViewError::Token.into(), Class::Input, 2),
        ];
        for (failure, class, status) in table {
            assert_eq!((failure.class(), failure.status()), (class, status), "{failure:?}");
        }
        let named = |kind| Failure::unwritten("x".into(), &io(kind)).class();
        assert_eq!(named(io::ErrorKind::NotFound), Class::Input);
        assert_eq!(named(io::ErrorKind::StorageFull), Class::Output);
    }

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

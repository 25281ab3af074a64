//! [`StudyFolder`]: where a study keeps its runs, so that it can go on after it was stopped.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use pliant_mesh::io::write_file;
use pliant_scene::{Origin, SceneError};
use serde_json::{Value, json};

use crate::case::Case;
use crate::outcome::Outcome;

/// The mark, so that nothing else is ever overwritten.
const MARK: &str = "study.json";
const RUNS: &str = "runs";

/// A folder of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyFolder {
    path: PathBuf,
}

impl StudyFolder {
    /// A new folder, or one of ours, whose runs are taken as far as they fit unless `again`. Another one that
    /// is not empty is refused.
    pub fn open(path: &Path, origin: &Origin, again: bool) -> Result<Self, SceneError> {
        let fail = |e: std::io::Error| {
            SceneError::new(format!("cannot write to {}: {e}", path.display())).because(e)
        };
        let folder = Self { path: path.to_owned() };
        let runs = folder.file(RUNS);
        if path.exists() {
            let empty = fs::read_dir(path).map_err(fail)?.next().is_none();
            if !(empty || folder.file(MARK).is_file()) {
                let text = format!(
                    "{} is not empty and was not made by a study: nothing in it is touched",
                    path.display()
                );
                return Err(SceneError::new(text).hint("choose another --out"));
            }
            if again && runs.is_dir() {
                let ours = |p: &PathBuf| p.extension().is_some_and(|e| e == "json" || e == "f64");
                for file in
                    fs::read_dir(&runs).map_err(fail)?.flatten().map(|e| e.path()).filter(ours)
                {
                    fs::remove_file(file).map_err(fail)?;
                }
            }
        }
        fs::create_dir_all(&runs).map_err(fail)?;
        let mark = json!({
            "pliant": env!("CARGO_PKG_VERSION"),
            "scene": origin.scene,
            "set": origin.sets,
        });
        // Nothing was computed yet: the path is wrong, not the study.
        let marked = folder.write(MARK, format!("{mark:#}\n").as_bytes());
        marked.map_err(SceneError::as_input)?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file in one step.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), SceneError> {
        Ok(write_file(&self.file(name), |sink: &mut dyn Write| Ok(sink.write_all(contents)?))?)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The run of a case, if it was finished.
    pub(crate) fn finished(&self, case: &Case) -> Option<Outcome> {
        let name = format!("{RUNS}/{}", case.id());
        let text = fs::read_to_string(self.file(&format!("{name}.json"))).ok()?;
        let bytes = fs::read(self.file(&format!("{name}.f64"))).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        Outcome::read(&value, &bytes)
    }

    /// Keeps a run. The small file with its numbers comes last: where it is, the run is whole.
    pub(crate) fn keep(&self, case: &Case, outcome: &Outcome) -> Result<(), SceneError> {
        let name = format!("{RUNS}/{}", case.id());
        self.write(&format!("{name}.f64"), &outcome.bytes())?;
        let document = outcome.to_json(&json!(case.sets));
        self.write(&format!("{name}.json"), format!("{document:#}\n").as_bytes())
    }
}

//! [`Kept`]: the scene of a run as its folder keeps it, word for word, so that the run goes on even if the file has gone or changed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::error::SceneError;
use crate::file::document::{Document, SourceText};
use crate::run::folder::{Folder, MARK, Origin, cannot_go_on};
use crate::spec::output::OutputSpec;
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// The scene as one file, for people.
pub(crate) const AS_RUN: &str = "scene-as-run.toml";

/// Keys that may be set when a run goes on: none of them changes what was computed so far.
pub(crate) const CHANGEABLE: [&str; 6] = [
    "time.end",
    "time.steps",
    "output.checkpoint_every",
    "output.history_every",
    "output.report",
    "output.stress",
];

/// The key of an override.
pub(crate) fn key_of(set: &str) -> String {
    let path = set.split_once('=').map_or(set, |(path, _)| path);
    path.split('.').map(str::trim).collect::<Vec<_>>().join(".")
}

/// The scene of a run as its folder keeps it.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Where the scene came from.
    pub origin: Origin,
    /// The file and all that it includes; none in folders of older versions.
    sources: Vec<SourceText>,
    /// What the file it was translated from says without effect.
    notes: Vec<String>,
    /// Steps between frames, rows and checkpoints, which do not change with the end.
    every: Option<Every>,
    /// The files that its bodies were made of, with checksums of what they held.
    files: Vec<(PathBuf, String)>,
}

#[derive(Debug, Clone, Copy)]
struct Every {
    frames: Option<u64>,
    history: u64,
    checkpoints: u64,
}

impl Every {
    fn of(output: &OutputSpec) -> Self {
        Self {
            frames: output.frame_every,
            history: output.history_every,
            checkpoints: output.checkpoint_every,
        }
    }
}

impl Kept {
    /// What a folder keeps. Nothing in it is touched.
    pub fn of(folder: &Path) -> Result<Self, SceneError> {
        let wrong = |why: &str| cannot_go_on(folder, why);
        let text =
            fs::read_to_string(folder.join(MARK)).map_err(|e| wrong(&e.to_string()).because(e))?;
        let mark: Value =
            serde_json::from_str(&text).map_err(|e| wrong(&e.to_string()).because(e))?;
        let texts = |key: &str| {
            let list = mark[key].as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let scene = mark["scene"].as_str().ok_or_else(|| wrong("it names no scene"))?.to_owned();
        let sources = mark["sources"].as_array().map(Vec::as_slice).unwrap_or_default();
        let source = |s: &Value| {
            let (name, text) = (s["name"].as_str()?, s["text"].as_str()?);
            Some(SourceText { name: name.to_owned(), text: text.to_owned() })
        };
        let every = &mark["every"];
        let every = every["history"].as_u64().zip(every["checkpoints"].as_u64()).map(
            |(history, checkpoints)| Every {
                frames: every["frames"].as_u64(),
                history: history.max(1),
                checkpoints: checkpoints.max(1),
            },
        );
        let files = mark["files"].as_array();
        let file = |f: &Value| Some((f["name"].as_str()?.into(), f["checksum"].as_str()?.into()));
        Ok(Self {
            origin: Origin { scene, sets: texts("set") },
            sources: sources.iter().filter_map(source).collect(),
            notes: texts("notes"),
            every,
            files: files.into_iter().flatten().filter_map(file).collect(),
        })
    }

    /// The scene as it was run; where nothing was kept, as it is now.
    pub fn load(&self) -> Result<Scene, SceneError> {
        let Some(first) = self.sources.first() else { return self.origin.load() };
        let document = Document::of_kept(&self.sources, &self.origin.sets)?;
        let mut scene = Scene::of_document(&document, Path::new(&first.name))?;
        scene.notes.clone_from(&self.notes);
        if let Some(every) = self.every {
            let set = |key: &str| self.origin.sets.iter().any(|set| key_of(set) == key);
            scene.output.frame_every = every.frames;
            if !set("output.history_every") {
                scene.output.history_every = every.history;
            }
            if !set("output.checkpoint_every") {
                scene.output.checkpoint_every = every.checkpoints;
            }
        }
        Ok(scene)
    }

    /// What has become of the file: one sentence if it is not there any more, or says something else now.
    pub fn difference(&self, scene: &Scene) -> Option<String> {
        if self.sources.is_empty() {
            return None;
        }
        let name = &self.origin.scene;
        let what = match self.origin.load() {
            Ok(now) if now.text() == scene.text() => return None,
            Err(_) if !Path::new(name).exists() => "has gone",
            _ => "has changed since the run was started",
        };
        Some(format!("{name} {what}: the run goes on with the copy that its folder keeps"))
    }

    /// An error if a file that bodies are made of is not what it was when the run began: what was computed so far belongs to
    /// other meshes. Folders of older versions keep nothing to compare with.
    pub fn check_files(&self) -> Result<(), SceneError> {
        for (file, was) in &self.files {
            let what = match checksum(file) {
                Ok(now) if now == *was => continue,
                Ok(_) => "has changed since the run was started".to_owned(),
                Err(error) => {
                    format!("was read when the run was started, and cannot be now: {error}")
                }
            };
            let hint = "restore the file, add --force to go on with what it holds now, or start anew, in another folder";
            return Err(SceneError::new(format!("{} {what}", file.display())).hint(hint));
        }
        Ok(())
    }

    /// Sets keys on top: where the run ends, and what it writes. Other keys are refused by name.
    pub fn extend(&mut self, sets: &[String]) -> Result<(), SceneError> {
        for set in sets {
            let key = key_of(set);
            if !CHANGEABLE.contains(&key.as_str()) {
                let text = format!("--set {key}: a run that goes on cannot change it");
                let hint = format!(
                    "{} may be set; for all else start anew, in another folder",
                    CHANGEABLE.join(", ")
                );
                return Err(SceneError::new(text).hint(hint));
            }
            // The end is given in one way only.
            let is_end = |key: &str| ["time.end", "time.steps"].contains(&key);
            self.origin.sets.retain(|old| {
                let old = key_of(old);
                old != key && !(is_end(&old) && is_end(&key))
            });
        }
        self.origin.sets.extend_from_slice(sets);
        let scene = self.load()?;
        let ends = sets.iter().map(|set| key_of(set)).find(|key| key.starts_with("time."));
        if let Some(key) = ends
            && scene.time.analysis == Analysis::Static
        {
            let text = format!("--set {key}: a static scene has no steps in time to go on with");
            return Err(SceneError::new(text).hint("start anew, in another folder"));
        }
        Ok(())
    }
}

impl Folder {
    /// Keeps the scene of the run that begins or goes on here, word for word in its mark and as one file for people.
    pub fn keep(&self, scene: &Scene, origin: &Origin) -> Result<(), SceneError> {
        let every = Every::of(&scene.output);
        let sources = scene.sources().iter().map(|s| json!({"name": s.name, "text": s.text}));
        // Files that cannot be read were refused before.
        let file = |file: PathBuf| {
            let sum = checksum(&file).ok()?;
            Some(json!({"name": file.display().to_string(), "checksum": sum}))
        };
        let files: Vec<Value> = scene.files().into_iter().filter_map(file).collect();
        let mark = json!({
            "pliant": env!("CARGO_PKG_VERSION"),
            "scene": origin.scene,
            "set": origin.sets,
            "files": files,
            "sources": sources.collect::<Vec<_>>(),
            "notes": scene.notes,
            "every": {
                "frames": every.frames, "history": every.history, "checkpoints": every.checkpoints,
            },
        });
        self.write(MARK, &mark)?;
        let document = Document::of_kept(scene.sources(), &origin.sets)?;
        self.write_text(AS_RUN, &document.to_toml(Path::new(&origin.scene)))
    }
}

/// The checksum of what a file holds.
fn checksum(file: &Path) -> std::io::Result<String> {
    Ok(format!("{:016x}", pliant_sections::checksum(&fs::read(file)?)))
}

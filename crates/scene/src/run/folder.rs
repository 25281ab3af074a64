//! [`Folder`]: where a run writes. It bears a mark, so that nothing else is ever overwritten.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant_mesh::io::write_file;
use serde_json::{Value, json};

use crate::error::SceneError;
use crate::output::formats::{self, FrameFormat};
use crate::run::kept::{AS_RUN, Kept};
use crate::run::lock::{LOCK, Lock};
use crate::run::summary::Summary;
use crate::run::tables;

/// The mark, which also says how to run the scene again.
pub(crate) const MARK: &str = "run.json";

/// What hands did, in the folder of a replay.
pub const INPUT: &str = "input.jsonl";

/// A folder of results. Those that are written to are locked until the value and all its copies are dropped.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    lock: Option<Arc<Lock>>,
    note: Option<String>,
}

/// What a folder says about its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The scene file, or the name of a built-in one.
    pub scene: String,
    /// Overrides.
    pub sets: Vec<String>,
}

impl Folder {
    /// A new folder, or one of ours with results of the same scene, which are thrown away. Results of another scene, and folders that
    /// are not empty and not ours, are refused unless `force`, which still removes nothing but what a run writes. So are folders
    /// that another process runs in, always.
    pub fn create(path: &Path, origin: &Origin, force: bool) -> Result<Self, SceneError> {
        let fail = |e: std::io::Error| {
            SceneError::new(format!("cannot write to {}: {e}", path.display())).because(e)
        };
        let mut folder = Self::at(path);
        if path.exists() {
            let mut files = fs::read_dir(path).map_err(fail)?.flatten();
            let empty = files.all(|file| file.file_name() == LOCK);
            if !(empty || force || folder.is_ours()) {
                let text = format!(
                    "{} is not empty and was not made by a run: nothing in it is touched",
                    path.display()
                );
                return Err(SceneError::new(text).hint("choose another --out, or add --force"));
            }
            if folder.is_ours()
                && !force
                && let Some(other) = Origin::of(path).ok().filter(|o| o.scene != origin.scene)
            {
                let text = format!(
                    "{} holds the results of another scene, {}: nothing in it is touched",
                    path.display(),
                    other.scene
                );
                let hint = "choose another --out, or add --force to replace them";
                return Err(SceneError::new(text).hint(hint));
            }
            folder.lock()?;
            // In a folder of others everything stays.
            if folder.is_ours() {
                folder.clear().map_err(fail)?;
            }
        }
        fs::create_dir_all(path).map_err(fail)?;
        folder.lock()?;
        let mark = json!({
            "pliant": env!("CARGO_PKG_VERSION"),
            "scene": origin.scene,
            "set": origin.sets,
        });
        // Nothing was computed yet: the place is wrong, not the run.
        folder.write(MARK, &mark).map_err(SceneError::as_input)?;
        Ok(folder)
    }

    /// A folder of a run that is to go on, and what it was a run of.
    pub fn open(path: &Path) -> Result<(Self, Origin), SceneError> {
        let mut folder = Self::at(path);
        let wrong = |why: &str| cannot_go_on(path, why);
        let origin = Origin::of(path)?;
        folder.lock()?;
        // What a killed run left half written.
        for location in [folder.path.clone(), folder.file("frames")] {
            remove(&location, &[]).map_err(|e| wrong(&e.to_string()).because(e))?;
        }
        Ok((folder, origin))
    }

    /// A folder to look at. It is neither locked nor changed.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), lock: None, note: None }
    }

    fn lock(&mut self) -> Result<(), SceneError> {
        if self.lock.is_none() {
            let (lock, note) = Lock::take(&self.path)?;
            (self.lock, self.note) = (Some(Arc::new(lock)), note);
        }
        Ok(())
    }

    /// What is to be said about its lock, if it was taken over from a process that has ended.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    fn is_ours(&self) -> bool {
        self.file(MARK).is_file()
    }

    /// Removes what a run writes, and nothing else.
    fn clear(&self) -> std::io::Result<()> {
        let single = [
            "summary.json",
            "history.csv",
            "checkpoint.bin",
            "album.bin",
            "report.html",
            INPUT,
            AS_RUN,
        ];
        let single = single.into_iter().map(str::to_owned);
        let whole = FrameFormat::ALL.iter().filter_map(|format| format.whole_file());
        for name in single.chain(whole) {
            let file = self.file(&name);
            if file.is_file() {
                fs::remove_file(file)?;
            }
        }
        remove(&self.path, &formats::in_folder())?;
        remove(&self.file(tables::FOLDER), &["csv"])?;
        remove(&self.file("frames"), &formats::in_frames())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes the summary, which a run that is given another end is not described by any more.
    pub fn remove_summary(&self) {
        let _ = fs::remove_file(self.file("summary.json"));
    }

    /// The summary that it holds, if it holds one.
    pub fn summary(&self) -> Option<Summary> {
        let text = fs::read_to_string(self.file("summary.json")).ok()?;
        Summary::from_json(&serde_json::from_str(&text).ok()?)
    }

    /// Writes a text in one step.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), SceneError> {
        let write = |sink: &mut dyn std::io::Write| Ok(sink.write_all(text.as_bytes())?);
        write_file(&self.file(name), write).map_err(SceneError::unwritten)
    }

    /// Writes a JSON document in one step.
    pub(crate) fn write(&self, name: &str, value: &Value) -> Result<(), SceneError> {
        let write = |sink: &mut dyn std::io::Write| Ok(writeln!(sink, "{value:#}")?);
        write_file(&self.file(name), write).map_err(SceneError::unwritten)
    }
}

impl Origin {
    /// What a folder is a run of. Nothing in it is touched.
    pub fn of(folder: &Path) -> Result<Self, SceneError> {
        Ok(Kept::of(folder)?.origin)
    }
}

pub(crate) fn cannot_go_on(folder: &Path, why: &str) -> SceneError {
    SceneError::new(format!("{} cannot be resumed: {why}", folder.display()))
        .hint("give the --out folder of a run that was stopped")
}

/// Removes the files of a folder that have one of these extensions, or were left behind half written.
fn remove(folder: &Path, extensions: &[&str]) -> std::io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for file in fs::read_dir(folder)?.flatten().map(|e| e.path()) {
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        let half = extension.strip_prefix("part-").is_some_and(|id| id.parse::<u32>().is_ok());
        if (half || extensions.contains(&extension.as_ref())) && file.is_file() {
            fs::remove_file(file)?;
        }
    }
    Ok(())
}

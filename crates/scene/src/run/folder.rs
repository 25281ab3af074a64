//! [`Folder`]: where a run writes. It bears a mark, so that nothing else is ever overwritten.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_mesh::io::write_file;
use serde_json::{Value, json};

use crate::error::SceneError;
use crate::output::formats::{self, FrameFormat};

/// The mark, which also says how to run the scene again.
const MARK: &str = "run.json";

/// A folder of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
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
    /// A new folder, or one of ours whose results are thrown away. Another one that is not empty is
    /// refused unless `force`, which still removes nothing but what a run writes.
    pub fn create(path: &Path, origin: &Origin, force: bool) -> Result<Self, SceneError> {
        let fail = |e: std::io::Error| {
            SceneError::new(format!("cannot write to {}: {e}", path.display())).because(e)
        };
        let folder = Self { path: path.to_owned() };
        if path.exists() {
            let empty = fs::read_dir(path).map_err(fail)?.next().is_none();
            if !(empty || force || folder.is_ours()) {
                let text = format!(
                    "{} is not empty and was not made by a run: nothing in it is touched",
                    path.display()
                );
                return Err(SceneError::new(text).hint("choose another --out, or add --force"));
            }
            // In a folder of others everything stays.
            if folder.is_ours() {
                folder.clear().map_err(fail)?;
            }
        }
        fs::create_dir_all(path).map_err(fail)?;
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
        let folder = Self { path: path.to_owned() };
        let wrong = |why: &str| cannot_go_on(path, why);
        let origin = Origin::of(path)?;
        // What a killed run left half written.
        for location in [folder.path.clone(), folder.file("frames")] {
            remove(&location, &[]).map_err(|e| wrong(&e.to_string()).because(e))?;
        }
        Ok((folder, origin))
    }

    fn is_ours(&self) -> bool {
        self.file(MARK).is_file()
    }

    /// Removes what a run writes, and nothing else.
    fn clear(&self) -> std::io::Result<()> {
        let single = ["summary.json", "history.csv", "checkpoint.bin", "album.bin", "report.html"];
        let single = single.into_iter().map(str::to_owned);
        let whole = FrameFormat::ALL.iter().filter_map(|format| format.whole_file());
        for name in single.chain(whole) {
            let file = self.file(&name);
            if file.is_file() {
                fs::remove_file(file)?;
            }
        }
        remove(&self.path, &formats::in_folder())?;
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

    /// Writes a JSON document in one step.
    pub(crate) fn write(&self, name: &str, value: &Value) -> Result<(), SceneError> {
        let write = |sink: &mut dyn std::io::Write| Ok(writeln!(sink, "{value:#}")?);
        write_file(&self.file(name), write).map_err(SceneError::unwritten)
    }
}

impl Origin {
    /// What a folder is a run of. Nothing in it is touched.
    pub fn of(folder: &Path) -> Result<Self, SceneError> {
        let wrong = |why: &str| cannot_go_on(folder, why);
        let text =
            fs::read_to_string(folder.join(MARK)).map_err(|e| wrong(&e.to_string()).because(e))?;
        let mark: Value =
            serde_json::from_str(&text).map_err(|e| wrong(&e.to_string()).because(e))?;
        let scene = mark["scene"].as_str().ok_or_else(|| wrong("it names no scene"))?;
        let sets = mark["set"].as_array().map(Vec::as_slice).unwrap_or_default();
        let sets = sets.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Ok(Self { scene: scene.to_owned(), sets })
    }
}

fn cannot_go_on(folder: &Path, why: &str) -> SceneError {
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

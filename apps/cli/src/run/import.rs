//! `pliant import`: configurations of Vega as scene files.

use std::path::{Path, PathBuf};

use pliant::scene::vega;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;

/// Translates a file.
pub fn import(file: &Path, out: &PathBuf, context: &Context) -> Result<(), Failure> {
    let read = |path: &Path| {
        std::fs::read_to_string(path)
            .map_err(|e| Failure::Input(format!("cannot read {}: {e}", path.display())))
    };
    let imported = vega::import(&read(file)?, file)?;
    for note in &imported.notes {
        context.warn(note);
    }
    let folder = |path: &Path| path.parent().and_then(|p| p.canonicalize().ok());
    let here = std::env::current_dir().ok();
    let parent = |path: &Path| folder(path).or_else(|| here.clone());
    if parent(file) != parent(out) {
        context.warn("names of files in the scene are relative to the folder of the configuration");
    }
    std::fs::write(out, &imported.scene)
        .map_err(|e| Failure::Input(format!("cannot write {}: {e}", out.display())))?;
    let result = json!({"output": out.display().to_string(), "notes": imported.notes});
    context.emit(&result, || format!("{} is the scene\n", out.display()))
}

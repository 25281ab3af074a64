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
    let imported = vega::import_from(&read(file)?, file, &way(out, file))?;
    for note in &imported.notes {
        context.warn(note);
    }
    std::fs::write(out, &imported.scene)
        .map_err(|e| Failure::unwritten(format!("cannot write {}: {e}", out.display()), &e))?;
    let result = json!({"output": out.display().to_string(), "notes": imported.notes});
    context.emit(&result, || format!("{} is the scene\n", out.display()))
}

/// From the folder of one file to that of another, so that names of files beside the other can be found from
/// the one; the whole path where there is no such way.
fn way(one: &Path, other: &Path) -> PathBuf {
    let folder = |path: &Path| match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new(".").canonicalize(),
        Some(parent) => parent.canonicalize(),
        None => path.canonicalize(),
    };
    // A folder that is not there is an error of whoever reads or writes in it.
    let (Ok(one), Ok(other)) = (folder(one), folder(other)) else { return PathBuf::new() };
    let same = one.components().zip(other.components()).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return other;
    }
    let up = one.components().skip(same).map(|_| PathBuf::from(".."));
    let down = other.components().skip(same).map(|c| PathBuf::from(c.as_os_str()));
    up.chain(down).collect()
}

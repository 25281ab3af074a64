//! Scenes by file or by name.

use std::path::Path;

use pliant::scene::{Origin, Scene, builtin};

use crate::failure::Failure;

/// What to run: a file if there is one of that name, else a built-in scene.
pub(crate) fn origin(scene: Option<&str>, sets: Vec<String>) -> Origin {
    let name = scene.unwrap_or(builtin::DEFAULT);
    let path = Path::new(name);
    // From wherever the run is resumed, the file is the same.
    let scene = match path.canonicalize() {
        Ok(full) if path.is_file() => full.display().to_string(),
        _ => name.to_owned(),
    };
    Origin { scene, sets }
}

/// Reads it.
pub(crate) fn load(origin: &Origin) -> Result<Scene, Failure> {
    Ok(origin.load()?)
}

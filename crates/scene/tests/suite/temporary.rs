//! [`Temporary`]: a folder for one test.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The path of a folder that goes away with its owner.
pub(crate) struct Temporary(pub(crate) PathBuf);

impl Temporary {
    /// A path at which there is nothing yet.
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pliant-scene-{name}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        Self(folder)
    }

    /// An empty folder.
    pub(crate) fn made(name: &str) -> Self {
        let folder = Self::new(name);
        fs::create_dir_all(&folder.0).unwrap();
        folder
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

//! Runs the `pliant` binary in a folder of its own.

// Each test is a crate of its own and takes what it needs.
#![allow(unreachable_pub, dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A temporary folder that goes away with its owner.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pliant-cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, contents: &str) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    /// Runs `pliant` with blank-separated arguments in this folder.
    pub fn run(&self, arguments: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    }

    /// Runs it, asks for status 0, and returns the JSON document it prints.
    pub fn json(&self, arguments: &str) -> serde_json::Value {
        let output = self.run(&format!("{arguments} --json"));
        assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{arguments}: {e}"))
    }

    /// Runs it, asks for that status, and returns what it prints on standard error.
    pub fn fails(&self, arguments: &str, status: i32) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments}: {}", text(&output.stderr));
        text(&output.stderr)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The models of the Vega data set, where the machine has them.
pub fn vega_models() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared/data/vega/models"))
        .find(|models| models.is_dir())
}

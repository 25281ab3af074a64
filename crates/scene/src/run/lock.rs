//! [`Lock`]: keeps two runs from writing into one folder.
//!
//! The operating system holds the lock for as long as the process lives, so that a run which was killed leaves none behind: what is left
//! is a file with the number of a process that has ended.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use crate::error::SceneError;

/// The file that is locked; it holds the number of the process.
pub(crate) const LOCK: &str = "run.lock";
/// How often a lock file that was removed by the process before is made again.
const TRIES: usize = 16;

/// A lock, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    /// None where the file system knows no locks.
    _file: Option<File>,
    path: PathBuf,
}

impl Lock {
    /// Locks a folder. Returns besides what is to be said about it: the lock of a process that has ended was taken over, or there are no
    /// locks here. Fails if a process that is alive holds it.
    pub(crate) fn take(folder: &Path) -> Result<(Self, Option<String>), SceneError> {
        let path = folder.join(LOCK);
        let name = folder.display();
        let fail =
            |e: std::io::Error| SceneError::new(format!("cannot write to {name}: {e}")).because(e);
        for _ in 0..TRIES {
            let mut options = OpenOptions::new();
            let file = options.read(true).write(true).create(true).truncate(false).open(&path);
            let mut file = file.map_err(fail)?;
            let mut text = String::new();
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let _ = file.read_to_string(&mut text);
                    return Err(held(folder, text.trim()));
                }
                Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => {
                    let text = format!(
                        "{name} is on a file system without locks: see to it that no other run writes there"
                    );
                    return Ok((Self { _file: None, path }, Some(text)));
                }
                Err(TryLockError::Error(e)) => return Err(fail(e)),
            }
            // The process before may have removed the file between the two calls: then the lock is on a file without a name.
            if !is_at(&file, &path) {
                continue;
            }
            let _ = file.read_to_string(&mut text);
            let process = text.trim();
            let stale = (!process.is_empty()).then(|| {
                format!("process {process}, which wrote to {name}, has ended without finishing its run: its lock is taken over")
            });
            file.set_len(0).and_then(|()| file.rewind()).map_err(fail)?;
            write!(file, "{}", std::process::id()).map_err(fail)?;
            return Ok((Self { _file: Some(file), path }, stale));
        }
        Err(held(folder, ""))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked: whoever waits finds that the file has lost its name.
        let _ = fs::remove_file(&self.path);
    }
}

fn held(folder: &Path, process: &str) -> SceneError {
    let folder = folder.display();
    let (who, end) = match process {
        "" => ("another process".to_owned(), String::new()),
        id => (format!("process {id}"), format!(", end it (kill {id})")),
    };
    SceneError::new(format!("{who} is running in {folder}: nothing in it is touched"))
        .hint(format!("wait until it is done{end}, or choose another --out"))
}

/// True if a file is the one of that name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |data: &fs::Metadata| (data.dev(), data.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if id(&a) == id(&b))
}

/// Open files cannot be removed there.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

//! [`Source`]: where a reader takes its bytes from, and the name it uses in errors.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::MeshError;

/// A named stream of known length, with access to the files beside it.
pub struct Source<'a> {
    /// The name shown in errors.
    pub name: String,
    /// Bytes in it; a bound for every count that it states.
    pub length: u64,
    pub(crate) reader: Box<dyn Read + 'a>,
    siblings: Siblings<'a>,
}

/// Files that a file may refer to.
enum Siblings<'a> {
    Folder(PathBuf),
    Memory(&'a [(&'a str, &'a [u8])]),
}

impl<'a> Source<'a> {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Source<'static>, MeshError> {
        let name = path.display().to_string();
        let error = |e: std::io::Error| MeshError::io(&name, "open it", e);
        let file = File::open(path).map_err(error)?;
        let metadata = file.metadata().map_err(error)?;
        if metadata.is_dir() {
            return Err(error(std::io::Error::from(std::io::ErrorKind::IsADirectory)));
        }
        // A pipe or device has no length to check counts against, and may never end.
        if !metadata.is_file() {
            return Err(error(std::io::Error::other("it is not a regular file")));
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let siblings = Siblings::Folder(folder);
        Ok(Source { name, length: metadata.len(), reader: Box::new(file), siblings })
    }

    /// Bytes in memory, without files beside them.
    pub fn from_bytes(name: &str, bytes: &'a [u8]) -> Self {
        Self::with_siblings(name, bytes, &[])
    }

    /// Bytes in memory; `siblings` are the files that they may refer to, by name.
    pub fn with_siblings(name: &str, bytes: &'a [u8], siblings: &'a [(&'a str, &'a [u8])]) -> Self {
        Source {
            name: name.to_owned(),
            length: bytes.len() as u64,
            reader: Box::new(bytes),
            siblings: Siblings::Memory(siblings),
        }
    }

    /// The file of that name, relative to this one.
    pub fn sibling(&self, relative: &str) -> Result<Source<'a>, MeshError> {
        match &self.siblings {
            Siblings::Folder(folder) => Source::open(&folder.join(relative)),
            Siblings::Memory(files) => {
                if let Some((name, bytes)) = files.iter().find(|(name, _)| *name == relative) {
                    return Ok(Self::with_siblings(name, bytes, files));
                }
                let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
                Err(MeshError::io(relative, "open it", missing))
            }
        }
    }

    /// All bytes, for formats that need them at once.
    pub fn read_all(mut self) -> Result<Vec<u8>, MeshError> {
        let mut bytes = Vec::with_capacity(self.length as usize);
        self.reader.read_to_end(&mut bytes).map_err(|e| MeshError::io(&self.name, "read it", e))?;
        Ok(bytes)
    }
}

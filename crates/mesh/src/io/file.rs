//! Files on disk: written beside their place and moved there when complete, so that an interrupted
//! write never leaves half a file under the name that was asked for.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::MeshError;

/// Calls `fill` with a sink and puts what it wrote at `path`.
pub fn write_file<T>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, MeshError>,
) -> Result<T, MeshError> {
    let name = path.display().to_string();
    // A path that cannot be created, or not be replaced, was named wrongly; one that takes some bytes was not.
    let unusable = |e: std::io::Error| MeshError::io(&name, "write it", e);
    let partial = partial_name(path);
    let file = File::create(&partial).map_err(unusable)?;
    let mut sink = BufWriter::with_capacity(1 << 16, file);
    let done = fill(&mut sink)
        .and_then(|result| sink.flush().map(|()| result).map_err(MeshError::from))
        .and_then(|result| fs::rename(&partial, path).map(|()| result).map_err(unusable));
    if done.is_err() {
        // The error that is reported is the one that matters; a leftover is only untidy.
        let _ = fs::remove_file(&partial);
    }
    done.map_err(|e| e.in_file(name))
}

fn partial_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".part-{}", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("pliant-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.txt");
        write_file(&path, |sink| Ok(sink.write_all(b"old")?)).unwrap();
        let failed = write_file(&path, |sink| {
            sink.write_all(b"new")?;
            Err::<(), _>(MeshError::new(ErrorKind::Unsupported, "no"))
        });
        assert_eq!(failed.unwrap_err().details().file, Some(path.display().to_string()));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}

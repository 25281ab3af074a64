//! ParaView `.pvd` series: the frames of a run and their times.

use std::path::{Path, PathBuf};

use crate::error::{ErrorKind, MeshError};

use super::file::write_file;
use super::vtu::xml::escape;

const HEAD: &str = "<?xml version=\"1.0\"?>\n\
    <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n";
const TAIL: &str = "</Collection>\n</VTKFile>\n";

/// A series that grows frame by frame. The file on disk is complete after every frame, so that a
/// run can be watched, and one that was interrupted can be looked at.
#[derive(Debug)]
pub struct Series {
    path: PathBuf,
    /// The file up to its last frame.
    text: String,
}

impl Series {
    /// A series without frames; the file is written with the first frame.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), text: HEAD.to_owned() }
    }

    /// A series that has these frames (times in s, and files) already, to go on with. Nothing is
    /// written before the next frame, so that what is on disk never has fewer frames than before.
    pub fn resume<'a>(
        path: impl Into<PathBuf>,
        frames: impl IntoIterator<Item = (f64, &'a str)>,
    ) -> Result<Self, MeshError> {
        let mut series = Self::new(path);
        for (time, file) in frames {
            let entry = series.entry(time, file)?;
            series.text.push_str(&entry);
        }
        Ok(series)
    }

    /// Where the series is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a frame at `time` (s). `file` is relative to the folder of the series, so that the
    /// folder can be moved.
    pub fn push(&mut self, time: f64, file: &str) -> Result<(), MeshError> {
        let entry = self.entry(time, file)?;
        self.text.push_str(&entry);
        let text = &self.text;
        let written = write_file(&self.path, |sink| {
            sink.write_all(text.as_bytes())?;
            Ok(sink.write_all(TAIL.as_bytes())?)
        });
        written.inspect_err(|_| self.text.truncate(self.text.len() - entry.len()))
    }

    fn entry(&self, time: f64, file: &str) -> Result<String, MeshError> {
        let name = self.path.display().to_string();
        if !time.is_finite() {
            let text = format!("the frame '{file}' has time {time}");
            return Err(MeshError::new(ErrorKind::NotFinite, text).in_file(name));
        }
        if Path::new(file).is_absolute() {
            let text = format!("the frame '{file}' is not relative to the series");
            return Err(MeshError::new(ErrorKind::Unsupported, text)
                .in_file(name)
                .hint("give its path from the folder of the .pvd file"));
        }
        let file = escape(&file.replace('\\', "/"));
        Ok(format!("<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{file}\"/>\n"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_file_is_complete_after_every_frame() {
        let folder = std::env::temp_dir().join(format!("pliant-pvd-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut series = Series::new(folder.join("run.pvd"));
        for (frame, time) in [0.0, 0.1, 1e-7].into_iter().enumerate() {
            series.push(time, &format!("run & more/{frame}.vtu")).unwrap();
            let text = fs::read_to_string(series.path()).unwrap();
            assert!(text.starts_with(HEAD) && text.ends_with(TAIL));
            assert_eq!(text.matches("<DataSet ").count(), frame + 1);
        }
        let text = fs::read_to_string(series.path()).unwrap();
        assert!(
            text.contains("timestep=\"0.1\" part=\"0\" file=\"run &amp; more/1.vtu\""),
            "{text}"
        );
        assert!(text.contains("timestep=\"1e-7\""));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        // Going on changes nothing on disk until there is a new frame, and then the rest is the same.
        let old = [(0.0, "run & more/0.vtu"), (0.1, "run & more/1.vtu")];
        let mut again = Series::resume(series.path(), old).unwrap();
        assert_eq!(fs::read_to_string(series.path()).unwrap(), text);
        again.push(1e-7, "run & more/2.vtu").unwrap();
        assert_eq!(fs::read_to_string(series.path()).unwrap(), text);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_frame_that_cannot_be_written_is_not_kept() {
        let mut series = Series::new("/nonexistent-folder/run.pvd");
        assert_eq!(series.push(0.0, "0.vtu").unwrap_err().kind(), ErrorKind::Io);
        assert_eq!(series.push(f64::NAN, "0.vtu").unwrap_err().kind(), ErrorKind::NotFinite);
        assert_eq!(series.push(0.0, "/0.vtu").unwrap_err().kind(), ErrorKind::Unsupported);
        assert_eq!(series.text, HEAD);
    }
}

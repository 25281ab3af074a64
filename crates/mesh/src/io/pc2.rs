//! `.pc2` point caches: where the vertices of one mesh are at frame after frame, in 32-bit numbers.
//! A header of 32 bytes says how many vertices and frames there are; then follow the frames.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use pliant_algebra::vec3::Vec3;

use crate::error::{ErrorKind, MeshError};

const HEADER: u64 = 32;
/// Where the header counts the frames.
const COUNT: u64 = 28;

/// A cache on disk that grows frame by frame. The header counts a frame after its last byte is
/// written, so that the file is whole at any time.
#[derive(Debug)]
pub struct PointCache {
    file: File,
    path: PathBuf,
    points: u32,
    frames: u32,
    bytes: Vec<u8>,
}

impl PointCache {
    /// A cache without frames, in place of what was there.
    pub fn create(path: &Path, points: usize) -> Result<Self, MeshError> {
        let points = u32::try_from(points).ok().filter(|p| i32::try_from(*p).is_ok());
        let Some(points) = points else {
            let text = "more than 2^31 − 1 vertices, which a point cache cannot count";
            return Err(
                MeshError::new(ErrorKind::Unsupported, text).in_file(path.display().to_string())
            );
        };
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path);
        let file = file.map_err(|e| fail(path, "write it", e))?;
        let mut cache = Self { file, path: path.to_owned(), points, frames: 0, bytes: Vec::new() };
        cache.write_header()?;
        Ok(cache)
    }

    /// A cache to go on with after `frames` frames; those after them are cut off.
    pub fn resume(path: &Path, points: usize, frames: usize) -> Result<Self, MeshError> {
        let name = || path.display().to_string();
        let file = OpenOptions::new().read(true).write(true).open(path);
        let mut file = file.map_err(|e| fail(path, "open it", e))?;
        let mut header = [0; HEADER as usize];
        file.read_exact(&mut header).map_err(|e| fail(path, "read it", e))?;
        let word = |at: usize| {
            let four = [header[at], header[at + 1], header[at + 2], header[at + 3]];
            u32::from_le_bytes(four)
        };
        if &header[..12] != b"POINTCACHE2\0" || word(12) != 1 {
            let text = "it is no point cache of version 1";
            return Err(MeshError::new(ErrorKind::Syntax, text).in_file(name()));
        }
        if word(16) as usize != points {
            let text = format!("it has {} vertices where there should be {points}", word(16));
            return Err(MeshError::new(ErrorKind::Count, text).in_file(name()));
        }
        if (word(28) as usize) < frames {
            let text = format!("it has {} frames where there should be {frames}", word(28));
            return Err(MeshError::new(ErrorKind::Truncated, text).in_file(name()));
        }
        let frames = frames as u32;
        let mut cache =
            Self { file, path: path.to_owned(), points: word(16), frames, bytes: Vec::new() };
        cache.write_count()?;
        cache.file.set_len(cache.place(frames)).map_err(|e| fail(path, "cut it", e))?;
        Ok(cache)
    }

    /// How many frames there are.
    pub fn frames(&self) -> usize {
        self.frames as usize
    }

    /// Adds a frame.
    pub fn push(&mut self, positions: &[Vec3]) -> Result<(), MeshError> {
        if positions.len() != self.points as usize {
            let text = format!("{} vertices in a cache of {}", positions.len(), self.points);
            return Err(self.error(ErrorKind::Count, text));
        }
        self.bytes.clear();
        for (v, &p) in positions.iter().enumerate() {
            for c in p.map(|c| c as f32) {
                if !c.is_finite() {
                    let text = format!("vertex {v} is at {p:?}, beyond 32-bit numbers");
                    return Err(self.error(ErrorKind::NotFinite, text));
                }
                self.bytes.extend(c.to_le_bytes());
            }
        }
        let place = SeekFrom::Start(self.place(self.frames));
        let written = self.file.seek(place).and_then(|_| self.file.write_all(&self.bytes));
        written.map_err(|e| unwritten(&self.path, e))?;
        self.frames += 1;
        self.write_count()
    }

    /// Reads a frame.
    pub fn read(&mut self, frame: usize, positions: &mut Vec<[f32; 3]>) -> Result<(), MeshError> {
        if frame >= self.frames() {
            let text = format!("frame {frame} of {}", self.frames);
            return Err(self.error(ErrorKind::Index, text));
        }
        self.bytes.resize(12 * self.points as usize, 0);
        let place = SeekFrom::Start(self.place(frame as u32));
        let read = self.file.seek(place).and_then(|_| self.file.read_exact(&mut self.bytes));
        read.map_err(|e| fail(&self.path, "read it", e))?;
        positions.clear();
        let numbers = self.bytes.as_chunks::<4>().0.as_chunks::<3>().0;
        positions.extend(numbers.iter().map(|p| p.map(f32::from_le_bytes)));
        Ok(())
    }

    fn place(&self, frame: u32) -> u64 {
        HEADER + 12 * u64::from(self.points) * u64::from(frame)
    }

    fn write_header(&mut self) -> Result<(), MeshError> {
        let mut header = b"POINTCACHE2\0".to_vec();
        header.extend(1_i32.to_le_bytes());
        header.extend(self.points.to_le_bytes());
        // The first frame, and frames for each one of the cache.
        header.extend(0_f32.to_le_bytes());
        header.extend(1_f32.to_le_bytes());
        header.extend(0_u32.to_le_bytes());
        let written = self.file.write_all(&header);
        written.map_err(|e| unwritten(&self.path, e))
    }

    fn write_count(&mut self) -> Result<(), MeshError> {
        let bytes = self.frames.to_le_bytes();
        let seek = self.file.seek(SeekFrom::Start(COUNT));
        let written = seek.and_then(|_| self.file.write_all(&bytes));
        written.map_err(|e| unwritten(&self.path, e))
    }

    fn error(&self, kind: ErrorKind, text: String) -> MeshError {
        MeshError::new(kind, text).in_file(self.path.display().to_string())
    }
}

fn fail(path: &Path, action: &str, error: std::io::Error) -> MeshError {
    MeshError::io(path.display().to_string(), action, error)
}

fn unwritten(path: &Path, error: std::io::Error) -> MeshError {
    MeshError::unwritten(path.display().to_string(), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_whole_after_every_frame_and_goes_on_where_it_is_told() {
        let path = std::env::temp_dir().join(format!("pliant-pc2-{}.pc2", std::process::id()));
        let frame = |k: usize| [[k as f64, 0.5, -2.0], [0.1, 1e-3, 7.0]];
        let mut cache = PointCache::create(&path, 2).unwrap();
        for k in 0..4 {
            cache.push(&frame(k)).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(bytes.len(), 32 + 24 * (k + 1));
            assert_eq!(bytes[28..32], (k as u32 + 1).to_le_bytes());
        }
        let whole = std::fs::read(&path).unwrap();
        // Killed while the next frame was written: it was not counted yet.
        let mut torn = whole.clone();
        torn.extend([7; 11]);
        std::fs::write(&path, &torn).unwrap();
        let mut cache = PointCache::resume(&path, 2, 3).unwrap();
        let mut read = Vec::new();
        cache.read(2, &mut read).unwrap();
        assert_eq!(read, [[2.0, 0.5, -2.0], [0.1, 1e-3, 7.0]]);
        assert_eq!(cache.read(3, &mut read).unwrap_err().kind(), ErrorKind::Index);
        cache.push(&frame(3)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole);

        for (points, frames, kind) in [(3, 1, ErrorKind::Count), (2, 5, ErrorKind::Truncated)] {
            assert_eq!(PointCache::resume(&path, points, frames).unwrap_err().kind(), kind);
        }
        let far = cache.push(&[[1e300, 0.0, 0.0], [0.0; 3]]).unwrap_err();
        assert_eq!(far.kind(), ErrorKind::NotFinite);
        std::fs::write(&path, b"POINTCACHE1").unwrap();
        assert!(PointCache::resume(&path, 2, 0).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}

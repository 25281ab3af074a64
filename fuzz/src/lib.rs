//! What the fuzz targets share: a bound on memory, and what must hold of everything that is read.

pub mod allocation;
pub mod arbitrary_mesh;
pub mod parts;
pub mod surface;
pub mod volume;

use pliant_mesh::{ErrorKind, MeshError, Note};

/// Whoever is told of an error must be able to act on it.
pub fn check_error(error: &MeshError) {
    let text = error.to_string();
    assert!(text.len() > 10, "an error that says nothing: {text:?}");
    assert!(error.details().file.is_some(), "an error without a file: {text}");
    let missing = error.kind() == ErrorKind::Io && text.contains("cannot open it");
    assert!(error.kind() != ErrorKind::Io || missing, "memory cannot fail: {text}");
}

/// Whether a writer said that something was left out.
pub fn lossless(notes: &[Note]) -> bool {
    !notes.iter().any(|note| matches!(note, Note::Lost(_)))
}

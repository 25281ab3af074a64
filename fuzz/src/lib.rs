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

/// Makes this thread the only one of rayon's pool: handing tiny meshes to another thread and back
/// takes longer than the work.
pub fn stay_on_this_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("nobody has started the pool before");
}

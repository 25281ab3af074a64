//! What must hold of every surface that a reader returns.

use pliant_mesh::io::{Imported, Source};
use pliant_mesh::{MeshError, Note, SurfaceMesh};

/// Checks what a reader returned; the surface, if there is one.
pub fn checked(result: Result<Imported<SurfaceMesh>, MeshError>) -> Option<SurfaceMesh> {
    match result {
        Ok(Imported { mesh, notes }) => {
            if let Err(error) = mesh.validate() {
                panic!("a reader returned a surface that is not valid: {error}");
            }
            assert!(!mesh.triangles.is_empty(), "a reader returned an empty surface");
            for note in &notes {
                assert!(!note.to_string().is_empty());
            }
            Some(mesh)
        }
        Err(error) => {
            crate::check_error(&error);
            None
        }
    }
}

/// Writes a surface and reads it back: positions and triangles come back to the bit and, if the
/// writer does not say otherwise, so does all the rest.
pub fn round_trip(
    mesh: &SurfaceMesh,
    write: impl FnOnce(&SurfaceMesh, &mut Vec<u8>) -> Result<Vec<Note>, MeshError>,
    read: impl FnOnce(Source<'_>) -> Result<Imported<SurfaceMesh>, MeshError>,
) {
    let mut bytes = Vec::new();
    let notes = match write(mesh, &mut bytes) {
        Ok(notes) => notes,
        Err(error) => panic!("a surface that was read cannot be written: {error}"),
    };
    let again = match read(Source::from_bytes("again", &bytes)) {
        Ok(again) => again.mesh,
        Err(error) => panic!("{error}\nin what was written:\n{}", bytes.escape_ascii()),
    };
    let bits = |mesh: &SurfaceMesh| -> Vec<_> {
        mesh.vertices.iter().map(|point| point.map(f64::to_bits)).collect()
    };
    let geometry = mesh.triangles == again.triangles && bits(mesh) == bits(&again);
    let same = geometry && (!crate::lossless(&notes) || *mesh == again);
    assert!(same, "{mesh:?}\nbecame\n{again:?}\nthrough\n{}", bytes.escape_ascii());
}

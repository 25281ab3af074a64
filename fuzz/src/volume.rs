//! What must hold of every volume mesh that a reader returns.

use pliant_mesh::io::{Imported, Source, tetgen};
use pliant_mesh::{CellType, MeshError, Note, VolumeMesh};

/// Checks what a reader returned; the mesh, if there is one.
pub fn checked(result: Result<Imported<VolumeMesh>, MeshError>) -> Option<VolumeMesh> {
    match result {
        Ok(Imported { mesh, notes }) => {
            check(&mesh);
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

/// A mesh that was read is valid, not empty, and has no inverted cell.
fn check(mesh: &VolumeMesh) {
    if let Err(error) = mesh.validate() {
        panic!("a reader returned a mesh that is not valid: {error}");
    }
    assert!(mesh.vertex_count() > 0 && mesh.cell_count() > 0, "a reader returned an empty mesh");
    for cell in 0..mesh.cell_count() {
        let volume = mesh.cell_volume(cell);
        assert!(!(volume < -rounding(mesh, cell)), "cell {cell} has the volume {volume:e}");
    }
}

/// A bound on the rounding error of a cell's volume: a share of its longest edge, cubed.
fn rounding(mesh: &VolumeMesh, cell: usize) -> f64 {
    let nodes = mesh.cell(cell);
    let at = |i: usize| mesh.vertices[nodes[i] as usize];
    let reach = |i: usize| (0..3).map(|k| (at(i)[k] - at(0)[k]).abs()).fold(0.0, f64::max);
    let size = (1..mesh.cell_type.corners()).map(reach).fold(0.0, f64::max);
    1e-12 * size.powi(3) + f64::MIN_POSITIVE
}

/// Whether every cell's volume is well above rounding: then reading it again does not turn it.
fn well_oriented(mesh: &VolumeMesh) -> bool {
    (0..mesh.cell_count()).all(|cell| mesh.cell_volume(cell) > rounding(mesh, cell))
}

/// Writes a mesh and reads it back: positions and cells come back to the bit and, if the writer
/// does not say otherwise, so does all the rest.
pub fn round_trip(
    mesh: &VolumeMesh,
    write: impl FnOnce(&VolumeMesh, &mut Vec<u8>) -> Result<Vec<Note>, MeshError>,
    read: impl FnOnce(Source<'_>) -> Result<Imported<VolumeMesh>, MeshError>,
) {
    let mut bytes = Vec::new();
    let notes = match write(mesh, &mut bytes) {
        Ok(notes) => notes,
        Err(error) => panic!("a mesh that was read cannot be written: {error}"),
    };
    if !well_oriented(mesh) {
        return;
    }
    match read(Source::from_bytes("again", &bytes)) {
        Ok(again) => assert_same(mesh, &again.mesh, crate::lossless(&notes), &bytes),
        Err(error) => panic!("{error}\nin what was written:\n{}", bytes.escape_ascii()),
    }
}

/// The same for TetGen's three files.
pub fn tetgen_round_trip(mesh: &VolumeMesh) {
    let [mut node, mut ele, mut face] = [const { Vec::new() }; 3];
    let first = (mesh.vertex_count() % 2) as u32;
    let written = tetgen::write_node(mesh, &mut node, first).and_then(|mut notes| {
        notes.extend(tetgen::write_ele(mesh, &mut ele, first)?);
        notes.extend(tetgen::write_face(mesh, &mut face, first)?);
        Ok(notes)
    });
    let notes = match written {
        Ok(notes) => notes,
        Err(_) if mesh.cell_type.linear() == CellType::Hex8 => return,
        Err(error) => panic!("tetrahedra cannot be written: {error}"),
    };
    if !well_oriented(mesh) {
        return;
    }
    let siblings = [("again.ele", &ele[..]), ("again.face", &face[..])];
    match tetgen::read(Source::with_siblings("again.node", &node, &siblings)) {
        Ok(again) => {
            assert_same(mesh, &again.mesh, crate::lossless(&notes), &[node, ele, face].concat());
        }
        Err(error) => panic!("{error}\nin what was written"),
    }
}

/// Equal positions, to the bit, and cells; and, if `all`, everything else.
pub fn assert_same(mesh: &VolumeMesh, again: &VolumeMesh, all: bool, bytes: &[u8]) {
    let bits = |mesh: &VolumeMesh| -> Vec<_> {
        mesh.vertices.iter().map(|point| point.map(f64::to_bits)).collect()
    };
    let geometry =
        mesh.cell_type == again.cell_type && mesh.cells == again.cells && bits(mesh) == bits(again);
    let same = geometry && (!all || mesh == again);
    assert!(same, "{mesh:?}\nbecame\n{again:?}\nthrough\n{}", bytes.escape_ascii());
}

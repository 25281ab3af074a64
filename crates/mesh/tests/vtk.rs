//! Legacy `.vtk`: what is written is read back, what others write is read, what is broken is refused.

use pliant_mesh::io::vtk::{Options, read, write};
use pliant_mesh::io::{Imported, Source};
use pliant_mesh::{CellType, ErrorKind, Location, MeshError, Note, VolumeMesh};

mod vtk_meshes;
use vtk_meshes::{all_kinds, named, truncated_never_panics};

fn parse(bytes: &[u8]) -> Result<Imported<VolumeMesh>, MeshError> {
    read(Source::from_bytes("test.vtk", bytes))
}

fn written(mesh: &VolumeMesh, binary: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert_eq!(write(mesh, &mut bytes, &Options { binary }).unwrap(), []);
    bytes
}

#[test]
fn every_mesh_comes_back_to_the_last_bit() {
    for mesh in all_kinds() {
        for binary in [false, true] {
            let back = parse(&written(&mesh, binary)).unwrap();
            assert_eq!(back, Imported { mesh: mesh.clone(), notes: vec![] });
        }
    }
}

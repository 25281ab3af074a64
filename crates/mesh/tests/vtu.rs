//! `.vtu`: what is written is read back, what others write is read, what is broken is refused.

use pliant_mesh::io::vtu::{
    self, DataArray, DataValues, Encoding, Options, read, write, write_with_data,
};
use pliant_mesh::io::{Imported, Source};
use pliant_mesh::{CellType, ErrorKind, Location, MeshError, NO_REGION, Note, VolumeMesh};

mod vtk_meshes;
use vtk_meshes::{all_kinds, tets, truncated_never_panics};

const ENCODINGS: [Encoding; 3] = [Encoding::Ascii, Encoding::Base64, Encoding::Zlib];

fn parse(bytes: &[u8]) -> Result<Imported<VolumeMesh>, MeshError> {
    read(Source::from_bytes("test.vtu", bytes))
}

fn written(mesh: &VolumeMesh, encoding: Encoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert_eq!(write(mesh, &mut bytes, &Options { encoding }).unwrap(), []);
    bytes
}

#[test]
fn every_mesh_comes_back_to_the_last_bit() {
    for mesh in all_kinds() {
        for encoding in ENCODINGS {
            let back = parse(&written(&mesh, encoding)).unwrap();
            assert_eq!(back, Imported { mesh: mesh.clone(), notes: vec![] });
        }
    }
}

#[test]
fn default_is_compressed() {
    assert_eq!(Options::default().encoding, Encoding::Zlib);
    assert_eq!(vtu::Encoding::default(), Encoding::Zlib);
}

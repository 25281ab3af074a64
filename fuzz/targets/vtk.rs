//! Legacy VTK files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::volume;
use pliant_mesh::io::{Source, vtk};

fuzz_target!(|data: &[u8]| {
    if let Some(mesh) = volume::checked(vtk::read(Source::from_bytes("fuzz", data))) {
        let options = vtk::Options { binary: data.len() % 2 == 0 };
        volume::round_trip(&mesh, |mesh, sink| vtk::write(mesh, sink, &options), vtk::read);
    }
});

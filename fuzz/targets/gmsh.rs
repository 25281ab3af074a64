//! Gmsh files. What was read is written in a version and encoding that the input chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::volume;
use pliant_mesh::io::Source;
use pliant_mesh::io::gmsh::{self, Options, Version};

fuzz_target!(|data: &[u8]| {
    let Some(mesh) = volume::checked(gmsh::read(Source::from_bytes("fuzz", data))) else { return };
    let choice = data.len() % 4;
    let options = Options {
        version: if choice < 2 { Version::V22 } else { Version::V41 },
        binary: choice % 2 == 0,
    };
    volume::round_trip(&mesh, |mesh, sink| gmsh::write(mesh, sink, &options), gmsh::read);
});

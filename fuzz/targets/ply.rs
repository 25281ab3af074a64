//! PLY surfaces, text and binary.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::surface;
use pliant_mesh::io::{Source, ply};

fuzz_target!(|data: &[u8]| {
    if let Some(mesh) = surface::checked(ply::read(Source::from_bytes("fuzz", data))) {
        let options = ply::Options { binary: data.len() % 2 == 0 };
        surface::round_trip(&mesh, |mesh, sink| ply::write(mesh, sink, &options), ply::read);
    }
});

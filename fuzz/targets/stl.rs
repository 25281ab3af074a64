//! STL surfaces, text and binary. Text keeps every digit, so that it is what is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::surface;
use pliant_mesh::io::{Source, stl};

fuzz_target!(|data: &[u8]| {
    if let Some(mesh) = surface::checked(stl::read(Source::from_bytes("fuzz", data))) {
        let text = stl::Options { binary: false };
        surface::round_trip(&mesh, |mesh, sink| stl::write(mesh, sink, &text), stl::read);
    }
});

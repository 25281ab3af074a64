//! Wavefront surfaces.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::surface;
use pliant_mesh::io::{Source, obj};

fuzz_target!(|data: &[u8]| {
    if let Some(mesh) = surface::checked(obj::read(Source::from_bytes("fuzz", data))) {
        surface::round_trip(&mesh, |mesh, sink| obj::write(mesh, sink), obj::read);
    }
});

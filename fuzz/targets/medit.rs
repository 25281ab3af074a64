//! MEDIT files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::volume;
use pliant_mesh::io::{Source, medit};

fuzz_target!(|data: &[u8]| {
    if let Some(mesh) = volume::checked(medit::read(Source::from_bytes("fuzz", data))) {
        volume::round_trip(&mesh, |mesh, sink| medit::write(mesh, sink), medit::read);
    }
});

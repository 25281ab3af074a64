//! Vega files, with two more that they may include.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{parts::parts, volume};
use pliant_mesh::io::{Source, veg};

fuzz_target!(|data: &[u8]| {
    let [main, other, sets] = parts(data);
    let siblings = [("other.veg", other), ("sets.veg", sets)];
    let source = Source::with_siblings("fuzz", main, &siblings);
    if let Some(mesh) = volume::checked(veg::read(source)) {
        volume::round_trip(&mesh, |mesh, sink| veg::write(mesh, sink), veg::read);
    }
});

//! TetGen's node, ele and face files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{parts::parts, volume};
use pliant_mesh::io::{Source, tetgen};

fuzz_target!(|data: &[u8]| {
    let [node, ele, face] = parts(data);
    let siblings = [("fuzz.ele", ele), ("fuzz.face", face)];
    // A mesh may have no .face file.
    let present = if face.is_empty() { 1 } else { 2 };
    let source = Source::with_siblings("fuzz.node", node, &siblings[..present]);
    if let Some(mesh) = volume::checked(tetgen::read(source)) {
        volume::tetgen_round_trip(&mesh);
    }
});

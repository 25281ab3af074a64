//! TetGen's node, ele and face files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{parts::parts, volume};
use pliant_mesh::io::{Source, tetgen};

fuzz_target!(|data: &[u8]| {
    let [node, ele, face] = parts(data);
    let siblings = [("fuzz.ele", ele), ("fuzz.face", face)];
    volume::checked(tetgen::read(Source::with_siblings("fuzz.node", node, &siblings)));
});

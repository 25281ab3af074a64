//! XML VTK files. What was read is written in an encoding that the input chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::volume;
use pliant_mesh::io::Source;
use pliant_mesh::io::vtu::{self, Encoding, Options};

fuzz_target!(|data: &[u8]| {
    let Some(mesh) = volume::checked(vtu::read(Source::from_bytes("fuzz", data))) else { return };
    let encoding = [Encoding::Ascii, Encoding::Base64, Encoding::Zlib][data.len() % 3];
    let options = Options { encoding, ..Options::default() };
    volume::round_trip(&mesh, |mesh, sink| vtu::write(mesh, sink, &options), vtu::read);
});

//! Vega vertex lists.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::check_error;
use pliant_mesh::io::{Source, bou};

fuzz_target!(|data: &[u8]| match bou::read(Source::from_bytes("fuzz", data)) {
    Err(error) => check_error(&error),
    Ok(vertices) => {
        let mut bytes = Vec::new();
        bou::write(&vertices, &mut bytes).expect("memory does not fail");
        let again = bou::read(Source::from_bytes("again", &bytes)).expect("it was written here");
        assert_eq!(vertices, again);
    }
});

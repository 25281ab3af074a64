//! Vega embedding weights.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::check_error;
use pliant_mesh::io::{Source, interp};

fuzz_target!(|data: &[u8]| match interp::read(Source::from_bytes("fuzz", data)) {
    Err(error) => check_error(&error),
    Ok(embedding) => {
        let mut bytes = Vec::new();
        interp::write(&embedding, &mut bytes).expect("memory does not fail");
        let again = interp::read(Source::from_bytes("again", &bytes)).expect("it was written here");
        assert_eq!(embedding, again);
    }
});

//! The scanner under every text reader gives the fields that splitting the text gives, and its
//! integers are those of the standard library.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz as _;
use pliant_mesh::io::Source;
use pliant_mesh::io::scanner::{Scanner, Syntax, parse_i64, parse_u64};

fuzz_target!(|data: &[u8]| {
    let syntax = Syntax::COMMAS_HASH;
    let mut scanner = Scanner::new(Source::from_bytes("fuzz", data), syntax);
    for (number, line) in data.split(|&b| b == b'\n').enumerate() {
        let line = line.split(|&b| b == b'#').next().unwrap_or_default();
        for field in line.split(|&b| b <= b' ' || b == b',').filter(|f| !f.is_empty()) {
            assert_eq!(scanner.token().expect("memory does not fail"), Some(field));
            assert_eq!(scanner.line_number(), number as u64 + 1);
            if let Ok(text) = std::str::from_utf8(field) {
                assert_eq!(parse_u64(field), text.parse().ok(), "{text}");
                assert_eq!(parse_i64(field), text.parse().ok(), "{text}");
            }
        }
    }
    assert_eq!(scanner.token().expect("memory does not fail"), None);
});

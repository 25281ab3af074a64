//! Names in legacy files: blanks, quotes and all that is not ASCII are written as `%` and two
//! hexadecimal digits, as VTK does.

use std::fmt::Write;

/// A name as one word.
pub(super) fn encode(name: &str) -> String {
    let mut word = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_graphic() && byte != b'"' && byte != b'%' {
            word.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(word, "%{byte:02X}");
        }
    }
    word
}

/// The name behind a word; a `%` without two digits stands for itself.
pub(super) fn decode(word: &[u8]) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|&b| char::from(b).to_digit(16));
    let mut bytes = Vec::with_capacity(word.len());
    let mut i = 0;
    while let Some(&byte) = word.get(i) {
        let digits = (digit(word.get(i + 1)), digit(word.get(i + 2)));
        if let (b'%', (Some(high), Some(low))) = (byte, digits) {
            bytes.push((16 * high + low) as u8);
            i += 3;
        } else {
            bytes.push(byte);
            i += 1;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_as_one_word() {
        for name in ["plain", "two words", "100%", "%41", "\"q\"", "a\tb\nc", "Knochen Ø", ""] {
            let word = encode(name);
            assert!(word.bytes().all(|b| b.is_ascii_graphic()));
            assert_eq!(decode(word.as_bytes()), name);
        }
        // As written by VTK 9.
        assert_eq!(encode("left \"x\" & <y>\tq%"), "left%20%22x%22%20&%20<y>%09q%25");
        assert_eq!(decode(b"5%"), "5%");
    }
}

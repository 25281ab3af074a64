//! The yardstick for mesh readers: the time it takes to read a file's bytes and split them into an
//! array of numbers, with nothing checked.

use std::io::{self, Read as _};
use std::path::Path;

use pliant::mesh::io::scanner::{parse_f64, parse_u64};

/// How a file holds its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As text, separated by blanks or commas.
    Text,
    /// As 8-byte words.
    Words,
    /// In base64 between the tags of an XML file.
    Base64,
    /// The same, in zlib blocks behind a header of counts.
    Zlib,
}

/// Reads the file and returns the numbers in it.
pub(crate) fn split(path: &Path, layout: Layout) -> io::Result<Vec<f64>> {
    let bytes = std::fs::read(path)?;
    let mut numbers = Vec::new();
    match layout {
        Layout::Text => {
            for token in bytes.split(|&b| b <= b' ' || b == b',').filter(|t| !t.is_empty()) {
                let value = if token.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) {
                    parse_f64(token)
                } else {
                    parse_u64(token).map(|x| x as f64)
                };
                numbers.extend(value);
            }
        }
        Layout::Words => words(&bytes, &mut numbers),
        Layout::Base64 | Layout::Zlib => {
            for text in bytes.split(|&b| b == b'<' || b == b'>') {
                let text = text.trim_ascii();
                if text.len() < 64
                    || !text.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b))
                {
                    continue;
                }
                // Header and data are encoded one after the other, each with its own padding.
                let mut decoded = Vec::new();
                for part in text.split_inclusive(|&b| b == b'=').filter(|p| *p != b"=") {
                    decode(part.strip_suffix(b"=").unwrap_or(part), &mut decoded);
                }
                if layout == Layout::Base64 {
                    words(&decoded, &mut numbers);
                } else {
                    inflate(&decoded, &mut numbers)?;
                }
            }
        }
    }
    Ok(numbers)
}

fn words(bytes: &[u8], numbers: &mut Vec<f64>) {
    numbers.extend(bytes.as_chunks::<8>().0.iter().map(|word| f64::from_le_bytes(*word)));
}

fn decode(text: &[u8], out: &mut Vec<u8>) {
    use base64::Engine as _;
    let engine = base64::engine::general_purpose::STANDARD_NO_PAD;
    let start = out.len();
    out.resize(start + text.len() / 4 * 3 + 3, 0);
    let n = engine.decode_slice(text, &mut out[start..]).unwrap_or(0);
    out.truncate(start + n);
}

/// Zlib blocks behind a header of 64-bit counts: blocks, block size, last size, packed sizes.
fn inflate(bytes: &[u8], numbers: &mut Vec<f64>) -> io::Result<()> {
    let header = bytes.as_chunks::<8>().0;
    let Some(blocks) = header.first().map(|&b| u64::from_le_bytes(b) as usize) else {
        return Ok(());
    };
    let Some(sizes) = header.get(3..3 + blocks) else { return Ok(()) };
    let mut at = (3 + blocks) * 8;
    let mut block = Vec::new();
    for size in sizes {
        let end = (at + u64::from_le_bytes(*size) as usize).min(bytes.len());
        block.clear();
        flate2::read::ZlibDecoder::new(&bytes[at..end]).read_to_end(&mut block)?;
        words(&block, numbers);
        at = end;
    }
    Ok(())
}

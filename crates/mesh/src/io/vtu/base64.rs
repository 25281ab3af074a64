//! [`Base64`]: decodes base64 as it streams by. Blanks may stand anywhere, and padding may end one
//! run of data and begin the next, as VTK writes a header and its data one behind the other.

use crate::error::{ErrorKind, MeshError};
use crate::io::scanner::quote;

use super::input::Input;

/// Values above 63 in the table of characters.
const PAD: u8 = 64;
const BLANK: u8 = 65;
const BAD: u8 = 66;

const VALUES: [u8; 256] = {
    let mut values = [BAD; 256];
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut i = 0;
    while i < 64 {
        values[alphabet[i] as usize] = i as u8;
        i += 1;
    }
    values[b'=' as usize] = PAD;
    values[b' ' as usize] = BLANK;
    values[b'\t' as usize] = BLANK;
    values[b'\r' as usize] = BLANK;
    values[b'\n' as usize] = BLANK;
    values
};

/// What is left between two reads.
#[derive(Debug, Default)]
pub(super) struct Base64 {
    /// Characters of an unfinished group of four.
    group: [u8; 4],
    grouped: usize,
    /// Bytes of a finished group that were not asked for yet.
    bytes: [u8; 3],
    next: usize,
    end: usize,
}

impl Base64 {
    /// Fills `out` from the text; fewer bytes only where the text ends.
    pub(super) fn read(
        &mut self,
        input: &mut Input<'_>,
        out: &mut [u8],
    ) -> Result<usize, MeshError> {
        let mut done = 0;
        while done < out.len() {
            if self.next < self.end {
                out[done] = self.bytes[self.next];
                self.next += 1;
                done += 1;
                continue;
            }
            let text = input.text()?;
            let Some(&first) = text.first() else { break };
            if self.grouped == 0 {
                let (used, made) = whole_groups(text, &mut out[done..]);
                if used > 0 {
                    input.consume(used);
                    done += made;
                    continue;
                }
            }
            match VALUES[first as usize] {
                BLANK => {}
                BAD => {
                    let text = format!("expected base64, found {}", quote(&[first]));
                    return Err(input.error(ErrorKind::Syntax, text));
                }
                value => {
                    self.group[self.grouped] = value;
                    self.grouped += 1;
                }
            }
            input.consume(1);
            if self.grouped == 4 {
                self.finish_group(input)?;
            }
        }
        if done < out.len() && self.grouped > 0 {
            return Err(input.error(ErrorKind::Truncated, "base64 ends within a group of four"));
        }
        Ok(done)
    }

    /// Turns four characters into one to three bytes.
    fn finish_group(&mut self, input: &Input<'_>) -> Result<(), MeshError> {
        let padding = self.group.iter().rev().take_while(|&&v| v == PAD).count();
        let bits = self.group.iter().fold(0, |bits, &v| bits << 6 | u32::from(v & 63));
        if padding > 2 || self.group[..4 - padding].contains(&PAD) {
            return Err(input.error(ErrorKind::Syntax, "base64 padding within a group of four"));
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        (self.bytes, self.next, self.end, self.grouped) = (bytes, 0, 3 - padding, 0);
        Ok(())
    }
}

/// Decodes groups of four plain characters, as many as there are and fit; returns the characters
/// used and the bytes made.
fn whole_groups(text: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (groups, _) = text.as_chunks::<4>();
    let (triples, _) = out.as_chunks_mut::<3>();
    let mut n = 0;
    for (group, triple) in groups.iter().zip(triples) {
        let [a, b, c, d] = group.map(|c| VALUES[c as usize]);
        if (a | b | c | d) & 64 != 0 {
            break;
        }
        let bits = u32::from(a) << 18 | u32::from(b) << 12 | u32::from(c) << 6 | u32::from(d);
        let [_, x, y, z] = bits.to_be_bytes();
        *triple = [x, y, z];
        n += 1;
    }
    (4 * n, 3 * n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Source;

    fn decode(text: &str, step: usize) -> Result<Vec<u8>, MeshError> {
        let mut input = Input::new(Source::from_bytes("test", text.as_bytes()));
        let (mut base64, mut bytes, mut chunk) = (Base64::default(), Vec::new(), vec![0; step]);
        loop {
            let n = base64.read(&mut input, &mut chunk)?;
            bytes.extend_from_slice(&chunk[..n]);
            if n < step {
                return Ok(bytes);
            }
        }
    }

    #[test]
    fn groups_decode_whatever_the_steps_blanks_and_padding() {
        for step in 1..8 {
            assert_eq!(decode("Zm9vYmFy", step).unwrap(), b"foobar");
            assert_eq!(decode(" Z\nm9\r\nvYmFy \n", step).unwrap(), b"foobar");
            assert_eq!(decode("Zm8=Zg==YmFy</a>", step).unwrap(), b"fofbar");
            assert_eq!(decode("", step).unwrap(), b"");
        }
    }

    #[test]
    fn what_is_not_base64_is_an_error() {
        for (text, kind) in [
            ("Zm9v!mFy", ErrorKind::Syntax),
            ("Zm9vY", ErrorKind::Truncated),
            ("Z===", ErrorKind::Syntax),
            ("Zm=v", ErrorKind::Syntax),
            ("====", ErrorKind::Syntax),
        ] {
            assert_eq!(decode(text, 5).unwrap_err().kind(), kind, "{text}");
        }
    }
}

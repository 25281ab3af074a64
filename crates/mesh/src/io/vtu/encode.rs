//! Numbers of an array as text, base64, or compressed base64.

use std::io::{self, Write};
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;

use crate::io::text::TextWriter;

use super::{DataValues, Encoding};

/// The numbers of an array as a file stores them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stored<'a> {
    Data(DataValues<'a>),
    /// As `Int32`, bit by bit.
    Bits32(&'a [u32]),
    I64(&'a [i64]),
}

/// Bytes in a compressed block: a multiple of every number's size. Larger blocks hardly compress
/// better, and readers that unpack in parallel do so block by block.
const BLOCK: usize = 64 * 1024;
/// On a frame with stresses, whose numbers hardly compress, level 1 takes a third of the time of level 2 for
/// 1 % more bytes, and on the arrays of a million tets half of it for 12 % more: a run does not wait for its
/// frames.
const LEVEL: Compression = Compression::new(1);

/// Bytes of a block that are tried, and the part of them that must be left at most for the block to be compressed.
const SAMPLE: usize = 4 * 1024;
const WORTH_PACKING: f64 = 0.85;

macro_rules! on_values {
    ($stored:expr, $values:ident => $body:expr) => {
        match $stored {
            Stored::Data(DataValues::F64($values)) => $body,
            Stored::Data(DataValues::F32($values)) => $body,
            Stored::Data(DataValues::I32($values)) => $body,
            Stored::Data(DataValues::U8($values)) => $body,
            Stored::Bits32($values) => $body,
            Stored::I64($values) => $body,
        }
    };
}

impl Stored<'_> {
    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        on_values!(self, values => values.len())
    }

    /// VTK's name of the type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Stored::Data(DataValues::F64(_)) => "Float64",
            Stored::Data(DataValues::F32(_)) => "Float32",
            Stored::Data(DataValues::U8(_)) => "UInt8",
            Stored::Data(DataValues::I32(_)) | Stored::Bits32(_) => "Int32",
            Stored::I64(_) => "Int64",
        }
    }

    fn size(&self) -> usize {
        on_values!(self, values => size_of_val(*values) / values.len().max(1))
    }

    /// The little-endian bytes of some of the numbers.
    fn bytes(&self, range: Range<usize>) -> Vec<u8> {
        on_values!(self, values => values[range].iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    /// Ranges of numbers that each fill a block, except the last.
    fn blocks(&self) -> Vec<Range<usize>> {
        let (length, step) = (self.len(), BLOCK / self.size().max(1));
        (0..length).step_by(step).map(|i| i..length.min(i + step)).collect()
    }

    /// Writes all numbers.
    pub(super) fn write(&self, out: &mut TextWriter<'_>, encoding: Encoding) -> io::Result<()> {
        let total = (self.len() * self.size()) as u64;
        match encoding {
            Encoding::Ascii => self.write_text(out),
            Encoding::Base64 => {
                let mut base64 = EncoderWriter::new(out, &STANDARD);
                base64.write_all(&total.to_le_bytes())?;
                for block in self.blocks() {
                    base64.write_all(&self.bytes(block))?;
                }
                base64.finish().map(drop)
            }
            Encoding::Zlib => {
                // Blocks are packed on all threads; their borders and order do not depend on that.
                let packed: Vec<Vec<u8>> = self
                    .blocks()
                    .into_par_iter()
                    .map(|block| pack(&self.bytes(block)))
                    .collect::<io::Result<_>>()?;
                let partial = total % BLOCK as u64;
                let sizes = packed.iter().map(|p| p.len() as u64);
                let numbers = [packed.len() as u64, BLOCK as u64, partial].into_iter().chain(sizes);
                let header: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
                out.text(&STANDARD.encode(header))?;
                let mut base64 = EncoderWriter::new(out, &STANDARD);
                for block in &packed {
                    base64.write_all(block)?;
                }
                base64.finish().map(drop)
            }
        }
    }

    fn write_text(&self, out: &mut TextWriter<'_>) -> io::Result<()> {
        for i in 0..self.len() {
            if i > 0 {
                out.bytes(if i % 12 == 0 { b"\n" } else { b" " })?;
            }
            match self {
                Stored::Data(DataValues::F64(values)) if values[i].is_finite() => {
                    out.float(values[i])?;
                }
                // VTK knows these words only in lower case.
                Stored::Data(DataValues::F64(values)) => {
                    out.text(&values[i].to_string().to_lowercase())?;
                }
                Stored::Data(DataValues::F32(values)) => {
                    out.text(&values[i].to_string().to_lowercase())?;
                }
                Stored::Data(DataValues::I32(values)) => write!(out, "{}", values[i])?,
                Stored::Data(DataValues::U8(values)) => out.integer(u64::from(values[i]))?,
                Stored::Bits32(values) if i32::try_from(values[i]).is_ok() => {
                    out.integer(u64::from(values[i]))?;
                }
                Stored::Bits32(values) => write!(out, "{}", values[i] as i32)?,
                Stored::I64(values) => write!(out, "{}", values[i])?,
            }
        }
        Ok(())
    }
}

/// Packs a block. Positions, velocities and stresses of a body that moves hardly become shorter, as the last digits of double
/// precision are noise: where the beginning of a block does not, the block is stored as it is, in the same format.
fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let pays = sample.len() < SAMPLE
        || pack_at(LEVEL, sample)?.len() as f64 <= WORTH_PACKING * sample.len() as f64;
    pack_at(if pays { LEVEL } else { Compression::none() }, bytes)
}

fn pack_at(level: Compression, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(bytes.len() + 64), level);
    encoder.write_all(bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// Noise is stored, what repeats is compressed, and both are unpacked by the same reader.
    #[test]
    fn blocks_are_compressed_where_that_pays() {
        let mut seed = 1_u64;
        let noise: Vec<u8> = (0..BLOCK)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 56) as u8
            })
            .collect();
        let repeated: Vec<u8> = (0..BLOCK).map(|k| (k / 64) as u8).collect();
        for (bytes, least, most) in [(&noise, BLOCK, BLOCK + 64), (&repeated, 1, BLOCK / 4)] {
            let packed = pack(bytes).unwrap();
            assert!((least..=most).contains(&packed.len()), "{}", packed.len());
            let mut back = Vec::new();
            flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut back).unwrap();
            assert!(back == *bytes);
        }
    }
}

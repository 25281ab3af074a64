//! The data of one array: text, or binary with a header, in base64 or raw, perhaps compressed.
//!
//! Uncompressed data is its length in bytes and then the bytes. Compressed data is the number of
//! blocks, the size of a block, the size of the last one where it is smaller, the compressed size of
//! each block, and then the blocks, each a zlib stream. All of it goes through small buffers.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::{ErrorKind, MeshError};
use crate::io::vtk::column::Column;
use crate::io::vtk::scalar::ByteOrder;

use super::base64::Base64;
use super::input::Input;

/// What the whole file says about its binary data.
#[derive(Debug, Clone)]
pub(super) struct Format {
    pub(super) order: ByteOrder,
    /// Bytes of a number in a header: 4 or 8.
    pub(super) header: usize,
    /// The compressor's name, if any.
    pub(super) compressor: Option<String>,
}

/// The compressor that is read and written.
pub(super) const ZLIB: &str = "vtkZLibDataCompressor";
/// Bytes unpacked at a time: a multiple of every number's size.
const CHUNK: usize = 64 * 1024;

/// Fills a column from text.
pub(super) fn read_text(input: &mut Input<'_>, column: &mut Column) -> Result<(), MeshError> {
    input.words(|word| column.take_text(word))
}

/// Fills a column from binary data, raw or (`base64`) as text.
pub(super) fn read_binary(
    input: &mut Input<'_>,
    base64: bool,
    format: &Format,
    column: &mut Column,
) -> Result<(), MeshError> {
    let mut bytes = Bytes { input, base64: base64.then(Base64::default), format };
    let mut chunk = vec![0; CHUNK];
    match format.compressor.as_deref() {
        None => {
            let total = bytes.number("the length of an array")?;
            bytes.expect(column, total)?;
            let mut left = total;
            while left > 0 {
                let n = left.min(CHUNK as u64);
                let chunk = &mut chunk[..n as usize];
                bytes.read_exact(chunk, "the data of an array")?;
                bytes.give(chunk, column)?;
                left -= n;
            }
            Ok(())
        }
        Some(ZLIB) => {
            let mut blocks = Blocks::read(bytes)?;
            blocks.bytes.expect(column, blocks.total)?;
            loop {
                let n = blocks.fill(&mut chunk)?;
                blocks.bytes.give(&chunk[..n], column)?;
                if n < CHUNK {
                    return Ok(());
                }
            }
        }
        Some(other) => {
            let text = format!("data compressed by {other}: {ZLIB} and none are read");
            Err(bytes
                .input
                .error(ErrorKind::Unsupported, text)
                .hint("save it again with compressor ZLib or None, or as ASCII"))
        }
    }
}

/// Binary data behind its encoding.
struct Bytes<'i, 's> {
    input: &'i mut Input<'s>,
    base64: Option<Base64>,
    format: &'i Format,
}

impl Bytes<'_, '_> {
    fn read_exact(&mut self, out: &mut [u8], what: &str) -> Result<(), MeshError> {
        let mut done = 0;
        if let Some(base64) = &mut self.base64 {
            done = base64.read(self.input, out)?;
        } else {
            while done < out.len() {
                let available = self.input.peek(1)?;
                let n = available.len().min(out.len() - done);
                if n == 0 {
                    break;
                }
                out[done..done + n].copy_from_slice(&available[..n]);
                self.input.consume(n);
                done += n;
            }
        }
        if done == out.len() {
            return Ok(());
        }
        let text = format!("the data ends where {what} should be");
        Err(self
            .input
            .error(ErrorKind::Truncated, text)
            .hint("the file is cut off, or a length in it is wrong"))
    }

    /// A number of a header.
    fn number(&mut self, what: &str) -> Result<u64, MeshError> {
        let mut bytes = [0; 8];
        let wide = self.format.header == 8;
        let used = if wide { &mut bytes[..] } else { &mut bytes[..4] };
        self.read_exact(used, what)?;
        let [a, b, c, d, ..] = bytes;
        Ok(match (self.format.order, wide) {
            (ByteOrder::Little, _) => u64::from_le_bytes(bytes),
            (ByteOrder::Big, true) => u64::from_be_bytes(bytes),
            (ByteOrder::Big, false) => u64::from(u32::from_be_bytes([a, b, c, d])),
        })
    }

    /// Checks a length in bytes that a header states.
    fn expect(&self, column: &mut Column, bytes: u64) -> Result<(), MeshError> {
        let size = column.item_size() as u64;
        if !bytes.is_multiple_of(size) {
            let text = format!("{bytes} bytes do not hold whole numbers of {size} bytes");
            return Err(self.input.error(ErrorKind::Count, text));
        }
        let left = self.input.remaining();
        column.expect(bytes / size, left).map_err(|e| e.at(self.input.location(0)))
    }

    fn give(&self, chunk: &[u8], column: &mut Column) -> Result<(), MeshError> {
        column.take_bytes(chunk, self.format.order).map_err(|e| e.at(self.input.location(0)))
    }
}

/// Compressed blocks, one after the other.
struct Blocks<'i, 's> {
    bytes: Bytes<'i, 's>,
    /// Compressed sizes.
    packed_sizes: Vec<u64>,
    block_size: u64,
    last_size: u64,
    /// Bytes of all blocks together.
    total: u64,
    next_block: usize,
    inflate: Decompress,
    /// Of the current block: bytes not yet read and not yet made.
    packed_left: u64,
    left: u64,
    packed: Vec<u8>,
    packed_next: usize,
}

impl<'i, 's> Blocks<'i, 's> {
    /// Reads the header.
    fn read(mut bytes: Bytes<'i, 's>) -> Result<Self, MeshError> {
        let count = bytes.number("the number of blocks")?;
        let block_size = bytes.number("the size of a block")?;
        let partial = bytes.number("the size of the last block")?;
        let possible = bytes.input.remaining() / bytes.format.header as u64;
        if count > possible {
            let text = format!("{count} compressed blocks, but at most {possible} can follow");
            return Err(bytes
                .input
                .error(ErrorKind::Count, text)
                .hint("the file is damaged, or its header_type is wrong"));
        }
        let mut packed_sizes = Vec::with_capacity(count as usize);
        for _ in 0..count {
            packed_sizes.push(bytes.number("the size of a compressed block")?);
        }
        let last_size = if partial == 0 { block_size } else { partial };
        let total = match count {
            0 => Some(0),
            n => (n - 1).checked_mul(block_size).and_then(|t| t.checked_add(last_size)),
        };
        let total = total.ok_or_else(|| {
            bytes.input.error(ErrorKind::Count, format!("{count} blocks of {block_size} bytes"))
        })?;
        Ok(Self {
            bytes,
            packed_sizes,
            block_size,
            last_size,
            total,
            next_block: 0,
            inflate: Decompress::new(true),
            packed_left: 0,
            left: 0,
            packed: Vec::new(),
            packed_next: 0,
        })
    }

    /// Fills `out`; fewer bytes only after the last block.
    fn fill(&mut self, out: &mut [u8]) -> Result<usize, MeshError> {
        let mut done = 0;
        while done < out.len() {
            if self.left == 0 {
                if !self.begin()? {
                    break;
                }
                continue;
            }
            let room = self.left.min((out.len() - done) as u64) as usize;
            let (made, ended) = self.inflate(&mut out[done..done + room])?;
            done += made;
            self.left -= made as u64;
            if ended && self.left > 0 {
                return Err(self.damaged("holds fewer bytes than its size says"));
            }
            if self.left == 0 {
                self.end(ended)?;
            }
        }
        Ok(done)
    }

    fn begin(&mut self) -> Result<bool, MeshError> {
        let Some(&packed) = self.packed_sizes.get(self.next_block) else { return Ok(false) };
        self.next_block += 1;
        let last = self.next_block == self.packed_sizes.len();
        self.left = if last { self.last_size } else { self.block_size };
        self.packed_left = packed;
        self.packed.clear();
        self.packed_next = 0;
        self.inflate.reset(true);
        if self.left == 0 {
            self.end(false)?;
        }
        Ok(true)
    }

    /// After the last byte of a block: its check sum must be right, and nothing more may come out.
    fn end(&mut self, mut ended: bool) -> Result<(), MeshError> {
        while !ended {
            let mut more = [0];
            let made;
            (made, ended) = self.inflate(&mut more)?;
            if made > 0 {
                return Err(self.damaged("holds more bytes than its size says"));
            }
        }
        let mut scratch = [0; 1024];
        while self.packed_left > 0 {
            let n = self.packed_left.min(1024);
            self.bytes.read_exact(&mut scratch[..n as usize], "a compressed block")?;
            self.packed_left -= n;
        }
        Ok(())
    }

    /// Unpacks some bytes; true at the end of the block.
    fn inflate(&mut self, out: &mut [u8]) -> Result<(usize, bool), MeshError> {
        loop {
            if self.packed_next == self.packed.len() && self.packed_left > 0 {
                let n = self.packed_left.min(CHUNK as u64);
                self.packed.resize(n as usize, 0);
                self.packed_next = 0;
                self.bytes.read_exact(&mut self.packed, "a compressed block")?;
                self.packed_left -= n;
            }
            let (read, made) = (self.inflate.total_in(), self.inflate.total_out());
            let packed = &self.packed[self.packed_next..];
            let status = self.inflate.decompress(packed, out, FlushDecompress::None);
            let read = (self.inflate.total_in() - read) as usize;
            let made = (self.inflate.total_out() - made) as usize;
            self.packed_next += read;
            match status {
                Ok(Status::StreamEnd) => return Ok((made, true)),
                Ok(_) if made > 0 => return Ok((made, false)),
                Ok(_) if read > 0 || self.packed_left > 0 => {}
                Ok(_) => return Err(self.damaged("ends too early")),
                Err(_) => return Err(self.damaged("cannot be unpacked")),
            }
        }
    }

    fn damaged(&self, how: &str) -> MeshError {
        let text = format!("compressed block {} {how}", self.next_block);
        self.bytes.input.error(ErrorKind::Syntax, text).hint("the file is damaged: get it again")
    }
}

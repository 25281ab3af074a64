//! [`Input`]: the bytes of an XML file through one small buffer, with their place for errors.

use std::io::Read;

use crate::error::{ErrorKind, Location, MeshError};
use crate::io::Source;

const CHUNK: usize = 256 * 1024;

/// A buffered source that knows where it is.
pub(super) struct Input<'a> {
    source: Source<'a>,
    buffer: Vec<u8>,
    /// The bytes not yet consumed.
    start: usize,
    end: usize,
    /// Up to here the bytes are known to be text.
    text_end: usize,
    /// File offset of `buffer[0]`.
    base: u64,
    line: u64,
    /// File offset of the current line.
    line_start: u64,
    in_cdata: bool,
    /// Whether errors name offsets, because lines mean nothing here.
    pub(super) binary: bool,
}

impl<'a> Input<'a> {
    pub(super) fn new(source: Source<'a>) -> Self {
        let room = CHUNK.min(source.length as usize + 16);
        Self {
            source,
            buffer: vec![0; room],
            start: 0,
            end: 0,
            text_end: 0,
            base: 0,
            line: 1,
            line_start: 0,
            in_cdata: false,
            binary: false,
        }
    }

    /// Bytes in the whole file.
    pub(super) fn length(&self) -> u64 {
        self.source.length
    }

    /// File offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Bytes to the end of the file.
    pub(super) fn remaining(&self) -> u64 {
        self.source.length.saturating_sub(self.offset())
    }

    /// The place of the next byte; `width` is the length of what is wrong there.
    pub(super) fn location(&self, width: usize) -> Location {
        if self.binary {
            return Location::Offset(self.offset());
        }
        let column = self.offset() - self.line_start + 1;
        Location::Line { line: self.line, column, width: width as u64 }
    }

    /// An error at the next byte.
    pub(super) fn error(&self, kind: ErrorKind, message: impl Into<String>) -> MeshError {
        MeshError::new(kind, message).at(self.location(0))
    }

    /// The file ended where `what` should be.
    pub(super) fn truncated(&self, what: &str) -> MeshError {
        self.error(ErrorKind::Truncated, format!("the file ends where {what} should be"))
            .hint("it may have been cut off: get it again")
    }

    /// The next bytes, at least `least` of them except at the end of the file.
    pub(super) fn peek(&mut self, least: usize) -> Result<&[u8], MeshError> {
        while self.end - self.start < least {
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.base += self.start as u64;
                self.end -= self.start;
                self.text_end = self.text_end.saturating_sub(self.start);
                self.start = 0;
            }
            match self.source.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(MeshError::io(&self.source.name, "read it", e)),
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Takes `n` of the bytes that were peeked at.
    pub(super) fn consume(&mut self, n: usize) {
        let n = n.min(self.end - self.start);
        if !self.binary {
            for i in memchr::memchr_iter(b'\n', &self.buffer[self.start..self.start + n]) {
                self.line += 1;
                self.line_start = self.base + (self.start + i) as u64 + 1;
            }
        }
        self.start += n;
    }

    /// Passes over `n` bytes.
    pub(super) fn skip(&mut self, n: u64, what: &str) -> Result<(), MeshError> {
        let mut left = n;
        while left > 0 {
            let available = self.peek(1)?.len() as u64;
            if available == 0 {
                return Err(self.truncated(what));
            }
            let now = available.min(left);
            self.consume(now as usize);
            left -= now;
        }
        Ok(())
    }

    /// Passes over everything up to and including `mark`, of at most 3 bytes.
    pub(super) fn skip_past(&mut self, mark: &[u8]) -> Result<(), MeshError> {
        let mut last = [0; 3];
        loop {
            let Some(&byte) = self.peek(1)?.first() else {
                let what = String::from_utf8_lossy(mark).into_owned();
                return Err(self.truncated(&format!("'{what}'")));
            };
            self.consume(1);
            last = [last[1], last[2], byte];
            if last.ends_with(mark) {
                return Ok(());
            }
        }
    }

    /// The next stretch of text: empty before a tag and at the end of the file. Comments are passed
    /// over, and the inside of CDATA is text.
    pub(super) fn text(&mut self) -> Result<&[u8], MeshError> {
        while self.start >= self.text_end {
            let stop = if self.in_cdata { b']' } else { b'<' };
            let bytes = self.peek(1)?;
            if bytes.is_empty() {
                break;
            }
            let length = memchr::memchr(stop, bytes).unwrap_or(bytes.len());
            if length > 0 {
                self.text_end = self.start + length;
                break;
            }
            if self.in_cdata {
                self.in_cdata = !self.peek(3)?.starts_with(b"]]>");
                if self.in_cdata {
                    self.text_end = self.start + 1;
                } else {
                    self.consume(3);
                }
            } else if self.peek(9)?.starts_with(b"<!--") {
                self.consume(4);
                self.skip_past(b"-->")?;
            } else if self.peek(9)?.starts_with(b"<![CDATA[") {
                self.consume(9);
                self.in_cdata = true;
            } else {
                break;
            }
        }
        Ok(&self.buffer[self.start..self.text_end.max(self.start)])
    }

    /// Hands every word of the text up to the next tag to `take`; an error is placed at its word.
    pub(super) fn words(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Result<(), MeshError>,
    ) -> Result<(), MeshError> {
        let is_blank = |b: &u8| *b <= b' ';
        // A word that goes on in the next stretch.
        let mut begun: Vec<u8> = Vec::new();
        loop {
            let text = self.text()?;
            if begun.len() > LONGEST_WORD {
                return Err(self.error(ErrorKind::Syntax, "a word of more than 4096 characters"));
            }
            if text.is_empty() {
                let last = if begun.is_empty() { Ok(()) } else { take(&begun) };
                return last.map_err(|e| e.at(self.location(0)));
            }
            if !begun.is_empty() {
                let n = text.iter().position(is_blank).unwrap_or(text.len()).min(2 * LONGEST_WORD);
                begun.extend_from_slice(&text[..n]);
                let ended = n < text.len();
                self.consume(n);
                if ended {
                    take(&begun).map_err(|e| e.at(self.location(0)))?;
                    begun.clear();
                }
                continue;
            }
            let whole = text.iter().rposition(is_blank).unwrap_or(0);
            let (mut i, mut failure) = (0, None);
            while i < whole {
                if is_blank(&text[i]) {
                    i += 1;
                    continue;
                }
                let n = text[i..whole].iter().position(is_blank).unwrap_or(whole - i);
                if let Err(e) = take(&text[i..i + n]) {
                    failure = Some((e, n));
                    break;
                }
                i += n;
            }
            if let Some((e, width)) = failure {
                self.consume(i);
                return Err(e.at(self.location(width)));
            }
            let rest = text[whole..].trim_ascii_start();
            begun.extend_from_slice(&rest[..rest.len().min(2 * LONGEST_WORD)]);
            let n = text.len();
            self.consume(n);
        }
    }
}

/// No number has more characters.
const LONGEST_WORD: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut input = Input::new(Source::from_bytes("test", text.as_bytes()));
        let mut words = Vec::new();
        input
            .words(|w| {
                words.push(String::from_utf8(w.to_vec()).unwrap());
                Ok(())
            })
            .unwrap();
        assert!(input.peek(1).unwrap().first().is_none_or(|&b| b == b'<'));
        words
    }

    #[test]
    fn words_end_at_a_tag_and_pass_comments_and_cdata() {
        assert_eq!(words(" 1  -2\n3 </a> 4"), ["1", "-2", "3"]);
        assert_eq!(words("12</a>"), ["12"]);
        assert_eq!(
            words("1 <!-- 2 -- <b> --> 3<![CDATA[ 4 ] 5]]> 6"),
            ["1", "3", "4", "]", "5", "6"]
        );
        assert!(words("<a>").is_empty());
    }

    #[test]
    fn words_are_whole_across_the_buffer() {
        let numbers: Vec<String> = (0..120_000_u32).map(|i| i.to_string()).collect();
        let text = numbers.join(" ");
        assert!(text.len() > 2 * CHUNK);
        assert_eq!(words(&text), numbers);
    }

    #[test]
    fn an_error_is_placed_at_its_word() {
        let mut input = Input::new(Source::from_bytes("test", b"\n\n 1 x 2"));
        let bad = |w: &[u8]| {
            if w == b"x" { Err(MeshError::new(ErrorKind::Syntax, "x")) } else { Ok(()) }
        };
        let at = input.words(bad).unwrap_err().details().at;
        assert_eq!(at, Location::Line { line: 3, column: 4, width: 1 });
    }
}

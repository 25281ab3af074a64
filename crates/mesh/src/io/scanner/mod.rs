//! [`Scanner`]: lines, fields and numbers of a text file, and the raw bytes of a binary one, read
//! through one small buffer, so that a reader's memory is that of the mesh it builds.
//!
//! Every error it makes carries the line and column (or the offset in binary parts), and no count
//! that a file states is trusted before [`Scanner::checked_count`] has seen that the bytes for it
//! can be there.

use std::io::Read;

use crate::error::{ErrorKind, Location, MeshError};

use super::source::Source;

mod numbers;

pub use numbers::{parse_f64, parse_i64, parse_u64};

const CHUNK: usize = 256 * 1024;

/// What separates fields and starts comments.
#[derive(Debug, Clone, Copy)]
pub struct Syntax {
    /// Whether commas separate fields, as blanks do.
    pub commas: bool,
    /// The byte that starts a comment, if any.
    pub comment: Option<u8>,
}

impl Syntax {
    /// Blanks separate, nothing is a comment.
    pub const PLAIN: Syntax = Syntax { commas: false, comment: None };
    /// Blanks separate, `#` starts a comment.
    pub const HASH: Syntax = Syntax { commas: false, comment: Some(b'#') };
    /// Blanks and commas separate, `#` starts a comment.
    pub const COMMAS_HASH: Syntax = Syntax { commas: true, comment: Some(b'#') };
}

/// Reads a [`Source`] line by line, field by field, or byte by byte.
pub struct Scanner<'a> {
    source: Source<'a>,
    syntax: Syntax,
    buffer: Vec<u8>,
    /// Valid bytes in the buffer.
    filled: usize,
    /// File offset of `buffer[0]`.
    base: u64,
    /// The current line without its line end, and without a comment.
    line_start: usize,
    line_end: usize,
    /// Where the next line (or binary data) starts.
    next: usize,
    /// Where the next field is looked for.
    cursor: usize,
    /// The last field that was taken, for error messages.
    field_start: usize,
    field_end: usize,
    line: u64,
    exhausted: bool,
    binary: bool,
}

impl<'a> Scanner<'a> {
    /// Starts before the first line.
    pub fn new(source: Source<'a>, syntax: Syntax) -> Self {
        let room = CHUNK.min(source.length as usize + 1);
        Scanner {
            source,
            syntax,
            buffer: vec![0; room],
            filled: 0,
            base: 0,
            line_start: 0,
            line_end: 0,
            next: 0,
            cursor: 0,
            field_start: 0,
            field_end: 0,
            line: 0,
            exhausted: false,
            binary: false,
        }
    }

    /// The source, for its name and siblings.
    pub fn source(&self) -> &Source<'a> {
        &self.source
    }

    /// Line of the current line, from 1; 0 before the first.
    pub fn line_number(&self) -> u64 {
        self.line
    }

    /// File offset of the byte after the current line, or after the last byte taken.
    pub fn offset(&self) -> u64 {
        self.base + self.next as u64
    }

    /// Bytes from the current field to the end of the file.
    pub fn remaining(&self) -> u64 {
        let here = if self.binary { self.next } else { self.cursor.min(self.next) };
        self.source.length.saturating_sub(self.base + here as u64)
    }

    /// Brings more bytes into the buffer, keeping those from `keep` on.
    fn refill(&mut self, keep: usize) -> Result<(), MeshError> {
        if keep > 0 {
            self.buffer.copy_within(keep..self.filled, 0);
            self.filled -= keep;
            self.base += keep as u64;
            for place in [
                &mut self.line_start,
                &mut self.line_end,
                &mut self.next,
                &mut self.cursor,
                &mut self.field_start,
                &mut self.field_end,
            ] {
                *place = place.saturating_sub(keep);
            }
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len().max(CHUNK / 2), 0);
        }
        loop {
            match self.source.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.exhausted = true,
                Ok(n) => self.filled += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(MeshError::io(&self.source.name, "read it", e)),
            }
            return Ok(());
        }
    }

    /// Moves to the next line; false at the end of the file.
    pub fn next_line(&mut self) -> Result<bool, MeshError> {
        let mut searched = self.next;
        let end = loop {
            if let Some(i) = memchr::memchr(b'\n', &self.buffer[searched..self.filled]) {
                break searched + i;
            }
            if self.exhausted {
                if self.next == self.filled {
                    self.line_start = self.filled;
                    self.line_end = self.filled;
                    self.cursor = self.filled;
                    self.field_start = self.filled;
                    self.field_end = self.filled;
                    return Ok(false);
                }
                break self.filled;
            }
            let seen = self.filled - self.next;
            self.refill(self.next)?;
            searched = self.next + seen;
        };
        self.line_start = self.next;
        self.cursor = self.next;
        self.next = (end + 1).min(self.filled);
        self.line_end = end;
        if end > self.line_start && self.buffer[end - 1] == b'\r' {
            self.line_end -= 1;
        }
        if let Some(mark) = self.syntax.comment
            && let Some(i) = memchr::memchr(mark, &self.buffer[self.line_start..self.line_end])
        {
            self.line_end = self.line_start + i;
        }
        self.field_start = self.line_start;
        self.field_end = self.line_start;
        self.line += 1;
        Ok(true)
    }

    /// Moves to the next line that holds a field; false at the end of the file.
    pub fn next_content_line(&mut self) -> Result<bool, MeshError> {
        while self.next_line()? {
            if self.peek_field().is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The whole current line, without comment and line end.
    pub fn line(&self) -> &[u8] {
        &self.buffer[self.line_start..self.line_end]
    }

    /// What is left of the current line after the fields taken so far.
    pub fn rest_of_line(&self) -> &[u8] {
        &self.buffer[self.cursor..self.line_end]
    }

    #[inline]
    fn is_separator(&self, byte: u8) -> bool {
        byte <= b' ' || (byte == b',' && self.syntax.commas)
    }

    #[inline]
    fn find_field(&self) -> Option<(usize, usize)> {
        let mut start = self.cursor;
        while start < self.line_end && self.is_separator(self.buffer[start]) {
            start += 1;
        }
        if start >= self.line_end {
            return None;
        }
        let mut end = start + 1;
        while end < self.line_end && !self.is_separator(self.buffer[end]) {
            end += 1;
        }
        Some((start, end))
    }

    /// The next field of the current line, left where it is.
    pub fn peek_field(&self) -> Option<&[u8]> {
        self.find_field().map(|(start, end)| &self.buffer[start..end])
    }

    /// Takes the next field of the current line; `None` at its end.
    #[inline]
    pub fn field(&mut self) -> Option<&[u8]> {
        if let Some((start, end)) = self.find_field() {
            (self.field_start, self.field_end, self.cursor) = (start, end, end);
            Some(&self.buffer[start..end])
        } else {
            (self.field_start, self.field_end) = (self.line_end, self.line_end);
            self.cursor = self.line_end;
            None
        }
    }

    /// Takes the next field, on this line or a later one; `None` at the end of the file.
    #[inline]
    pub fn token(&mut self) -> Result<Option<&[u8]>, MeshError> {
        // Not by `field`: that would look for the same field twice.
        let (start, end) = loop {
            if let Some(found) = self.find_field() {
                break found;
            }
            if !self.next_line()? {
                return Ok(None);
            }
        };
        (self.field_start, self.field_end, self.cursor) = (start, end, end);
        Ok(Some(&self.buffer[start..end]))
    }

    /// The field that was taken last.
    pub fn last_field(&self) -> &[u8] {
        &self.buffer[self.field_start..self.field_end]
    }

    /// Checks a count that the file states against the bytes that are left: `each` is the fewest
    /// bytes that one item can take. A count that passes may be used to reserve memory.
    pub fn checked_count(&self, count: u64, each: u64, what: &str) -> Result<usize, MeshError> {
        let left = self.remaining();
        if count > u64::from(u32::MAX) {
            let text = format!("{count} {what}: at most 2^32 − 1 are served");
            return Err(self.error(ErrorKind::Count, text));
        }
        // The last item of a file needs no separator after it.
        if count.saturating_mul(each) > left + 1 {
            let text = format!("the file announces {count} {what}, but only {left} bytes follow");
            return Err(self
                .error(ErrorKind::Count, text)
                .hint("the file is cut off, or the count is wrong"));
        }
        Ok(count as usize)
    }

    /// Fills `bytes` with what follows the current line, or the last bytes taken. Afterwards errors
    /// name offsets, until [`Scanner::end_binary`].
    pub fn read_exact(&mut self, bytes: &mut [u8], what: &str) -> Result<(), MeshError> {
        self.binary = true;
        let buffered = (self.filled - self.next).min(bytes.len());
        bytes[..buffered].copy_from_slice(&self.buffer[self.next..self.next + buffered]);
        self.next += buffered;
        let mut done = buffered;
        while done < bytes.len() {
            if bytes.len() - done < CHUNK {
                if self.exhausted {
                    return Err(self.truncated(what));
                }
                self.refill(self.next)?;
                let n = (self.filled - self.next).min(bytes.len() - done);
                bytes[done..done + n].copy_from_slice(&self.buffer[self.next..self.next + n]);
                self.next += n;
                done += n;
            } else {
                // Large reads go past the buffer, which is empty here.
                match self.source.reader.read(&mut bytes[done..]) {
                    Ok(0) => return Err(self.truncated(what)),
                    Ok(n) => {
                        done += n;
                        self.base += n as u64;
                    }
                    Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(MeshError::io(&self.source.name, "read it", e)),
                }
            }
        }
        (self.cursor, self.line_start, self.line_end) = (self.next, self.next, self.next);
        (self.field_start, self.field_end) = (self.next, self.next);
        Ok(())
    }

    /// Back to text after binary data; line numbers are no longer known, errors keep to offsets.
    pub fn end_binary(&mut self) {
        (self.cursor, self.line_start, self.line_end) = (self.next, self.next, self.next);
        (self.field_start, self.field_end) = (self.next, self.next);
    }

    /// An error at the last field taken.
    pub fn error(&self, kind: ErrorKind, message: impl Into<String>) -> MeshError {
        let at = if self.binary {
            Location::Offset(self.base + self.field_start.max(self.line_start) as u64)
        } else if self.line == 0 {
            Location::File
        } else {
            Location::Line {
                line: self.line,
                column: (self.field_start - self.line_start) as u64 + 1,
                width: (self.field_end - self.field_start) as u64,
            }
        };
        MeshError::new(kind, message).in_file(&self.source.name).at(at)
    }

    /// "expected {what}, found …" at the last field taken.
    pub fn unexpected(&self, what: &str, accepted: &str) -> MeshError {
        let found = quote(self.last_field());
        self.error(ErrorKind::Syntax, format!("{what}: expected {accepted}, found {found}"))
    }

    /// The line, or the file, ended where `what` should be.
    pub fn missing(&self, what: &str) -> MeshError {
        if self.exhausted && self.next == self.filled && self.cursor >= self.line_end {
            self.truncated(what)
        } else {
            self.error(ErrorKind::Syntax, format!("the line ends where {what} should be"))
        }
    }

    /// The file ended where `what` should be.
    pub fn truncated(&self, what: &str) -> MeshError {
        self.error(ErrorKind::Truncated, format!("the file ends where {what} should be"))
            .hint("it may have been cut off: get it again")
    }
}

/// Bytes as a short quoted text for a message.
pub fn quote(bytes: &[u8]) -> String {
    let short = &bytes[..bytes.len().min(40)];
    let text: String =
        String::from_utf8_lossy(short).chars().flat_map(char::escape_debug).collect();
    let dots = if bytes.len() > short.len() { "…" } else { "" };
    format!("'{text}{dots}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanner(text: &str) -> Scanner<'_> {
        Scanner::new(Source::from_bytes("test", text.as_bytes()), Syntax::COMMAS_HASH)
    }

    #[test]
    fn fields_lines_and_comments() {
        let mut s = scanner("# head\r\n 1, 2.5\tx # tail\r\n\r\n-3");
        assert!(s.next_content_line().unwrap());
        assert_eq!(s.line_number(), 2);
        assert_eq!(s.u64_field("a").unwrap(), 1);
        assert_eq!(s.f64_field("b").unwrap(), 2.5);
        assert_eq!(s.field(), Some(&b"x"[..]));
        assert_eq!(s.field(), None);
        assert_eq!(s.i64_token("c").unwrap(), -3);
        assert_eq!(s.line_number(), 4);
        assert_eq!(s.token().unwrap(), None);
        assert!(!s.next_line().unwrap());
    }

    #[test]
    fn errors_point_at_line_and_column() {
        let mut s = scanner("1 2\n3 abc");
        for _ in 0..3 {
            s.f64_token("x").unwrap();
        }
        let e = s.f64_token("the y coordinate").unwrap_err();
        assert_eq!(e.to_string(), "test:2:3: the y coordinate: expected a number, found 'abc'");
        let mut s = scanner("nan");
        assert_eq!(s.f64_token("x").unwrap_err().kind(), ErrorKind::NotFinite);
        let mut s = scanner("1\n2\n");
        s.next_line().unwrap();
        s.u64_field("a").unwrap();
        assert_eq!(s.u64_field("b").unwrap_err().kind(), ErrorKind::Syntax);
        s.next_line().unwrap();
        s.u64_field("a").unwrap();
        assert_eq!(s.u64_token("b").unwrap_err().kind(), ErrorKind::Truncated);
    }

    #[test]
    fn a_count_is_believed_only_if_its_bytes_can_be_there() {
        let mut s = scanner("4000000000\n1 2 3\n");
        let n = s.u64_token("count").unwrap();
        assert_eq!(s.checked_count(n, 2, "vertices").unwrap_err().kind(), ErrorKind::Count);
        assert_eq!(s.checked_count(3, 2, "vertices").unwrap(), 3);
    }

    #[test]
    fn text_longer_than_the_buffer_is_read_whole() {
        let numbers: Vec<u64> = (0..200_000).collect();
        for separator in ["\n", " "] {
            let text = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(separator);
            assert!(text.len() > 4 * CHUNK);
            let mut s = scanner(&text);
            for &n in &numbers {
                assert_eq!(s.u64_token("n").unwrap(), n);
            }
            assert_eq!(s.token().unwrap(), None);
        }
    }

    #[test]
    fn binary_follows_a_text_line_and_text_follows_binary() {
        let mut bytes = b"head 3\n".to_vec();
        let data: Vec<u8> = (0..3 * CHUNK).map(|i| (i % 251) as u8).collect();
        bytes.extend(&data);
        bytes.extend(b"\ntail 7\n");
        let mut s = Scanner::new(Source::from_bytes("test", &bytes), Syntax::PLAIN);
        s.next_line().unwrap();
        let mut first = [0; 3];
        s.read_exact(&mut first, "data").unwrap();
        let mut rest = vec![0; data.len() - 3];
        s.read_exact(&mut rest, "data").unwrap();
        assert_eq!([&first[..], &rest[..]].concat(), data);
        s.end_binary();
        assert_eq!(s.token().unwrap(), Some(&b"tail"[..]));
        assert_eq!(s.u64_token("n").unwrap(), 7);
        let mut more = [0; 8];
        assert_eq!(s.read_exact(&mut more, "more").unwrap_err().kind(), ErrorKind::Truncated);
    }

    #[test]
    fn an_error_after_a_binary_part_without_bytes_still_has_a_place() {
        let mut s = scanner("POINTS 0\nrest");
        s.next_line().unwrap();
        s.field();
        s.field();
        s.end_binary();
        let at = s.error(ErrorKind::Syntax, "odd").details().at;
        assert_eq!(at, Location::Line { line: 1, column: 1, width: 0 });
    }
}

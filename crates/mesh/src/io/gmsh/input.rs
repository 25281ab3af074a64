//! [`Input`]: the numbers of a `.msh` file, the same calls whether they are text or binary.

use crate::error::{ErrorKind, Location, MeshError};
use crate::io::scanner::{Scanner, parse_f64};

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Binary { big_endian: bool },
}

/// Bytes that an integer takes in a binary file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// `int`
    Four,
    /// `size_t` on most machines
    Eight,
}

impl Width {
    pub(super) fn bytes(self) -> u64 {
        match self {
            Width::Four => 4,
            Width::Eight => 8,
        }
    }
}

/// Binary data is decoded from pieces of this many bytes: so many that the scanner reads them past
/// its own buffer.
const WINDOW: usize = 512 * 1024;
/// So many integers are decoded at once: few enough to stay in the fastest cache.
const PIECE: usize = 2048;

/// A scanner that knows how numbers are stored.
pub(super) struct Input<'a> {
    pub scanner: Scanner<'a>,
    pub encoding: Encoding,
    /// Binary data read ahead, and how much of it is taken.
    window: Vec<u8>,
    at: usize,
    /// Bytes of binary data that are known to follow the window.
    ahead: u64,
}

impl<'a> Input<'a> {
    pub(super) fn new(scanner: Scanner<'a>) -> Self {
        Self { scanner, encoding: Encoding::Text, window: Vec::new(), at: 0, ahead: 0 }
    }

    pub(super) fn is_text(&self) -> bool {
        self.encoding == Encoding::Text
    }

    /// The next integer.
    #[inline]
    pub(super) fn integer(&mut self, width: Width, what: &str) -> Result<i64, MeshError> {
        let Encoding::Binary { big_endian } = self.encoding else {
            return self.text_integer(what);
        };
        Ok(match (width, big_endian) {
            (Width::Four, false) => i32::from_le_bytes(self.take(what)?).into(),
            (Width::Four, true) => i32::from_be_bytes(self.take(what)?).into(),
            (Width::Eight, false) => i64::from_le_bytes(self.take(what)?),
            (Width::Eight, true) => i64::from_be_bytes(self.take(what)?),
        })
    }

    #[inline]
    fn text_integer(&mut self, what: &str) -> Result<i64, MeshError> {
        self.scanner.i64_token(what).map_err(|e| self.ended(e, what))
    }

    /// Fills `values` with the next integers.
    pub(super) fn integers(
        &mut self,
        values: &mut [i64],
        width: Width,
        what: &str,
    ) -> Result<(), MeshError> {
        let Encoding::Binary { big_endian } = self.encoding else {
            for value in values {
                *value = self.text_integer(what)?;
            }
            return Ok(());
        };
        let bytes = values.len() * width.bytes() as usize;
        if self.window.len() - self.at < bytes {
            self.read_ahead(bytes, what)?;
        }
        let bytes = &self.window[self.at..self.at + bytes];
        match (width, big_endian) {
            (Width::Four, false) => decode(bytes, values, |b| i32::from_le_bytes(b).into()),
            (Width::Four, true) => decode(bytes, values, |b| i32::from_be_bytes(b).into()),
            (Width::Eight, false) => decode(bytes, values, i64::from_le_bytes),
            (Width::Eight, true) => decode(bytes, values, i64::from_be_bytes),
        }
        self.at += bytes.len();
        Ok(())
    }

    /// How many rows of so many integers are best taken at once: in text one, so that errors know
    /// their line.
    pub(super) fn rows_at_once(&self, integers: usize) -> usize {
        if self.is_text() { 1 } else { (PIECE / integers).max(1) }
    }

    /// An error at the integer `back` integers before the one taken last.
    #[cold]
    pub(super) fn error_before(
        &self,
        kind: ErrorKind,
        text: String,
        back: usize,
        width: Width,
    ) -> MeshError {
        let error = self.error(kind, text, (back as u64 + 1) * width.bytes());
        let Location::Line { line, column, .. } = error.details().at else { return error };
        // The field that many before the last one, if they are all on this line.
        let text = &self.scanner.line()[..column as usize - 1];
        let (mut start, mut end) = (text.len(), text.len());
        for _ in 0..back {
            end = text[..start].trim_ascii_end().len();
            start = text[..end].iter().rposition(u8::is_ascii_whitespace).map_or(0, |i| i + 1);
        }
        if start == end {
            return error;
        }
        let (column, width) = (start as u64 + 1, (end - start) as u64);
        error.at(Location::Line { line, column, width })
    }

    /// The next number, which must be finite.
    #[inline]
    pub(super) fn float(&mut self, what: &str) -> Result<f64, MeshError> {
        let Encoding::Binary { big_endian } = self.encoding else {
            return self.scanner.f64_token(what).map_err(|e| self.ended(e, what));
        };
        let bytes = self.take(what)?;
        let x = if big_endian { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) };
        if x.is_finite() {
            Ok(x)
        } else {
            let text = format!("{what} is {x}, not a finite number");
            Err(self.error(ErrorKind::NotFinite, text, 8))
        }
    }

    /// The next number, which may be infinite or no number.
    pub(super) fn any_float(&mut self, what: &str) -> Result<f64, MeshError> {
        let Encoding::Binary { big_endian } = self.encoding else {
            let value = self.scanner.token()?.map(parse_f64);
            return match value {
                Some(Some(x)) => Ok(x),
                other => self.scanner.accept_f64(other, what).map_err(|e| self.ended(e, what)),
            };
        };
        let bytes = self.take(what)?;
        Ok(if big_endian { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) })
    }

    /// Passes over numbers whose values do not matter.
    pub(super) fn skip_floats(&mut self, count: usize, what: &str) -> Result<(), MeshError> {
        for _ in 0..count {
            if self.is_text() {
                if self.scanner.token()?.is_none() {
                    return Err(self.scanner.missing(what));
                }
            } else {
                self.take::<8>(what)?;
            }
        }
        Ok(())
    }

    /// A count of things that follow. Each takes at least `fields` numbers as text, or `bytes`
    /// bytes in a binary file; a count for which there is no room is an error.
    pub(super) fn count(
        &mut self,
        width: Width,
        fields: u64,
        bytes: u64,
        what: &str,
    ) -> Result<usize, MeshError> {
        if self.is_text() {
            return self.text_count(fields, bytes, what);
        }
        let count = self.integer(width, what)?;
        let Ok(count) = u64::try_from(count) else {
            let text = format!("{} {what}: at most 2^32 − 1 are served", count as u64);
            return Err(self.error(ErrorKind::Count, text, width.bytes()));
        };
        self.scanner.checked_count(count, bytes, what)
    }

    /// The same where the count itself is text in binary files too.
    pub(super) fn text_count(
        &mut self,
        fields: u64,
        bytes: u64,
        what: &str,
    ) -> Result<usize, MeshError> {
        let count = self.scanner.u64_token(what).map_err(|e| self.ended(e, what))?;
        // A field is a digit and a separator.
        let each = if self.is_text() { 2 * fields } else { bytes };
        self.scanner.checked_count(count, each, what)
    }

    /// Says that so many bytes of binary data follow, all of which will be taken: they are then
    /// read in large pieces.
    pub(super) fn announce(&mut self, bytes: u64) {
        self.ahead = bytes;
    }

    #[inline]
    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], MeshError> {
        if self.window.len() - self.at < N {
            self.read_ahead(N, what)?;
        }
        let bytes = self.window[self.at..].first_chunk::<N>().copied().unwrap_or([0; N]);
        self.at += N;
        Ok(bytes)
    }

    #[cold]
    #[inline(never)]
    fn read_ahead(&mut self, needed: usize, what: &str) -> Result<(), MeshError> {
        let kept = self.window.len() - self.at;
        self.window.copy_within(self.at.., 0);
        self.at = 0;
        let more = (self.ahead.min(WINDOW as u64) as usize).max(needed - kept);
        self.ahead = self.ahead.saturating_sub(more as u64);
        self.window.resize(kept + more, 0);
        self.scanner.read_exact(&mut self.window[kept..], what)
    }

    /// An error at the number taken last, which in a binary file has `bytes` bytes.
    #[cold]
    pub(super) fn error(&self, kind: ErrorKind, text: impl Into<String>, bytes: u64) -> MeshError {
        let error = self.scanner.error(kind, text);
        if self.is_text() {
            return error;
        }
        let ahead = (self.window.len() - self.at) as u64 + bytes;
        error.at(Location::Offset(self.scanner.offset().saturating_sub(ahead)))
    }

    /// Where the number taken last is.
    pub(super) fn place(&self, bytes: u64) -> Location {
        self.error(ErrorKind::Syntax, "", bytes).details().at
    }

    /// A number was expected where the section ends: its count is wrong.
    #[cold]
    fn ended(&self, error: MeshError, what: &str) -> MeshError {
        if error.kind() != ErrorKind::Syntax || !self.scanner.last_field().starts_with(b"$") {
            return error;
        }
        self.scanner
            .error(ErrorKind::Count, format!("the section ends where {what} should be"))
            .hint("lines are missing, or a count before them is too large")
    }

    /// Takes the line that closes a section.
    pub(super) fn end_section(&mut self, name: &str) -> Result<(), MeshError> {
        if !self.is_text() {
            self.scanner.end_binary();
        }
        let wanted = format!("$End{name}");
        match self.scanner.token()? {
            Some(found) if found == wanted.as_bytes() => Ok(()),
            Some(_) => {
                let found = crate::io::scanner::quote(self.scanner.last_field());
                let text = format!("expected {wanted} after what ${name} announced, found {found}");
                Err(self
                    .scanner
                    .error(ErrorKind::Count, text)
                    .hint("a count in this section is too small, or lines are broken"))
            }
            None => Err(self.scanner.truncated(&wanted)),
        }
    }
}

#[inline]
fn decode<const N: usize>(bytes: &[u8], values: &mut [i64], decode: impl Fn([u8; N]) -> i64) {
    for (value, bytes) in values.iter_mut().zip(bytes.as_chunks().0) {
        *value = decode(*bytes);
    }
}

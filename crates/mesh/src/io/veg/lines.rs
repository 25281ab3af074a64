//! The lines of a `.veg` file and of the files that it includes, as if they were one file.

use crate::error::{ErrorKind, MeshError};
use crate::io::scanner::{Scanner, Syntax, parse_u64, quote};
use crate::io::source::Source;

use super::numbers::last_index;

/// Files within files.
const DEEPEST: usize = 16;
/// Files in all: a handful of files that each include the next one twice would never end otherwise.
const MOST: usize = 1000;

/// What a line is; its first field has been taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// Starts with a `*`.
    Keyword,
    /// Starts with anything else.
    Data,
    /// There are no more.
    End,
}

/// Goes from line to line, into included files and back.
pub(super) struct Lines<'a> {
    here: Scanner<'a>,
    /// The files that `here` is included by, the first one first.
    outer: Vec<Scanner<'a>>,
    included: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: Source<'a>) -> Self {
        Lines { here: Scanner::new(source, Syntax::COMMAS_HASH), outer: Vec::new(), included: 0 }
    }

    /// The file that the current line is in.
    pub(super) fn here(&mut self) -> &mut Scanner<'a> {
        &mut self.here
    }

    /// Moves to the next line that is neither empty, a comment, nor an `*INCLUDE`.
    pub(super) fn next(&mut self) -> Result<Line, MeshError> {
        loop {
            if !self.here.next_line()? {
                match self.outer.pop() {
                    Some(outer) => self.here = outer,
                    None => return Ok(Line::End),
                }
                continue;
            }
            let Some(field) = self.here.field() else { continue };
            if field[0] != b'*' {
                return Ok(Line::Data);
            }
            if !field.eq_ignore_ascii_case(b"*INCLUDE") {
                return Ok(Line::Keyword);
            }
            self.include()?;
        }
    }

    fn include(&mut self) -> Result<(), MeshError> {
        let name = trimmed(self.here.rest_of_line()).into_owned();
        if name.is_empty() {
            return Err(self.error(ErrorKind::Syntax, "*INCLUDE without the name of a file"));
        }
        let beside = self.here.source().sibling(&name);
        let source = match (beside, self.outer.first()) {
            (Err(_), Some(first)) => first.source().sibling(&name),
            (beside, _) => beside,
        }
        .map_err(|e| {
            let text = format!("cannot include '{name}': {}", e.details().message);
            self.error(ErrorKind::Io, text)
                .hint("*INCLUDE takes a path relative to the file it stands in")
        })?;
        let open = || self.outer.iter().chain([&self.here]).map(|s| s.source().name.as_str());
        let chain = || open().chain([source.name.as_str()]).collect::<Vec<_>>().join(" -> ");
        if open().any(|name| name == source.name) {
            let text = format!("'{name}' includes itself: {}", chain());
            return Err(self.error(ErrorKind::Syntax, text));
        }
        if self.outer.len() + 1 >= DEEPEST {
            let text = format!("more than {DEEPEST} files within files: {}", chain());
            return Err(self.error(ErrorKind::Unsupported, text));
        }
        self.included += 1;
        if self.included > MOST {
            let text = format!("more than {MOST} included files");
            return Err(self.error(ErrorKind::Unsupported, text));
        }
        let outer = std::mem::replace(&mut self.here, Scanner::new(source, Syntax::COMMAS_HASH));
        self.outer.push(outer);
        Ok(())
    }

    /// Moves to the next line, which must be one of data that starts with `what`.
    pub(super) fn expect_data(&mut self, what: &str) -> Result<(), MeshError> {
        match self.next()? {
            Line::Data => Ok(()),
            Line::Keyword => Err(self.here.unexpected(what, "it before the next keyword")),
            Line::End => Err(self.here.truncated(what)),
        }
    }

    /// The field taken last as an integer of 32 bits.
    #[inline]
    pub(super) fn index(&self, what: &str) -> Result<u32, MeshError> {
        last_index(&self.here, what)
    }

    /// The field taken last as the number of `what` to come, and how many of them to make room
    /// for: the bytes left in this file bound it, whatever the file promises.
    pub(super) fn count(&self, each: u64, what: &str) -> Result<(usize, usize), MeshError> {
        let count = parse_u64(self.here.last_field())
            .ok_or_else(|| self.here.unexpected(&format!("the number of {what}"), "an integer"))?;
        if count > u64::from(u32::MAX) {
            let text = format!("{count} {what}: at most 2^32 − 1 are served");
            return Err(self.error(ErrorKind::Count, text));
        }
        Ok((count as usize, count.min(self.here.remaining() / each + 1) as usize))
    }

    /// What is left of the current line, as a name.
    pub(super) fn name(&self, keyword: &str) -> Result<String, MeshError> {
        let name = trimmed(self.here.rest_of_line()).into_owned();
        if name.is_empty() {
            return Err(self.error(ErrorKind::Syntax, format!("{keyword} without a name")));
        }
        Ok(name)
    }

    /// The current keyword in capitals.
    pub(super) fn keyword(&self) -> String {
        String::from_utf8_lossy(self.here.last_field()).to_ascii_uppercase()
    }

    /// An error at the field taken last.
    pub(super) fn error(&self, kind: ErrorKind, message: impl Into<String>) -> MeshError {
        self.here.error(kind, message)
    }

    /// An error at the field taken last, for its place only.
    pub(super) fn place(&self) -> MeshError {
        self.here.error(ErrorKind::Syntax, "")
    }

    /// The current line as a short quoted text.
    pub(super) fn quoted(&self) -> String {
        quote(self.here.line())
    }
}

/// `error` at the place of another one.
pub(super) fn placed(place: &MeshError, error: MeshError) -> MeshError {
    let details = place.details();
    match &details.file {
        Some(file) => error.in_file(file).at(details.at),
        None => error.at(details.at),
    }
}

/// Text without the blanks and commas around it.
pub(super) fn trimmed(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let blank = |b: &u8| *b <= b' ' || *b == b',';
    let start = bytes.iter().position(|b| !blank(b)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|b| !blank(b)).map_or(start, |i| i + 1);
    String::from_utf8_lossy(&bytes[start..end])
}

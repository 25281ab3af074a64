//! [`Xml`]: elements and attributes, one after the other. No document types, no external entities:
//! VTK writes none, and they are what makes XML dangerous.

use crate::error::{ErrorKind, Location, MeshError};
use crate::io::Source;
use crate::io::scanner::{parse_u64, quote};

use super::input::Input;

/// An opened element.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) at: Location,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The value of an attribute that is a count.
    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, MeshError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let wrong = || {
            let found = quote(value.as_bytes());
            self.error(ErrorKind::Syntax, format!("{name}: expected a count, found {found}"))
        };
        parse_u64(value.trim().as_bytes()).map(Some).ok_or_else(wrong)
    }

    /// An error at this element.
    pub(super) fn error(&self, kind: ErrorKind, message: impl Into<String>) -> MeshError {
        MeshError::new(kind, message).at(self.at)
    }
}

/// What comes next in a file.
#[derive(Debug)]
pub(super) enum Event {
    /// An element begins. One without content ends at once, with an `End` of its own.
    Start(Tag),
    /// An element ends.
    End,
    /// The file ends.
    Eof,
}

/// Reads elements from a source.
pub(super) struct Xml<'a> {
    pub(super) input: Input<'a>,
    /// Names of the open elements, outermost first.
    pub(super) open: Vec<String>,
    /// Whether the last element had no content, so that its end is due.
    end_due: bool,
}

/// A tag longer than this is an error.
const LONGEST_TAG: usize = 1 << 20;
/// Elements within elements.
const DEEPEST: usize = 64;

impl<'a> Xml<'a> {
    pub(super) fn new(source: Source<'a>) -> Result<Self, MeshError> {
        let mut input = Input::new(source);
        if input.peek(3)?.starts_with(b"\xef\xbb\xbf") {
            input.consume(3);
        }
        Ok(Self { input, open: Vec::new(), end_due: false })
    }

    /// The next element that begins or ends; text between is passed over.
    pub(super) fn next(&mut self) -> Result<Event, MeshError> {
        if self.end_due {
            self.end_due = false;
            self.open.pop();
            return Ok(Event::End);
        }
        loop {
            loop {
                let n = self.input.text()?.len();
                if n == 0 {
                    break;
                }
                self.input.consume(n);
            }
            match *self.input.peek(2)? {
                [] if self.open.is_empty() => return Ok(Event::Eof),
                [] | [_] => {
                    let name = self.open.last().cloned().unwrap_or_default();
                    return Err(self.input.truncated(&format!("the end of <{name}>")));
                }
                [_, b'?', ..] => self.input.skip_past(b"?>")?,
                [_, b'!', ..] => {
                    let text = "document types are not read";
                    return Err(self
                        .input
                        .error(ErrorKind::Unsupported, text)
                        .hint("remove the <!…> at this place"));
                }
                [_, b'/', ..] => return self.end(),
                _ => return self.start(),
            }
        }
    }

    /// The bytes between `<` and `>`.
    fn tag(&mut self) -> Result<Vec<u8>, MeshError> {
        let (mut tag, mut quoted) = (Vec::new(), None);
        self.input.consume(1);
        loop {
            let Some(&byte) = self.input.peek(1)?.first() else {
                return Err(self.input.truncated("'>'"));
            };
            self.input.consume(1);
            match (byte, quoted) {
                (b'>', None) => return Ok(tag),
                (b'"' | b'\'', None) => quoted = Some(byte),
                (_, Some(mark)) if byte == mark => quoted = None,
                _ => {}
            }
            tag.push(byte);
            if tag.len() > LONGEST_TAG {
                return Err(self.input.error(ErrorKind::Syntax, "a tag of more than 1 MiB"));
            }
        }
    }

    fn end(&mut self) -> Result<Event, MeshError> {
        let at = self.input.location(1);
        let tag = self.tag()?;
        let name = tag.strip_prefix(b"/").unwrap_or(&tag).trim_ascii();
        match self.open.pop() {
            Some(open) if open.as_bytes() == name => Ok(Event::End),
            open => {
                let expected = open.map_or("nothing is open".into(), |n| format!("<{n}> is open"));
                let text = format!("{} ends, but {expected}", quote(name));
                Err(MeshError::new(ErrorKind::Syntax, text).at(at))
            }
        }
    }

    fn start(&mut self) -> Result<Event, MeshError> {
        let at = self.input.location(1);
        let tag = self.tag()?;
        let (body, empty) = match tag.strip_suffix(b"/") {
            Some(body) => (body, true),
            None => (&tag[..], false),
        };
        let Some((name, attributes)) = parse_tag(body) else {
            let text = format!("expected <name attribute=\"value\" …>, found {}", quote(&tag));
            return Err(MeshError::new(ErrorKind::Syntax, text).at(at));
        };
        if self.open.len() >= DEEPEST {
            let text = format!("more than {DEEPEST} elements within each other");
            return Err(MeshError::new(ErrorKind::Syntax, text).at(at));
        }
        self.open.push(name.clone());
        self.end_due = empty;
        Ok(Event::Start(Tag { name, at, attributes }))
    }

    /// Whether the last element has content.
    pub(super) fn has_content(&self) -> bool {
        !self.end_due
    }
}

type Attributes = Vec<(String, String)>;

/// The name and attributes of a tag; `None` if it is malformed.
fn parse_tag(body: &[u8]) -> Option<(String, Attributes)> {
    let is_blank = |b: &u8| b.is_ascii_whitespace();
    let split = body.iter().position(is_blank).unwrap_or(body.len());
    let (name, mut rest) = body.split_at(split);
    let good = |b: &u8| b.is_ascii_alphanumeric() || b"_:.-".contains(b) || !b.is_ascii();
    if name.is_empty() || !name.iter().all(good) {
        return None;
    }
    let name = String::from_utf8_lossy(name).into_owned();
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_ascii();
        if rest.is_empty() {
            return Some((name, attributes));
        }
        let equals = memchr::memchr(b'=', rest)?;
        let key = rest[..equals].trim_ascii();
        if key.is_empty() || !key.iter().all(good) {
            return None;
        }
        let (mark, value) = rest[equals + 1..].trim_ascii_start().split_first()?;
        if !b"\"'".contains(mark) {
            return None;
        }
        let end = memchr::memchr(*mark, value)?;
        attributes.push((String::from_utf8_lossy(key).into_owned(), unescape(&value[..end])));
        rest = &value[end + 1..];
    }
}

/// Entities replaced by their characters. What is none stays: VTK itself writes a bare `&`.
fn unescape(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(i) = rest.find('&') {
        out.push_str(&rest[..i]);
        rest = &rest[i..];
        // The longest is &#x10FFFF;
        let end = rest.bytes().take(10).position(|b| b == b';');
        if let Some((character, end)) = end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            out.push(character);
            rest = &rest[end + 1..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// Text as the value of an attribute. XML has no way to write most control characters: they
/// become U+FFFD.
pub(in crate::io) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            c if is_unwritable(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Whether XML cannot hold a character.
pub(super) fn is_unwritable(c: char) -> bool {
    (c < ' ' && !"\t\n\r".contains(c)) || c == '\u{fffe}' || c == '\u{ffff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<String, MeshError> {
        let mut xml = Xml::new(Source::from_bytes("test", text.as_bytes()))?;
        let mut out = String::new();
        loop {
            match xml.next()? {
                Event::Start(tag) => {
                    let text = format!("({} {:?}", tag.name, tag.attributes);
                    out.push_str(&text);
                }
                Event::End => out.push(')'),
                Event::Eof => return Ok(out),
            }
        }
    }

    #[test]
    fn elements_nest_and_carry_attributes() {
        let text = "\u{feff}<?xml version=\"1.0\"?>\n<!-- <x> -->\n<a b = '1 > \"2\"'><c/>text<d e=\"\"\n></d ></a>\n";
        assert_eq!(all(text).unwrap(), r#"(a [("b", "1 > \"2\"")](c [])(d [("e", "")]))"#);
    }

    #[test]
    fn malformed_elements_are_errors_with_a_place() {
        for (text, line, kind) in [
            ("<a>\n<b></a>", 2, ErrorKind::Syntax),
            ("<a>\n</a>\n</a>", 3, ErrorKind::Syntax),
            ("<a b=c/>", 1, ErrorKind::Syntax),
            ("<a b>", 1, ErrorKind::Syntax),
            ("< a/>", 1, ErrorKind::Syntax),
            ("\n<a", 2, ErrorKind::Truncated),
            ("<a><!-- ", 1, ErrorKind::Truncated),
            ("<a>", 1, ErrorKind::Truncated),
            ("<!DOCTYPE x [<!ENTITY y SYSTEM \"file:///etc/hosts\">]>", 1, ErrorKind::Unsupported),
        ] {
            let error = all(text).unwrap_err();
            assert_eq!(error.kind(), kind, "{text}: {error}");
            assert!(
                matches!(error.details().at, Location::Line { line: l, .. } if l == line),
                "{text}"
            );
        }
        assert_eq!(all(&"<a>".repeat(1000)).unwrap_err().kind(), ErrorKind::Syntax);
    }

    #[test]
    fn escaped_text_comes_back() {
        for text in ["", "a", "a & b <c> \"d\" 'e'\t\r\n", "&amp;", "ü∂", "&&;&#;&#x;"] {
            assert_eq!(unescape(escape(text).as_bytes()), text);
        }
        assert_eq!(unescape(b"&#x41;&#66;&#xD800;&no;&"), "AB&#xD800;&no;&");
        assert_eq!(escape("\u{1}"), "\u{fffd}");
    }
}

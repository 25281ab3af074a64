//! [`Sections`]: named sections of binary data in one file, with a checksum. Checkpoints are made of them.
//!
//! Every part of a simulation that keeps something from step to step writes a section of its own and finds it
//! again by its name. What is added later is one more section; nobody counts words from the start of a file.
//!
//! All is little endian, in words of eight bytes:
//!
//! ```text
//! magic "pliantCP" │ version │ length of the file in bytes │ number of sections
//! name │ length in bytes │ payload          for every section, in the order in which they were written
//! checksum of all words before it
//! ```
//!
//! A name is its length in bytes and its bytes, filled up with zeros to whole words. Readers look at the
//! magic, the version, the length and the checksum before they look at anything else, and compare every
//! length with the bytes that are left before they allocate.
//!
//! ```
//! # fn main() -> Result<(), pliant_sections::SectionError> {
//! use pliant_sections::Sections;
//!
//! let mut sections = Sections::new();
//! sections.write("clock").number(0.25).word(17);
//! let again = Sections::from_bytes(&sections.to_bytes())?;
//! let mut clock = again.read("clock")?;
//! assert_eq!((clock.number()?, clock.word()?), (0.25, 17));
//! clock.finish()?;
//! # Ok(())
//! # }
//! ```

mod checksum;
mod error;
mod reader;
mod writer;

pub use checksum::checksum;
pub use error::SectionError;
pub use reader::SectionReader;
pub use writer::SectionWriter;

const MAGIC: [u8; 8] = *b"pliantCP";
/// What checkpoints began with before they had sections.
const BEFORE_SECTIONS: [u8; 8] = *b"pliantC1";
/// The version of the format. Files with another one are refused.
pub const VERSION: u64 = 2;
/// Bytes before the first section, and of the checksum.
const HEAD: usize = 32;
const TAIL: usize = 8;

/// Named sections, in the order in which they were written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sections {
    list: Vec<Section>,
}

/// A name and whole words of payload.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    name: String,
    payload: Vec<u8>,
}

impl Sections {
    /// No sections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a section.
    ///
    /// # Panics
    ///
    /// If there is a section of that name: two owners would each read what the other has written.
    pub fn write(&mut self, name: &str) -> SectionWriter<'_> {
        assert!(!self.has(name), "section '{name}' is written twice");
        self.list.push(Section { name: name.to_owned(), payload: Vec::new() });
        let at = self.list.len() - 1;
        SectionWriter::new(&mut self.list[at].payload)
    }

    /// Finds a section to be read from its beginning.
    pub fn read(&self, name: &str) -> Result<SectionReader<'_>, SectionError> {
        match self.list.iter().find(|s| s.name == name) {
            Some(section) => Ok(SectionReader::new(&section.name, &section.payload)),
            None => Err(SectionError::Missing { section: name.to_owned() }),
        }
    }

    /// Whether there is a section of that name.
    pub fn has(&self, name: &str) -> bool {
        self.list.iter().any(|s| s.name == name)
    }

    /// The names, in the order in which they were written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|s| s.name.as_str())
    }

    /// The file that [`Sections::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let one = |s: &Section| 16 + s.name.len().next_multiple_of(8) + s.payload.len();
        let length = HEAD + self.list.iter().map(one).sum::<usize>() + TAIL;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(&MAGIC);
        SectionWriter::new(&mut bytes).word(VERSION).count(length).count(self.list.len());
        for section in &self.list {
            SectionWriter::new(&mut bytes).text(&section.name).count(section.payload.len());
            bytes.extend_from_slice(&section.payload);
        }
        let sum = checksum(&bytes);
        SectionWriter::new(&mut bytes).word(sum);
        bytes
    }

    /// Reads a file. Nothing but a whole file with the right checksum is accepted.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SectionError> {
        let head = check(bytes)?;
        // Who writes a wrong file with a right checksum gets no further than this.
        let broken = |_| SectionError::Structure;
        let mut rest = SectionReader::new("", &bytes[HEAD..bytes.len() - TAIL]);
        let mut sections = Self::new();
        for _ in 0..head {
            let name = rest.text().map_err(broken)?;
            let length = rest.count().map_err(broken)?;
            let payload = rest.bytes(length).map_err(broken)?.to_vec();
            if sections.has(&name) {
                return Err(SectionError::Structure);
            }
            sections.list.push(Section { name, payload });
        }
        rest.finish().map_err(broken)?;
        Ok(sections)
    }
}

/// Checks magic, version, length and checksum; the number of sections.
fn check(bytes: &[u8]) -> Result<u64, SectionError> {
    let word = |k: usize| bytes[8 * k..8 * k + 8].try_into().map_or(0, u64::from_le_bytes);
    let found = bytes.len();
    if found < 8 {
        return Err(SectionError::CutOff { found, expected: None });
    }
    if bytes.starts_with(&BEFORE_SECTIONS) {
        return Err(SectionError::Older { found: 1 });
    }
    if !bytes.starts_with(&MAGIC) {
        return Err(SectionError::NotACheckpoint);
    }
    if found < HEAD + TAIL {
        return Err(SectionError::CutOff { found, expected: None });
    }
    match word(1) {
        VERSION => {}
        older if older < VERSION => return Err(SectionError::Older { found: older }),
        newer => return Err(SectionError::Newer { found: newer }),
    }
    let expected = word(2);
    if (found as u64) < expected {
        return Err(SectionError::CutOff { found, expected: Some(expected) });
    }
    if found as u64 > expected {
        return Err(SectionError::Trailing { found, expected });
    }
    let last = found / 8 - 1;
    let (computed, written) = (checksum(&bytes[..found - TAIL]), word(last));
    // A length that is no whole number of words was never written.
    if !found.is_multiple_of(8) || computed != written {
        return Err(SectionError::Checksum { written, computed });
    }
    Ok(word(3))
}

//! [`SectionReader`]: what a [`SectionWriter`](crate::SectionWriter) has written, in the same order.

use crate::SectionError;

/// Reads a section from its beginning. Each length is compared with the bytes that are left before anything is
/// allocated.
#[derive(Debug, Clone)]
pub struct SectionReader<'a> {
    name: &'a str,
    rest: &'a [u8],
}

impl<'a> SectionReader<'a> {
    pub(crate) fn new(name: &'a str, rest: &'a [u8]) -> Self {
        Self { name, rest }
    }

    fn length(&self, what: &'static str, found: u64, needed: u64) -> SectionError {
        SectionError::Length { section: self.name.to_owned(), what, found, needed }
    }

    /// The error of a section whose content is wrong in a way that its reader describes.
    pub fn wrong(&self, found: impl Into<String>) -> SectionError {
        SectionError::Value { section: self.name.to_owned(), found: found.into() }
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8], SectionError> {
        let left = self.rest.len() as u64;
        let split = self.rest.split_at_checked(length);
        let (taken, rest) = split.ok_or_else(|| self.length("bytes left", left, length as u64))?;
        self.rest = rest;
        Ok(taken)
    }

    /// The bytes of a list whose length comes first, filled up to whole words.
    fn list(&mut self, size: usize) -> Result<&'a [u8], SectionError> {
        let count = self.count()?;
        let length = count.checked_mul(size).and_then(|n| n.checked_next_multiple_of(8));
        let length = length.ok_or_else(|| self.wrong(format!("a list of {count} entries")))?;
        Ok(&self.bytes(length)?[..count * size])
    }

    /// A whole number.
    pub fn word(&mut self) -> Result<u64, SectionError> {
        let mut word = [0; 8];
        word.copy_from_slice(self.bytes(8)?);
        Ok(u64::from_le_bytes(word))
    }

    /// A number of things.
    pub fn count(&mut self) -> Result<usize, SectionError> {
        let word = self.word()?;
        usize::try_from(word).map_err(|_| self.wrong(format!("a count of {word}")))
    }

    /// Yes or no.
    pub fn flag(&mut self) -> Result<bool, SectionError> {
        match self.word()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.wrong(format!("{other} where 0 or 1 is expected"))),
        }
    }

    /// A real number.
    pub fn number(&mut self) -> Result<f64, SectionError> {
        self.word().map(f64::from_bits)
    }

    /// Real numbers whose count is known.
    pub fn numbers<const N: usize>(&mut self) -> Result<[f64; N], SectionError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    /// A real number, if there is one.
    pub fn maybe_number(&mut self) -> Result<Option<f64>, SectionError> {
        let (known, number) = (self.flag()?, self.number()?);
        Ok(known.then_some(number))
    }

    /// A list of vectors or blocks of N numbers.
    pub fn vectors<const N: usize>(&mut self) -> Result<Vec<[f64; N]>, SectionError> {
        let numbers = self.list(8 * N)?.as_chunks::<8>().0;
        let one = |words: &[[u8; 8]]| std::array::from_fn(|k| f64::from_le_bytes(words[k]));
        Ok(numbers.chunks_exact(N).map(one).collect())
    }

    /// The same, where any other number of them is an error.
    pub fn vectors_of<const N: usize>(
        &mut self,
        length: usize,
    ) -> Result<Vec<[f64; N]>, SectionError> {
        let list = self.vectors()?;
        self.expect(list.len(), length)?;
        Ok(list)
    }

    /// A list of whole numbers.
    pub fn words(&mut self) -> Result<Vec<u64>, SectionError> {
        let words = self.list(8)?.as_chunks::<8>().0;
        Ok(words.iter().map(|w| u64::from_le_bytes(*w)).collect())
    }

    /// A list of indices.
    pub fn indices(&mut self) -> Result<Vec<u32>, SectionError> {
        let words = self.list(4)?.as_chunks::<4>().0;
        Ok(words.iter().map(|w| u32::from_le_bytes(*w)).collect())
    }

    /// The same, where any other number of them is an error.
    pub fn indices_of(&mut self, length: usize) -> Result<Vec<u32>, SectionError> {
        let list = self.indices()?;
        self.expect(list.len(), length)?;
        Ok(list)
    }

    fn expect(&self, found: usize, needed: usize) -> Result<(), SectionError> {
        let error = || self.length("entries", found as u64, needed as u64);
        if found == needed { Ok(()) } else { Err(error()) }
    }

    /// A text.
    pub fn text(&mut self) -> Result<String, SectionError> {
        let bytes = self.list(1)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| self.wrong("a text that is not UTF-8"))
    }

    /// Ends reading; an error if something is left.
    pub fn finish(self) -> Result<(), SectionError> {
        let left = self.rest.len() as u64;
        if left == 0 { Ok(()) } else { Err(self.length("bytes left", left, 0)) }
    }
}

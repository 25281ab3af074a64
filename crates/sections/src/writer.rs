//! [`SectionWriter`]: words, numbers and lists at the end of a section.

/// Appends to a section. Lists are written with their length.
pub struct SectionWriter<'a> {
    bytes: &'a mut Vec<u8>,
}

impl<'a> SectionWriter<'a> {
    pub(crate) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes }
    }

    /// A whole number.
    pub fn word(&mut self, word: u64) -> &mut Self {
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self
    }

    /// A number of things.
    pub fn count(&mut self, count: usize) -> &mut Self {
        self.word(count as u64)
    }

    /// Yes or no.
    pub fn flag(&mut self, yes: bool) -> &mut Self {
        self.word(u64::from(yes))
    }

    /// A real number, bit for bit.
    pub fn number(&mut self, number: f64) -> &mut Self {
        self.word(number.to_bits())
    }

    /// Real numbers whose count the reader knows.
    pub fn numbers<const N: usize>(&mut self, numbers: [f64; N]) -> &mut Self {
        for number in numbers {
            self.number(number);
        }
        self
    }

    /// A real number, if there is one.
    pub fn maybe_number(&mut self, number: Option<f64>) -> &mut Self {
        self.flag(number.is_some()).number(number.unwrap_or(0.0))
    }

    /// A list of vectors or blocks of N numbers.
    pub fn vectors<const N: usize>(&mut self, list: &[[f64; N]]) -> &mut Self {
        self.count(list.len());
        self.bytes.reserve(8 * N * list.len());
        for number in list.as_flattened() {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        self
    }

    /// A list of whole numbers.
    pub fn words(&mut self, list: &[u64]) -> &mut Self {
        self.count(list.len());
        for word in list {
            self.word(*word);
        }
        self
    }

    /// A list of indices, two in a word.
    pub fn indices(&mut self, list: &[u32]) -> &mut Self {
        self.count(list.len());
        for index in list {
            self.bytes.extend_from_slice(&index.to_le_bytes());
        }
        self.fill_word();
        self
    }

    /// A text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
        self.fill_word();
        self
    }

    fn fill_word(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }
}

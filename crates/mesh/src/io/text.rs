//! [`TextWriter`]: numbers as text, fast and exact. A float is written with the fewest digits that
//! give the same bits back.

use std::io::{self, Write};

/// Writes text and numbers to a sink through a buffer.
pub struct TextWriter<'a> {
    sink: &'a mut dyn Write,
    buffer: Vec<u8>,
}

const FLUSH_AT: usize = 64 * 1024;

impl<'a> TextWriter<'a> {
    /// Call [`TextWriter::finish`] when done.
    pub fn new(sink: &'a mut dyn Write) -> Self {
        Self { sink, buffer: Vec::with_capacity(FLUSH_AT + 1024) }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        self.flush_if_full()
    }

    /// Writes a float so that it reads back to the same bits.
    pub fn float(&mut self, value: f64) -> io::Result<()> {
        if value == value.trunc() && value.abs() < 1e15 {
            if value == 0.0 && value.is_sign_negative() {
                self.buffer.extend_from_slice(b"-0");
            } else {
                write!(self.buffer, "{}", value as i64)?;
            }
        } else {
            self.buffer.extend_from_slice(ryu::Buffer::new().format(value).as_bytes());
        }
        self.flush_if_full()
    }

    /// Writes an integer.
    pub fn integer(&mut self, value: u64) -> io::Result<()> {
        let (mut digits, mut n, mut value) = ([0_u8; 20], 20, value);
        loop {
            n -= 1;
            digits[n] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        self.buffer.extend_from_slice(&digits[n..]);
        self.flush_if_full()
    }

    /// Writes the floats with blanks between them and a line end.
    pub fn float_line(&mut self, values: &[f64]) -> io::Result<()> {
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                self.buffer.push(b' ');
            }
            self.float(value)?;
        }
        self.bytes(b"\n")
    }

    /// Writes the integers with blanks between them and a line end.
    pub fn integer_line(&mut self, values: impl IntoIterator<Item = u64>) -> io::Result<()> {
        for (i, value) in values.into_iter().enumerate() {
            if i > 0 {
                self.buffer.push(b' ');
            }
            self.integer(value)?;
        }
        self.bytes(b"\n")
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() >= FLUSH_AT {
            self.sink.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Writes what is buffered.
    pub fn finish(self) -> io::Result<()> {
        self.sink.write_all(&self.buffer)?;
        self.sink.flush()
    }
}

impl Write for TextWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.buffer)?;
        self.buffer.clear();
        self.sink.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_back_to_the_same_bits() {
        let values = [
            0.0,
            -0.0,
            1.0,
            -2.5,
            0.1,
            1.0 / 3.0,
            1e-310,
            f64::MAX,
            f64::MIN_POSITIVE,
            123456789012345680.0,
            -999999999999999.0,
        ];
        let mut bytes = Vec::new();
        let mut w = TextWriter::new(&mut bytes);
        w.float_line(&values).unwrap();
        w.finish().unwrap();
        let text = String::from_utf8(bytes).unwrap();
        for (value, field) in values.iter().zip(text.split_whitespace()) {
            assert_eq!(value.to_bits(), field.parse::<f64>().unwrap().to_bits(), "{field}");
        }
    }

    #[test]
    fn integers_have_their_digits() {
        let mut bytes = Vec::new();
        let mut w = TextWriter::new(&mut bytes);
        w.integer_line([0, 7, 10, u64::MAX]).unwrap();
        w.finish().unwrap();
        assert_eq!(bytes, b"0 7 10 18446744073709551615\n");
    }
}

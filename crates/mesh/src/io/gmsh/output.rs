//! [`Output`]: numbers into a `.msh` file, the same calls for text and binary.

use std::io::{self, Write};

use crate::io::text::TextWriter;

/// Writes numbers as text in lines, or as little-endian bytes.
pub(super) struct Output<'a> {
    writer: TextWriter<'a>,
    binary: bool,
    within_line: bool,
}

impl<'a> Output<'a> {
    pub(super) fn new(sink: &'a mut dyn Write, binary: bool) -> Self {
        Self { writer: TextWriter::new(sink), binary, within_line: false }
    }

    /// A line of text, in binary files too.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.writer.text(text)?;
        self.writer.bytes(b"\n")
    }

    /// Opens a section.
    pub(super) fn begin(&mut self, section: &str) -> io::Result<()> {
        self.line(&format!("${section}"))
    }

    /// Closes a section; its numbers end with a line end in binary files too.
    pub(super) fn end(&mut self, section: &str) -> io::Result<()> {
        if self.binary {
            self.writer.bytes(b"\n")?;
        }
        self.line(&format!("$End{section}"))
    }

    /// An `int`.
    #[inline]
    pub(super) fn int(&mut self, value: u32) -> io::Result<()> {
        if self.binary {
            return self.writer.bytes(&value.to_le_bytes());
        }
        self.separate()?;
        self.writer.integer(u64::from(value))
    }

    /// A `size_t`.
    #[inline]
    pub(super) fn size(&mut self, value: u64) -> io::Result<()> {
        if self.binary {
            return self.writer.bytes(&value.to_le_bytes());
        }
        self.separate()?;
        self.writer.integer(value)
    }

    /// A `double`, to the last bit.
    #[inline]
    pub(super) fn float(&mut self, value: f64) -> io::Result<()> {
        if self.binary {
            return self.writer.bytes(&value.to_le_bytes());
        }
        self.separate()?;
        self.writer.float(value)
    }

    /// Several of them.
    pub(super) fn floats(&mut self, values: &[f64]) -> io::Result<()> {
        values.iter().try_for_each(|&value| self.float(value))
    }

    /// Ends a line of numbers; binary files have none.
    #[inline]
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        if self.binary {
            return Ok(());
        }
        self.within_line = false;
        self.writer.bytes(b"\n")
    }

    #[inline]
    fn separate(&mut self) -> io::Result<()> {
        if self.within_line {
            self.writer.bytes(b" ")?;
        }
        self.within_line = true;
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.writer.finish()
    }
}

//! Vega's `.bou` vertex lists: numbers separated by commas, blanks or line ends.

use std::io::Write;

use crate::error::{ErrorKind, MeshError};

use super::scanner::{Scanner, Syntax, parse_u64};
use super::source::Source;
use super::text::TextWriter;

/// Reads a list of vertices numbered from 1, as Vega writes it; gives them from 0, in the order of
/// the file. An empty file is an empty list.
pub fn read(source: Source<'_>) -> Result<Vec<u32>, MeshError> {
    read_with_base(source, 1)
}

/// Reads a list of vertices numbered from `base`.
pub fn read_with_base(source: Source<'_>, base: u32) -> Result<Vec<u32>, MeshError> {
    let mut scanner = Scanner::new(source, Syntax::COMMAS_HASH);
    let mut vertices = Vec::new();
    while let Some(field) = scanner.token()? {
        let Some(number) = parse_u64(field) else {
            return Err(scanner.unexpected("a vertex", "an integer"));
        };
        let Some(vertex) = number.checked_sub(u64::from(base)) else {
            let text = format!("vertex {number}: they are numbered from {base}");
            let error = scanner.error(ErrorKind::Index, text);
            return Err(if base == 1 { error.hint("read it as numbered from 0") } else { error });
        };
        if vertex >= u64::from(u32::MAX) {
            let text = format!("vertex {number}: at most 2^32 − 1 are served");
            return Err(scanner.error(ErrorKind::Index, text));
        }
        vertices.push(vertex as u32);
    }
    Ok(vertices)
}

/// Writes a list of vertices, given from 0, numbered from 1 as Vega expects it.
pub fn write(vertices: &[u32], sink: &mut dyn Write) -> Result<(), MeshError> {
    let mut out = TextWriter::new(sink);
    for line in vertices.chunks(8) {
        for (i, &vertex) in line.iter().enumerate() {
            if i > 0 {
                out.bytes(b",")?;
            }
            out.integer(u64::from(vertex) + 1)?;
        }
        out.bytes(b"\n")?;
    }
    Ok(out.finish()?)
}

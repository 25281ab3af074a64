//! Vega's `.interp` embedding weights: a line for each point, its number from 0, then 4 (or 8) pairs
//! of a volume vertex, from 0, and its weight.

use std::io::Write;

use crate::embed::{Embedding, Outside};
use crate::error::{ErrorKind, MeshError, Note};

use super::Source;
use super::scanner::{Scanner, Syntax};
use super::text::TextWriter;

/// Reads an embedding. Its cells are not known, nor does the file tell how many vertices the mesh
/// has: call [`Embedding::check`] before use.
pub fn read(source: Source<'_>) -> Result<Embedding, MeshError> {
    let mut scanner = Scanner::new(source, Syntax::HASH);
    let (mut vertices_per_point, mut indices, mut weights) = (0, Vec::new(), Vec::new());
    let mut points = 0;
    while scanner.next_content_line()? {
        let point = scanner.u64_field("the number of a point")?;
        if point != points {
            let text = format!("point {point} where point {points} should be");
            return Err(scanner
                .error(ErrorKind::Syntax, text)
                .hint("every point has a line, in ascending order from 0"));
        }
        let before = indices.len();
        while scanner.peek_field().is_some() {
            let vertex = scanner.u64_field("a vertex")?;
            if vertex >= u64::from(u32::MAX) {
                let text = format!("vertex {vertex}: at most 2^32 − 1 are served");
                return Err(scanner.error(ErrorKind::Index, text));
            }
            indices.push(vertex as u32);
            weights.push(scanner.f64_field("a weight")?);
        }
        let pairs = indices.len() - before;
        if points == 0 {
            vertices_per_point = pairs;
        }
        if pairs != vertices_per_point || !(pairs == 4 || pairs == 8) {
            let text = format!("point {point} has {pairs} pairs of vertex and weight");
            let hint = "4 on every line for tetrahedra, or 8 on every line for cubes";
            return Err(scanner.error(ErrorKind::Count, text).hint(hint));
        }
        points += 1;
    }
    if points == 0 {
        let text = "no points here: every line would be a number and 4 or 8 pairs";
        return Err(MeshError::new(ErrorKind::Geometry, text).in_file(&scanner.source().name));
    }
    Ok(Embedding {
        vertices_per_point,
        indices,
        weights,
        cells: Vec::new(),
        outside: Outside::default(),
    })
}

/// Writes an embedding with all digits of its weights; its cells follow from its vertices.
pub fn write(embedding: &Embedding, sink: &mut dyn Write) -> Result<Vec<Note>, MeshError> {
    embedding.check(u32::MAX as usize)?;
    let k = embedding.vertices_per_point;
    let mut out = TextWriter::new(sink);
    let points = embedding.indices.chunks_exact(k).zip(embedding.weights.chunks_exact(k));
    for (point, (indices, weights)) in points.enumerate() {
        out.integer(point as u64)?;
        for (&vertex, &weight) in indices.iter().zip(weights) {
            out.text(" ")?;
            out.integer(u64::from(vertex))?;
            out.text(" ")?;
            out.float(weight)?;
        }
        out.text("\n")?;
    }
    out.finish()?;
    Ok(Vec::new())
}

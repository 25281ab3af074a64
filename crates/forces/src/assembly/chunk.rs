//! [`Rows`]: the vertices of a chunk, owned and shared.

use std::ops::Range;

use pliant_algebra::lanes::Row4;
use pliant_algebra::vec3::Vec3;

/// The vertices that a chunk touches, in system numbering. In the chunk's own tables they are numbered one after
/// another, those inside first: "local" numbers, which ascend with the vertex if the shared ones come after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// Vertices that the chunk owns: their rows of gradient and matrix are its alone.
    pub inside: Range<usize>,
    /// Other vertices that it touches, ascending.
    pub shared: Vec<u32>,
}

impl Rows {
    /// All of `vertices` vertices.
    pub(crate) fn all(vertices: usize) -> Self {
        Self { inside: 0..vertices, shared: Vec::new() }
    }

    /// Length of the chunk's tables.
    pub fn table(&self) -> usize {
        self.inside.len() + self.shared.len()
    }

    /// Returns the local number of a vertex, if the chunk touches it.
    pub fn local(&self, vertex: u32) -> Option<u32> {
        if self.inside.contains(&(vertex as usize)) {
            return Some(vertex - self.inside.start as u32);
        }
        let at = self.shared.binary_search(&vertex).ok()?;
        Some((self.inside.len() + at) as u32)
    }

    /// Returns the vertex of a local number.
    #[inline]
    pub fn vertex(&self, local: u32) -> u32 {
        match (local as usize).checked_sub(self.inside.len()) {
            None => self.inside.start as u32 + local,
            Some(at) => self.shared[at],
        }
    }

    /// Copies the vectors of the chunk's vertices to a table of its own.
    pub(crate) fn fill(&self, table: &mut Vec<Row4>, x: &[Vec3]) {
        table.resize(self.table(), Row4::default());
        let row = |p: &Vec3| Row4([p[0], p[1], p[2], 0.0]);
        let (inner, shared) = table.split_at_mut(self.inside.len());
        for (to, p) in inner.iter_mut().zip(&x[self.inside.clone()]) {
            *to = row(p);
        }
        for (to, &v) in shared.iter_mut().zip(&self.shared) {
            *to = row(&x[v as usize]);
        }
    }
}

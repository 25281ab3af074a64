//! Shared vertices between two others, numbered by first occurrence.

use std::collections::HashMap;

use crate::error::{ErrorKind, MeshError};

/// Numbers the vertices that lie between two others. The map is only looked up, never walked, so
/// that numbers depend on the order of the questions alone.
#[derive(Debug)]
pub(crate) struct Midpoints {
    existing: usize,
    index: HashMap<[u32; 2], u32>,
    parents: Vec<[u32; 2]>,
}

impl Midpoints {
    /// For a mesh that has `existing` vertices: the first new one gets this number.
    pub(crate) fn new(existing: usize) -> Self {
        Self { existing, index: HashMap::new(), parents: Vec::new() }
    }

    /// The vertex between `a` and `b`, in either order; whether it is asked for the first time.
    pub(crate) fn between(&mut self, a: u32, b: u32) -> (u32, bool) {
        let key = [a.min(b), a.max(b)];
        let next = (self.existing + self.parents.len()) as u32;
        let vertex = *self.index.entry(key).or_insert(next);
        // A wrapped number would repeat an old one; `finish` refuses such a mesh.
        let new = vertex == next;
        if new {
            self.parents.push(key);
        }
        (vertex, new)
    }

    /// The parents of all vertices: twice itself for an existing one.
    pub(crate) fn finish(self) -> Result<Vec<[u32; 2]>, MeshError> {
        let total = self.existing + self.parents.len();
        if total > u32::MAX as usize {
            return Err(MeshError::new(
                ErrorKind::Count,
                format!("the result has {total} vertices: at most 2^32 − 1 are served"),
            ));
        }
        drop(self.index);
        Ok((0..self.existing as u32).map(|v| [v, v]).chain(self.parents).collect())
    }
}

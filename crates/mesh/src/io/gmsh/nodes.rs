//! The nodes of a `.msh` file, and the way from their tags to indices.

use pliant_algebra::vec3::Vec3;

use crate::error::{ErrorKind, MeshError};

use super::input::{Input, Width};
use super::read::Format;

/// Node positions in file order, and their tags.
#[derive(Debug)]
pub(super) struct Nodes {
    pub positions: Vec<Vec3>,
    pub tags: Tags,
}

/// Finds the index of a node or cell from its tag. Tags may be sparse and in any order.
#[derive(Debug)]
pub(super) enum Tags {
    /// `first`, `first` + 1, … in file order.
    Run { first: u64, count: u64 },
    /// Index of tag `least + i` at `i`, or `u32::MAX`.
    Dense { least: u64, indices: Vec<u32> },
    /// Tags with their indices, sorted.
    Sparse(Vec<(u64, u32)>),
}

impl Tags {
    /// The index of the node or cell with that tag.
    #[inline]
    pub(super) fn index(&self, tag: i64) -> Option<u32> {
        let tag = u64::try_from(tag).ok()?;
        match self {
            Tags::Run { first, count } => {
                let index = tag.wrapping_sub(*first);
                (index < *count).then_some(index as u32)
            }
            Tags::Dense { least, indices } => {
                let index = *indices.get(usize::try_from(tag.checked_sub(*least)?).ok()?)?;
                (index != u32::MAX).then_some(index)
            }
            Tags::Sparse(pairs) => {
                pairs.binary_search_by_key(&tag, |pair| pair.0).ok().map(|i| pairs[i].1)
            }
        }
    }
}

/// Takes tags in file order.
#[derive(Debug, Default)]
pub(super) struct TagCollector {
    first: u64,
    count: u64,
    /// All tags, once they are not a run.
    all: Vec<u64>,
}

impl TagCollector {
    #[inline]
    pub(super) fn push(&mut self, tag: u64, total: usize) {
        if self.count == 0 {
            self.first = tag;
        }
        let follows = self.all.is_empty() && tag.wrapping_sub(self.first) == self.count;
        if !follows {
            if self.all.is_empty() {
                self.all.reserve_exact(total);
                self.all.extend((0..self.count).map(|i| self.first.wrapping_add(i)));
            }
            self.all.push(tag);
        }
        self.count += 1;
    }

    /// The map, or a tag that occurs twice.
    pub(super) fn finish(self) -> Result<Tags, u64> {
        let Some((&least, &most)) = self.all.iter().min().zip(self.all.iter().max()) else {
            return Ok(Tags::Run { first: self.first, count: self.count });
        };
        if most - least < 4 * self.count + 1024 {
            let mut indices = vec![u32::MAX; (most - least) as usize + 1];
            for (index, &tag) in self.all.iter().enumerate() {
                let place = &mut indices[(tag - least) as usize];
                if *place != u32::MAX {
                    return Err(tag);
                }
                *place = index as u32;
            }
            return Ok(Tags::Dense { least, indices });
        }
        let mut pairs: Vec<_> =
            self.all.iter().enumerate().map(|(index, &tag)| (tag, index as u32)).collect();
        pairs.sort_unstable();
        match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[0].0),
            None => Ok(Tags::Sparse(pairs)),
        }
    }
}

impl Nodes {
    /// Reads the section `name`, `Nodes` or (in 2.x) `ParametricNodes`, after its first line.
    pub(super) fn read(
        input: &mut Input<'_>,
        format: Format,
        name: &str,
    ) -> Result<Nodes, MeshError> {
        let mut reader = NodeReader {
            positions: Vec::new(),
            tags: TagCollector::default(),
            width: format.tag_width(),
            total: 0,
        };
        match format {
            Format::V2 => reader.version_2(input, name == "ParametricNodes")?,
            Format::V40 | Format::V41 { .. } => reader.version_4(input, format)?,
        }
        input.end_section(name)?;
        let NodeReader { positions, tags, .. } = reader;
        let tags = tags.finish().map_err(|tag| {
            let text = format!("two nodes have the tag {tag}, which must be unique");
            input.error(ErrorKind::Index, text, 0).hint("re-save the file from Gmsh")
        })?;
        Ok(Nodes { positions, tags })
    }
}

struct NodeReader {
    positions: Vec<Vec3>,
    tags: TagCollector,
    width: Width,
    total: usize,
}

impl NodeReader {
    fn reserve(&mut self, total: usize) {
        self.total = total;
        self.positions.reserve_exact(total);
    }

    #[inline]
    fn tag(&mut self, input: &mut Input<'_>) -> Result<(), MeshError> {
        let tag = input.integer(self.width, "a node tag")?;
        let Ok(tag) = u64::try_from(tag) else {
            let text = format!("node tag {tag}: tags are positive integers");
            return Err(input.error(ErrorKind::Index, text, self.width.bytes()));
        };
        self.tags.push(tag, self.total);
        Ok(())
    }

    #[inline]
    fn position(&mut self, input: &mut Input<'_>) -> Result<(), MeshError> {
        let x = input.float("the x coordinate of a node")?;
        let y = input.float("the y coordinate of a node")?;
        let z = input.float("the z coordinate of a node")?;
        self.positions.push([x, y, z]);
        Ok(())
    }

    fn version_2(&mut self, input: &mut Input<'_>, parametric: bool) -> Result<(), MeshError> {
        let total = input.text_count(4, 28, "nodes")?;
        self.reserve(total);
        if !parametric {
            input.announce(28 * total as u64);
        }
        for _ in 0..total {
            self.tag(input)?;
            self.position(input)?;
            if parametric {
                let dim = input.integer(Width::Four, "the dimension of a node's entity")?;
                input.integer(Width::Four, "the tag of a node's entity")?;
                // Only curves and surfaces have parameters here.
                let parameters = if dim == 1 || dim == 2 { dim as usize } else { 0 };
                input.skip_floats(parameters, "a parameter of a node")?;
            }
        }
        Ok(())
    }

    fn version_4(&mut self, input: &mut Input<'_>, format: Format) -> Result<(), MeshError> {
        let size = format.size_width();
        let blocks = input.count(size, 4, 16, "node blocks")?;
        let total = input.count(size, 4, self.width.bytes() + 24, "nodes")?;
        self.reserve(total);
        if format.has_tag_range() {
            input.integer(size, "the least node tag")?;
            input.integer(size, "the largest node tag")?;
        }
        for _ in 0..blocks {
            let [dim, _] = format.dim_and_tag(input, "the entity of a node block")?;
            let parametric = input.integer(Width::Four, "the parametric flag")? != 0;
            let each = self.width.bytes() + 24;
            let count = input.count(size, 4, each, "nodes of a block")?;
            if count > total - self.positions.len() {
                let text = format!("the node blocks hold more than the announced {total} nodes");
                return Err(input.error(ErrorKind::Count, text, size.bytes()));
            }
            let parameters = if parametric { dim.clamp(0, 3) as usize } else { 0 };
            let row = each + 8 * parameters as u64;
            input.announce(row * count as u64);
            if format.tags_first() {
                for _ in 0..count {
                    self.tag(input)?;
                }
            }
            for _ in 0..count {
                if !format.tags_first() {
                    self.tag(input)?;
                }
                self.position(input)?;
                input.skip_floats(parameters, "a parameter of a node")?;
            }
        }
        if self.positions.len() < total {
            let found = self.positions.len();
            let text = format!("{total} nodes are announced, but the blocks hold {found}");
            return Err(input.error(ErrorKind::Count, text, 0));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(tags: &[u64]) -> Result<Tags, u64> {
        let mut collector = TagCollector::default();
        for &tag in tags {
            collector.push(tag, tags.len());
        }
        collector.finish()
    }

    #[test]
    fn every_form_of_the_map_finds_its_tags_and_no_others() {
        let cases: [(&[u64], &str); 4] = [
            (&[5, 6, 7], "Run"),
            (&[3, 1, 2], "Dense"),
            (&[9, 10, 12], "Dense"),
            (&[1, 2, 4_000_000_000_000, 3], "Sparse"),
        ];
        for (tags, form) in cases {
            let map = collect(tags).unwrap();
            assert!(format!("{map:?}").starts_with(form), "{map:?}");
            for (index, &tag) in tags.iter().enumerate() {
                assert_eq!(map.index(tag as i64), Some(index as u32));
            }
            for tag in [-1, 0, 4, 8, 11, 13, i64::MAX, i64::MIN] {
                assert!(
                    u64::try_from(tag).is_ok_and(|t| tags.contains(&t)) || map.index(tag).is_none()
                );
            }
        }
    }

    #[test]
    fn a_tag_that_occurs_twice_is_found() {
        assert_eq!(collect(&[1, 2, 2]).unwrap_err(), 2);
        assert_eq!(collect(&[7, 1 << 40, 8, 7]).unwrap_err(), 7);
    }
}

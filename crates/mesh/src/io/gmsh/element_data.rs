//! `$ElementData`: numbers on elements, of which those of one component on all cells are cell data.

use crate::error::{ErrorKind, MeshError, Note};
use crate::volume::CellData;

use super::groups::unquoted;
use super::input::{Input, Width};
use super::nodes::Tags;

/// What a section is.
pub(super) enum Section {
    /// Numbers for all cells.
    Data(CellData),
    /// Left out, and why.
    Unusable(Note),
    /// Vectors or tensors, which a mesh does not hold.
    NotScalar,
}

/// More strings, times or integers than any section has.
const MOST_TAGS: u64 = 100;

/// Reads the section after its first line. `tags` leads from element tags to cells, of which there
/// are `cells`.
pub(super) fn read(input: &mut Input<'_>, tags: &Tags, cells: usize) -> Result<Section, MeshError> {
    // These are text in binary files too.
    let mut name = String::new();
    for k in 0..few(input, "string tags")? {
        if !input.scanner.next_content_line()? {
            return Err(input.scanner.truncated("a string tag of $ElementData"));
        }
        if k == 0 {
            name = String::from_utf8_lossy(unquoted(input.scanner.rest_of_line())).into_owned();
        }
        while input.scanner.field().is_some() {}
    }
    for _ in 0..few(input, "real tags")? {
        if input.scanner.token()?.is_none() {
            return Err(input.scanner.truncated("a real tag of $ElementData"));
        }
    }
    // Time step, components, entries, and maybe a partition.
    let count = few(input, "integer tags")?;
    let mut integers = Vec::new();
    for k in 0..count {
        integers.push(if k == 2 {
            input.text_count(2, 12, "values on elements")? as u64
        } else {
            input.scanner.i64_token("an integer tag of $ElementData")?.unsigned_abs()
        });
    }
    let [_, components, entries, ..] = integers[..] else {
        let text = format!("$ElementData has {count} integer tags: at least 3 are needed");
        return Err(input.scanner.error(ErrorKind::Syntax, text));
    };
    if !(1..=9).contains(&components) {
        let text =
            format!("$ElementData '{name}' has {components} components: 1, 3 or 9 are usual");
        return Err(input.scanner.error(ErrorKind::Count, text));
    }
    // Room only where the section is long enough for all cells, so that many short ones cost little.
    let usable = components == 1 && entries >= cells as u64;
    let mut values = vec![f64::NAN; if usable { cells } else { 0 }];
    let (mut given, mut bad) = (vec![false; values.len()], None);
    for _ in 0..entries {
        let tag = input.integer(Width::Four, "the tag of an element with a value")?;
        for _ in 0..components {
            let value = input.any_float("a value of an element")?;
            // Values of points, lines and faces have no place in a volume mesh.
            let Some(cell) = tags.index(tag).map(|c| c as usize) else { continue };
            if let Some(slot) = values.get_mut(cell) {
                (*slot, given[cell]) = (value, true);
                if !value.is_finite() {
                    bad.get_or_insert((cell, value));
                }
            }
        }
    }
    input.end_section("ElementData")?;
    if components > 1 {
        return Ok(Section::NotScalar);
    }
    let skipped =
        |why: String| Section::Unusable(Note::Skipped(format!("cell data '{name}' {why}")));
    let lacking = if usable { given.iter().filter(|g| !**g).count() } else { cells };
    Ok(match bad {
        _ if !usable => skipped(format!("has {entries} values for {cells} cells and was skipped")),
        Some((cell, value)) => skipped(format!("is {value} in cell {cell} and was skipped")),
        None if lacking > 0 => {
            skipped(format!("has no value for {lacking} of {cells} cells and was skipped"))
        }
        None => Section::Data(CellData { name, values }),
    })
}

/// A count of tags, of which there are only a few.
fn few(input: &mut Input<'_>, what: &str) -> Result<u64, MeshError> {
    let count = input.scanner.u64_token(what)?;
    if count > MOST_TAGS {
        let text = format!("$ElementData with {count} {what}: at most {MOST_TAGS} are accepted");
        return Err(input.scanner.error(ErrorKind::Count, text));
    }
    Ok(count)
}

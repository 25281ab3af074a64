//! From Vega's sets and regions, which may overlap, to disjoint regions and cell sets.

use std::collections::HashMap;

use crate::error::{ErrorKind, MeshError};
use crate::material::MaterialRecord;
use crate::volume::{NO_REGION, NamedSet, Region};

use super::lines::placed;
use super::nearest::nearest;
use super::{ALL_ELEMENTS, key};

/// A `*REGION` line.
pub(super) struct RegionLine {
    pub(super) set: String,
    pub(super) material: String,
    /// An error at the line, for its place.
    pub(super) place: MeshError,
}

/// Regions of a mesh of `cells` cells.
pub(super) struct Parts {
    pub(super) regions: Vec<Region>,
    pub(super) cell_region: Vec<u32>,
    pub(super) cell_sets: Vec<NamedSet>,
}

/// Which set a region is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SetIndex {
    All,
    Named(usize),
}

/// Gives each cell the last region that names it.
pub(super) fn assemble(
    cells: usize,
    sets: Vec<NamedSet>,
    lines: &[RegionLine],
    materials: &[MaterialRecord],
) -> Result<Parts, MeshError> {
    let mut set_index = HashMap::from([(key(ALL_ELEMENTS), SetIndex::All)]);
    for (i, set) in sets.iter().enumerate() {
        set_index.insert(key(&set.name), SetIndex::Named(i));
    }
    let material_index: HashMap<String, u32> =
        materials.iter().zip(0..).map(|(m, i)| (key(&m.name), i)).collect();

    let mut used = Vec::with_capacity(lines.len());
    for line in lines {
        let set = *set_index.get(&key(&line.set)).ok_or_else(|| {
            let names = sets.iter().map(|s| s.name.as_str()).chain([ALL_ELEMENTS]);
            unknown(line, "set", &line.set, names)
        })?;
        let material = *material_index.get(&key(&line.material)).ok_or_else(|| {
            unknown(line, "material", &line.material, materials.iter().map(|m| m.name.as_str()))
        })?;
        used.push((set, material));
    }
    // A set that is used twice counts where it is used last; with each set painted once the work
    // stays that of reading the sets.
    let last: HashMap<SetIndex, usize> =
        used.iter().enumerate().map(|(i, (set, _))| (*set, i)).collect();
    let used: Vec<_> = used
        .iter()
        .enumerate()
        .filter(|(i, (set, _))| last[set] == *i)
        .map(|(_, &pair)| pair)
        .collect();

    let mut cell_region = vec![NO_REGION; if used.is_empty() { 0 } else { cells }];
    let mut regions = Vec::with_capacity(used.len());
    for (&(set, material), r) in used.iter().zip(0..) {
        let name = match set {
            SetIndex::All => {
                cell_region.fill(r);
                ALL_ELEMENTS.to_owned()
            }
            SetIndex::Named(i) => {
                sets[i].items.iter().for_each(|&c| cell_region[c as usize] = r);
                sets[i].name.clone()
            }
        };
        regions.push(Region { name, material: Some(material) });
    }
    let mut left = vec![0_usize; regions.len()];
    for &r in cell_region.iter().filter(|&&r| r != NO_REGION) {
        left[r as usize] += 1;
    }
    let mut whole = vec![false; sets.len()];
    for (&(set, _), &left) in used.iter().zip(&left) {
        if let SetIndex::Named(i) = set {
            whole[i] = left == sets[i].items.len();
        }
    }
    let cell_sets =
        sets.into_iter().zip(whole).filter(|(_, whole)| !whole).map(|(s, _)| s).collect();
    Ok(Parts { regions, cell_region, cell_sets })
}

fn unknown<'a>(
    line: &RegionLine,
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a str>,
) -> MeshError {
    let text = format!("the region names the {what} '{name}', which is not defined");
    let error = placed(&line.place, MeshError::new(ErrorKind::Index, text));
    error.hint(match nearest(name, names) {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => format!("define it with *{} {name}", what.to_ascii_uppercase()),
    })
}

//! Writing `.veg`.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError, Note};
use crate::io::text::TextWriter;
use crate::volume::{NO_REGION, VolumeMesh};

use super::{ALL_ELEMENTS, key, material};

/// Writes a tet4 or hex8 mesh as `.veg`, numbered from 1. What the format cannot hold comes back
/// as notes.
pub fn write(mesh: &VolumeMesh, sink: &mut dyn Write) -> Result<Vec<Note>, MeshError> {
    mesh.validate()?;
    let kind = match mesh.cell_type {
        CellType::Tet4 => "TET",
        CellType::Hex8 => "CUBIC",
        quadratic @ (CellType::Tet10 | CellType::Hex20) => {
            let text = format!("a .veg file holds tet4 or hex8 cells, not {quadratic}");
            return Err(MeshError::new(ErrorKind::Unsupported, text)
                .hint("write it as .vtu, .vtk or .msh, or keep only the corners of its cells"));
        }
    };
    let mut out = TextWriter::new(sink);
    let (vertices, cells) = (mesh.vertex_count() as u64, mesh.cell_count() as u64);
    out.text(&format!("# Vega mesh file.\n# {vertices} vertices, {cells} elements\n\n"))?;
    out.text(&format!("*VERTICES\n{vertices} 3 0 0\n"))?;
    for (number, vertex) in (1..).zip(&mesh.vertices) {
        out.integer(number)?;
        out.bytes(b" ")?;
        out.float_line(vertex)?;
    }
    out.text(&format!("\n*ELEMENTS\n{kind}\n{cells} {} 0\n", mesh.cell_type.nodes()))?;
    for (number, cell) in (1..).zip(mesh.cells()) {
        let nodes = cell.iter().map(|&v| u64::from(v) + 1);
        out.integer_line(std::iter::once(number).chain(nodes))?;
    }
    let notes = write_parts(mesh, &mut out)?;
    out.finish()?;
    Ok(notes)
}

/// Materials, sets and regions.
fn write_parts(mesh: &VolumeMesh, out: &mut TextWriter<'_>) -> Result<Vec<Note>, MeshError> {
    let mut names = Names::default();
    let materials: Vec<String> =
        mesh.materials.iter().map(|m| names.unique(&m.name, "material")).collect();
    names.used = HashMap::from([(key(ALL_ELEMENTS), 1)]);

    for (record, name) in mesh.materials.iter().zip(&materials) {
        out.text(&format!("\n*MATERIAL {name}\n"))?;
        material::write(record, out)?;
    }
    let mut own_cells = vec![Vec::new(); mesh.regions.len()];
    for (cell, &r) in (0..).zip(&mesh.cell_region) {
        if r != NO_REGION {
            own_cells[r as usize].push(cell);
        }
    }
    let made_of = made_of(mesh, &own_cells);
    // The regions' names first: they are what users go by.
    let mut region_names = Vec::with_capacity(mesh.regions.len());
    for ((region, cells), made_of) in mesh.regions.iter().zip(&own_cells).zip(&made_of) {
        let name = match made_of {
            MadeOf::AllElements => ALL_ELEMENTS.to_owned(),
            MadeOf::OwnCells | MadeOf::CellSet(_) => names.unique(&region.name, "region"),
        };
        if *made_of == MadeOf::OwnCells {
            write_set(&name, cells, out)?;
        }
        region_names.push(name);
    }
    let mut set_names = vec![None; mesh.cell_sets.len()];
    for (made_of, name) in made_of.iter().zip(&region_names) {
        if let MadeOf::CellSet(i) = made_of {
            set_names[*i] = Some(name.clone());
        }
    }
    for (set, name) in mesh.cell_sets.iter().zip(set_names) {
        write_set(&name.unwrap_or_else(|| names.unique(&set.name, "set")), &set.items, out)?;
    }
    for (region, name) in mesh.regions.iter().zip(&region_names) {
        if let Some(m) = region.material {
            out.text(&format!("\n*REGION\n{name}, {}\n", materials[m as usize]))?;
        }
    }
    Ok(notes(mesh, &names))
}

fn notes(mesh: &VolumeMesh, names: &Names) -> Vec<Note> {
    let mut notes = Vec::new();
    let bare = mesh.regions.iter().filter(|r| r.material.is_none()).count();
    if bare > 0 {
        notes.push(Note::Lost(format!(
            "regions without a material ({bare}): in .veg a region has one, they became plain sets"
        )));
    }
    if let Some((what, old, new)) = names.changed.first() {
        let n = names.changed.len();
        notes.push(Note::Lost(format!(
            "names that .veg cannot hold or that appear twice ({n}): {what} '{old}' became '{new}'"
        )));
    }
    if !mesh.cell_data.is_empty() {
        let n = mesh.cell_data.len();
        notes.push(Note::Lost(format!("cell data ({n}): .veg has none, .vtu does")));
    }
    if !mesh.vertex_sets.is_empty() {
        let n = mesh.vertex_sets.len();
        notes.push(Note::Lost(format!("vertex sets ({n}): .veg has none, write a .bou beside it")));
    }
    notes
}

/// The set that a region is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MadeOf {
    /// A set of its own.
    OwnCells,
    /// The cell set of the same name.
    CellSet(usize),
    /// The built-in set.
    AllElements,
}

/// Regions are written as the cell sets of their names, and `allElements` as the built-in set, if
/// painting these one over the other gives the same regions. That is so for every mesh that was
/// read from overlapping regions. Otherwise each region is a set of its own.
fn made_of(mesh: &VolumeMesh, own_cells: &[Vec<u32>]) -> Vec<MadeOf> {
    let mut sets: HashMap<String, usize> =
        mesh.cell_sets.iter().enumerate().map(|(i, set)| (key(&set.name), i)).collect();
    let mut painted = vec![NO_REGION; mesh.cell_region.len()];
    let mut made_of = Vec::with_capacity(mesh.regions.len());
    for ((r, region), cells) in (0..).zip(&mesh.regions).zip(own_cells) {
        let key = key(&region.name);
        if region.material.is_none() {
            made_of.push(MadeOf::OwnCells);
        } else if key == ALL_ELEMENTS {
            painted.fill(r);
            made_of.push(MadeOf::AllElements);
        } else {
            // Taken out, so that a second region of that name cannot share it.
            let shared = sets.remove(&key);
            let cells = shared.map_or(cells, |i| &mesh.cell_sets[i].items);
            for &c in cells {
                painted[c as usize] = r;
            }
            made_of.push(shared.map_or(MadeOf::OwnCells, MadeOf::CellSet));
        }
    }
    let same = painted.iter().zip(&mesh.cell_region).all(|(&painted, &r)| {
        let bare = mesh.regions.get(r as usize).is_none_or(|region| region.material.is_none());
        painted == if bare { NO_REGION } else { r }
    });
    let twice = made_of.iter().filter(|m| **m == MadeOf::AllElements).count() > 1;
    if same && !twice { made_of } else { vec![MadeOf::OwnCells; mesh.regions.len()] }
}

fn write_set(name: &str, cells: &[u32], out: &mut TextWriter<'_>) -> io::Result<()> {
    out.text(&format!("\n*SET {name}\n"))?;
    for line in cells.chunks(16) {
        for (i, &cell) in line.iter().enumerate() {
            if i > 0 {
                out.bytes(b", ")?;
            }
            out.integer(u64::from(cell) + 1)?;
        }
        out.bytes(b"\n")?;
    }
    Ok(())
}

/// Names that a `.veg` file can hold, each once.
#[derive(Default)]
struct Names {
    /// How often a name has been wanted.
    used: HashMap<String, u32>,
    /// What, the old name, the new name.
    changed: Vec<(&'static str, String, String)>,
}

impl Names {
    fn unique(&mut self, name: &str, what: &'static str) -> String {
        let mut clean: String = name
            .trim()
            .chars()
            .map(|c| if matches!(c, ',' | '#') || c.is_control() { '_' } else { c })
            .collect();
        if let Some(rest) = clean.strip_prefix('*') {
            clean = format!("_{rest}");
        }
        if clean.is_empty() {
            what.clone_into(&mut clean);
        }
        let mut unique = clean.clone();
        while self.used.contains_key(&key(&unique)) {
            let wanted = self.used.entry(key(&clean)).or_insert(0);
            *wanted += 1;
            unique = format!("{clean}_{wanted}");
        }
        self.used.insert(key(&unique), 1);
        if unique != name {
            self.changed.push((what, name.to_owned(), unique.clone()));
        }
        unique
    }
}

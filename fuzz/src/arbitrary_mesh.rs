//! Small volume meshes out of an input: valid, but as odd as the types allow.

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use pliant_mesh::{CellType, MaterialLaw, MaterialRecord, NO_REGION, NamedSet, Region, VolumeMesh};

/// Names that a format might trip over.
const NAMES: [&str; 24] = [
    "a",
    "b",
    "tissue",
    "1",
    "2",
    "07",
    "-3",
    "+4",
    "0",
    "4294967296",
    "allElements",
    "face 1",
    "with blank",
    " led",
    "comma,",
    "\"quoted\"",
    "<&>'",
    "#hash",
    "*SET",
    "$EndNodes",
    "ä",
    "",
    "two\nlines",
    "tab\tnul\0",
];

/// Coordinates that arithmetic might trip over.
const EXTREMES: [f64; 8] = [-0.0, 1e-320, f64::MIN_POSITIVE, 1e-9, 1e9, 1e150, -1e300, f64::MAX];

/// A mesh that passes [`VolumeMesh::validate`] and has at least one cell.
pub fn mesh(u: &mut Unstructured<'_>) -> Result<VolumeMesh> {
    let kind = *u.choose(&CellType::ALL)?;
    let vertex_count = u.int_in_range(1..=24_u32)?;
    let cell_count = u.int_in_range(1..=8_usize)?;
    let vertices = (0..vertex_count)
        .map(|_| Ok([coordinate(u)?, coordinate(u)?, coordinate(u)?]))
        .collect::<Result<_>>()?;
    let cells = (0..cell_count * kind.nodes())
        .map(|_| u.int_in_range(0..=vertex_count - 1))
        .collect::<Result<_>>()?;
    let mut mesh = VolumeMesh::new(kind, vertices, cells);

    let mut names = Vec::new();
    for _ in 0..u.int_in_range(0..=3)? {
        let law = law(u)?;
        mesh.materials.push(MaterialRecord {
            name: name(u, &mut names)?,
            density: positive(u)?,
            law,
        });
    }
    names.clear();
    for _ in 0..u.int_in_range(0..=3)? {
        let material = u.int_in_range(0..=mesh.materials.len() as u32)?;
        let material = (material < mesh.materials.len() as u32).then_some(material);
        mesh.regions.push(Region { name: name(u, &mut names)?, material });
    }
    if !mesh.regions.is_empty() {
        let count = mesh.regions.len() as u32;
        for _ in 0..cell_count {
            let region = u.int_in_range(0..=count)?;
            mesh.cell_region.push(if region < count { region } else { NO_REGION });
        }
    }
    for _ in 0..u.int_in_range(0..=2)? {
        let items = items(u, cell_count as u32)?;
        mesh.cell_sets.push(NamedSet::new(name(u, &mut names)?, items));
    }
    names.clear();
    for _ in 0..u.int_in_range(0..=2)? {
        let items = items(u, vertex_count)?;
        mesh.vertex_sets.push(NamedSet::new(name(u, &mut names)?, items));
    }
    Ok(mesh)
}

/// Mostly on a coarse grid, so that vertices coincide and cells are flat.
fn coordinate(u: &mut Unstructured<'_>) -> Result<f64> {
    let choice: u8 = u.arbitrary()?;
    Ok(match choice {
        0..200 => f64::from(choice % 8) * 0.5 - 1.0,
        200..208 => EXTREMES[usize::from(choice - 200)],
        208.. => Some(u.arbitrary()?).filter(|x: &f64| x.is_finite()).unwrap_or_default(),
    })
}

/// A name that is not among `taken`, and now is.
fn name(u: &mut Unstructured<'_>, taken: &mut Vec<String>) -> Result<String> {
    let mut name = match u.int_in_range(0..=31_usize)? {
        listed if listed < NAMES.len() => NAMES[listed].to_owned(),
        _ => u.arbitrary::<&str>()?.chars().take(12).collect(),
    };
    while taken.contains(&name) {
        name.push('\'');
    }
    taken.push(name.clone());
    Ok(name)
}

fn items(u: &mut Unstructured<'_>, limit: u32) -> Result<Vec<u32>> {
    (0..u.int_in_range(0..=6)?).map(|_| u.int_in_range(0..=limit - 1)).collect()
}

/// Finite, positive, and not out of all proportion: what readers accept as a material.
fn law(u: &mut Unstructured<'_>) -> Result<MaterialLaw> {
    let kind: u8 = u.arbitrary()?;
    let mut number = || positive(u);
    Ok(match kind % 3 {
        0 => MaterialLaw::MooneyRivlin { mu01: number()?, mu10: number()?, v1: number()? },
        1 => MaterialLaw::Isotropic { young: number()?, poisson: 0.45 },
        _ => MaterialLaw::Orthotropic {
            young: [number()?, number()?, number()?],
            poisson: [number()?, number()?, number()?],
            shear: [number()?, number()?, number()?],
            rotation: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        },
    })
}

fn positive(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(coordinate(u)?.abs().clamp(1e-9, 1e12))
}

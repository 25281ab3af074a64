//! Every format to every other and back: what both can hold arrives, to the last bit, and what a
//! format cannot hold is named.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::io::{WriteOptions, gmsh, read_volume, write_volume};
use pliant_mesh::refine::to_quadratic;
use pliant_mesh::{
    CellData, CellType, MaterialLaw, MaterialRecord, NO_REGION, NamedSet, Note, Region, VolumeMesh,
};

/// A file variant and what it can hold.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)]
struct Variant {
    file: &'static str,
    options: WriteOptions,
    hexes: bool,
    quadratic: bool,
    /// Regions and vertex sets have names, not numbers.
    names: bool,
    /// Regions without a material stay regions.
    bare_regions: bool,
    cell_sets: bool,
    vertex_sets: bool,
    materials: bool,
    cell_data: bool,
}

fn variants() -> Vec<Variant> {
    let binary = WriteOptions::default();
    let ascii = WriteOptions { ascii: true, ..binary };
    let v22 = gmsh::Version::V22;
    let full = Variant {
        file: "",
        options: binary,
        hexes: true,
        quadratic: true,
        names: true,
        bare_regions: true,
        cell_sets: true,
        vertex_sets: true,
        materials: false,
        cell_data: true,
    };
    let veg = Variant {
        quadratic: false,
        vertex_sets: false,
        bare_regions: false,
        materials: true,
        cell_data: false,
        ..full
    };
    let numbered = Variant { names: false, cell_sets: false, cell_data: false, ..full };
    vec![
        Variant { file: "a.veg", ..veg },
        Variant { file: "a.msh", ..full },
        Variant { file: "b.msh", options: ascii, ..full },
        Variant {
            file: "c.msh",
            options: WriteOptions { gmsh_version: v22, ..binary },
            cell_sets: false,
            ..full
        },
        Variant {
            file: "d.msh",
            options: WriteOptions { gmsh_version: v22, ..ascii },
            cell_sets: false,
            ..full
        },
        Variant { file: "a.vtu", ..full },
        Variant { file: "b.vtu", options: WriteOptions { compress: false, ..binary }, ..full },
        Variant { file: "c.vtu", options: ascii, ..full },
        Variant { file: "a.vtk", ..full },
        Variant { file: "b.vtk", options: ascii, ..full },
        Variant { file: "a.mesh", ..numbered },
        Variant { file: "a.ele", hexes: false, ..numbered },
        Variant {
            file: "b.node",
            options: WriteOptions { tetgen_base: 0, ..binary },
            hexes: false,
            ..numbered
        },
    ]
}

/// A small mesh with all that a mesh can have; coordinates with all their digits.
fn rich(cell_type: CellType, numbered: bool) -> VolumeMesh {
    let hexes = cell_type.linear() == CellType::Hex8;
    let cell = if hexes { CellChoice::Hex } else { CellChoice::Tet6 };
    let shape = BoxShape { cells: [3, 2, 2], jitter: 0.6, seed: 7, cell, ..BoxShape::default() };
    let mut mesh = shape.generate().unwrap();
    mesh.vertex_sets.clear();
    if cell_type.is_quadratic() {
        let corners = mesh.vertex_count();
        mesh = to_quadratic(&mesh).unwrap();
        // Curved edges: files keep middle nodes where they are.
        for (k, x) in mesh.vertices[corners..].iter_mut().enumerate() {
            x[k % 3] += 0.01;
        }
    }
    let cells = mesh.cell_count() as u32;
    let name = |word: &str, number: &str| if numbered { number.into() } else { word.to_owned() };
    mesh.regions = vec![
        Region { name: name("soft tissue", "3"), material: Some(0) },
        Region { name: name("Knochen große", "17"), material: Some(1) },
    ];
    mesh.cell_region = (0..cells)
        .map(|c| match c % 5 {
            0 => 1,
            4 => NO_REGION,
            _ => 0,
        })
        .collect();
    mesh.cell_sets = vec![
        NamedSet::new("probe & <cut>", (0..cells / 2).collect()),
        NamedSet::new("odd", (0..cells).filter(|c| c % 2 == 1).collect()),
    ];
    // The first vertices belong to elements of the mesh in every format.
    mesh.vertex_sets = vec![
        NamedSet::new(name("clamp", "1"), vec![0, 2, 4, 5]),
        NamedSet::new(name("left hand", "2"), if numbered { vec![1, 3] } else { vec![1, 2, 3] }),
    ];
    let law = MaterialLaw::Isotropic { young: 1e4 / 3.0, poisson: 0.45 };
    mesh.materials = vec![
        MaterialRecord { name: "muscle".into(), density: 1050.0, law },
        MaterialRecord {
            name: "bone".into(),
            density: 1900.5,
            law: MaterialLaw::MooneyRivlin { mu01: 1.0 / 7.0, mu10: 2e5, v1: 3e-9 },
        },
    ];
    let data = |name: &str, value: &dyn Fn(u32) -> f64| CellData {
        name: name.into(),
        values: (0..cells).map(value).collect(),
    };
    mesh.cell_data = vec![
        data("Young's modulus & <E>", &|c| 1e4 / f64::from(3 + c)),
        data("label", &|c| f64::from(c) - 2.0),
    ];
    mesh.validate().unwrap();
    mesh
}

/// What is left of `mesh` in a format.
fn held(mut mesh: VolumeMesh, variant: &Variant) -> VolumeMesh {
    if !variant.materials {
        mesh.materials.clear();
        mesh.regions.iter_mut().for_each(|r| r.material = None);
    }
    if !variant.cell_sets {
        mesh.cell_sets.clear();
    }
    if !variant.vertex_sets {
        mesh.vertex_sets.clear();
    }
    if !variant.cell_data {
        mesh.cell_data.clear();
    }
    if !variant.bare_regions && mesh.materials.is_empty() {
        // They become plain sets.
        for r in 0..mesh.regions.len() {
            mesh.cell_sets.push(NamedSet::new(mesh.regions[r].name.clone(), mesh.region_cells(r)));
        }
        mesh.regions.clear();
        mesh.cell_region.clear();
    }
    // The order of sets is not part of what a format promises.
    mesh.cell_sets.sort_by(|a, b| a.name.cmp(&b.name));
    mesh.vertex_sets.sort_by(|a, b| a.name.cmp(&b.name));
    by_name(mesh)
}

/// Regions in the order of their names.
fn by_name(mut mesh: VolumeMesh) -> VolumeMesh {
    let mut order: Vec<usize> = (0..mesh.regions.len()).collect();
    order.sort_by(|&a, &b| mesh.regions[a].name.cmp(&mesh.regions[b].name));
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
    mesh.regions = order.iter().map(|&old| mesh.regions[old].clone()).collect();
    for region in &mut mesh.cell_region {
        if *region != NO_REGION {
            *region = place[*region as usize];
        }
    }
    mesh
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("pliant-trip-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes, reads back, and returns the mesh and the writer's notes.
    fn through(&self, mesh: &VolumeMesh, variant: &Variant) -> (VolumeMesh, Vec<Note>) {
        let path = self.0.join(variant.file);
        let notes = write_volume(&path, mesh, &variant.options).unwrap();
        let read = read_volume(&path).unwrap_or_else(|e| panic!("{}: {e}", variant.file));
        assert_eq!(read.notes, [], "{}", variant.file);
        (read.mesh, notes)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn serves(variant: &Variant, cell_type: CellType) -> bool {
    match cell_type {
        CellType::Tet4 => true,
        CellType::Hex8 => variant.hexes,
        CellType::Tet10 => variant.quadratic,
        CellType::Hex20 => variant.hexes && variant.quadratic && !variant.file.contains(".mesh"),
    }
}

#[test]
fn every_pair_of_formats_keeps_what_both_can_hold() {
    let folder = Folder::new();
    for cell_type in CellType::ALL {
        for numbered in [false, true] {
            let mesh = rich(cell_type, numbered);
            for a in variants().iter().filter(|v| serves(v, cell_type)) {
                if !(numbered || a.names) {
                    continue;
                }
                let (first, _) = folder.through(&mesh, a);
                let expected = held(mesh.clone(), a);
                assert_eq!(held(first.clone(), a), expected, "{cell_type} as {}", a.file);
                for b in variants().iter().filter(|v| serves(v, cell_type)) {
                    if !(numbered || b.names) {
                        continue;
                    }
                    let (second, _) = folder.through(&first, b);
                    let expected = held(expected.clone(), b);
                    let pair = format!("{cell_type} as {}, then {}", a.file, b.file);
                    assert_eq!(held(second, b), expected, "{pair}");
                }
            }
        }
    }
}

#[test]
fn what_is_lost_is_named() {
    let folder = Folder::new();
    let mesh = rich(CellType::Tet4, false);
    for variant in variants() {
        let (_, notes) = folder.through(&mesh, &variant);
        let lost: Vec<String> =
            notes.iter().filter(|n| matches!(n, Note::Lost(_))).map(Note::to_string).collect();
        for (kept, word) in [
            (variant.cell_sets, "cell set"),
            (variant.vertex_sets && variant.names, "vertex set"),
            (variant.materials, "material"),
            (variant.cell_data, "cell data"),
            (variant.names, "name"),
        ] {
            let named = lost.iter().any(|l| l.replace("element set", "cell set").contains(word));
            assert!(kept || named, "{}: {word} is lost, the notes are {lost:?}", variant.file);
        }
        if variant.cell_sets && variant.vertex_sets && variant.names {
            assert!(lost.len() <= 1, "{}: {lost:?}", variant.file);
        }
    }
}

//! Meshes for the tests of both VTK formats.
#![allow(dead_code)]

use pliant_mesh::cell::{HEX_CORNERS, TET_EDGES};
use pliant_mesh::io::Imported;
use pliant_mesh::{CellType, MeshError, NO_REGION, NamedSet, Region, VolumeMesh};

/// Two tets with coordinates that need all their bits.
pub(crate) fn tets() -> VolumeMesh {
    let vertices = vec![
        [0.0, -0.0, 1.0 / 3.0],
        [1.0 + f64::EPSILON, 1e-300, 0.1],
        [0.0, 1.7, 0.1],
        [0.2, 0.3, 1e5],
        [2.0, 2.0, 2.0],
    ];
    let mut mesh = VolumeMesh::new(CellType::Tet4, vertices, vec![0, 1, 2, 3, 1, 4, 2, 3]);
    mesh.orient();
    mesh
}

/// The same with regions and sets whose names are awkward.
pub(crate) fn named() -> VolumeMesh {
    let mut mesh = tets();
    let region = |name: &str| Region { name: name.into(), material: None };
    mesh.regions = vec![region("Knochen Ø <1> & \"2\""), region("empty one"), region("")];
    mesh.cell_region = vec![2, NO_REGION];
    mesh.cell_sets = vec![NamedSet::new("left & <right>", vec![1]), NamedSet::new("", vec![])];
    mesh.vertex_sets = vec![
        NamedSet::new("100 % \"fixed\"\t'x'\n", vec![0, 2, 4]),
        NamedSet::new("ü", vec![3]),
        NamedSet::new("ü", vec![1, 3]),
    ];
    mesh
}

pub(crate) fn hex() -> VolumeMesh {
    VolumeMesh::new(CellType::Hex8, HEX_CORNERS.to_vec(), (0..8).collect())
}

pub(crate) fn tet10() -> VolumeMesh {
    let mut vertices = tets().vertices[..4].to_vec();
    let middles = TET_EDGES.map(|[a, b]| middle(vertices[a], vertices[b]));
    vertices.extend(middles);
    let mut mesh = VolumeMesh::new(CellType::Tet10, vertices, (0..10).collect());
    mesh.orient();
    mesh
}

fn middle(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| 0.5 * (a[i] + b[i]))
}

/// One of each kind.
pub(crate) fn all_kinds() -> [VolumeMesh; 4] {
    [tets(), named(), hex(), tet10()]
}

/// Reads every beginning of a file: an error, or the whole mesh.
pub(crate) fn truncated_never_panics(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<Imported<VolumeMesh>, MeshError>,
) {
    let whole = read(bytes).unwrap().mesh;
    for end in 0..bytes.len() {
        match read(&bytes[..end]) {
            Ok(part) => assert_eq!(part.mesh.vertices, whole.vertices, "cut at {end}"),
            Err(e) => assert!(e.details().file.is_some(), "cut at {end}: {e:?}"),
        }
    }
}

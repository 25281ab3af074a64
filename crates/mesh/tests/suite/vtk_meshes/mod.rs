//! Meshes for the tests of both VTK formats.
#![allow(dead_code)]

use pliant_mesh::cell::{HEX_CORNERS, HEX_EDGES, TET_EDGES};
use pliant_mesh::io::Imported;
use pliant_mesh::{CellData, CellType, MeshError, NO_REGION, NamedSet, Note, Region, VolumeMesh};

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

/// A hexahedron with curved edges.
pub(crate) fn hex20() -> VolumeMesh {
    let mut mesh = VolumeMesh::new(CellType::Hex20, HEX_CORNERS.to_vec(), (0..20).collect());
    for (k, [a, b]) in HEX_EDGES.into_iter().enumerate() {
        let mut x = middle(HEX_CORNERS[a], HEX_CORNERS[b]);
        x[k % 3] += 0.125;
        mesh.vertices.push(x);
    }
    mesh
}

fn middle(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| 0.5 * (a[i] + b[i]))
}

/// What the files beside this one hold. VTK 9.7 wrote them, each in another encoding: two tets, a
/// triangle before them, regions, sets, and one array of every other sort of data.
pub(crate) fn from_vtk() -> VolumeMesh {
    let tet = |x: f64| [[x, 2.5, -5.0], [x + 1.0, 2.5, -5.0], [x, 3.5, -5.0], [x, 2.5, -3.875]];
    let vertices = [tet(1.25), tet(11.25)].concat();
    let mut mesh = VolumeMesh::new(CellType::Tet4, vertices, (0..8).collect());
    let region = |name: &str| Region { name: name.into(), material: None };
    mesh.regions = vec![region("a<b &"), region("é%")];
    mesh.cell_region = vec![0, 1];
    mesh.cell_sets = vec![NamedSet::new("cells", vec![1])];
    mesh.vertex_sets = vec![NamedSet::new("left", vec![1, 3, 5, 7])];
    mesh.cell_data = vec![CellData { name: "gid".into(), values: vec![1.0, 2.0] }];
    mesh
}

/// Checks a file of VTK's against [`from_vtk`], and that its notes name all that was skipped.
pub(crate) fn assert_from_vtk(read: &Imported<VolumeMesh>, file: &str) {
    assert_same(&read.mesh, &from_vtk());
    let [Note::Skipped(arrays), Note::Skipped(cells)] = &read.notes[..] else {
        panic!("{file}: {:?}", read.notes);
    };
    for name in ["velocity", "temp", "norm", "tex", "stress", "bits", "labels"] {
        assert!(arrays.contains(&format!("'{name}'")), "{file}: {arrays}");
    }
    assert!(cells.contains("1 triangle"), "{file}: {cells}");
}

/// Equal, the signs of zeros included.
pub(crate) fn assert_same(a: &VolumeMesh, b: &VolumeMesh) {
    assert_eq!(a, b);
    let bits = |mesh: &VolumeMesh| -> Vec<u64> {
        mesh.vertices.as_flattened().iter().map(|x| x.to_bits()).collect()
    };
    assert_eq!(bits(a), bits(b));
}

/// A cheap stream of bytes without pattern.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Reads a file with single bytes, every `step`-th, replaced by noise: never a panic.
pub(crate) fn flipped_never_panics(
    bytes: &[u8],
    step: usize,
    read: impl Fn(&[u8]) -> Result<Imported<VolumeMesh>, MeshError>,
) {
    for (place, byte) in noise(7, bytes.len()).into_iter().enumerate().step_by(step) {
        let mut broken = bytes.to_vec();
        broken[place] = byte;
        let _ = read(&broken);
    }
}

/// One of each kind.
pub(crate) fn all_kinds() -> [VolumeMesh; 5] {
    [tets(), named(), hex(), tet10(), hex20()]
}

/// Reads every `step`-th beginning of a file: an error, or the whole mesh.
pub(crate) fn truncated_never_panics(
    bytes: &[u8],
    step: usize,
    read: impl Fn(&[u8]) -> Result<Imported<VolumeMesh>, MeshError>,
) {
    let whole = read(bytes).unwrap().mesh;
    for end in (0..bytes.len()).step_by(step) {
        match read(&bytes[..end]) {
            Ok(part) => assert_eq!(part.mesh.vertices, whole.vertices, "cut at {end}"),
            Err(e) => assert!(e.details().file.is_some(), "cut at {end}: {e:?}"),
        }
    }
}

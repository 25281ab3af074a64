//! Counts of faces and edges, shared by the tests of generators and of refinement.
#![allow(dead_code)] // Each test binary uses its part.

use std::collections::{BTreeMap, BTreeSet};

use pliant_algebra::vec3::{Vec3, cross, dot, normalized, sub, triple};
use pliant_mesh::cell::{HEX_EDGES, HEX_FACES, TET_EDGES, TET_FACES};
use pliant_mesh::{CellType, SurfaceMesh, VolumeMesh};

pub(crate) struct Counts {
    /// Vertices − edges + faces − cells: 1 for a ball, 0 for a solid torus, 2 for a hollow sphere.
    pub(crate) euler: i64,
    /// Vertices − edges + faces of the boundary.
    pub(crate) boundary_euler: i64,
}

fn sorted(items: &[u32]) -> Vec<u32> {
    let mut items = items.to_vec();
    items.sort_unstable();
    items
}

/// Asserts that the mesh is conforming: each face belongs to one cell or to two that see it from
/// opposite sides, each edge of the boundary to two boundary faces that run through it in opposite
/// directions, and each vertex to a cell.
pub(crate) fn assert_conforming(mesh: &VolumeMesh) -> Counts {
    mesh.validate().unwrap();
    let mut faces: BTreeMap<Vec<u32>, Vec<Vec<u32>>> = BTreeMap::new();
    let mut edges = BTreeSet::new();
    for cell in mesh.cells() {
        let cell_faces: Vec<Vec<u32>> = match mesh.cell_type {
            CellType::Hex8 | CellType::Hex20 => {
                HEX_FACES.iter().map(|f| f.map(|i| cell[i]).to_vec()).collect()
            }
            _ => TET_FACES.iter().map(|f| f.map(|i| cell[i]).to_vec()).collect(),
        };
        for face in cell_faces {
            faces.entry(sorted(&face)).or_default().push(face);
        }
        for &[a, b] in mesh.cell_type.edges() {
            edges.insert([cell[a].min(cell[b]), cell[a].max(cell[b])]);
        }
    }
    let mut boundary_edges: BTreeSet<[u32; 2]> = BTreeSet::new();
    let mut boundary_faces = 0;
    for sides in faces.values() {
        assert!(sides.len() <= 2, "a face with {} cells", sides.len());
        let cycle = |face: &[u32]| {
            let n = face.len();
            (0..n).map(|i| [face[i], face[(i + 1) % n]]).collect::<BTreeSet<_>>()
        };
        if let [a, b] = &sides[..] {
            let back: BTreeSet<_> = cycle(b).into_iter().map(|[p, q]| [q, p]).collect();
            assert_eq!(cycle(a), back, "two cells on one side of a face");
        } else {
            boundary_faces += 1;
            for edge in cycle(&sides[0]) {
                assert!(boundary_edges.insert(edge), "a boundary edge with more than two faces");
            }
        }
    }
    for &[a, b] in &boundary_edges {
        assert!(boundary_edges.contains(&[b, a]), "the boundary is open");
    }
    let boundary_vertices =
        boundary_edges.iter().map(|e| e[0]).collect::<BTreeSet<_>>().len() as i64;
    let used = mesh.corner_cells().iter().copied().collect::<BTreeSet<_>>().len() as i64;
    if !mesh.cell_type.is_quadratic() {
        assert_eq!(used, mesh.vertex_count() as i64, "vertices without a cell");
    }
    Counts {
        euler: used - edges.len() as i64 + faces.len() as i64 - mesh.cell_count() as i64,
        boundary_euler: boundary_vertices - boundary_edges.len() as i64 / 2 + boundary_faces,
    }
}

/// Asserts that a surface is closed and consistently turned; its Euler characteristic.
pub(crate) fn assert_closed(surface: &SurfaceMesh) -> i64 {
    surface.validate().unwrap();
    let mut edges = BTreeSet::new();
    for &[a, b, c] in &surface.triangles {
        for edge in [[a, b], [b, c], [c, a]] {
            assert!(edge[0] != edge[1] && edges.insert(edge));
        }
    }
    assert!(edges.iter().all(|&[a, b]| edges.contains(&[b, a])));
    let used = edges.iter().map(|e| e[0]).collect::<BTreeSet<_>>().len();
    assert_eq!(used, surface.vertices.len());
    used as i64 - edges.len() as i64 / 2 + surface.triangles.len() as i64
}

/// The volume of all cells, summed with compensation (Neumaier), so that only the mesh's own error
/// is left.
pub(crate) fn volume(mesh: &VolumeMesh) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for v in (0..mesh.cell_count()).map(|c| mesh.cell_volume(c)) {
        let next: f64 = sum + v;
        lost += if sum.abs() >= v.abs() { (sum - next) + v } else { (v - next) + sum };
        sum = next;
    }
    sum + lost
}

pub(crate) fn smallest_volume(mesh: &VolumeMesh) -> f64 {
    (0..mesh.cell_count()).map(|c| mesh.cell_volume(c)).fold(f64::INFINITY, f64::min)
}

/// The smallest dihedral angle of a tetrahedron, degrees.
pub(crate) fn smallest_dihedral(x: [Vec3; 4]) -> f64 {
    let outward =
        |f: [usize; 3]| normalized(cross(sub(x[f[1]], x[f[0]]), sub(x[f[2]], x[f[0]]))).unwrap();
    TET_EDGES
        .iter()
        .map(|[a, b]| {
            let at: Vec<Vec3> = TET_FACES
                .iter()
                .filter(|f| f.contains(a) && f.contains(b))
                .map(|f| outward(*f))
                .collect();
            (-dot(at[0], at[1])).clamp(-1.0, 1.0).acos().to_degrees()
        })
        .fold(f64::INFINITY, f64::min)
}

/// The smallest dihedral angle of a mesh of tetrahedra, degrees.
pub(crate) fn smallest_angle(mesh: &VolumeMesh) -> f64 {
    (0..mesh.cell_count())
        .map(|c| smallest_dihedral(mesh.tet(c).map(|v| mesh.vertices[v as usize])))
        .fold(f64::INFINITY, f64::min)
}

/// The smallest scaled Jacobian of a mesh of hexahedra: at each corner the volume that the unit
/// vectors of its three edges span.
pub(crate) fn scaled_jacobian(mesh: &VolumeMesh) -> f64 {
    let mut worst = f64::INFINITY;
    for cell in mesh.cells() {
        let x = |i: usize| mesh.vertices[cell[i] as usize];
        for corner in 0..8 {
            let ends: Vec<usize> = HEX_EDGES
                .iter()
                .filter(|e| e.contains(&corner))
                .map(|e| if e[0] == corner { e[1] } else { e[0] })
                .collect();
            let [a, b, c] = [0, 1, 2].map(|i| normalized(sub(x(ends[i]), x(corner))).unwrap());
            // The sign of the corner's frame follows from the reference cube.
            let r = |i: usize| pliant_mesh::cell::HEX_CORNERS[i];
            let [ra, rb, rc] = [0, 1, 2].map(|i| sub(r(ends[i]), r(corner)));
            worst = worst.min(triple(a, b, c) * triple(ra, rb, rc).signum());
        }
    }
    worst
}

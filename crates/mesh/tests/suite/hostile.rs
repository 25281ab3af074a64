//! Meshes with valid indices and arbitrary geometry: everything answers, nothing fails.

use pliant_mesh::doctor::{Options, ProblemKind, check, check_surface, fix, fix_surface};
use pliant_mesh::{CellType, NamedSet, SurfaceMesh, VolumeMesh};
use pliant_mesh::{measure, quality, reorder, topology};
use proptest::prelude::*;

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -2i32..3,
        1 => Just(9),
    ]
    .prop_flat_map(|grid| {
        let wild =
            [f64::MAX, f64::MIN, 1e308, 5e-324, 1e-200, 1.0 + 1e-10, -0.0, f64::NAN, f64::INFINITY];
        if grid == 9 {
            prop::sample::select(wild.to_vec()).boxed()
        } else {
            Just(f64::from(grid)).boxed()
        }
    })
}

fn mesh() -> impl Strategy<Value = VolumeMesh> {
    let kinds = prop::sample::select(CellType::ALL.to_vec());
    (kinds, 1usize..14, 0usize..12).prop_flat_map(|(cell_type, vertices, cells)| {
        let points = prop::collection::vec(prop::array::uniform3(coordinate()), vertices);
        let nodes = prop::collection::vec(0..vertices as u32, cells * cell_type.nodes());
        let set = prop::collection::vec(0..vertices as u32, 0..5);
        (points, nodes, set).prop_map(move |(points, nodes, set)| {
            let mut mesh = VolumeMesh::new(cell_type, points, nodes);
            mesh.vertex_sets.push(NamedSet::new("set", set));
            mesh
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn volume_meshes(mesh in mesh()) {
        let options = Options::default();
        let diagnosis = check(&mesh, &options);
        prop_assert!(diagnosis.problems.iter().all(|p| p.count > 0 && !p.detail.is_empty()));
        let fixed = fix(&mesh, &options);
        prop_assert!(fixed.mesh.cell_count() <= mesh.cell_count());
        let problem = fixed.left.find(ProblemKind::Invalid);
        prop_assert!(problem.is_none(), "{problem:?}");
        let _ = fix(&fixed.mesh, &options);
        let _ = measure::mass_properties(&mesh);
        let q = quality::summary(&mesh, 10);
        prop_assert!(q.aspect.mean.is_finite() && q.scaled_jacobian.min >= -1.0);
        let faces = topology::faces(&mesh);
        prop_assert_eq!(faces.sides.items.len() % mesh.cell_count().max(1), 0);
        let boundary = topology::boundary(&mesh);
        prop_assert!(boundary.surface.triangles.len() == boundary.cell.len());
        let _ = (topology::cell_neighbours(&mesh), topology::components_by_faces(&mesh));
        let vertices = reorder::cuthill_mckee(&mesh);
        let moved = reorder::reordered(&mesh, &vertices, &reorder::hilbert_cells(&mesh));
        prop_assert_eq!(topology::edges(&moved).len(), topology::edges(&mesh).len());
        prop_assert_eq!(topology::components(&moved).count, topology::components(&mesh).count);
    }

    #[test]
    fn surfaces(mesh in mesh()) {
        let triangles = mesh.cells.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
        let surface = SurfaceMesh::new(mesh.vertices, triangles);
        let options = Options::default();
        let _ = check_surface(&surface, &options);
        let fixed = fix_surface(&surface, &options);
        prop_assert!(fixed.surface.triangles.len() <= surface.triangles.len());
        prop_assert!(fixed.left.find(ProblemKind::Invalid).is_none());
        prop_assert!(fixed.left.find(ProblemKind::RepeatedVertex).is_none());
        prop_assert!(fixed.left.find(ProblemKind::DuplicateElements).is_none());
    }
}

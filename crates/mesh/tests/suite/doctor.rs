//! The doctor finds each kind of broken volume mesh, by count and first index, and repairs it.

use crate::boxes;

use boxes::{hex_box, tet_box};
use pliant_mesh::doctor::{Diagnosis, Item, Options, ProblemKind, check, fix};
use pliant_mesh::{CellType, NO_REGION, NamedSet, Note, Region, VolumeMesh, measure};

use ProblemKind as Kind;

fn examine(mesh: &VolumeMesh) -> Diagnosis {
    check(mesh, &Options::default())
}

/// The kinds found, and of one kind the count and the first.
fn found(diagnosis: &Diagnosis) -> Vec<(Kind, usize, usize)> {
    diagnosis.problems.iter().map(|p| (p.kind, p.count, p.first)).collect()
}

/// Repairs, and asserts what was done and that nothing is left.
fn healed(mesh: &VolumeMesh, done: &[(Kind, usize)]) -> VolumeMesh {
    let fixed = fix(mesh, &Options::default());
    let actions: Vec<_> = fixed.done.iter().map(|a| (a.kind, a.count)).collect();
    assert_eq!(actions, done);
    assert_eq!(found(&fixed.left), []);
    assert_eq!(fixed.mesh.validate(), Ok(()));
    fixed.mesh
}

fn one_tet(points: [[f64; 3]; 4]) -> VolumeMesh {
    VolumeMesh::new(CellType::Tet4, points.to_vec(), vec![0, 1, 2, 3])
}

#[test]
fn healthy_meshes_are_ok() {
    for mesh in [tet_box(2, 3, 2), hex_box(2, 3, 2)] {
        assert_eq!(examine(&mesh), Diagnosis { ok: true, problems: vec![] });
        assert_eq!(healed(&mesh, &[]), mesh);
    }
}

#[test]
fn inverted_elements_are_found_and_turned() {
    let good = tet_box(2, 1, 1);
    let mut mesh = good.clone();
    for c in [4, 7] {
        mesh.cells[4 * c..4 * c + 4].swap(1, 2);
    }
    let d = examine(&mesh);
    assert_eq!(found(&d), [(Kind::Inverted, 2, 4)]);
    assert!(!d.ok && d.problems[0].fixable && d.problems[0].item == Item::Element);
    assert!(d.problems[0].detail.starts_with("2 elements are inverted"));
    assert!((measure::volume(&healed(&mesh, &[(Kind::Inverted, 2)])) - 2.0).abs() < 1e-14);
    // What an importer repaired is told all the same.
    let mut d = examine(&good);
    d.add_notes(&[Note::Reoriented { count: 2, first: 4 }, Note::Skipped("x".into())]);
    assert_eq!(found(&d), [(Kind::Inverted, 2, 4)]);
    assert!(!d.ok);
}

#[test]
fn folded_hexahedra_are_found_and_left() {
    let mut mesh = hex_box(1, 1, 1);
    mesh.vertices[7] = [0.2, 0.2, 0.2];
    assert_eq!(found(&examine(&mesh)), [(Kind::Folded, 1, 0)]);
    assert_eq!(fix(&mesh, &Options::default()).mesh, mesh);
}

#[test]
fn flat_elements_are_found_and_left() {
    let mut mesh = tet_box(1, 1, 1);
    let flat = [0, 1, 2, 3].map(|i| 8 + i);
    mesh.vertices.extend([[3.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 1.0, 0.0], [3.0, 1.0, 0.0]]);
    mesh.cells.extend(flat);
    let d = examine(&mesh);
    assert_eq!(d.find(Kind::Degenerate).map(|p| (p.count, p.first)), Some((1, 6)));
    assert!(!d.find(Kind::Degenerate).unwrap().fixable);
    assert_eq!(fix(&mesh, &Options::default()).mesh, mesh);
    // Flat is relative to the size of the element: a tiny one is not flat.
    let tiny = tet_box(1, 1, 1).vertices.iter().map(|p| p.map(|c| 1e-4 * c)).collect();
    let tiny = VolumeMesh { vertices: tiny, ..tet_box(1, 1, 1) };
    assert!(examine(&tiny).ok);
}

#[test]
fn elements_that_name_a_vertex_twice_are_removed() {
    let mut mesh = tet_box(1, 1, 1);
    mesh.cells.splice(0..0, [0, 0, 3, 7]);
    mesh.cell_sets.push(NamedSet::new("set", vec![0, 2]));
    assert_eq!(found(&examine(&mesh)), [(Kind::RepeatedVertex, 1, 0)]);
    let good = healed(&mesh, &[(Kind::RepeatedVertex, 1)]);
    assert_eq!(good.cells, tet_box(1, 1, 1).cells);
    assert_eq!(good.cell_sets[0].items, [1]);
}

#[test]
fn a_hexahedron_collapsed_to_a_wedge_keeps_its_volume() {
    let mut mesh = hex_box(2, 1, 1);
    let n = mesh.cell(1).to_vec();
    (mesh.cells[8 + 1], mesh.cells[8 + 5]) = (n[2], n[6]);
    let fixed = fix(&mesh, &Options::default());
    assert_eq!(fixed.mesh.cell_count(), 2);
    assert_eq!(fixed.left.find(Kind::RepeatedVertex).map(|p| p.first), Some(1));
    assert!((measure::volume(&fixed.mesh) - 1.5).abs() < 1e-14);
}

#[test]
fn duplicate_and_close_vertices_are_merged() {
    // The second box written with vertices of its own at the common side.
    for (shift, kind) in [(0.0, Kind::DuplicateVertices), (1e-10, Kind::CloseVertices)] {
        let mut mesh = tet_box(1, 1, 1);
        let other = tet_box(1, 1, 1);
        mesh.vertices.extend(other.vertices.iter().map(|p| [p[0] + 1.0 + shift, p[1], p[2]]));
        mesh.cells.extend(other.cells.iter().map(|v| v + 8));
        mesh.vertex_sets.push(NamedSet::new("middle", vec![8, 10, 12, 14]));
        let d = examine(&mesh);
        // Vertex 8 repeats vertex 1, and so on; the mesh falls apart there.
        assert_eq!(found(&d), [(kind, 4, 8), (Kind::Disconnected, 2, 6)], "{shift}");
        let good = healed(&mesh, &[(kind, 4)]);
        assert_eq!(good.vertex_count(), 12);
        assert_eq!(good.vertex_sets[0].items, [1, 3, 5, 7]);
        assert!((measure::volume(&good) - 2.0).abs() < 1e-9);
    }
}

#[test]
fn vertices_at_an_honest_distance_are_not_close() {
    let mut mesh = tet_box(1, 1, 1);
    mesh.vertices.iter_mut().for_each(|p| p[2] *= 1e-3);
    let kinds: Vec<_> = examine(&mesh).problems.iter().map(|p| p.kind).collect();
    assert_eq!(kinds, [Kind::Slivers]);
}

#[test]
fn a_stray_vertex_far_away_does_not_merge_the_body() {
    let mut mesh = tet_box(2, 1, 1);
    mesh.vertices.push([1e12; 3]);
    let d = examine(&mesh);
    assert_eq!(d.find(Kind::CloseVertices), None);
    assert_eq!(healed(&mesh, &[(Kind::UnreferencedVertices, 1)]), tet_box(2, 1, 1));
}

#[test]
fn duplicate_elements_are_removed_and_their_sets_united() {
    let mut mesh = tet_box(1, 1, 1);
    let again = [mesh.cell(2)[1], mesh.cell(2)[2], mesh.cell(2)[0], mesh.cell(2)[3]];
    mesh.cells.extend(again);
    mesh.regions.push(Region { name: "all".into(), material: None });
    mesh.cell_region = vec![0, 0, NO_REGION, 0, 0, 0, 0];
    mesh.cell_sets.push(NamedSet::new("copy", vec![6]));
    let d = examine(&mesh);
    assert_eq!(found(&d), [(Kind::DuplicateElements, 1, 6), (Kind::WithoutRegion, 1, 2)]);
    let good = healed(&mesh, &[(Kind::DuplicateElements, 1)]);
    assert_eq!(good.cells, tet_box(1, 1, 1).cells);
    assert_eq!(good.cell_sets[0].items, [2]);
    assert_eq!(good.cell_region, [0; 6]);
}

#[test]
fn unreferenced_vertices_are_removed_and_sets_follow() {
    let mut mesh = tet_box(1, 1, 1);
    mesh.vertices.insert(3, [0.5, 0.5, 0.1]);
    mesh.vertices.push([0.5, 0.5, 0.9]);
    mesh.cells.iter_mut().filter(|v| **v >= 3).for_each(|v| *v += 1);
    mesh.vertex_sets.push(NamedSet::new("some", vec![2, 3, 8]));
    mesh.vertex_sets.push(NamedSet::new("loose", vec![9]));
    assert_eq!(found(&examine(&mesh)), [(Kind::UnreferencedVertices, 2, 3)]);
    let good = healed(&mesh, &[(Kind::UnreferencedVertices, 2), (Kind::EmptySets, 1)]);
    assert_eq!(good.vertices, tet_box(1, 1, 1).vertices);
    assert_eq!(good.vertex_sets, [NamedSet::new("some", vec![2, 7])]);
}

#[test]
fn bodies_that_touch_in_an_edge_or_a_point_are_found() {
    // Cubes 0 and 3 of four touch along the edge x = y = 1, cubes 0 and 7 of eight in the middle.
    let pick = |mesh: &VolumeMesh, cells: [usize; 2]| {
        let cells = cells.into_iter().flat_map(|c| mesh.cell(c).to_vec()).collect();
        let loose = VolumeMesh::new(CellType::Hex8, mesh.vertices.clone(), cells);
        fix(&loose, &Options::default()).mesh
    };
    let hinge = pick(&hex_box(2, 2, 1), [0, 3]);
    let d = examine(&hinge);
    let edge = hinge.vertices.iter().position(|p| *p == [1.0, 1.0, 0.0]).unwrap();
    assert_eq!(found(&d), [(Kind::NonManifoldEdges, 1, edge)]);
    let joint = pick(&hex_box(2, 2, 2), [0, 7]);
    let d = examine(&joint);
    let point = joint.vertices.iter().position(|p| *p == [1.0; 3]).unwrap();
    assert_eq!(found(&d), [(Kind::NonManifoldVertices, 1, point)]);
    assert!(!d.ok && !d.problems[0].fixable);
}

#[test]
fn a_face_of_three_elements_is_found() {
    let mut mesh = one_tet([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    mesh.vertices.extend([[0.3, 0.3, -1.0], [0.4, 0.4, 0.8]]);
    mesh.cells.extend([0, 2, 1, 4]);
    mesh.cells.extend([0, 1, 2, 5]);
    let d = examine(&mesh);
    assert_eq!(found(&d)[0], (Kind::NonManifoldFaces, 1, 2));
}

#[test]
fn parts_that_do_not_touch_are_counted() {
    let mut mesh = tet_box(1, 1, 1);
    mesh.vertices.extend(mesh.vertices.clone().iter().map(|p| [p[0] + 2.0, p[1], p[2]]));
    mesh.cells.extend(mesh.cells.clone().iter().map(|v| v + 8));
    let d = examine(&mesh);
    assert_eq!(found(&d), [(Kind::Disconnected, 2, 6)]);
    assert!(d.problems[0].detail.contains("of 6 to 6 elements"));
}

#[test]
fn slivers_are_found_by_their_angle() {
    let sliver = |h: f64| one_tet([[0.0, 0.0, h], [0.0, 1.0, 0.0], [1.0, 1.0, h], [1.0, 0.0, 0.0]]);
    // At the sides the faces meet at nearly h √2 · √2 = 2 h.
    let d = examine(&sliver(0.04));
    assert_eq!(found(&d), [(Kind::Slivers, 1, 0)]);
    assert!(d.problems[0].detail.contains("from 4.58°"), "{}", d.problems[0].detail);
    assert!(examine(&sliver(0.1)).ok);
    let strict = Options { sliver_angle: 20.0, ..Options::default() };
    assert!(!check(&sliver(0.1), &strict).ok);
}

#[test]
fn wild_sizes_get_a_hint_and_stay_ok() {
    for (size, wild) in [(999.0, false), (1000.0, true), (1.01e-6, false), (1e-6, true)] {
        let mut mesh = tet_box(1, 1, 1);
        mesh.vertices.iter_mut().for_each(|p| *p = p.map(|c| c * size));
        let d = examine(&mesh);
        assert_eq!(d.find(Kind::UnitScale).is_some(), wild, "{size}");
        assert!(d.ok);
    }
}

#[test]
fn empty_regions_and_sets_are_removed() {
    let mut mesh = tet_box(1, 1, 1);
    let region = |name: &str| Region { name: name.into(), material: None };
    mesh.regions = vec![region("none"), region("all")];
    mesh.cell_region = vec![1; 6];
    mesh.cell_sets.push(NamedSet::new("full", vec![0]));
    mesh.vertex_sets.push(NamedSet::new("bare", vec![]));
    let d = examine(&mesh);
    assert_eq!(found(&d), [(Kind::EmptyRegions, 1, 0), (Kind::EmptySets, 1, 1)]);
    assert!(d.ok && d.problems[0].detail.contains("'none'"));
    assert!(d.problems[1].detail.contains("'bare'"));
    let good = healed(&mesh, &[(Kind::EmptySets, 1), (Kind::EmptyRegions, 1)]);
    assert_eq!((good.regions, good.cell_region), (vec![region("all")], vec![0; 6]));
}

#[test]
fn vertices_that_are_not_finite_and_broken_tables_are_named() {
    let mut mesh = tet_box(1, 1, 1);
    mesh.vertices[5][1] = f64::NAN;
    mesh.vertices[6][0] = f64::INFINITY;
    assert_eq!(found(&examine(&mesh))[0], (Kind::NotFinite, 2, 5));
    mesh.cells[3] = 99;
    let d = examine(&mesh);
    assert_eq!(found(&d), [(Kind::Invalid, 1, 0)]);
    assert!(d.problems[0].detail.contains("vertex 99"));
    assert!(!fix(&mesh, &Options::default()).left.ok);
}

#[test]
fn meshes_without_elements_are_empty() {
    let mesh = VolumeMesh::new(CellType::Hex8, vec![], vec![]);
    assert_eq!(found(&examine(&mesh)), [(Kind::Empty, 1, 0)]);
    assert!(!fix(&mesh, &Options::default()).left.ok);
}

#[test]
fn names_of_kinds_are_kebab_case() {
    assert_eq!(Kind::Inverted.name(), "inverted");
    assert_eq!(Kind::DuplicateVertices.to_string(), "duplicate-vertices");
    assert_eq!(Kind::NonManifoldEdges.name(), "non-manifold-edges");
}

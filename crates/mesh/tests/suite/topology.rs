//! Edges, faces, boundaries, neighbours and parts of small meshes, counted by hand.

use crate::boxes;

use boxes::{hex_box, tet_box};
use pliant_algebra::vec3::{Vec3, lerp};
use pliant_mesh::cell::{TET_EDGES, TET_FACES};
use pliant_mesh::topology::{
    boundary, boundary_faces, cell_neighbours, components, components_by_faces, edges, faces,
    surface_components, surface_edges, vertex_cells, vertex_couplings, vertex_neighbours,
};
use pliant_mesh::{CellType, SurfaceMesh, VolumeMesh, measure};

/// Tet10 with straight sides from any tet4.
fn quadratic(mesh: &VolumeMesh) -> VolumeMesh {
    let list = edges(mesh);
    let mut vertices = mesh.vertices.clone();
    for &[a, b] in &list {
        let (p, q) = (mesh.vertices[a as usize], mesh.vertices[b as usize]);
        vertices.push(std::array::from_fn(|i| 0.5 * (p[i] + q[i])));
    }
    let mut cells = Vec::new();
    for cell in mesh.cells() {
        cells.extend_from_slice(cell);
        for [a, b] in TET_EDGES {
            let key = [cell[a].min(cell[b]), cell[a].max(cell[b])];
            let index = list.binary_search(&key).unwrap();
            cells.push((mesh.vertex_count() + index) as u32);
        }
    }
    VolumeMesh::new(CellType::Tet10, vertices, cells)
}

#[test]
fn a_ball_has_the_euler_characteristic_of_a_ball() {
    for mesh in [tet_box(3, 2, 4), hex_box(3, 2, 4)] {
        let (v, e, f, c) =
            (mesh.vertex_count(), edges(&mesh).len(), faces(&mesh).len(), mesh.cell_count());
        assert_eq!(v as i64 - e as i64 + f as i64 - c as i64, 1);
    }
    // 3·2·4 cubes: edges along x, y, z.
    assert_eq!(edges(&hex_box(3, 2, 4)).len(), 3 * 3 * 5 + 4 * 2 * 5 + 4 * 3 * 4);
    assert_eq!(faces(&hex_box(3, 2, 4)).len(), 4 * 2 * 4 + 3 * 3 * 4 + 3 * 2 * 5);
}

#[test]
fn edges_are_sorted_and_unique() {
    let list = edges(&tet_box(2, 2, 2));
    assert!(list.is_sorted_by(|a, b| a < b));
    assert!(list.iter().all(|[a, b]| a < b));
    let one = VolumeMesh::new(CellType::Tet4, vec![[0.0; 3]; 4], vec![3, 1, 1, 0]);
    assert_eq!(edges(&one), [[0, 1], [0, 3], [1, 3]]);
}

#[test]
fn boundaries_enclose_the_volume_outward() {
    let tets = tet_box(3, 2, 1);
    let hex20 = pliant_mesh::refine::to_quadratic(&hex_box(3, 2, 1)).unwrap();
    for mesh in [tets.clone(), quadratic(&tets), hex_box(3, 2, 1), hex20.clone()] {
        let b = boundary(&mesh);
        assert_eq!(b.surface.validate(), Ok(()));
        assert!((b.surface.volume() - 6.0).abs() < 1e-13, "{}", mesh.cell_type);
        assert!((b.surface.area() - 22.0).abs() < 1e-13);
        assert!((measure::volume(&mesh) - 6.0).abs() < 1e-13);
        let report = surface_edges(&b.surface);
        assert!(report.is_closed() && report.is_manifold() && report.is_oriented());
        assert!(b.vertex_map.is_sorted_by(|a, b| a < b));
        for (s, &v) in b.vertex_map.iter().enumerate() {
            assert_eq!(b.surface.vertices[s], mesh.vertices[v as usize]);
        }
        for (t, &c) in b.surface.triangles.iter().zip(&b.cell) {
            let nodes = mesh.cell(c as usize);
            assert!(t.iter().all(|&v| nodes.contains(&b.vertex_map[v as usize])));
        }
    }
    // 22 unit squares: two triangles each, and four times as many through middle nodes.
    assert_eq!(boundary(&tets).surface.triangles.len(), 44);
    assert_eq!(boundary(&quadratic(&tets)).surface.triangles.len(), 176);
    assert_eq!(boundary(&hex20).surface.triangles.len(), 132);
    assert_eq!(boundary_faces(&hex_box(3, 2, 1)).sides.len(), 22);
    // Middle nodes of faces lie midway between the corners around them.
    for side in boundary_faces(&hex20).sides {
        let x: Vec<Vec3> = side.nodes(&hex20).map(|v| hex20.vertices[v as usize]).collect();
        for k in 0..4 {
            assert_eq!(x[4 + k], lerp(x[k], x[(k + 1) % 4], 0.5));
        }
    }
}

#[test]
fn inner_vertices_are_not_on_the_boundary() {
    let b = boundary(&hex_box(2, 2, 2));
    assert_eq!(b.vertex_map.len(), 26);
    assert!(!b.vertex_map.contains(&13));
    // Each quadrilateral is cut from its lowest vertex.
    for pair in b.surface.triangles.chunks(2) {
        assert_eq!(pair[0][0], pair[1][0]);
        assert!(pair.as_flattened().iter().all(|&v| v >= pair[0][0]));
    }
}

#[test]
fn a_collapsed_hexahedron_is_bounded_as_a_wedge() {
    let mut mesh = hex_box(1, 1, 1);
    mesh.cells[2] = mesh.cells[3];
    mesh.cells[6] = mesh.cells[7];
    let b = boundary(&mesh);
    assert_eq!(b.surface.triangles.len(), 8);
    assert!((b.surface.volume() - 0.5).abs() < 1e-15);
    assert!(surface_edges(&b.surface).is_closed());
}

#[test]
fn neighbours_are_mutual_and_share_the_face() {
    let mesh = tet_box(2, 2, 2);
    let across = cell_neighbours(&mesh);
    let mut open = 0;
    for (side, &other) in across.iter().enumerate() {
        let (cell, face) = (side / 4, side % 4);
        if other == u32::MAX {
            open += 1;
            continue;
        }
        let theirs = &across[other as usize * 4..other as usize * 4 + 4];
        assert!(theirs.contains(&(cell as u32)));
        let corners = TET_FACES[face].map(|i| mesh.cell(cell)[i]);
        assert!(corners.iter().all(|v| mesh.cell(other as usize).contains(v)));
    }
    assert_eq!(open, 48);
    assert_eq!(cell_neighbours(&hex_box(2, 1, 1)).iter().filter(|&&c| c != u32::MAX).count(), 2);
}

#[test]
fn faces_name_their_one_or_two_cells() {
    let list = faces(&hex_box(2, 1, 1));
    let inner: Vec<usize> = (0..list.len()).filter(|&f| list.cells(f).1.is_some()).collect();
    assert_eq!(inner.len(), 1);
    assert_eq!(list.cells(inner[0]), (0, Some(1)));
    let mut corners = list.face(inner[0]).to_vec();
    corners.sort_unstable();
    assert_eq!(corners, [1, 4, 7, 10]);
}

#[test]
fn vertex_rows_hold_neighbours_couplings_and_cells() {
    let hex = hex_box(2, 2, 2);
    assert_eq!(vertex_neighbours(&hex).of(13), [4, 10, 12, 14, 16, 22]);
    assert_eq!(vertex_couplings(&hex).of(13).len(), 26);
    assert_eq!(vertex_cells(&hex).of(13), [0, 1, 2, 3, 4, 5, 6, 7]);
    let tets = tet_box(2, 2, 2);
    assert_eq!(vertex_neighbours(&tets), vertex_couplings(&tets));
    assert_eq!(vertex_neighbours(&tets).items.len(), 2 * edges(&tets).len());
    let ten = quadratic(&tet_box(1, 1, 1));
    let rows = vertex_neighbours(&ten);
    // A middle node lies between two corners; every edge of a corner leads to a middle node.
    assert!((8..ten.vertex_count()).all(|v| rows.of(v).len() == 2 && rows.of(v)[1] < 8));
    let around_corner: usize = (0..8).map(|v| rows.of(v).len()).sum();
    assert_eq!(around_corner, 2 * edges(&ten).len());
    let bent = VolumeMesh::new(CellType::Tet4, vec![[0.0; 3]; 5], vec![4, 1, 4, 0]);
    assert_eq!(vertex_cells(&bent).of(4), [0]);
    assert_eq!(vertex_neighbours(&bent).of(4), [0, 1]);
    assert!(vertex_neighbours(&bent).of(2).is_empty());
}

/// Two unit boxes, the second moved and with its first vertices shared as told.
fn two_boxes(shared: &[(u32, u32)]) -> VolumeMesh {
    let mut mesh = tet_box(1, 1, 1);
    mesh.vertices.extend(mesh.vertices.clone().iter().map(|p| p.map(|c| c + 1.0)));
    let second = mesh.cells.iter().map(|v| v + 8).collect::<Vec<_>>();
    mesh.cells.extend(
        second
            .iter()
            .map(|v| shared.iter().find(|(theirs, _)| theirs == v).map_or(*v, |&(_, ours)| ours)),
    );
    mesh
}

#[test]
fn parts_are_counted_by_vertices_and_by_faces() {
    let apart = components(&two_boxes(&[]));
    assert_eq!((apart.count, apart.sizes()), (2, vec![6, 6]));
    assert_eq!((apart.label[0], apart.label[6]), (0, 1));
    let touching = two_boxes(&[(8, 7)]);
    assert_eq!(components(&touching).count, 1);
    assert_eq!(components_by_faces(&touching).count, 2);
    assert_eq!(components_by_faces(&tet_box(3, 1, 1)).count, 1);
    assert_eq!(surface_components(&boundary(&two_boxes(&[])).surface).count, 2);
    assert_eq!(components(&VolumeMesh::new(CellType::Tet4, vec![], vec![])).count, 0);
}

#[test]
fn surfaces_report_open_crowded_and_contrary_edges() {
    let tet = || boundary(&tet_box(1, 1, 1)).surface;
    assert_eq!(surface_edges(&tet()).count, 18);
    let mut open = tet();
    let removed = open.triangles.remove(0);
    let report = surface_edges(&open);
    assert_eq!(report.open.len(), 3);
    assert!(report.open.iter().flatten().all(|v| removed.contains(v)));
    assert!(report.is_manifold() && report.is_oriented() && !report.is_closed());
    let mut contrary = tet();
    contrary.triangles[4].swap(0, 1);
    let report = surface_edges(&contrary);
    assert_eq!(report.inconsistent.len(), 3);
    assert!(report.is_closed() && report.is_manifold());
    let mut fin = tet();
    let [a, b, _] = fin.triangles[0];
    fin.vertices.push([5.0; 3]);
    fin.triangles.push([a, b, 8]);
    let report = surface_edges(&fin);
    assert_eq!(report.non_manifold, [[a.min(b), a.max(b)]]);
    assert_eq!(report.open.len(), 2);
    // Two boxes that touch in one vertex: closed, but pinched there.
    let pinched = boundary(&two_boxes(&[(8, 7)]));
    let report = surface_edges(&pinched.surface);
    assert_eq!(report.non_manifold_vertices, [7]);
    assert!(report.is_closed() && report.non_manifold.is_empty());
    // A triangle that names a vertex twice counts for nothing.
    let flat = SurfaceMesh::new(vec![[0.0; 3]; 3], vec![[0, 1, 1]]);
    assert_eq!(surface_edges(&flat).count, 0);
}

//! Orders of vertices and cells: what they bring, and that nothing is lost.

use crate::boxes;

use boxes::{hex_box, shuffled, tet_box};
use pliant_mesh::reorder::{
    Permutation, bandwidth, cells_by_lowest_vertex, cuthill_mckee, hilbert_cells, hilbert_key,
    hilbert_vertices, mean_index_distance, reordered,
};
use pliant_mesh::{CellType, NO_REGION, NamedSet, Region, VolumeMesh, measure};

fn mixed_up(mesh: &VolumeMesh) -> VolumeMesh {
    let vertices = Permutation::from_new_to_old(shuffled(mesh.vertex_count())).unwrap();
    let cells = Permutation::from_new_to_old(shuffled(mesh.cell_count())).unwrap();
    reordered(mesh, &vertices, &cells)
}

#[test]
fn consecutive_points_of_the_hilbert_curve_are_neighbours() {
    for bits in 1..=4 {
        let n = 1u32 << bits;
        let mut curve = vec![None; (n * n * n) as usize];
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    let key = hilbert_key([x, y, z], bits) as usize;
                    assert_eq!(curve[key].replace([x, y, z]), None, "each key once");
                }
            }
        }
        for pair in curve.windows(2) {
            let (a, b) = (pair[0].unwrap(), pair[1].unwrap());
            let distance: u32 = (0..3).map(|i| a[i].abs_diff(b[i])).sum();
            assert_eq!(distance, 1, "{a:?} {b:?}");
        }
    }
}

#[test]
fn the_finest_hilbert_curve_uses_all_its_bits() {
    let last = (1 << 21) - 1;
    let keys = [[0, 0, 0], [last, 0, 0], [0, last, 0], [0, 0, last], [last; 3]]
        .map(|p| hilbert_key(p, 21));
    assert_eq!(keys[0], 0);
    assert!(keys.iter().all(|&k| k < 1 << 63));
    assert_eq!(*keys.iter().max().unwrap(), (1 << 63) - 1, "the curve ends at a corner");
}

#[test]
fn permutations_invert_and_refuse_what_is_none() {
    let p = Permutation::from_new_to_old(shuffled(50)).unwrap();
    let data: Vec<u32> = (100..150).collect();
    assert_ne!(p.apply(&data), data);
    assert_eq!(p.inverse().apply(&p.apply(&data)), data);
    for (new, &old) in p.new_to_old().iter().enumerate() {
        assert_eq!(p.old_to_new()[old as usize] as usize, new);
    }
    assert!(Permutation::from_new_to_old(vec![0, 1, 1]).is_err());
    assert!(Permutation::from_new_to_old(vec![0, 1, 3]).is_err());
    assert!(Permutation::identity(0).is_empty());
}

#[test]
fn cuthill_mckee_brings_a_mixed_up_bar_to_the_bandwidth_of_its_section() {
    for mesh in [tet_box(20, 3, 3), hex_box(20, 3, 3)] {
        let mixed = mixed_up(&mesh);
        assert!(bandwidth(&mixed) > 250, "{}", bandwidth(&mixed));
        let order = cuthill_mckee(&mixed);
        let better = reordered(&mixed, &order, &cells_by_lowest_vertex(&mixed, &order));
        // A section has 16 vertices; the best order of the hexahedra, by sections, gives 31.
        assert!(bandwidth(&better) <= 40, "{}", bandwidth(&better));
        assert_eq!(order, cuthill_mckee(&mixed));
    }
}

#[test]
fn cuthill_mckee_serves_all_parts_and_lone_vertices() {
    let mut mesh = tet_box(2, 1, 1);
    let (n, other) = (mesh.vertex_count() as u32, tet_box(1, 3, 1));
    mesh.vertices.push([9.0; 3]);
    mesh.vertices.extend(other.vertices.iter().map(|p| [p[0] + 20.0, p[1], p[2]]));
    mesh.cells.extend(other.cells.iter().map(|v| v + n + 1));
    let order = cuthill_mckee(&mesh);
    assert!(Permutation::from_new_to_old(order.new_to_old().to_vec()).is_ok());
    assert_eq!(order.len(), mesh.vertex_count());
    let better = reordered(&mesh, &order, &Permutation::identity(mesh.cell_count()));
    assert!(bandwidth(&better) <= 8, "{}", bandwidth(&better));
}

#[test]
fn hilbert_order_shortens_the_way_between_neighbours() {
    let mixed = mixed_up(&tet_box(8, 8, 8));
    let (vertices, cells) = (hilbert_vertices(&mixed), hilbert_cells(&mixed));
    let better = reordered(&mixed, &vertices, &cells);
    let (before, after) = (mean_index_distance(&mixed), mean_index_distance(&better));
    assert!(before > 230.0, "{before}");
    assert!(after < 60.0, "{after}");
    // Cells follow each other through space: consecutive ones are close in index too.
    let jump = |m: &VolumeMesh| {
        let low = |c: usize| i64::from(*m.cell(c).iter().min().unwrap());
        (1..m.cell_count()).map(|c| (low(c) - low(c - 1)).abs()).sum::<i64>()
    };
    assert!(jump(&better) * 5 < jump(&mixed));
}

#[test]
fn mean_index_distance_of_one_tetrahedron_is_known() {
    let mesh = VolumeMesh::new(CellType::Tet4, vec![[0.0; 3]; 4], vec![0, 1, 2, 3]);
    // 1 + 1 + 1 + 2 + 2 + 3 over six edges.
    assert_eq!(mean_index_distance(&mesh), 10.0 / 6.0);
    assert_eq!(bandwidth(&mesh), 3);
}

#[test]
fn reordering_carries_regions_and_sets_and_keeps_the_body() {
    let mut mesh = tet_box(2, 2, 1);
    let n = mesh.cell_count();
    mesh.regions = vec![
        Region { name: "left".into(), material: None },
        Region { name: "right".into(), material: None },
    ];
    let left =
        |m: &VolumeMesh, c: usize| m.cell(c).iter().all(|&v| m.vertices[v as usize][0] < 1.5);
    mesh.cell_region = (0..n).map(|c| u32::from(!left(&mesh, c))).collect();
    mesh.cell_region[3] = NO_REGION;
    mesh.cell_sets.push(NamedSet::new("some", vec![1, 5, 7]));
    mesh.vertex_sets.push(NamedSet::new("bottom", (0..9).collect()));
    let (vertices, cells) = (
        Permutation::from_new_to_old(shuffled(mesh.vertex_count())).unwrap(),
        Permutation::from_new_to_old(shuffled(n)).unwrap(),
    );
    let moved = reordered(&mesh, &vertices, &cells);
    assert_eq!(moved.validate(), Ok(()));
    assert_ne!(moved, mesh);
    for c in 0..n {
        match moved.region_of(c) {
            Some(region) => assert_eq!(region == 0, left(&moved, c)),
            None => assert_eq!(cells.new_to_old()[c], 3),
        }
    }
    assert!(moved.vertex_sets[0].items.iter().all(|&v| moved.vertices[v as usize][2] == 0.0));
    assert_eq!(moved.vertex_sets[0].items.len(), 9);
    assert!((measure::volume(&moved) - 4.0).abs() < 1e-14);
    let back = reordered(&moved, &vertices.inverse(), &cells.inverse());
    assert_eq!(back, mesh);
}

#[test]
fn orders_survive_hostile_coordinates() {
    let mut mesh = tet_box(1, 1, 1);
    for (v, x) in [(0, f64::MAX), (1, f64::MIN), (2, f64::NAN), (3, 5e-324), (4, f64::INFINITY)] {
        mesh.vertices[v] = [x; 3];
    }
    for order in [hilbert_vertices(&mesh), hilbert_cells(&mesh), cuthill_mckee(&mesh)] {
        assert!(Permutation::from_new_to_old(order.new_to_old().to_vec()).is_ok());
    }
    let empty = VolumeMesh::new(CellType::Hex8, vec![], vec![]);
    assert!(hilbert_vertices(&empty).is_empty() && cuthill_mckee(&empty).is_empty());
    assert_eq!(bandwidth(&empty), 0);
    assert_eq!(mean_index_distance(&empty), 0.0);
}

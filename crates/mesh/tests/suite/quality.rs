//! Quality of known cells.

use crate::boxes;

use boxes::{hex_box, tet_box};
use pliant_algebra::vec3::lerp;
use pliant_mesh::quality::{
    CellQuality, cell, hex_quality, hex20_quality, min_quality, summary, tet_quality, tet10_quality,
};
use pliant_mesh::refine::to_quadratic;
use pliant_mesh::{CellType, VolumeMesh};

const REGULAR: [[f64; 3]; 4] =
    [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]];

fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-13 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn regular_tetrahedron_is_best_at_every_size() {
    for size in [1.0, 1e-200, 1e200] {
        let q = tet_quality(REGULAR.map(|p| p.map(|c| c * size)));
        assert_close(q.min_dihedral, (1f64 / 3.0).acos().to_degrees());
        assert_close(q.max_dihedral, q.min_dihedral);
        assert_close(q.radius_ratio, 1.0);
        assert_close(q.scaled_jacobian, 1.0);
        assert_close(q.aspect, 1.0);
        assert_close(q.shortest_edge / (8f64.sqrt() * size), 1.0);
        assert_close(q.longest_edge / (8f64.sqrt() * size), 1.0);
        assert_close(q.relative_volume, 1.0 / 72f64.sqrt());
    }
}

#[test]
fn inverted_tetrahedron_is_negative_but_has_the_same_angles() {
    let [a, b, c, d] = REGULAR;
    let q = tet_quality([a, c, b, d]);
    assert_close(q.scaled_jacobian, -1.0);
    assert_close(q.relative_volume, -1.0 / 72f64.sqrt());
    assert_close(q.min_dihedral, tet_quality(REGULAR).min_dihedral);
    assert_close(q.radius_ratio, 1.0);
}

#[test]
fn corner_tetrahedron_has_its_known_values() {
    let q = tet_quality([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_close(q.max_dihedral, 90.0);
    assert_close(q.min_dihedral, 2f64.sqrt().atan().to_degrees());
    assert_close(q.radius_ratio, 3f64.sqrt() - 1.0);
    // √2 / (1 · √2 · √2): the greatest product of edges is at an outer corner.
    assert_close(q.scaled_jacobian, 0.5f64.sqrt());
    assert_close(q.aspect, 0.5);
}

#[test]
fn slivers_have_small_and_large_angles_and_little_ratio() {
    let h = 1e-3;
    let q = tet_quality([[0.0, 0.0, h], [1.0, 1.0, h], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    // The faces at the two diagonals make nearly 180°, those at the four sides nearly 0°.
    assert_close(q.max_dihedral, 2.0 * (0.5f64.sqrt() / h).atan().to_degrees());
    assert!(q.min_dihedral < 0.2 && q.min_dihedral > 0.1);
    assert!(q.radius_ratio < 1e-2 && q.scaled_jacobian.abs() < 3e-3);
}

#[test]
fn cube_is_the_best_hexahedron() {
    let q = cell(&hex_box(1, 1, 1), 0);
    for (value, best) in [
        (q.min_dihedral, 90.0),
        (q.max_dihedral, 90.0),
        (q.radius_ratio, 1.0),
        (q.scaled_jacobian, 1.0),
        (q.aspect, 1.0),
        (q.relative_volume, 1.0),
    ] {
        assert_close(value, best);
    }
}

#[test]
fn sheared_hexahedron_has_the_sine_of_its_angle() {
    let mut mesh = hex_box(1, 1, 1);
    let angle = 60f64.to_radians();
    for p in &mut mesh.vertices {
        *p = [p[0] + p[1] * angle.cos(), p[1] * angle.sin(), p[2]];
    }
    let q = cell(&mesh, 0);
    assert_close(q.scaled_jacobian, angle.sin());
    assert_close(q.min_dihedral, 60.0);
    assert_close(q.max_dihedral, 120.0);
    assert!(q.radius_ratio < 1.0);
}

#[test]
fn folded_hexahedron_is_found_at_its_corner() {
    let mut mesh = hex_box(1, 1, 1);
    // Corner 6 pushed through the middle of the cube.
    mesh.vertices[7] = [0.2, 0.2, 0.2];
    let q = cell(&mesh, 0);
    assert!(q.scaled_jacobian < 0.0 && q.relative_volume > 0.0);
}

#[test]
fn straight_tet10_is_as_good_as_its_corners_and_a_bent_one_is_not() {
    let mut p = [[0.0; 3]; 10];
    p[..4].copy_from_slice(&REGULAR);
    for (i, [a, b]) in pliant_mesh::cell::TET_EDGES.into_iter().enumerate() {
        p[4 + i] = std::array::from_fn(|k| 0.5 * (p[a][k] + p[b][k]));
    }
    assert_close(tet10_quality(p).scaled_jacobian, 1.0);
    let mut bent = p;
    bent[4] = std::array::from_fn(|k| 0.9 * p[0][k] + 0.1 * p[1][k]);
    assert!(tet10_quality(bent).scaled_jacobian < 0.0);
    assert_close(tet10_quality(bent).radius_ratio, 1.0);
}

#[test]
fn straight_hex20_is_as_good_as_its_corners_and_a_bent_one_is_not() {
    let straight = to_quadratic(&hex_box(1, 1, 1)).unwrap();
    assert_close(cell(&straight, 0).scaled_jacobian, 1.0);
    let mut bent = straight.clone();
    let (first, middle) = (straight.cells[0] as usize, straight.cells[8] as usize);
    // The middle of an edge beyond a quarter of it folds the map at the corner.
    bent.vertices[middle] = lerp(straight.vertices[first], straight.vertices[middle], 0.4);
    let q = cell(&bent, 0);
    assert!(q.scaled_jacobian < 0.0 && q.relative_volume > 0.0, "{q:?}");
    bent.vertices[middle] = lerp(straight.vertices[first], straight.vertices[middle], 0.6);
    assert!(cell(&bent, 0).scaled_jacobian > 0.0);
}

#[test]
fn summary_finds_the_worst_cell_and_counts_all() {
    let mut mesh = tet_box(2, 2, 2);
    let victim = 17;
    mesh.cells[victim * 4..victim * 4 + 4].swap(1, 2);
    let q = summary(&mesh, 18);
    assert_eq!(q.scaled_jacobian.worst, Some(victim));
    assert_close(q.scaled_jacobian.min, -q.scaled_jacobian.max);
    assert_eq!(q.scaled_jacobian.min, min_quality(&mesh));
    assert_close(q.min_dihedral.min, 45.0);
    assert_close(q.max_dihedral.max, 90.0);
    assert_eq!(q.max_dihedral.worst, Some(0));
    assert_eq!(q.min_dihedral.histogram.counts.iter().sum::<usize>(), mesh.cell_count());
    assert_eq!(q.scaled_jacobian.histogram.counts.iter().sum::<usize>(), mesh.cell_count());
    assert_close(q.shortest_edge, 1.0);
    assert_close(q.longest_edge, 3f64.sqrt());
    assert!(q.radius_ratio.mean > 0.0 && q.radius_ratio.mean <= q.radius_ratio.max);
}

#[test]
fn hostile_cells_get_the_worst_values_and_never_nan() {
    let finite = |q: CellQuality| {
        [q.min_dihedral, q.max_dihedral, q.radius_ratio, q.scaled_jacobian, q.aspect]
            .into_iter()
            .chain([q.shortest_edge, q.longest_edge, q.relative_volume])
            .all(f64::is_finite)
    };
    let numbers = [0.0, 1.0, -1.0, f64::MAX, f64::MIN, 5e-324, 1e-200, f64::NAN, f64::INFINITY];
    let n = numbers.len();
    for seed in 0..3000usize {
        let pick = |i: usize| numbers[(seed * (i + 3) + i * i + seed / n) % n];
        let point = |i: usize| std::array::from_fn(|k| pick(3 * i + k));
        assert!(finite(tet_quality(std::array::from_fn(point))));
        assert!(finite(tet10_quality(std::array::from_fn(point))));
        assert!(finite(hex_quality(std::array::from_fn(point))));
        assert!(finite(hex20_quality(std::array::from_fn(point))));
    }
    assert_eq!(tet_quality([[2.0; 3]; 4]), CellQuality::WORST);
    let empty = VolumeMesh::new(CellType::Tet4, vec![], vec![]);
    assert_eq!(min_quality(&empty), 0.0);
    assert_eq!(summary(&empty, 4).aspect.worst, None);
    assert_eq!(summary(&empty, 0).aspect.mean, 0.0);
}

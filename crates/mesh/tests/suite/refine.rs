//! Octasection, splits of hexahedra, quadratic nodes.

use crate::conformity;

use std::collections::BTreeMap;

use conformity::{assert_conforming, smallest_angle, smallest_volume, volume};
use pliant_algebra::vec3::{Vec3, distance, lerp};
use pliant_mesh::cell::{HEX_CORNERS, HEX_EDGES, TET_EDGES};
use pliant_mesh::generate::{BoxShape, CellChoice, Cylinder, Sphere, Tube};
use pliant_mesh::refine::{Split, hex_to_tets, octasect, to_linear, to_quadratic};
use pliant_mesh::{CellType, ErrorKind, NO_REGION, NamedSet, Region, VolumeMesh};

fn unit_box(cells: usize, cell: CellChoice) -> VolumeMesh {
    BoxShape { cells: [cells; 3], cell, ..Default::default() }.generate().unwrap()
}

/// Numbers in [0, 1) from a multiplicative generator.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

fn single(points: [Vec3; 4]) -> VolumeMesh {
    VolumeMesh::new(CellType::Tet4, points.to_vec(), vec![0, 1, 2, 3])
}

fn random_tet(state: &mut u64) -> VolumeMesh {
    loop {
        let mut mesh = single([0; 4].map(|_| [0; 3].map(|_| random(state))));
        mesh.orient();
        if mesh.cell_volume(0) > 1e-3 {
            return mesh;
        }
    }
}

/// Edge lengths of every tetrahedron by opposite pairs, scaled by the cube root of the volume: equal
/// for similar tetrahedra. Counted to five digits.
fn similarity_classes(mesh: &VolumeMesh) -> BTreeMap<Vec<i64>, usize> {
    let mut classes = BTreeMap::new();
    for c in 0..mesh.cell_count() {
        let size = mesh.cell_volume(c).cbrt();
        let tet = mesh.tet(c);
        let length = |[a, b]: [usize; 2]| {
            let [p, q] = [tet[a], tet[b]].map(|v| mesh.vertices[v as usize]);
            (distance(p, q) / size * 1e5).round() as i64
        };
        let mut key: Vec<i64> = TET_EDGES.iter().map(|&e| length(e)).collect();
        key.sort_unstable();
        *classes.entry(key).or_insert(0) += 1;
    }
    classes
}

#[test]
fn cube_of_six_tetrahedra_stays_similar_to_itself_through_four_octasections() {
    let mut mesh = unit_box(1, CellChoice::Tet6);
    for count in [6, 48, 384, 3072, 24576] {
        assert_eq!(mesh.cell_count(), count);
        assert!((volume(&mesh) - 1.0).abs() < 1e-14);
        assert!((smallest_volume(&mesh) * count as f64 - 1.0).abs() < 1e-13);
        assert!((smallest_angle(&mesh) - 45.0).abs() < 1e-6);
        assert_eq!(similarity_classes(&mesh).len(), 1);
        if count < 24576 {
            let counts = assert_conforming(&mesh);
            assert_eq!((counts.euler, counts.boundary_euler), (1, 2));
            mesh = octasect(&mesh).unwrap().mesh;
        }
    }
}

#[test]
fn random_tetrahedra_give_at_most_three_shapes_over_five_octasections() {
    let mut state = 7;
    for _ in 0..6 {
        let mut mesh = random_tet(&mut state);
        let whole = mesh.cell_volume(0);
        let mut angle_at_two = 0.0;
        for level in 1..=5 {
            mesh = octasect(&mesh).unwrap().mesh;
            let part = whole / 8f64.powi(level);
            assert!(smallest_volume(&mesh) > part * (1.0 - 1e-10));
            if level == 2 {
                angle_at_two = smallest_angle(&mesh);
            }
        }
        assert!((volume(&mesh) / whole - 1.0).abs() < 1e-12);
        assert!((smallest_angle(&mesh) / angle_at_two - 1.0).abs() < 1e-6);
        // Rounding to five digits may tear a class in two; most of the cells tell.
        let classes = similarity_classes(&mesh);
        let large = classes.values().filter(|&&n| n > mesh.cell_count() / 100).count();
        assert!(large <= 3, "{large} shapes: {classes:?}");
    }
}

#[test]
fn order_of_the_nodes_does_not_make_octasection_negative_or_unbounded() {
    let mut state = 3;
    let tet = random_tet(&mut state);
    // All even orders of a positive tetrahedron.
    for order in
        [[0, 1, 2, 3], [1, 2, 0, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 0, 1, 3], [0, 3, 1, 2]]
    {
        let mut mesh = VolumeMesh::new(
            CellType::Tet4,
            tet.vertices.clone(),
            order.map(|i| tet.cells[i]).to_vec(),
        );
        let mut angles = Vec::new();
        for _ in 0..4 {
            mesh = octasect(&mesh).unwrap().mesh;
            assert!(smallest_volume(&mesh) > 0.0);
            angles.push(smallest_angle(&mesh));
        }
        assert!((angles[3] / angles[1] - 1.0).abs() < 1e-6, "{angles:?}");
    }
}

#[test]
fn parents_of_vertices_and_cells_are_where_they_say() {
    for mesh in [unit_box(2, CellChoice::Tet6), unit_box(2, CellChoice::Hex)] {
        let mesh = bent(mesh);
        let refined = octasect(&mesh).unwrap();
        assert_eq!(refined.vertex_parents.len(), refined.mesh.vertex_count());
        for (v, &[a, b]) in refined.vertex_parents.iter().enumerate() {
            let x = &refined.mesh.vertices;
            if v < mesh.vertex_count() {
                assert_eq!([a, b], [v as u32; 2]);
                assert_eq!(x[v], mesh.vertices[v]);
            } else {
                assert!(a < b && (b as usize) < v);
                assert_eq!(x[v], lerp(x[a as usize], x[b as usize], 0.5));
            }
        }
        let mut sum = vec![0.0; mesh.cell_count()];
        for (c, &p) in refined.cell_parent.iter().enumerate() {
            sum[p as usize] += refined.mesh.cell_volume(c);
        }
        for (c, sum) in sum.into_iter().enumerate() {
            assert!((sum / mesh.cell_volume(c) - 1.0).abs() < 1e-13);
        }
    }
}

/// Bends a mesh a little, so that no face of a hexahedron is plane.
fn bent(mut mesh: VolumeMesh) -> VolumeMesh {
    for x in &mut mesh.vertices {
        let [a, b, c] = *x;
        *x = [a + 0.1 * b * c, b + 0.05 * (3.0 * a * c).sin(), c + 0.1 * a * b];
    }
    mesh
}

#[test]
fn hexahedra_are_divided_at_their_trilinear_middle() {
    let mesh = bent(unit_box(1, CellChoice::Hex));
    let fine = octasect(&mesh).unwrap().mesh;
    assert_eq!((fine.cell_count(), fine.vertex_count()), (8, 27));
    let counts = assert_conforming(&fine);
    assert_eq!((counts.euler, counts.boundary_euler), (1, 2));
    let corners: Vec<Vec3> = mesh.cells.iter().map(|&v| mesh.vertices[v as usize]).collect();
    let trilinear = |xi: Vec3| {
        let mut x = [0.0; 3];
        for (p, s) in corners.iter().zip(HEX_CORNERS) {
            let w: f64 = (0..3).map(|i| 0.5 * (1.0 + s[i] * xi[i])).product();
            x = pliant_algebra::vec3::add_scaled(x, *p, w);
        }
        x
    };
    for (c, octant) in HEX_CORNERS.iter().enumerate() {
        for (i, corner) in HEX_CORNERS.iter().enumerate() {
            let xi = std::array::from_fn(|k| 0.5 * (octant[k] + corner[k]));
            let x = fine.vertices[fine.cell(c)[i] as usize];
            assert!(distance(x, trilinear(xi)) < 1e-15);
        }
    }
}

/// A mesh with regions, cell sets and vertex sets on every kind of cell.
fn with_sets(cell: CellChoice) -> VolumeMesh {
    let mut mesh = unit_box(2, cell);
    mesh.regions = vec![Region { name: "a".into(), material: None }];
    mesh.cell_region =
        (0..mesh.cell_count()).map(|c| if c % 3 == 0 { 0 } else { NO_REGION }).collect();
    mesh.cell_sets = vec![NamedSet::new("few", vec![1, 4])];
    mesh
}

#[test]
fn refinement_carries_regions_and_sets() {
    let [quadratic, hex20] =
        [CellChoice::Tet6, CellChoice::Hex].map(|cell| to_quadratic(&with_sets(cell)).unwrap());
    for mesh in [
        with_sets(CellChoice::Tet5),
        with_sets(CellChoice::Tet6),
        with_sets(CellChoice::Hex),
        quadratic,
        hex20,
    ] {
        let fine = octasect(&mesh).unwrap().mesh;
        fine.validate().unwrap();
        assert_eq!(fine.regions, mesh.regions);
        assert_eq!(fine.cell_region[3 * 8 + 5], 0);
        assert_eq!(fine.cell_region[4 * 8 + 5], NO_REGION);
        assert_eq!(fine.cell_sets[0].items, (8..16).chain(32..40).collect::<Vec<u32>>());
        for (set, (axis, at)) in fine.vertex_sets.iter().zip([
            (0, 0.0),
            (0, 1.0),
            (1, 0.0),
            (1, 1.0),
            (2, 0.0),
            (2, 1.0),
        ]) {
            let expected: Vec<u32> = (0..fine.vertex_count() as u32)
                .filter(|&v| fine.vertices[v as usize][axis] == at)
                .collect();
            assert_eq!(set.items, expected, "{}", set.name);
        }
    }
}

#[test]
fn quadratic_nodes_are_shared_middles_and_can_be_dropped() {
    let mesh = with_sets(CellChoice::Tet6);
    let quadratic = to_quadratic(&mesh).unwrap();
    // One node for each edge: V − E + F − C = 1, 4 C = 2 F − B.
    let (v, c, b) = (27, 48, 48);
    let edges = v + 2 * c + b / 2 - c - 1;
    assert_eq!(quadratic.vertex_count(), v + edges);
    for cell in quadratic.cells() {
        let x = |i: usize| quadratic.vertices[cell[i] as usize];
        for (i, [a, b]) in TET_EDGES.into_iter().enumerate() {
            assert_eq!(x(4 + i), lerp(x(a), x(b), 0.5));
        }
    }
    assert_eq!(to_linear(&quadratic).unwrap(), mesh);
    assert_eq!(to_quadratic(&quadratic).unwrap_err().kind(), ErrorKind::Unsupported);
    assert_eq!(to_linear(&mesh).unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn twenty_node_hexahedra_have_shared_middles_and_are_divided_along_their_map() {
    let mesh = with_sets(CellChoice::Hex);
    let quadratic = to_quadratic(&mesh).unwrap();
    assert_eq!(quadratic.cell_type, CellType::Hex20);
    // 3 × 3 lines of two edges along each axis.
    assert_eq!(quadratic.vertex_count(), 27 + 54);
    assert_eq!(to_linear(&quadratic).unwrap(), mesh);
    let map = |[x, y, z]: Vec3| [x + 0.2 * y * z, y + 0.1 * x * x, z - 0.15 * x * y];
    let mut flat = to_quadratic(&unit_box(1, CellChoice::Hex)).unwrap();
    let mut curved = flat.clone();
    curved.vertices.iter_mut().for_each(|x| *x = map(*x));
    for level in 1..3 {
        flat = octasect(&flat).unwrap().mesh;
        curved = octasect(&curved).unwrap().mesh;
        assert_eq!(flat.cells, curved.cells);
        assert_conforming(&flat);
        let n = 1 << level;
        assert_eq!(flat.vertex_count(), (n + 1) * (n + 1) * (n + 1) + 3 * n * (n + 1) * (n + 1));
        for (x, p) in curved.vertices.iter().zip(&flat.vertices) {
            assert!(distance(*x, map(*p)) < 1e-15);
        }
        for cell in flat.cells() {
            let x = |i: usize| flat.vertices[cell[i] as usize];
            for (i, [a, b]) in HEX_EDGES.into_iter().enumerate() {
                assert!(distance(x(8 + i), lerp(x(a), x(b), 0.5)) < 1e-15);
            }
        }
    }
}

#[test]
fn octasection_of_ten_node_tetrahedra_follows_the_curved_geometry() {
    // A quadratic map is reproduced exactly by quadratic nodes, before and after.
    let map = |[x, y, z]: Vec3| [x + 0.2 * y * z, y + 0.1 * x * x, z - 0.15 * x * y];
    let mut mesh = to_quadratic(&unit_box(1, CellChoice::Tet6)).unwrap();
    let mut flat = mesh.clone();
    for x in &mut mesh.vertices {
        *x = map(*x);
    }
    for _ in 0..2 {
        mesh = octasect(&mesh).unwrap().mesh;
        flat = octasect(&flat).unwrap().mesh;
        assert_eq!(mesh.cells, flat.cells);
        for (x, p) in mesh.vertices.iter().zip(&flat.vertices) {
            assert!(distance(*x, map(*p)) < 1e-15);
        }
        // Straight cells keep straight edges, and the corners are those of the linear rule.
        for cell in flat.cells() {
            let x = |i: usize| flat.vertices[cell[i] as usize];
            for (i, [a, b]) in TET_EDGES.into_iter().enumerate() {
                assert!(distance(x(4 + i), lerp(x(a), x(b), 0.5)) < 1e-15);
            }
        }
        assert!(smallest_volume(&mesh) > 0.0);
        assert_eq!(assert_conforming(&flat).euler, 1);
        let linear = to_linear(&flat).unwrap();
        assert!((smallest_angle(&linear) - 45.0).abs() < 1e-6);
    }
    assert_eq!(mesh.cell_count(), 6 * 64);
}

#[test]
fn hexahedra_split_into_conforming_positive_tetrahedra_of_the_same_volume() {
    for (split, parts) in [(Split::Five, 5), (Split::Six, 6)] {
        let hexes = BoxShape { cells: [3, 4, 2], cell: CellChoice::Hex, ..Default::default() };
        let hexes = hexes.generate().unwrap();
        let tets = hex_to_tets(&hexes, split).unwrap();
        assert_eq!(tets.cell_count(), parts * hexes.cell_count());
        assert!((volume(&tets) - 1.0).abs() < 1e-14);
        assert!(smallest_volume(&tets) > 0.0);
        assert_eq!(tets.vertex_sets, hexes.vertex_sets);
        let counts = assert_conforming(&tets);
        assert_eq!((counts.euler, counts.boundary_euler), (1, 2));
        for c in 0..hexes.cell_count() {
            let sum: f64 = (0..parts).map(|i| tets.cell_volume(c * parts + i)).sum();
            assert!((sum / hexes.cell_volume(c) - 1.0).abs() < 1e-13);
        }
    }
}

/// The 24 turns of a cube as permutations of its corners.
fn turns() -> Vec<[usize; 8]> {
    let about_z = [1, 2, 3, 0, 5, 6, 7, 4];
    let about_x = [3, 2, 6, 7, 0, 1, 5, 4];
    let mut all = vec![[0, 1, 2, 3, 4, 5, 6, 7]];
    let mut next = 0;
    while next < all.len() {
        for turn in [about_z, about_x] {
            let turned = turn.map(|i| all[next][i]);
            if !all.contains(&turned) {
                all.push(turned);
            }
        }
        next += 1;
    }
    assert_eq!(all.len(), 24);
    all
}

#[test]
fn splits_conform_whatever_the_numbering_and_the_turn_of_each_cell() {
    let hexes = unit_box(3, CellChoice::Hex);
    let turns = turns();
    let mut state = 11;
    for _ in 0..20 {
        let mut order: Vec<u32> = (0..hexes.vertex_count() as u32).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, (random(&mut state) * (i + 1) as f64) as usize);
        }
        let mut mesh = hexes.clone();
        for (old, &new) in order.iter().enumerate() {
            mesh.vertices[new as usize] = hexes.vertices[old];
        }
        mesh.cells = hexes
            .cells()
            .flat_map(|cell| {
                let turn = turns[(random(&mut state) * 24.0) as usize];
                turn.map(|i| order[cell[i] as usize])
            })
            .collect();
        mesh.vertex_sets.clear();
        for split in [Split::Five, Split::Six] {
            let tets = hex_to_tets(&mesh, split).unwrap();
            assert!((volume(&tets) - 1.0).abs() < 1e-14);
            let counts = assert_conforming(&tets);
            assert_eq!((counts.euler, counts.boundary_euler), (1, 2));
        }
    }
}

#[test]
fn ring_of_an_odd_number_of_cells_cannot_be_split_into_five() {
    let tube = |around, cell| Tube { around, cell, ..Default::default() }.generate();
    let error = tube(7, CellChoice::Tet5).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("split into six"), "{error}");
    for (around, cell) in [(8, CellChoice::Tet5), (7, CellChoice::Tet6)] {
        assert_eq!(assert_conforming(&tube(around, cell).unwrap()).euler, 0);
    }
}

#[test]
fn collapsed_hexahedra_give_fewer_tetrahedra() {
    // A wedge: the edges 23 and 67 are points.
    let mut mesh = unit_box(1, CellChoice::Hex);
    let c: Vec<u32> = mesh.cells.clone();
    mesh.cells = vec![c[0], c[1], c[2], c[2], c[4], c[5], c[6], c[6]];
    let wedge = hex_to_tets(&mesh, Split::Six).unwrap();
    assert_eq!(wedge.cell_count(), 3);
    assert!((volume(&wedge) - 0.5).abs() < 1e-15);
}

#[test]
fn inverted_hexahedra_are_refused_by_name() {
    let mut mesh = unit_box(2, CellChoice::Hex);
    let v = mesh.cell(5)[0] as usize;
    mesh.vertices[v] = [0.9, 0.9, 0.9];
    let error = hex_to_tets(&mesh, Split::Six).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Geometry);
    assert!(error.to_string().contains("hexahedron"), "{error}");
}

#[test]
fn invalid_meshes_are_errors() {
    let mut mesh = unit_box(1, CellChoice::Tet6);
    mesh.cells[3] = 99;
    assert_eq!(octasect(&mesh).unwrap_err().kind(), ErrorKind::Index);
    assert_eq!(to_quadratic(&mesh).unwrap_err().kind(), ErrorKind::Index);
    assert_eq!(hex_to_tets(&mesh, Split::Six).unwrap_err().kind(), ErrorKind::Index);
}

#[test]
fn curved_bodies_refine_conformingly() {
    for cell in [CellChoice::Tet5, CellChoice::Tet6, CellChoice::Hex] {
        for mesh in [
            Sphere { core: 2, rings: 1, cell, ..Default::default() }.generate().unwrap(),
            Cylinder { core: 2, rings: 1, layers: 2, cell, ..Default::default() }
                .generate()
                .unwrap(),
        ] {
            let fine = octasect(&mesh).unwrap().mesh;
            let counts = assert_conforming(&fine);
            assert_eq!((counts.euler, counts.boundary_euler), (1, 2));
            assert!(smallest_volume(&fine) > 0.0);
            assert!((volume(&fine) / volume(&mesh) - 1.0).abs() < 1e-13);
        }
    }
}

#[test]
fn middles_beyond_the_largest_number_are_refused() {
    let mesh =
        single([[-f64::MAX, 0.0, 0.0], [f64::MAX, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    for error in [octasect(&mesh).unwrap_err(), to_quadratic(&mesh).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::NotFinite, "{error}");
    }
}

//! Embedding: exact where it must be, safe where it cannot; Vega's `.interp`.

use crate::common;
use crate::common::torture;

use common::vega_data;
use pliant_algebra::vec3::{Vec3, add, cross, distance, dot, normalized};
use pliant_mesh::embed::{Embedding, Outside};
use pliant_mesh::io::{Source, interp, obj};
use pliant_mesh::refine::to_quadratic;
use pliant_mesh::{CellType, ErrorKind, VolumeMesh};
use torture::{garbage, random, torture};

/// A number in [0, 1).
fn uniform(random: &mut impl FnMut() -> usize) -> f64 {
    (random() % 1_000_003) as f64 / 1_000_003.0
}

/// The cube [0, 1]³ as n³ hexahedra, inner and outer vertices moved by up to `jitter` of a cell.
fn hexes(n: usize, jitter: f64) -> VolumeMesh {
    let mut random = random(3);
    let mut vertices = Vec::new();
    for i in 0..(n + 1).pow(3) {
        let at = [i % (n + 1), i / (n + 1) % (n + 1), i / (n + 1) / (n + 1)];
        vertices.push(at.map(|k| (k as f64 + jitter * (uniform(&mut random) - 0.5)) / n as f64));
    }
    let vertex = |x: usize, y: usize, z: usize| ((z * (n + 1) + y) * (n + 1) + x) as u32;
    let mut cells = Vec::new();
    for c in 0..n * n * n {
        let (x, y, z) = (c % n, c / n % n, c / n / n);
        for dz in 0..2 {
            for (dx, dy) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                cells.push(vertex(x + dx, y + dy, z + dz));
            }
        }
    }
    VolumeMesh::new(CellType::Hex8, vertices, cells)
}

/// The same with six tetrahedra for each hexahedron.
fn tets(n: usize, jitter: f64) -> VolumeMesh {
    let hexes = hexes(n, jitter);
    let split =
        [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];
    let cells = hexes.cells().flat_map(|hex| split.iter().flatten().map(|&i| hex[i])).collect();
    VolumeMesh::new(CellType::Tet4, hexes.vertices.clone(), cells)
}

/// Points in [low, high]³.
fn points(count: usize, low: f64, high: f64) -> Vec<Vec3> {
    let mut random = random(5);
    let mut next = || low + (high - low) * uniform(&mut random);
    (0..count).map(|_| [next(), next(), next()]).collect()
}

fn carried(embedding: &Embedding, positions: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![[0.0; 3]; embedding.point_count()];
    embedding.interpolate(positions, &mut out);
    out
}

fn largest_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (&a, &b)| m.max(distance(a, b)))
}

type Matrix = [Vec3; 3];

/// Rows times x.
fn times(m: &Matrix, x: Vec3) -> Vec3 {
    m.map(|row| dot(row, x))
}

const SHEAR: Matrix = [[1.2, 0.7, -0.3], [0.1, 0.8, 0.4], [-0.2, 0.5, 1.1]];

fn affine(x: Vec3) -> Vec3 {
    add(times(&SHEAR, x), [3.0, -2.0, 0.5])
}

fn sums_to_one(embedding: &Embedding) {
    for weights in embedding.weights.chunks_exact(embedding.vertices_per_point) {
        let (sum, size) = weights.iter().fold((0.0, 1.0), |(s, m), w| (s + w, m + w.abs()));
        assert!((sum - 1.0).abs() < 1e-15 * size, "{weights:?}");
    }
}

#[test]
fn rest_and_affine_positions_are_reproduced_inside_and_outside() {
    for (mesh, low, high, tolerance) in [
        (tets(3, 0.4), 0.1, 0.9, 1e-14),
        (hexes(3, 0.4), 0.1, 0.9, 1e-14),
        (tets(3, 0.4), -1.0, 2.0, 1e-13),
        (hexes(3, 0.4), -1.0, 2.0, 1e-13),
    ] {
        let points = points(500, low, high);
        let embedding = Embedding::bind(&mesh, &points).unwrap();
        embedding.check(mesh.vertex_count()).unwrap();
        sums_to_one(&embedding);
        let kind = mesh.cell_type;
        let rest = carried(&embedding, &mesh.vertices);
        assert!(
            largest_distance(&rest, &points) < tolerance,
            "{kind} {:e}",
            largest_distance(&rest, &points)
        );
        let moved: Vec<Vec3> = mesh.vertices.iter().copied().map(affine).collect();
        let expected: Vec<Vec3> = points.iter().copied().map(affine).collect();
        let error = largest_distance(&carried(&embedding, &moved), &expected);
        assert!(error < 2.0 * tolerance, "{kind} {error:e}");
        assert_eq!(embedding.outside.count > 0, low < 0.0);
    }
}

#[test]
fn tet10_is_embedded_by_its_corners_unless_all_nodes_are_asked_for() {
    let tet4 = tets(1, 0.0);
    let cells = tet4.cells().flat_map(|c| [c, c, &c[..2]].concat()).collect();
    let tet10 = VolumeMesh::new(CellType::Tet10, tet4.vertices.clone(), cells);
    let points = points(50, -0.5, 1.5);
    assert_eq!(Embedding::bind(&tet10, &points), Embedding::bind(&tet4, &points));
    let all = Embedding::isoparametric(&to_quadratic(&tet4).unwrap(), &points).unwrap();
    assert_eq!(all.vertices_per_point, 10);
    // Cells are straight, and so points outside are as far away.
    let corners = Embedding::bind(&tet4, &points).unwrap().outside;
    assert_eq!(all.outside.count, corners.count);
    assert!(all.outside.largest >= corners.largest - 1e-12);
}

#[test]
fn points_are_in_the_cell_they_are_bound_to_and_ties_go_to_the_first() {
    for mesh in [tets(4, 0.0), hexes(4, 0.0)] {
        let embedding = Embedding::bind(&mesh, &points(300, 0.0, 1.0)).unwrap();
        assert!(embedding.weights.iter().all(|&w| w >= -1e-14));
        assert_eq!(embedding.outside, Outside::default());
        for (p, &cell) in embedding.cells.iter().enumerate() {
            let k = embedding.vertices_per_point;
            assert_eq!(embedding.indices[p * k..(p + 1) * k], *mesh.cell(cell as usize));
        }
    }
    // A face, an edge and a corner shared by cells of sizes that are powers of two: no rounding.
    let mesh = hexes(4, 0.0);
    let shared = [[0.25, 0.1, 0.1], [0.25, 0.5, 0.1], [0.5, 0.5, 0.5], [-1.0, 0.5, 0.5]];
    assert_eq!(Embedding::bind(&mesh, &shared).unwrap().cells, [0, 4, 21, 20]);
}

/// ξ, ηζ … of a trilinear field.
fn trilinear(corners: &[f64; 8], [x, y, z]: Vec3) -> f64 {
    let w = |bit: bool, t: f64| if bit { t } else { 1.0 - t };
    let bits =
        [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)];
    let terms = bits.iter().zip(corners);
    terms.map(|(b, c)| c * w(b.0 == 1, x) * w(b.1 == 1, y) * w(b.2 == 1, z)).sum()
}

#[test]
fn trilinear_fields_on_strongly_distorted_hexahedra_are_reproduced() {
    let mut mesh = hexes(1, 0.0);
    // Distorted until the Jacobian at a corner is almost zero (one corner near the middle), then
    // beyond, where the map folds there but most of the cell is still one to one.
    for (corner, tolerance) in [(0.9, 1e-14), (0.6, 1e-14), (0.36, 1e-13), (0.28, 1e-11)] {
        mesh.vertices[7] = [corner; 3];
        mesh.vertices[3] = [0.1, 1.3, -0.2];
        let at = |k: usize| -> [f64; 8] {
            std::array::from_fn(|i| mesh.vertices[mesh.cells[i] as usize][k])
        };
        let field = |t: Vec3| trilinear(&[1.0, -2.0, 5.0, 0.5, 3.0, 0.0, -4.0, 2.0], t);
        let reference = points(300, 0.02, 0.7);
        let places: Vec<Vec3> =
            reference.iter().map(|&t| [0, 1, 2].map(|k| trilinear(&at(k), t))).collect();
        let embedding = Embedding::bind(&mesh, &places).unwrap();
        assert_eq!(embedding.outside.count, 0);
        let values = [1.0, -2.0, 5.0, 0.5, 3.0, 0.0, -4.0, 2.0];
        for (t, weights) in reference.iter().zip(embedding.weights.chunks_exact(8)) {
            let value: f64 = values.iter().zip(weights).map(|(v, w)| v * w).sum();
            assert!((value - field(*t)).abs() < tolerance, "{corner} {t:?} {value} {}", field(*t));
        }
    }
}

#[test]
fn the_nearest_cell_and_its_distance_are_true_ones() {
    // Reports to a unit cube, from all sides, edges and corners.
    let outside = |mesh: &VolumeMesh, p: Vec3| Embedding::bind(mesh, &[p]).unwrap().outside;
    for mesh in [tets(2, 0.0), hexes(2, 0.0)] {
        for p in points(200, -2.0, 3.0) {
            let d = distance(p, p.map(|x| x.clamp(0.0, 1.0)));
            let found = outside(&mesh, p);
            assert_eq!(found.count, usize::from(d > 0.0));
            assert!((found.largest - d).abs() < 1e-14, "{p:?} {found:?} {d}");
        }
    }
    // A hexahedron whose top is the saddle z = 1 + 0.6 (2x − 1)(2y − 1): compared with a fine
    // sampling of all its faces.
    let mut saddle = hexes(1, 0.0);
    for v in &mut saddle.vertices {
        if v[2] == 1.0 {
            v[2] += 0.6 * (2.0 * v[0] - 1.0) * (2.0 * v[1] - 1.0);
        }
    }
    let n = 60;
    for p in points(40, -0.5, 2.5) {
        let mut sampled = f64::MAX;
        for (i, j) in (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))) {
            let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
            let top = |x: f64, y: f64| 1.0 + 0.6 * (2.0 * x - 1.0) * (2.0 * y - 1.0);
            for q in [
                [u, v, 0.0],
                [u, v, top(u, v)],
                [u, 0.0, v * top(u, 0.0)],
                [u, 1.0, v * top(u, 1.0)],
                [0.0, u, v * top(0.0, u)],
                [1.0, u, v * top(1.0, u)],
            ] {
                sampled = sampled.min(distance(p, q));
            }
        }
        let found = outside(&saddle, p);
        if found.count == 0 {
            // Inside: under the saddle.
            assert!(p.iter().all(|&x| x >= 0.0) && p[0] <= 1.0 && p[1] <= 1.0 && p[2] <= 1.6);
        } else {
            // A sample is off the nearest point by up to 0.02 along the face.
            let (far, sampled) = (found.largest.powi(2), sampled.powi(2));
            assert!(far <= sampled + 1e-12 && far > sampled - 1e-3, "{p:?} {far} {sampled}");
        }
    }
}

#[test]
fn far_points_of_distorted_hexahedra_do_not_blow_up() {
    let mut mesh = hexes(1, 0.0);
    // At this corner the trilinear map is singular, and its own continuation would explode.
    mesh.vertices[7] = [1.0 / 3.0; 3];
    for far in [10.0, 1e3, 1e6] {
        let points = points(50, -far, far);
        let embedding = Embedding::bind(&mesh, &points).unwrap();
        let largest = embedding.weights.iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        assert!(largest < 3.0 * far, "{largest:e}");
        let moved: Vec<Vec3> = mesh.vertices.iter().copied().map(affine).collect();
        let expected: Vec<Vec3> = points.iter().copied().map(affine).collect();
        let error = largest_distance(&carried(&embedding, &moved), &expected);
        assert!(error < 1e-14 * far, "{:e}", error / far);
    }
}

#[test]
fn a_body_far_from_the_origin_keeps_its_digits() {
    let far = [1e6, -2e6, 3e6];
    for mut mesh in [tets(2, 0.3), hexes(2, 0.3)] {
        mesh.vertices.iter_mut().for_each(|v| *v = add(*v, far));
        let points: Vec<Vec3> = points(200, -0.2, 1.2).into_iter().map(|p| add(p, far)).collect();
        let embedding = Embedding::bind(&mesh, &points).unwrap();
        // A few units in the last place of 3e6, which is 4.7e-10.
        assert!(largest_distance(&carried(&embedding, &mesh.vertices), &points) < 3e-9);
    }
}

#[test]
fn normals_follow_rotation_shear_and_mirror() {
    let rotation: Matrix = [[0.0, -1.0, 0.0], [0.6, 0.0, -0.8], [0.8, 0.0, 0.6]];
    let mirror: Matrix = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]];
    for mesh in [tets(2, 0.3), hexes(2, 0.3)] {
        let points = points(100, -0.3, 1.3);
        let embedding = Embedding::bind(&mesh, &points).unwrap();
        // Any two tangents make a normal; carried tangents make the carried one.
        let tangents = |i: usize| {
            let t = i as f64;
            ([t.sin(), t.cos(), 0.3], [0.2, (2.0 * t).sin(), (3.0 * t).cos()])
        };
        let unit = |(a, b): (Vec3, Vec3)| normalized(cross(a, b)).unwrap();
        let normals: Vec<Vec3> = (0..points.len()).map(|i| unit(tangents(i))).collect();
        for map in [rotation, SHEAR, mirror] {
            let moved: Vec<Vec3> = mesh.vertices.iter().map(|&x| times(&map, x)).collect();
            let mut out = vec![[0.0; 3]; points.len()];
            embedding.interpolate_normals(&mesh.vertices, &moved, &normals, &mut out);
            for (i, n) in out.iter().enumerate() {
                let (a, b) = tangents(i);
                let expected = unit((times(&map, a), times(&map, b)));
                assert!(distance(*n, expected) < 1e-13, "{i} {n:?} {expected:?}");
            }
        }
    }
}

#[test]
fn normals_on_a_bent_hexahedron_are_those_of_the_bent_surface() {
    let mesh = hexes(1, 0.0);
    // z = z + x y on the top and bottom alike: normals of the top are (−y, −x, 1).
    let moved: Vec<Vec3> = mesh.vertices.iter().map(|&[x, y, z]| [x, y, z + x * y]).collect();
    let points: Vec<Vec3> = points(20, 0.0, 1.0).into_iter().map(|[x, y, _]| [x, y, 1.0]).collect();
    let embedding = Embedding::bind(&mesh, &points).unwrap();
    let mut out = vec![[0.0; 3]; points.len()];
    embedding.interpolate_normals(&mesh.vertices, &moved, &vec![[0.0, 0.0, 1.0]; 20], &mut out);
    for (n, &[x, y, _]) in out.iter().zip(&points) {
        assert!(distance(*n, normalized([-y, -x, 1.0]).unwrap()) < 1e-14);
    }
}

#[test]
fn collapsed_bodies_have_normals_without_nan() {
    for mesh in [tets(1, 0.0), hexes(1, 0.0)] {
        let points = points(10, 0.0, 1.0);
        let embedding = Embedding::bind(&mesh, &points).unwrap();
        let up = vec![[0.0, 0.0, 1.0]; points.len()];
        let mut out = up.clone();
        let flat: Vec<Vec3> = mesh.vertices.iter().map(|&[x, y, _]| [2.0 * x, y, 0.0]).collect();
        embedding.interpolate_normals(&mesh.vertices, &flat, &up, &mut out);
        assert!(out.iter().all(|&n| distance(n, [0.0, 0.0, 1.0]) < 1e-15));
        for collapse in [[1.0, 0.0, 0.0], [0.0; 3]] {
            let line: Vec<Vec3> =
                mesh.vertices.iter().map(|&[x, ..]| collapse.map(|c| c * x)).collect();
            embedding.interpolate_normals(&mesh.vertices, &line, &up, &mut out);
            assert_eq!(out, up);
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let mesh = hexes(4, 0.4);
    let points = points(5000, -0.2, 1.2);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let embedding = Embedding::bind(&mesh, &points).unwrap();
            let out = carried(&embedding, &mesh.vertices);
            (embedding, out)
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn flat_cells_are_left_out_and_bad_input_is_refused() {
    let mut mesh = tets(1, 0.0);
    // The first tetrahedron becomes flat; its points go to others.
    mesh.vertices.push([0.5, 0.5, 0.0]);
    mesh.cells[3] = 8;
    let embedding = Embedding::bind(&mesh, &[[0.75, 0.25, 0.0], [0.6, 0.3, 0.1]]).unwrap();
    assert!(embedding.cells.iter().all(|&c| c != 0), "{:?}", embedding.cells);
    assert!(embedding.weights.iter().all(|w| w.abs() < 10.0));

    let flat = VolumeMesh::new(CellType::Tet4, vec![[0.0; 3]; 4], vec![0, 1, 2, 3]);
    let kind = |mesh: &VolumeMesh, p: Vec3| Embedding::bind(mesh, &[p]).unwrap_err().kind();
    assert_eq!(kind(&flat, [0.0; 3]), ErrorKind::Geometry);
    assert_eq!(kind(&hexes(1, 0.0), [f64::NAN; 3]), ErrorKind::NotFinite);
    assert_eq!(
        kind(&VolumeMesh::new(CellType::Hex8, vec![], vec![]), [0.0; 3]),
        ErrorKind::Geometry
    );
    mesh.cells[0] = 99;
    assert_eq!(kind(&mesh, [0.0; 3]), ErrorKind::Index);
    for mesh in [tets(1, 0.0), hexes(1, 0.0)] {
        for p in [[1e150; 3], [1e308; 3], [-1e308, 1e308, 0.0]] {
            if let Ok(embedding) = Embedding::bind(&mesh, &[p]) {
                embedding.check(mesh.vertex_count()).unwrap();
            }
        }
        assert_eq!(Embedding::bind(&mesh, &[]).unwrap().point_count(), 0);
    }
}

// .interp

fn read_interp(text: &str) -> Result<Embedding, pliant_mesh::MeshError> {
    interp::read(Source::from_bytes("test.interp", text.as_bytes()))
}

#[test]
fn interp_files_keep_every_bit_of_the_weights() {
    for mesh in [tets(2, 0.3), hexes(2, 0.3)] {
        let embedding = Embedding::bind(&mesh, &points(50, -0.2, 1.2)).unwrap();
        let mut bytes = Vec::new();
        assert_eq!(interp::write(&embedding, &mut bytes).unwrap(), []);
        let back = interp::read(Source::from_bytes("w", &bytes)).unwrap();
        let known = (embedding.vertices_per_point, embedding.indices, embedding.weights);
        assert_eq!((back.vertices_per_point, back.indices, back.weights), known);
        assert!(back.cells.is_empty());
    }
}

#[test]
fn interp_errors_name_the_place() {
    let good = "0 0 .25 1 .25 2 .25 3 .25\r\n1 4 1 5 0 6 0 7 0\n";
    let embedding = read_interp(good).unwrap();
    assert_eq!((embedding.point_count(), embedding.indices[4]), (2, 4));
    let error = embedding.check(7).unwrap_err();
    assert!(error.to_string().contains("point 1 names vertex 7, but the mesh has 7"), "{error}");
    embedding.check(8).unwrap();
    let fails = |text: &str, kind: ErrorKind, message: &str| {
        let error = read_interp(text).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    };
    fails("", ErrorKind::Geometry, "test.interp: no points here");
    fails("1 0 1 1 0 2 0 3 0", ErrorKind::Syntax, "test.interp:1:1: point 1 where point 0 should");
    fails(&good.replace("1 4", "2 4"), ErrorKind::Syntax, "test.interp:2:1: point 2");
    fails(
        "0 0 1 1 0 2 0 3\n1",
        ErrorKind::Syntax,
        "test.interp:1:16: the line ends where a weight",
    );
    fails("0 0 1 1 0 2 0\n", ErrorKind::Count, "point 0 has 3 pairs");
    fails("0 0 1 1 0 2 0 3 0\n1\n", ErrorKind::Count, "point 1 has 0 pairs");
    fails("0 0 1 1 0 2 0 -3 0\n", ErrorKind::Syntax, "test.interp:1:15: a vertex");
    fails("0 0 1 1 0 2 nan 3 0\n", ErrorKind::NotFinite, "test.interp:1:13");
    for huge in ["4294967295", "9223372036854775808"] {
        fails(&format!("0 0 1 1 0 2 0 {huge} 0\n"), ErrorKind::Index, "test.interp:1:15");
    }
    torture(good.as_bytes(), |bad| drop(interp::read(Source::from_bytes("bad", bad))));
    let error = interp::read(Source::from_bytes("garbage", &garbage(3000))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax);
}

/// Vertices and cells of a `.veg` file, as far as these tests need them.
fn veg(path: &std::path::Path) -> VolumeMesh {
    let text = std::fs::read_to_string(path).unwrap();
    let rows = |head: &str, skip: usize, first: usize| -> Vec<Vec<f64>> {
        let after = text.lines().skip_while(|l| !l.starts_with(head)).skip(skip);
        let rows = after.take_while(|l| l.starts_with(|c: char| c.is_ascii_digit()));
        let row = |l: &str| l.split_whitespace().skip(first).map(|x| x.parse().unwrap()).collect();
        rows.map(row).collect()
    };
    let vertices = rows("*VERTICES", 2, 1).iter().map(|r| [r[0], r[1], r[2]]).collect();
    let cells = rows("*ELEMENTS", 3, 1).iter().flatten().map(|&v| v as u32 - 1).collect();
    let cubic = text.contains("\nCUBIC");
    VolumeMesh::new(if cubic { CellType::Hex8 } else { CellType::Tet4 }, vertices, cells)
}

#[test]
fn vega_embeddings_reproduce_the_surfaces_within_their_own_rounding() {
    let Some(data) = vega_data() else { return };
    let models = data.join("models");
    // `last`: half of the last digit of the .obj: six decimals, or six digits in all.
    for (volume, surface, last) in [
        ("turtle/turtle-volumetric-homogeneous.veg", "turtle/turtle", 0.5e-6),
        ("asianDragon/asianDragon.veg", "asianDragon/asianDragon", 0.5e-5),
    ] {
        let volume = veg(&models.join(volume));
        let points = obj::read(Source::open(&models.join(format!("{surface}.obj"))).unwrap());
        let points = points.unwrap().mesh.vertices;
        let path = models.join(format!("{surface}.interp"));
        let embedding = interp::read(Source::open(&path).unwrap()).unwrap();
        embedding.check(volume.vertex_count()).unwrap();
        assert_eq!((embedding.point_count(), embedding.vertices_per_point), (points.len(), 4));
        let found = carried(&embedding, &volume.vertices);
        for (p, (a, b)) in found.iter().zip(&points).enumerate() {
            let corners = &embedding.indices[4 * p..4 * p + 4];
            for k in 0..3 {
                // Weights have six decimals: each is off by up to 0.5e-6, and moves the point by
                // that part of its corner's coordinate.
                let sum: f64 = corners.iter().map(|&v| volume.vertices[v as usize][k].abs()).sum();
                assert!(
                    (a[k] - b[k]).abs() <= 0.5e-6 * sum + last,
                    "{surface} point {p}: {a:?} {b:?}"
                );
            }
        }
        let own = Embedding::bind(&volume, &points).unwrap();
        let error = largest_distance(&carried(&own, &volume.vertices), &points);
        assert!(error < 5e-15, "{surface}: {error:e}");
    }
    // This one's surface is not part of the data: its points must come from the mesh it names.
    let bridge = models.join("simpleBridge");
    let volume = veg(&bridge.join("simpleBridge-ic_128_0.15_.1.veg"));
    let path = bridge.join("simpleBridge-ic_128_0.15_.1.interp");
    let embedding = interp::read(Source::open(&path).unwrap()).unwrap();
    assert_eq!((embedding.point_count(), volume.vertex_count()), (14778, 4000));
    embedding.check(4000).unwrap();
    assert!(
        embedding.weights.chunks_exact(4).all(|w| (w.iter().sum::<f64>() - 1.0).abs() < 2.1e-6)
    );
    let places = carried(&embedding, &volume.vertices);
    let own = Embedding::bind(&volume, &places).unwrap();
    assert!(largest_distance(&carried(&own, &volume.vertices), &places) < 1e-13);
    // The same points in the cubes of another mesh of that bridge, all of them inside.
    let cubes = veg(&bridge.join("simpleBridge_resol92-b1.155_enlarged.veg"));
    assert_eq!((cubes.cell_type, cubes.cell_count()), (CellType::Hex8, 1736));
    let own = Embedding::bind(&cubes, &places).unwrap();
    assert!(largest_distance(&carried(&own, &cubes.vertices), &places) < 1e-13);
    assert_eq!(own.outside, Outside::default());
}

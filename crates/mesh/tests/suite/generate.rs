//! Generators: volumes, conformity, sets, parameters.

use crate::conformity;

use std::f64::consts::{FRAC_PI_4, PI};

use conformity::{
    assert_closed, assert_conforming, scaled_jacobian, smallest_angle, smallest_volume, volume,
};
use pliant_algebra::vec3::{Vec3, distance, norm};
use pliant_mesh::generate::*;
use pliant_mesh::quality::min_quality;
use pliant_mesh::{CellType, ErrorKind, MeshError, SurfaceMesh, VolumeMesh};

const CELLS: [CellChoice; 3] = [CellChoice::Tet5, CellChoice::Tet6, CellChoice::Hex];

fn all_shapes() -> impl Iterator<Item = Shape> {
    Shape::NAMES.iter().map(|(name, _)| Shape::by_name(name).unwrap())
}

#[test]
fn every_shape_is_conforming_and_positive_with_every_cell() {
    for mut shape in all_shapes() {
        for cell in CELLS {
            *shape.cell_mut() = cell;
            let mesh = shape.generate().unwrap();
            let counts = assert_conforming(&mesh);
            let (body, boundary) = match shape.name() {
                "tube" | "torus" => (0, 0),
                "hollow-sphere" => (2, 4),
                _ => (1, 2),
            };
            let name = shape.name();
            assert_eq!((counts.euler, counts.boundary_euler), (body, boundary), "{name}");
            assert!(smallest_volume(&mesh) > 0.0, "{name} {cell}");
            assert!(mesh.vertex_sets.iter().all(|s| !s.items.is_empty()), "{name}");
            if cell == CellChoice::Hex {
                assert_eq!(mesh.cell_type, CellType::Hex8);
                let worst = scaled_jacobian(&mesh);
                assert!(worst > 0.7, "{name}: {worst}");
            } else {
                let angle = smallest_angle(&mesh);
                assert!(angle > if name == "cook" { 8.0 } else { 13.0 }, "{name} {cell}: {angle}");
            }
        }
    }
}

#[test]
fn polyhedral_shapes_have_their_exact_volume() {
    for cell in CELLS {
        let of = |mesh: Result<VolumeMesh, MeshError>| volume(&mesh.unwrap());
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 4e-15, "{a} {b}");
        let size = [0.3, 1.7, 0.9];
        let grading = [1.0, 5.0, 0.2];
        let shape = BoxShape { size, grading, cells: [2, 5, 3], cell, ..Default::default() };
        close(of(shape.generate()), 0.3 * 1.7 * 0.9);
        close(of(Bar { cell, ..Default::default() }.generate()), 0.01);
        // Cook: mean height (44 + 16)/2 over 48.
        close(of(CookPanel { cell, ..Default::default() }.generate()), 1440.0);
        close(of(CookPanel { cell, unit: 1e-3, ..Default::default() }.generate()), 1440e-9);
        close(of(LShape { cell, ..Default::default() }.generate()), 0.75 * 0.25);
        let notched = NotchedBar { cell, ..Default::default() };
        close(of(notched.generate()), (0.2 - 0.01) * 0.2);
    }
}

/// Asserts that the volume approaches `exact` at second order when all counts double.
fn assert_second_order(name: &str, exact: f64, mesh: impl Fn(usize, CellChoice) -> VolumeMesh) {
    for cell in CELLS {
        let error = [1, 2, 4].map(|n| (volume(&mesh(n, cell)) / exact - 1.0).abs());
        let rate = [(error[0] / error[1]).log2(), (error[1] / error[2]).log2()];
        assert!((rate[1] - 2.0).abs() < 0.05, "{name} {cell}: {error:?} {rate:?}");
    }
}

#[test]
fn curved_shapes_reach_their_volume_at_second_order() {
    assert_second_order("cylinder", PI * 0.25 * 2.0, |n, cell| {
        let (core, rings, layers) = (2 * n, n, n);
        Cylinder { radius: 0.5, length: 2.0, core, rings, layers, cell }.generate().unwrap()
    });
    assert_second_order("tube", PI * (0.25 - 0.09) * 2.0, |n, cell| {
        let shape = Tube { inner: 0.3, outer: 0.5, length: 2.0, ..Default::default() };
        Tube { radial: n, around: 8 * n, layers: n, cell, ..shape }.generate().unwrap()
    });
    assert_second_order("sphere", 4.0 / 3.0 * PI * 0.125, |n, cell| {
        Sphere { radius: 0.5, core: 4 * n, rings: 2 * n, cell }.generate().unwrap()
    });
    assert_second_order("hollow sphere", 4.0 / 3.0 * PI * (0.125 - 0.027), |n, cell| {
        let shape = HollowSphere { inner: 0.3, outer: 0.5, ..Default::default() };
        HollowSphere { across: 4 * n, radial: n, cell, ..shape }.generate().unwrap()
    });
    assert_second_order("torus", 2.0 * PI * PI * 0.7 * 0.09, |n, cell| {
        let shape = Torus { major: 0.7, minor: 0.3, ..Default::default() };
        Torus { core: 2 * n, rings: n, around: 16 * n, cell, ..shape }.generate().unwrap()
    });
    assert_second_order("quarter ring", 0.25 * PI * 3.0 * 0.1, |n, cell| {
        QuarterRing { cells: [2 * n, 4 * n, 1], cell, ..Default::default() }.generate().unwrap()
    });
    let ellipses = 0.25 * PI * (3.25 * 2.75 - 2.0) * 0.1;
    assert_second_order("elliptic plate", ellipses, |n, cell| {
        EllipticPlate { cells: [2 * n, 4 * n, 1], cell, ..Default::default() }.generate().unwrap()
    });
    // Pappus: the section times the path of its middle.
    assert_second_order("curved beam", 100.0 * FRAC_PI_4, |n, cell| {
        CurvedBeam { cells: [4 * n, n, n], cell, ..Default::default() }.generate().unwrap()
    });
    assert_second_order("twisted beam", 12.0 * 1.1 * 0.32, |n, cell| {
        TwistedBeam { cells: [12 * n, 4 * n, 2 * n], cell, ..Default::default() }
            .generate()
            .unwrap()
    });
}

/// The curved shapes, coarse, with their volumes.
fn curved_shapes() -> Vec<(Shape, f64)> {
    let (pi, thin) = (PI, 0.25 * PI * 0.1);
    let torus = Torus { core: 1, rings: 1, around: 8, ..Default::default() };
    vec![
        (
            Shape::Cylinder(Cylinder { core: 1, rings: 1, layers: 1, ..Default::default() }),
            0.25 * pi,
        ),
        (Shape::Tube(Tube { radial: 1, around: 5, layers: 1, ..Default::default() }), 0.16 * pi),
        (Shape::Sphere(Sphere { core: 2, rings: 1, ..Default::default() }), pi / 6.0),
        (Shape::HollowSphere(HollowSphere { across: 2, radial: 1, ..Default::default() }), {
            4.0 / 3.0 * pi * (0.125 - 0.027)
        }),
        (Shape::Torus(torus), 2.0 * pi * pi * 0.7 * 0.09),
        (Shape::QuarterRing(QuarterRing { cells: [1, 2, 1], ..Default::default() }), 3.0 * thin),
        (
            Shape::EllipticPlate(EllipticPlate { cells: [1, 2, 2], ..Default::default() }),
            thin * (3.25 * 2.75 - 2.0),
        ),
        (Shape::CurvedBeam(CurvedBeam { cells: [2, 1, 1], ..Default::default() }), 25.0 * pi),
        (
            Shape::TwistedBeam(TwistedBeam { cells: [6, 1, 1], ..Default::default() }),
            12.0 * 1.1 * 0.32,
        ),
    ]
}

#[test]
fn quadratic_cells_of_every_shape_are_positive_and_lie_on_its_sides() {
    for mut shape in all_shapes().chain(curved_shapes().into_iter().map(|(shape, _)| shape)) {
        for cell in [CellChoice::Tet10, CellChoice::Hex20] {
            *shape.cell_mut() = cell;
            let mesh = shape.generate().unwrap();
            let name = shape.name();
            let hexes = cell == CellChoice::Hex20;
            assert_eq!(mesh.cell_type, if hexes { CellType::Hex20 } else { CellType::Tet10 });
            assert!(min_quality(&mesh) > 0.0, "{name} {cell}: {}", min_quality(&mesh));
            let on = |set: &str, test: &dyn Fn(Vec3) -> bool| assert_set(&mesh, set, test);
            let about_z = |r: f64| move |p: Vec3| near(p[0].hypot(p[1]), r);
            match &shape {
                Shape::Cylinder(s) => on("outer", &about_z(s.radius)),
                Shape::Tube(s) => {
                    on("inner", &about_z(s.inner));
                    on("outer", &about_z(s.outer));
                }
                Shape::QuarterRing(s) => {
                    on("inner", &about_z(s.inner));
                    on("outer", &about_z(s.outer));
                    on("x-min", &|p| p[0] == 0.0);
                    on("y-min", &|p| p[1] == 0.0);
                }
                Shape::Sphere(s) => on("outer", &|p| near(norm(p), s.radius)),
                Shape::HollowSphere(s) => {
                    on("inner", &|p| near(norm(p), s.inner));
                    on("outer", &|p| near(norm(p), s.outer));
                }
                Shape::Torus(s) => {
                    on("outer", &|p| near((p[0].hypot(p[1]) - s.major).hypot(p[2]), s.minor));
                }
                Shape::EllipticPlate(s) => {
                    on("outer", &|p| near((p[0] / s.outer[0]).hypot(p[1] / s.outer[1]), 1.0));
                }
                _ => {}
            }
        }
    }
}

#[test]
fn quadratic_cells_reach_the_volume_of_curved_shapes_at_fourth_order() {
    for (mut shape, exact) in curved_shapes() {
        for cell in [CellChoice::Tet10, CellChoice::Hex20] {
            *shape.cell_mut() = cell;
            let mut finer = shape.clone();
            let errors = [0, 1, 2, 3].map(|level| {
                if level > 0 {
                    finer.double();
                }
                (pliant_mesh::measure::volume(&finer.generate().unwrap()) / exact - 1.0).abs()
            });
            let rate = (errors[2] / errors[3]).log2();
            let name = shape.name();
            assert!(errors[3] < 1e-13 || rate > 3.7, "{name} {cell}: {errors:?} {rate}");
        }
    }
}

#[test]
fn middle_nodes_go_along_with_vertices_that_are_moved() {
    for (cell, name) in [(CellChoice::Tet6, "tet10"), (CellChoice::Hex, "hex20")] {
        let mut shape = Shape::Sphere(Sphere::default());
        *shape.cell_mut() = cell;
        let moved = jittered(&shape.generate().unwrap(), 0.3, 4).unwrap();
        let mesh = shape.quadratic(&moved).unwrap();
        assert_eq!(mesh.cell_type.name(), name);
        assert!(min_quality(&mesh) > 0.0, "{name}");
        assert_set(&mesh, "outer", |p| near(norm(p), 0.5));
        let short = Sphere { core: 2, cell, ..Default::default() }.generate().unwrap();
        assert_eq!(shape.quadratic(&short).unwrap_err().kind(), ErrorKind::Count);
    }
}

/// Asserts that set `name` holds exactly the vertices where `is_on` holds.
fn assert_set(mesh: &VolumeMesh, name: &str, is_on: impl Fn(Vec3) -> bool) {
    let set = mesh.vertex_set(name).unwrap_or_else(|| panic!("no set '{name}'"));
    let expected: Vec<u32> =
        (0..mesh.vertex_count() as u32).filter(|&v| is_on(mesh.vertices[v as usize])).collect();
    assert_eq!(set.items, expected, "{name}");
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12 * (1.0 + b.abs())
}

#[test]
fn sets_lie_on_the_faces_they_name() {
    let planes = |mesh: &VolumeMesh, size: [f64; 3]| {
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            assert_set(mesh, &format!("{name}-min"), |p| p[axis] == 0.0);
            assert_set(mesh, &format!("{name}-max"), |p| p[axis] == size[axis]);
        }
    };
    let jittered = BoxShape { jitter: 0.4, size: [1.0, 2.0, 0.5], ..Default::default() };
    planes(&jittered.generate().unwrap(), [1.0, 2.0, 0.5]);
    let l = LShape::default().generate().unwrap();
    planes(&l, [1.0, 1.0, 0.25]);
    assert_set(&l, "inner", |[x, y, _]| (x == 0.5 && y >= 0.5) || (y == 0.5 && x >= 0.5));
    let notched = NotchedBar::default().generate().unwrap();
    planes(&notched, [1.0, 0.2, 0.2]);
    assert_set(&notched, "notch", |[x, y, _]| {
        let inside = x > 0.45 - 1e-9 && x < 0.55 + 1e-9 && y > 0.1 - 1e-9;
        inside && (near(x, 0.45) || near(x, 0.55) || near(y, 0.1))
    });

    let cylinder = Cylinder::default().generate().unwrap();
    assert_set(&cylinder, "outer", |[x, y, _]| near(x.hypot(y), 0.5));
    assert_set(&cylinder, "bottom", |p| p[2] == 0.0);
    assert_set(&cylinder, "top", |p| p[2] == 1.0);
    let tube = Tube::default().generate().unwrap();
    assert_set(&tube, "inner", |[x, y, _]| near(x.hypot(y), 0.3));
    assert_set(&tube, "outer", |[x, y, _]| near(x.hypot(y), 0.5));
    assert_set(&Sphere::default().generate().unwrap(), "outer", |p| near(norm(p), 0.5));
    let hollow = HollowSphere::default().generate().unwrap();
    assert_set(&hollow, "inner", |p| near(norm(p), 0.3));
    assert_set(&hollow, "outer", |p| near(norm(p), 0.5));
    let on_torus = |[x, y, z]: Vec3| near((x.hypot(y) - 0.7).hypot(z), 0.3);
    assert_set(&Torus::default().generate().unwrap(), "outer", on_torus);

    let ring = QuarterRing::default().generate().unwrap();
    assert_set(&ring, "inner", |[x, y, _]| near(x.hypot(y), 1.0));
    assert_set(&ring, "outer", |[x, y, _]| near(x.hypot(y), 2.0));
    assert_set(&ring, "x-min", |p| p[0] == 0.0);
    assert_set(&ring, "y-min", |p| p[1] == 0.0);
    let plate = EllipticPlate { cells: [4, 6, 2], thickness: 0.6, ..Default::default() };
    let plate = plate.generate().unwrap();
    let rim = |[x, y, _]: Vec3| near((x / 3.25).hypot(y / 2.75), 1.0);
    assert_set(&plate, "inner", |[x, y, _]| near((x / 2.0).hypot(y), 1.0));
    assert_set(&plate, "outer", rim);
    assert_set(&plate, "outer-middle", |p| rim(p) && near(p[2], 0.3));
    assert_set(&plate, "y-min", |p| p[1] == 0.0);
}

#[test]
fn published_bodies_have_their_corners() {
    let has = |mesh: &VolumeMesh, p: Vec3| mesh.vertices.iter().any(|v| distance(*v, p) < 1e-12);
    let cook = CookPanel { cells: [2, 2, 1], ..Default::default() }.generate().unwrap();
    for [x, y] in [[0.0, 0.0], [48.0, 44.0], [48.0, 60.0], [0.0, 44.0], [48.0, 52.0]] {
        assert!(has(&cook, [x, y, 0.0]) && has(&cook, [x, y, 1.0]));
    }
    let bend = CurvedBeam::default().generate().unwrap();
    let (tip, up) = (100.0 * FRAC_PI_4.sin(), 100.0 * (1.0 - FRAC_PI_4.cos()));
    assert!(has(&bend, [0.0; 3]) && has(&bend, [tip, up, 0.0]));
    let twisted = TwistedBeam::default().generate().unwrap();
    assert!(has(&twisted, [0.0, 0.55, 0.16]) && has(&twisted, [12.0, -0.16, 0.55]));
    let plate = EllipticPlate::default().generate().unwrap();
    for p in [[2.0, 0.0, 0.0], [3.25, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 2.75, 0.0]] {
        assert!(has(&plate, p));
    }
    let ring = QuarterRing::default().generate().unwrap();
    assert_eq!(ring.vertex_count(), 9 * 13 * 2);
}

#[test]
fn grading_is_the_ratio_of_last_to_first_cell() {
    let shape = BoxShape { cells: [5, 1, 1], grading: [8.0, 1.0, 1.0], ..Default::default() };
    let mesh = shape.generate().unwrap();
    let x: Vec<f64> = mesh.vertices[..6].iter().map(|p| p[0]).collect();
    let step: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
    assert!((step[4] / step[0] - 8.0).abs() < 1e-12);
    for pair in step.windows(2) {
        assert!((pair[1] / pair[0] - 8f64.powf(0.25)).abs() < 1e-12);
    }
    assert_eq!((x[0], x[5]), (0.0, 1.0));
}

#[test]
fn jitter_repeats_moves_inner_vertices_and_never_inverts() {
    for cell in CELLS {
        let shape = BoxShape { jitter: 1.0, seed: 5, cells: [6; 3], cell, ..Default::default() };
        let mesh = shape.generate().unwrap();
        assert_eq!(mesh, shape.generate().unwrap());
        assert_ne!(mesh, BoxShape { seed: 6, ..shape.clone() }.generate().unwrap());
        assert!(smallest_volume(&mesh) > 0.0);
        assert!((volume(&mesh) - 1.0).abs() < 1e-14);
        let plain = BoxShape { jitter: 0.0, ..shape.clone() }.generate().unwrap();
        assert_eq!(mesh.cells, plain.cells);
        let moved = |v: usize| distance(mesh.vertices[v], plain.vertices[v]);
        let count = (0..mesh.vertex_count()).filter(|&v| moved(v) > 1e-3 / 6.0).count();
        assert_eq!(count, 343 - 8, "all but the corners move");
        if cell == CellChoice::Hex {
            assert!(scaled_jacobian(&mesh) > 0.0);
        }
    }
    // A small amplitude needs no backing off: vertices use the whole of it.
    let shape =
        BoxShape { jitter: 0.1, cells: [8; 3], cell: CellChoice::Hex, ..Default::default() };
    let (mesh, plain) =
        (shape.generate().unwrap(), BoxShape { jitter: 0.0, ..shape }.generate().unwrap());
    let largest = mesh
        .vertices
        .iter()
        .zip(&plain.vertices)
        .flat_map(|(a, b)| [0, 1, 2].map(|i| (a[i] - b[i]).abs()))
        .fold(0.0, f64::max);
    assert!(largest <= 0.0125 && largest > 0.012, "{largest}");
}

#[test]
fn mapped_block_turns_a_mirrored_map_round() {
    for cell in CELLS {
        let mesh = mapped_block([2, 3, 4], cell, |[u, v, w]| [-u, 2.0 * v, w]).unwrap();
        assert!((volume(&mesh) - 2.0).abs() < 1e-14 && smallest_volume(&mesh) > 0.0);
        assert_set(&mesh, "u-max", |p| p[0] == -1.0);
        assert_conforming(&mesh);
    }
    let folded = mapped_block([2, 2, 2], CellChoice::Tet6, |[u, v, _]| [u, v, u]);
    assert_eq!(folded.unwrap_err().kind(), ErrorKind::Geometry);
    let lost = mapped_block([2, 2, 2], CellChoice::Hex, |[u, v, _]| [u, v, f64::NAN]);
    assert_eq!(lost.unwrap_err().kind(), ErrorKind::NotFinite);
}

#[test]
fn smallest_counts_serve_every_shape() {
    let hex = CellChoice::Hex;
    for mesh in [
        BoxShape { cells: [1; 3], jitter: 1.0, ..Default::default() }.generate(),
        Bar { across: 1, ..Default::default() }.generate(),
        Cylinder { core: 1, rings: 1, layers: 1, ..Default::default() }.generate(),
        Tube { radial: 1, around: 3, layers: 1, ..Default::default() }.generate(),
        Sphere { core: 1, rings: 1, ..Default::default() }.generate(),
        Sphere { core: 1, rings: 1, cell: hex, ..Default::default() }.generate(),
        HollowSphere { across: 1, radial: 1, ..Default::default() }.generate(),
        Torus { core: 1, rings: 1, around: 3, ..Default::default() }.generate(),
        LShape { across: 1, ..Default::default() }.generate(),
        NotchedBar { across: 1, ..Default::default() }.generate(),
        CookPanel { cells: [1; 3], ..Default::default() }.generate(),
        CurvedBeam { cells: [1; 3], ..Default::default() }.generate(),
        TwistedBeam { cells: [2, 1, 1], ..Default::default() }.generate(),
    ] {
        let mesh = mesh.unwrap();
        assert_conforming(&mesh);
        assert!(smallest_volume(&mesh) > 0.0);
    }
}

#[test]
fn parameters_out_of_range_are_errors_that_name_them() {
    fn refused(mesh: Result<VolumeMesh, MeshError>, words: &[&str]) {
        let error = mesh.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Geometry, "{error}");
        for word in words {
            assert!(error.to_string().contains(word), "{error}");
        }
    }
    let shape = BoxShape::default();
    for bad in [-1.0, 0.0, f64::NAN, f64::INFINITY, 1e200, 1e-200] {
        let size = [1.0, bad, 1.0];
        refused(BoxShape { size, ..shape.clone() }.generate(), &["'size y'", "accepted"]);
    }
    refused(
        BoxShape { cells: [1, 1, 0], ..shape.clone() }.generate(),
        &["'cells z' is 0", "from 1"],
    );
    let huge = 1 << 40;
    refused(BoxShape { cells: [usize::MAX; 3], ..shape.clone() }.generate(), &["'cells x'"]);
    refused(BoxShape { cells: [2000; 3], ..shape.clone() }.generate(), &["vertices", "2^32"]);
    refused(BoxShape { jitter: -0.1, ..shape.clone() }.generate(), &["'jitter'"]);
    refused(BoxShape { grading: [0.0; 3], ..shape }.generate(), &["'grading x'"]);
    refused(Bar { across: huge, ..Default::default() }.generate(), &["'across'"]);
    refused(Bar { length: 1e29, ..Default::default() }.generate(), &["vertices"]);
    refused(Cylinder { core: 100_000, ..Default::default() }.generate(), &["vertices"]);
    refused(Cylinder { layers: usize::MAX, ..Default::default() }.generate(), &["'layers'"]);
    refused(
        Tube { inner: 0.6, ..Default::default() }.generate(),
        &["'inner'", "less than 'outer'"],
    );
    refused(Tube { around: 2, ..Default::default() }.generate(), &["'around' is 2", "from 3"]);
    refused(Sphere { core: 2000, ..Default::default() }.generate(), &["vertices"]);
    refused(Sphere { rings: 0, ..Default::default() }.generate(), &["'rings'"]);
    refused(HollowSphere { across: huge, ..Default::default() }.generate(), &["'across'"]);
    refused(Torus { minor: 0.8, ..Default::default() }.generate(), &["'minor'"]);
    refused(LShape { width: 1.0, ..Default::default() }.generate(), &["'width'"]);
    refused(LShape { size: 1e20, ..Default::default() }.generate(), &["vertices"]);
    refused(NotchedBar { notch_depth: 0.2, ..Default::default() }.generate(), &["'notch_depth'"]);
    refused(CurvedBeam { angle: 7.0, ..Default::default() }.generate(), &["'angle'"]);
    refused(TwistedBeam { twist: f64::NAN, ..Default::default() }.generate(), &["'twist'"]);
    // So thin a torus has cells below the resolution of f64.
    refused(Torus { minor: 1e-25, ..Default::default() }.generate(), &["volume"]);
    assert_eq!(Shape::by_name("cube").unwrap_err().kind(), ErrorKind::Unsupported);
    assert!("tet7".parse::<CellChoice>().unwrap_err().to_string().contains("tet6"));
}

#[test]
fn surfaces_are_closed_and_outward() {
    let sphere = |mesh: Result<SurfaceMesh, MeshError>| (mesh.unwrap(), 2);
    for (surface, euler) in [
        sphere(surface_icosphere(0.5, 0)),
        sphere(surface_icosphere(0.5, 3)),
        sphere(surface_uv_sphere(0.5, 3, 2)),
        sphere(surface_uv_sphere(0.5, 16, 8)),
        sphere(surface_capsule(0.2, 1.0, 12, 4, 3)),
        sphere(surface_capsule(0.2, 1.0, 3, 1, 1)),
        sphere(surface_box([1.0, 2.0, 3.0], [2, 3, 4])),
        sphere(surface_star(0.5, 0.5, 20, 40.0, 4)),
        (surface_torus(0.7, 0.3, 24, 12).unwrap(), 0),
        (surface_torus(0.7, 0.3, 3, 3).unwrap(), 0),
    ] {
        assert_eq!(assert_closed(&surface), euler);
        assert!(surface.volume() > 0.0);
    }
    let surface = surface_box([1.0, 2.0, 3.0], [2, 3, 4]).unwrap();
    assert!((surface.volume() - 6.0).abs() < 1e-14 && (surface.area() - 22.0).abs() < 1e-13);
    assert_eq!(surface_icosphere(1.0, 3).unwrap().triangles.len(), 20 * 64);
    assert_eq!(surface_icosphere(1.0, 14).unwrap_err().kind(), ErrorKind::Geometry);
    assert_eq!(surface_box([1.0; 3], [1 << 20; 3]).unwrap_err().kind(), ErrorKind::Geometry);
}

#[test]
fn surfaces_reach_their_volume_at_second_order() {
    let rate = |name: &str, exact: f64, make: &dyn Fn(usize) -> SurfaceMesh| {
        let error = [1, 2].map(|n| exact / make(n).volume() - 1.0);
        let rate = (error[0] / error[1]).log2();
        assert!((rate - 2.0).abs() < 0.05, "{name}: {error:?} {rate}");
    };
    let ball = 4.0 / 3.0 * PI;
    rate("icosphere", ball, &|n| surface_icosphere(1.0, 2 + n).unwrap());
    rate("uv sphere", ball, &|n| surface_uv_sphere(1.0, 16 * n, 8 * n).unwrap());
    rate("torus", 2.0 * PI * PI * 0.09, &|n| surface_torus(1.0, 0.3, 32 * n, 16 * n).unwrap());
    let capsule = ball * 0.008 + PI * 0.04;
    rate("capsule", capsule, &|n| surface_capsule(0.2, 1.0, 16 * n, 4 * n, 1).unwrap());
    // The star: ∫ r³/3 over the directions by a product rule, equal steps in z and longitude.
    let directions: Vec<Vec3> = (0..20)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / 20.0;
            let angle = PI * (3.0 - 5f64.sqrt()) * i as f64;
            let r = (1.0 - z * z).sqrt();
            [r * angle.cos(), r * angle.sin(), z]
        })
        .collect();
    let (mut star, n) = (0.0, 400);
    for i in 0..n {
        let z = (2.0 * i as f64 + 1.0) / n as f64 - 1.0;
        for j in 0..n {
            let (sin, cos) = (2.0 * PI * j as f64 / n as f64).sin_cos();
            let p = [(1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z];
            let bump = |d: &Vec3| (20.0 * (pliant_algebra::vec3::dot(p, *d) - 1.0)).exp();
            let r = 0.5 + 0.4 * directions.iter().map(bump).sum::<f64>();
            star += r.powi(3) / 3.0 * 4.0 * PI / (n * n) as f64;
        }
    }
    rate("star", star, &|n| surface_star(0.5, 0.4, 20, 20.0, 3 + n).unwrap());
}

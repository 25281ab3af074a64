//! The doctor finds each kind of broken surface, by count and first index, and repairs it.

use crate::boxes;

use boxes::tet_box;
use pliant_mesh::doctor::{Diagnosis, Options, ProblemKind, check_surface, fix_surface};
use pliant_mesh::topology::boundary;
use pliant_mesh::{SurfaceGroup, SurfaceMesh};

use ProblemKind as Kind;

fn cube(size: f64, at: f64) -> SurfaceMesh {
    let mut surface = boundary(&tet_box(1, 1, 1)).surface;
    surface.vertices.iter_mut().for_each(|p| *p = p.map(|c| at + size * c));
    surface
}

fn join(mut a: SurfaceMesh, b: &SurfaceMesh) -> SurfaceMesh {
    let n = a.vertices.len() as u32;
    a.vertices.extend(&b.vertices);
    a.triangles.extend(b.triangles.iter().map(|t| t.map(|v| v + n)));
    a
}

fn turned(mut surface: SurfaceMesh) -> SurfaceMesh {
    surface.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    surface
}

fn found(surface: &SurfaceMesh) -> Vec<(Kind, usize, usize)> {
    let d = check_surface(surface, &Options::default());
    d.problems.iter().map(|p| (p.kind, p.count, p.first)).collect()
}

fn healed(surface: &SurfaceMesh, done: &[(Kind, usize)]) -> SurfaceMesh {
    let fixed = fix_surface(surface, &Options::default());
    let actions: Vec<_> = fixed.done.iter().map(|a| (a.kind, a.count)).collect();
    assert_eq!(actions, done);
    assert!(fixed.left.ok, "{:?}", fixed.left);
    assert_eq!(fixed.surface.validate(), Ok(()));
    fixed.surface
}

#[test]
fn a_healthy_surface_is_ok_and_stays() {
    let good = cube(1.0, 0.0);
    let d = check_surface(&good, &Options::default());
    assert_eq!(d, Diagnosis { ok: true, problems: vec![] });
    assert_eq!(healed(&good, &[]), good);
}

#[test]
fn triangle_soup_is_welded() {
    let good = cube(1.0, 0.0);
    let soup = SurfaceMesh::new(
        (0..12).flat_map(|t| good.corners(t)).collect(),
        (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
    );
    let kinds: Vec<_> = found(&soup).iter().map(|p| p.0).collect();
    assert_eq!(kinds, [Kind::DuplicateVertices, Kind::OpenBoundary, Kind::Disconnected]);
    assert_eq!(found(&soup)[1], (Kind::OpenBoundary, 36, 0));
    let welded = healed(&soup, &[(Kind::DuplicateVertices, 28)]);
    assert_eq!(welded.vertices.len(), 8);
    assert!((welded.volume() - 1.0).abs() < 1e-15);
}

#[test]
fn holes_are_found_and_stay() {
    let mut surface = cube(1.0, 0.0);
    let removed = surface.triangles.remove(5);
    let first = *removed.iter().min().unwrap() as usize;
    assert_eq!(found(&surface), [(Kind::OpenBoundary, 3, first)]);
    assert_eq!(fix_surface(&surface, &Options::default()).surface, surface);
}

#[test]
fn collapsed_copied_and_flat_triangles_are_told_apart() {
    let mut surface = cube(1.0, 0.0);
    let copy = surface.triangles[3];
    surface.triangles.push([copy[1], copy[2], copy[0]]);
    surface.triangles.insert(0, [1, 1, 2]);
    surface.groups.push(SurfaceGroup { name: "g".into(), material: None });
    surface.triangle_group = vec![0; 14];
    let list = found(&surface);
    assert_eq!(list[..2], [(Kind::RepeatedVertex, 1, 0), (Kind::DuplicateElements, 1, 13)]);
    let good = healed(&surface, &[(Kind::RepeatedVertex, 1), (Kind::DuplicateElements, 1)]);
    assert_eq!(good.triangles, cube(1.0, 0.0).triangles);
    assert_eq!(good.triangle_group.len(), 12);
    let line = SurfaceMesh::new(vec![[0.0; 3], [1.0; 3], [2.0; 3]], vec![[0, 1, 2]]);
    assert_eq!(found(&line)[0], (Kind::Degenerate, 1, 0));
    assert_eq!(fix_surface(&line, &Options::default()).surface, line);
}

#[test]
fn loose_vertices_are_removed() {
    let mut surface = cube(1.0, 0.0);
    surface.vertices.insert(0, [0.5; 3]);
    surface.triangles.as_flattened_mut().iter_mut().for_each(|v| *v += 1);
    assert_eq!(found(&surface), [(Kind::UnreferencedVertices, 1, 0)]);
    assert_eq!(healed(&surface, &[(Kind::UnreferencedVertices, 1)]), cube(1.0, 0.0));
}

#[test]
fn triangles_against_their_neighbours_are_turned_with_their_corners() {
    let mut surface = cube(1.0, 0.0);
    surface.texture = vec![[0.0; 2]; 36];
    surface.triangle_texture = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let good = surface.clone();
    for t in [2, 9] {
        surface.triangles[t].swap(1, 2);
        surface.triangle_texture[t].swap(1, 2);
    }
    assert_eq!(found(&surface), [(Kind::InconsistentOrientation, 2, 2)]);
    assert_eq!(healed(&surface, &[(Kind::InconsistentOrientation, 2)]), good);
}

#[test]
fn surfaces_inside_out_are_turned_and_cavities_are_not() {
    let inward = turned(cube(1.0, 0.0));
    assert_eq!(found(&inward), [(Kind::InsideOut, 12, 0)]);
    assert!((healed(&inward, &[(Kind::InsideOut, 12)]).volume() - 1.0).abs() < 1e-15);
    // A hollow cube: the inner shell faces the cavity.
    let hollow = join(cube(3.0, 0.0), &turned(cube(1.0, 1.0)));
    assert_eq!(found(&hollow), [(Kind::Disconnected, 2, 12)]);
    assert!((healed(&hollow, &[]).volume() - 26.0).abs() < 1e-12);
    let all = turned(hollow);
    assert_eq!(found(&all)[0], (Kind::InsideOut, 24, 0));
    assert!((healed(&all, &[(Kind::InsideOut, 24)]).volume() - 26.0).abs() < 1e-12);
    // A second body beside the first, one of them inside out.
    for (a, b) in [(false, true), (true, false)] {
        let flip = |s: SurfaceMesh, f: bool| if f { turned(s) } else { s };
        let two = join(flip(cube(3.0, 0.0), a), &flip(cube(1.0, 5.0), b));
        let first = if a { 0 } else { 12 };
        assert_eq!(found(&two)[0], (Kind::InsideOut, 12, first));
        assert!((healed(&two, &[(Kind::InsideOut, 12)]).volume() - 28.0).abs() < 1e-12);
    }
}

#[test]
fn fins_and_pinched_points_are_found() {
    let mut fin = cube(1.0, 0.0);
    let [a, b, _] = fin.triangles[0];
    fin.vertices.push([2.0, 3.0, 4.0]);
    fin.triangles.push([a, b, 8]);
    let low = a.min(b) as usize;
    assert!(found(&fin).contains(&(Kind::NonManifoldEdges, 1, low)));
    let mut pinched = join(cube(1.0, 0.0), &cube(1.0, 1.0));
    pinched.triangles.as_flattened_mut().iter_mut().filter(|v| **v == 8).for_each(|v| *v = 7);
    assert!(found(&pinched).contains(&(Kind::NonManifoldVertices, 1, 7)));
}

#[test]
fn a_moebius_strip_cannot_be_oriented_and_is_left_as_such() {
    let n = 6u32;
    let vertices = (0..2 * n)
        .map(|i| {
            let (angle, side) = (f64::from(i / 2) / f64::from(n), f64::from(i % 2) - 0.5);
            let (t, h) = (angle * std::f64::consts::TAU, angle * std::f64::consts::PI);
            let r = 2.0 + side * h.cos();
            [r * t.cos(), r * t.sin(), side * h.sin()]
        })
        .collect();
    let mut triangles = Vec::new();
    for i in 0..n {
        let [a, b] = [2 * i, 2 * i + 1];
        let [c, d] = if i + 1 < n { [a + 2, b + 2] } else { [1, 0] };
        triangles.extend([[a, c, b], [b, c, d]]);
    }
    let strip = SurfaceMesh::new(vertices, triangles);
    let fixed = fix_surface(&strip, &Options::default());
    let one_sided = fixed.left.find(Kind::InconsistentOrientation).unwrap();
    assert!(one_sided.count == 1 && !one_sided.fixable);
    assert_eq!(fixed.left.find(Kind::OpenBoundary).map(|p| p.count), Some(12));
}

#[test]
fn hostile_surfaces_are_survived() {
    assert_eq!(found(&SurfaceMesh::default()), [(Kind::Empty, 1, 0)]);
    let mut wild = cube(f64::MAX, 0.0);
    wild.vertices[3] = [f64::NAN, 0.0, f64::NEG_INFINITY];
    assert!(found(&wild).contains(&(Kind::NotFinite, 1, 3)));
    assert!(!fix_surface(&wild, &Options::default()).left.ok);
    wild.triangles[0][0] = 77;
    assert_eq!(found(&wild), [(Kind::Invalid, 1, 0)]);
    assert!(!fix_surface(&wild, &Options::default()).left.ok);
}

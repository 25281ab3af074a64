//! Filling surfaces with tetrahedra: shapes, damage, scales, limits.

use std::collections::HashMap;
use std::f64::consts::PI;

use pliant_mesh::SurfaceMesh;
use pliant_mesh::fill::{DIHEDRAL_BOUNDS, FillOptions, Filled, fill};

type Vec3 = [f64; 3];

/// Triangles of an m by n grid of quadrilaterals; those that a collapsed side leaves without area
/// are left out.
fn grid(m: u32, n: u32, id: impl Fn(u32, u32) -> u32) -> Vec<[u32; 3]> {
    (0..m)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .flat_map(|(i, j)| {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
            [[a, b, c], [a, c, d]]
        })
        .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
        .collect()
}

/// A closed surface over the unit sphere, r(θ, φ) from the origin.
fn radial(n: u32, radius: impl Fn(f64, f64) -> f64) -> SurfaceMesh {
    let at = |i: u32, j: u32| {
        let (t, p) = (PI * f64::from(i) / f64::from(n), PI * f64::from(j) / f64::from(n));
        let r = radius(t, p);
        [r * t.sin() * p.cos(), r * t.sin() * p.sin(), r * t.cos()]
    };
    let mut vertices = vec![at(0, 0), at(n, 0)];
    vertices.extend((1..n).flat_map(|i| (0..2 * n).map(move |j| (i, j))).map(|(i, j)| at(i, j)));
    let id = |i: u32, j: u32| match i {
        0 => 0,
        _ if i == n => 1,
        _ => 2 + (i - 1) * 2 * n + j % (2 * n),
    };
    SurfaceMesh::new(vertices, grid(n, 2 * n, id))
}

fn sphere(n: u32) -> SurfaceMesh {
    radial(n, |_, _| 1.0)
}

/// Six spikes round the equator and one at each pole.
fn star(n: u32) -> SurfaceMesh {
    radial(n, |t, p| 0.5 + 0.5 * t.sin().powi(6) * (3.0 * p).cos().powi(4) + 0.4 * t.cos().powi(8))
}

fn torus(n: u32) -> SurfaceMesh {
    let turn = |i: u32, n: u32| 2.0 * PI * f64::from(i) / f64::from(n);
    let at = |i: u32, j: u32| {
        let (u, v) = (turn(i, 2 * n), turn(j, n));
        let r = 1.0 + 0.35 * v.cos();
        [r * u.cos(), r * u.sin(), 0.35 * v.sin()]
    };
    let vertices =
        (0..2 * n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect();
    SurfaceMesh::new(vertices, grid(2 * n, n, |i, j| i % (2 * n) * n + j % n))
}

fn transformed(surface: &SurfaceMesh, f: impl Fn(Vec3) -> Vec3) -> SurfaceMesh {
    let mut s = surface.clone();
    s.vertices.iter_mut().for_each(|p| *p = f(*p));
    s
}

fn filled(surface: &SurfaceMesh, size: f64) -> Filled {
    let filled = fill(surface, &FillOptions::new(size), &|_| true).unwrap();
    check(&filled);
    filled
}

/// What every filling must keep.
fn check(filled: &Filled) {
    let r = &filled.report;
    filled.mesh.validate().unwrap();
    assert_eq!(r.inverted, 0);
    assert!(r.min_dihedral >= DIHEDRAL_BOUNDS.0, "{}", r.min_dihedral);
    assert!(r.max_dihedral <= DIHEDRAL_BOUNDS.1, "{}", r.max_dihedral);
    let mut used = vec![false; filled.mesh.vertex_count()];
    filled.mesh.cells.iter().for_each(|&v| used[v as usize] = true);
    assert!(used.into_iter().all(|u| u));
    // Each face belongs to two tetrahedra with opposite orientation, or to one.
    let mut faces: HashMap<[u32; 3], i32> = HashMap::new();
    for cell in filled.mesh.cells() {
        for face in pliant_mesh::cell::TET_FACES {
            let [a, b, c] = face.map(|i| cell[i]);
            let rotated = [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap();
            let mirrored = [[a, c, b], [c, b, a], [b, a, c]].into_iter().min().unwrap();
            if faces.remove(&mirrored).is_none() {
                assert!(faces.insert(rotated, 1).is_none());
            }
        }
    }
    // The rest is closed, and manifold but for the pinched edges.
    let mut edges: HashMap<(u32, u32), (i32, u32)> = HashMap::new();
    for [a, b, c] in faces.into_keys() {
        for (a, b) in [(a, b), (b, c), (c, a)] {
            let edge = edges.entry((a.min(b), a.max(b))).or_default();
            edge.0 += if a < b { 1 } else { -1 };
            edge.1 += 1;
        }
    }
    assert!(edges.values().all(|e| e.0 == 0));
    assert_eq!(edges.values().filter(|e| e.1 != 2).count(), r.pinched_edges);
}

#[test]
fn sphere_and_torus_lose_less_than_one_percent_of_volume_at_a_thirtieth_of_their_size() {
    for (surface, extent) in [(sphere(60), 2.0), (torus(60), 2.7)] {
        let f = filled(&surface, extent / 30.0);
        println!("{} tets {:?}", f.mesh.cell_count(), f.report);
        assert!(f.report.volume_error < 0.01, "{}", f.report.volume_error);
        assert_eq!(f.report.pinched_edges, 0);
    }
}

//! The broad phase against all pairs, whatever was asked before and on any number of threads.

use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_contact::broad::BroadPhase;
use pliant_contact::overlap::OverlapTest;
use pliant_contact::surface::{BodySurface, CollisionSurface, VertexNodes};
use pliant_mesh::generate::{surface_icosphere, surface_torus};
use pliant_mesh::spatial::Aabb;
use pliant_mesh::surface::SurfaceMesh;

use crate::common::Random;

/// A surface of these bodies, with all positions.
pub(crate) fn surface(meshes: &[SurfaceMesh]) -> (CollisionSurface, Vec<Vec3>) {
    let (mut surface, mut y) = (CollisionSurface::new(), Vec::new());
    for mesh in meshes {
        let first = y.len() as u32;
        let nodes: Vec<u32> = (first..first + mesh.vertices.len() as u32).collect();
        let body = BodySurface {
            rest: &mesh.vertices,
            triangles: &mesh.triangles,
            strands: &[],
            areas: None,
            two_sided: false,
            samples: &[],
            nodes: VertexNodes::Same(&nodes),
        };
        surface.add(&body).unwrap();
        y.extend(&mesh.vertices);
    }
    (surface, y)
}

/// Two spheres through each other, and a loose triangle.
fn scene() -> (CollisionSurface, Vec<Vec3>) {
    let mut other = surface_icosphere(0.7, 2).unwrap();
    for p in &mut other.vertices {
        p[0] += 0.9;
    }
    let loose = SurfaceMesh::new(vec![[0.0; 3], [1.0, 0.1, 0.0], [0.0, 1.0, 0.3]], vec![[0, 1, 2]]);
    surface(&[surface_icosphere(1.0, 3).unwrap(), other, loose])
}

/// Pairs of all primitives whose boxes overlap and that share no vertex.
fn all_pairs<const N: usize, const M: usize>(
    a: &[[u32; N]],
    b: &[[u32; M]],
    same: bool,
    y: &[Vec3],
    by: &[Vec3],
    padding: f64,
) -> Vec<[u32; 2]> {
    fn around(item: &[u32], y: &[Vec3], by: &[Vec3], padding: f64) -> Aabb {
        let ends = item.iter().flat_map(|&v| [y[v as usize], add(y[v as usize], by[v as usize])]);
        let b = Aabb::around(ends);
        Aabb { min: b.min.map(|c| c - padding), max: b.max.map(|c| c + padding) }
    }
    let boxes: Vec<Aabb> = b.iter().map(|item| around(item, y, by, padding)).collect();
    let mut pairs = Vec::new();
    for (i, item) in a.iter().enumerate() {
        let box_i = around(item, y, by, padding);
        for (j, other) in b.iter().enumerate().skip(if same { i + 1 } else { 0 }) {
            if box_i.overlaps(&boxes[j]) && !item.iter().any(|v| other.contains(v)) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

fn moved(random: &mut Random, y: &[Vec3], by: f64) -> Vec<Vec3> {
    y.iter().map(|&p| add(p, scale(random.point(), by))).collect()
}

#[test]
fn pairs_are_those_of_all_against_all() {
    let (surface, y) = scene();
    let mut random = Random(51);
    let mut broad = BroadPhase::new();
    let vertices: Vec<[u32; 1]> = (0..y.len() as u32).map(|v| [v]).collect();
    for (jitter, motion, padding) in
        [(0.0, 0.0, 0.0), (0.0, 0.0, 0.02), (0.1, 0.1, 0.01), (1.0, 0.3, 0.0)]
    {
        let y = moved(&mut random, &y, jitter);
        let by: Vec<Vec3> = y.iter().map(|_| scale(random.point(), motion)).collect();
        let swept = (motion > 0.0).then_some(&by[..]);
        broad.update(&surface, &y, swept, padding);
        let (edges, triangles) = (surface.edges(), surface.triangles());
        let expected = all_pairs(&vertices, triangles, false, &y, &by, padding);
        assert!(expected.len() > 10);
        assert_eq!(broad.point_triangle(|_, _| true), expected);
        let expected = all_pairs(edges, edges, true, &y, &by, padding);
        assert_eq!(broad.edge_edge(|_, _| true), expected);
        let expected = all_pairs(edges, triangles, false, &y, &by, padding);
        assert_eq!(broad.edge_triangle(|_, _| true), expected);
    }
}

#[test]
fn pairs_do_not_depend_on_what_was_asked_before() {
    let (surface, y) = scene();
    let mut random = Random(52);
    let mut kept = BroadPhase::new();
    // More than 32 updates, so that trees are refitted, built for age, and built as they have become loose.
    for step in 0..40 {
        let y = moved(&mut random, &y, if step % 15 == 14 { 3.0 } else { 0.02 });
        let mut fresh = BroadPhase::new();
        kept.update(&surface, &y, None, 0.01);
        fresh.update(&surface, &y, None, 0.01);
        assert_eq!(kept.point_triangle(|_, _| true), fresh.point_triangle(|_, _| true));
        assert_eq!(kept.edge_edge(|_, _| true), fresh.edge_edge(|_, _| true));
    }
}

#[test]
fn pairs_are_the_same_on_any_number_of_threads() {
    let (surface, y) = surface(&[surface_torus(1.0, 0.4, 120, 60).unwrap()]);
    let y = moved(&mut Random(53), &y, 0.05);
    let found = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut broad = BroadPhase::new();
            broad.update(&surface, &y, None, 0.005);
            let points = broad.point_triangle(|_, _| true).to_vec();
            let edges = broad.edge_edge(|_, _| true).to_vec();
            let overlaps = OverlapTest::new().find(&surface, &y, |_, _| true).to_vec();
            (points, edges, overlaps)
        })
    });
    let counts = [found[0].0.len(), found[0].1.len(), found[0].2.len()];
    assert!(counts[0] > 5000 && counts[1] > 10_000 && counts[2] > 500, "{counts:?}");
    assert!(found[0] == found[1] && found[0] == found[2]);
}

#[test]
fn pairs_that_are_not_accepted_are_left_out() {
    let (surface, y) = scene();
    let bodies = surface.bodies();
    let mut broad = BroadPhase::new();
    broad.update(&surface, &y, None, 0.01);
    let all = broad.edge_edge(|_, _| true).to_vec();
    let body = |edge: u32| bodies[surface.edges()[edge as usize][0] as usize];
    let between: Vec<[u32; 2]> = all.iter().copied().filter(|&[a, b]| body(a) != body(b)).collect();
    let found = broad.edge_edge(|a, b| bodies[a as usize] != bodies[b as usize]);
    assert_eq!(found, between);
    assert!(found.len() > 10 && found.len() < all.len());
}

#[test]
fn surfaces_of_no_and_few_primitives_are_served() {
    let mut broad = BroadPhase::new();
    broad.update(&CollisionSurface::new(), &[], None, 1.0);
    assert!(
        broad.point_triangle(|_, _| true).is_empty() && broad.edge_edge(|_, _| true).is_empty()
    );
    let triangle = |z: f64| {
        SurfaceMesh::new(vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]], vec![[0, 1, 2]])
    };
    let (two, y) = surface(&[triangle(0.0), triangle(0.1)]);
    let mut broad = BroadPhase::new();
    broad.update(&two, &y, None, 0.06);
    assert_eq!(broad.point_triangle(|_, _| true).len(), 6);
    assert_eq!(broad.edge_edge(|_, _| true).len(), 9);
    broad.update(&two, &y, None, 0.04);
    assert!(broad.point_triangle(|_, _| true).is_empty());
    // Strands alone have no triangle to be near.
    let mut strands = CollisionSurface::new();
    let body = BodySurface {
        rest: &[[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.5, 0.01], [0.5, -0.5, 0.01]],
        triangles: &[],
        strands: &[[0, 1], [2, 3]],
        areas: None,
        two_sided: false,
        samples: &[],
        nodes: VertexNodes::Same(&[0, 1, 2, 3]),
    };
    strands.add(&body).unwrap();
    let mut broad = BroadPhase::new();
    broad.update(&strands, body.rest, None, 0.01);
    assert!(
        broad.point_triangle(|_, _| true).is_empty() && broad.edge_triangle(|_, _| true).is_empty()
    );
    assert_eq!(broad.edge_edge(|_, _| true), [[0, 1]]);
    // Sums beyond the range of numbers.
    let ends = [[f64::MAX; 3], [f64::MIN; 3], [f64::MAX; 3], [0.0; 3]];
    broad.update(&strands, &ends, Some(&ends), f64::MAX);
    assert_eq!(broad.edge_edge(|_, _| true), [[0, 1]]);
    let mut broad = BroadPhase::new();
    // Not a number overlaps nothing, and the far end of the range does no harm.
    broad.update(
        &two,
        &[[f64::NAN; 3], [1e300; 3], [-1e300; 3], [0.0; 3], [1.0; 3], [2.0; 3]],
        None,
        0.0,
    );
    broad.edge_edge(|_, _| true);
}

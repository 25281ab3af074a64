//! All parts together: triangles that move as far as they are allowed to never intersect.

use pliant_algebra::vec3::{Vec3, add_scaled, scale};
use pliant_contact::broad::BroadPhase;
use pliant_contact::ccd::{CcdParams, safe_time};
use pliant_contact::distance::Stencil;
use pliant_contact::overlap::OverlapTest;
use pliant_contact::surface::CollisionSurface;
use pliant_mesh::surface::SurfaceMesh;

use crate::broad::surface;
use crate::common::Random;

/// Triangles that float apart from each other on a lattice.
fn loose(random: &mut Random, side: usize) -> (CollisionSurface, Vec<Vec3>) {
    let mut mesh = SurfaceMesh::default();
    for cell in 0..side * side * side {
        let corner = [cell % side, cell / side % side, cell / (side * side)];
        let first = mesh.vertices.len() as u32;
        for _ in 0..3 {
            let p = random.point();
            mesh.vertices.push(std::array::from_fn(|k| corner[k] as f64 + 0.45 * p[k]));
        }
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    surface(&[mesh])
}

/// The longest part of the motion that is safe.
fn longest(surface: &CollisionSurface, broad: &mut BroadPhase, y: &[Vec3], by: &[Vec3]) -> f64 {
    broad.update(surface, y, Some(by), 1e-9);
    let at = |list: &[Vec3], pick: [u32; 4]| pick.map(|v| list[v as usize]);
    let params = CcdParams::default();
    let bound = |stencil: Stencil, pick: [u32; 4]| {
        safe_time(stencil, &at(y, pick), &at(by, pick), 1.0, &params).time
    };
    let mut time = 1.0_f64;
    for &[vertex, triangle] in broad.point_triangle(|_, _| true) {
        let [a, b, c] = surface.triangles()[triangle as usize];
        time = time.min(bound(Stencil::PointTriangle, [vertex, a, b, c]));
    }
    for &[one, other] in broad.edge_edge(|_, _| true) {
        let ([a, b], [c, d]) = (surface.edges()[one as usize], surface.edges()[other as usize]);
        time = time.min(bound(Stencil::EdgeEdge, [a, b, c, d]));
    }
    time
}

#[test]
fn bounded_random_motions_never_make_triangles_intersect() {
    let mut random = Random(61);
    let (surface, mut y) = loose(&mut random, 5);
    let (mut broad, mut overlap) = (BroadPhase::new(), OverlapTest::new());
    assert!(overlap.find(&surface, &y, |_, _| true).is_empty());
    let (mut bounded, mut unbounded) = (0, 0);
    for step in 0..300 {
        let reach = [0.02, 0.2, 1.0][step % 3];
        let by: Vec<Vec3> = y.iter().map(|_| scale(random.point(), reach)).collect();
        let time = longest(&surface, &mut broad, &y, &by);
        let all_the_way: Vec<Vec3> =
            y.iter().zip(&by).map(|(y, by)| add_scaled(*y, *by, 1.0)).collect();
        unbounded += usize::from(!overlap.find(&surface, &all_the_way, |_, _| true).is_empty());
        for (y, by) in y.iter_mut().zip(&by) {
            *y = add_scaled(*y, *by, time);
        }
        bounded += usize::from(time < 1.0);
        assert_eq!(overlap.find(&surface, &y, |_, _| true), []);
    }
    // Without the bound there would be intersections.
    assert!(bounded > 200 && unbounded > 150, "{bounded} {unbounded}");
}

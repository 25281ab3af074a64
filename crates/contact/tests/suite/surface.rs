//! Collision surfaces: edges, areas, weights, and what is refused.

use pliant_algebra::vec3::Vec3;
use pliant_contact::surface::{BodySurface, CollisionSurface, SurfaceError, VertexNodes};
use pliant_errors::Class;
use pliant_mesh::generate::surface_icosphere;

const SQUARE: [Vec3; 4] = [[0.0; 3], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
const HALVES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn square(nodes: VertexNodes<'_>) -> BodySurface<'_> {
    BodySurface {
        rest: &SQUARE,
        triangles: &HALVES,
        strands: &[],
        areas: None,
        two_sided: false,
        samples: &[],
        nodes,
    }
}

#[test]
fn a_square_of_two_triangles_has_five_edges_and_its_area() {
    let mut surface = CollisionSurface::new();
    assert_eq!(surface.add(&square(VertexNodes::Same(&[7, 8, 9, 10]))), Ok(0));
    assert_eq!(surface.edges(), [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]);
    assert!((surface.vertex_areas().iter().sum::<f64>() - 2.0).abs() < 1e-15);
    // Each triangle gives a third to each of its edges: the diagonal has two.
    assert!((surface.edge_areas()[1] - 2.0 / 3.0).abs() < 1e-15);
    assert!((surface.edge_areas().iter().sum::<f64>() - 2.0).abs() < 1e-15);
    assert_eq!(surface.edge_lengths_squared()[1], 5.0);
    assert_eq!(surface.nodes_of(2), (&[9][..], &[1.0][..]));
    assert_eq!(surface.simulated_vertices(), 11);
}

#[test]
fn bodies_are_numbered_and_strands_are_edges() {
    let mut surface = CollisionSurface::new();
    surface.add(&square(VertexNodes::Same(&[0, 1, 2, 3]))).unwrap();
    let strand = BodySurface {
        rest: &SQUARE[..3],
        triangles: &[],
        strands: &[[2, 1], [0, 1], [1, 1]],
        areas: None,
        two_sided: false,
        samples: &[],
        nodes: VertexNodes::Same(&[4, 5, 6]),
    };
    assert_eq!(surface.add(&strand), Ok(1));
    assert_eq!(surface.edges()[5..], [[4, 5], [5, 6]]);
    assert_eq!(surface.bodies(), [0, 0, 0, 0, 1, 1, 1]);
    assert_eq!(surface.edge_areas()[5..], [0.0; 2]);
    assert_eq!(surface.vertex_areas()[4..], [0.0; 3]);
    assert_eq!((surface.body_count(), surface.vertex_count()), (2, 7));
}

#[test]
fn collision_vertices_follow_the_vertices_they_are_made_of() {
    let weights = [0.25, 0.75, 1.0, 0.5, 0.5, 2.0, -1.0];
    let nodes = VertexNodes::Weighted {
        offsets: &[0, 2, 3, 5, 7],
        nodes: &[0, 1, 2, 1, 2, 0, 2],
        weights: &weights,
    };
    let mut surface = CollisionSurface::new();
    surface.add(&square(nodes)).unwrap();
    let x = [[0.0, 0.0, 4.0], [4.0, 0.0, 0.0], [0.0, 8.0, -0.0]];
    let mut y = Vec::new();
    surface.follow(&x, &mut y);
    assert_eq!(y, [[3.0, 0.0, 1.0], [0.0, 8.0, 0.0], [2.0, 4.0, 0.0], [0.0, -8.0, 8.0]]);
    assert!(y[1][2].is_sign_negative(), "a vertex that is simulated keeps its bits");
}

#[test]
fn a_closed_surface_has_euler_s_number_of_edges() {
    let mesh = surface_icosphere(1.0, 3).unwrap();
    let (surface, _) = crate::broad::surface(std::slice::from_ref(&mesh));
    assert_eq!(surface.vertex_count() + surface.triangles().len(), surface.edges().len() + 2);
    assert!((surface.vertex_areas().iter().sum::<f64>() - mesh.area()).abs() < 1e-12);
    assert!((surface.edge_areas().iter().sum::<f64>() - mesh.area()).abs() < 1e-12);
}

#[test]
fn what_cannot_collide_is_refused_with_numbers_and_changes_nothing() {
    let mut surface = CollisionSurface::new();
    let ok = square(VertexNodes::Same(&[0, 1, 2, 3]));
    let refused = [
        (
            BodySurface { triangles: &[[0, 1, 4]], ..ok },
            "triangle 0 names collision vertex 4, but the body has 4",
        ),
        (
            BodySurface { strands: &[[0, 9]], ..ok },
            "strand 0 names collision vertex 9, but the body has 4",
        ),
        (BodySurface { areas: Some(&[[1.0; 3]]), ..ok }, "1 areas for 2"),
        (
            BodySurface { areas: Some(&[[1.0, -2.0, 1.0], [1.0; 3]]), ..ok },
            "area of collision vertex 1 is -2",
        ),
        (BodySurface { nodes: VertexNodes::Same(&[0]), ..ok }, "1 nodes for 4"),
        (
            BodySurface { rest: &[[f64::NAN; 3]; 4], ..ok },
            "rest position of collision vertex 0 is NaN",
        ),
        (
            square(VertexNodes::Weighted {
                offsets: &[0, 1, 2, 3, 4],
                nodes: &[0, 1, 2, 3],
                weights: &[1.0, 1.0, 0.5, 1.0],
            }),
            "weights of collision vertex 2 add up to 0.5, not to 1",
        ),
        (
            square(VertexNodes::Weighted {
                offsets: &[0, 3, 2, 3, 4],
                nodes: &[0, 1, 2, 3],
                weights: &[1.0; 4],
            }),
            "weights of collision vertex 0 add up to 3, not to 1",
        ),
    ];
    for (body, message) in refused {
        let error: SurfaceError = surface.add(&body).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(error.class(), Class::Input);
    }
    assert_eq!((surface.body_count(), surface.vertex_count()), (0, 0));
    assert_eq!(surface.add(&ok), Ok(0));
}

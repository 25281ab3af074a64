//! Points bound to all nodes of quadratic cells: the inverse of the isoparametric map.

use pliant_algebra::vec3::{Vec3, add_scaled, dot, is_finite, norm, norm_squared, scale, sub};
use rayon::prelude::*;

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError};
use crate::isoparametric::{Hex20, Quadratic, Tet10, newton_step};
use crate::spatial::{Aabb, Bvh};
use crate::volume::VolumeMesh;

use super::bind::{ON_SURFACE, check_points, too_far};
use super::{Embedding, GRAIN, Outside, hex, tet};

impl Embedding {
    /// Binds `points` as [`Embedding::bind`] does, in quadratic cells to all nodes by their shape functions at the
    /// point, curved edges included: points follow quadratic motions exactly. A point outside of the mesh has the weights
    /// of the nearest place of its cell, and continues from there by the affine map of the cell's corners.
    ///
    /// # Errors
    /// As [`Embedding::bind`].
    pub fn isoparametric(volume: &VolumeMesh, points: &[Vec3]) -> Result<Embedding, MeshError> {
        match volume.cell_type {
            CellType::Tet4 | CellType::Hex8 => Self::bind(volume, points),
            CellType::Tet10 => bind::<Tet10, 10>(volume, points),
            CellType::Hex20 => bind::<Hex20, 20>(volume, points),
        }
    }
}

fn bind<Q: Quadratic<N>, const N: usize>(
    volume: &VolumeMesh,
    points: &[Vec3],
) -> Result<Embedding, MeshError> {
    volume.validate()?;
    check_points(points)?;
    let at = |cell: usize, origin: Vec3| -> [Vec3; N] {
        let nodes = volume.cell(cell);
        std::array::from_fn(|i| sub(volume.vertices[nodes[i] as usize], origin))
    };
    let solid = |&cell: &usize| Q::least_jacobian(&at(cell, [0.0; 3])) > 0.0;
    let numbers: Vec<usize> = (0..volume.cell_count()).filter(solid).collect();
    if numbers.is_empty() {
        let text = format!("none of {} cells has a volume to embed in", volume.cell_count());
        return Err(MeshError::new(ErrorKind::Geometry, text));
    }
    let boxes: Vec<Aabb> = numbers.iter().map(|&cell| hull::<Q, N>(&at(cell, [0.0; 3]))).collect();
    let tree = Bvh::build(&boxes);
    let find = |&point: &Vec3| {
        let mut best = f64::INFINITY;
        let nearest = tree.nearest(point, f64::INFINITY, |item| {
            if boxes[item as usize].distance_squared(point) > best {
                return f64::INFINITY;
            }
            let distance = closest::<Q, N>(&at(numbers[item as usize], point)).1;
            best = best.min(distance);
            distance
        });
        // There is at least one cell, and even an infinite distance is found.
        let (item, distance) = nearest.unwrap_or((0, f64::INFINITY));
        let cell = numbers[item as usize];
        let origin = volume.vertices[volume.cell(cell)[0] as usize];
        let (xi, _) = closest::<Q, N>(&at(cell, point));
        (cell, weights::<Q, N>(&at(cell, origin), sub(point, origin), xi), distance.sqrt())
    };
    let bound: Vec<(usize, [f64; N], f64)> =
        points.par_iter().with_min_len(GRAIN / 16).map(find).collect();

    let mut embedding = Embedding {
        vertices_per_point: N,
        indices: Vec::with_capacity(points.len() * N),
        weights: Vec::with_capacity(points.len() * N),
        cells: Vec::with_capacity(points.len()),
        outside: Outside::default(),
    };
    let bounds = Aabb::around(volume.vertices.iter().copied());
    let surface = ON_SURFACE * norm(sub(bounds.max, bounds.min));
    for (i, (cell, weights, distance)) in bound.into_iter().enumerate() {
        if !weights.iter().all(|w| w.is_finite()) {
            return Err(too_far(i, points[i]));
        }
        embedding.cells.push(cell as u32);
        embedding.indices.extend(volume.cell(cell));
        embedding.weights.extend(weights);
        if distance > surface {
            embedding.outside.count += 1;
            embedding.outside.largest = embedding.outside.largest.max(distance);
        }
    }
    Ok(embedding)
}

/// ξ of the place of a cell nearest to the origin, and its squared distance: 0 inside. Outside it is the nearest place
/// of the cell of the corners alone where that is nearer than where Newton's method ends; exact for straight edges.
fn closest<Q: Quadratic<N>, const N: usize>(nodes: &[Vec3; N]) -> (Vec3, f64) {
    let (xi, distance) = Q::closest(nodes);
    if distance == 0.0 {
        return (xi, distance);
    }
    let straight = if Q::CELL == CellType::Tet10 {
        let corners = std::array::from_fn(|i| nodes[i]);
        let [_, x, y, z] = tet::weights(&corners, tet::closest(&corners));
        Q::clamp([x, y, z])
    } else {
        hex::closest(&std::array::from_fn(|i| nodes[i])).0
    };
    let other = norm_squared(Q::shape(straight).point(nodes));
    if other < distance { (straight, other) } else { (xi, distance) }
}

/// A box around a cell: of its corners and the ends of the tangents of its edges, 2 m − (a + b)/2, between which
/// curves of degree 2 stay; and somewhat more, as the faces of a hexahedron bulge beyond their edges.
fn hull<Q: Quadratic<N>, const N: usize>(nodes: &[Vec3; N]) -> Aabb {
    let corners = Q::CELL.corners();
    let middles = nodes[corners..].iter().zip(Q::CELL.edges());
    let tangent = |(m, &[a, b]): (&Vec3, &[usize; 2])| -> Vec3 {
        std::array::from_fn(|k| 2.0 * m[k] - 0.5 * (nodes[a][k] + nodes[b][k]))
    };
    let exact = Aabb::around(nodes[..corners].iter().copied().chain(middles.map(tangent)));
    if Q::CELL == CellType::Tet10 {
        return exact;
    }
    let pad = scale(exact.extent(), 0.1);
    Aabb::around([sub(exact.min, pad), add_scaled(exact.max, pad, 1.0)])
}

/// The weights of `point`, whose nearest point in the cell is ξ.
fn weights<Q: Quadratic<N>, const N: usize>(nodes: &[Vec3; N], point: Vec3, xi: Vec3) -> [f64; N] {
    let mut weights = Q::shape(xi).values;
    let corners = Q::CELL.corners();
    let mut affine = [[0.0; 3]; 3];
    for a in 0..corners {
        let slope = Q::corner_slope(a);
        for (column, s) in affine.iter_mut().zip(slope) {
            *column = add_scaled(*column, nodes[a], s);
        }
    }
    // The second round removes what the first one rounded.
    for _ in 0..2 {
        let place = (0..N).fold([0.0; 3], |x, a| add_scaled(x, nodes[a], weights[a]));
        let Some(step) = newton_step(affine, sub(point, place)) else { break };
        for a in 0..corners {
            weights[a] += dot(Q::corner_slope(a), step);
        }
    }
    weights
}

/// Derivatives of the map of a quadratic cell at a point with these weights, N of each; `None` for other cells.
///
/// Shape functions hold linear functions, so that ξ = Σ w ξ_a; outside the derivatives stop at the surface.
pub(super) fn tangents(positions: &[Vec3], indices: &[u32], weights: &[f64]) -> Option<[Vec3; 3]> {
    fn of<Q: Quadratic<N>, const N: usize>(
        positions: &[Vec3],
        indices: &[u32],
        weights: &[f64],
    ) -> [Vec3; 3] {
        let nodes = std::array::from_fn(|a| positions[indices[a] as usize]);
        let xi = (0..N).fold([0.0; 3], |xi, a| add_scaled(xi, Q::node(a), weights[a]));
        let xi = if is_finite(xi) { Q::clamp(xi) } else { [0.0; 3] };
        Q::shape(xi).columns(&nodes)
    }
    match indices.len() {
        10 => Some(of::<Tet10, 10>(positions, indices, weights)),
        20 => Some(of::<Hex20, 20>(positions, indices, weights)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{CellChoice, Cylinder, mapped_block};

    fn bent([x, y, z]: Vec3) -> Vec3 {
        [x + 0.3 * y * z - 0.2 * x * x, y + 0.1 * x * y, z + 0.4 * x * x - 0.1 * z * y]
    }

    fn followed(mesh: &VolumeMesh, points: &[Vec3], moved: &[Vec3]) -> (Embedding, Vec<Vec3>) {
        let bound = Embedding::isoparametric(mesh, points).unwrap();
        let mut found = vec![[0.0; 3]; points.len()];
        bound.interpolate(&mesh.vertices, &mut found);
        for (p, x) in points.iter().zip(&found) {
            assert!(norm(sub(*p, *x)) < 1e-14, "at rest: {p:?} {x:?}");
        }
        bound.interpolate(moved, &mut found);
        (bound, found)
    }

    #[test]
    fn points_of_straight_cells_follow_quadratic_motions() {
        for cell in [CellChoice::Tet10, CellChoice::Hex20] {
            let mesh = mapped_block([2, 3, 2], cell, |p| p).unwrap();
            let points = [[0.2, 0.3, 0.4], [0.0, 0.0, 0.0], [0.5, 1.0, 0.1], [0.77, 0.11, 0.93]];
            let moved: Vec<Vec3> = mesh.vertices.iter().map(|&p| bent(p)).collect();
            let (bound, found) = followed(&mesh, &points, &moved);
            assert_eq!(bound.outside, Outside::default());
            for (p, x) in points.iter().zip(&found) {
                assert!(norm(sub(*x, bent(*p))) < 1e-14, "{cell}: {x:?}");
            }
        }
    }

    #[test]
    fn points_between_chord_and_arc_are_inside_of_curved_cells() {
        for cell in [CellChoice::Tet10, CellChoice::Hex20] {
            let shape = Cylinder { core: 1, rings: 1, layers: 1, cell, ..Default::default() };
            let mesh = shape.generate().unwrap();
            // Four arcs of a right angle: the chord is at 0.707 of the radius.
            let points =
                [[0.0, 0.49, 0.3], [0.48, 0.02, 0.77], [0.25, 0.25, 0.5], [0.1, -0.2, 0.2]];
            let affine =
                |[x, y, z]: Vec3| [1.2 * x + 0.1 * y, 0.9 * y - 0.2 * z + 1.0, z + 0.3 * x];
            let moved: Vec<Vec3> = mesh.vertices.iter().map(|&p| affine(p)).collect();
            let (bound, found) = followed(&mesh, &points, &moved);
            assert_eq!(bound.outside.count, 0, "{cell}");
            for (p, x) in points.iter().zip(&found) {
                assert!(norm(sub(*x, affine(*p))) < 1e-14, "{cell}: {x:?}");
            }
            let corners = Embedding::bind(&mesh, &points[..1]).unwrap();
            assert!(corners.outside.largest > 0.1, "{cell}");
        }
    }

    #[test]
    fn points_outside_go_on_with_the_affine_map_of_the_corners() {
        for cell in [CellChoice::Tet10, CellChoice::Hex20] {
            let mesh = mapped_block([1, 1, 1], cell, |p| p).unwrap();
            let points = [[-0.1, 0.2, 0.2], [0.5, 1.5, 0.5]];
            let affine = |[x, y, z]: Vec3| [1.2 * x + 0.1 * y, 0.9 * y - 0.2 * z, z + 0.3 * x];
            let moved: Vec<Vec3> = mesh.vertices.iter().map(|&p| affine(p)).collect();
            let (bound, found) = followed(&mesh, &points, &moved);
            assert_eq!(bound.outside.count, 2);
            assert!((bound.outside.largest - 0.5).abs() < 1e-9, "{:?}", bound.outside);
            for (p, x) in points.iter().zip(&found) {
                assert!(norm(sub(*x, affine(*p))) < 1e-14, "{cell}: {x:?}");
            }
        }
    }

    #[test]
    fn normals_of_curved_cells_turn_with_them() {
        for cell in [CellChoice::Tet10, CellChoice::Hex20] {
            let mesh = Cylinder { cell, ..Default::default() }.generate().unwrap();
            let (points, normals) = ([[0.0, 0.4, 0.5]], [[0.0, 1.0, 0.0]]);
            let bound = Embedding::isoparametric(&mesh, &points).unwrap();
            // A turn by a quarter about x.
            let moved: Vec<Vec3> = mesh.vertices.iter().map(|&[x, y, z]| [x, -z, y]).collect();
            let mut found = [[0.0; 3]];
            bound.interpolate_normals(&mesh.vertices, &moved, &normals, &mut found);
            assert!(norm(sub(found[0], [0.0, 0.0, 1.0])) < 1e-12, "{cell}: {found:?}");
        }
    }
}

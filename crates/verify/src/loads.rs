//! Loads on faces: nodal forces ∫ N t dA over the surface at rest, for faces of every element.

use pliant_algebra::vec3::{Vec3, add_scaled, cross, norm};
use pliant_elements::gauss_legendre;
use pliant_mesh::VolumeMesh;
use pliant_mesh::cell::{CellType, HEX_FACES, TET_EDGES, TET_FACES};

/// The faces all of whose corners are chosen, outward: 3, 4 or 6 vertices each, middle nodes after corners.
pub(crate) fn faces(mesh: &VolumeMesh, chosen: &[u32]) -> Vec<Vec<u32>> {
    let mut on = vec![false; mesh.vertex_count()];
    for &v in chosen {
        on[v as usize] = true;
    }
    let mut found = Vec::new();
    for cell in mesh.cells() {
        let lists: Vec<Vec<usize>> = match mesh.cell_type {
            CellType::Tet4 => TET_FACES.iter().map(|f| f.to_vec()).collect(),
            CellType::Hex8 => HEX_FACES.iter().map(|f| f.to_vec()).collect(),
            CellType::Tet10 => TET_FACES
                .iter()
                .map(|&[a, b, c]| {
                    let middle = |i: usize, j: usize| {
                        let is = |e: &[usize; 2]| *e == [i, j] || *e == [j, i];
                        4 + TET_EDGES.iter().position(is).unwrap_or(0)
                    };
                    vec![a, b, c, middle(a, b), middle(b, c), middle(c, a)]
                })
                .collect(),
        };
        for list in lists {
            if list.iter().all(|&i| on[cell[i] as usize]) {
                found.push(list.iter().map(|&i| cell[i]).collect());
            }
        }
    }
    found
}

/// Nodal forces of a traction t(x, n) on the faces between chosen vertices, n the normal of length 1.
pub(crate) fn traction(
    mesh: &VolumeMesh,
    chosen: &[u32],
    traction: impl Fn(Vec3, Vec3) -> Vec3,
) -> Vec<Vec3> {
    let mut forces = vec![[0.0; 3]; mesh.vertex_count()];
    for face in faces(mesh, chosen) {
        for (at, weight) in rule(face.len()) {
            let (values, slopes) = shape(face.len(), at);
            let (mut x, mut along) = ([0.0; 3], [[0.0; 3]; 2]);
            for (k, &v) in face.iter().enumerate() {
                let p = mesh.vertices[v as usize];
                x = add_scaled(x, p, values[k]);
                along = [0, 1].map(|i| add_scaled(along[i], p, slopes[k][i]));
            }
            let normal = cross(along[0], along[1]);
            let area = norm(normal);
            let t = traction(x, normal.map(|c| c / area));
            for (k, &v) in face.iter().enumerate() {
                let force = &mut forces[v as usize];
                *force = add_scaled(*force, t, values[k] * area * weight);
            }
        }
    }
    forces
}

/// The faces for pressures that follow them: triangles, quadrilaterals, four triangles of each quadratic one.
pub(crate) fn flat_faces(mesh: &VolumeMesh, chosen: &[u32]) -> Vec<Vec<u32>> {
    let split = |f: Vec<u32>| match f.len() {
        6 => [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]
            .iter()
            .map(|t| t.iter().map(|&k| f[k]).collect())
            .collect(),
        _ => vec![f],
    };
    faces(mesh, chosen).into_iter().flat_map(split).collect()
}

/// Points and weights on the reference face of so many nodes.
fn rule(nodes: usize) -> Vec<([f64; 2], f64)> {
    let line = gauss_legendre(4);
    let mut points = Vec::new();
    for &(a, u) in &line {
        for &(b, v) in &line {
            points.push(if nodes == 4 {
                ([a, b], u * v)
            } else {
                // The square collapsed to the triangle.
                let (s, t) = (0.5 * (1.0 + a), 0.5 * (1.0 + b));
                ([s, t * (1.0 - s)], 0.25 * u * v * (1.0 - s))
            });
        }
    }
    points
}

/// Shape functions of a face and their derivatives.
fn shape(nodes: usize, [a, b]: [f64; 2]) -> (Vec<f64>, Vec<[f64; 2]>) {
    if nodes == 4 {
        let signs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        return (
            signs.iter().map(|[s, t]| 0.25 * (1.0 + s * a) * (1.0 + t * b)).collect(),
            signs
                .iter()
                .map(|[s, t]| [0.25 * s * (1.0 + t * b), 0.25 * t * (1.0 + s * a)])
                .collect(),
        );
    }
    let l = [1.0 - a - b, a, b];
    let g = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
    if nodes == 3 {
        return (l.to_vec(), g.to_vec());
    }
    let mut values: Vec<f64> = l.iter().map(|l| l * (2.0 * l - 1.0)).collect();
    let mut slopes: Vec<[f64; 2]> = (0..3).map(|k| g[k].map(|g| (4.0 * l[k] - 1.0) * g)).collect();
    for [i, j] in [[0, 1], [1, 2], [2, 0]] {
        values.push(4.0 * l[i] * l[j]);
        slopes.push([0, 1].map(|k| 4.0 * (l[i] * g[j][k] + l[j] * g[i][k])));
    }
    (values, slopes)
}

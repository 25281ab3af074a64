//! Binding points to the cells they are in, or nearest to.

use pliant_algebra::vec3::{Vec3, is_finite, norm, sub};
use rayon::prelude::*;

use crate::cell::CellType;
use crate::error::{ErrorKind, MeshError};
use crate::spatial::{Aabb, Bvh};
use crate::volume::VolumeMesh;

use super::{Embedding, GRAIN, Outside, hex, tet};

/// Points nearer to the mesh than this part of its diagonal count as inside.
pub(super) const ON_SURFACE: f64 = 1e-10;

/// One bound point.
struct Bound {
    cell: u32,
    weights: [f64; 8],
    distance: f64,
}

impl Embedding {
    /// Binds `points` to `volume`, each to the cell that contains it, or else to the nearest one; of
    /// equals, to the one with the lowest number. Cells without volume are left out. A quadratic
    /// mesh serves by the corners of its cells alone: see [`Embedding::isoparametric`].
    ///
    /// # Errors
    /// If the mesh has no cell with a volume, or a point is not finite or too far away for numbers.
    pub fn bind(volume: &VolumeMesh, points: &[Vec3]) -> Result<Embedding, MeshError> {
        volume.validate()?;
        check_points(points)?;
        let cells = Cells::new(volume)?;
        let bound: Vec<Bound> =
            points.par_iter().with_min_len(GRAIN / 16).map(|&p| cells.bind(p)).collect();
        let corners = volume.cell_type.corners();
        let mut embedding = Embedding {
            vertices_per_point: corners,
            indices: Vec::with_capacity(points.len() * corners),
            weights: Vec::with_capacity(points.len() * corners),
            cells: Vec::with_capacity(points.len()),
            outside: Outside::default(),
        };
        let bounds = Aabb::around(volume.vertices.iter().copied());
        let surface = ON_SURFACE * norm(sub(bounds.max, bounds.min));
        for (i, Bound { cell, weights, distance }) in bound.into_iter().enumerate() {
            if !weights.iter().all(|w| w.is_finite()) {
                return Err(too_far(i, points[i]));
            }
            embedding.cells.push(cell);
            embedding.indices.extend(&volume.cell(cell as usize)[..corners]);
            embedding.weights.extend(&weights[..corners]);
            if distance > surface {
                embedding.outside.count += 1;
                embedding.outside.largest = embedding.outside.largest.max(distance);
            }
        }
        Ok(embedding)
    }
}

/// Refuses points that are not finite.
pub(super) fn check_points(points: &[Vec3]) -> Result<(), MeshError> {
    let Some(i) = points.iter().position(|&p| !is_finite(p)) else { return Ok(()) };
    let text = format!("point {i} to embed is at {:?}", points[i]);
    Err(MeshError::new(ErrorKind::NotFinite, text))
}

/// A point that f64 cannot bind.
pub(super) fn too_far(i: usize, point: Vec3) -> MeshError {
    let text = format!("point {i} at {point:?} is too far from the mesh");
    MeshError::new(ErrorKind::Geometry, text).hint("do the two have the same units?")
}

/// The cells that have a volume, ready for search.
struct Cells<'a> {
    volume: &'a VolumeMesh,
    /// Numbers of those cells, ascending.
    numbers: Vec<u32>,
    boxes: Vec<Aabb>,
    tree: Bvh,
}

impl<'a> Cells<'a> {
    fn new(volume: &'a VolumeMesh) -> Result<Self, MeshError> {
        let (mut numbers, mut boxes) = (Vec::new(), Vec::new());
        for cell in 0..volume.cell_count() {
            let flat = match volume.cell_type {
                CellType::Tet4 | CellType::Tet10 => {
                    tet::is_flat(tet::edges(&corners(volume, cell, [0.0; 3])))
                }
                CellType::Hex8 | CellType::Hex20 => {
                    hex::is_degenerate(&corners(volume, cell, [0.0; 3]))
                }
            };
            if !flat {
                numbers.push(cell as u32);
                let nodes = &volume.cell(cell)[..volume.cell_type.corners()];
                boxes.push(Aabb::around(nodes.iter().map(|&v| volume.vertices[v as usize])));
            }
        }
        if numbers.is_empty() {
            let text = format!("none of {} cells has a volume to embed in", volume.cell_count());
            return Err(MeshError::new(ErrorKind::Geometry, text));
        }
        let tree = Bvh::build(&boxes);
        Ok(Cells { volume, numbers, boxes, tree })
    }

    fn bind(&self, point: Vec3) -> Bound {
        let mut best = f64::INFINITY;
        let nearest = self.tree.nearest(point, f64::INFINITY, |item| {
            if self.boxes[item as usize].distance_squared(point) > best {
                return f64::INFINITY;
            }
            let cell = self.numbers[item as usize] as usize;
            let distance = match self.volume.cell_type {
                CellType::Tet4 | CellType::Tet10 => {
                    tet::distance_squared(&corners(self.volume, cell, point))
                }
                CellType::Hex8 | CellType::Hex20 => {
                    hex::closest(&corners(self.volume, cell, point)).1
                }
            };
            best = best.min(distance);
            distance
        });
        // There is at least one cell, and even an infinite distance is found.
        let (item, distance) = nearest.unwrap_or((0, f64::INFINITY));
        let cell = self.numbers[item as usize];
        // Weights are found relative to a corner of the cell, however far away the point is.
        let origin = self.volume.vertices[self.volume.cell(cell as usize)[0] as usize];
        let local = sub(point, origin);
        let mut weights = [0.0; 8];
        match self.volume.cell_type {
            CellType::Tet4 | CellType::Tet10 => {
                let corners = corners(self.volume, cell as usize, origin);
                weights[..4].copy_from_slice(&tet::weights(&corners, local));
            }
            CellType::Hex8 | CellType::Hex20 => {
                let (xi, _) = hex::closest(&corners(self.volume, cell as usize, point));
                weights = hex::weights(&corners(self.volume, cell as usize, origin), local, xi);
            }
        }
        Bound { cell, weights, distance: distance.sqrt() }
    }
}

/// The corners of a cell relative to `origin`.
fn corners<const N: usize>(volume: &VolumeMesh, cell: usize, origin: Vec3) -> [Vec3; N] {
    let nodes = volume.cell(cell);
    std::array::from_fn(|i| sub(volume.vertices[nodes[i] as usize], origin))
}

//! Making a [`Solid`] from a mesh.

use std::sync::Arc;

use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::{F64x8, LANES};
use pliant_algebra::mat3::Mat3;
use pliant_elements::{Element, Point};
use pliant_materials::PointLaw;
use pliant_materials::eight::MOST_PARAMETERS;

use super::chunk::{Elements, Geometry, Layout};
use super::memory::ChunkBranches;
use super::parameters::check_weights;
use super::{Parameters, Parts, Solid};
use crate::assembly::{Assembly, Chunk, Partition};
use crate::cells::Cells;
use crate::error::ForceError;

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// Elements on all cells of the mesh, which is numbered by the user; the model itself works in
    /// the numbering of the partition.
    pub fn new<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        element: E,
        law: Box<dyn PointLaw>,
        parameters: Parameters<'_>,
    ) -> Result<Self, ForceError> {
        Self::on_cells(cells, partition, element, law, parameters, &|_| true)
    }

    /// Elements on the cells for which `chosen` holds: bodies with several laws have a model for each.
    pub fn on_cells<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        element: E,
        law: Box<dyn PointLaw>,
        parameters: Parameters<'_>,
        chosen: &dyn Fn(usize) -> bool,
    ) -> Result<Self, ForceError> {
        let weight = |cell: usize| if chosen(cell) { 1.0 } else { 0.0 };
        Self::build(cells.into(), partition, element, law, parameters, &weight)
    }

    /// Elements whose energy, forces and stiffness count `weights[cell]` times, cells in the user's
    /// numbering: for cells that are only partly filled, and for cubature. Weights must be finite and not
    /// negative; a cell of weight 0 is not part of the model, so that it may invert.
    pub fn weighted<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        element: E,
        law: Box<dyn PointLaw>,
        parameters: Parameters<'_>,
        weights: &[f64],
    ) -> Result<Self, ForceError> {
        let cells = cells.into();
        check_weights(weights, cells)?;
        Self::build(cells, partition, element, law, parameters, &|cell| weights[cell])
    }

    fn build(
        cells: Cells<'_>,
        partition: &Partition,
        element: E,
        law: Box<dyn PointLaw>,
        parameters: Parameters<'_>,
        weight: &dyn Fn(usize) -> f64,
    ) -> Result<Self, ForceError> {
        cells.check_nodes(E::NAME, N)?;
        let count = law.parameters().len();
        if count > MOST_PARAMETERS {
            return Err(ForceError::Unsupported(format!(
                "a law of {count} parameters: at most {MOST_PARAMETERS} are served"
            )));
        }
        parameters.check_points(law.parameters(), cells, E::POINTS.len())?;
        let chunks = (0..partition.chunks())
            .map(|c| build_chunk::<E, N>(cells, partition, c, count, parameters, weight))
            .collect::<Result<Vec<_>, _>>()?;
        let parts = Parts {
            name: format!("{} {}", E::NAME, law.name()),
            law,
            assembly: Assembly::new(cells.vertex_count(), chunks),
            branches: None,
        };
        Ok(Self {
            parts: Arc::new(parts),
            element,
            level: Level::best(),
            bound: None,
            own: None,
            activation: None,
        })
    }
}

fn build_chunk<E: Element<3, N>, const N: usize>(
    cells: Cells<'_>,
    partition: &Partition,
    c: usize,
    count: usize,
    parameters: Parameters<'_>,
    weight: &dyn Fn(usize) -> f64,
) -> Result<Chunk<Elements<N>>, ForceError> {
    let new = partition.vertices().old_to_new();
    let numbers: Vec<u32> =
        partition.cells(c).iter().copied().filter(|&cell| weight(cell as usize) > 0.0).collect();
    let packs = numbers.len().div_ceil(LANES);
    let points = E::POINTS.len();
    let rows = partition.rows(c).clone();
    let (pack_stride, point_stride) = match parameters {
        Parameters::Uniform(_) => (0, 0),
        Parameters::PerRegion(_) | Parameters::PerElement(_) => (count, 0),
        Parameters::PerPoint(_) => (points * count, count),
    };
    let layout = Layout { count, pack_stride, point_stride };
    let lists = if pack_stride == 0 { count } else { packs * pack_stride };
    let mut elements = Elements {
        nodes: vec![[0; LANES]; packs * N],
        geometry: vec![[F64x8::default(); 10]; packs * points],
        parameters: vec![F64x8::default(); lists],
        layout,
        cells: numbers,
        branches: ChunkBranches::default(),
    };
    for pack in 0..packs {
        for lane in 0..LANES {
            // The last pack is filled up with its last element, without weight.
            let at = pack * LANES + lane;
            let real = at < elements.cells.len();
            let cell = elements.cells[at.min(elements.cells.len() - 1)] as usize;
            let mut nodes = cells.nodes::<N>(cell);
            let weigh = if real { weight(cell) } else { 0.0 };
            if real {
                check_curved::<E, N>(cell, &cells.positions(&nodes))?;
            }
            for (q, point) in E::POINTS.iter().enumerate() {
                let x = cells.positions(&nodes);
                let jacobian = Mat3(E::jacobian(point, &x));
                let volume = jacobian.determinant();
                if volume.is_nan() || volume <= 0.0 {
                    return Err(ForceError::Unsupported(format!(
                        "element {cell} is inverted or flat at rest (det ∂X/∂ξ = {volume:.3e}): `pliant mesh check --fix` turns or removes such cells"
                    )));
                }
                if E::ANY_ORDER && q == 0 {
                    // Ascending in the system, so that no block has to be turned.
                    nodes.sort_unstable_by_key(|&v| new[v as usize]);
                }
                let x = cells.positions(&nodes);
                let jacobian = Mat3(E::jacobian(point, &x));
                let inverse = jacobian.inverse();
                if !inverse.norm_squared().is_finite() {
                    return Err(ForceError::Unsupported(format!(
                        "element {cell} is too flat or too small to have shape gradients (det ∂X/∂ξ = {volume:.3e})"
                    )));
                }
                put_geometry(
                    &mut elements.geometry[pack * points + q],
                    lane,
                    &inverse,
                    weigh * point.weight * volume,
                );
            }
            for a in 0..N {
                let local = rows.local(new[nodes[a] as usize]).ok_or_else(|| {
                    ForceError::Unsupported("the partition is that of another mesh".into())
                })?;
                elements.nodes[pack * N + a][lane] = local;
            }
            if pack_stride == 0 && at > 0 {
                continue; // All lanes of the one list are there already.
            }
            for q in 0..if point_stride == 0 { 1 } else { points } {
                let list = parameters.at(cells, cell, (q, points), count)?;
                for (pack_of, &value) in
                    elements.parameters[layout.at(pack, q)].iter_mut().zip(list)
                {
                    if pack_stride == 0 {
                        *pack_of = F64x8([value; LANES]);
                    } else {
                        pack_of.0[lane] = value;
                    }
                }
            }
        }
    }
    Ok(Chunk { rows, data: elements })
}

/// Refuses a curved element whose map folds at a node, though it may be right at all points of the rule.
fn check_curved<E: Element<3, N>, const N: usize>(
    cell: usize,
    x: &[[f64; 3]; N],
) -> Result<(), ForceError> {
    if E::CURVED_CHECKS.is_empty() || E::is_affine(x) {
        return Ok(());
    }
    for (a, &at) in E::CURVED_CHECKS.iter().enumerate() {
        let point = Point { at, weight: 0.0, values: [0.0; N], gradients: E::gradients(at) };
        let volume = Mat3(E::jacobian(&point, x)).determinant();
        if volume.is_nan() || volume <= 0.0 {
            return Err(ForceError::Unsupported(format!(
                "{} element {cell} is folded at its node {a} (det ∂X/∂ξ = {volume:.3e}): its edges are too curved for its size; move its middle nodes towards the middles of their edges, or mesh finer there",
                E::NAME
            )));
        }
    }
    Ok(())
}

fn put_geometry(geometry: &mut Geometry, lane: usize, inverse: &Mat3<f64>, weight: f64) {
    for i in 0..3 {
        for j in 0..3 {
            geometry[3 * i + j].0[lane] = inverse.0[i][j];
        }
    }
    geometry[9].0[lane] = weight;
}

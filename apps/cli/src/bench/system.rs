//! The linear system of a benchmark: M + H²K of a body, most often with a 90° twist and 10 % stretch, its
//! first 1 % fixed.

use std::path::Path;

use pliant::algebra::sparse::{BlockMatrix, Product};
use pliant::forces::{Ask, Configuration, Workspace};
use pliant::mesh::measure::{bounding_box, longest_axis};
use pliant::solvers::{Constraints, Layout};

use super::body::Body;
use crate::arguments::MaterialFlags;
use crate::context::Context;
use crate::failure::Failure;

/// kg/m³
pub(super) const DENSITY: f64 = 1000.0;

/// Matrix, right-hand side, and what orderings may use.
pub(crate) struct System {
    pub(crate) matrix: BlockMatrix,
    pub(crate) b: Vec<[f64; 3]>,
    positions: Vec<[f64; 3]>,
    elements: Vec<u32>,
    nodes: usize,
    pub(crate) cells: usize,
    pub(crate) fixed: usize,
}

impl System {
    pub(crate) fn new(
        file: &Path,
        flags: &MaterialFlags,
        step: f64,
        context: &Context,
    ) -> Result<Self, Failure> {
        check_step(step)?;
        let body = Body::new(file, flags, None, context)?;
        let x = body.twisted();
        Self::of(&body, &x, step)
    }

    /// The system of a body that is there already, with its vertices at `x`.
    pub(crate) fn of(body: &Body, x: &[[f64; 3]], step: f64) -> Result<Self, Failure> {
        check_step(step)?;
        let v = vec![[0.0; 3]; x.len()];
        let mut matrix = body.element.consistent_mass(
            &body.mesh,
            &body.partition,
            &|_| DENSITY,
            body.pattern(),
        )?;
        let mut ask = Ask {
            tangent: Some(&mut matrix.values),
            position_weight: step * step,
            ..Ask::default()
        };
        body.model()?.evaluate(&Configuration::new(x, &v, 0.0), &mut ask, &mut Workspace::new())?;
        // The solution is known: displacements that grow along the body.
        let positions = body.rest();
        let expected: Vec<[f64; 3]> =
            positions.iter().map(|p| [p[0], p[1] * p[0], 0.5 - p[2]]).collect();
        let mut b = vec![[0.0; 3]; x.len()];
        Product::new(body.pattern()).apply(&matrix.values, &expected, &mut b);

        let (bounds, axis) = (bounding_box(&body.mesh), longest_axis(&body.mesh));
        let end = bounds.min[axis] + 0.01 * (bounds.max[axis] - bounds.min[axis]);
        let mut fixed = Constraints::new();
        for (i, p) in positions.iter().enumerate().filter(|(_, p)| p[axis] <= end) {
            fixed.fix(i as u32, expected[i]).map_err(Failure::from)?;
            debug_assert!(p[axis] <= end);
        }
        fixed.project(&mut matrix, &mut b)?;
        let nodes = body.mesh.cell_type.nodes();
        let mut elements: Vec<u32> = body.mesh.cells().flatten().copied().collect();
        let new = body.partition.vertices().old_to_new();
        for v in &mut elements {
            *v = new[*v as usize];
        }
        let cells = body.mesh.cell_count();
        Ok(Self { matrix, b, positions, elements, nodes, cells, fixed: fixed.vertices().len() })
    }

    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout { positions: Some(&self.positions), elements: Some((&self.elements, self.nodes)) }
    }
}

pub(super) fn check_step(step: f64) -> Result<(), Failure> {
    if step.is_finite() && step > 0.0 {
        return Ok(());
    }
    Err(Failure::Input(format!("--step {step}: a positive time is needed")))
}

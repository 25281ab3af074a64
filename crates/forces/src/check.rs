//! [`finite_difference_check`]: whether a model's gradient and tangent are the derivatives of its
//! energy and gradient. For the models here and for users' own.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{Vec3, dot};

use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::slots::Slots;
use crate::workspace::Workspace;

/// Errors at one step of the sweep, relative to what is differentiated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepErrors {
    /// The difference step, m.
    pub step: f64,
    /// |ΔΠ/2h − g·d| / |g·d|, absent without an energy.
    pub gradient: Option<f64>,
    /// ‖Δg/2h − K d‖ / ‖K d‖
    pub tangent: f64,
}

/// What the check found.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferenceReport {
    /// One entry for each step, as given: errors fall with the square of the step until rounding
    /// takes over.
    pub steps: Vec<StepErrors>,
}

impl DifferenceReport {
    /// The smallest error of the gradient over all steps, if there is an energy.
    pub fn best_gradient(&self) -> Option<f64> {
        self.steps.iter().filter_map(|s| s.gradient).reduce(f64::min)
    }
    /// The smallest error of the tangent over all steps.
    pub fn best_tangent(&self) -> f64 {
        self.steps.iter().map(|s| s.tangent).fold(f64::INFINITY, f64::min)
    }
}

/// Compares derivatives with central differences along `direction` (one entry a vertex, m per unit
/// step) at each of `steps`. The model is bound to a matrix of its own and stays bound to it.
pub fn finite_difference_check(
    model: &mut dyn ForceModel,
    at: &Configuration<'_>,
    direction: &[Vec3],
    steps: &[f64],
) -> Result<DifferenceReport, ForceError> {
    let n = at.x.len();
    if direction.len() != n {
        return Err(ForceError::Unsupported(format!(
            "a direction of {} entries for {n} vertices",
            direction.len()
        )));
    }
    let character = model.character();
    let couplings = |couple: &mut dyn FnMut(u32, u32)| model.couplings(couple);
    let pattern = if character.symmetric {
        Pattern::symmetric(n, couplings)
    } else {
        Pattern::unsymmetric(n, couplings)
    };
    let pattern = Arc::new(pattern.map_err(|e| ForceError::Unsupported(e.to_string()))?);
    let name = model.name().to_owned();
    model.bind(&Slots::new(&pattern, 0, &name))?;
    let has_energy = character.has_potential() && character.has_energy();
    let mut work = Workspace::new();
    let mut matrix = BlockMatrix::zero(pattern.clone());
    let mut gradient = vec![[0.0; 3]; n];
    let mut ask = Ask {
        gradient: Some(&mut gradient),
        tangent: Some(&mut matrix.values),
        position_weight: 1.0,
        ..Ask::default()
    };
    model.evaluate(at, &mut ask, &mut work)?;
    let mut exact = vec![[0.0; 3]; n];
    Product::new(&pattern).apply(&matrix.values, direction, &mut exact);
    let slope: f64 = gradient.iter().zip(direction).map(|(&g, &d)| dot(g, d)).sum();

    let mut report = DifferenceReport { steps: Vec::with_capacity(steps.len()) };
    for &step in steps {
        let mut side = |sign: f64| -> Result<(f64, Vec<Vec3>), ForceError> {
            let moved = |(x, d): (&Vec3, &Vec3)| std::array::from_fn(|k| x[k] + sign * step * d[k]);
            let x: Vec<Vec3> = at.x.iter().zip(direction).map(moved).collect();
            let moved = Configuration { x: &x, ..*at };
            let mut energy = 0.0;
            let mut g = vec![[0.0; 3]; n];
            let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
            if has_energy {
                ask.energy = Some(&mut energy);
            }
            model.evaluate(&moved, &mut ask, &mut work)?;
            Ok((energy, g))
        };
        let (after, g_after) = side(1.0)?;
        let (before, g_before) = side(-1.0)?;
        let (mut off, mut size) = (0.0, 0.0);
        for i in 0..n {
            for k in 0..3 {
                let difference = (g_after[i][k] - g_before[i][k]) / (2.0 * step);
                off += (difference - exact[i][k]).powi(2);
                size += exact[i][k].powi(2);
            }
        }
        let gradient = has_energy
            .then(|| relative(((after - before) / (2.0 * step) - slope).abs(), slope.abs()));
        report.steps.push(StepErrors {
            step,
            gradient,
            tangent: relative(off.sqrt(), size.sqrt()),
        });
    }
    Ok(report)
}

/// off / size, and off itself where there is nothing to compare with.
fn relative(off: f64, size: f64) -> f64 {
    if size > 0.0 { off / size } else { off }
}

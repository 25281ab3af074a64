//! St. Venant-Kirchhoff tetrahedra in cubic-polynomial form (Vega section 4.2, after Barbič 2007).
//!
//! The energy of a St. Venant-Kirchhoff body is a quartic polynomial of the displacements, so forces
//! are cubic and stiffness is quadratic in them, and third derivatives are exact and cheap: model
//! reduction, modal derivatives and Rayleigh damping by the current stiffness want those.
//!
//! The numbers are those of the direct form (`StVenantKirchhoff` on `Tet4`) but for rounding: the
//! polynomial is in displacements, so a body that has turned far sums large terms into small ones
//! and loses as many digits.

mod tet;
mod third;

pub use tet::{ForceParts, TetPolynomial};
pub use third::ThirdDerivative;

use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Tet4};
use pliant_materials::st_venant_kirchhoff::StVenantKirchhoff;
use pliant_materials::{Law, Tangent};

use crate::assembly::{Partition, stable_step};
use crate::cells::Cells;
use crate::character::{Character, Inversion};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::inspection::Inspection;
use crate::model::{Ask, ForceModel};
use crate::slots::Slots;
use crate::solid::{Parameters, check_weights};
use crate::stencils::{Local, RestPoint, Stencils};
use crate::workspace::Workspace;
use crate::worst::{Worst, deformation_gradient};
use tet::displacements;

/// The name of the law in scenes and messages.
pub const NAME: &str = "st-venant-kirchhoff-polynomial";

/// The force model. See the [module](self).
#[derive(Debug)]
pub struct PolynomialStVenantKirchhoff {
    stencils: Stencils<TetPolynomial, 4>,
    /// In system numbering, m.
    rest: Vec<Vec3>,
}

impl PolynomialStVenantKirchhoff {
    /// Elements on all cells of a tet4 mesh, which is numbered by the user; the model itself works in
    /// the numbering of the partition. Parameters are λ and μ, Pa.
    pub fn new<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        parameters: Parameters<'_>,
    ) -> Result<Self, ForceError> {
        Self::on_cells(cells, partition, parameters, &|_| true)
    }

    /// Elements on the cells for which `chosen` holds.
    pub fn on_cells<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        parameters: Parameters<'_>,
        chosen: &dyn Fn(usize) -> bool,
    ) -> Result<Self, ForceError> {
        let weight = |cell: usize| if chosen(cell) { 1.0 } else { 0.0 };
        Self::build(cells.into(), partition, parameters, &weight)
    }

    /// Elements that count `weights[cell]` times; see [`Solid::weighted`](crate::Solid::weighted).
    pub fn weighted<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        parameters: Parameters<'_>,
        weights: &[f64],
    ) -> Result<Self, ForceError> {
        let cells = cells.into();
        check_weights(weights, cells)?;
        Self::build(cells, partition, parameters, &|cell| weights[cell])
    }

    fn build(
        cells: Cells<'_>,
        partition: &Partition,
        parameters: Parameters<'_>,
        weight: &dyn Fn(usize) -> f64,
    ) -> Result<Self, ForceError> {
        let names = StVenantKirchhoff::PARAMETERS;
        parameters.check(names, cells)?;
        let stencils = Stencils::new(cells, partition, true, |cell, rest| {
            let factor = weight(cell);
            if factor == 0.0 {
                return Ok(None);
            }
            let p = parameters.of(cells, cell, names.len())?;
            let RestPoint { shape, weight } =
                RestPoint::new::<Tet4, 3>(cell, &Tet4::POINTS[0], rest)?;
            Ok(Some(TetPolynomial::new(shape, factor * weight, p[0], p[1])))
        })?;
        Ok(Self { stencils, rest: partition.vertices().apply(cells.rest()) })
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.stencils.len()
    }

    /// Adds the second derivative of the forces along two directions, Σ ∂²g/∂x∂x : d ⊗ e (N for
    /// directions in m), to `out`. Directions have an entry for each vertex.
    pub fn second_derivative(
        &mut self,
        at: &Configuration<'_>,
        d: &[Vec3],
        e: &[Vec3],
        out: &mut [Vec3],
    ) -> Result<(), ForceError> {
        let mut ask = Ask { gradient: Some(out), ..Ask::default() };
        let fields = [at.x, &self.rest, d, e];
        self.stencils.add(
            NAME,
            fields,
            &mut ask,
            &mut Workspace::new(),
            &|tet, [x, rest, d, e], local| {
                local.gradient = tet.third_derivative(&displacements(x, rest)).contract(d, e);
            },
        )
    }

    /// Adds `weight` times the change of the stiffness along a direction, Σ ∂K/∂x d, to the matrix
    /// that the model is bound to.
    pub fn stiffness_derivative(
        &mut self,
        at: &Configuration<'_>,
        d: &[Vec3],
        weight: f64,
        tangent: &mut [Block],
    ) -> Result<(), ForceError> {
        let mut ask = Ask { tangent: Some(tangent), ..Ask::default() };
        let fields = [at.x, &self.rest, d];
        self.stencils.add(
            NAME,
            fields,
            &mut ask,
            &mut Workspace::new(),
            &|tet, [x, rest, d], local| {
                let change = tet.third_derivative(&displacements(x, rest)).along(d);
                local.blocks = change.map(|row| row.map(|block| block.scale(weight).to_array()));
            },
        )
    }

    /// Calls `visit(cell as the user numbers it, its vertices in system numbering, element,
    /// displacements)` for every element: from the last two follow its force by degree, its
    /// stiffness, and the blocks of its third derivative.
    pub fn each_element(
        &self,
        at: &Configuration<'_>,
        mut visit: impl FnMut(usize, [u32; 4], &TetPolynomial, &[Vec3; 4]),
    ) -> Result<(), ForceError> {
        crate::parameter::length("positions", at.x.len(), self.rest.len())?;
        let values = |field: &[Vec3], nodes: [u32; 4]| nodes.map(|v| field[v as usize]);
        self.stencils.each(|cell, nodes, tet| {
            let u = displacements(&values(at.x, nodes), &values(&self.rest, nodes));
            visit(cell, nodes, tet, &u);
        });
        Ok(())
    }
}

/// K with its weight; projected to semi-definite by the eigensystem of the law, if wanted.
fn add_stiffness(
    tet: &TetPolynomial,
    u: &[Vec3; 4],
    (weight, project): (f64, bool),
    local: &mut Local<4>,
) {
    if !project {
        let k = tet.stiffness(u);
        local.blocks = k.map(|row| row.map(|block| block.scale(weight).to_array()));
        return;
    }
    let parameters = [tet.lambda * weight, tet.mu * weight];
    let f = tet.deformation_gradient(u);
    // λ V and μ V stand for the constants: the tangent is linear in them. A negative weight turns
    // the sign of what is projected.
    let sign = weight.signum();
    let (_, tangent) =
        StVenantKirchhoff.stress_and_tangent(&parameters.map(|p| p * sign), &f, true);
    let nodes = tet.n.map(|n| tangent.node(n));
    for a in 0..4 {
        for b in a..4 {
            local.blocks[a][b] = tangent.block(&nodes[a], &nodes[b]).scale(sign).to_array();
        }
    }
}

impl ForceModel for PolynomialStVenantKirchhoff {
    fn name(&self) -> &'static str {
        NAME
    }

    fn character(&self) -> Character {
        Character { inversion: Inversion::Unfit, ..Character::ELEMENTS }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.stencils.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.stencils.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let forces = ask.energy.is_some() || ask.gradient.is_some();
        let tangent = ask.tangent.is_some() && ask.position_weight != 0.0;
        let how = (ask.position_weight, ask.project);
        self.stencils.add(NAME, [at.x, &self.rest], ask, work, &|tet, [x, rest], local| {
            let u = displacements(x, rest);
            if forces {
                let parts = tet.force_parts(&u);
                local.energy = parts.energy(&u);
                local.gradient = parts.total();
            }
            if tangent {
                add_stiffness(tet, &u, how, local);
            }
        })
    }

    /// 2/ω with ω² bounded by rows of block norms. It allocates.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let fields = [at.x, &self.rest];
        let omega_squared = self.stencils.largest_row(fields, mass, &|tet, [x, rest], local| {
            add_stiffness(tet, &displacements(x, rest), (1.0, false), local);
        });
        stable_step(omega_squared, 0.0)
    }

    fn worst(&self, x: &[Vec3]) -> Option<Worst> {
        self.stencils.worst(x, |tet, x| deformation_gradient(x, &tet.n))
    }

    fn inspect(&self, x: &[Vec3], _: &mut Workspace) -> Result<Inspection, ForceError> {
        self.stencils.inspect(x, |tet, x| deformation_gradient(x, &tet.n))
    }
}

//! [`CorotatedLeast`]: the frame of least nodal displacements.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::polar3::{RotationDerivative, polar3};
use pliant_algebra::vec3::Vec3;

use super::element::{CorotatedTet, Turn, Wanted};
use super::{FrameRule, FrameTangent};
use crate::assembly::{Partition, stable_step};
use crate::cells::Cells;
use crate::character::{Character, Energy};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::inspection::Inspection;
use crate::model::{Ask, ForceModel};
use crate::slots::Slots;
use crate::solid::Parameters;
use crate::stencils::{Local, Stencils};
use crate::workspace::Workspace;
use crate::worst::Worst;

const NAME: &str = "corotational tetrahedra of least displacement";

/// Corotational tet4 elements whose frame makes the corotated displacements of their nodes least
/// ([`FrameRule::LeastDisplacement`]).
///
/// The frame comes from the true second moments M of the element's nodes at rest: R is the polar
/// rotation of A = F M. For a regular tetrahedron, and to first order in displacements for all, the
/// forces are those of the polar frame. Flat and inverted elements are served.
///
/// **Not the gradient of an energy**: the elastic energy of ε is not stationary in R, and its change
/// is left out. [`Ask::project`] gives the tangent of [`FrameTangent::Frozen`], which is semi-definite.
#[derive(Debug)]
pub struct CorotatedLeast {
    stencils: Stencils<CorotatedTet, 4>,
    tangent: FrameTangent,
}

impl CorotatedLeast {
    /// Elements on the cells of a tet4 mesh for which `chosen` holds. Parameters are λ and μ, Pa.
    pub fn new<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        parameters: Parameters<'_>,
        tangent: FrameTangent,
        chosen: &dyn Fn(usize) -> bool,
    ) -> Result<Self, ForceError> {
        let cells = cells.into();
        parameters.check(&["lambda", "mu"], cells)?;
        let rule = FrameRule::LeastDisplacement;
        let symmetric = tangent == FrameTangent::Frozen;
        let stencils = Stencils::new(cells, partition, symmetric, |cell, rest| {
            if !chosen(cell) {
                return Ok(None);
            }
            CorotatedTet::new(cell, rest, parameters.of(cells, cell, 2)?, rule).map(Some)
        })?;
        Ok(Self { stencils, tangent })
    }

    /// Calls `visit(cell as the user numbers it, R)` for every element.
    pub fn each_frame(
        &self,
        at: &Configuration<'_>,
        mut visit: impl FnMut(usize, Mat3<f64>),
    ) -> Result<(), ForceError> {
        crate::parameter::state_length(NAME, at, self.stencils.vertices())?;
        self.stencils.each(|cell, nodes, tet| {
            let x = nodes.map(|v| at.x[v as usize]);
            visit(cell, polar3(&tet.frame_matrix(&x)).rotation);
        });
        Ok(())
    }
}

fn add_element(
    tet: &CorotatedTet,
    x: &[Vec3; 4],
    frames: &[Vec3; 4],
    exact: bool,
    wanted: Wanted,
    local: &mut Local<4>,
) {
    let polar = polar3(&tet.frame_matrix(frames));
    let r = polar.rotation;
    if !exact {
        return tet.add(x, &r, &[], wanted, local);
    }
    // Rᵀ δR = [w]× with w = (tr S − S)⁻¹ axial(RᵀδA), and axial(Rᵀ δx zᵀ) = z × Rᵀδx. In space the
    // frame turns about R w.
    let derivative = RotationDerivative::new(&polar, RotationDerivative::<f64>::FLOOR);
    let rates = tet.z.map(|z| *derivative.inverse() * Mat3::cross_matrix(z).mul_transpose(&r));
    let turns = [0, 1, 2].map(|k| Turn { axis: r.column(k), rates: rates.map(|w| w.0[k]) });
    tet.add(x, &r, &turns, wanted, local);
}

impl ForceModel for CorotatedLeast {
    fn name(&self) -> &'static str {
        NAME
    }

    fn character(&self) -> Character {
        Character {
            symmetric: self.tangent == FrameTangent::Frozen,
            energy: Energy::None,
            holds_frames: true,
            ..Character::ELEMENTS
        }
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
        if ask.energy.is_some() {
            return Err(ForceError::Unsupported(format!("{NAME} have no energy")));
        }
        let wanted = Wanted {
            forces: ask.gradient.is_some(),
            weight: ask.tangent.is_some().then_some(ask.position_weight),
        };
        // Frames that are held do not turn.
        let exact = self.tangent == FrameTangent::Exact && !ask.project && at.frames.is_none();
        let exact = exact && wanted.weight.is_some();
        let fields = [at.x, at.frames.unwrap_or(at.x)];
        self.stencils.add(NAME, fields, ask, work, &|tet, [x, frames], local| {
            add_element(tet, x, frames, exact, wanted, local);
        })
    }

    /// 2/ω with ω² bounded by rows of block norms, frames held. It allocates.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let wanted = Wanted { forces: false, weight: Some(1.0) };
        let omega_squared = self.stencils.largest_row([at.x], mass, &|tet, [x], local| {
            add_element(tet, x, x, false, wanted, local);
        });
        stable_step(omega_squared, 0.0)
    }

    fn worst(&self, x: &[Vec3]) -> Option<Worst> {
        self.stencils.worst(x, CorotatedTet::deformation_gradient)
    }

    fn inspect(&self, x: &[Vec3], _: &mut Workspace) -> Result<Inspection, ForceError> {
        self.stencils.inspect(x, CorotatedTet::deformation_gradient)
    }
}

//! [`CorotatedFixed`]: corotational elements at the fixed boundary.

use pliant_algebra::mat3::{Mat3, cross, dot};
use pliant_algebra::polar3::rotation3;
use pliant_algebra::vec3::{Vec3, add_scaled, normalized, scale, sub};

use super::element::{CorotatedTet, Turn, Wanted};
use super::{FrameRule, FrameTangent};
use crate::assembly::{Partition, stable_step};
use crate::cells::Cells;
use crate::character::{Character, Energy};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::inspection::Inspection;
use crate::model::{Ask, ForceModel};
use crate::parameter::vertices;
use crate::slots::Slots;
use crate::solid::Parameters;
use crate::stencils::{Local, Stencils};
use crate::workspace::Workspace;
use crate::worst::Worst;

const NAME: &str = "corotational tetrahedra at fixed nodes";

/// Corotational tet4 elements with two or more fixed nodes. Kharevych 2.2.3 found them more stable
/// if they turn only as the fixed nodes let them:
///
/// - **four fixed**: nothing is computed, as no free node would feel it;
/// - **three fixed**: R = I where the nodes are held at rest, so the element is a linear one;
/// - **two fixed**: R is a rotation about the line through them. With e along that line, and
///   A = Σ x_a z_aᵀ as in [`FrameRule`], R : A = c cos θ + s sin θ + const for
///   c = tr A − e·A e and s = e·axial(A), so the best angle has tan θ = s/c;
/// - **one or none**: not served here, they turn freely: give them to a corotational law, or to
///   [`CorotatedLeast`](super::CorotatedLeast), with [`fixed_node_counts`].
///
/// Where fixed nodes are moved by prescription, the frame starts from what they show: it is the
/// rotation of the triangle of three, and the best one of those that carry the line of two. So a
/// clamp that turns takes its elements along; held at rest this is the rule above.
///
/// Fixed nodes are not unknowns: rows and columns of the tangent that belong to them are those of a
/// frame that does not turn with them, and forces on them lack what elements with four fixed nodes
/// would add to reactions.
///
/// With three fixed nodes R does not depend on the free one, and the forces are the gradient of an
/// energy. With two they are **not**: the energy of ε is not stationary in θ (what keeps the polar
/// frame clear of this is that it makes RᵀF symmetric, which no rotation about a line can). Then the
/// model gives no energy, and its exact tangent is not symmetric. [`Ask::project`] holds the frame.
#[derive(Debug)]
pub struct CorotatedFixed {
    stencils: Stencils<FixedTet, 4>,
    on_edges: usize,
    tangent: FrameTangent,
}

#[derive(Debug, Clone, Copy)]
struct FixedTet {
    tet: CorotatedTet,
    held: Held,
}

/// How fixed nodes hold an element.
#[derive(Debug, Clone, Copy)]
enum Held {
    /// Two nodes, and a frame at rest whose first axis is the line through them.
    Edge([usize; 2], Mat3<f64>),
    /// Three nodes, and the inverse of the matrix of two edges and the normal at rest.
    Face([usize; 3], Mat3<f64>),
}

/// The number of fixed nodes of each cell.
pub fn fixed_node_counts<'a>(
    cells: impl Into<Cells<'a>>,
    fixed: &[u32],
) -> Result<Vec<u32>, ForceError> {
    let cells = cells.into();
    let marks = marks(cells, fixed)?;
    let count = |cell: &[u32]| cell.iter().filter(|&&v| marks[v as usize]).count() as u32;
    Ok(cells.iter().map(count).collect())
}

fn marks(cells: Cells<'_>, fixed: &[u32]) -> Result<Vec<bool>, ForceError> {
    vertices("fixed nodes", fixed, cells.vertex_count())?;
    let mut marks = vec![false; cells.vertex_count()];
    for &v in fixed {
        marks[v as usize] = true;
    }
    Ok(marks)
}

impl CorotatedFixed {
    /// The elements of a tet4 mesh with two or more of the vertices `fixed` (as the user numbers
    /// them). Parameters are λ and μ, Pa.
    pub fn new<'a>(
        cells: impl Into<Cells<'a>>,
        partition: &Partition,
        parameters: Parameters<'_>,
        fixed: &[u32],
        (rule, tangent): (FrameRule, FrameTangent),
    ) -> Result<Self, ForceError> {
        let cells = cells.into();
        parameters.check(&["lambda", "mu"], cells)?;
        let counts = fixed_node_counts(cells, fixed)?;
        let marks = marks(cells, fixed)?;
        let on_edges = counts.iter().filter(|&&count| count == 2).count();
        let symmetric = on_edges == 0 || tangent == FrameTangent::Frozen;
        let stencils = Stencils::new(cells, partition, symmetric, |cell, rest| {
            let mut nodes = (0..4).filter(|&a| marks[cells.cell(cell)[a] as usize]);
            let held = match (counts[cell], nodes.next(), nodes.next(), nodes.next()) {
                (2, Some(a), Some(b), _) => Held::Edge([a, b], axes(sub(rest[b], rest[a]))),
                (3, Some(a), Some(b), Some(c)) => {
                    Held::Face([a, b, c], triangle(rest, [a, b, c]).inverse())
                }
                _ => return Ok(None),
            };
            let tet = CorotatedTet::new(cell, rest, parameters.of(cells, cell, 2)?, rule)?;
            Ok(Some(FixedTet { tet, held }))
        })?;
        Ok(Self { stencils, on_edges, tangent })
    }

    /// Elements with two fixed nodes, and with three.
    pub fn elements(&self) -> [usize; 2] {
        [self.on_edges, self.stencils.len() - self.on_edges]
    }

    /// Calls `visit(cell as the user numbers it, R)` for every element with two or three fixed nodes.
    pub fn each_frame(
        &self,
        at: &Configuration<'_>,
        mut visit: impl FnMut(usize, Mat3<f64>),
    ) -> Result<(), ForceError> {
        crate::parameter::state_length(NAME, at, self.stencils.vertices())?;
        self.stencils.each(|cell, nodes, fixed| {
            visit(cell, fixed.frame(&nodes.map(|v| at.x[v as usize])).0);
        });
        Ok(())
    }
}

/// Two edges of a triangle and its unit normal (zero where it is flat) as columns.
fn triangle(x: &[Vec3; 4], [a, b, c]: [usize; 3]) -> Mat3<f64> {
    let (d, e) = (sub(x[b], x[a]), sub(x[c], x[a]));
    Mat3::from_columns(d, e, normalized(cross(d, e)).unwrap_or_default())
}

/// Orthonormal axes, the first along a direction (or along x where it has none).
fn axes(direction: Vec3) -> Mat3<f64> {
    let e = normalized(direction).unwrap_or([1.0, 0.0, 0.0]);
    // Across e and the coordinate axis it is farthest from.
    let least = (1..3).fold(0, |k, j| if e[j].abs() < e[k].abs() { j } else { k });
    let mut other = [0.0; 3];
    other[least] = 1.0;
    let across = normalized(cross(e, other)).unwrap_or_default();
    Mat3::from_columns(e, across, cross(e, across))
}

/// Below this part of |A| the element has collapsed onto the line: all angles are alike.
const NO_ANGLE: f64 = 1e-12;

impl FixedTet {
    /// R, and how it turns with the free nodes.
    fn frame(&self, x: &[Vec3; 4]) -> (Mat3<f64>, Option<Turn>) {
        match &self.held {
            Held::Face(nodes, inverse) => (rotation3(&(triangle(x, *nodes) * *inverse)), None),
            Held::Edge([p, q], rest_axes) => {
                let now = axes(sub(x[*q], x[*p]));
                let e = now.column(0);
                // Any rotation that carries the line will do: θ makes up for the rest.
                let carry = now.mul_transpose(rest_axes);
                let a = self.tet.frame_matrix(x).mul_transpose(&carry);
                let (c, s) = (a.trace() - dot(e, a.mul_vec(e)), dot(e, a.axial()));
                let size = c.hypot(s);
                if size <= NO_ANGLE * a.norm() {
                    return (carry, None);
                }
                let (cos, sin) = (c / size, s / size);
                let about = Mat3::diagonal([cos; 3])
                    + Mat3::cross_matrix(e).scale(sin)
                    + Mat3::outer(e, e).scale(1.0 - cos);
                // δθ = (c δs − s δc) / (c² + s²) for δA = δx zᵀ.
                let rates = self.tet.z.map(|z| {
                    let z = carry.mul_vec(z);
                    let level = add_scaled(z, e, -dot(e, z));
                    scale(add_scaled(scale(cross(e, z), cos), level, -sin), 1.0 / size)
                });
                (about * carry, Some(Turn { axis: e, rates }))
            }
        }
    }

    fn add(
        &self,
        x: &[Vec3; 4],
        frames: &[Vec3; 4],
        exact: bool,
        wanted: Wanted,
        local: &mut Local<4>,
    ) {
        let (r, turn) = self.frame(frames);
        let turns = turn.filter(|_| exact);
        self.tet.add(x, &r, turns.as_slice(), wanted, local);
    }
}

impl ForceModel for CorotatedFixed {
    fn name(&self) -> &'static str {
        NAME
    }

    fn character(&self) -> Character {
        Character {
            symmetric: self.stencils.is_symmetric(),
            energy: if self.on_edges == 0 { Energy::Conservative } else { Energy::None },
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
        if ask.energy.is_some() && self.on_edges > 0 {
            return Err(ForceError::Unsupported(format!(
                "{NAME} have no energy, as {} of them have two fixed nodes",
                self.on_edges
            )));
        }
        let wanted = Wanted {
            forces: ask.gradient.is_some() || ask.energy.is_some(),
            weight: ask.tangent.is_some().then_some(ask.position_weight),
        };
        // Frames that are held do not turn.
        let exact = self.tangent == FrameTangent::Exact && !ask.project && at.frames.is_none();
        let fields = [at.x, at.frames.unwrap_or(at.x)];
        self.stencils.add(NAME, fields, ask, work, &|fixed, [x, frames], local| {
            fixed.add(x, frames, exact, wanted, local);
        })
    }

    /// 2/ω with ω² bounded by rows of block norms, frames held. It allocates.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let wanted = Wanted { forces: false, weight: Some(1.0) };
        let omega_squared = self.stencils.largest_row([at.x], mass, &|fixed, [x], local| {
            fixed.add(x, x, false, wanted, local);
        });
        stable_step(omega_squared, 0.0)
    }

    fn worst(&self, x: &[Vec3]) -> Option<Worst> {
        self.stencils.worst(x, |fixed, x| fixed.tet.deformation_gradient(x))
    }

    fn inspect(&self, x: &[Vec3], _: &mut Workspace) -> Result<Inspection, ForceError> {
        self.stencils.inspect(x, |fixed, x| fixed.tet.deformation_gradient(x))
    }
}

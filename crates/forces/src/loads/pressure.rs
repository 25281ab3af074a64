//! [`Pressure`]: a load that follows the normal of the surface it acts on.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, scale, sub};

use super::curve::TimeCurve;
use super::following::{FaceForce, FaceRequest, Following};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{finite, length, vertices};
use crate::slots::Slots;
use crate::stencils::Local;
use crate::workspace::Workspace;

/// Faces of a surface, counter-clockwise seen from outside.
#[derive(Debug, Clone, Copy)]
pub enum Faces<'a> {
    /// Flat triangles.
    Triangles(&'a [[u32; 3]]),
    /// Bilinear quadrilaterals.
    Quads(&'a [[u32; 4]]),
}

impl Faces<'_> {
    /// Number of faces.
    pub fn len(&self) -> usize {
        match self {
            Self::Triangles(list) => list.len(),
            Self::Quads(list) => list.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn nodes(&self) -> &[u32] {
        match self {
            Self::Triangles(list) => list.as_flattened(),
            Self::Quads(list) => list.as_flattened(),
        }
    }

    fn corners(&self) -> usize {
        match self {
            Self::Triangles(_) => 3,
            Self::Quads(_) => 4,
        }
    }

    pub(super) fn check(&self, what: &str, count: usize) -> Result<(), ForceError> {
        vertices(what, self.nodes(), count)
    }
}

/// Pressure p(t) on faces, N/m² of current area; positive pushes against the normal:
/// g_a = p ∫ N_a n dA over the current surface.
///
/// On an open surface the tangent is **not symmetric**: the load has no potential, as it works when
/// the rim moves. On a closed one ([`Pressure::closed`]) it has one, Π = p V with the enclosed
/// volume V, and the tangent is symmetric. Both give the same forces there. (A surface whose rim is
/// fixed is the third case; its unsymmetric parts all belong to the rim's blocks.)
#[derive(Debug, Clone)]
pub struct Pressure(Pressed);

#[derive(Debug, Clone)]
enum Pressed {
    Triangles(Following<OpenFace, 3>),
    Quads(Following<OpenFace, 4>),
    Closed(Following<ClosedFace, 3>),
}

/// A face of a surface that may have a rim.
#[derive(Debug, Clone)]
struct OpenFace {
    /// Pa, before the curve.
    pressure: f64,
}

/// A triangle of a closed surface.
#[derive(Debug, Clone)]
struct ClosedFace {
    /// Weight in the enclosed volume: ½ for those of quads.
    weight: f64,
    /// Pa, before the curve.
    pressure: f64,
    /// From where volumes are counted, m.
    origin: Vec3,
}

impl Pressure {
    /// One pressure for each face, times the curve.
    pub fn on_faces(
        vertex_count: usize,
        faces: Faces<'_>,
        pressures: &[f64],
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        length("face pressures", pressures.len(), faces.len())?;
        for (i, &p) in pressures.iter().enumerate() {
            finite(format_args!("pressure on face {i}"), p)?;
        }
        faces.check("pressure", vertex_count)?;
        let open = pressures.iter().map(|&pressure| OpenFace { pressure });
        let (n, character) = (vertex_count, Character::FOLLOWING_LOAD);
        Ok(Self(match faces {
            Faces::Triangles(list) => {
                let faces = list.iter().copied().zip(open);
                Pressed::Triangles(Following::on(n, faces, curve, character)?)
            }
            Faces::Quads(list) => {
                let faces = list.iter().copied().zip(open);
                Pressed::Quads(Following::on(n, faces, curve, character)?)
            }
        }))
    }

    /// The same pressure on all faces of a surface that may have a rim.
    pub fn uniform(
        vertex_count: usize,
        faces: Faces<'_>,
        pressure: f64,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        Self::on_faces(vertex_count, faces, &vec![pressure; faces.len()], curve)
    }

    /// The same pressure on all faces of a closed surface: symmetric, with energy p V. An edge that
    /// does not have a face on either side, oriented alike, is an error.
    ///
    /// The energy is p times the volume itself; `rest` only sets the origin from which it is
    /// computed, for the sake of rounding.
    pub fn closed(
        rest: &[Vec3],
        faces: Faces<'_>,
        pressure: f64,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite("pressure", pressure)?;
        faces.check("pressure", rest.len())?;
        check_closed(faces)?;
        let nodes = faces.nodes();
        let sum = nodes.iter().fold([0.0; 3], |sum, &v| add(sum, rest[v as usize]));
        let origin = scale(sum, 1.0 / nodes.len().max(1) as f64);
        let (triangles, weight): (Vec<[u32; 3]>, f64) = match faces {
            Faces::Triangles(list) => (list.to_vec(), 1.0),
            // The volume under a bilinear patch is the mean of those under its two triangulations.
            Faces::Quads(quads) => {
                let halves =
                    |&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d], [a, b, d], [b, c, d]];
                (quads.iter().flat_map(halves).collect(), 0.5)
            }
        };
        let face = ClosedFace { weight, pressure, origin };
        let faces = triangles.into_iter().map(|corners| (corners, face.clone()));
        let load = Following::on(rest.len(), faces, curve, Character::DEAD_LOAD)?;
        Ok(Self(Pressed::Closed(load)))
    }

    fn load(&self) -> &dyn ForceModel {
        match &self.0 {
            Pressed::Triangles(load) => load,
            Pressed::Quads(load) => load,
            Pressed::Closed(load) => load,
        }
    }
}

impl FaceForce<3> for ClosedFace {
    const NAME: &'static str = NAME;

    /// Π = p x₀·(x₁×x₂) with p a sixth of the pressure.
    fn add(&self, x: &[Vec3; 3], request: FaceRequest, local: &mut Local<3>) {
        let x = x.map(|x| sub(x, self.origin));
        let p = request.factor * self.weight * self.pressure / 6.0;
        local.energy += p * dot(x[0], cross(x[1], x[2]));
        for a in 0..3 {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            local.gradient[a] = add_scaled(local.gradient[a], cross(x[b], x[c]), p);
            if let Some(weight) = request.tangent {
                // ∂(x_b × x_c)/∂x_b = −[x_c]×, ∂/∂x_c = [x_b]×
                local.add_block(a, b, &cross_block(x[c], -p * weight));
                local.add_block(a, c, &cross_block(x[b], p * weight));
            }
        }
    }
}

impl FaceForce<3> for OpenFace {
    const NAME: &'static str = NAME;

    /// The normal is constant: each corner takes a third of it.
    fn add(&self, x: &[Vec3; 3], request: FaceRequest, local: &mut Local<3>) {
        let p = request.factor * self.pressure;
        let normal = cross(sub(x[1], x[0]), sub(x[2], x[0]));
        for a in 0..3 {
            local.gradient[a] = add_scaled(local.gradient[a], normal, p / 6.0);
            let Some(weight) = request.tangent else { continue };
            for b in 0..3 {
                // ∂n/∂x_b = [x_{b+2} − x_{b+1}]×
                let opposite = sub(x[(b + 2) % 3], x[(b + 1) % 3]);
                local.add_block(a, b, &cross_block(opposite, p / 6.0 * weight));
            }
        }
    }
}

impl FaceForce<4> for OpenFace {
    const NAME: &'static str = NAME;

    /// N_a x,ξ × x,η has degree 2 in each coordinate: 2×2 Gauss points are exact.
    fn add(&self, x: &[Vec3; 4], request: FaceRequest, local: &mut Local<4>) {
        let p = request.factor * self.pressure;
        for point in QUAD_POINTS {
            let shape = quad_shape(point);
            let [along, across] = shape.tangents(x);
            let normal = cross(along, across);
            for a in 0..4 {
                let pn = p * shape.values[a];
                local.gradient[a] = add_scaled(local.gradient[a], normal, pn);
                let Some(weight) = request.tangent else { continue };
                for b in 0..4 {
                    // ∂(x,ξ × x,η)/∂x_b = N_b,η [x,ξ]× − N_b,ξ [x,η]×
                    let [d_along, d_across] = shape.derivatives[b];
                    let axis = sub(scale(along, d_across), scale(across, d_along));
                    local.add_block(a, b, &cross_block(axis, pn * weight));
                }
            }
        }
    }
}

const NAME: &str = "pressure";

impl ForceModel for Pressure {
    fn name(&self) -> &str {
        self.load().name()
    }

    fn character(&self) -> Character {
        self.load().character()
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.load().couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        match &mut self.0 {
            Pressed::Triangles(load) => load.bind(slots),
            Pressed::Quads(load) => load.bind(slots),
            Pressed::Closed(load) => load.bind(slots),
        }
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        self.load().evaluate(at, ask, work)
    }

    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
    ) -> Result<(), ForceError> {
        self.load().add_time_derivative(at, rates)
    }

    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        self.load().stable_step(at, mass)
    }
}

/// s [a]×, the matrix of b ↦ s a × b.
fn cross_block(a: Vec3, s: f64) -> Mat3<f64> {
    Mat3::cross_matrix(scale(a, s))
}

/// Gauss points of the square [−1, 1]², each with weight 1.
pub(super) const QUAD_POINTS: [[f64; 2]; 4] = {
    const G: f64 = 0.577_350_269_189_625_8;
    [[-G, -G], [G, -G], [G, G], [-G, G]]
};

/// Bilinear shape functions at a point.
pub(super) struct QuadShape {
    pub(super) values: [f64; 4],
    derivatives: [[f64; 2]; 4],
}

pub(super) fn quad_shape([xi, eta]: [f64; 2]) -> QuadShape {
    const SIGNS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    QuadShape {
        values: SIGNS.map(|[s, t]| 0.25 * (1.0 + s * xi) * (1.0 + t * eta)),
        derivatives: SIGNS.map(|[s, t]| [0.25 * s * (1.0 + t * eta), 0.25 * t * (1.0 + s * xi)]),
    }
}

impl QuadShape {
    /// x,ξ and x,η.
    pub(super) fn tangents(&self, x: &[Vec3; 4]) -> [Vec3; 2] {
        let mut tangents = [[0.0; 3]; 2];
        for (&x, d) in x.iter().zip(self.derivatives) {
            tangents[0] = add_scaled(tangents[0], x, d[0]);
            tangents[1] = add_scaled(tangents[1], x, d[1]);
        }
        tangents
    }
}

/// Every directed edge must be met by its opposite.
fn check_closed(faces: Faces<'_>) -> Result<(), ForceError> {
    let corners = faces.corners();
    let mut edges: Vec<[u32; 2]> = faces
        .nodes()
        .chunks_exact(corners)
        .flat_map(|face| (0..corners).map(|i| [face[i], face[(i + 1) % corners]]))
        .collect();
    let mut opposite: Vec<[u32; 2]> = edges.iter().map(|&[a, b]| [b, a]).collect();
    edges.sort_unstable();
    opposite.sort_unstable();
    match edges.iter().zip(&opposite).find(|(e, o)| e != o) {
        None => Ok(()),
        Some((&e, &o)) => {
            let [a, b] = e.min(o);
            Err(ForceError::Unsupported(format!(
                "pressure on a closed surface: the edge from vertex {a} to {b} does not have one face on either side, oriented alike; use the pressure for open surfaces"
            )))
        }
    }
}

//! [`Pressure`]: a load that follows the normal of the surface it acts on.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, scale, sub};

use super::curve::{TimeCurve, curve_factor};
use crate::block_slots::{BlockSlots, couple_all};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{finite, finite_vertex, length, state_length, vertices};
use crate::slots::Slots;
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
pub struct Pressure {
    kind: Kind,
    stencils: Vec<u32>,
    corners: usize,
    vertex_count: usize,
    curve: TimeCurve,
    slots: BlockSlots,
}

#[derive(Debug, Clone)]
enum Kind {
    /// Pressure of each face, before the curve.
    Open(Vec<f64>),
    /// Weight of each triangle in the enclosed volume (½ for those of quads), and the pressure.
    Closed { weight: f64, pressure: f64, origin: Vec3 },
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
        Self::new(Kind::Open(pressures.to_vec()), vertex_count, faces, curve)
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
        let kind = |weight| Kind::Closed { weight, pressure, origin };
        match faces {
            Faces::Triangles(_) => Self::new(kind(1.0), rest.len(), faces, curve),
            Faces::Quads(quads) => {
                // The volume under a bilinear patch is the mean of those under its two
                // triangulations.
                let triangles: Vec<[u32; 3]> = quads
                    .iter()
                    .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d], [a, b, d], [b, c, d]])
                    .collect();
                Self::new(kind(0.5), rest.len(), Faces::Triangles(&triangles), curve)
            }
        }
    }

    fn new(
        kind: Kind,
        vertex_count: usize,
        faces: Faces<'_>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        curve.check()?;
        faces.check("pressure", vertex_count)?;
        Ok(Self {
            kind,
            stencils: faces.nodes().to_vec(),
            corners: faces.corners(),
            vertex_count,
            curve,
            slots: BlockSlots::default(),
        })
    }

    /// The curve, to change it between steps.
    pub fn curve_mut(&mut self) -> &mut TimeCurve {
        &mut self.curve
    }

    fn is_closed(&self) -> bool {
        matches!(self.kind, Kind::Closed { .. })
    }

    fn add_scaled(
        &self,
        at: &Configuration<'_>,
        factor: f64,
        ask: &mut Ask<'_>,
    ) -> Result<(), ForceError> {
        state_length(self.name(), at, self.vertex_count)?;
        if ask.tangent.is_some() {
            self.slots.check(self.name())?;
        }
        let mut energy = 0.0;
        for (face, stencil) in self.stencils.chunks_exact(self.corners).enumerate() {
            let mut x = [[0.0; 3]; 4];
            for (x, &v) in x.iter_mut().zip(stencil) {
                *x = finite_vertex(at, v)?.0;
            }
            match (&self.kind, stencil.len()) {
                (Kind::Closed { weight, pressure, origin }, _) => {
                    let x = [sub(x[0], *origin), sub(x[1], *origin), sub(x[2], *origin)];
                    let p = factor * weight * pressure / 6.0;
                    energy += p * dot(x[0], cross(x[1], x[2]));
                    self.add_closed(face, stencil, &x, p, ask);
                }
                (Kind::Open(pressures), 3) => {
                    self.add_triangle(face, stencil, &x, factor * pressures[face], ask);
                }
                (Kind::Open(pressures), _) => {
                    self.add_quad(face, stencil, &x, factor * pressures[face], ask);
                }
            }
        }
        if let Some(total) = ask.energy.as_deref_mut() {
            *total += energy;
        }
        Ok(())
    }

    /// Π = p x₀·(x₁×x₂) with p already a sixth of the pressure.
    fn add_closed(&self, face: usize, stencil: &[u32], x: &[Vec3; 3], p: f64, ask: &mut Ask<'_>) {
        for a in 0..3 {
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                let g = &mut gradient[stencil[a] as usize];
                *g = add_scaled(*g, cross(x[b], x[c]), p);
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                // ∂(x_b × x_c)/∂x_b = −[x_c]×, ∂/∂x_c = [x_b]×
                let w = p * ask.position_weight;
                let block = (face * 3 + a) * 3;
                self.slots.add(tangent, block + b, || cross_block(x[c], -w));
                self.slots.add(tangent, block + c, || cross_block(x[b], w));
            }
        }
    }

    /// The normal is constant: each corner takes a third of it.
    fn add_triangle(&self, face: usize, stencil: &[u32], x: &[Vec3; 4], p: f64, ask: &mut Ask<'_>) {
        let normal = cross(sub(x[1], x[0]), sub(x[2], x[0]));
        for a in 0..3 {
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                let g = &mut gradient[stencil[a] as usize];
                *g = add_scaled(*g, normal, p / 6.0);
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                for b in 0..3 {
                    // ∂n/∂x_b = [x_{b+2} − x_{b+1}]×
                    let opposite = sub(x[(b + 2) % 3], x[(b + 1) % 3]);
                    let w = p / 6.0 * ask.position_weight;
                    self.slots.add(tangent, (face * 3 + a) * 3 + b, || cross_block(opposite, w));
                }
            }
        }
    }

    /// N_a x,ξ × x,η has degree 2 in each coordinate: 2×2 Gauss points are exact.
    fn add_quad(&self, face: usize, stencil: &[u32], x: &[Vec3; 4], p: f64, ask: &mut Ask<'_>) {
        for point in QUAD_POINTS {
            let shape = quad_shape(point);
            let [along, across] = shape.tangents(x);
            let normal = cross(along, across);
            for a in 0..4 {
                let pn = p * shape.values[a];
                if let Some(gradient) = ask.gradient.as_deref_mut() {
                    let g = &mut gradient[stencil[a] as usize];
                    *g = add_scaled(*g, normal, pn);
                }
                if let Some(tangent) = ask.tangent.as_deref_mut() {
                    for b in 0..4 {
                        // ∂(x,ξ × x,η)/∂x_b = N_b,η [x,ξ]× − N_b,ξ [x,η]×
                        let [d_along, d_across] = shape.derivatives[b];
                        let axis = sub(scale(along, d_across), scale(across, d_along));
                        let w = pn * ask.position_weight;
                        self.slots.add(tangent, (face * 4 + a) * 4 + b, || cross_block(axis, w));
                    }
                }
            }
        }
    }
}

impl ForceModel for Pressure {
    fn name(&self) -> &'static str {
        "pressure"
    }

    fn character(&self) -> Character {
        match self.kind {
            Kind::Closed { .. } => Character::DEAD_LOAD,
            Kind::Open(_) => Character::FOLLOWING_LOAD,
        }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        let symmetric = self.is_closed();
        self.stencils.chunks_exact(self.corners).for_each(|s| couple_all(s, symmetric, couple));
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        let stencils = self.stencils.chunks_exact(self.corners);
        self.slots = BlockSlots::bind(stencils, self.is_closed(), slots)?;
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        let factor = curve_factor(self.name(), &self.curve, at.time)?;
        self.add_scaled(at, factor, ask)
    }

    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
    ) -> Result<(), ForceError> {
        let rate = self.curve.rate(at.time);
        if rate != 0.0 {
            let mut ask = Ask { gradient: Some(rates), ..Ask::default() };
            self.add_scaled(at, rate, &mut ask)?;
        }
        Ok(())
    }

    fn stable_step(&self, _: &Configuration<'_>, _mass: &[f64]) -> f64 {
        // A load stiffness is no stiffness of the body: what it adds to its frequencies is of the
        // order of pressure times length, far below that of any body that carries it.
        f64::INFINITY
    }
}

/// s [a]×, the matrix of b ↦ s a × b.
fn cross_block(a: Vec3, s: f64) -> [f64; 9] {
    Mat3::cross_matrix(scale(a, s)).to_array()
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

//! [`Shear`]: a traction along the sides of a body, which turns with them.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, scale, sub};

use super::curve::{TimeCurve, curve_factor};
use super::pressure::Faces;
use crate::block_slots::{BlockSlots, couple_all};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{finite, finite_vertex, state_length};
use crate::slots::Slots;
use crate::workspace::Workspace;

/// On each triangle the force τ(t) a × s, with its area vector s and an axis a: it lies in the triangle as long
/// as that is parallel to the axis, and turns with it (VirTis 5.2.2). On a closed surface it neither pushes nor
/// pulls. There is no potential, and the tangent is **not symmetric**.
#[derive(Debug, Clone)]
pub struct Shear {
    triangles: Vec<[u32; 3]>,
    vertex_count: usize,
    /// N/m² of current area, times a.
    axis: Vec3,
    curve: TimeCurve,
    slots: BlockSlots,
}

impl Shear {
    /// A traction τ, N/m² of current area, along a × n on triangles with normals n, times the curve.
    pub fn new(
        vertex_count: usize,
        triangles: &[[u32; 3]],
        axis: Vec3,
        traction: f64,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite("shear", traction)?;
        for c in axis {
            finite("axis of shear", c)?;
        }
        curve.check()?;
        Faces::Triangles(triangles).check("shear", vertex_count)?;
        Ok(Self {
            triangles: triangles.to_vec(),
            vertex_count,
            axis: scale(axis, traction),
            curve,
            slots: BlockSlots::default(),
        })
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
        // Each corner takes a third of a × s, s = ½ (x₁ − x₀) × (x₂ − x₀); g is minus the force.
        let axis = scale(self.axis, -factor / 6.0);
        for (face, corners) in self.triangles.iter().enumerate() {
            let mut x = [[0.0; 3]; 3];
            for (x, &v) in x.iter_mut().zip(corners) {
                *x = finite_vertex(at, v)?.0;
            }
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                let share = cross(axis, cross(sub(x[1], x[0]), sub(x[2], x[0])));
                for &v in corners {
                    gradient[v as usize] = add_scaled(gradient[v as usize], share, 1.0);
                }
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                for b in 0..3 {
                    // ∂(a × n)/∂x_b = [a]× [x_{b+2} − x_{b+1}]×
                    let opposite = sub(x[(b + 2) % 3], x[(b + 1) % 3]);
                    let turn = Mat3::cross_matrix(scale(axis, ask.position_weight));
                    let block = (turn * Mat3::cross_matrix(opposite)).to_array();
                    for a in 0..3 {
                        self.slots.add(tangent, (face * 3 + a) * 3 + b, || block);
                    }
                }
            }
        }
        Ok(())
    }
}

impl ForceModel for Shear {
    fn name(&self) -> &'static str {
        "shear"
    }

    fn character(&self) -> Character {
        Character::FOLLOWING_LOAD
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.triangles.iter().for_each(|t| couple_all(t, false, couple));
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        let stencils = self.triangles.iter().map(<[u32; 3]>::as_slice);
        self.slots = BlockSlots::bind(stencils, false, slots)?;
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
        let mut ask = Ask { gradient: Some(rates), ..Ask::default() };
        self.add_scaled(at, self.curve.rate(at.time), &mut ask)?;
        Ok(())
    }

    fn stable_step(&self, _: &Configuration<'_>, _mass: &[f64]) -> f64 {
        // As for pressure: no stiffness of the body.
        f64::INFINITY
    }
}

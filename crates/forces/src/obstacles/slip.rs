//! The law of anchored friction: how far things have slipped, and what holds them back.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, sub};

use crate::configuration::Configuration;

/// How the slip up to the end of a step follows from velocities.
#[derive(Debug, Clone, Copy)]
pub struct Motion<'a> {
    /// Positions at the start of the step, m.
    pub x: &'a [Vec3],
    /// Velocities there, m/s.
    pub v: &'a [Vec3],
    /// Seconds in which the velocity of the end counts as slip.
    pub h: f64,
    /// v = (1 − s) v₀ + s v₁, of which v₁ counts.
    pub share: f64,
    /// What the vertices remember, three numbers each.
    slips: &'a [f64],
}

impl<'a> Motion<'a> {
    /// Of a method that solves for the end of a step.
    pub fn remembered(at: &Configuration<'a>) -> Self {
        let slips = at.memory.first().map_or(&[][..], |memory| &memory.numbers);
        let Some(start) = at.start else {
            return Self { x: at.x, v: at.v, h: 0.0, share: 1.0, slips };
        };
        let share = at.elapsed() / start.step;
        // At the start itself nothing has moved yet.
        let h = if share > 1e-3 { start.step } else { 0.0 };
        let share = if share > 1e-3 && share < 1.0 - 1e-9 { share } else { 1.0 };
        Self { x: start.x, v: start.v, h, share, slips }
    }

    pub(super) fn of_velocities(at: &Configuration<'a>, h: f64) -> Self {
        let (x, v) = at.start.map_or((at.x, at.v), |start| (start.x, start.v));
        Self { x, v, h, share: 1.0, slips: &[] }
    }

    /// What the vertex of this number remembers, m.
    pub fn slip(&self, number: usize) -> Vec3 {
        self.slips.as_chunks().0.get(number).copied().unwrap_or_default()
    }

    /// The velocity of the end, where one is asked with v.
    pub fn end(&self, v: Vec3, before: Vec3) -> Vec3 {
        if self.share == 1.0 { v } else { add_scaled(before, sub(v, before), 1.0 / self.share) }
    }
}

/// The part of a vector along a surface.
pub fn along(w: Vec3, normal: Vec3) -> Vec3 {
    add_scaled(w, normal, -dot(w, normal))
}

/// f₀(y) and f₁(y)/y.
pub fn smoothed(y: f64, stick: f64) -> [f64; 2] {
    if y < stick {
        let part = y / stick;
        [y * part * (1.0 - part / 3.0), (2.0 - part) / stick]
    } else {
        [y - stick / 3.0, 1.0 / y]
    }
}

/// The Hessian of f₀(|w|), |w| = y: f₁/y (T − ŵ ŵᵀ) + f₁' ŵ ŵᵀ with T = I − n nᵀ.
pub fn tangent(normal: Vec3, w: Vec3, far: f64, stick: f64, ratio: f64) -> Mat3<f64> {
    let along = if far >= stick {
        -ratio / (far * far)
    } else if far > 0.0 {
        // f₁' − f₁/y = −y/ε²
        -1.0 / (far * stick * stick)
    } else {
        0.0
    };
    (Mat3::identity() - Mat3::outer(normal, normal)).scale(ratio) + Mat3::outer(w, w).scale(along)
}

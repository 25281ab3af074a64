//! Coulomb's law as friction along obstacles and between bodies has it: smoothed, and with the normal forces of the start of
//! the step.
//!
//! A contact under the normal force λ that has slipped by w along the surface is held back by
//!
//! ```text
//! μ λ f₁(|w|) w/|w|,   f₁(y) = 2 y/ε − y²/ε² for y < ε, and 1 beyond
//! ```
//!
//! with the stick length ε (Li and others, Incremental potential contact, 2020, section 5). Here w = s + h v: the slip s
//! that is remembered from the steps before, cut to |s| ≤ ε at the end of each, and that of the step. What sticks has given
//! way by less than ε and rests. As λ and the normal are those of the start of the step, the force is the gradient by
//! velocities of φ = μ λ f₀(|w|)/h, f₀' = f₁, which is convex.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, scale, sub};

use crate::configuration::Configuration;
use crate::model::Ask;

/// A contact that is pressed, as it was at the start of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pressed {
    /// n, of length 1.
    pub normal: Vec3,
    /// μ λ, N.
    pub force: f64,
    /// ε, m.
    pub stick: f64,
}

/// A contact that has slipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slipped {
    /// w along the surface, m.
    pub way: Vec3,
    /// |w|, m.
    pub size: f64,
    /// f₀(|w|), m.
    pub potential: f64,
    /// f₁(|w|)/|w|, 1/m.
    pub ratio: f64,
}

impl Pressed {
    /// The same after a slip w, of which the part along the surface counts.
    #[inline]
    pub fn slipped(&self, w: Vec3) -> Slipped {
        let way = along(w, self.normal);
        let size = norm(way);
        let [potential, ratio] = smoothed(size, self.stick);
        Slipped { way, size, potential, ratio }
    }

    /// g = μ λ f₁ w/|w|, N.
    #[inline]
    pub fn gradient(&self, slipped: &Slipped) -> Vec3 {
        scale(slipped.way, self.force * slipped.ratio)
    }

    /// The energy that friction takes where the contact goes a way, with the force after the slip, J.
    #[inline]
    pub fn work(&self, slipped: &Slipped, way: Vec3) -> f64 {
        self.force * slipped.ratio * dot(slipped.way, way)
    }

    /// The Hessian of f₀(|w|), 1/m: f₁/y (T − ŵ ŵᵀ) + f₁' ŵ ŵᵀ with T = I − n nᵀ and y = |w|. It is positive semi-definite.
    #[inline]
    pub fn hessian(&self, slipped: &Slipped) -> Mat3<f64> {
        let (n, Self { stick, .. }) = (self.normal, *self);
        let Slipped { way, size, ratio, .. } = *slipped;
        let along = if size >= stick {
            -ratio / (size * size)
        } else if size > 0.0 {
            // f₁' − f₁/y = −y/ε²
            -1.0 / (size * stick * stick)
        } else {
            0.0
        };
        (Mat3::identity() - Mat3::outer(n, n)).scale(ratio) + Mat3::outer(way, way).scale(along)
    }

    /// What is remembered of the slip: w, cut to ε.
    #[inline]
    pub fn kept(&self, slipped: &Slipped) -> Vec3 {
        let part = if slipped.size > self.stick { self.stick / slipped.size } else { 1.0 };
        scale(slipped.way, part)
    }
}

/// The part of a vector along a surface.
#[inline]
pub fn along(w: Vec3, normal: Vec3) -> Vec3 {
    add_scaled(w, normal, -dot(w, normal))
}

/// f₀(y) and f₁(y)/y.
#[inline]
fn smoothed(y: f64, stick: f64) -> [f64; 2] {
    if y < stick {
        let part = y / stick;
        [y * part * (1.0 - part / 3.0), (2.0 - part) / stick]
    } else {
        [y - stick / 3.0, 1.0 / y]
    }
}

/// How the slip of a step follows from velocities.
#[derive(Debug, Clone, Copy)]
pub struct Motion<'a> {
    /// Positions at the start of the step, m.
    pub x: &'a [Vec3],
    /// Velocities there, m/s.
    pub v: &'a [Vec3],
    /// Seconds in which the velocity of the end counts as slip; 0 where nothing has moved yet.
    pub h: f64,
    /// v = (1 − s) v₀ + s v₁, of which v₁ counts.
    pub share: f64,
    /// Of a state of rest: where the slip began, m. It is x − these, whatever the velocities.
    pub begun: Option<&'a [Vec3]>,
}

impl<'a> Motion<'a> {
    /// Of an implicit method, which solves for the end of the step: the slip up to there counts, and is remembered. By
    /// the velocity of the middle the midpoint rule would stop the middle, and a body that sticks would swing to and fro
    /// for ever.
    pub fn to_end(at: &Configuration<'a>) -> Self {
        let Some(start) = at.start else {
            return Self { x: at.x, v: at.v, h: 0.0, share: 1.0, begun: None };
        };
        if let Some(x) = at.settled {
            return Self { x, v: start.v, h: 1.0, share: 1.0, begun: Some(start.x) };
        }
        let share = at.elapsed() / start.step;
        // At the start itself nothing has moved yet.
        let h = if share > 1e-3 { start.step } else { 0.0 };
        let share = if share > 1e-3 && share < 1.0 - 1e-9 { share } else { 1.0 };
        Self { x: start.x, v: start.v, h, share, begun: None }
    }

    /// Of a method that takes the velocity it asks with as it is, over h seconds.
    pub fn of_velocities(at: &Configuration<'a>, h: f64) -> Self {
        let (x, v) = at.start.map_or((at.x, at.v), |start| (start.x, start.v));
        Self { x, v, h, share: 1.0, begun: None }
    }

    /// The velocity of the end, where one is asked with v.
    #[inline]
    pub fn end(&self, v: Vec3, before: Vec3) -> Vec3 {
        if self.share == 1.0 { v } else { add_scaled(before, sub(v, before), 1.0 / self.share) }
    }

    /// What counts as the velocity of the end of a vertex: where a state of rest is looked for, its way since the start.
    #[inline]
    pub fn rate(&self, at: &Configuration<'_>, vertex: usize) -> Vec3 {
        match self.begun {
            Some(begun) => sub(at.x[vertex], begun[vertex]),
            None => self.end(at.v[vertex], self.v[vertex]),
        }
    }

    /// The way of a vertex since the start of the step, m.
    #[inline]
    pub fn way(&self, at: &Configuration<'_>, vertex: usize) -> Vec3 {
        sub(at.x[vertex], self.begun.unwrap_or(self.x)[vertex])
    }

    /// The weight of ∂g/∂v in what is asked for: at rest, where slips are ways, that of ∂g/∂x.
    #[inline]
    pub fn weight(&self, ask: &Ask<'_>) -> f64 {
        if self.begun.is_some() { ask.position_weight } else { ask.velocity_weight }
    }

    /// φ of a contact, W, with the gradient g, whose velocity of the end is v.
    #[inline]
    pub fn rate_potential(&self, pressed: &Pressed, slipped: &Slipped, v: Vec3) -> f64 {
        let Self { h, share, .. } = *self;
        if h > 0.0 {
            share * pressed.force * slipped.potential / h
        } else {
            share * dot(pressed.gradient(slipped), v)
        }
    }

    /// What [`Pressed::hessian`] is multiplied by for `weight` ∂g/∂v, N s.
    #[inline]
    pub fn tangent_weight(&self, pressed: &Pressed, weight: f64) -> f64 {
        pressed.force * self.h * weight / self.share
    }
}

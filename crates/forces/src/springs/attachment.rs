//! [`Attachments`]: springs from points of bodies to targets, or to points of other bodies.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, norm_squared, scale};

use crate::assembly::stable_step;
use crate::character::{Character, Energy, TimeDependence, Velocity};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::loads::TimeCurve;
use crate::model::{Ask, ForceModel};
use crate::parameter::{
    accepted, finite, finite_vector, length, not_negative, state_length, vertices,
};
use crate::slots::Slots;
use crate::weighted_points::{Pull, WeightedPoints};
use crate::workspace::Workspace;

/// A point that moves with up to four vertices: Σ w x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    vertices: [u32; 4],
    weights: [f64; 4],
    count: usize,
}

impl Point {
    /// A vertex itself.
    pub fn vertex(vertex: u32) -> Self {
        Self { vertices: [vertex, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    /// A point of an edge, triangle or tetrahedron by its barycentric weights, whose sum is 1.
    pub fn barycentric(vertices: &[u32], weights: &[f64]) -> Result<Self, ForceError> {
        accepted(
            "attachment: number of vertices",
            vertices.len() as f64,
            |n| (1.0..=4.0).contains(&n),
            "a point lies between one to four vertices",
        )?;
        length("barycentric weights", weights.len(), vertices.len())?;
        for &w in weights {
            finite("barycentric weight", w)?;
        }
        accepted(
            "sum of the barycentric weights",
            weights.iter().sum(),
            |sum| (sum - 1.0).abs() <= 1e-9,
            "it must be 1",
        )?;
        let mut point = Self { vertices: [0; 4], weights: [0.0; 4], count: vertices.len() };
        point.vertices[..vertices.len()].copy_from_slice(vertices);
        point.weights[..weights.len()].copy_from_slice(weights);
        Ok(point)
    }

    fn nodes(&self) -> impl Iterator<Item = (u32, f64)> {
        self.vertices.into_iter().zip(self.weights).take(self.count)
    }
}

/// What a point is attached to.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// A place in space.
    Fixed(Vec3),
    /// A place that moves: origin + curve(t) direction.
    Moving {
        /// Where the curve is zero, m.
        origin: Vec3,
        /// Where the curve leads, m for each unit of it.
        direction: Vec3,
        /// How far, over time.
        curve: TimeCurve,
    },
    /// A point of a body.
    Point(Point),
}

/// A spring from a point to an end.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// The point.
    pub point: Point,
    /// What it is attached to.
    pub to: End,
    /// Length at rest, m; 0 holds the point at the end itself.
    pub rest: f64,
    /// N/m. High values make the attachment stiff (a penalty).
    pub stiffness: f64,
    /// Resistance to relative velocity in every direction, N·s/m.
    pub damping: f64,
}

impl Attachment {
    /// Pulls a point to an end, without rest length or damping.
    pub fn new(point: Point, to: End, stiffness: f64) -> Self {
        Self { point, to, rest: 0.0, stiffness, damping: 0.0 }
    }
}

/// A list of attachments: Π = Σ ½ k (|d| − l₀)² with d from the end to the point, and R ḋ. At l₀ = 0,
/// the usual case, it is quadratic, and its tangent constant.
///
/// As in [`Springs`](super::Springs), an attachment shorter than 1e-12 l₀ acts as if l₀ were 0.
#[derive(Debug, Clone)]
pub struct Attachments {
    list: Vec<Attachment>,
    /// d = Σ c x − target
    points: WeightedPoints,
    vertex_count: usize,
}

impl Attachments {
    /// Checks the attachments of a system of `vertex_count` vertices.
    pub fn new(vertex_count: usize, list: Vec<Attachment>) -> Result<Self, ForceError> {
        let mut points = WeightedPoints::default();
        for (i, attachment) in list.iter().enumerate() {
            let what = |name: &str| format!("attachment {i}: {name}");
            not_negative(what("rest length"), attachment.rest)?;
            not_negative(what("stiffness"), attachment.stiffness)?;
            not_negative(what("damping"), attachment.damping)?;
            let mut nodes: Vec<(u32, f64)> = attachment.point.nodes().collect();
            match &attachment.to {
                End::Fixed(at) => drop(finite_vector(what("target"), *at)?),
                End::Moving { origin, direction, curve } => {
                    finite_vector(what("origin"), *origin)?;
                    finite_vector(what("direction"), *direction)?;
                    curve.check()?;
                }
                End::Point(point) => nodes.extend(point.nodes().map(|(v, w)| (v, -w))),
            }
            let all: Vec<u32> = nodes.iter().map(|n| n.0).collect();
            vertices(what("point"), &all, vertex_count)?;
            points.push(nodes);
        }
        Ok(Self { list, points, vertex_count })
    }

    /// Holds vertices at places, stiffly.
    pub fn pins(
        vertex_count: usize,
        pins: &[(u32, Vec3)],
        stiffness: f64,
    ) -> Result<Self, ForceError> {
        let pin = |&(v, at)| Attachment::new(Point::vertex(v), End::Fixed(at), stiffness);
        Self::new(vertex_count, pins.iter().map(pin).collect())
    }

    /// Holds points of bodies together, stiffly.
    pub fn joints(
        vertex_count: usize,
        pairs: &[(Point, Point)],
        stiffness: f64,
    ) -> Result<Self, ForceError> {
        let joint = |&(a, b)| Attachment::new(a, End::Point(b), stiffness);
        Self::new(vertex_count, pairs.iter().map(joint).collect())
    }

    /// The attachments.
    pub fn list(&self) -> &[Attachment] {
        &self.list
    }

    /// Moves the target of an attachment that has one, as a hand does that drags a body.
    pub fn set_target(&mut self, index: usize, at: Vec3) -> Result<(), ForceError> {
        finite_vector("target", at)?;
        match self.list.get_mut(index).map(|a| &mut a.to) {
            Some(to @ (End::Fixed(_) | End::Moving { .. })) => {
                *to = End::Fixed(at);
                Ok(())
            }
            _ => Err(ForceError::Unsupported(format!("attachment {index} has no target to move"))),
        }
    }

    /// Energy, ∂Π/∂d and its derivatives for one attachment.
    fn pull(
        &self,
        index: usize,
        at: &Configuration<'_>,
        project: bool,
    ) -> Result<Stretched, ForceError> {
        let Attachment { to, rest, stiffness: k, damping, .. } = &self.list[index];
        let start = match to {
            End::Fixed(at) => (scale(*at, -1.0), [0.0; 3]),
            End::Moving { origin, direction, curve } => (
                scale(add_scaled(*origin, *direction, curve.value(at.time)), -1.0),
                scale(*direction, -curve.rate(at.time)),
            ),
            End::Point(_) => ([0.0; 3], [0.0; 3]),
        };
        let (d, rate) = self.points.value(index, at, start)?;
        let d2 = norm_squared(d);
        let length = d2.sqrt();
        let directed = d2 > rest * rest * 1e-24 && d2 > 0.0;
        let r = if directed { rest / length } else { 0.0 };
        let (mut across, mut along) = (1.0 - r, r);
        if project {
            (across, along) = (across.max(0.0), along.min(1.0));
        }
        let along = if directed { along / d2 } else { 0.0 };
        Ok(Stretched {
            energy: 0.5 * k * (length - rest) * (length - rest),
            force: add_scaled(scale(d, k * (1.0 - r)), rate, *damping),
            stiffness: Mat3::identity().scale(k * across) + Mat3::outer(d, d).scale(k * along),
            damping: *damping,
            ratio: r,
        })
    }
}

/// One attachment in a configuration.
struct Stretched {
    energy: f64,
    force: Vec3,
    stiffness: Mat3<f64>,
    damping: f64,
    /// l₀/|d|
    ratio: f64,
}

impl ForceModel for Attachments {
    fn name(&self) -> &'static str {
        "attachments"
    }

    fn character(&self) -> Character {
        let damped = self.list.iter().any(|a| a.damping != 0.0);
        let moves = self.list.iter().any(|a| matches!(a.to, End::Moving { .. }));
        Character {
            energy: if damped { Energy::Stored } else { Energy::Conservative },
            velocity: if damped { Velocity::General } else { Velocity::None },
            time: if moves { TimeDependence::Known } else { TimeDependence::None },
            ..Character::POTENTIAL
        }
    }

    /// What moving targets do.
    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        for index in 0..self.list.len() {
            if let End::Moving { direction, curve, .. } = &self.list[index].to {
                let pull = self.pull(index, at, false)?;
                // Targets move along straight pieces: ∂²/∂t² of them is zero.
                let velocity = scale(*direction, curve.rate(at.time));
                let force = scale(pull.stiffness.mul_vec(velocity), -1.0);
                for (v, c) in self.points.point(index) {
                    rates[v as usize] = add_scaled(rates[v as usize], force, c);
                }
            }
        }
        Ok(())
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.points.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.points.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        state_length(self.name(), at, self.vertex_count)?;
        self.points.check(self.name(), ask)?;
        let mut energy = 0.0;
        for index in 0..self.list.len() {
            let pull = self.pull(index, at, ask.project)?;
            energy += pull.energy;
            let tangent = pull.stiffness.scale(ask.position_weight)
                + Mat3::identity().scale(pull.damping * ask.velocity_weight);
            self.points.add(index, &Pull { direction: pull.force, size: 1.0, tangent }, ask);
        }
        if let Some(total) = ask.energy.as_deref_mut() {
            *total += energy;
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K (Gershgorin by blocks), and so for the damping.
    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        let mut sums = vec![(0.0, 0.0); self.vertex_count];
        for (index, attachment) in self.list.iter().enumerate() {
            let Ok(pull) = self.pull(index, at, false) else {
                return 0.0;
            };
            let total: f64 = self.points.point(index).map(|(_, c)| c.abs()).sum();
            let k = attachment.stiffness * (pull.ratio - 1.0).max(1.0);
            for (v, c) in self.points.point(index) {
                let share = c.abs() * total / mass[v as usize];
                let sum = &mut sums[v as usize];
                *sum = (sum.0 + k * share, sum.1 + attachment.damping * share);
            }
        }
        let largest = sums.iter().fold((0.0, 0.0), |a: (f64, f64), b| (a.0.max(b.0), a.1.max(b.1)));
        stable_step(largest.0, largest.1)
    }
}

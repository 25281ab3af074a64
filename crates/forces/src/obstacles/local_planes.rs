//! [`LocalPlanes`]: planes that points of bodies may not pass, as a probe puts them for the time of a step.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, scale};

use crate::assembly::{not_bound, stable_step};
use crate::character::{Character, Couplings};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, Change, ForceModel};
use crate::parameter::{accepted, finite, finite_vector, not_negative, vertices};
use crate::slots::Slots;
use crate::weighted_points::{Pull, WeightedPoints};
use crate::workspace::Workspace;

/// A plane for one point y = Σ w x of a body: Π = ½ k p² with p = reach − normal · y, where that is above 0.
///
/// It stands for what is touched near the point (VirTis 5.4.3): where the plane is, is found between steps,
/// whether it is touched in every iteration of a step. So a contact begins and ends within a step, and nothing
/// sticks.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalPlane {
    /// Vertices of the point and their weights, whose sum is 1.
    pub nodes: Vec<(u32, f64)>,
    /// Of length 1; points are pushed this way.
    pub normal: Vec3,
    /// normal · y of the points of the plane, m.
    pub reach: f64,
    /// k, N/m.
    pub stiffness: f64,
}

impl LocalPlane {
    /// Where its point is.
    pub fn point(&self, x: &[Vec3]) -> Vec3 {
        self.nodes.iter().fold([0.0; 3], |p, &(v, w)| add_scaled(p, x[v as usize], w))
    }

    /// How far the point is behind the plane, m; 0 if it is not.
    pub fn depth(&self, x: &[Vec3]) -> f64 {
        (self.reach - dot(self.normal, self.point(x))).max(0.0)
    }

    /// What it pushes the body with, N.
    pub fn force(&self, x: &[Vec3]) -> Vec3 {
        scale(self.normal, self.stiffness * self.depth(x))
    }

    fn check(&self, vertex_count: usize) -> Result<(), ForceError> {
        finite_vector("normal of a local plane", self.normal)?;
        finite("reach of a local plane", self.reach)?;
        not_negative("stiffness of a local plane", self.stiffness)?;
        let one = |length: f64| (length - 1.0).abs() <= 1e-6;
        accepted("length of a normal", norm(self.normal), one, "it must be 1")?;
        let list: Vec<u32> = self.nodes.iter().map(|n| n.0).collect();
        vertices("local plane".to_owned(), &list, vertex_count)?;
        for &(_, w) in &self.nodes {
            finite("weight of a local plane", w)?;
        }
        Ok(())
    }
}

/// All local planes of a system, which are put between steps. As of [`Grabs`](crate::springs::Grabs), the pattern
/// of the system follows the vertices that they couple.
#[derive(Debug, Clone, Default)]
pub struct LocalPlanes {
    list: Vec<LocalPlane>,
    /// The points of the list, in its order.
    points: WeightedPoints,
    /// Whether the coupled vertices are others than when the model was bound.
    changed: bool,
}

impl LocalPlanes {
    /// No planes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts these in the place of those before. On error those before stay.
    pub fn put(&mut self, planes: Vec<LocalPlane>, vertex_count: usize) -> Result<(), ForceError> {
        for plane in &planes {
            plane.check(vertex_count)?;
        }
        if !(planes.is_empty() && self.list.is_empty()) {
            self.list = planes;
            self.gather();
        }
        Ok(())
    }

    /// Takes all of them away.
    pub fn clear(&mut self) {
        if !self.list.is_empty() {
            self.list.clear();
            self.gather();
        }
    }

    /// Makes the points of the list anew.
    fn gather(&mut self) {
        self.points = WeightedPoints::default();
        for plane in &self.list {
            self.points.push(plane.nodes.iter().copied());
        }
        self.changed = true;
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &LocalPlane> {
        self.list.iter()
    }

    /// The sum of the forces with which they push, N.
    pub fn force(&self, x: &[Vec3]) -> Vec3 {
        self.iter().fold([0.0; 3], |sum, plane| add_scaled(sum, plane.force(x), 1.0))
    }
}

impl ForceModel for LocalPlanes {
    fn name(&self) -> &'static str {
        "local planes"
    }

    fn character(&self) -> Character {
        Character { couplings: Couplings::Changing, sets_in: true, ..Character::POTENTIAL }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.points.couplings(couple);
    }

    fn begin(&mut self, _: &Configuration<'_>) -> Result<Change, ForceError> {
        Ok(if self.changed { Change::Couplings } else { Change::Same })
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.points.bind(slots)?;
        self.changed = false;
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        if self.changed && ask.tangent.is_some() {
            return Err(not_bound(self.name()));
        }
        for (index, plane) in self.list.iter().enumerate() {
            let (y, _) = self.points.value(index, at, ([0.0; 3], [0.0; 3]))?;
            let depth = plane.reach - dot(plane.normal, y);
            if depth <= 0.0 {
                continue;
            }
            let (k, normal) = (plane.stiffness, plane.normal);
            if let Some(energy) = ask.energy.as_deref_mut() {
                *energy += 0.5 * k * depth * depth;
            }
            let tangent = Mat3::outer(normal, normal).scale(k * ask.position_weight);
            self.points.add(index, &Pull { direction: normal, size: -k * depth, tangent }, ask);
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K, where all planes of a vertex are touched.
    fn stable_step(&self, _: &Configuration<'_>, mass: &[f64]) -> f64 {
        if self.is_empty() {
            return f64::INFINITY;
        }
        let mut sums = vec![0.0; mass.len()];
        for plane in self.iter() {
            let total: f64 = plane.nodes.iter().map(|n| n.1.abs()).sum();
            for &(v, w) in &plane.nodes {
                sums[v as usize] += plane.stiffness * w.abs() * total / mass[v as usize];
            }
        }
        stable_step(sums.into_iter().fold(0.0, f64::max), 0.0)
    }
}

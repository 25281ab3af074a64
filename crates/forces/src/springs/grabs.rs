//! [`Grabs`]: springs that pull at points of bodies while a simulation runs, as a hand does.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, norm_squared, scale, sub};

use crate::assembly::{not_bound, stable_step};
use crate::character::{Character, Couplings};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, Change, ForceModel};
use crate::parameter::{accepted, finite, finite_vector, not_negative, vertices};
use crate::slots::Slots;
use crate::weighted_points::{Pull, WeightedPoints};
use crate::workspace::Workspace;

/// A spring without length from a point Σ w x of a body to a target: Π = ½ k |Σ w x − target|².
#[derive(Debug, Clone, PartialEq)]
pub struct Grab {
    /// Vertices and their weights, whose sum is 1.
    pub nodes: Vec<(u32, f64)>,
    /// Where the hand is, m.
    pub target: Vec3,
    /// k, N/m.
    pub stiffness: f64,
}

impl Grab {
    /// Where the point is.
    pub fn point(&self, x: &[Vec3]) -> Vec3 {
        self.nodes.iter().fold([0.0; 3], |p, &(v, w)| add_scaled(p, x[v as usize], w))
    }

    /// What the hand pulls with, N.
    pub fn force(&self, x: &[Vec3]) -> Vec3 {
        scale(sub(self.target, self.point(x)), self.stiffness)
    }

    fn check(&self, vertex_count: usize) -> Result<(), ForceError> {
        finite_vector("target of a grab", self.target)?;
        not_negative("stiffness of a grab", self.stiffness)?;
        let list: Vec<u32> = self.nodes.iter().map(|n| n.0).collect();
        vertices("grab".to_owned(), &list, vertex_count)?;
        for &(_, w) in &self.nodes {
            finite("weight of a grab", w)?;
        }
        let one = |sum: f64| (sum - 1.0).abs() <= 1e-6;
        let sum = self.nodes.iter().map(|n| n.1).sum();
        accepted("sum of the weights of a grab", sum, one, "it must be 1")?;
        Ok(())
    }
}

/// A grab with its number.
#[derive(Debug, Clone)]
struct Entry {
    id: u64,
    grab: Grab,
}

/// All grabs of a system, which come and go between steps. Their vertices are coupled with each other wherever
/// the body's own elements do not couple them: the pattern of the system follows.
#[derive(Debug, Clone, Default)]
pub struct Grabs {
    list: Vec<Entry>,
    /// The points of the list, in its order.
    points: WeightedPoints,
    /// Whether the coupled vertices are others than when the model was bound.
    changed: bool,
}

impl Grabs {
    /// No grabs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a grab, in place of the one of that number if there is one.
    pub fn start(&mut self, id: u64, grab: Grab, vertex_count: usize) -> Result<(), ForceError> {
        grab.check(vertex_count)?;
        self.list.retain(|entry| entry.id != id);
        self.list.push(Entry { id, grab });
        self.gather();
        Ok(())
    }

    /// Moves the hand; false if there is no such grab.
    pub fn move_to(&mut self, id: u64, target: Vec3) -> Result<bool, ForceError> {
        finite_vector("target of a grab", target)?;
        let found = self.list.iter_mut().find(|entry| entry.id == id);
        Ok(found.map(|entry| entry.grab.target = target).is_some())
    }

    /// Lets go; false if there is no such grab.
    pub fn end(&mut self, id: u64) -> bool {
        let before = self.list.len();
        self.list.retain(|entry| entry.id != id);
        let found = self.list.len() < before;
        if found {
            self.gather();
        }
        found
    }

    /// Lets go of everything.
    pub fn clear(&mut self) {
        if !self.list.is_empty() {
            self.list.clear();
            self.gather();
        }
    }

    /// Makes the points of the list anew.
    fn gather(&mut self) {
        self.points = WeightedPoints::default();
        for Entry { grab, .. } in &self.list {
            self.points.push(grab.nodes.iter().copied());
        }
        self.changed = true;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if nothing is grabbed.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them with their numbers, in the order they were started in.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Grab)> {
        self.list.iter().map(|entry| (entry.id, &entry.grab))
    }
}

impl ForceModel for Grabs {
    fn name(&self) -> &'static str {
        "grabs"
    }

    fn character(&self) -> Character {
        Character { couplings: Couplings::Changing, ..Character::POTENTIAL }
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
        for (index, Entry { grab, .. }) in self.list.iter().enumerate() {
            let start = (scale(grab.target, -1.0), [0.0; 3]);
            let (d, _) = self.points.value(index, at, start)?;
            if let Some(energy) = ask.energy.as_deref_mut() {
                *energy += 0.5 * grab.stiffness * norm_squared(d);
            }
            let tangent = Mat3::diagonal([ask.position_weight * grab.stiffness; 3]);
            self.points.add(index, &Pull { direction: d, size: grab.stiffness, tangent }, ask);
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K, as of [`Attachments`](super::Attachments).
    fn stable_step(&self, _: &Configuration<'_>, mass: &[f64]) -> f64 {
        let mut largest = 0.0_f64;
        for Entry { grab, .. } in &self.list {
            let total: f64 = grab.nodes.iter().map(|n| n.1.abs()).sum();
            for &(v, w) in &grab.nodes {
                largest = largest.max(grab.stiffness * w.abs() * total / mass[v as usize]);
            }
        }
        stable_step(largest, 0.0)
    }
}

//! [`Grabs`]: springs that pull at points of bodies while a simulation runs, as a hand does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pliant_algebra::vec3::{Vec3, add_scaled, norm_squared, scale, sub};

use crate::model::{Ask, ForceError, ForceModel, State};
use crate::parameter::{accepted, finite, finite_vector, finite_vertex, not_negative, vertices};
use crate::places::stable_step;

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

/// A grab with the places of its blocks in the matrix, and their factors of k.
#[derive(Debug)]
struct Bound {
    id: u64,
    grab: Grab,
    blocks: Vec<(u32, f64)>,
}

/// All grabs of a system. A clone is a handle to the same list: one becomes a force model of the system,
/// the other starts, moves and ends grabs between steps.
///
/// The pattern of the matrix is fixed when a system is made, long before a hand chooses its vertices.
/// What k w_i w_j has no place there (points of surfaces whose vertices lie in several cells) goes to the
/// diagonals of i and j, with which the tangent is larger than the true one: Newton stays stable and comes to
/// the same answer, in more iterations.
#[derive(Debug, Clone, Default)]
pub struct Grabs(Arc<Mutex<Vec<Bound>>>);

/// The place of block (i, j) of the system matrix, and whether it holds the transposed block; see
/// [`ForceModel::bind`].
pub type Slot<'a> = &'a dyn Fn(u32, u32) -> Option<(u32, bool)>;

impl Grabs {
    /// No grabs.
    pub fn new() -> Self {
        Self::default()
    }

    /// A list of plain values: usable even if a thread has died while it held the lock.
    fn lock(&self) -> MutexGuard<'_, Vec<Bound>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a grab, in place of the one of that number if there is one.
    pub fn start(
        &self,
        id: u64,
        grab: Grab,
        vertex_count: usize,
        slot: Slot<'_>,
    ) -> Result<(), ForceError> {
        grab.check(vertex_count)?;
        let blocks = point_blocks(&grab.nodes, slot);
        let mut list = self.lock();
        list.retain(|bound| bound.id != id);
        list.push(Bound { id, grab, blocks });
        Ok(())
    }

    /// Moves the hand; false if there is no such grab.
    pub fn move_to(&self, id: u64, target: Vec3) -> Result<bool, ForceError> {
        finite_vector("target of a grab", target)?;
        let mut list = self.lock();
        let found = list.iter_mut().find(|bound| bound.id == id);
        Ok(found.map(|bound| bound.grab.target = target).is_some())
    }

    /// Lets go; false if there is no such grab.
    pub fn end(&self, id: u64) -> bool {
        let mut list = self.lock();
        let before = list.len();
        list.retain(|bound| bound.id != id);
        list.len() < before
    }

    /// Lets go of everything.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `see` for each, in the order they were started in.
    pub fn each(&self, mut see: impl FnMut(u64, &Grab)) {
        for bound in self.lock().iter() {
            see(bound.id, &bound.grab);
        }
    }
}

/// Where w_i w_j of a point Σ w x lies in the matrix, and what it is there. A pair that has no place goes to the
/// diagonals of both.
pub(crate) fn point_blocks(nodes: &[(u32, f64)], slot: Slot<'_>) -> Vec<(u32, f64)> {
    let mut blocks = Vec::new();
    let mut add = |i: u32, j: u32, factor: f64| match slot(i, j) {
        // In symmetric storage (i, j) and (j, i) share a place: only one of them is written.
        Some((place, transposed)) => {
            if !transposed {
                blocks.push((place, factor));
            }
            true
        }
        None => false,
    };
    for &(i, a) in nodes {
        for &(j, b) in nodes {
            if !add(i, j, a * b) {
                // 2|u·v| ≤ u² + v²; the pair (j, i) brings the other half.
                add(i, i, (a * b).abs());
            }
        }
    }
    blocks
}

impl ForceModel for Grabs {
    fn name(&self) -> &'static str {
        "grabs"
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn has_energy(&self) -> bool {
        true
    }

    fn couplings(&self, _: &mut dyn FnMut(u32, u32)) {}

    fn bind(&mut self, _: &dyn Fn(u32, u32) -> (u32, bool)) {}

    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError> {
        for Bound { grab, blocks, .. } in self.lock().iter() {
            let mut d = scale(grab.target, -1.0);
            for &(v, w) in &grab.nodes {
                d = add_scaled(d, finite_vertex(state, v)?.0, w);
            }
            if let Some(energy) = ask.energy.as_deref_mut() {
                *energy += 0.5 * grab.stiffness * norm_squared(d);
            }
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                for &(v, w) in &grab.nodes {
                    let g = &mut gradient[v as usize];
                    *g = add_scaled(*g, d, grab.stiffness * w);
                }
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                for &(place, factor) in blocks {
                    let block = &mut tangent[place as usize];
                    for k in [0, 4, 8] {
                        block[k] += ask.position_weight * grab.stiffness * factor;
                    }
                }
            }
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K, as of [`Attachments`](super::Attachments).
    fn largest_step(&self, _: &State<'_>, mass: &[f64]) -> f64 {
        let mut largest = 0.0_f64;
        for Bound { grab, .. } in self.lock().iter() {
            let total: f64 = grab.nodes.iter().map(|n| n.1.abs()).sum();
            for &(v, w) in &grab.nodes {
                largest = largest.max(grab.stiffness * w.abs() * total / mass[v as usize]);
            }
        }
        stable_step(largest, 0.0)
    }
}

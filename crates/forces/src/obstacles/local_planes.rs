//! [`LocalPlanes`]: planes that points of bodies may not pass, as a probe puts them for the time of a step.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, scale};

use crate::model::{Ask, ForceError, ForceModel, State};
use crate::parameter::{accepted, finite, finite_vector, finite_vertex, not_negative, vertices};
use crate::places::stable_step;
use crate::springs::{Slot, point_blocks};

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

/// A plane with the places of its blocks in the matrix, and their factors.
#[derive(Debug)]
struct Bound {
    plane: LocalPlane,
    blocks: Vec<(u32, f64)>,
}

/// All local planes of a system. A clone is a handle to the same list, as of [`Grabs`](crate::springs::Grabs):
/// one is a force model of the system, the other puts the planes between steps. What has no place in the matrix
/// is treated as there.
#[derive(Debug, Clone, Default)]
pub struct LocalPlanes(Arc<Mutex<Vec<Bound>>>);

impl LocalPlanes {
    /// No planes.
    pub fn new() -> Self {
        Self::default()
    }

    /// A list of plain values: usable even if a thread has died while it held the lock.
    fn lock(&self) -> MutexGuard<'_, Vec<Bound>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts these in the place of those before. On error those before stay.
    pub fn put(
        &self,
        planes: Vec<LocalPlane>,
        vertex_count: usize,
        slot: Slot<'_>,
    ) -> Result<(), ForceError> {
        for plane in &planes {
            plane.check(vertex_count)?;
        }
        let bind = |plane: LocalPlane| Bound { blocks: point_blocks(&plane.nodes, slot), plane };
        *self.lock() = planes.into_iter().map(bind).collect();
        Ok(())
    }

    /// Takes all of them away.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Calls `see` for each.
    pub fn each(&self, mut see: impl FnMut(&LocalPlane)) {
        for bound in self.lock().iter() {
            see(&bound.plane);
        }
    }

    /// What all of them push with, N.
    pub fn force(&self, x: &[Vec3]) -> Vec3 {
        let mut sum = [0.0; 3];
        self.each(|plane| sum = add_scaled(sum, plane.force(x), 1.0));
        sum
    }
}

impl ForceModel for LocalPlanes {
    fn name(&self) -> &'static str {
        "local planes"
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
        for Bound { plane, blocks } in self.lock().iter() {
            let mut y = [0.0; 3];
            for &(v, w) in &plane.nodes {
                y = add_scaled(y, finite_vertex(state, v)?.0, w);
            }
            let depth = plane.reach - dot(plane.normal, y);
            if depth <= 0.0 {
                continue;
            }
            let k = plane.stiffness;
            if let Some(energy) = ask.energy.as_deref_mut() {
                *energy += 0.5 * k * depth * depth;
            }
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                for &(v, w) in &plane.nodes {
                    let g = &mut gradient[v as usize];
                    *g = add_scaled(*g, plane.normal, -k * depth * w);
                }
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                let whole = Mat3::outer(plane.normal, plane.normal).scale(k * ask.position_weight);
                for &(place, factor) in blocks {
                    let block = whole.scale(factor).to_array();
                    for (entry, add) in tangent[place as usize].iter_mut().zip(block) {
                        *entry += add;
                    }
                }
            }
        }
        Ok(())
    }

    /// ω² is at most the largest row of M⁻¹K, where all planes of a vertex are touched.
    fn largest_step(&self, _: &State<'_>, mass: &[f64]) -> f64 {
        let mut sums = vec![0.0; mass.len()];
        for Bound { plane, .. } in self.lock().iter() {
            let total: f64 = plane.nodes.iter().map(|n| n.1.abs()).sum();
            for &(v, w) in &plane.nodes {
                sums[v as usize] += plane.stiffness * w.abs() * total / mass[v as usize];
            }
        }
        stable_step(sums.into_iter().fold(0.0, f64::max), 0.0)
    }
}

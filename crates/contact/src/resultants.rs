//! [`Resultants`]: the forces between bodies, each pair as a whole.

use pliant_algebra::vec3::{Vec3, add, cross};

/// What one body exerts on another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resultant {
    /// The body that the force is on, and the one that exerts it, by their numbers: the lower one first.
    pub bodies: [u32; 2],
    /// N
    pub force: Vec3,
    /// About the origin, N m.
    pub torque: Vec3,
}

/// Sums of forces, one for each pair of bodies that has some, ascending. A body and itself are no pair.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resultants(Vec<Resultant>);

impl Resultants {
    /// Takes all of them away. What was allocated stays.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// All of them, in ascending order of their bodies.
    pub fn iter(&self) -> impl Iterator<Item = &Resultant> {
        self.0.iter()
    }

    /// The force of a pair, the lower body first; none where there is none.
    pub fn get(&self, bodies: [u32; 2]) -> Option<&Resultant> {
        self.0.binary_search_by_key(&bodies, |r| r.bodies).ok().map(|k| &self.0[k])
    }

    /// Adds the force (N) at a point (m) of a body that another exerts. It counts where the first has the lower number: the
    /// force on the other is the opposite one.
    pub(crate) fn add(&mut self, [body, other]: [u32; 2], point: Vec3, force: Vec3) {
        if body >= other {
            return;
        }
        let bodies = [body, other];
        let k = self.0.binary_search_by_key(&bodies, |r| r.bodies).unwrap_or_else(|k| {
            self.0.insert(k, Resultant { bodies, force: [0.0; 3], torque: [0.0; 3] });
            k
        });
        let sum = &mut self.0[k];
        sum.force = add(sum.force, force);
        sum.torque = add(sum.torque, cross(point, force));
    }
}

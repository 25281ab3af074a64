//! Collision integration of Zhuang and Canny (Real-time Global Deformations, section 6).

use pliant_algebra::vec3::{Vec3, add_scaled};
use pliant_forces::obstacles::{Meeting, Meets};

use super::{Mass, System};

/// What bodies collide with, without a force.
#[derive(Default)]
pub(super) struct Collisions {
    meets: Vec<Box<dyn Meets>>,
    found: Vec<Meeting>,
    /// 1/m, 1/kg; zero for what is held in any direction and for what has no mass.
    inverse: Vec<f64>,
}

impl System {
    /// Lets bodies collide by what a method does with velocities and accelerations, in place of forces. Only methods that say so look at
    /// it: `explicit-newmark` and `central-differences`.
    pub fn set_collisions(&mut self, meets: Vec<Box<dyn Meets>>) {
        self.collisions = Collisions { meets, ..Collisions::default() };
    }

    /// Finds what is behind surfaces at positions x, among those of [`System::set_collisions`].
    fn meetings(&mut self, x: &[Vec3]) -> &[Meeting] {
        let Collisions { meets, found, .. } = &mut self.collisions;
        found.clear();
        for meets in meets.iter_mut() {
            meets.find(x, found);
        }
        found
    }

    /// What was behind surfaces at the start of the last step; none where there is nothing to collide with.
    pub fn last_meetings(&self) -> Option<&[Meeting]> {
        let Collisions { meets, found, .. } = &self.collisions;
        (!meets.is_empty()).then_some(&**found)
    }

    /// Changes velocities and accelerations at the end of a step of h seconds from (x₀, v₀) to x₁, for every point s = Σ c x that was
    /// behind a surface at x₀ and on its way in: with the outward normal n,
    ///
    /// ```text
    /// n·ṡ₁ = 0,   n·s̈₁ = −2 n·(s₁ − s₀)/h²,
    /// ```
    ///
    /// so that after another step of the same length n·s₂ = n·s₀ (equation 12). As s₁ − s₀ = h ṡ₀ + h²/2 s̈₀ that is equation (11), with
    /// (10) as v₁ = v₀ − (v₀·n) n; but only along n, as the tangential part of (10) and (11) would take two steps of
    /// gravity away as well. Vertices share the change by c/m: two nodes get the common velocity along n, and momentum is kept.
    /// Several are treated one after the other. Returns true if anything has changed: accelerations are then not those of the forces.
    pub(crate) fn collide(
        &mut self,
        [x0, v0]: [&[Vec3]; 2],
        h: f64,
        x1: &[Vec3],
        [v1, a1]: [&mut [Vec3]; 2],
    ) -> bool {
        if self.collisions.meets.is_empty() {
            return false;
        }
        let mut any = false;
        self.find_inverse_masses();
        self.meetings(x0);
        let Collisions { found, inverse, .. } = &self.collisions;
        for meeting in found {
            let parts = || meeting.nodes.iter().zip(meeting.weights).filter(|(_, c)| *c != 0.0);
            let compliance: f64 = parts().map(|(&v, c)| c * c * inverse[v as usize]).sum();
            if meeting.along(v0) >= 0.0 || compliance == 0.0 {
                continue;
            }
            any = true;
            let wanted = -2.0 * (meeting.along(x1) - meeting.along(x0)) / (h * h);
            let velocity = -meeting.along(v1) / compliance;
            let acceleration = (wanted - meeting.along(a1)) / compliance;
            for (&v, c) in parts() {
                let share = c * inverse[v as usize];
                let (v1, a1) = (&mut v1[v as usize], &mut a1[v as usize]);
                *v1 = add_scaled(*v1, meeting.normal, share * velocity);
                *a1 = add_scaled(*a1, meeting.normal, share * acceleration);
            }
        }
        any
    }

    fn find_inverse_masses(&mut self) {
        if self.collisions.inverse.len() == self.vertices() {
            return;
        }
        let mut inverse = std::mem::take(&mut self.collisions.inverse);
        inverse.clear();
        match &self.mass {
            Mass::Lumped(masses) => inverse.extend(masses),
            Mass::Consistent(_) => {
                // Sums of rows: what keeps the momentum.
                let mut sums = vec![[0.0; 3]; self.vertices()];
                self.multiply_mass(&vec![[1.0; 3]; self.vertices()], &mut sums);
                inverse.extend(sums.iter().map(|m| m[0]));
            }
        }
        for m in &mut inverse {
            *m = if *m > 0.0 { 1.0 / *m } else { 0.0 };
        }
        for held in self.constraints.vertices() {
            inverse[held.vertex as usize] = 0.0;
        }
        self.collisions.inverse = inverse;
    }
}

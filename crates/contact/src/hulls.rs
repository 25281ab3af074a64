//! [`Hulls`]: a box around each body on its way, which tells bodies that cannot have met.

use std::sync::Arc;

use pliant_algebra::vec3::Vec3;

use crate::normal::NormalContact;
use crate::soft::SoftContact;
use crate::surface::CollisionSurface;

/// Boxes along the axes around the collision vertices of bodies, at all positions that were shown since the last
/// [`Hulls::clear`].
#[derive(Debug, Clone)]
pub struct Hulls {
    surface: Arc<CollisionSurface>,
    reach: f64,
    y: Vec<Vec3>,
    boxes: Vec<[Vec3; 2]>,
}

impl Hulls {
    /// Of the bodies of a barrier.
    pub fn of_barrier(contact: &NormalContact) -> Self {
        Self::new(contact.surface().clone(), contact.reach())
    }

    /// Of bodies that touch softly.
    pub fn of_soft(contact: &SoftContact) -> Self {
        Self::new(Arc::new(contact.surface().clone()), contact.reach())
    }

    fn new(surface: Arc<CollisionSurface>, reach: f64) -> Self {
        let boxes = vec![EMPTY; surface.body_count()];
        Self { surface, reach, y: Vec::new(), boxes }
    }

    /// The largest distance at which bodies begin to repel each other, m.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Empties all boxes.
    pub fn clear(&mut self) {
        self.boxes.fill(EMPTY);
    }

    /// Makes the boxes large enough for positions of the simulated vertices. No allocation after the first call.
    pub fn cover(&mut self, x: &[Vec3]) {
        let Self { surface, y, boxes, .. } = self;
        surface.follow(x, y);
        for (y, &body) in y.iter().zip(surface.bodies()) {
            let [low, high] = &mut boxes[body as usize];
            for k in 0..3 {
                low[k] = low[k].min(y[k]);
                high[k] = high[k].max(y[k]);
            }
        }
    }

    /// The box of a body, m: the lowest and the highest corner.
    pub fn of(&self, body: usize) -> [Vec3; 2] {
        self.boxes[body]
    }

    /// Whether two boxes are nearer to each other than `distance`, m, along every axis.
    pub fn are_near([a, b]: [[Vec3; 2]; 2], distance: f64) -> bool {
        (0..3).all(|k| a[0][k] - b[1][k] < distance && b[0][k] - a[1][k] < distance)
    }
}

const EMPTY: [Vec3; 2] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

#[cfg(test)]
mod tests {
    use super::Hulls;

    #[test]
    fn boxes_are_near_only_if_they_are_along_every_axis() {
        let unit = |x: f64, y: f64| [[x, y, 0.0], [x + 1.0, y + 1.0, 1.0]];
        let near = |x, y| Hulls::are_near([unit(0.0, 0.0), unit(x, y)], 0.25);
        assert!(near(1.2, 0.0) && near(-1.2, 0.0) && near(1.2, 1.2));
        assert!(!near(1.3, 0.0) && !near(0.0, -1.3) && !near(1.2, 1.3));
    }
}

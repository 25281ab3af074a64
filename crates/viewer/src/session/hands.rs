//! What hands do in a session.

use pliant_algebra::vec3::{Vec3, add_scaled, norm, scale, sub};
use pliant_forces::springs::Grab;
use pliant_scene::SceneError;

use super::{HAND_SPEED, MOST_GRABS, Session};
use crate::acting;
use crate::input::Act;

impl Session {
    pub(super) fn grab(
        &mut self,
        id: u32,
        body: usize,
        triangle: usize,
        weights: [f64; 3],
        at: Vec3,
        stiffness: Option<f64>,
    ) -> Result<(), SceneError> {
        if self.grabs().len() >= MOST_GRABS {
            let text = format!("{MOST_GRABS} hands pull already: let go of one first");
            return Err(SceneError::new(text));
        }
        if body >= self.simulation.bodies.len() && body < self.rest.len() {
            let text = format!("obstacle '{}' cannot be pulled", self.rest[body].name());
            return Err(SceneError::new(text).hint("it goes where the scene moves it"));
        }
        let nodes = self.rest.get(body).and_then(|surface| surface.point(triangle, weights));
        let Some(nodes) = nodes else {
            let text = format!("body {body} has no triangle {triangle} to pull at");
            return Err(SceneError::new(text));
        };
        let stiffness = stiffness.unwrap_or_else(|| self.simulation.bodies[body].hand_stiffness());
        // It starts where the point is, and goes to where it was pressed.
        let mut grab = Grab { nodes, target: at, stiffness };
        grab.target = grab.point(&self.simulation.state().x);
        let count = self.simulation.vertices();
        acting::hands_mut(&mut self.simulation).start(u64::from(id), grab, count)?;
        let aim = self.reach(at);
        self.aims.retain(|(known, _)| *known != id);
        self.aims.push((id, aim));
        Ok(())
    }

    /// Lets go of everything; pins stay.
    pub fn release_all(&mut self) {
        self.write_down(Act::ReleaseAll);
        self.let_go();
    }

    pub(super) fn let_go(&mut self) {
        acting::hands_mut(&mut self.simulation).clear();
        self.aims.clear();
        self.tools.probe.lift(&mut self.simulation);
    }

    /// Brings hands nearer to where they want to be, as far as they get in a step.
    pub(super) fn move_hands(&mut self) -> Result<(), SceneError> {
        let most = HAND_SPEED * self.size * self.scene.time.step;
        self.tools.probe.approach(&mut self.simulation, most)?;
        for &(id, aim) in &self.aims {
            let id = u64::from(id);
            let hand = acting::hands(&self.simulation).iter().find(|(known, _)| *known == id);
            let Some(from) = hand.map(|(_, hand)| hand.target) else { continue };
            let way = sub(aim, from);
            let far = norm(way) > most;
            let now = if far { add_scaled(from, way, most / norm(way)) } else { aim };
            // A hand at rest leaves the system alone, and what that keeps from the step before.
            if now != from {
                acting::hands_mut(&mut self.simulation).move_to(id, now)?;
            }
        }
        Ok(())
    }

    /// No hand goes farther than a few sizes of the scene: a jump of the cursor to the horizon would tear
    /// bodies apart.
    pub(super) fn reach(&self, at: Vec3) -> Vec3 {
        let from = sub(at, self.centre);
        let (length, most) = (norm(from), 3.0 * self.size);
        if length <= most { at } else { add_scaled(self.centre, scale(from, 1.0 / length), most) }
    }
}

//! [`Pins`]: points of bodies that stay where they were when someone put a pin in.

use pliant_algebra::vec3::Vec3;
use pliant_forces::springs::Grab;
use pliant_scene::{SceneError, Simulation, Surface};

use crate::acting;
use crate::stiff::admitted;

/// Pins at the same time.
pub const MOST_PINS: usize = 64;
/// Stiffness over that of a hand: what a hand moves by a centimetre gives way by a tenth of a millimetre where it
/// is pinned.
const STIFFNESS: f64 = 100.0;

/// The pins of a scene: stiff springs, of which the system knows as of hands ([`acting::pins`]). No constraint is
/// made anew when a pin comes or goes, and no matrix changes its pattern unless the pin couples vertices that no
/// element does.
#[derive(Debug, Default)]
pub struct Pins {
    next: u32,
    spots: Vec<(u32, Spot)>,
}

/// A point of a surface: body, triangle, barycentric weights.
pub(crate) type Spot = (usize, usize, [f64; 3]);

/// A pin, and how it is pulled at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pin {
    /// Its number.
    pub id: u32,
    /// What it holds.
    pub spot: Spot,
    /// Where it is, m.
    pub at: Vec3,
    /// What it holds the body with, N.
    pub force: Vec3,
}

impl Pins {
    /// Puts a pin into a point of a surface, where it is now.
    pub(crate) fn put(
        &mut self,
        simulation: &mut Simulation,
        rest: &[Surface],
        spot: Spot,
    ) -> Result<(), SceneError> {
        let (body, triangle, weights) = spot;
        if self.len() >= MOST_PINS {
            let text = format!("there are {MOST_PINS} pins already: take one out first");
            return Err(SceneError::new(text));
        }
        if let Some(surface) = rest.get(body).filter(|_| body >= simulation.bodies.len()) {
            let text = format!("obstacle '{}' cannot be pinned", surface.name());
            return Err(SceneError::new(text).hint("it goes where the scene moves it"));
        }
        let nodes = rest.get(body).and_then(|surface| surface.point(triangle, weights));
        let Some(nodes) = nodes else {
            let text = format!("body {body} has no triangle {triangle} to pin");
            return Err(SceneError::new(text));
        };
        let stiffness = STIFFNESS * simulation.bodies[body].hand_stiffness();
        let mut pin = Grab { nodes, target: [0.0; 3], stiffness };
        pin.target = pin.point(&simulation.state().x);
        self.next += 1;
        start(u64::from(self.next), pin, simulation)?;
        self.spots.push((self.next, spot));
        Ok(())
    }

    /// Takes a pin out; one that is gone already is no error.
    pub(crate) fn remove(&mut self, simulation: &mut Simulation, id: u32) {
        acting::pins_mut(simulation).end(u64::from(id));
        self.spots.retain(|(known, _)| *known != id);
    }

    /// Takes all of them out, and counts from the start: another scene has its own.
    pub(crate) fn begin(&mut self, simulation: &mut Simulation) {
        self.clear(simulation);
        self.next = 0;
    }

    /// Takes all of them out.
    pub(crate) fn clear(&mut self, simulation: &mut Simulation) {
        acting::pins_mut(simulation).clear();
        self.spots.clear();
    }

    /// All of them, as they are pulled at in the present state.
    pub(crate) fn list(&self, simulation: &Simulation) -> Vec<Pin> {
        let x = &simulation.state().x;
        let mut list = Vec::new();
        for (id, pin) in acting::pins(simulation).iter() {
            let id = id as u32;
            if let Some((_, spot)) = self.spots.iter().find(|(known, _)| *known == id) {
                list.push(Pin { id, spot: *spot, at: pin.target, force: pin.force(x) });
            }
        }
        list
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.spots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }
}

/// Holds points where they are in the present state.
pub(crate) fn follow(simulation: &mut Simulation) {
    let x = &simulation.state().x;
    let places: Vec<(u64, Vec3)> =
        acting::pins(simulation).iter().map(|(id, pin)| (id, pin.point(x))).collect();
    for (id, at) in places {
        // What is not finite stays where it was.
        let _ = acting::pins_mut(simulation).move_to(id, at);
    }
}

/// Puts the pins of one simulation into another one that differs in a setting.
pub(crate) fn copy(from: &Simulation, to: &mut Simulation) -> Result<(), SceneError> {
    for (id, pin) in acting::pins(from).iter() {
        let mut pin = pin.clone();
        let held = pin.nodes.first().map_or(0, |n| n.0 as usize);
        if let Some(body) = to.bodies.iter().find(|b| b.range.contains(&held)) {
            pin.stiffness = STIFFNESS * body.hand_stiffness();
        }
        start(id, pin, to)?;
    }
    Ok(())
}

fn start(id: u64, mut pin: Grab, simulation: &mut Simulation) -> Result<(), SceneError> {
    pin.stiffness = admitted(pin.stiffness, &pin.nodes, simulation);
    let count = simulation.vertices();
    Ok(acting::pins_mut(simulation).start(id, pin, count)?)
}

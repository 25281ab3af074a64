//! [`Pins`]: points of bodies that stay where they were when someone put a pin in.

use pliant_algebra::vec3::Vec3;
use pliant_forces::springs::{Grab, Grabs};
use pliant_scene::{SceneError, Simulation, Surface};

use crate::stiff::admitted;

/// Pins at the same time.
pub const MOST_PINS: usize = 64;
/// Stiffness over that of a hand: what a hand moves by a centimetre gives way by a tenth of a millimetre where it
/// is pinned.
const STIFFNESS: f64 = 100.0;

/// The pins of a scene: stiff springs, of which the system knows as of hands. No matrix changes its pattern and no
/// constraint is made anew when a pin comes or goes.
#[derive(Debug, Default)]
pub struct Pins {
    grabs: Grabs,
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
    /// The force model of these pins.
    pub(crate) fn model(&self) -> Grabs {
        self.grabs.clone()
    }

    /// Puts a pin into a point of a surface, where it is now.
    pub(crate) fn put(
        &mut self,
        simulation: &mut Simulation,
        rest: &[Surface],
        spot: Spot,
    ) -> Result<(), SceneError> {
        let (body, triangle, weights) = spot;
        if self.grabs.len() >= MOST_PINS {
            let text = format!("there are {MOST_PINS} pins already: take one out first");
            return Err(SceneError::new(text));
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
        start(&self.grabs, u64::from(self.next), pin, simulation)?;
        self.spots.push((self.next, spot));
        Ok(())
    }

    /// Takes a pin out; one that is gone already is no error.
    pub(crate) fn remove(&mut self, id: u32) {
        self.grabs.end(u64::from(id));
        self.spots.retain(|(known, _)| *known != id);
    }

    /// Takes all of them out.
    pub(crate) fn clear(&mut self) {
        self.grabs.clear();
        self.spots.clear();
    }

    /// Holds points where they are in the present state.
    pub(crate) fn follow(&mut self, simulation: &Simulation) {
        let x = &simulation.state().x;
        let mut places = Vec::new();
        self.grabs.each(|id, pin| places.push((id, pin.point(x))));
        for (id, at) in places {
            // What is not finite stays where it was.
            let _ = self.grabs.move_to(id, at);
        }
    }

    /// The same pins in a simulation that differs in a setting, as the force model `grabs` of it.
    pub(crate) fn move_into(
        &mut self,
        grabs: Grabs,
        simulation: &mut Simulation,
    ) -> Result<(), SceneError> {
        let mut list = Vec::new();
        self.grabs.each(|id, pin| list.push((id, pin.clone())));
        for (id, mut pin) in list {
            let held = pin.nodes.first().map_or(0, |n| n.0 as usize);
            if let Some(body) = simulation.bodies.iter().find(|b| b.range.contains(&held)) {
                pin.stiffness = STIFFNESS * body.hand_stiffness();
            }
            start(&grabs, id, pin, simulation)?;
        }
        self.grabs = grabs;
        Ok(())
    }

    /// All of them, as they are pulled at in the present state.
    pub fn list(&self, x: &[Vec3]) -> Vec<Pin> {
        let mut list = Vec::new();
        self.grabs.each(|id, pin| {
            let id = id as u32;
            if let Some((_, spot)) = self.spots.iter().find(|(known, _)| *known == id) {
                list.push(Pin { id, spot: *spot, at: pin.target, force: pin.force(x) });
            }
        });
        list
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.grabs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.grabs.is_empty()
    }
}

fn start(
    grabs: &Grabs,
    id: u64,
    mut pin: Grab,
    simulation: &mut Simulation,
) -> Result<(), SceneError> {
    pin.stiffness = admitted(pin.stiffness, &pin.nodes, simulation);
    let count = simulation.vertices();
    let pattern = simulation.system().pattern().clone();
    Ok(grabs.start(id, pin, count, &|i, j| pattern.slot(i, j))?)
}

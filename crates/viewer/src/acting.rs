//! Force models that people control while a simulation runs: hands, pins, and the planes of the probe.
//!
//! The system owns them; they are changed between steps, and it follows their couplings when the next step begins.
//! Scenes have no models of these types. So the first grabs of a system are the hands and the second ones the pins,
//! in the order of [`models`], and no other file needs to know of it.

use pliant_dynamics::Role;
use pliant_forces::ForceModel;
use pliant_forces::obstacles::LocalPlanes;
use pliant_forces::springs::Grabs;
use pliant_scene::{SceneError, Simulation};

/// Which of the grabs of a system are the hands.
const HANDS: usize = 0;
/// Which of them are the pins.
const PINS: usize = 1;

/// Returns the models, without anything in them, for a simulation to be built with.
pub(crate) fn models() -> Vec<(Role, Box<dyn ForceModel>)> {
    let hands: Box<dyn ForceModel> = Box::new(Grabs::new());
    let pins: Box<dyn ForceModel> = Box::new(Grabs::new());
    let planes: Box<dyn ForceModel> = Box::new(LocalPlanes::new());
    [hands, pins, planes].map(|model| (Role::Load, model)).into()
}

/// Hands of a simulation that was built with [`models`], as are all below.
pub(crate) fn hands(simulation: &Simulation) -> &Grabs {
    model(simulation, HANDS)
}

/// Hands, to start, move and end them.
pub(crate) fn hands_mut(simulation: &mut Simulation) -> &mut Grabs {
    model_mut(simulation, HANDS)
}

/// Springs of the pins.
pub(crate) fn pins(simulation: &Simulation) -> &Grabs {
    model(simulation, PINS)
}

/// Springs of the pins, to change them.
pub(crate) fn pins_mut(simulation: &mut Simulation) -> &mut Grabs {
    model_mut(simulation, PINS)
}

/// Planes of the probe.
pub(crate) fn planes(simulation: &Simulation) -> &LocalPlanes {
    model(simulation, 0)
}

/// Planes of the probe, to put others in their place.
pub(crate) fn planes_mut(simulation: &mut Simulation) -> &mut LocalPlanes {
    model_mut(simulation, 0)
}

/// Starts the hands of one simulation in another one of the same vertices.
pub(crate) fn copy_hands(from: &Simulation, to: &mut Simulation) -> Result<(), SceneError> {
    let count = to.vertices();
    for (id, hand) in hands(from).iter() {
        hands_mut(to).start(id, hand.clone(), count)?;
    }
    Ok(())
}

fn model<T: ForceModel>(simulation: &Simulation, k: usize) -> &T {
    match simulation.system_ref().models_of().nth(k) {
        Some(model) => model,
        None => unreachable!("a simulation of a session that was built without its models"),
    }
}

fn model_mut<T: ForceModel>(simulation: &mut Simulation, k: usize) -> &mut T {
    match simulation.system().models_of_mut().nth(k) {
        Some(model) => model,
        None => unreachable!("a simulation of a session that was built without its models"),
    }
}

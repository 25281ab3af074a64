//! From a scene, or one of its stages, to all that a simulation is made of.

use pliant_contact::soft::{BodyMeetings, SoftTangent};
use pliant_dynamics::{
    Form, Integrator, Role, State, StaticMethod, Stopped, System, critical_step,
};
use pliant_forces::ForceModel;
use pliant_forces::obstacles::Meets;
use pliant_model::{
    Body, CollisionSurface, ContactMode, Probe, Scenery, Support, World, WorldBuilder,
};

use super::Driver;
use crate::build::norm::{self, Norm};
use crate::build::overlap;
use crate::build::probe_stress::{self, ProbeStress};
use crate::build::restriction;
use crate::build::surface::Surface;
use crate::build::warnings;
use crate::build::world;
use crate::error::SceneError;
use crate::output::formats;
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};

/// What is made of a scene or one of its stages.
pub(super) struct Made {
    pub(super) bodies: Vec<Body>,
    pub(super) scenery: Vec<Scenery>,
    pub(super) probes: Vec<Probe>,
    pub(super) supports: Vec<Support>,
    pub(super) norms: Vec<Norm>,
    pub(super) stresses: Vec<ProbeStress>,
    pub(super) warnings: Vec<String>,
    pub(super) surfaces: Vec<Surface>,
    pub(super) time: TimeSpec,
    pub(super) system: System,
    pub(super) state: State,
    pub(super) driver: Driver,
}

/// Makes meshes, models and methods of a scene or one of its stages, as they are at its start.
pub(super) fn make(
    scene: &Scene,
    others: Vec<(Role, Box<dyn ForceModel>)>,
) -> Result<Made, SceneError> {
    let mut warnings = scene.notes.clone();
    warnings.extend(warnings::of_scene(scene));
    let mut builder = WorldBuilder::new();
    // All stages have one form of gravity, so that what came to rest in one stays there in the next.
    let analyses = (0..scene.stage_count()).map(|k| match scene.stages.get(k) {
        Some(stage) => stage.time.analysis,
        None => scene.time.analysis,
    });
    builder.gravity(scene.gravity).weight(Analysis::weight(analyses));
    builder.stepping(scene.time.stepping(), scene.time.step);
    world::bodies(scene, &mut builder, &mut warnings)?;
    let mut surfaces = Vec::new();
    for (spec, body) in scene.bodies.iter().zip(builder.bodies()) {
        surfaces.push(Surface::new(spec, body, &mut warnings)?);
    }
    world::scenery(scene, &mut builder, &mut warnings)?;
    surfaces.extend(builder.all_scenery().iter().map(Surface::of_scenery));
    let carried = scene.bodies.iter().zip(&surfaces);
    let carried: Vec<_> =
        carried.map(|(spec, s)| spec.touches_as_drawn.then(|| s.carried())).collect();
    world::external(scene, &carried, &mut builder)?;
    for (role, model) in others {
        builder.act(role, model);
    }
    warnings.extend(formats::warnings(scene, &surfaces));
    world::probes(scene, &mut builder)?;
    let World { bodies, scenery, probes, supports, system, mut state } = builder.build()?;
    let mut system = restriction::restrict(scene, &bodies, system)?;
    system.settle(&mut state);
    system.start_memory(&mut state)?;
    warnings.extend(overlap::resolve(scene, (&bodies, &scenery), &mut system, &mut state)?);
    let time = scene.time.clone();
    stop(&time, &mut state);
    if time.from_elastic && time.first == 0 {
        start_elastic(&time, &mut system, &mut state)?;
    }
    let driver = if time.analysis == Analysis::Static {
        state.time = time.end;
        let method: StaticMethod = time.options.static_method;
        Driver::Rest(Box::new(method.statics(&time.static_options())?))
    } else {
        state.time = time.start;
        let integrator = time.integrator.build(&time.options)?;
        Driver::Steps(collide(scene, &bodies, &carried, &mut system, integrator)?)
    };
    if let Driver::Steps(_) = &driver
        && time.integrator.imaginary_interval().is_finite()
        && time.options.control.is_none()
    {
        let critical = critical_step(&mut system, &state, time.integrator)?;
        warnings.extend(critical.warning(time.step));
    }
    let norms = norm::norms(scene, &bodies)?;
    let stresses = probe_stress::stresses(scene, &bodies)?;
    Ok(Made {
        bodies,
        scenery,
        probes,
        supports,
        norms,
        stresses,
        warnings,
        surfaces,
        time,
        system,
        state,
        driver,
    })
}

/// Brings bodies at once to where they rest under what acts at the start: materials that remember answer as they do at an instant, and
/// remember this.
fn start_elastic(
    time: &TimeSpec,
    system: &mut System,
    state: &mut State,
) -> Result<(), SceneError> {
    let mut statics = time.options.static_method.statics(&time.static_options())?;
    let velocities = state.v.clone();
    let (begin, steps) = (state.time, state.steps);
    state.time = time.start;
    // What supports do at the start is a jump as well: before it, what they hold was at rest.
    let moved = state.x.clone();
    for held in system.constraints().vertices() {
        state.x[held.vertex as usize] = system.rest()[held.vertex as usize];
    }
    state.memory.clear();
    system.start_memory(state)?;
    state.x = moved;
    let solved = statics.solve_after(system, state, 0.0);
    solved.map_err(|e| {
        let text = format!("time.start = \"elastic\": {e}");
        SceneError::from(e).told(text)
    })?;
    (state.v, state.time, state.steps) = (velocities, begin, steps);
    state.restart();
    Ok(())
}

/// What stops bodies without a force, in the modes of contact that do so.
fn collide(
    scene: &Scene,
    bodies: &[Body],
    carried: &[Option<&CollisionSurface>],
    system: &mut System,
    integrator: Box<dyn Integrator>,
) -> Result<Box<dyn Integrator>, SceneError> {
    let Some(spec) = &scene.contact else { return Ok(integrator) };
    match spec.contact.mode {
        ContactMode::Constraints => {
            let walls = world::walls(scene, bodies)?;
            let kept = matches!(scene.time.options.newton.form, Form::Simplified { .. });
            Ok(Box::new(Stopped::new(integrator, walls, kept)))
        }
        ContactMode::TwoStep => {
            let mut all: Vec<Box<dyn Meets>> = Vec::new();
            for wall in world::walls(scene, bodies)? {
                all.push(Box::new(wall));
            }
            let soft = spec.contact.soft(bodies, carried, SoftTangent::Majorant);
            let soft = soft.map_err(|e| SceneError::from(e).at(&spec.location))?;
            all.push(Box::new(BodyMeetings::new(soft)));
            system.set_collisions(all);
            Ok(integrator)
        }
        _ => Ok(integrator),
    }
}

/// Takes velocities from a state where inertia does not count: supports that move do so slowly, and masses at them have no
/// kinetic energy that the balance would miss later.
pub(super) fn stop(time: &TimeSpec, state: &mut State) {
    if time.analysis != Analysis::Dynamic {
        state.v.fill([0.0; 3]);
    }
}

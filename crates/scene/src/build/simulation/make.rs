//! From a scene, or one of its stages, to all that a simulation is made of.

use pliant_contact::analytic::ShapeContact;
use pliant_contact::normal::NormalContact;
use pliant_dynamics::{Role, State, StaticMethod, System, critical_step};
use pliant_forces::{ForceError, ForceModel, Workspace};
use pliant_model::{Body, Probe, Scenery, Support, World, WorldBuilder};
use pliant_units::{si, vector};

use super::Driver;
use crate::build::norm::{self, Norm};
use crate::build::probe_stress::{self, ProbeStress};
use crate::build::restriction;
use crate::build::surface::Surface;
use crate::build::warnings;
use crate::build::world;
use crate::error::SceneError;
use crate::output::formats;
use crate::run::told::Names;
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
    warnings.extend(refuse_intersections(scene, (&bodies, &scenery), &system, &state)?);
    let time = scene.time.clone();
    stop(&time, &mut state);
    let driver = if time.analysis == Analysis::Static {
        state.time = time.end;
        let method: StaticMethod = time.options.static_method;
        Driver::Rest(Box::new(method.statics(&time.static_options())?))
    } else {
        state.time = time.start;
        Driver::Steps(time.integrator.build(&time.options)?)
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

/// Fails where surfaces that can touch intersect at the start; warns where they already repel each other.
fn refuse_intersections(
    scene: &Scene,
    (bodies, scenery): (&[Body], &[Scenery]),
    system: &System,
    state: &State,
) -> Result<Option<String>, SceneError> {
    let Some(spec) = &scene.contact else { return Ok(None) };
    let mut warning = None;
    let names = Names { bodies, scenery, rows_are_vertices: true };
    for shape in system.models_of::<ShapeContact>() {
        if let Err(error) = shape.refuse_inside(&state.x, &mut Workspace::new()) {
            let ForceError::Obstacle { vertex, obstacle, place, .. } = error else {
                return Err(error.into());
            };
            let text = format!(
                "{} is inside obstacle '{obstacle}' at the start, at {}",
                names.vertex(vertex),
                vector(place, "m")
            );
            let hint =
                format!("move the body out of it, or let obstacle.{obstacle}.bodies name others");
            return Err(SceneError::new(text).at(&spec.location).hint(hint));
        }
    }
    for contact in system.models_of::<NormalContact>() {
        let apart = contact.refuse_intersections(&state.x, &mut Workspace::new());
        let Err(error) = apart else {
            let found = contact.survey(&state.x, &mut Workspace::new());
            warning = found.gap.map(|gap| {
                format!(
                    "{}: surfaces are {} apart at the start, near enough to repel each other: they are pushed apart with energy from nowhere",
                    spec.location,
                    si(gap, "m")
                )
            });
            continue;
        };
        let ForceError::Intersecting { edge: [a, b], triangle: [c, d, e], place } = error else {
            return Err(error.into());
        };
        let [a, b, c, d, e] = [a, b, c, d, e].map(|v| names.vertex(v));
        let text = format!(
            "surfaces intersect at the start: the edge from {a} to {b} passes through the triangle of {c}, {d} and {e}, at {}",
            vector(place, "m")
        );
        let hint = "move the bodies apart, or take contact.mode = \"off\"";
        return Err(SceneError::new(text).at(&spec.location).hint(hint));
    }
    Ok(warning)
}

/// Takes velocities from a state where inertia does not count: supports that move do so slowly, and masses at them have no
/// kinetic energy that the balance would miss later.
pub(super) fn stop(time: &TimeSpec, state: &mut State) {
    if time.analysis != Analysis::Dynamic {
        state.v.fill([0.0; 3]);
    }
}

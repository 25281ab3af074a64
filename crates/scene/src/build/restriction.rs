//! Rigid parts and reduced bodies of a scene: positions of the system as x = x(q).

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{
    IntegratorName, Mode, ModeSettings, Motion, Restriction, State, StaticMethod, System,
};
use pliant_model::{AXES, Body, WorldBuilder};

use crate::build::model;
use crate::error::SceneError;
use crate::spec::body::{BodySpec, DampingSpec, ReducedSpec};
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// Methods that keep to x = x(q).
const METHODS: [IntegratorName; 6] = [
    IntegratorName::BackwardEuler,
    IntegratorName::ImplicitMidpoint,
    IntegratorName::Trapezoidal,
    IntegratorName::Newmark,
    IntegratorName::GeneralizedAlpha,
    IntegratorName::QuasiStatic,
];

/// Restricts the system of a scene to what its constraints and reduced bodies say.
pub(crate) fn restrict(
    scene: &Scene,
    bodies: &[Body],
    system: System,
) -> Result<System, SceneError> {
    let first = scene.constraints.iter().map(|c| &c.location);
    let reduced = scene.bodies.iter().filter_map(|b| b.reduced.as_ref().map(|r| &r.location));
    let Some(location) = first.chain(reduced).next() else { return Ok(system) };
    refuse_method(scene).map_err(|e| e.at(location))?;
    let mut map = Restriction::new(&system)?;
    for spec in &scene.constraints {
        let at = |e: SceneError| e.at(&spec.location);
        let body = &bodies[scene.body(&spec.body.0, &spec.body.1)?];
        let mut list: Vec<u32> = Vec::new();
        for on in &spec.on {
            list.extend(on.vertices(body)?);
        }
        list.sort_unstable();
        list.dedup();
        let held = system.constraints().vertices();
        let is_held = |v: &&u32| {
            held.binary_search_by_key(&body.system_vertex(**v), |held| held.vertex).is_ok()
        };
        if let Some(v) = list.iter().find(is_held) {
            let text = format!(
                "constraint '{}': vertex {v} of body '{}' is both in the rigid part and held by a support",
                spec.name, body.name
            );
            let hint = "select vertices that are not fixed or moved, or fix the whole part instead of making it rigid";
            return Err(at(SceneError::new(text).hint(hint)));
        }
        let list: Vec<u32> = list.into_iter().map(|v| body.system_vertex(v)).collect();
        let named = |e: pliant_dynamics::DynamicsError| {
            at(SceneError::new(format!("constraint '{}': {e}", spec.name)))
        };
        map = map.with_rigid_part(&list).map_err(named)?;
    }
    for (spec, body) in scene.bodies.iter().zip(bodies) {
        if let Some(reduced) = &spec.reduced {
            let shapes = shapes(spec, reduced).map_err(|e| e.at(&reduced.location))?;
            map = map
                .with_shapes(body.range.clone(), &shapes)
                .map_err(|e| SceneError::from(e).at(&reduced.location))?;
        }
    }
    Ok(system.with_map(Box::new(map))?)
}

/// Fails where the method of the scene moves vertices one by one.
fn refuse_method(scene: &Scene) -> Result<(), SceneError> {
    let time = &scene.time;
    let what = "rigid parts and reduced bodies";
    if time.analysis != Analysis::Dynamic && time.options.static_method != StaticMethod::Newton {
        let name = time.options.static_method.name();
        let text = format!("static method {name} does not serve {what}");
        return Err(SceneError::new(text).hint("take static_method = \"newton\""));
    }
    if time.analysis != Analysis::Static && !METHODS.contains(&time.integrator) {
        let names = METHODS.map(IntegratorName::name).join(", ");
        let text = format!("integrator {} does not serve {what}", time.integrator.name());
        return Err(SceneError::new(text).hint(format!("take one of {names}")));
    }
    if time.options.control.is_some() {
        let text = format!(
            "time.tolerance does not serve {what}: errors are estimated from steps that leave them"
        );
        return Err(SceneError::new(text).hint("leave time.tolerance out"));
    }
    Ok(())
}

/// The lowest modes of a body about rest, held as it is and by itself, in the numbering of the system.
fn shapes(spec: &BodySpec, reduced: &ReducedSpec) -> Result<Vec<Vec<Vec3>>, SceneError> {
    let name = &spec.name;
    if spec.holds.iter().any(|hold| !matches!(hold.motion, Motion::Still)) {
        let text = format!("body '{name}' is reduced, and its supports move");
        return Err(SceneError::new(text)
            .hint("use fixed, or leave 'reduced' out: modes are about supports that stay"));
    }
    let mut builder = WorldBuilder::new();
    let body = model::body(spec, &mut Vec::new())?.damping(DampingSpec::default());
    let id = builder.add(body)?;
    for hold in &spec.holds {
        let on = hold.on.on(builder.body(id))?;
        let directions: Vec<Vec3> = (0..3).filter(|&k| hold.axes[k]).map(|k| AXES[k]).collect();
        builder.hold(id, on, &directions, Motion::Still, None)?;
    }
    let mut world = builder.build()?;
    let (rest, system) = (world.body(id).rest(), &mut world.system);
    let settings = ModeSettings { count: reduced.modes, ..ModeSettings::default() };
    let found = system.modes(&State::at_rest(&rest), &settings)?.modes;
    if found.iter().any(|mode| mode.rigid) {
        let text = format!("body '{name}' is reduced, and nothing keeps it from moving as a whole");
        let hint = "fix it in three places that are not on a line: modes are displacements from one place, and large rotations are none";
        return Err(SceneError::new(text).hint(hint));
    }
    if found.len() < reduced.modes {
        let text = format!("body '{name}' has {} modes, fewer than {}", found.len(), reduced.modes);
        return Err(SceneError::new(text).hint("ask for fewer"));
    }
    Ok(found.into_iter().map(|Mode { shape, .. }| shape).collect())
}

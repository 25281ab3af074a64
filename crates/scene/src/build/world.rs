//! Calls of a [`WorldBuilder`] for what a scene says of bodies, supports, loads, obstacles, attachments and probes.

use pliant_algebra::vec3::is_finite;
use pliant_dynamics::{Moment, Motion};
use pliant_forces::obstacles::Wall;
use pliant_model::{
    AXES, Barrier, Body, BodyId, CollisionSurface, ContactMode, Joint, ModelError, Select,
    WorldBuilder,
};
use pliant_units::vector;

use crate::build::model;
use crate::error::{Location, SceneError};
use crate::spec::body::{BodySpec, Hold};
use crate::spec::probe::ProbeAt;
use crate::spec::scene::Scene;

/// An error of a model with its place in the scene.
fn at(location: &Location) -> impl Fn(ModelError) -> SceneError + '_ {
    move |error| SceneError::from(error).at(location)
}

/// All bodies of a scene, as they start.
pub(crate) fn bodies(
    scene: &Scene,
    builder: &mut WorldBuilder,
    warnings: &mut Vec<String>,
) -> Result<(), SceneError> {
    for spec in &scene.bodies {
        let id = builder.add(model::body(spec, warnings)?).map_err(at(&spec.location))?;
        builder.start(id, &spec.initial);
        if let Some(field) = &spec.start.displacement {
            builder.displace(id, |x| field.value(x, 0.0)).map_err(at(&field.location))?;
        }
        if let Some(field) = &spec.start.velocity {
            builder.set_in_motion(id, |x| field.value(x, 0.0)).map_err(at(&field.location))?;
        }
    }
    Ok(())
}

/// All obstacles that are surfaces of triangles.
pub(crate) fn scenery(
    scene: &Scene,
    builder: &mut WorldBuilder,
    warnings: &mut Vec<String>,
) -> Result<(), SceneError> {
    let barrier =
        scene.contact.as_ref().is_some_and(|spec| spec.contact.mode == ContactMode::Barrier);
    if let (Some(spec), false) = (scene.scenery.first(), barrier) {
        let text = format!(
            "obstacle '{}' is a surface of triangles, which only the barrier of contact sees",
            spec.name
        );
        let hint = "add [contact] with mode = \"barrier\"";
        return Err(SceneError::new(text).at(&spec.location).hint(hint));
    }
    for spec in &scene.scenery {
        let surface = spec.surface(warnings)?;
        let motion = spec.motion.clone();
        builder.scenery(&spec.name, &surface, motion, spec.friction).map_err(at(&spec.location))?;
    }
    Ok(())
}

/// All that holds and pushes bodies from outside, and joins them.
pub(crate) fn external(
    scene: &Scene,
    carried: &[Option<&CollisionSurface>],
    builder: &mut WorldBuilder,
) -> Result<(), SceneError> {
    let ids: Vec<BodyId> = builder.ids().collect();
    builder.compare_holds_until(scene.time.end);
    // In the order in which they are made, by which errors name them.
    let mut holds: Vec<&Hold> = Vec::new();
    for (spec, &id) in scene.bodies.iter().zip(&ids) {
        for load in spec.loads.iter().filter(|load| load.active) {
            let made = load.load(builder.body(id))?;
            builder.load(id, &made).map_err(at(&load.location))?;
        }
        for (k, hold) in spec.holds.iter().enumerate() {
            let on = hold.on.on(builder.body(id))?;
            let directions: Vec<_> = (0..3).filter(|&k| hold.axes[k]).map(|k| AXES[k]).collect();
            let name = support_name(spec, k);
            holds.push(hold);
            let about = name.clone().zip(hold.moment);
            if hold.active {
                check_start(hold, &on, builder.body(id))?;
                builder
                    .hold(id, on, &directions, hold.motion.clone(), name)
                    .map_err(|error| held_twice(error, &holds).at(&hold.location))?;
            } else {
                builder.skip_hold(name);
            }
            if let Some((name, point)) = about {
                builder.moment_about(&name, point);
            }
        }
    }
    obstacles(scene, &ids, carried, builder)?;
    for spec in &scene.attachments {
        let id = ids[scene.body(&spec.body.0, &spec.body.1)?];
        let to = match &spec.to {
            Some((name, location)) => Some(ids[scene.body(name, location)?]),
            None => None,
        };
        let on = spec.on.as_ref().map(|on| on.on(builder.body(id))).transpose()?;
        let (within, stiffness, damping) = (spec.within, spec.stiffness, spec.damping);
        let joint = Joint { on, within, stiffness, damping };
        builder.attach(id, to, &joint).map_err(at(&spec.location))?;
    }
    Ok(())
}

/// Obstacles, and contact between bodies. `carried` are the surfaces of bodies that do not touch with the boundary of their mesh.
fn obstacles(
    scene: &Scene,
    ids: &[BodyId],
    carried: &[Option<&CollisionSurface>],
    builder: &mut WorldBuilder,
) -> Result<(), SceneError> {
    let mode = scene.contact.as_ref().map(|spec| spec.contact.mode);
    let mut touched = Vec::new();
    for spec in &scene.obstacles {
        let mut chosen = Vec::new();
        for (name, location) in &spec.bodies {
            chosen.push(ids[scene.body(name, location)?]);
        }
        let chosen = if chosen.is_empty() { ids.to_vec() } else { chosen };
        let usual = Barrier::new(spec.shape);
        let barrier = Barrier {
            stiffness: spec.stiffness,
            smoothing: spec.smoothing,
            friction: spec.friction.unwrap_or(usual.friction),
            stick: spec.stick,
            ..usual
        };
        if mode == Some(ContactMode::Barrier) {
            spec.check_barrier()?;
            touched.push((spec.name.as_str(), barrier, chosen));
        } else if mode.is_none_or(ContactMode::has_obstacle_forces) {
            builder.obstacle(&barrier, &chosen).map_err(at(&spec.location))?;
        }
    }
    if let Some(spec) = &scene.contact {
        let contact = spec.of(scene, builder.bodies())?;
        builder.contact(&contact, carried, &touched).map_err(at(&spec.location))?;
    }
    Ok(())
}

/// Obstacles that stop vertices without a force.
pub(crate) fn walls(scene: &Scene, bodies: &[Body]) -> Result<Vec<Wall>, SceneError> {
    let count = bodies.last().map_or(0, |body| body.range.end);
    let mut walls = Vec::new();
    for spec in &scene.obstacles {
        let mut chosen = Vec::new();
        for (name, location) in &spec.bodies {
            chosen.push(scene.body(name, location)?);
        }
        let mut on = Vec::new();
        let picked = |k: &usize| chosen.is_empty() || chosen.contains(k);
        for body in (0..bodies.len()).filter(picked).map(|k| &bodies[k]) {
            let areas = body.face_weights().map_err(at(&spec.location))?;
            let own = (0..).zip(areas).filter(|(_, area)| *area > 0.0);
            on.extend(own.map(|(v, _)| body.system_vertex(v)));
        }
        on.sort_unstable();
        let wall = Wall::new(spec.shape, &on, count).map_err(ModelError::from);
        walls.push(wall.map_err(at(&spec.location))?);
    }
    Ok(walls)
}

/// Fails where a motion has no finite place for a vertex at the start.
fn check_start(hold: &Hold, on: &Select, body: &Body) -> Result<(), SceneError> {
    let Motion::Function(function) = &hold.motion else { return Ok(()) };
    for vertex in body.select(on).map_err(at(&hold.location))? {
        let rest = body.mesh.vertices[vertex as usize];
        let Moment { x, v, a } = function(rest, 0.0);
        for (what, value) in [("position", x), ("velocity", v), ("acceleration", a)] {
            if !is_finite(value) {
                let text = format!(
                    "the {what} that {} gives vertex {vertex} of body '{}' at {} at t = 0 is {value:?}",
                    hold.words,
                    body.name,
                    vector(rest, "m")
                );
                return Err(SceneError::new(text).at(&hold.location));
            }
        }
    }
    Ok(())
}

/// The error of a vertex that two holds move differently, with both.
fn held_twice(error: ModelError, holds: &[&Hold]) -> SceneError {
    let ModelError::HeldTwice { body, vertex, at, direction, first, second } = &error else {
        return error.into();
    };
    let words = |number: &usize| {
        holds.get(*number).map_or_else(String::new, |hold| {
            let moves = match &hold.motion {
                Motion::Still => "fixed".to_owned(),
                Motion::Function(_) => hold.words.clone(),
                Motion::Translation { .. } => "translated".to_owned(),
                Motion::Rotation { .. } => "rotated".to_owned(),
            };
            format!("{} ({}, {moves})", hold.location, hold.on.words())
        })
    };
    let axis = AXES.iter().position(|axis| axis == direction);
    let along = axis.map_or_else(|| vector(*direction, ""), |k| ["x", "y", "z"][k].to_owned());
    let text = format!(
        "vertex {vertex} of body '{body}' at {} is held twice along {along}, and not alike: by {} and by {}",
        vector(*at, "m"),
        words(first),
        words(second)
    );
    let hint = "give one of them other axes (axes = \"x\"), or select fewer vertices";
    SceneError::from(error).told(text).hint(hint)
}

/// The name of a support with a name, or of a body that is held in several places: the one that was given, that of the
/// set, or its number.
fn support_name(spec: &BodySpec, k: usize) -> Option<String> {
    let holds = &spec.holds;
    let of = |hold: &Hold| hold.name.clone().or_else(|| hold.on.set().map(str::to_owned));
    let taken = holds.iter().filter(|other| of(other) == of(&holds[k])).count() > 1;
    let own = of(&holds[k]).filter(|_| !taken).unwrap_or_else(|| (k + 1).to_string());
    (holds.len() > 1 || holds[k].name.is_some() || holds[k].moment.is_some())
        .then(|| format!("{}.{own}", spec.name))
}

/// All probes.
pub(crate) fn probes(scene: &Scene, builder: &mut WorldBuilder) -> Result<(), SceneError> {
    let ids: Vec<BodyId> = builder.ids().collect();
    for spec in &scene.probes {
        let body = scene.body_or_only(spec.body.as_ref(), "probe", &spec.name, &spec.location)?;
        let id = ids[body];
        match &spec.at {
            ProbeAt::Point(point) => builder.probe(&spec.name, id, *point),
            ProbeAt::Vertices(on) => {
                let on = on.on(builder.body(id))?;
                builder.probe_mean(&spec.name, id, on)
            }
        }
        .map_err(at(&spec.location))?;
    }
    Ok(())
}

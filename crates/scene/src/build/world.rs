//! Calls of a [`WorldBuilder`] for what a scene says of bodies, supports, loads, obstacles, attachments and probes.

use pliant_model::{AXES, Barrier, BodyId, Joint, ModelError, WorldBuilder};

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
    }
    Ok(())
}

/// All that holds and pushes bodies from outside, and joins them.
pub(crate) fn external(scene: &Scene, builder: &mut WorldBuilder) -> Result<(), SceneError> {
    let ids: Vec<BodyId> = builder.ids().collect();
    for (spec, &id) in scene.bodies.iter().zip(&ids) {
        for load in &spec.loads {
            let made = load.load(builder.body(id))?;
            builder.load(id, &made).map_err(at(&load.location))?;
        }
        for (k, hold) in spec.holds.iter().enumerate() {
            let on = hold.on.on(builder.body(id))?;
            let directions: Vec<_> = (0..3).filter(|&k| hold.axes[k]).map(|k| AXES[k]).collect();
            let name = support_name(spec, k);
            builder
                .hold(id, on, &directions, hold.motion.clone(), name)
                .map_err(at(&hold.location))?;
        }
    }
    for spec in &scene.obstacles {
        let mut chosen = Vec::new();
        for (name, location) in &spec.bodies {
            chosen.push(ids[scene.body(name, location)?]);
        }
        let chosen = if chosen.is_empty() { &ids } else { &chosen };
        let barrier =
            Barrier { shape: spec.shape, stiffness: spec.stiffness, smoothing: spec.smoothing };
        builder.obstacle(&barrier, chosen).map_err(at(&spec.location))?;
    }
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

/// The name of a support of a body that is held in several places: that of the set, or its number.
fn support_name(spec: &BodySpec, k: usize) -> Option<String> {
    let holds = &spec.holds;
    let of = |hold: &Hold| hold.on.set().map(str::to_owned);
    let taken = holds.iter().filter(|other| of(other) == of(&holds[k])).count() > 1;
    let own = of(&holds[k]).filter(|_| !taken).unwrap_or_else(|| (k + 1).to_string());
    (holds.len() > 1).then(|| format!("{}.{own}", spec.name))
}

/// All probes.
pub(crate) fn probes(scene: &Scene, builder: &mut WorldBuilder) -> Result<(), SceneError> {
    let ids: Vec<BodyId> = builder.ids().collect();
    for spec in &scene.probes {
        let id = match &spec.body {
            Some((name, location)) => ids[scene.body(name, location)?],
            None if ids.len() == 1 => ids[0],
            None => {
                let text = format!("probe '{}' must say which body it is of", spec.name);
                return Err(SceneError::new(text).at(&spec.location).hint("add body = \"NAME\""));
            }
        };
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

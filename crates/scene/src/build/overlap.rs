//! `contact.on_overlap`: what is done where surfaces intersect at the start.

use pliant_contact::analytic::ShapeContact;
use pliant_contact::friction::ContactFriction;
use pliant_contact::normal::NormalContact;
use pliant_contact::soft::SoftContact;
use pliant_dynamics::{State, System};
use pliant_forces::{ForceError, Workspace};
use pliant_model::{Body, Meeting, Overlap, Scenery};
use pliant_units::{si, vector};

use crate::build::apart;
use crate::error::SceneError;
use crate::run::told::Names;
use crate::spec::contact::{ContactSpec, OnOverlap};
use crate::spec::scene::Scene;

/// Fails where surfaces that can touch intersect at the start, or does what the scene says of them; sets bodies apart that only touch. Returns
/// warnings.
pub(crate) fn resolve(
    scene: &Scene,
    (bodies, scenery): (&[Body], &[Scenery]),
    system: &mut System,
    state: &mut State,
) -> Result<Vec<String>, SceneError> {
    let Some(spec) = &scene.contact else { return Ok(Vec::new()) };
    let repels = system.models_of::<NormalContact>().next().is_some()
        || system.models_of::<ShapeContact>().next().is_some();
    if !repels && spec.on_overlap == OnOverlap::Refuse {
        // Nothing acts at a distance, but a potential of the depth is as high as it is deep.
        let soft = system.models_of::<SoftContact>().next().is_some();
        return if soft { told_of_depth(spec, bodies, state) } else { Ok(Vec::new()) };
    }
    let warnings = match spec.on_overlap {
        OnOverlap::Refuse | OnOverlap::PushApart => {
            apart::set_apart(scene, spec, (bodies, scenery), system, state)?
        }
        OnOverlap::IgnorePairs => ignore(spec, bodies, system, state)?,
    };
    refuse(spec, (bodies, scenery), system, state)?;
    Ok(warnings)
}

/// Warns of bodies that a potential of the depth throws apart from the start.
fn told_of_depth(
    spec: &ContactSpec,
    bodies: &[Body],
    state: &State,
) -> Result<Vec<String>, SceneError> {
    let overlaps = Meeting::new(bodies)?.overlaps(&state.x);
    let text = |overlap: &Overlap| {
        let [a, b] = overlap.bodies.map(|b| &bodies[b].name);
        let depth = overlap.depth.map_or(String::new(), |d| format!(", {} deep", si(d, "m")));
        format!(
            "{}: bodies '{a}' and '{b}' overlap at the start{depth}, at {}: they are thrown apart with energy from nowhere; move them apart (`pliant check` lists all that overlap), or take contact.on_overlap = \"push-apart\"",
            spec.location,
            vector(overlap.place, "m")
        )
    };
    Ok(overlaps.iter().filter(|o| o.bodies[0] != o.bodies[1]).map(text).collect())
}

/// Fails where surfaces intersect.
fn refuse(
    spec: &ContactSpec,
    (bodies, scenery): (&[Body], &[Scenery]),
    system: &System,
    state: &State,
) -> Result<(), SceneError> {
    let names = Names { bodies, scenery, rows_are_vertices: true };
    for shape in system.models_of::<ShapeContact>() {
        let Err(error) = shape.refuse_inside(&state.x, &mut Workspace::new()) else { continue };
        let ForceError::Obstacle { vertex, obstacle, place, .. } = &error else {
            return Err(error.into());
        };
        let text = format!(
            "{} is inside obstacle '{obstacle}' at the start, at {}",
            names.vertex(*vertex),
            vector(*place, "m")
        );
        let hint =
            format!("move the body out of it, or let obstacle.{obstacle}.bodies name others");
        return Err(SceneError::new(text).at(&spec.location).hint(hint).because(error));
    }
    for contact in system.models_of::<NormalContact>() {
        let apart = contact.refuse_intersections(&state.x, &mut Workspace::new());
        let Err(error) = apart else { continue };
        let &ForceError::Intersecting { edge: [a, b], triangle: [c, d, e], place } = &error else {
            return Err(error.into());
        };
        let [a, b, c, d, e] = [a, b, c, d, e].map(|v| names.vertex(v));
        let text = format!(
            "surfaces intersect at the start: the edge from {a} to {b} passes through the triangle of {c}, {d} and {e}, at {}",
            vector(place, "m")
        );
        let hint = "move the bodies apart (`pliant check` lists all that overlap), take contact.on_overlap = \"push-apart\", or contact.mode = \"off\"";
        return Err(SceneError::new(text).at(&spec.location).hint(hint).because(error));
    }
    Ok(())
}

/// Bodies that overlap do not touch each other in this run.
fn ignore(
    spec: &ContactSpec,
    bodies: &[Body],
    system: &mut System,
    state: &State,
) -> Result<Vec<String>, SceneError> {
    let overlaps = Meeting::new(bodies)?.overlaps(&state.x);
    let pairs: Vec<[u32; 2]> = overlaps.iter().map(|o| o.bodies.map(|b| b as u32)).collect();
    for contact in system.models_of_mut::<NormalContact>() {
        contact.ignore(&pairs);
    }
    for friction in system.models_of_mut::<ContactFriction>() {
        friction.ignore(&pairs);
    }
    let name = |b: usize| &bodies[b].name;
    let text = |overlap: &Overlap| match overlap.bodies {
        [a, b] if a == b => {
            format!(
                "{}: body '{}' intersects itself at the start, and does not touch itself in this run",
                spec.location,
                name(a)
            )
        }
        [a, b] => format!(
            "{}: bodies '{}' and '{}' overlap at the start, and do not touch each other in this run",
            spec.location,
            name(a),
            name(b)
        ),
    };
    Ok(overlaps.iter().map(text).collect())
}

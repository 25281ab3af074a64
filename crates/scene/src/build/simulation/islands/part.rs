//! The scene of some of the bodies of another: what an island is made of.

use pliant_model::Body;

use crate::error::SceneError;
use crate::spec::body::BodySpec;
use crate::spec::scene::Scene;

/// The same scene with some of its bodies only (ascending), all that acts on these, and nothing that watches them. An island is made of
/// it as the scene alone would be, so that bodies elsewhere can change nothing of it. `bodies` are those of the whole scene.
pub(super) fn part(scene: &Scene, bodies: &[Body], chosen: &[usize]) -> Scene {
    let mut part = scene.clone();
    let own = |&k: &usize| {
        let (spec, body) = (&scene.bodies[k], &bodies[k]);
        BodySpec { mesh: spec.mesh.made(&body.mesh, body.element), ..spec.clone() }
    };
    part.bodies = chosen.iter().map(own).collect();
    let names: Vec<&str> = part.bodies.iter().map(|b| b.name.as_str()).collect();
    let has = |name: &str| names.contains(&name);
    part.obstacles.retain_mut(|obstacle| {
        let for_all = obstacle.bodies.is_empty();
        obstacle.bodies.retain(|(name, _)| has(name));
        for_all || !obstacle.bodies.is_empty()
    });
    part.attachments.retain(|a| has(&a.body.0));
    part.constraints.retain(|c| has(&c.body.0));
    if let Some(contact) = &mut part.contact {
        let made_of = |name: &str| {
            chosen.iter().any(|&k| bodies[k].material_names().into_iter().any(|own| own == name))
        };
        contact.between.retain(|pair| {
            pair.names
                .iter()
                .all(|(name, _)| if pair.of_bodies { has(name) } else { made_of(name) })
        });
    }
    part.probes.clear();
    part.norms.clear();
    part.notes.clear();
    part
}

/// For each body the lowest body that attachments join it to, itself included.
pub(super) fn joined(scene: &Scene) -> Result<Vec<usize>, SceneError> {
    let mut sets = super::sets::Sets::new(scene.bodies.len());
    for attachment in &scene.attachments {
        if let Some((to, location)) = &attachment.to {
            let (body, place) = &attachment.body;
            sets.join(scene.body(body, place)?, scene.body(to, location)?);
        }
    }
    Ok((0..scene.bodies.len()).map(|k| sets.lowest(k)).collect())
}

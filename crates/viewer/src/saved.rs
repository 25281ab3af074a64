//! A session's scene as a file.

use pliant_dynamics::{Form, Projection};
use pliant_scene::{Origin, Scene, SceneError};

/// The text of `made`, which `scene` was loaded from. How the viewer solves is written down with it, so that a run
/// of the file takes the same steps.
pub(crate) fn text(made: &Origin, scene: &Scene) -> Result<String, SceneError> {
    let newton = &scene.time.options.newton;
    let projection = match newton.projection {
        Projection::WhenNeeded => "when-needed",
        Projection::Always => "always",
        Projection::Never => "never",
    };
    let mut origin = made.clone();
    origin.sets.push(format!("solver.newton_tolerance={:?}", newton.force_tolerance));
    origin.sets.push(format!("solver.projection={projection:?}"));
    if matches!(newton.form, Form::Simplified { .. }) {
        let choice = &scene.time.options.solver;
        let solver = choice.solver.name();
        origin.sets.push(format!("solver.tolerance={:?}", choice.settings.tolerance));
        origin.sets.push("solver.newton=\"simplified\"".into());
        origin.sets.push(format!("solver.linear={solver:?}"));
    }
    let text = origin.to_toml()?;
    let from: String = made.scene.chars().filter(|c| !c.is_control()).collect();
    Ok(format!(
        "# Saved by pliant view {} from {from}. Hands, pins and the state they led to are no part of a scene.\n\n{text}",
        env!("CARGO_PKG_VERSION")
    ))
}

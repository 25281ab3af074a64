//! A session's scene as a file.

use pliant_dynamics::Form;
use pliant_scene::{Origin, Scene, SceneError};
use pliant_units::OptionValue;

/// The text of `made`, which `scene` was loaded from. How the viewer solves is written down with it, so that a run
/// of the file takes the same steps.
pub(crate) fn text(made: &Origin, scene: &Scene) -> Result<String, SceneError> {
    let (time, options) = (&scene.time, &scene.time.options);
    let mut origin = made.clone();
    let mut set = |key: &str, value: OptionValue| {
        let text = match value {
            OptionValue::Number(number) => format!("{number:?}"),
            OptionValue::Count(count) => count.to_string(),
            OptionValue::Name(name) => format!("{name:?}"),
        };
        origin.sets.push(format!("solver.{key}={text}"));
    };
    let keeps_factors = matches!(options.newton.form, Form::Simplified { .. });
    for option in time.solver_options() {
        let chosen = match option.key {
            "newton_tolerance" | "projection" => true,
            "newton" => keeps_factors,
            _ => false,
        };
        if let Some(value) = (option.get)(options).filter(|_| chosen) {
            set(option.key, value);
        }
    }
    if keeps_factors && time.takes_linear_solver() {
        let choice = &options.solver;
        for option in choice.options().filter(|option| option.key == "tolerance") {
            if let Some(value) = (option.get)(choice) {
                set(option.key, value);
            }
        }
        set("linear", OptionValue::Name(choice.solver.name()));
    }
    let text = origin.to_toml()?;
    let from: String = made.scene.chars().filter(|c| !c.is_control()).collect();
    Ok(format!(
        "# Saved by pliant view {} from {from}. Hands, pins and the state they led to are no part of a scene.\n\n{text}",
        env!("CARGO_PKG_VERSION")
    ))
}

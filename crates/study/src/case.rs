//! [`Case`]: one combination of values.

use pliant_scene::{Origin, Scene, SceneError};

use crate::axis::Axis;

/// One combination of values, and the scene with them.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Keys and values, in the order of the axes.
    pub(crate) settings: Vec<(String, String)>,
    /// All that is set on top of the scene.
    pub(crate) sets: Vec<String>,
    pub(crate) scene: Scene,
}

impl Case {
    /// The scene of `origin` with `settings` on top.
    pub(crate) fn new(
        origin: &Origin,
        settings: Vec<(String, String)>,
    ) -> Result<Self, SceneError> {
        let mut sets = origin.sets.clone();
        sets.extend(settings.iter().map(|(key, value)| format!("{key}={value}")));
        let scene = Origin { scene: origin.scene.clone(), sets: sets.clone() }.load()?;
        Ok(Self { settings, sets, scene })
    }

    /// The name of its files: the same for the same scene and settings, whatever else is compared.
    pub(crate) fn id(&self) -> String {
        format!("{:016x}", self.scene.fingerprint())
    }
}

/// All combinations of the values of these axes; the last axis changes fastest.
pub(crate) fn product(axes: &[&Axis]) -> Vec<Vec<(String, String)>> {
    axes.iter().fold(vec![Vec::new()], |combinations, axis| {
        let with = |old: &Vec<(String, String)>, value: &String| {
            let mut new = old.clone();
            new.push((axis.key.clone(), value.clone()));
            new
        };
        combinations
            .iter()
            .flat_map(|old| axis.values.iter().map(move |value| with(old, value)))
            .collect()
    })
}

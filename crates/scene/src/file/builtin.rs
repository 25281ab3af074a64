//! Scenes that come with Pliant.

use std::path::Path;

use crate::error::SceneError;
use crate::run::folder::Origin;
use crate::spec::scene::Scene;

macro_rules! scenes {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../scenes/", $name, ".toml")))),*]
    };
}

/// Names and texts.
pub const SCENES: &[(&str, &str)] = scenes! {
    "creature"
    "bar"
    "twisted-bar"
    "hanging-cube"
    "spinning-body"
    "jelly"
    "stack"
    "slope"
    "arch"
    "card-house"
    "five-cubes"
    "two-creatures"
    "bridge"
    "springs-against-elements"
    "inverted"
    "four-rubbers"
    "balloon"
    "shaken-tower"
    "virtis-1-bar"
    "virtis-2-shear"
    "virtis-3-cube"
    "virtis-4-bar"
    "virtis-4-bar-printed"
    "chain"
    "wrung-bar"
    "hertz"
    "two-organs"
    "squeeze"
};

/// The one that runs where none is asked for.
pub const DEFAULT: &str = SCENES[0].0;

/// The text of a scene by its name.
pub fn text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// A line about a scene.
pub fn about(text: &'static str) -> &'static str {
    let line = text.lines().find_map(|line| line.strip_prefix("about = \""));
    line.map_or("", |line| line.trim_end().trim_end_matches('"'))
}

/// A built-in scene with overrides; an unknown name lists those there are.
pub fn scene(name: &str, sets: &[String]) -> Result<Scene, SceneError> {
    let Some(text) = text(name) else {
        let names = SCENES.iter().map(|(name, _)| *name);
        let near = pliant_errors::names::nearest(name, names.clone());
        let known = names.collect::<Vec<_>>().join(", ");
        let error = SceneError::new(format!("there is no file or built-in scene '{name}'"));
        return Err(error.hint(format!("did you mean '{near}'? (there are {known})")));
    };
    Scene::parse_with(text, Path::new(&format!("{name}.toml")), sets)
}

impl Origin {
    /// Reads the file of that name, or the built-in scene.
    pub fn load(&self) -> Result<Scene, SceneError> {
        let path = Path::new(&self.scene);
        let is_path = path.is_file() || path.extension().is_some() || path.components().count() > 1;
        if is_path { Scene::read(path, &self.sets) } else { scene(&self.scene, &self.sets) }
    }

    /// The same for a page, which shows contact in real time: where the scene has a table `[contact]` without a mode, that is soft.
    pub fn for_page(&self) -> Result<Self, SceneError> {
        let mut origin = self.clone();
        if self.load()?.contact.is_some_and(|contact| contact.mode_is_usual) {
            origin.sets.push("contact.mode=\"soft\"".into());
        }
        Ok(origin)
    }
}

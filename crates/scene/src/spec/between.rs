//! `[[contact.between]]`: pairs of bodies or materials that touch another way than others.

use pliant_errors::names::distance;
use pliant_model::{Between, Body, Pairing};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::scene::Scene;

/// A pair of a scene.
#[derive(Debug, Clone)]
pub struct BetweenSpec {
    /// Whether the names are those of bodies; of materials if not.
    pub of_bodies: bool,
    /// Both names, and where they stand.
    pub names: [(String, Location); 2],
    /// Coefficient of dry friction; as between others if none.
    pub friction: Option<f64>,
    /// How far what sticks gives way, m; as between others if none.
    pub stick: Option<f64>,
    /// Distance below which they repel each other, m; as between others if none.
    pub distance: Option<f64>,
    /// Stiffness of the barrier, Pa; as between others if none.
    pub stiffness: Option<f64>,
    /// Where it stands in the scene.
    pub location: Location,
}

/// Reads a coefficient of friction.
pub(crate) fn friction(t: &Table<'_>) -> Result<Option<f64>, SceneError> {
    let friction = t.quantity("friction", Dimension::NONE)?;
    if let Some(found) = friction.filter(|f| *f < 0.0) {
        let error = t.error("friction", format!("{found}: must be 0 or more"));
        return Err(
            error.hint("0 is perfectly slippery, 0.4 that of most dry things, 1 that of rubber")
        );
    }
    Ok(friction)
}

impl BetweenSpec {
    /// Reads a table.
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let two = |key, list: Vec<(&str, Location)>| {
            let names: Vec<_> = list.into_iter().map(|(n, at)| (n.to_owned(), at)).collect();
            <[_; 2]>::try_from(names).map_err(|names| {
                let text = format!("two names are needed, not {}", names.len());
                let hint = "a pair of one with itself is its name twice";
                t.error(key, text).hint(hint)
            })
        };
        let (bodies, materials) = (t.texts("bodies")?, t.texts("materials")?);
        let (of_bodies, names) = match (t.has("bodies"), t.has("materials")) {
            (true, false) => (true, two("bodies", bodies)?),
            (false, true) => (false, two("materials", materials)?),
            (false, false) => {
                let hint = "name the pair: bodies = [\"a\", \"b\"] or materials = [\"x\", \"y\"]";
                return Err(t.missing_or("bodies", hint));
            }
            (true, true) => {
                let text = "a pair is one of bodies or one of materials, not both";
                return Err(t.error("materials", text).hint("make two tables of it"));
            }
        };
        let spec = Self {
            of_bodies,
            names,
            friction: friction(t)?,
            stick: t.positive("stick", Dimension::LENGTH)?,
            distance: t.positive("distance", Dimension::LENGTH)?,
            stiffness: t.positive("stiffness", Dimension::PRESSURE)?,
            location: t.location().clone(),
        };
        t.finish()?;
        for (key, given) in [("distance", spec.distance), ("stiffness", spec.stiffness)] {
            let [(a, _), (b, _)] = &spec.names;
            if given.is_some() && (!of_bodies || a == b) {
                let text = "is for two different bodies only";
                let hint = "name two bodies, or give it in [contact]";
                return Err(t.error(key, text).hint(hint));
            }
        }
        Ok(spec)
    }

    /// Whether both are for the same pair.
    fn is_same(&self, other: &Self) -> bool {
        let names = |spec: &Self| {
            let mut names = spec.names.clone().map(|(name, _)| name);
            names.sort();
            names
        };
        self.of_bodies == other.of_bodies && names(self) == names(other)
    }

    /// Fails where a pair is named twice.
    pub(crate) fn refuse_twice(list: &[Self]) -> Result<(), SceneError> {
        for (k, spec) in list.iter().enumerate() {
            if let Some(first) = list[..k].iter().find(|other| other.is_same(spec)) {
                let [(a, _), (b, _)] = &spec.names;
                let text = format!(
                    "the pair of '{a}' and '{b}' is named twice: first at {}",
                    first.location
                );
                let hint = "join both tables, or take one away";
                return Err(SceneError::new(text).at(&spec.location).hint(hint));
            }
        }
        Ok(())
    }

    /// Fails where a body is not known.
    pub(crate) fn check(&self, scene: &Scene) -> Result<(), SceneError> {
        if self.of_bodies {
            for (name, location) in &self.names {
                scene.body(name, location)?;
            }
        }
        Ok(())
    }

    /// The pair as a model of the bodies has it.
    pub(crate) fn between(&self, scene: &Scene, bodies: &[Body]) -> Result<Between, SceneError> {
        let [a, b] = &self.names;
        let pairing = if self.of_bodies {
            Pairing::Bodies([scene.body(&a.0, &a.1)?, scene.body(&b.0, &b.1)?])
        } else {
            for (name, location) in [a, b] {
                known_material(name, location, bodies)?;
            }
            Pairing::Materials([a.0.clone(), b.0.clone()])
        };
        let Self { friction, stick, distance, stiffness, .. } = *self;
        Ok(Between { pairing, friction, stick, distance, stiffness })
    }
}

/// Fails where nothing is made of a material of that name.
fn known_material(name: &str, location: &Location, bodies: &[Body]) -> Result<(), SceneError> {
    let mut known: Vec<&str> = bodies.iter().flat_map(Body::material_names).collect();
    if known.contains(&name) {
        return Ok(());
    }
    known.sort_unstable();
    known.dedup();
    let text = format!("nothing is made of a material called '{name}'");
    let hint = if known.is_empty() {
        "materials get names by material.name, or from a mesh file; bodies = [\"a\", \"b\"] names bodies".to_owned()
    } else {
        let near = known.iter().min_by_key(|other| distance(name, other)).copied();
        format!("did you mean '{}'? (there are {})", near.unwrap_or_default(), known.join(", "))
    };
    Err(SceneError::new(text).at(location).hint(hint))
}

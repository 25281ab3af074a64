//! What pushes a part of a body.

use pliant_algebra::vec3::Vec3;
use pliant_forces::loads::{Amount, LoadField, TimeCurve};
use pliant_model::{Body, Load};
pub use pliant_model::{LoadKind, VaryingLoad};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::expression::{OF_PLACE_AND_TIME, OF_TIME};
use crate::file::table::Table;
use crate::spec::curve;
use crate::spec::field::{NumberField, VectorField};
use crate::spec::select::{Selection, direction};
use crate::spec::stage::{ActsIn, acts_in};

/// A load of a scene.
#[derive(Debug, Clone)]
pub struct LoadSpec {
    /// What it is.
    pub kind: LoadKind,
    /// The expressions it is given by, where it varies.
    pub text: Option<String>,
    /// Where it acts; everywhere if none.
    pub on: Option<Selection>,
    /// Whether it turns with the surface, or keeps its direction.
    pub follows: bool,
    /// How it changes with time.
    pub curve: TimeCurve,
    /// The stages in which it acts; all if none.
    pub stages: ActsIn,
    /// Whether it acts now.
    pub(crate) active: bool,
    /// Where it stands in the scene.
    pub location: Location,
}

impl LoadSpec {
    /// As bodies take it.
    pub(crate) fn load(&self, body: &Body) -> Result<Load, SceneError> {
        let on = self.on.as_ref().map(|on| on.on(body)).transpose()?;
        Ok(Load { kind: self.kind.clone(), on, follows: self.follows, curve: self.curve.clone() })
    }

    /// Reads a table.
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let on = Selection::read(t)?;
        // N/m³
        let per_volume = Dimension { exponents: [-2, 1, -2, 0] };
        let shear = match number(t, "shear")? {
            Some(shear) => {
                let axis = direction(t, "axis", "[0, 0, 1]")?;
                Some(shear.load(|s| LoadKind::Shear(s, axis), |s| VaryingLoad::Shear(s, axis)))
            }
            None => None,
        };
        let kinds = [
            total(t)?.map(|f| f.load(LoadKind::Total, VaryingLoad::Total)),
            vector(t, "force_per_vertex", Dimension::FORCE)?
                .map(|f| f.load(LoadKind::Each, VaryingLoad::Each)),
            vector(t, "traction", Dimension::PRESSURE)?
                .map(|f| f.load(LoadKind::Traction, VaryingLoad::Traction)),
            number(t, "pressure")?.map(|p| p.load(LoadKind::Pressure, VaryingLoad::Pressure)),
            shear,
            vector(t, "body_force", per_volume)?.map(|f| f.load(LoadKind::Body, VaryingLoad::Body)),
        ];
        let curve = curve::read(t)?;
        let follows = t.switch("follows")?;
        let stages = acts_in(t)?;
        let mut kinds = kinds.into_iter().flatten();
        let Some((kind, text)) = kinds.next() else {
            let hint =
                "a load is one of force, force_per_vertex, traction, pressure, shear, body_force";
            return Err(t.missing_or("force", hint));
        };
        t.finish()?;
        if kinds.next().is_some() {
            let text = format!("{} has several loads: give each a table of its own", t.path());
            return Err(SceneError::new(text).at(t.location()));
        }
        if follows == Some(true) && !kind.is_of_faces() {
            let error = t.error("follows", "only what acts on faces can turn with them");
            return Err(error.hint("give a force, a traction, a pressure or a shear"));
        }
        let follows = follows.unwrap_or(kind.is_of_normals());
        let location = t.location().clone();
        Ok(Self { kind, text, on, follows, curve, stages, active: true, location })
    }
}

/// How much a load is: the same everywhere and always, or a field with its text.
enum Given<T> {
    Uniform(T),
    Field(LoadField<T>, String),
}

impl<T> Given<T> {
    /// The load of it, and its text where it varies.
    fn load(
        self,
        uniform: impl Fn(T) -> LoadKind,
        varying: impl Fn(LoadField<T>) -> VaryingLoad,
    ) -> (LoadKind, Option<String>) {
        match self {
            Self::Uniform(amount) => (uniform(amount), None),
            Self::Field(field, text) => (LoadKind::Varying(varying(field)), Some(text)),
        }
    }
}

/// A field as loads take it.
fn load_field<F: Clone + Send + Sync + 'static, T: Amount>(
    field: &F,
    (varies, changes): (bool, bool),
    value: fn(&F, Vec3, f64) -> T,
    rate: fn(&F, Vec3, f64) -> T,
) -> LoadField<T> {
    let (one, other) = (field.clone(), field.clone());
    let nowhere = [0.0; 3];
    match (varies, changes) {
        (_, false) => LoadField::of_position(move |at| value(&one, at, 0.0)),
        (false, true) => {
            LoadField::of_time(move |t| value(&one, nowhere, t), move |t| rate(&other, nowhere, t))
        }
        (true, true) => {
            LoadField::new(move |at, t| value(&one, at, t), move |at, t| rate(&other, at, t))
        }
    }
}

/// A pressure or shear.
fn number(t: &Table<'_>, key: &'static str) -> Result<Option<Given<f64>>, SceneError> {
    let field = NumberField::read(t, key, Dimension::PRESSURE, OF_PLACE_AND_TIME)?;
    Ok(field.map(|field| {
        if let Some(amount) = field.uniform() {
            return Given::Uniform(amount);
        }
        let depends = (field.varies(), field.changes());
        let made = load_field(&field, depends, NumberField::value, NumberField::rate);
        Given::Field(made, field.text)
    }))
}

/// A force, traction or force density.
fn vector(
    t: &Table<'_>,
    key: &'static str,
    dimension: Dimension,
) -> Result<Option<Given<Vec3>>, SceneError> {
    Ok(VectorField::read(t, key, dimension, OF_PLACE_AND_TIME)?.map(|field| given(&field)))
}

fn given(field: &VectorField) -> Given<Vec3> {
    if let Some(amount) = field.uniform() {
        return Given::Uniform(amount);
    }
    let depends = (field.varies(), field.changes());
    let made = load_field(field, depends, VectorField::value, VectorField::rate);
    Given::Field(made, field.words())
}

/// A force that is spread over a surface: it may change with time, but is one for all places.
fn total(t: &Table<'_>) -> Result<Option<Given<Vec3>>, SceneError> {
    match VectorField::read(t, "force", Dimension::FORCE, OF_TIME) {
        Ok(field) => Ok(field.as_ref().map(given)),
        // Whether places are all that is wrong with it.
        Err(error) => match VectorField::read(t, "force", Dimension::FORCE, OF_PLACE_AND_TIME) {
            Ok(_) => Err(error.hint(
                "a force is the whole of what is spread by area: give a traction for one that differs from place to place",
            )),
            Err(_) => Err(error),
        },
    }
}

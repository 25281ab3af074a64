//! [`FibreSpec`]: a family of fibres of a material, and how it pulls.

use pliant_algebra::vec3::Vec3;
use pliant_forces::loads::TimeCurve;
use pliant_materials::MaterialError;
use pliant_materials::fibres::{FAMILY, Family, MOST_FAMILIES};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::expression::OF_PLACE;
use crate::file::table::Table;
use crate::spec::cell_quantity::{CellDataRef, CellValues, MeshData};
use crate::spec::curve;
use crate::spec::field::VectorField;

/// A family of fibres.
#[derive(Debug, Clone, PartialEq)]
pub struct FibreSpec {
    /// Along which fibres lie at rest.
    pub direction: Direction,
    /// Stiffness where fibres begin to carry, Pa; that of the law, or 0, if none.
    pub k1: Option<f64>,
    /// How fast they stiffen; as the law says, or 1, if none.
    pub k2: Option<f64>,
    /// How they spread about their direction; as the law says, or not at all, if none.
    pub dispersion: Option<f64>,
    /// What they pull with at most, Pa of rest area; 0 for fibres that are not active.
    pub tension: f64,
    /// What part of that, as time goes on.
    pub activation: TimeCurve,
    /// Where it stands in the scene.
    pub location: Location,
}

/// A direction of fibres; of any length above 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Direction {
    /// The same everywhere, or expressions of the position at rest.
    Field(VectorField),
    /// Cell data of the mesh file for each component. They turn with the body as it is put in place.
    PerCell([CellDataRef; 3]),
}

/// A direction with its arrays at hand.
pub(crate) enum Directions<'a> {
    Field(&'a VectorField),
    PerCell([CellValues<'a>; 3]),
}

impl FibreSpec {
    /// Reads `fibres = [{ direction = [1, 0, 0], k1 = "5 kPa", k2 = 2, tension = "20 kPa", activation = 0.5 }]`.
    pub(crate) fn read_all(t: &Table<'_>) -> Result<Vec<Self>, SceneError> {
        let list = t.rows("fibres", |_, _| None, |row| Self::read(&row))?;
        if list.len() > MOST_FAMILIES {
            let found = list.len();
            let text = format!("{found} families of fibres: at most {MOST_FAMILIES} can be served");
            return Err(t.error("fibres", text));
        }
        Ok(list)
    }

    fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let direction = direction(t)?;
        let family = Self {
            direction,
            k1: t.quantity("k1", Dimension::PRESSURE)?,
            k2: t.quantity("k2", Dimension::NONE)?,
            dispersion: t.quantity("dispersion", Dimension::NONE)?,
            tension: t.quantity("tension", Dimension::PRESSURE)?.unwrap_or(0.0),
            activation: curve::read_key(t, "activation")?,
            location: t.location().clone(),
        };
        if family.tension < 0.0 {
            return Err(t.error("tension", "fibres pull: 0 or more is needed"));
        }
        if t.has("activation") && family.tension == 0.0 {
            let error = t.error("activation", "these fibres have nothing to pull with");
            return Err(error.hint("give them a tension, the greatest one, as \"100 kPa\""));
        }
        t.finish()?;
        // What does not depend on the place is checked here.
        let some = family.uniform_direction().unwrap_or([1.0, 0.0, 0.0]);
        let checked = family.family(some, [0.0, 1.0, 0.0]).parameters();
        checked.map_err(|e| {
            let text = format!("{}: {e}", t.path());
            SceneError::from(e).told(text).at(&family.location)
        })?;
        Ok(family)
    }

    /// Its direction, if that is the same everywhere.
    pub(crate) fn uniform_direction(&self) -> Option<Vec3> {
        match &self.direction {
            Direction::Field(field) => field.uniform(),
            Direction::PerCell(_) => None,
        }
    }

    /// Whether its direction varies within a cell.
    pub(crate) fn is_formula(&self) -> bool {
        matches!(&self.direction, Direction::Field(field) if field.varies())
    }

    /// The family with a direction; `of_law` are k₁, k₂ and the dispersion where nothing is said.
    pub(crate) fn family(&self, direction: Vec3, of_law: [f64; 3]) -> Family {
        Family {
            k1: self.k1.unwrap_or(of_law[0]),
            k2: self.k2.unwrap_or(of_law[1]),
            dispersion: self.dispersion.unwrap_or(of_law[2]),
            direction,
        }
    }

    /// Its directions on a mesh.
    pub(crate) fn on<'a>(&'a self, data: &MeshData<'a>) -> Result<Directions<'a>, SceneError> {
        match &self.direction {
            Direction::Field(field) => Ok(Directions::Field(field)),
            Direction::PerCell(list) => {
                let [x, y, z] = list;
                Ok(Directions::PerCell([data.find(x)?, data.find(y)?, data.find(z)?]))
            }
        }
    }

    /// In words: "fibres along (1, 0, 0)".
    pub(crate) fn words(&self) -> String {
        match &self.direction {
            Direction::Field(field) => format!("fibres along {}", field.words()),
            Direction::PerCell(list) => {
                let [x, y, z] = list;
                format!("fibres along the cell data {}, {}, {}", x.name, y.name, z.name)
            }
        }
    }
}

/// Parameters of a law with these families, each with its direction, in place of its own; `matrix` of them are those of the law without fibres.
/// What the families say of their stiffness is multiplied by `factor`.
pub(crate) fn put_into<'a>(
    mut law: Vec<f64>,
    matrix: usize,
    families: impl ExactSizeIterator<Item = (&'a FibreSpec, Vec3)>,
    factor: f64,
) -> Result<Vec<f64>, MaterialError> {
    if families.len() == 0 {
        return Ok(law);
    }
    let of_law = match law.get(matrix..matrix + FAMILY) {
        Some(own) => [own[0], own[1], own[2]],
        None => [0.0, 1.0, 0.0],
    };
    law.truncate(matrix);
    for (spec, direction) in families {
        let mut family = spec.family(direction, of_law);
        if spec.k1.is_some() {
            family.k1 *= factor;
        }
        law.extend(family.parameters()?);
    }
    Ok(law)
}

impl Directions<'_> {
    /// In a cell, at a position at rest in it.
    pub(crate) fn at(&self, cell: usize, position: Vec3, data: &MeshData<'_>) -> Vec3 {
        match self {
            Self::Field(field) => field.value(position, 0.0),
            Self::PerCell(list) => {
                let direction = [0, 1, 2].map(|k: usize| list[k].at(cell, position));
                if data.body.mesh.is_in_place() {
                    direction
                } else {
                    data.body.pose.turn.apply(direction)
                }
            }
        }
    }
}

/// `direction = [1, 0, 0]`, `direction = ["-Y", "X", 0]` or `direction = { cell_data = ["fx", "fy", "fz"] }`.
fn direction(t: &Table<'_>) -> Result<Direction, SceneError> {
    if t.is_table("direction")
        && let Some(d) = t.table("direction")?
    {
        let names = d.texts("cell_data")?;
        d.finish()?;
        let count = names.len();
        let Ok(names) = <[(&str, Location); 3]>::try_from(names) else {
            let text = format!("three arrays are needed, one for each component, not {count}");
            return Err(d.error("cell_data", text));
        };
        let names = names.map(|(name, location)| CellDataRef {
            name: name.to_owned(),
            factor: 1.0,
            location,
        });
        return Ok(Direction::PerCell(names));
    }
    let field = VectorField::read(t, "direction", Dimension::NONE, OF_PLACE)?;
    let field = field.ok_or_else(|| t.missing("direction", "[1, 0, 0]"))?;
    Ok(Direction::Field(field))
}

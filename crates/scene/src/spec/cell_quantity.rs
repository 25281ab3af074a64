//! [`CellQuantity`]: a constant of a material: one number, a number for each cell of the mesh file, or a formula of the
//! position at rest.

use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_errors::names::distance;
use pliant_mesh::VolumeMesh;
use pliant_units::{Dimension, parse};

use crate::error::{Location, SceneError};
use crate::file::expression::{ExpressionError, Formula};
use crate::file::table::Table;
use crate::spec::body::BodySpec;

/// A quantity of cells, SI.
#[derive(Debug, Clone, PartialEq)]
pub enum CellQuantity {
    /// The same in all cells.
    Uniform(f64),
    /// From the cell data of the mesh.
    PerCell(CellDataRef),
    /// A formula of the position at rest, m.
    Formula(FormulaRef),
}

/// A formula of the position at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaRef {
    /// As it was written.
    pub text: String,
    formula: Formula,
    /// From the unit of its values to SI.
    factor: f64,
    /// Where it stands in the scene.
    pub location: Location,
}

impl FormulaRef {
    /// Its value at a position at rest, SI.
    pub fn value(&self, at: Vec3) -> f64 {
        self.formula.value(at) * self.factor
    }
}

/// Cell data of a mesh by name.
#[derive(Debug, Clone, PartialEq)]
pub struct CellDataRef {
    /// The name of the array.
    pub name: String,
    /// From the unit of the array to SI.
    pub factor: f64,
    /// Where it stands in the scene.
    pub location: Location,
}

impl CellQuantity {
    /// Reads `key = "3 kPa"`, `key = { cell_data = "E", unit = "kPa" }` or `key = { expression = "3 kPa * (1 + x / 1 m)" }`.
    pub(crate) fn read(
        t: &Table<'_>,
        key: &'static str,
        dimension: Dimension,
    ) -> Result<Option<Self>, SceneError> {
        let Some(c) = t.cell_data(key, dimension)? else {
            return Ok(t.quantity(key, dimension)?.map(Self::Uniform));
        };
        let (name, text) = (c.text("cell_data")?, c.text("expression")?);
        let unit = c.text("unit")?;
        let factor = match unit {
            None => 1.0,
            // An empty unit would pass as none at all.
            Some(unit) if unit.trim().is_empty() => {
                return Err(c.error("unit", "a unit is needed; without the key, values are SI"));
            }
            Some(unit) => {
                parse(&format!("1 {unit}"), dimension).map_err(|e| c.refused("unit", e))?
            }
        };
        let quantity = match (name, text) {
            (Some(name), None) => {
                let location = c.place_of("cell_data");
                Self::PerCell(CellDataRef { name: name.to_owned(), factor, location })
            }
            (None, Some(text)) => {
                let wanted = if unit.is_some() { Dimension::NONE } else { dimension };
                let formula =
                    formula(text, wanted).map_err(|e| c.error_within("expression", text, e))?;
                if formula.is_constant() {
                    let value = formula.value([0.0; 3]) * factor;
                    if !value.is_finite() {
                        let text = format!("{value} is not a finite number");
                        return Err(c.error("expression", text));
                    }
                    Self::Uniform(value)
                } else {
                    let (text, location) = (text.to_owned(), c.place_of("expression"));
                    Self::Formula(FormulaRef { text, formula, factor, location })
                }
            }
            (None, None) => {
                let hint = "give cell_data = \"E\", or expression = \"1e5 * (1 + 2*x)\"";
                return Err(c.missing_or("cell_data", hint));
            }
            (Some(_), Some(_)) => {
                return Err(c.error("expression", "give either cell_data or expression"));
            }
        };
        c.finish()?;
        Ok(Some(quantity))
    }

    /// The same, where a number that is not above 0 makes no sense.
    pub(crate) fn read_positive(
        t: &Table<'_>,
        key: &'static str,
        dimension: Dimension,
    ) -> Result<Option<Self>, SceneError> {
        match Self::read(t, key, dimension)? {
            Some(Self::Uniform(v)) if v <= 0.0 => {
                Err(t.error(key, format!("{v}: must be above 0")))
            }
            quantity => Ok(quantity),
        }
    }

    /// The one number, if it is one.
    pub fn uniform(&self) -> Option<f64> {
        match self {
            Self::Uniform(value) => Some(*value),
            Self::PerCell(_) | Self::Formula(_) => None,
        }
    }

    /// Its values on a mesh.
    pub(crate) fn on<'a>(&'a self, data: &MeshData<'a>) -> Result<CellValues<'a>, SceneError> {
        match self {
            Self::Uniform(value) => Ok(CellValues::Uniform(*value)),
            Self::PerCell(of) => data.find(of),
            Self::Formula(of) => Ok(CellValues::Formula(of)),
        }
    }

    /// Least and largest value over some cells, or over all; none where the mesh has no such data. Formulas are asked
    /// at the centres of cells.
    pub(crate) fn range(&self, mesh: &VolumeMesh, cells: Option<&[u32]>) -> Option<(f64, f64)> {
        let value: Box<dyn Fn(usize) -> Option<f64>> = match self {
            Self::Uniform(value) => return Some((*value, *value)),
            Self::PerCell(of) => {
                let values = &mesh.data_of_cells(&of.name)?.values;
                Box::new(move |cell| Some(values.get(cell)? * of.factor))
            }
            Self::Formula(of) => Box::new(move |cell| Some(of.value(centre(mesh, cell)))),
        };
        let all = 0..mesh.cell_count() as u32;
        let widen = |range: Option<(f64, f64)>, cell: u32| {
            let v = value(cell as usize)?;
            Some(range.map_or((v, v), |(low, high)| (low.min(v), high.max(v))))
        };
        match cells {
            Some(cells) => cells.iter().copied().fold(None, widen),
            None => all.fold(None, widen),
        }
    }
}

/// Reads a formula of that dimension, or of none that is known.
fn formula(text: &str, wanted: Dimension) -> Result<Formula, ExpressionError> {
    let (formula, found) = Formula::parse(text)?;
    match found.filter(|found| *found != wanted) {
        None => Ok(formula),
        Some(found) => {
            let message = format!("this is {found}, but {wanted} is needed here");
            Err(ExpressionError { at: 0, width: text.len().max(1), message })
        }
    }
}

/// The centre of a cell: the mean of its nodes, m.
pub(crate) fn centre(mesh: &VolumeMesh, cell: usize) -> Vec3 {
    let nodes = mesh.cell(cell);
    let sum = nodes.iter().fold([0.0; 3], |sum, &v| add(sum, mesh.vertices[v as usize]));
    scale(sum, 1.0 / nodes.len() as f64)
}

/// A quantity with its array at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CellValues<'a> {
    Uniform(f64),
    PerCell { of: &'a CellDataRef, values: &'a [f64] },
    Formula(&'a FormulaRef),
}

impl CellValues<'_> {
    /// In a cell, at a position at rest in it, SI.
    pub(crate) fn at(&self, cell: usize, position: Vec3) -> f64 {
        match self {
            Self::Uniform(value) => *value,
            Self::PerCell { of, values } => values[cell] * of.factor,
            Self::Formula(of) => of.value(position),
        }
    }

    /// Whether it differs within a cell.
    pub(crate) fn is_formula(&self) -> bool {
        matches!(self, Self::Formula(_))
    }

    /// "cell data 'E' is -3" or "'1 - 2*x' is -3", where it comes from an array or a formula.
    pub(crate) fn source(&self, cell: usize, position: Vec3) -> Option<String> {
        match self {
            Self::Uniform(_) => None,
            Self::PerCell { of, values } => {
                Some(format!("cell data '{}' is {}", of.name, values[cell]))
            }
            Self::Formula(of) => Some(format!("'{}' is {}", of.text, of.formula.value(position))),
        }
    }

    /// Where it stands in the scene, where it comes from an array or a formula.
    pub(crate) fn location(&self) -> Option<&Location> {
        match self {
            Self::Uniform(_) => None,
            Self::PerCell { of, .. } => Some(&of.location),
            Self::Formula(of) => Some(&of.location),
        }
    }
}

/// The mesh of a body, and what is said where it lacks data.
#[derive(Clone, Copy)]
pub(crate) struct MeshData<'a> {
    pub(crate) body: &'a BodySpec,
    pub(crate) mesh: &'a VolumeMesh,
    /// What its reader noted.
    pub(crate) notes: &'a [String],
}

impl<'a> MeshData<'a> {
    pub(crate) fn find(&self, of: &'a CellDataRef) -> Result<CellValues<'a>, SceneError> {
        if let Some(data) = self.mesh.data_of_cells(&of.name) {
            return Ok(CellValues::PerCell { of, values: &data.values });
        }
        let (body, name) = (&self.body.name, &of.name);
        let error = |text: String| SceneError::new(text).at(&of.location);
        if !self.body.mesh.is_file() {
            let text = format!("the mesh of body '{body}' is generated and has no cell data");
            return Err(error(text).hint("read a mesh that has it: .vtu, .vtk or .msh"));
        }
        let error = error(format!("the mesh of body '{body}' has no cell data '{name}'"));
        // An array that is there but could not be used.
        let skipped = format!("cell data '{name}'");
        if let Some(note) = self.notes.iter().find(|note| note.contains(&skipped)) {
            return Err(error.hint(note.clone()));
        }
        let names: Vec<&str> = self.mesh.cell_data.iter().map(|d| d.name.as_str()).collect();
        let Some(near) = names.iter().min_by_key(|n| distance(n, name)) else {
            let hint = "it has none at all: .vtu and .vtk hold it as cell arrays of one component, .msh as $ElementData";
            return Err(error.hint(hint));
        };
        let near = if distance(near, name) <= 2.max(near.len() / 3) {
            format!("did you mean '{near}'? (there are {})", names.join(", "))
        } else {
            format!("there are {}", names.join(", "))
        };
        Err(error.hint(near))
    }
}

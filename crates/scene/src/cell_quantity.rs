//! [`CellQuantity`]: a constant of a material, one number or a number for each cell of the mesh file.

use pliant_errors::names::distance;
use pliant_mesh::VolumeMesh;
use pliant_units::{Dimension, parse};

use crate::body::BodySpec;
use crate::error::{Place, SceneError};
use crate::table::Table;

/// A quantity of cells, SI.
#[derive(Debug, Clone, PartialEq)]
pub enum CellQuantity {
    /// The same in all cells.
    Uniform(f64),
    /// From the cell data of the mesh.
    PerCell(CellDataRef),
}

/// Cell data of a mesh by name.
#[derive(Debug, Clone, PartialEq)]
pub struct CellDataRef {
    /// The name of the array.
    pub name: String,
    /// From the unit of the array to SI.
    pub factor: f64,
    /// Where it stands in the scene.
    pub place: Place,
}

impl CellQuantity {
    /// Reads `key = "3 kPa"` or `key = { cell_data = "E", unit = "kPa" }`.
    pub(crate) fn read(
        t: &Table<'_>,
        key: &'static str,
        dimension: Dimension,
    ) -> Result<Option<Self>, SceneError> {
        let Some(c) = t.cell_data(key, dimension)? else {
            return Ok(t.quantity(key, dimension)?.map(Self::Uniform));
        };
        let Some(name) = c.text("cell_data")? else { return Err(c.missing("cell_data", "\"E\"")) };
        let factor = match c.text("unit")? {
            None => 1.0,
            // An empty unit would pass as none at all.
            Some(unit) if unit.trim().is_empty() => {
                return Err(c.error("unit", "a unit is needed; without the key, values are SI"));
            }
            Some(unit) => parse(&format!("1 {unit}"), dimension).map_err(|e| c.refused("unit", e))?,
        };
        let name = name.to_owned();
        let place = c.place_of("cell_data");
        c.finish()?;
        Ok(Some(Self::PerCell(CellDataRef { name, factor, place })))
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
            Self::PerCell(_) => None,
        }
    }

    /// Its values on a mesh.
    pub(crate) fn on<'a>(&'a self, data: &MeshData<'a>) -> Result<CellValues<'a>, SceneError> {
        match self {
            Self::Uniform(value) => Ok(CellValues::Uniform(*value)),
            Self::PerCell(of) => data.find(of),
        }
    }

    /// Least and largest value over some cells, or over all; none where the mesh has no such data.
    pub(crate) fn range(&self, mesh: &VolumeMesh, cells: Option<&[u32]>) -> Option<(f64, f64)> {
        let Self::PerCell(of) = self else { return self.uniform().map(|v| (v, v)) };
        let values = &mesh.data_of_cells(&of.name)?.values;
        let all = 0..values.len() as u32;
        let widen = |range: Option<(f64, f64)>, cell: u32| {
            let v = values.get(cell as usize)? * of.factor;
            Some(range.map_or((v, v), |(low, high)| (low.min(v), high.max(v))))
        };
        match cells {
            Some(cells) => cells.iter().copied().fold(None, widen),
            None => all.fold(None, widen),
        }
    }
}

/// A quantity with its array at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CellValues<'a> {
    Uniform(f64),
    PerCell { of: &'a CellDataRef, values: &'a [f64] },
}

impl CellValues<'_> {
    /// In a cell, SI.
    pub(crate) fn at(&self, cell: usize) -> f64 {
        match self {
            Self::Uniform(value) => *value,
            Self::PerCell { of, values } => values[cell] * of.factor,
        }
    }

    /// "cell data 'E' is -3", where it comes from an array.
    pub(crate) fn source(&self, cell: usize) -> Option<String> {
        match self {
            Self::Uniform(_) => None,
            Self::PerCell { of, values } => {
                Some(format!("cell data '{}' is {}", of.name, values[cell]))
            }
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
    fn find(&self, of: &'a CellDataRef) -> Result<CellValues<'a>, SceneError> {
        if let Some(data) = self.mesh.data_of_cells(&of.name) {
            return Ok(CellValues::PerCell { of, values: &data.values });
        }
        let (body, name) = (&self.body.name, &of.name);
        let error = |text: String| SceneError::new(text).at(&of.place);
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

//! [`FibresOn`]: the fibres of a material on a mesh, as parameters of cells.

use pliant_algebra::vec3::Vec3;
use pliant_materials::fibres::active_parameters;
use pliant_materials::{Material, MaterialError};
use pliant_model::{ActiveFibres, CellConstants};

use crate::error::SceneError;
use crate::spec::cell_quantity::MeshData;
use crate::spec::fibres::{Directions, FibreSpec, put_into};

/// The families of a material with their directions at hand.
pub(crate) struct FibresOn<'a> {
    list: Vec<(&'a FibreSpec, Directions<'a>)>,
    data: MeshData<'a>,
    /// Parameters of the law without fibres.
    matrix: usize,
}

impl<'a> FibresOn<'a> {
    pub(crate) fn new(
        list: &'a [FibreSpec],
        material: &Material,
        data: MeshData<'a>,
    ) -> Result<Self, SceneError> {
        let on = |family: &'a FibreSpec| Ok((family, family.on(&data)?));
        let list = list.iter().map(on).collect::<Result<_, SceneError>>()?;
        Ok(Self { list, data, matrix: material.matrix_parameters() })
    }

    /// Whether all cells have the same.
    pub(crate) fn is_uniform(&self) -> bool {
        self.list.iter().all(|(family, _)| family.uniform_direction().is_some())
    }

    /// Whether they differ within cells.
    pub(crate) fn is_formula(&self) -> bool {
        self.list.iter().any(|(family, _)| family.is_formula())
    }

    /// The first family, for the place of an error.
    pub(crate) fn first(&self) -> Option<&'a FibreSpec> {
        self.list.first().map(|(family, _)| *family)
    }

    /// Parameters of the law in a cell, at a position at rest in it, with these families in place of its own; what they say of their
    /// stiffness is multiplied by `factor`.
    pub(crate) fn put_into(
        &self,
        law: Vec<f64>,
        (cell, at): (usize, Vec3),
        factor: f64,
    ) -> Result<Vec<f64>, MaterialError> {
        let here = self
            .list
            .iter()
            .map(|(family, directions)| (*family, directions.at(cell, at, &self.data)));
        put_into(law, self.matrix, here, factor)
    }

    /// Parameters of those that pull, one after the other.
    pub(crate) fn tensions(&self, cell: usize, at: Vec3) -> Result<Vec<[f64; 4]>, MaterialError> {
        let of = |(family, directions): &(&FibreSpec, Directions<'_>)| {
            active_parameters(family.tension, directions.at(cell, at, &self.data))
        };
        self.pulling().map(of).collect()
    }

    /// Whether a group of cells pulls as these do.
    pub(crate) fn pull_as(&self, active: &[ActiveFibres]) -> bool {
        let own = self.pulling().map(|(family, _)| &family.activation);
        own.eq(active.iter().map(|active| &active.activation))
    }

    /// Families that pull, with the constants of one cell.
    pub(crate) fn active(&self, constants: &[[f64; 4]]) -> Vec<ActiveFibres> {
        let own = self.pulling().zip(constants);
        own.map(|((family, _), constants)| ActiveFibres {
            constants: CellConstants::Uniform(constants.to_vec()),
            activation: family.activation.clone(),
        })
        .collect()
    }

    fn pulling(&self) -> impl Iterator<Item = &(&'a FibreSpec, Directions<'a>)> {
        self.list.iter().filter(|(family, _)| family.tension > 0.0)
    }
}

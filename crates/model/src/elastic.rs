//! [`Elastic`]: a law with its constants, on some or all cells of a body.

use pliant_algebra::vec3::Vec3;
use pliant_forces::Parameters;
use pliant_forces::loads::TimeCurve;
use pliant_materials::fibres::{FAMILY, Family, active_parameters};
use pliant_materials::maxwell::Maxwell;
use pliant_materials::{Constants, Inversion, Material, MaterialError};

/// A law of the catalogue with constants, and the cells it is meant for.
#[derive(Debug, Clone)]
pub struct Elastic {
    /// Law and variant.
    pub material: Material,
    /// Constants of the law's kernel, see [`Constants::parameters`].
    pub constants: CellConstants,
    /// k of an additional resistance to the loss of volume, Pa, one number a cell; 0 for none.
    pub resistance: CellConstants,
    /// Whether each cell is of this material; all are if none.
    pub cells: Option<Vec<bool>>,
    /// About Young's modulus, Pa; the stiffest of all cells.
    pub modulus: f64,
    /// Families of fibres that pull.
    pub active: Vec<ActiveFibres>,
    /// Branches by which it relaxes; none if it is elastic.
    pub memory: Option<Maxwell>,
    /// dμ and dλ of a damper beside them, Pa·s.
    pub viscosity: [f64; 2],
}

/// A family of fibres that pull as a curve of time says, on the cells of a material.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveFibres {
    /// The greatest tension, Pa of rest area, and the direction at rest with length 1: four numbers.
    pub constants: CellConstants,
    /// What part of it they pull with.
    pub activation: TimeCurve,
}

impl Elastic {
    /// A law by its name, with the same constants everywhere.
    ///
    /// ```
    /// use pliant_materials::Constants;
    /// use pliant_model::Elastic;
    ///
    /// let rubber = Elastic::new("mooney-rivlin", &Constants::Own(vec![1e5, 2e4, 4e6]))?;
    /// assert!(Elastic::new("granite", &Constants::Own(vec![])).is_err());
    /// # Ok::<(), pliant_materials::MaterialError>(())
    /// ```
    pub fn new(law: &str, constants: &Constants) -> Result<Self, MaterialError> {
        Self::of(Material::by_name(law)?, constants)
    }

    /// A law by its name, with Young's modulus, Pa, and Poisson's ratio.
    pub fn young(law: &str, young: f64, poisson: f64) -> Result<Self, MaterialError> {
        Self::new(law, &Constants::YoungPoisson { young, poisson })
    }

    /// A law with the same constants everywhere.
    pub fn of(material: Material, constants: &Constants) -> Result<Self, MaterialError> {
        let list = constants.parameters(material.law())?;
        let modulus = modulus(constants, &list);
        Ok(Self {
            material,
            constants: CellConstants::Uniform(list),
            resistance: CellConstants::Uniform(vec![0.0]),
            cells: None,
            modulus,
            active: Vec::new(),
            memory: None,
            viscosity: [0.0; 2],
        })
    }

    /// A law with constants of their own for each cell of the mesh.
    pub fn per_cell(material: Material, constants: &[Constants]) -> Result<Self, MaterialError> {
        let first = constants.first().cloned();
        let first = first.unwrap_or(Constants::YoungPoisson { young: 1.0, poisson: 0.0 });
        let mut elastic = Self::of(material, &first)?;
        for (cell, given) in constants.iter().enumerate() {
            let list = given.parameters(material.law())?;
            elastic.modulus = elastic.modulus.max(modulus(given, &list));
            elastic.constants.set(cell, &list, constants.len());
        }
        Ok(elastic)
    }

    /// Continues the law below a threshold of the stretches, so that inverted elements are pushed back: the
    /// given one, or the law's own.
    pub fn invertible(mut self, threshold: Option<f64>) -> Result<Self, MaterialError> {
        self.material = self.material.with_inversion(Inversion::Continued(threshold))?;
        Ok(self)
    }

    /// Puts families of fibres into the law, in place of those that it has by itself.
    ///
    /// ```
    /// use pliant_materials::fibres::Family;
    /// use pliant_model::Elastic;
    ///
    /// let along = Family { k1: 5e3, k2: 2.0, dispersion: 0.0, direction: [1.0, 0.0, 0.0] };
    /// let tendon = Elastic::young("neo-hookean", 1e4, 0.45)?.fibres(&[along])?;
    /// let muscle = tendon.active(2e4, [1.0, 0.0, 0.0], Default::default())?;
    /// assert_eq!(muscle.material.families(), 1);
    /// # Ok::<(), pliant_materials::MaterialError>(())
    /// ```
    pub fn fibres(mut self, families: &[Family]) -> Result<Self, MaterialError> {
        let material = self.material.with_fibres(families.len())?;
        let of_matrix = material.matrix_parameters();
        let of_fibres: Vec<_> =
            families.iter().map(Family::parameters).collect::<Result<_, _>>()?;
        let (CellConstants::Uniform(values) | CellConstants::Each { values, .. }) = &self.constants;
        let one = self.material.point().parameters().len();
        let lists = values
            .chunks(one)
            .flat_map(|list| list[..of_matrix].iter().chain(of_fibres.iter().flatten()).copied());
        let values: Vec<f64> = lists.collect();
        self.constants = match self.constants {
            CellConstants::Uniform(_) => CellConstants::Uniform(values),
            CellConstants::Each { points, .. } => {
                let count = of_matrix + of_fibres.len() * FAMILY;
                CellConstants::Each { count, points, values }
            }
        };
        self.material = material;
        Ok(self)
    }

    /// Adds fibres that pull with a tension, Pa of rest area, times a curve of time.
    pub fn active(
        mut self,
        tension: f64,
        direction: Vec3,
        activation: TimeCurve,
    ) -> Result<Self, MaterialError> {
        let list = active_parameters(tension, direction)?;
        let constants = CellConstants::Uniform(list.to_vec());
        self.active.push(ActiveFibres { constants, activation });
        Ok(self)
    }

    /// Lets it remember: the constants are those of long times, and branches add what relaxes.
    ///
    /// ```
    /// use pliant_materials::maxwell::{Branch, Maxwell};
    /// use pliant_model::Elastic;
    ///
    /// let branches = Maxwell::new(&[Branch { time: 0.1, strength: 0.5 }])?;
    /// let tissue = Elastic::young("neo-hookean", 3e3, 0.45)?.remembering(branches);
    /// assert!(tissue.memory.is_some());
    /// # Ok::<(), pliant_materials::MaterialError>(())
    /// ```
    #[must_use]
    pub fn remembering(mut self, branches: Maxwell) -> Self {
        self.memory = Some(branches);
        self
    }

    /// Restricts it to cells, by the mesh's numbers.
    #[must_use]
    pub fn on_cells(mut self, count: usize, chosen: impl Fn(usize) -> bool) -> Self {
        self.cells = Some((0..count).map(chosen).collect());
        self
    }

    /// Whether a cell is of this material.
    pub(crate) fn has(&self, cell: usize) -> bool {
        self.cells.as_ref().is_none_or(|cells| cells.get(cell).copied().unwrap_or(false))
    }
}

/// About Young's modulus: exact where it is given, else the largest constant.
fn modulus(constants: &Constants, parameters: &[f64]) -> f64 {
    match constants {
        Constants::YoungPoisson { young, .. } => *young,
        _ => parameters.iter().copied().fold(0.0, f64::max),
    }
}

/// Numbers of cells, a few each: one list while all cells have the same.
#[derive(Debug, Clone, PartialEq)]
pub enum CellConstants {
    /// The same in all cells.
    Uniform(Vec<f64>),
    /// `count` for each of the `points` of each cell of the mesh.
    Each {
        /// Numbers a point.
        count: usize,
        /// Quadrature points a cell; 1 while all points of a cell have the same.
        points: usize,
        /// Those of point 0 of cell 0, of point 1 of cell 0, …, of point 0 of cell 1, …
        values: Vec<f64>,
    },
}

impl CellConstants {
    /// As force models take them.
    pub fn parameters(&self) -> Parameters<'_> {
        match self {
            Self::Uniform(list) => Parameters::Uniform(list),
            Self::Each { points: 1, values, .. } => Parameters::PerElement(values),
            Self::Each { values, .. } => Parameters::PerPoint(values),
        }
    }

    /// Those of a cell, at its points one after the other; empty where there is no such cell.
    pub fn of(&self, cell: usize) -> &[f64] {
        match self {
            Self::Uniform(list) => list,
            Self::Each { count, points, values } => {
                let size = count * points;
                values.get(cell * size..(cell + 1) * size).unwrap_or_default()
            }
        }
    }

    /// Gives one of `cells` cells its numbers: one list, or one for each quadrature point.
    ///
    /// # Panics
    /// If `list` is not one or several lists of as many numbers as other cells have, or there is no such cell.
    pub fn set(&mut self, cell: usize, list: &[f64], cells: usize) {
        let bits = |list: &[f64]| list.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        match self {
            Self::Uniform(same) => {
                if list.chunks(same.len()).all(|part| bits(part) == bits(same)) {
                    return;
                }
                let (count, points) = (same.len(), list.len() / same.len());
                *self = Self::Each { count, points, values: same.repeat(cells * points) };
            }
            Self::Each { count, points, values } if *points < list.len() / *count => {
                let more = list.len() / *count;
                *values = values.chunks(*count).flat_map(|part| part.repeat(more)).collect();
                *points = more;
            }
            Self::Each { .. } => {}
        }
        if let Self::Each { count, points, values } = self {
            let size = *count * *points;
            for part in values[cell * size..(cell + 1) * size].chunks_mut(list.len()) {
                part.copy_from_slice(list);
            }
        }
    }
}

//! Elements by name, and solids whose element and law are chosen at run time.

use std::sync::Arc;

use pliant_algebra::dispatch::Level;
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, add_scaled};
use pliant_elements::{Element, Hex8, Hex8Bbar, Point, Tet4, Tet10};
use pliant_materials::{LawName, Material, PointLaw};
use pliant_mesh::{CellType, VolumeMesh};

use super::{Parameters, Solid};
use crate::error::ForceError;
use crate::mass;
use crate::model::ForceModel;
use crate::partition::Partition;
use crate::polynomial::PolynomialStVenantKirchhoff;
use crate::stress::Stress;

/// The elements there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementName {
    /// Linear tetrahedron.
    Tet4,
    /// Quadratic tetrahedron.
    Tet10,
    /// Trilinear hexahedron.
    Hex8,
    /// Trilinear hexahedron with the mean dilatation.
    Hex8Bbar,
}

impl ElementName {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tet4, Self::Tet10, Self::Hex8, Self::Hex8Bbar];

    /// Lower case with hyphens.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tet4 => "tet4",
            Self::Tet10 => "tet10",
            Self::Hex8 => "hex8",
            Self::Hex8Bbar => "hex8-bbar",
        }
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Tet4 => "linear tetrahedron: 4 nodes, 1 point; fast, stiff where volume is kept",
            Self::Tet10 => "quadratic tetrahedron: 10 nodes, 4 points; accurate in bending",
            Self::Hex8 => "trilinear hexahedron: 8 nodes, 8 points",
            Self::Hex8Bbar => {
                "the same with the mean volume change: does not lock where volume is kept"
            }
        }
    }

    /// The cells it stands on.
    pub fn cell_type(self) -> CellType {
        match self {
            Self::Tet4 => CellType::Tet4,
            Self::Tet10 => CellType::Tet10,
            Self::Hex8 | Self::Hex8Bbar => CellType::Hex8,
        }
    }

    /// Quadrature points.
    pub fn points(self) -> usize {
        match self {
            Self::Tet4 => Tet4::POINTS.len(),
            Self::Tet10 => Tet10::POINTS.len(),
            Self::Hex8 | Self::Hex8Bbar => Hex8::POINTS.len(),
        }
    }

    /// The positions of the quadrature points of a cell at rest, Σ_a N_a(ξ) X_a, m, in the order of
    /// [`Parameters::PerPoint`].
    pub fn rest_points(self, mesh: &VolumeMesh, cell: usize) -> Vec<Vec3> {
        fn of<E: Element<N>, const N: usize>(mesh: &VolumeMesh, cell: usize) -> Vec<Vec3> {
            let nodes = mesh.cell(cell);
            let at = |point: &Point<N>| {
                let parts = nodes.iter().zip(point.values);
                parts.fold([0.0; 3], |x, (&v, n)| add_scaled(x, mesh.vertices[v as usize], n))
            };
            E::POINTS.iter().map(at).collect()
        }
        match self {
            Self::Tet4 => of::<Tet4, 4>(mesh, cell),
            Self::Tet10 => of::<Tet10, 10>(mesh, cell),
            Self::Hex8 | Self::Hex8Bbar => of::<Hex8, 8>(mesh, cell),
        }
    }

    /// The plain element on such cells.
    pub fn of(cells: CellType) -> Self {
        match cells {
            CellType::Tet4 => Self::Tet4,
            CellType::Tet10 => Self::Tet10,
            CellType::Hex8 => Self::Hex8,
        }
    }
}

impl std::str::FromStr for ElementName {
    type Err = ForceError;

    fn from_str(name: &str) -> Result<Self, ForceError> {
        Self::ALL.into_iter().find(|e| e.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            ForceError::Unsupported(format!("unknown element {name:?}: known are {known}"))
        })
    }
}

/// What every [`Solid`] can do, whatever its element.
pub trait SolidModel: ForceModel {
    /// The law.
    fn law(&self) -> &dyn PointLaw;
    /// Number of elements.
    fn elements(&self) -> usize;
    /// See [`Solid::set_level`].
    fn set_level(&mut self, level: Level);
    /// Returns a handle to the same elements.
    fn share(&self) -> Box<dyn SolidModel>;
    /// See [`Solid::stresses`].
    fn stresses(&self, x: &[Vec3]) -> Result<Vec<(u32, f64, Stress)>, ForceError>;
    /// See [`Solid::each_stress`].
    fn each_stress(
        &self,
        x: &[Vec3],
        visit: &mut dyn FnMut(u32, f64, &Stress),
    ) -> Result<(), ForceError>;
    /// See [`Solid::vertex_stresses`].
    fn vertex_stresses(
        &self,
        x: &[Vec3],
        mesh: &VolumeMesh,
        partition: &Partition,
    ) -> Result<Vec<Option<Stress>>, ForceError>;
}

impl<E: Element<N>, const N: usize> SolidModel for Solid<E, N> {
    fn law(&self) -> &dyn PointLaw {
        Solid::law(self)
    }
    fn elements(&self) -> usize {
        Solid::elements(self)
    }
    fn set_level(&mut self, level: Level) {
        Solid::set_level(self, level);
    }
    fn share(&self) -> Box<dyn SolidModel> {
        Box::new(self.clone())
    }
    fn stresses(&self, x: &[Vec3]) -> Result<Vec<(u32, f64, Stress)>, ForceError> {
        Solid::stresses(self, x)
    }
    fn each_stress(
        &self,
        x: &[Vec3],
        visit: &mut dyn FnMut(u32, f64, &Stress),
    ) -> Result<(), ForceError> {
        Solid::each_stress(self, x, visit)
    }
    fn vertex_stresses(
        &self,
        x: &[Vec3],
        mesh: &VolumeMesh,
        partition: &Partition,
    ) -> Result<Vec<Option<Stress>>, ForceError> {
        Solid::vertex_stresses(self, x, mesh, partition)
    }
}

/// A material on the cells for which `chosen` holds, as the model that serves it: a [`Solid`], or the
/// polynomial form of St. Venant-Kirchhoff.
pub fn elastic(
    mesh: &VolumeMesh,
    partition: &Partition,
    element: ElementName,
    material: &Material,
    parameters: Parameters<'_>,
    chosen: &dyn Fn(usize) -> bool,
) -> Result<Box<dyn ForceModel>, ForceError> {
    if material.law() != LawName::StVenantKirchhoffPolynomial {
        return Ok(solid(mesh, partition, element, material.point(), parameters, chosen)?);
    }
    if element != ElementName::Tet4 {
        return Err(ForceError::Unsupported(format!(
            "st-venant-kirchhoff-polynomial is a form of tet4: on {} use st-venant-kirchhoff, which is the same law",
            element.name()
        )));
    }
    let model = PolynomialStVenantKirchhoff::on_cells(mesh, partition, parameters, chosen)?;
    Ok(Box::new(model))
}

/// A material whose cells count `weights[cell]` times, see [`Solid::weighted`], as the model that serves it.
pub fn elastic_weighted(
    mesh: &VolumeMesh,
    partition: &Partition,
    element: ElementName,
    material: &Material,
    parameters: Parameters<'_>,
    weights: &[f64],
) -> Result<Box<dyn ForceModel>, ForceError> {
    if material.law() == LawName::StVenantKirchhoffPolynomial && element == ElementName::Tet4 {
        let model = PolynomialStVenantKirchhoff::weighted(mesh, partition, parameters, weights)?;
        return Ok(Box::new(model));
    }
    Ok(solid_weighted(mesh, partition, element, material.point(), parameters, weights)?)
}

/// A solid whose cells count `weights[cell]` times, see [`Solid::weighted`].
pub fn solid_weighted(
    mesh: &VolumeMesh,
    partition: &Partition,
    element: ElementName,
    law: Box<dyn PointLaw>,
    parameters: Parameters<'_>,
    weights: &[f64],
) -> Result<Box<dyn SolidModel>, ForceError> {
    let (p, w) = (parameters, weights);
    Ok(match element {
        ElementName::Tet4 => Box::new(Solid::weighted(mesh, partition, Tet4, law, p, w)?),
        ElementName::Tet10 => Box::new(Solid::weighted(mesh, partition, Tet10, law, p, w)?),
        ElementName::Hex8 => Box::new(Solid::weighted(mesh, partition, Hex8, law, p, w)?),
        ElementName::Hex8Bbar => Box::new(Solid::weighted(mesh, partition, Hex8Bbar, law, p, w)?),
    })
}

/// A solid of the chosen element and law on the cells for which `chosen` holds.
pub fn solid(
    mesh: &VolumeMesh,
    partition: &Partition,
    element: ElementName,
    law: Box<dyn PointLaw>,
    parameters: Parameters<'_>,
    chosen: &dyn Fn(usize) -> bool,
) -> Result<Box<dyn SolidModel>, ForceError> {
    Ok(match element {
        ElementName::Tet4 => {
            Box::new(Solid::on_cells(mesh, partition, Tet4, law, parameters, chosen)?)
        }
        ElementName::Tet10 => {
            Box::new(Solid::on_cells(mesh, partition, Tet10, law, parameters, chosen)?)
        }
        ElementName::Hex8 => {
            Box::new(Solid::on_cells(mesh, partition, Hex8, law, parameters, chosen)?)
        }
        ElementName::Hex8Bbar => {
            Box::new(Solid::on_cells(mesh, partition, Hex8Bbar, law, parameters, chosen)?)
        }
    })
}

impl ElementName {
    /// Masses of the vertices, kg, in the numbering of the partition; density by cell, kg/m³.
    pub fn lumped_mass(
        self,
        mesh: &VolumeMesh,
        partition: &Partition,
        density: &dyn Fn(usize) -> f64,
    ) -> Result<Vec<f64>, ForceError> {
        match self {
            Self::Tet4 => mass::lumped(mesh, partition, Tet4, density),
            Self::Tet10 => mass::lumped(mesh, partition, Tet10, density),
            Self::Hex8 => mass::lumped(mesh, partition, Hex8, density),
            Self::Hex8Bbar => mass::lumped(mesh, partition, Hex8Bbar, density),
        }
    }

    /// The consistent mass, kg, with the pattern of the stiffness.
    pub fn consistent_mass(
        self,
        mesh: &VolumeMesh,
        partition: &Partition,
        density: &dyn Fn(usize) -> f64,
        pattern: &Arc<Pattern>,
    ) -> Result<BlockMatrix, ForceError> {
        match self {
            Self::Tet4 => mass::consistent(mesh, partition, Tet4, density, pattern),
            Self::Tet10 => mass::consistent(mesh, partition, Tet10, density, pattern),
            Self::Hex8 => mass::consistent(mesh, partition, Hex8, density, pattern),
            Self::Hex8Bbar => mass::consistent(mesh, partition, Hex8Bbar, density, pattern),
        }
    }
}

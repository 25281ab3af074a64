//! Solids whose element and law are chosen at run time.

use pliant_algebra::dispatch::Level;
use pliant_algebra::vec3::Vec3;
use pliant_elements::Element;
use pliant_materials::maxwell::Maxwell;
use pliant_materials::{LawName, Material, PointLaw};

use super::{ElementName, ElementVisitor, Parameters, Solid};
use crate::assembly::Partition;
use crate::cells::Cells;
use crate::error::ForceError;
use crate::loads::TimeCurve;
use crate::memory::Memory;
use crate::model::ForceModel;
use crate::polynomial::PolynomialStVenantKirchhoff;
use crate::stress::Stress;

/// What every [`Solid`] can do, whatever its element.
pub trait SolidModel: ForceModel {
    /// The law.
    fn law(&self) -> &dyn PointLaw;
    /// Number of elements.
    fn elements(&self) -> usize;
    /// See [`Solid::set_level`].
    fn set_level(&mut self, level: Level);
    /// See [`Solid::activate`].
    fn activate(&mut self, curve: TimeCurve) -> Result<(), ForceError>;
    /// Returns a handle to the same elements.
    fn share(&self) -> Box<dyn SolidModel>;
    /// See [`Solid::with_memory`].
    fn remember(&mut self, maxwell: &Maxwell) -> Result<(), ForceError>;
    /// See [`Solid::memory`].
    fn memory(&self) -> Option<&Maxwell>;
    /// See [`Solid::stresses`].
    fn stresses(&self, x: &[Vec3]) -> Result<Vec<(u32, f64, Stress)>, ForceError>;
    /// See [`Solid::each_stress`].
    fn each_stress(
        &self,
        x: &[Vec3],
        memory: Option<&Memory>,
        visit: &mut dyn FnMut(u32, f64, &Stress),
    ) -> Result<(), ForceError>;
    /// See [`Solid::vertex_stresses`].
    fn vertex_stresses(
        &self,
        x: &[Vec3],
        cells: Cells<'_>,
        partition: &Partition,
    ) -> Result<Vec<Option<Stress>>, ForceError>;
}

impl<E: Element<3, N>, const N: usize> SolidModel for Solid<E, N> {
    fn law(&self) -> &dyn PointLaw {
        Solid::law(self)
    }
    fn elements(&self) -> usize {
        Solid::elements(self)
    }
    fn set_level(&mut self, level: Level) {
        Solid::set_level(self, level);
    }
    fn activate(&mut self, curve: TimeCurve) -> Result<(), ForceError> {
        Solid::activate(self, curve)
    }
    fn share(&self) -> Box<dyn SolidModel> {
        Box::new(self.clone())
    }
    fn remember(&mut self, maxwell: &Maxwell) -> Result<(), ForceError> {
        Solid::remember(self, maxwell)
    }
    fn memory(&self) -> Option<&Maxwell> {
        Solid::memory(self)
    }
    fn stresses(&self, x: &[Vec3]) -> Result<Vec<(u32, f64, Stress)>, ForceError> {
        Solid::stresses(self, x)
    }
    fn each_stress(
        &self,
        x: &[Vec3],
        memory: Option<&Memory>,
        visit: &mut dyn FnMut(u32, f64, &Stress),
    ) -> Result<(), ForceError> {
        Solid::each_stress(self, x, memory, visit)
    }
    fn vertex_stresses(
        &self,
        x: &[Vec3],
        cells: Cells<'_>,
        partition: &Partition,
    ) -> Result<Vec<Option<Stress>>, ForceError> {
        Solid::vertex_stresses(self, x, cells, partition)
    }
}

/// A material on the cells for which `chosen` holds, as the model that serves it: a [`Solid`], or the
/// polynomial form of St. Venant-Kirchhoff.
pub fn elastic<'a>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    element: ElementName,
    material: &Material,
    parameters: Parameters<'_>,
    chosen: &dyn Fn(usize) -> bool,
) -> Result<Box<dyn ForceModel>, ForceError> {
    make_elastic(cells.into(), partition, element, material, parameters, Share::Chosen(chosen))
}

/// A material whose cells count `weights[cell]` times, see [`Solid::weighted`], as the model that serves it.
pub fn elastic_weighted<'a>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    element: ElementName,
    material: &Material,
    parameters: Parameters<'_>,
    weights: &[f64],
) -> Result<Box<dyn ForceModel>, ForceError> {
    make_elastic(cells.into(), partition, element, material, parameters, Share::Weights(weights))
}

/// A solid whose cells count `weights[cell]` times, see [`Solid::weighted`].
pub fn solid_weighted<'a>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    element: ElementName,
    law: Box<dyn PointLaw>,
    parameters: Parameters<'_>,
    weights: &[f64],
) -> Result<Box<dyn SolidModel>, ForceError> {
    let share = Share::Weights(weights);
    make_solid(element, MakeSolid { cells: cells.into(), partition, law, parameters, share })
}

/// Returns true for the polynomial form of St. Venant-Kirchhoff, which is one of tet4 only.
fn is_polynomial(material: &Material, element: ElementName) -> Result<bool, ForceError> {
    if material.law() != LawName::ST_VENANT_KIRCHHOFF_POLYNOMIAL {
        return Ok(false);
    }
    if element == ElementName::Tet4 {
        return Ok(true);
    }
    Err(ForceError::Unsupported(format!(
        "st-venant-kirchhoff-polynomial is a form of tet4: on {} use st-venant-kirchhoff, which is the same law",
        element.name()
    )))
}

/// A solid of the chosen element and law on the cells for which `chosen` holds.
pub fn solid<'a>(
    cells: impl Into<Cells<'a>>,
    partition: &Partition,
    element: ElementName,
    law: Box<dyn PointLaw>,
    parameters: Parameters<'_>,
    chosen: &dyn Fn(usize) -> bool,
) -> Result<Box<dyn SolidModel>, ForceError> {
    let share = Share::Chosen(chosen);
    make_solid(element, MakeSolid { cells: cells.into(), partition, law, parameters, share })
}

/// How much of each cell a solid has.
enum Share<'a> {
    Chosen(&'a dyn Fn(usize) -> bool),
    Weights(&'a [f64]),
}

/// Makes a solid of an element that is known by name.
struct MakeSolid<'a> {
    cells: Cells<'a>,
    partition: &'a Partition,
    law: Box<dyn PointLaw>,
    parameters: Parameters<'a>,
    share: Share<'a>,
}

/// Not generic, as [`make_elastic`] is not: the kernels of all elements are compiled here, and not again in each crate that makes
/// solids.
fn make_solid(
    element: ElementName,
    make: MakeSolid<'_>,
) -> Result<Box<dyn SolidModel>, ForceError> {
    element.visit(make)
}

fn make_elastic(
    cells: Cells<'_>,
    partition: &Partition,
    element: ElementName,
    material: &Material,
    parameters: Parameters<'_>,
    share: Share<'_>,
) -> Result<Box<dyn ForceModel>, ForceError> {
    use PolynomialStVenantKirchhoff as Polynomial;
    if !is_polynomial(material, element)? {
        let law = material.point();
        return Ok(make_solid(element, MakeSolid { cells, partition, law, parameters, share })?);
    }
    Ok(Box::new(match share {
        Share::Chosen(chosen) => Polynomial::on_cells(cells, partition, parameters, chosen)?,
        Share::Weights(weights) => Polynomial::weighted(cells, partition, parameters, weights)?,
    }))
}

impl ElementVisitor for MakeSolid<'_> {
    type Output = Result<Box<dyn SolidModel>, ForceError>;

    fn visit<E: Element<3, N>, const N: usize>(self, element: E) -> Self::Output {
        let Self { cells, partition, law, parameters: p, share } = self;
        Ok(match share {
            Share::Chosen(f) => Box::new(Solid::on_cells(cells, partition, element, law, p, f)?),
            Share::Weights(w) => Box::new(Solid::weighted(cells, partition, element, law, p, w)?),
        })
    }
}

//! What a body is made of.

use pliant_forces::springs::MASS_SPRING;
use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::tissue::{TISSUES, Tissue};
use pliant_materials::{Constants, Inversion, LawName, Material, MaterialError};
use pliant_mesh::{MaterialLaw, MaterialRecord};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::cell_quantity::CellQuantity;
use crate::spec::energy::EnergySpec;
use crate::spec::fibres::FibreSpec;

/// A material of a scene.
#[derive(Debug, Clone)]
pub struct MaterialSpec {
    /// What it is called; as the mesh file calls it if none.
    pub name: Option<String>,
    /// Elements or springs.
    pub kind: MaterialKind,
    /// Where it stands in the scene.
    pub location: Location,
}

/// What exerts the forces of a body.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub enum MaterialKind {
    /// Finite elements.
    Elastic {
        /// Law and variant.
        material: Material,
        /// Its constants.
        constants: MaterialConstants,
        /// Vega's factor of an additional resistance to the loss of volume; 0 for none.
        resistance: f64,
        /// Families of fibres in it.
        fibres: Vec<FibreSpec>,
    },
    /// Springs along the edges.
    Springs {
        /// How stiff they are.
        stiffness: SpringStiffness,
        /// Of all springs, N·s/m.
        damping: f64,
    },
}

/// Where a law's constants come from.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub enum MaterialConstants {
    /// The materials of the mesh.
    OfMesh,
    /// The same for all cells of the material.
    Uniform(Constants),
    /// Those of an energy that the scene gives.
    OfEnergy(EnergySpec),
    /// Names and values, of which some differ from cell to cell.
    PerCell(Vec<(&'static str, CellQuantity)>),
}

/// How springs get their constants.
#[derive(Debug, Clone, PartialEq)]
pub enum SpringStiffness {
    /// Young's modulus, Pa: van Gelder's constants.
    Young(CellQuantity),
    /// EA of each spring, N: k = EA/l.
    Rigidity(f64),
}

impl MaterialSpec {
    /// The law of bodies that have none, without constants.
    pub(crate) fn stable() -> Self {
        let material = Material::new(LawName::STABLE_NEO_HOOKEAN);
        let kind = MaterialKind::Elastic {
            material,
            constants: MaterialConstants::OfMesh,
            resistance: 0.0,
            fibres: Vec::new(),
        };
        Self { name: None, kind, location: Location::default() }
    }

    /// With the name and the constants that a mesh file gives, where it has none of its own.
    pub(crate) fn with_record(&self, record: &MaterialRecord) -> Self {
        let mut spec = self.clone();
        let given = of_record(record);
        spec.name.get_or_insert_with(|| record.name.clone());
        if let MaterialKind::Elastic { constants, .. } = &mut spec.kind
            && *constants == MaterialConstants::OfMesh
        {
            *constants = MaterialConstants::Uniform(given);
        }
        spec
    }

    /// Reads a table.
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let called = t.text("name")?.map(str::to_owned);
        let energy = EnergySpec::read(t)?;
        let asked = t.text("law")?;
        let tissue = tissue(t)?;
        if let Some(key) = ["law", "energy"].into_iter().find(|key| tissue.is_some() && t.has(key))
        {
            return Err(t.error(key, "a tissue has its own law and constants"));
        }
        let name = match (&energy, asked.or(tissue.map(|tissue| tissue.law.name()))) {
            (Some(_), None | Some("energy")) => "energy",
            (Some(_), Some(_)) => {
                return Err(t.error("law", "a material has either a law or an energy"));
            }
            (None, Some("energy")) => {
                return Err(
                    t.missing("energy", "\"mu/2*(I1 - 3) - mu*log(J) + lambda/2*log(J)^2\"")
                );
            }
            (None, name) => name.unwrap_or("stable-neo-hookean"),
        };
        let location = t.location().clone();
        if name == MASS_SPRING {
            return Ok(Self { name: called, kind: springs(t)?, location });
        }
        let law: LawName = name.parse().map_err(|e: MaterialError| t.refused("law", e))?;
        let formula = energy.as_ref().map(|energy| energy.formula);
        let plain = formula.map_or(Material::new(law), Material::by_energy);
        let mut material = continued(t, &plain, energy.as_ref())?;
        let fibres = FibreSpec::read_all(t)?;
        if !fibres.is_empty() {
            material = material.with_fibres(fibres.len()).map_err(|e| t.refused("fibres", e))?;
        }
        let resistance = t.quantity("compression_resistance", Dimension::NONE)?.unwrap_or(0.0);
        let mut given = Vec::new();
        let own = energy.is_none() && tissue.is_none();
        for constant in law.all_constants().filter(|_| own) {
            if let Some(value) = CellQuantity::read(t, constant.name, constant.dimension)? {
                given.push((constant.name, value));
            }
        }
        t.finish()?;
        // Poisson's ratio alone may be left out.
        if matches!(given[..], [("young", _)]) {
            given.push(("poisson", CellQuantity::Uniform(0.45)));
        }
        let constants = match (energy, tissue) {
            (Some(energy), _) => MaterialConstants::OfEnergy(energy),
            (None, Some(tissue)) => MaterialConstants::Uniform(tissue.constants()),
            (None, None) => constants(law, given).map_err(|e| at(e.into(), t))?,
        };
        if resistance != 0.0 {
            // With some constants, as those of the mesh are not there yet.
            let some = Constants::YoungPoisson { young: 1.0, poisson: 0.25 };
            CompressionResistance::stiffness(resistance, law, &some)
                .map_err(|e| t.refused("compression_resistance", e))?;
        }
        let kind = MaterialKind::Elastic { material, constants, resistance, fibres };
        Ok(Self { name: called, kind, location })
    }
}

/// Springs along the edges.
fn springs(t: &Table<'_>) -> Result<MaterialKind, SceneError> {
    let young = CellQuantity::read_positive(t, "young", Dimension::PRESSURE)?;
    let rigidity = t.positive("rigidity", Dimension::FORCE)?;
    let stiffness = match (young, rigidity) {
        (Some(young), None) => SpringStiffness::Young(young),
        (None, Some(rigidity)) => SpringStiffness::Rigidity(rigidity),
        _ => {
            let hint = "springs have either young or rigidity (EA of each, N)";
            return Err(t.missing_or("young", hint));
        }
    };
    // N·s/m
    let per_speed = Dimension { exponents: [0, 1, -1, 0] };
    let damping = t.quantity("damping", per_speed)?.unwrap_or(0.0);
    t.finish()?;
    Ok(MaterialKind::Springs { stiffness, damping })
}

/// Reads `invertible` and `inversion_threshold`.
fn continued(
    t: &Table<'_>,
    material: &Material,
    energy: Option<&EnergySpec>,
) -> Result<Material, SceneError> {
    let threshold = t.quantity("inversion_threshold", Dimension::NONE)?;
    if t.switch("invertible")? != Some(true) {
        if threshold.is_some() {
            let text = "only of use with invertible = true";
            return Err(t.error("inversion_threshold", text));
        }
        return Ok(*material);
    }
    let refused = |e: MaterialError| t.refused("invertible", e);
    let material = material.with_inversion(Inversion::Continued(threshold)).map_err(refused)?;
    if let Some(energy) = energy {
        energy.formula.check_continued(&energy.values(), threshold).map_err(refused)?;
    }
    Ok(material)
}

/// `tissue = "liver"`
fn tissue(t: &Table<'_>) -> Result<Option<&'static Tissue>, SceneError> {
    let Some(name) = t.text("tissue")? else { return Ok(None) };
    let found = Tissue::by_name(name);
    found.map(Some).ok_or_else(|| {
        let names: Vec<&str> = TISSUES.iter().map(|tissue| tissue.name).collect();
        let text = format!("there is no tissue '{name}': there are {}", names.join(", "));
        t.error("tissue", text)
    })
}

/// Checks what can be checked without a mesh: all values where they are numbers, else names alone.
fn constants(
    law: LawName,
    given: Vec<(&'static str, CellQuantity)>,
) -> Result<MaterialConstants, MaterialError> {
    if given.is_empty() {
        return Ok(MaterialConstants::OfMesh);
    }
    let numbers: Option<Vec<_>> = given.iter().map(|(n, q)| Some((*n, q.uniform()?))).collect();
    if let Some(numbers) = numbers {
        let constants = Constants::from_names(law, &numbers)?;
        constants.parameters(law)?;
        return Ok(MaterialConstants::Uniform(constants));
    }
    // Values that every law takes.
    let is_number = |name: &str| law.constant(name).is_some_and(|c| c.dimension == Dimension::NONE);
    let some = |name: &str| if is_number(name) { 0.25 } else { 1.0 };
    let names: Vec<_> = given.iter().map(|(name, _)| (*name, some(name))).collect();
    match Constants::from_names(law, &names) {
        Err(error @ MaterialError::WrongConstants { .. }) => Err(error),
        _ => Ok(MaterialConstants::PerCell(given)),
    }
}

fn at(error: SceneError, t: &Table<'_>) -> SceneError {
    error.at(t.location())
}

/// What a mesh file says about a material.
pub(crate) fn of_record(record: &MaterialRecord) -> Constants {
    match record.law {
        MaterialLaw::Isotropic { young, poisson } => Constants::YoungPoisson { young, poisson },
        MaterialLaw::MooneyRivlin { mu01, mu10, v1 } => Constants::Own(vec![mu10, mu01, v1]),
        MaterialLaw::Orthotropic { young, poisson, shear, rotation } => {
            Constants::Orthotropic { young, poisson, shear, rotation }
        }
    }
}

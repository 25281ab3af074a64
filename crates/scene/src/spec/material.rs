//! What a body is made of.

use pliant_forces::springs::{MASS_SPRING, QualityFit};
use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::maxwell::{Form, RestModuli};
use pliant_materials::{Constants, Inversion, LawName, Material, MaterialError};
use pliant_mesh::{MaterialLaw, MaterialRecord};
use pliant_model::SpringDamping;
use pliant_units::{Dimension, exact};

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::cell_quantity::CellQuantity;
use crate::spec::memory::MemorySpec;

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
        /// How it remembers; none if it is elastic.
        memory: Option<MemorySpec>,
    },
    /// Springs along the edges.
    Springs {
        /// How stiff they are.
        stiffness: SpringStiffness,
        /// How they are damped along their edge.
        damping: SpringDamping,
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
            memory: None,
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
        let name = t.text("law")?.unwrap_or("stable-neo-hookean");
        let location = t.location().clone();
        if name == MASS_SPRING {
            if t.has("memory") {
                let text = "springs have no memory: take finite elements, law = \"stable-neo-hookean\" for one";
                return Err(t.error("memory", text));
            }
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
            let damping = spring_damping(t)?;
            t.finish()?;
            let kind = MaterialKind::Springs { stiffness, damping };
            return Ok(Self { name: called, kind, location });
        }
        let law: LawName = name.parse().map_err(|e: MaterialError| t.refused("law", e))?;
        let mut material = Material::new(law);
        let threshold = t.quantity("inversion_threshold", Dimension::NONE)?;
        match t.switch("invertible")? {
            Some(true) => {
                material = material
                    .with_inversion(Inversion::Continued(threshold))
                    .map_err(|e| t.refused("invertible", e))?;
            }
            _ if threshold.is_some() => {
                let text = "only of use with invertible = true";
                return Err(t.error("inversion_threshold", text));
            }
            _ => {}
        }
        let resistance = t.quantity("compression_resistance", Dimension::NONE)?.unwrap_or(0.0);
        let mut given = Vec::new();
        for constant in law.all_constants() {
            if let Some(value) = CellQuantity::read(t, constant.name, constant.dimension)? {
                given.push((constant.name, value));
            }
        }
        let memory = MemorySpec::read(t)?;
        t.finish()?;
        if let Some(memory) = &memory {
            moduli_of_memory(t, memory, &mut given)?;
        }
        // Poisson's ratio alone may be left out.
        if matches!(given[..], [("young", _)]) {
            given.push(("poisson", CellQuantity::Uniform(0.45)));
        }
        let constants = constants(law, given).map_err(|e| at(e.into(), t))?;
        if resistance != 0.0 {
            // With some constants, as those of the mesh are not there yet.
            let some = Constants::YoungPoisson { young: 1.0, poisson: 0.25 };
            CompressionResistance::stiffness(resistance, law, &some)
                .map_err(|e| t.refused("compression_resistance", e))?;
        }
        if let Some(memory) = &memory {
            check_memory(t, memory, &material, &constants)?;
        }
        let kind = MaterialKind::Elastic { material, constants, resistance, memory };
        Ok(Self { name: called, kind, location })
    }
}

/// One of three rules: a number for all springs, a time that each spring's constant is multiplied with, or a quality.
fn spring_damping(t: &Table<'_>) -> Result<SpringDamping, SceneError> {
    // N·s/m
    let per_speed = Dimension { exponents: [0, 1, -1, 0] };
    let constant = t.quantity("damping", per_speed)?;
    let time = t.quantity("damping_per_stiffness", Dimension::TIME)?;
    let quality = t.positive("quality", Dimension::NONE)?;
    let fits =
        [("eigenfrequency", QualityFit::Eigenfrequency), ("as-printed", QualityFit::AsPrinted)];
    let fit = t.choice("quality_fit", &fits)?;
    let given = [("damping", constant), ("damping_per_stiffness", time)];
    for (key, value) in given {
        if let Some(value) = value.filter(|value| *value < 0.0) {
            return Err(t.error(key, format!("{}: must be 0 or more", exact(value))));
        }
    }
    if fit.is_some() && quality.is_none() {
        return Err(t.error("quality_fit", "only of use with quality"));
    }
    match (constant, time, quality) {
        (None, None, None) => Ok(SpringDamping::NONE),
        (Some(constant), None, None) => Ok(SpringDamping::Constant(constant)),
        (None, Some(time), None) => Ok(SpringDamping::PerStiffness(time)),
        (None, None, Some(quality)) => {
            Ok(SpringDamping::Quality { quality, fit: fit.unwrap_or_default() })
        }
        _ => {
            let key = if quality.is_some() { "quality" } else { "damping_per_stiffness" };
            let text = "springs have one of damping, damping_per_stiffness and quality";
            Err(t.error(key, text))
        }
    }
}

/// Puts the moduli that follow from a quality factor in place of Poisson's ratio.
fn moduli_of_memory(
    t: &Table<'_>,
    memory: &MemorySpec,
    given: &mut Vec<(&'static str, CellQuantity)>,
) -> Result<(), SceneError> {
    let uniform = |name: &str| given.iter().find(|(n, _)| *n == name).map(|(_, q)| q.uniform());
    let poisson = match uniform("poisson") {
        None => 0.45,
        Some(Some(poisson)) => poisson,
        Some(None) => f64::NAN,
    };
    let Some(moduli) = memory.law_constants(poisson) else { return Ok(()) };
    for name in ["young", "lambda", "mu"] {
        if given.iter().any(|(n, _)| *n == name) {
            let text =
                "the shear modulus follows from memory.q and memory.modulus: give poisson alone";
            return Err(t.error(name, text));
        }
    }
    if !(poisson > -1.0 && poisson < 0.5) {
        let text = "with memory.q a number between -1 and 0.5 is needed, both excluded";
        return Err(t.error("poisson", text));
    }
    given.retain(|(name, _)| *name != "poisson");
    given.extend(moduli.map(|(name, value)| (name, CellQuantity::Uniform(value))));
    Ok(())
}

/// Refuses memory that does not go with the law.
fn check_memory(
    t: &Table<'_>,
    memory: &MemorySpec,
    material: &Material,
    constants: &MaterialConstants,
) -> Result<(), SceneError> {
    let law = material.law().name();
    let point = material.point();
    if memory.kind.form == Form::Stress && point.takes_inversion() {
        let text = format!(
            "form = \"stress\" needs elements that are not inverted, and {law} is made for such: take form = \"strain\""
        );
        return Err(t.error("memory", text));
    }
    if memory.kind.form == Form::Stress && !point.has_energy() {
        let text = format!(
            "form = \"stress\" needs a law with an energy, which {law} does not have: take form = \"strain\""
        );
        return Err(t.error("memory", text));
    }
    let MaterialConstants::Uniform(constants) = constants else { return Ok(()) };
    let (branches, factor) = memory.branches(material, Some(constants))?;
    let rest = constants.times(material.law(), factor).and_then(|c| c.parameters(material.law()));
    let rest = rest.and_then(|p| RestModuli::of(&*point, &p));
    let weights = rest.and_then(|rest| rest.weights(branches.form, branches.share));
    weights.map(|_| ()).map_err(|e| t.refused("memory", e))
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

//! What a body is made of.

use pliant_forces::springs::{MASS_SPRING, QualityFit};
use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::maxwell::{Form, RestModuli};
use pliant_materials::tissue::{TISSUES, Tissue};
use pliant_materials::{Constants, Inversion, LawName, Material, MaterialError};
use pliant_mesh::{MaterialLaw, MaterialRecord};
use pliant_model::SpringDamping;
use pliant_units::{Dimension, exact};

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::cell_quantity::CellQuantity;
use crate::spec::energy::EnergySpec;
use crate::spec::fibres::{FibreSpec, put_into};
use crate::spec::memory::{MemorySpec, Moduli, Series};

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
        let memory = MemorySpec::read(t)?;
        t.finish()?;
        if let Some(memory) = &memory {
            if !own && matches!(memory.series, Series::ConstantQ { .. }) {
                let owner = if energy.is_some() { "an energy" } else { "a tissue" };
                let text = format!("the moduli follow from memory.q, and {owner} has its own");
                return Err(t.error("memory", text).hint("give it terms in place of q"));
            }
            moduli_of_memory(t, memory, &mut given)?;
        }
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
        if let Some(memory) = &memory {
            check_memory(t, memory, (&material, &fibres), &constants)?;
        }
        let kind = MaterialKind::Elastic { material, constants, resistance, memory, fibres };
        Ok(Self { name: called, kind, location })
    }
}

/// Springs along the edges.
fn springs(t: &Table<'_>) -> Result<MaterialKind, SceneError> {
    if t.has("memory") {
        let text =
            "springs have no memory: take finite elements, law = \"stable-neo-hookean\" for one";
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
    (material, fibres): (&Material, &[FibreSpec]),
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
    // Any direction of fibres serves.
    let with_fibres = |law: Vec<f64>, factor: f64| {
        let along = |family| (family, [1.0, 0.0, 0.0]);
        put_into(law, material.matrix_parameters(), fibres.iter().map(along), factor)
    };
    let of_law = match constants {
        MaterialConstants::Uniform(constants) => constants.parameters(material.law()),
        MaterialConstants::OfEnergy(_) if memory.moduli == Moduli::Instant => {
            let text = "moduli = \"instant\": the constants of an energy need not be moduli: give those of a long time";
            return Err(t.error("memory", text));
        }
        MaterialConstants::OfEnergy(energy) => Ok(energy.parameters()),
        MaterialConstants::OfMesh | MaterialConstants::PerCell(_) => return Ok(()),
    };
    let refused = |e: MaterialError| t.refused("memory", e);
    let of_law = of_law.map_err(refused)?;
    let whole = with_fibres(of_law.clone(), 1.0).map_err(refused)?;
    let (branches, factor) = memory.branches(material, Some(&whole))?;
    let scaled = match constants {
        MaterialConstants::Uniform(constants) => constants
            .times(material.law(), factor)
            .and_then(|constants| constants.parameters(material.law())),
        _ => Ok(of_law),
    };
    let scaled = scaled.and_then(|law| with_fibres(law, factor)).map_err(refused)?;
    branches.goes_with(&*point, &scaled).map_err(refused)?;
    let rest = RestModuli::of(&*point, &scaled);
    let weights = rest.and_then(|rest| rest.weights(branches.form, branches.share));
    weights.map(|_| ()).map_err(refused)
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

//! What a body is made of.

use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::{Constants, Inversion, LawName, Material};
use pliant_mesh::{MaterialLaw, MaterialRecord};
use pliant_units::Dimension;

use crate::error::{Place, SceneError};
use crate::table::Table;

/// The name that asks for springs along the edges of the mesh in place of elements.
pub const MASS_SPRING: &str = "mass-spring";

/// A material of a scene.
#[derive(Debug, Clone)]
pub struct MaterialSpec {
    /// Elements or springs.
    pub kind: MaterialKind,
    /// Where it stands in the scene.
    pub place: Place,
}

/// What exerts the forces of a body.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub enum MaterialKind {
    /// Finite elements.
    Elastic {
        /// Law and variant.
        material: Material,
        /// Its constants; none where the mesh has them.
        constants: Option<Constants>,
        /// Vega's factor of an additional resistance to the loss of volume; 0 for none.
        resistance: f64,
    },
    /// Springs along the edges.
    Springs {
        /// How stiff they are.
        stiffness: SpringStiffness,
        /// Of all springs, N·s/m.
        damping: f64,
    },
}

/// How springs get their constants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpringStiffness {
    /// Young's modulus, Pa: van Gelder's constants.
    Young(f64),
    /// EA of each spring, N: k = EA/l.
    Rigidity(f64),
}

/// The dimension of a constant of a law, by its name in scenes.
pub fn constant_dimension(name: &str) -> Dimension {
    match name {
        "c2" | "gamma" => Dimension::NONE,
        // 1/Pa
        "d" => Dimension { exponents: [1, -1, 2, 0] },
        _ if name.starts_with("poisson") => Dimension::NONE,
        _ => Dimension::PRESSURE,
    }
}

impl MaterialSpec {
    /// The law of bodies that have none, without constants.
    pub(crate) fn stable() -> Self {
        let material = Material::new(LawName::StableNeoHookean);
        let kind = MaterialKind::Elastic { material, constants: None, resistance: 0.0 };
        Self { kind, place: Place::default() }
    }

    /// With these constants, where it has none of its own.
    pub(crate) fn with_constants(&self, given: &Constants) -> Self {
        let mut spec = self.clone();
        if let MaterialKind::Elastic { constants: constants @ None, .. } = &mut spec.kind {
            *constants = Some(given.clone());
        }
        spec
    }

    /// Reads a table.
    pub(crate) fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let name = t.text("law")?.unwrap_or("stable-neo-hookean");
        let place = t.place().clone();
        if name == MASS_SPRING {
            let young = t.positive("young", Dimension::PRESSURE)?;
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
            return Ok(Self { kind: MaterialKind::Springs { stiffness, damping }, place });
        }
        let law: LawName =
            name.parse().map_err(|e: pliant_materials::MaterialError| t.error("law", e))?;
        let mut material = Material::new(law);
        let threshold = t.quantity("inversion_threshold", Dimension::NONE)?;
        match t.switch("invertible")? {
            Some(true) => {
                material = material
                    .with_inversion(Inversion::Continued(threshold))
                    .map_err(|e| t.error("invertible", e))?;
            }
            _ if threshold.is_some() => {
                let text = "only of use with invertible = true";
                return Err(t.error("inversion_threshold", text));
            }
            _ => {}
        }
        let resistance = t.quantity("compression_resistance", Dimension::NONE)?.unwrap_or(0.0);
        let mut names = vec!["young", "poisson", "lambda", "mu"];
        names.extend(law.own_constants().iter().filter(|n| !["lambda", "mu"].contains(n)));
        let mut given = Vec::new();
        for name in names {
            if let Some(value) = t.quantity(name, constant_dimension(name))? {
                given.push((name, value));
            }
        }
        t.finish()?;
        // Poisson's ratio alone may be left out.
        if matches!(given[..], [("young", _)]) {
            given.push(("poisson", 0.45));
        }
        let constants = match given[..] {
            [] => None,
            _ => Some(Constants::from_names(law, &given).map_err(|e| at(e.into(), t))?),
        };
        if let Some(constants) = &constants {
            constants.parameters(law).map_err(|e| at(e.into(), t))?;
        }
        if resistance != 0.0 {
            // With some constants, as those of the mesh are not there yet.
            let some = Constants::YoungPoisson { young: 1.0, poisson: 0.25 };
            CompressionResistance::stiffness(resistance, law, &some)
                .map_err(|e| t.error("compression_resistance", e))?;
        }
        Ok(Self { kind: MaterialKind::Elastic { material, constants, resistance }, place })
    }
}

fn at(error: SceneError, t: &Table<'_>) -> SceneError {
    error.at(t.place())
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

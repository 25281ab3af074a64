//! Material records: what mesh files say about materials. The laws themselves live elsewhere.

/// A named material of a mesh file.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialRecord {
    /// Its name.
    pub name: String,
    /// Density, kg/m³.
    pub density: f64,
    /// Its elastic constants.
    pub law: MaterialLaw,
}

/// Elastic constants as mesh files give them, in SI units.
#[derive(Debug, Clone, PartialEq)]
pub enum MaterialLaw {
    /// Isotropic: Young's modulus and Poisson's ratio (`ENU`).
    Isotropic {
        /// Young's modulus, Pa.
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Mooney-Rivlin, Vega (12).
    MooneyRivlin {
        /// Factor of Ī₂ − 3, Pa.
        mu01: f64,
        /// Factor of Ī₁ − 3, Pa.
        mu10: f64,
        /// Factor of (J − 1)², Pa.
        v1: f64,
    },
    /// Orthotropic, in axes that may be rotated against the world.
    Orthotropic {
        /// Young's moduli E1, E2, E3 along the material axes, Pa.
        young: [f64; 3],
        /// Poisson's ratios ν12, ν23, ν31.
        poisson: [f64; 3],
        /// Shear moduli G12, G23, G31, Pa.
        shear: [f64; 3],
        /// Rotation from material to world axes, row by row.
        rotation: [f64; 9],
    },
}

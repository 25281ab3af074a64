//! Flags of `pliant modes`.

use std::path::PathBuf;

use clap::Args;
use pliant::dynamics::ModeSettings;
use pliant::model::MassKind;

use crate::arguments::{density, pressure};

/// Flags of `pliant modes`.
#[derive(Debug, Args)]
pub struct ModesFlags {
    /// A volume mesh in metres, a scene file, or the name of a built-in scene
    #[arg(value_name = "SCENE|MESH")]
    pub source: String,
    /// How many, the lowest first; rigid motions count
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub count: usize,
    /// The largest error of ω², relative
    #[arg(long, value_name = "T", default_value_t = ModeSettings::default().tolerance)]
    pub tolerance: f64,
    /// Trial vectors, at most [default: 10 for each mode, and 100]
    #[arg(long, value_name = "N")]
    pub subspace: Option<usize>,
    /// With the stiffness of a long time in place of that at an instant, of materials that remember
    #[arg(long)]
    pub long_term: bool,
    /// Write the shapes here
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write so many frames of a swing too, for each mode
    #[arg(long, value_name = "N", default_value_t = 0, requires = "out")]
    pub frames: usize,
    /// Masses at the vertices, or as the shape functions spread them: lumped or consistent [default: what the scene
    /// says, and lumped]
    #[arg(long, value_name = "KIND", value_parser = mass)]
    pub mass: Option<MassKind>,
    /// Override a key of the scene
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Of a scene")]
    pub set: Vec<String>,
    /// Of a mesh: what it is made of and held by.
    #[command(flatten)]
    pub mesh: MeshFlags,
}

/// What a mesh does not say by itself.
#[derive(Debug, Args)]
#[command(next_help_heading = "Of a mesh")]
pub struct MeshFlags {
    /// Young's modulus [default: 1 MPa]
    #[arg(long, value_parser = pressure, allow_negative_numbers = true)]
    pub young: Option<f64>,
    /// Poisson's ratio [default: 0.45]
    #[arg(long, allow_negative_numbers = true)]
    pub poisson: Option<f64>,
    /// Density [default: 1000 kg/m^3]
    #[arg(long, value_parser = density, allow_negative_numbers = true)]
    pub density: Option<f64>,
    /// What is fixed: a vertex set of the mesh, a .bou file, or a side (x-min, x-max, …); may be repeated
    #[arg(long, value_name = "SET")]
    pub fix: Vec<String>,
    /// Element [default: the plain one for the cells], see 'pliant list elements'
    #[arg(long)]
    pub element: Option<String>,
    /// The same as --mass lumped
    #[arg(long, hide = true, conflicts_with = "mass")]
    pub lumped: bool,
}

/// Reads how mass is spread.
fn mass(text: &str) -> Result<MassKind, String> {
    let known = MassKind::NAMES.into_iter().find(|(name, _)| *name == text);
    known.map(|(_, kind)| kind).ok_or_else(|| "known are lumped and consistent".to_owned())
}

impl MeshFlags {
    /// The first flag that was given, if one was.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--young", self.young.is_some()),
            ("--poisson", self.poisson.is_some()),
            ("--density", self.density.is_some()),
            ("--fix", !self.fix.is_empty()),
            ("--element", self.element.is_some()),
            ("--lumped", self.lumped),
        ];
        flags.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

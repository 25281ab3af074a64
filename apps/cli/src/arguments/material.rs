//! Flags of `pliant material`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use pliant::materials::homogeneous::Experiment;

use super::{frequency, pressure, time};

/// `pliant material …`
#[derive(Debug, Subcommand)]
pub enum MaterialCommand {
    /// Stress of laws in a uniaxial, biaxial, shear or volumetric test
    #[command(after_help = "\
Examples:
  pliant material curve neo-hookean st-venant-kirchhoff corotational --out curves.svg
  pliant material curve mooney-rivlin --test shear --young \"30 kPa\" --json")]
    Curve(CurveFlags),
    /// Relaxation times and moduli from a constant quality factor or from measured data
    #[command(after_help = "\
Examples:
  pliant material fit --q 4.8 --modulus \"2.5 kPa\" --at \"2 Hz\" --out liver.svg
  pliant material fit --q 4.8 --modulus 2500 --at 2 --from 0.1 --to \"10 kHz\" --terms 7 --json
  pliant material fit relaxation.csv           columns: time, modulus
  pliant material fit sweep.csv --terms 3      columns: frequency, storage, loss
  pliant material fit ramp.csv --times 0.1 1   columns: time, strain, stress; given times

Columns are s, Hz and Pa, or as the header says: 'time [ms], modulus [kPa]'. Terms are added to data until the next one would not lower the \
residual by 5 %.")]
    Fit(FitFlags),
}

/// Flags of `pliant material fit`.
#[derive(Debug, Args)]
pub struct FitFlags {
    /// Measured data (.csv), in place of a quality factor
    #[arg(value_name = "DATA", required_unless_present = "q", conflicts_with_all = ["q", "modulus", "at", "from", "to"])]
    pub data: Option<PathBuf>,
    /// Quality factor, the same at all frequencies: storage over loss modulus
    #[arg(long, requires = "modulus", requires = "at", allow_negative_numbers = true)]
    pub q: Option<f64>,
    /// Absolute value of the complex modulus at the frequency --at (not the storage modulus)
    #[arg(long, value_parser = pressure, requires = "q", allow_negative_numbers = true)]
    pub modulus: Option<f64>,
    /// Frequency at which the modulus is given
    #[arg(long, value_parser = frequency, requires = "q", allow_negative_numbers = true)]
    pub at: Option<f64>,
    /// Lowest frequency of the fit
    #[arg(long, value_parser = frequency, requires = "q", default_value = "0.1 Hz", allow_negative_numbers = true)]
    pub from: f64,
    /// Highest frequency of the fit
    #[arg(long, value_parser = frequency, requires = "q", default_value = "100 Hz", allow_negative_numbers = true)]
    pub to: f64,
    /// Number of terms, 1 to 16 (for data: the most) [default: for a quality factor, five over three decades]
    #[arg(long, value_name = "N")]
    pub terms: Option<usize>,
    /// Given relaxation times, for data
    #[arg(long, value_parser = time, num_args = 1.., conflicts_with_all = ["q", "terms"])]
    pub times: Vec<f64>,
    /// Draw modulus and quality factor over frequency (.svg)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Flags of `pliant material curve`.
#[derive(Debug, Args)]
pub struct CurveFlags {
    /// Laws, see 'pliant list materials'
    #[arg(required = true, value_name = "LAW")]
    pub materials: Vec<String>,
    /// Which test
    #[arg(long, value_enum, default_value_t = LaboratoryTest::Uniaxial)]
    pub test: LaboratoryTest,
    /// First and last stretch, or amount of shear
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], allow_negative_numbers = true)]
    pub range: Option<Vec<f64>>,
    /// Young's modulus
    #[arg(long, value_parser = pressure, default_value = "1 MPa", allow_negative_numbers = true)]
    pub young: f64,
    /// Poisson's ratio
    #[arg(long, default_value_t = 0.45, allow_negative_numbers = true)]
    pub poisson: f64,
    /// Continue the laws to inverted elements
    #[arg(long)]
    pub invertible: bool,
    /// Draw the curves (.svg)
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// The standard material tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LaboratoryTest {
    /// Pulled along one axis, free across it
    Uniaxial,
    /// Pulled along two axes, free along the third
    Biaxial,
    /// Simple shear
    Shear,
    /// Scaled along all axes
    Volumetric,
}

impl LaboratoryTest {
    /// As the library calls it.
    pub fn experiment(self) -> Experiment {
        match self {
            Self::Uniaxial => Experiment::Uniaxial,
            Self::Biaxial => Experiment::Biaxial,
            Self::Shear => Experiment::Shear,
            Self::Volumetric => Experiment::Volumetric,
        }
    }
}

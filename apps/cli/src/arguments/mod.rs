//! The command line as plain values. No logic here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pliant_units::{Dimension, parse};

mod bench;
mod material;
mod mesh;

pub use bench::{
    AutoBenchFlags, BenchCommand, BenchRunFlags, ContactBenchFlags, MaterialFlags, StepFlags,
    TablesCommand, ViewBenchFlags,
};
pub use material::{CurveFlags, FitFlags, LaboratoryTest, MaterialCommand};
pub use mesh::{CellChange, ColourBy, GmshVersion, MeshCommand, Reorder, WriteFlags};

/// A simulator for deformable bodies.
///
/// Bring a mesh, or the surface of one; Pliant checks it, fills it, and moves it.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  pliant view                                  a soft creature to pull at, in the browser
  pliant run                                   a soft creature lands: report, frames, history
  pliant mesh make bar bar.vtu                 a bar of tetrahedra, ready to open in ParaView
  pliant mesh fill dragon.obj --size 0.02 dragon.veg
  pliant mesh check dragon.veg")]
pub struct Arguments {
    /// Flags that every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Heading of the flags that every command takes.
const EVERYWHERE: &str = "Everywhere";

/// Flags that every command takes, before or after its name.
#[derive(Debug, Args)]
pub struct Global {
    /// Threads to use [default: all cores]
    #[arg(long, global = true, value_name = "N", help_heading = EVERYWHERE)]
    pub threads: Option<usize>,
    /// Print the result as exactly one JSON document
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// No progress, no warnings
    #[arg(long, short, global = true, help_heading = EVERYWHERE)]
    pub quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene: report, frames, history and a summary in a folder
    #[command(after_help = "\
Examples:
  pliant run                                   a built-in scene
  pliant run jelly --set time.end=0.5 --set body.jelly.material.young=\"20 kPa\"
  pliant run scene.toml --out results
  pliant run --resume results                  go on after Ctrl-C or a crash
  pliant run --resume results --set time.end=2 give the run a later end

One run at a time writes to a folder. The folder keeps the scene: a run goes on even if its file has gone or changed. \
SIGTERM ends a run as Ctrl-C does: the step is finished, and all that there is is written.")]
    Run(crate::run::RunFlags),
    /// Watch, drag and change a scene on a page of this machine while it runs
    #[command(after_help = "\
The page is served on 127.0.0.1 alone, at an address with a secret in it that is printed on standard error, and needs \
no network. Ctrl-C ends.

Examples:
  pliant view                                  a soft creature to pull at
  pliant view scene.toml --set time.step=0.005
  pliant view --port 8000 --no-open            print the address only
  pliant view jelly --record jelly.glb --seconds 3")]
    View(crate::view::ViewFlags),
    /// Look at a scene before it is run: overlaps of bodies, and other things that would stop or spoil a run
    #[command(after_help = "\
Exit status 1 if bodies overlap or the run would be refused.

Examples:
  pliant check scene.toml
  pliant check scene.toml --json | jq '.overlaps[] | [.bodies, .depth]'")]
    Check(crate::check::CheckFlags),
    /// Compare integrators, steps, solvers, meshes or any key of a scene: errors, costs, orders
    #[command(after_help = "\
All combinations are run, side by side on all cores with one thread each. What is finished is kept: the same command \
goes on after it was stopped, and runs of values that are added later are added.

Examples:
  pliant compare bar --integrators backward-euler,implicit-midpoint --steps 0.02,0.01,0.005
  pliant compare scene.toml --solvers cholesky,cg --vary body.bar.mesh.across=4,8 --out study
  pliant compare bar --steps 0.02,0.01 --reference rk4@1e-5 --json | jq '.rows[] | [.step, .error]'")]
    Compare(crate::study::CompareFlags),
    /// Run what a source claims, with its numbers beside ours; without a name, list what there is
    #[command(after_help = "\
The status is 1 where the claim does not hold.

Examples:
  pliant study                              what there is
  pliant study virtis-5.6                   a dropped sphere, each mode of contact beside the thesis
  pliant study zhuang-canny-12 --json | jq .holds")]
    Study(crate::study::StudyFlags),
    /// Refine step and mesh of a scene: observed orders, and how far its probes are from their limits
    #[command(after_help = "\
Each level halves the step or divides all cells into eight. Three levels give an order and an error by Richardson's \
extrapolation, four confirm them; a sequence that is not in its asymptotic range, or has an order that no theory has, is \
said to be so, and gets neither.

Examples:
  pliant converge bar --steps-only
  pliant converge hanging-cube --mesh-only --levels 4 --json")]
    Converge(crate::study::ConvergeFlags),
    /// Make the report of a run anew, from what its folder holds
    #[command(after_help = "Example:\n  pliant run jelly --out jelly\n  pliant report jelly")]
    Report {
        /// The --out folder of a run
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Translate a configuration of Vega's interactive simulator to a scene
    #[command(after_help = "Example:\n  pliant import turtle.config -o turtle.toml")]
    Import {
        /// The .config file
        file: PathBuf,
        /// The scene to write
        #[arg(long, short, value_name = "SCENE")]
        out: PathBuf,
    },
    /// Write f, K, M and D of a scene, at its start or in a state that a run has saved
    #[command(after_help = "\
Rows are x, y, z of vertex after vertex, body after body, as the meshes number them. Constraints are not applied.

Examples:
  pliant matrices bar --out bar-matrices
  pliant matrices bar --format npz --out bar-matrices     scipy.sparse.load_npz('bar-matrices/K.npz')
  pliant matrices --state bar-out --out later             the last checkpoint of a run")]
    Matrices(crate::run::MatricesFlags),
    /// Print the JSON Schema of scene files, for editors that complete and check them
    #[command(after_help = "\
Editors with Taplo (Even Better TOML) take it from the first line of a scene:
  #:schema ./scene.schema.json

Example:
  pliant scene-schema > scene.schema.json")]
    SceneSchema,
    /// Make, fill, check, convert and draw meshes
    #[command(arg_required_else_help = true)]
    Mesh {
        /// What to do with the mesh.
        #[command(subcommand)]
        command: MeshCommand,
    },
    /// Measure this machine and Pliant on it
    #[command(arg_required_else_help = true)]
    Bench {
        /// What to measure.
        #[command(subcommand)]
        command: BenchCommand,
    },
    /// Natural frequencies and shapes of a mesh, or of all bodies of a scene
    #[command(after_help = "\
A free body has six rigid motions of frequency 0, which come first and count. Shapes are written as .vtu, one a \
mode, with a series modes.pvd; in ParaView, warp by the vector 'shape', or play the frames that --frames writes.

A scene has its own materials, supports, attachments and masses (at the vertices, as steps are made with); its \
modes are those about the state of rest. Its shapes are called NAME-mode-001.vtu, for each body.

Examples:
  pliant mesh make bar bar.vtu
  pliant modes bar.vtu --count 12
  pliant modes bar.vtu --fix x-min --young \"2 MPa\" --poisson 0.3 --out shapes --json
  pliant modes bridge --count 6 --out shapes --frames 20")]
    Modes(crate::modes::ModesFlags),
    /// Compute problems with known answers, and compare
    #[command(after_help = "\
Exit status 1 if something fails. The problems, their sources and tolerances are those of the book.

Examples:
  pliant verify
  pliant verify --only hanging-block --only nafems-le1
  pliant verify --all --json | jq '.rows[] | select(.pass | not)'")]
    Verify(VerifyFlags),
    /// Look at constitutive laws
    #[command(arg_required_else_help = true)]
    Material {
        /// What to do.
        #[command(subcommand)]
        command: MaterialCommand,
    },
    /// Names that commands and scenes take: materials, elements, solvers, …
    #[command(after_help = "\
Examples:
  pliant list
  pliant list materials --json | jq -r '.materials[].name'")]
    List {
        /// Which names [default: all]
        topic: Option<ListTopic>,
    },
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  pliant completions bash > /etc/bash_completion.d/pliant")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// What there are names of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListTopic {
    /// Constitutive laws
    Materials,
    /// Tissues with published constants
    Tissues,
    /// Finite elements
    Elements,
    /// Linear solvers
    Solvers,
    /// Preconditioners of iterative solvers
    Preconditioners,
    /// Orderings of direct solvers
    Orderings,
    /// Integrators, for motion
    Integrators,
    /// Methods that find a state of rest
    StaticMethods,
    /// Formats of frames
    Formats,
    /// Built-in scenes
    Scenes,
}

impl ListTopic {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Scenes,
        Self::Materials,
        Self::Tissues,
        Self::Elements,
        Self::Integrators,
        Self::StaticMethods,
        Self::Solvers,
        Self::Preconditioners,
        Self::Orderings,
        Self::Formats,
    ];

    /// As it is called on the command line and in JSON.
    pub fn title(self) -> &'static str {
        match self {
            Self::Materials => "materials",
            Self::Tissues => "tissues",
            Self::Elements => "elements",
            Self::Solvers => "solvers",
            Self::Preconditioners => "preconditioners",
            Self::Orderings => "orderings",
            Self::Integrators => "integrators",
            Self::StaticMethods => "static-methods",
            Self::Formats => "formats",
            Self::Scenes => "scenes",
        }
    }
}

/// Flags of `pliant verify`.
#[derive(Debug, Args)]
pub struct VerifyFlags {
    /// Those that take minutes too
    #[arg(long)]
    pub all: bool,
    /// Only this problem; may be repeated
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// Write all rows as a page (.html)
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
}

/// A length with or without a unit, for clap.
pub fn length(text: &str) -> Result<f64, String> {
    parse(text, Dimension::LENGTH).map_err(|e| e.to_string())
}

/// A time with or without a unit, for clap.
pub fn time(text: &str) -> Result<f64, String> {
    parse(text, Dimension::TIME).map_err(|e| e.to_string())
}

/// A pressure with or without a unit, for clap.
pub fn pressure(text: &str) -> Result<f64, String> {
    parse(text, Dimension::PRESSURE).map_err(|e| e.to_string())
}

/// A frequency with or without a unit, for clap.
pub fn frequency(text: &str) -> Result<f64, String> {
    parse(text, Dimension::FREQUENCY).map_err(|e| e.to_string())
}

/// A density with or without a unit, for clap.
pub fn density(text: &str) -> Result<f64, String> {
    parse(text, Dimension::DENSITY).map_err(|e| e.to_string())
}

/// An angle with or without a unit, for clap.
pub fn angle(text: &str) -> Result<f64, String> {
    parse(text, Dimension::ANGLE).map_err(|e| e.to_string())
}

//! The command line as plain values. No logic here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pliant::materials::homogeneous::Experiment;
use pliant_units::{Dimension, parse};

use crate::mesh::make::MakeCommand;

/// A simulator for deformable bodies.
///
/// Bring a mesh, or the surface of one; Pliant checks it, fills it, and moves it.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  pliant run                                   a soft creature lands: frames, history, summary
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
    /// Run a scene: frames, history and a summary in a folder
    #[command(after_help = "\
Examples:
  pliant run                                   a built-in scene
  pliant run jelly --set time.end=0.5 --set body.jelly.material.young=\"20 kPa\"
  pliant run scene.toml --out results
  pliant run --resume results                  go on after Ctrl-C or a crash")]
    Run(crate::run::RunFlags),
    /// Translate a configuration of Vega's interactive simulator to a scene
    #[command(after_help = "Example:\n  pliant import turtle.config -o turtle.toml")]
    Import {
        /// The .config file
        file: PathBuf,
        /// The scene to write
        #[arg(long, short, value_name = "SCENE")]
        out: PathBuf,
    },
    /// Write f, K, M and D of a scene's first state as Matrix Market files
    #[command(after_help = "Example:\n  pliant matrices bar --out bar-matrices")]
    Matrices {
        /// A scene file, or the name of a built-in scene
        scene: Option<String>,
        /// Folder for f.mtx, K.mtx, M.mtx, D.mtx
        #[arg(long, short, value_name = "DIR")]
        out: PathBuf,
        /// Override a key of the scene
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
    },
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
    /// Natural frequencies and shapes of a body, free or fixed
    #[command(after_help = "\
A free body has six rigid motions of frequency 0, which come first and count. Shapes are written as .vtu, one a \
mode, with a series modes.pvd; in ParaView, warp by the vector 'shape'.

Examples:
  pliant mesh make bar bar.vtu
  pliant modes bar.vtu --count 12
  pliant modes bar.vtu --fix x-min --young \"2 MPa\" --poisson 0.3 --out shapes --json")]
    Modes(ModesFlags),
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
    /// Built-in scenes
    Scenes,
}

impl ListTopic {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Scenes,
        Self::Materials,
        Self::Elements,
        Self::Integrators,
        Self::StaticMethods,
        Self::Solvers,
        Self::Preconditioners,
        Self::Orderings,
    ];

    /// As it is called on the command line and in JSON.
    pub fn title(self) -> &'static str {
        match self {
            Self::Materials => "materials",
            Self::Elements => "elements",
            Self::Solvers => "solvers",
            Self::Preconditioners => "preconditioners",
            Self::Orderings => "orderings",
            Self::Integrators => "integrators",
            Self::StaticMethods => "static-methods",
            Self::Scenes => "scenes",
        }
    }
}

/// Flags of `pliant modes`.
#[derive(Debug, Args)]
pub struct ModesFlags {
    /// The volume mesh, in metres
    pub mesh: PathBuf,
    /// How many, the lowest first; rigid motions count
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub count: usize,
    /// Young's modulus
    #[arg(long, value_parser = pressure, default_value = "1 MPa", allow_negative_numbers = true)]
    pub young: f64,
    /// Poisson's ratio
    #[arg(long, default_value_t = 0.45, allow_negative_numbers = true)]
    pub poisson: f64,
    /// Density
    #[arg(long, value_parser = density, default_value = "1000 kg/m^3", allow_negative_numbers = true)]
    pub density: f64,
    /// What is fixed: a vertex set of the mesh, a .bou file, or a side (x-min, x-max, …); may be repeated
    #[arg(long, value_name = "SET")]
    pub fix: Vec<String>,
    /// Element [default: the plain one for the cells], see 'pliant list elements'
    #[arg(long)]
    pub element: Option<String>,
    /// Masses at the vertices in place of the consistent mass
    #[arg(long)]
    pub lumped: bool,
    /// Write the shapes here
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
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
}

/// `pliant material …`
#[derive(Debug, Subcommand)]
pub enum MaterialCommand {
    /// Stress of laws in a uniaxial, biaxial, shear or volumetric test
    #[command(after_help = "\
Examples:
  pliant material curve neo-hookean st-venant-kirchhoff corotational --out curves.svg
  pliant material curve mooney-rivlin --test shear --young \"30 kPa\" --json")]
    Curve(CurveFlags),
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

/// The tests of the laboratory.
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

/// A material for a benchmark.
#[derive(Debug, Args)]
pub struct MaterialFlags {
    /// Its law, see 'pliant list materials'
    #[arg(long, value_name = "LAW", default_value = "neo-hookean")]
    pub material: String,
    /// Young's modulus
    #[arg(long, value_parser = pressure, default_value = "1 MPa", allow_negative_numbers = true)]
    pub young: f64,
    /// Poisson's ratio
    #[arg(long, default_value_t = 0.45, allow_negative_numbers = true)]
    pub poisson: f64,
    /// Continue the law to inverted elements
    #[arg(long)]
    pub invertible: bool,
}

/// Flags of `pliant bench step`.
#[derive(Debug, Args)]
pub struct StepFlags {
    /// The mesh; it is scaled to 1 m, and the first 1 % of its longest extent is fixed
    #[arg(long)]
    pub mesh: PathBuf,
    /// The material; density 1000 kg/m³
    #[command(flatten)]
    pub material: MaterialFlags,
    /// Integrator, see 'pliant list integrators'
    #[arg(long, default_value = "backward-euler")]
    pub integrator: String,
    /// Linear solver of implicit methods, see 'pliant list solvers'
    #[arg(long, default_value = "auto")]
    pub solver: String,
    /// Preconditioner of an iterative solver
    #[arg(long)]
    pub preconditioner: Option<String>,
    /// Length of a step
    #[arg(long, value_parser = time, default_value = "10 ms", allow_negative_numbers = true)]
    pub step: f64,
    /// How many steps
    #[arg(long, default_value_t = 100)]
    pub steps: usize,
    /// Newton ends when the residual is this part of the forces
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Newton iterations a step at most; 1 is the semi-implicit method, with systems solved to 1e-6
    #[arg(long, value_name = "N")]
    pub newton: Option<usize>,
    /// Do not measure the limits of the machine, which takes seconds and 2 GB
    #[arg(long)]
    pub no_machine: bool,
}

/// `pliant mesh …`
#[derive(Debug, Subcommand)]
pub enum MeshCommand {
    /// Counts, size, volume, regions and quality of a mesh
    #[command(after_help = "\
Examples:
  pliant mesh info turtle.veg
  pliant mesh info turtle.veg --json | jq .volume")]
    Info {
        /// Volume mesh (.veg .msh .vtu .vtk .mesh .node .ele) or surface (.obj .stl .ply)
        file: PathBuf,
    },
    /// Find what is wrong with a mesh, and repair what can be repaired safely
    #[command(after_help = "\
Exit status 0 if the mesh can be simulated, 1 if not; hints tell what to do.

Examples:
  pliant mesh check scan.stl
  pliant mesh check body.msh --fix body-fixed.msh")]
    Check {
        /// Volume mesh or surface
        file: PathBuf,
        /// Write a repaired mesh here
        #[arg(long, value_name = "OUT")]
        fix: Option<PathBuf>,
        /// Smallest dihedral angle, in degrees, below which a cell counts as a sliver
        #[arg(long, value_name = "DEGREES", default_value_t = 5.0)]
        sliver: f64,
    },
    /// Convert between formats, chosen by the files' extensions
    #[command(after_help = "\
Formats: .veg, .msh (Gmsh 2.2 and 4.1), .vtu, .vtk, .mesh (MEDIT), .node/.ele (TetGen); surfaces \
.obj, .stl, .ply; vertex lists .bou. What a format cannot hold is named in a warning.

Examples:
  pliant mesh convert turtle.veg turtle.vtu
  pliant mesh convert part.msh part.veg --scale 0.001        millimetres to metres
  pliant mesh convert brick.veg brick.msh --cells tet6 --format-version 2.2 --ascii
  pliant mesh convert body.msh fixed.bou --set clamp         a vertex set as Vega's list")]
    Convert {
        /// The mesh to read
        input: PathBuf,
        /// The file to write
        output: PathBuf,
        /// How to write it
        #[command(flatten)]
        write: WriteFlags,
        /// Multiply all coordinates
        #[arg(long, value_name = "FACTOR")]
        scale: Option<f64>,
        /// Change the kind of cell: hexahedra into tetrahedra, or tetrahedra linear / quadratic
        #[arg(long, value_name = "KIND")]
        cells: Option<CellChange>,
        /// Renumber vertices and cells for locality
        #[arg(long, value_name = "ORDER")]
        reorder: Option<Reorder>,
        /// The vertex set to write, for a .bou output
        #[arg(long, value_name = "NAME")]
        set: Option<String>,
        /// Add a vertex set from a .bou file
        #[arg(long, value_name = "NAME=FILE")]
        add_set: Vec<String>,
    },
    /// Make a mesh from a few numbers
    #[command(arg_required_else_help = true)]
    Make {
        /// The shape.
        #[command(subcommand)]
        shape: MakeCommand,
    },
    /// Fill a closed surface with tetrahedra
    #[command(after_help = "\
Isosurface stuffing (Labelle and Shewchuk 2007): a body-centred cubic lattice warped to the \
surface. Small holes, self-intersections and doubled or inverted patches are survived: a point is \
inside by its winding number.

Examples:
  pliant mesh fill dragon.obj --size 0.02 dragon.veg
  pliant mesh fill part.stl --size \"2 mm\" --grade part.msh")]
    Fill {
        /// The surface (.obj .stl .ply)
        surface: PathBuf,
        /// The volume mesh to write
        output: PathBuf,
        /// Edge length of the tetrahedra at the surface, in the surface's unit (default: longest extent / 30)
        #[arg(long, value_name = "LENGTH", value_parser = length, allow_negative_numbers = true)]
        size: Option<f64>,
        /// Let the tetrahedra grow towards the inside: how often their size may double
        #[arg(long, value_name = "TIMES", num_args = 0..=1, default_missing_value = "2", require_equals = true)]
        grade: Option<u32>,
        /// How to write it
        #[command(flatten)]
        write: WriteFlags,
    },
    /// Split every cell into eight
    #[command(after_help = "Example:\n  pliant mesh refine coarse.veg fine.veg --levels 2")]
    Refine {
        /// The mesh to read
        input: PathBuf,
        /// The file to write
        output: PathBuf,
        /// How often
        #[arg(long, value_name = "N", default_value_t = 1)]
        levels: u32,
        /// How to write it
        #[command(flatten)]
        write: WriteFlags,
    },
    /// The boundary of a volume mesh as a surface
    #[command(after_help = "Example:\n  pliant mesh surface turtle.veg turtle-boundary.obj")]
    Surface {
        /// The volume mesh
        input: PathBuf,
        /// The surface to write (.obj .stl .ply)
        output: PathBuf,
        /// How to write it
        #[command(flatten)]
        write: WriteFlags,
    },
    /// Bind a surface to a volume mesh, for display: barycentric or trilinear weights
    #[command(after_help = "Example:\n  pliant mesh embed turtle.veg turtle.obj turtle.interp")]
    Embed {
        /// The volume mesh that is simulated
        volume: PathBuf,
        /// The surface that is shown
        surface: PathBuf,
        /// The weights to write (.interp)
        output: PathBuf,
    },
    /// Draw a mesh: surface, cut, quality
    #[command(after_help = "\
Examples:
  pliant mesh draw turtle.veg turtle.svg
  pliant mesh draw dragon.veg dragon.png --cut x=0.5 --colour quality --from 1,0.4,1")]
    Draw {
        /// Volume mesh or surface
        file: PathBuf,
        /// The picture (.svg with legend and histogram, .png without)
        output: PathBuf,
        /// Show only what lies below a plane, at a fraction of the extent: x=0.5, y=0.3, z=0.7
        #[arg(long, value_name = "AXIS=FRACTION")]
        cut: Option<String>,
        /// What the colours show
        #[arg(long, value_name = "WHAT", default_value = "plain")]
        colour: ColourBy,
        /// The side from which the camera looks
        #[arg(
            long,
            value_name = "X,Y,Z",
            default_value = "0.7,0.45,1",
            allow_hyphen_values = true
        )]
        from: String,
        /// Leave the mesh lines out and shade smoothly
        #[arg(long)]
        no_lines: bool,
        /// Width and height in pixels
        #[arg(long, num_args = 2, value_names = ["W", "H"], default_values_t = [900, 700])]
        pixels: Vec<usize>,
    },
}

/// Heading of the flags that say how a file is written.
const WRITTEN: &str = "The file written";

/// How a mesh file is written.
#[derive(Debug, Clone, Default, Args)]
pub struct WriteFlags {
    /// Numbers as text, where the format has both (.msh .vtu .vtk .stl .ply)
    #[arg(long, help_heading = WRITTEN, conflicts_with = "binary")]
    pub ascii: bool,
    /// Numbers in binary, where the format has both (the default)
    #[arg(long, help_heading = WRITTEN)]
    pub binary: bool,
    /// Version of the .msh format
    #[arg(long, help_heading = WRITTEN, value_name = "VERSION")]
    pub format_version: Option<GmshVersion>,
    /// Binary .vtu without zlib
    #[arg(long, help_heading = WRITTEN)]
    pub no_compress: bool,
    /// First index of TetGen files
    #[arg(long, help_heading = WRITTEN, value_name = "0|1", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    pub base: u8,
}

/// Versions of the `.msh` format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GmshVersion {
    /// Read by everything
    #[value(name = "2.2")]
    V22,
    /// The current one, which keeps cell sets (the default)
    #[value(name = "4.1")]
    V41,
}

/// Changes of the kind of cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CellChange {
    /// Each hexahedron into five tetrahedra
    Tet5,
    /// Each hexahedron into six tetrahedra
    Tet6,
    /// Tetrahedra with middle nodes
    Tet10,
    /// Tetrahedra without middle nodes
    Tet4,
}

/// Orders of vertices and cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Reorder {
    /// Along a Hilbert curve
    Hilbert,
    /// Reverse Cuthill-McKee: a small bandwidth
    Rcm,
}

/// What colours show in a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColourBy {
    /// One colour
    Plain,
    /// Smallest dihedral angle of each cell (scaled Jacobian for hexahedra)
    Quality,
    /// The region of each cell
    Region,
}

/// `pliant bench …`
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Memory bandwidth and arithmetic of this machine
    Machine,
    /// Energy, force and stiffness of a body with a 90° twist and 10 % stretch
    #[command(after_help = "\
Examples:
  pliant mesh make bar --cells 30 30 15 bar.vtu
  pliant bench assembly --mesh bar.vtu --material neo-hookean --threads 1 --json
  pliant bench assembly --mesh bar.vtu --material mass-spring")]
    Assembly {
        /// The mesh; it is scaled to 1 m
        #[arg(long)]
        mesh: PathBuf,
        /// The material
        #[command(flatten)]
        material: MaterialFlags,
        /// Element [default: the plain one for the cells], see 'pliant list elements'
        #[arg(long)]
        element: Option<String>,
        /// Project each element's stiffness to positive semi-definite
        #[arg(long)]
        project: bool,
    },
    /// One linear system M + H²K: analysis, factorisation, solution
    #[command(after_help = "\
Examples:
  pliant bench solve --mesh bar.vtu --solver cholesky --ordering metis --json
  pliant bench solve --mesh bar.vtu --solver cg --preconditioner ic0 --step \"10 ms\"")]
    Solve {
        /// The mesh; it is scaled to 1 m, and the first 1 % of its longest extent is fixed
        #[arg(long)]
        mesh: PathBuf,
        /// The material; density 1000 kg/m³
        #[command(flatten)]
        material: MaterialFlags,
        /// Solver, see 'pliant list solvers'
        #[arg(long, default_value = "auto")]
        solver: String,
        /// Preconditioner of an iterative solver
        #[arg(long)]
        preconditioner: Option<String>,
        /// Ordering of a direct solver
        #[arg(long)]
        ordering: Option<String>,
        /// Time step H
        #[arg(long, value_parser = time, default_value = "10 ms", allow_negative_numbers = true)]
        step: f64,
        /// Relative residual at which iterations stop
        #[arg(long, default_value_t = 1e-6, allow_negative_numbers = true)]
        tolerance: f64,
        /// Write the matrix (Matrix Market)
        #[arg(long, value_name = "FILE")]
        save_matrix: Option<PathBuf>,
        /// Do not measure the limits of the machine, which takes seconds and 2 GB
        #[arg(long)]
        no_machine: bool,
    },
    /// Steps of a body under gravity from rest: the mean of 100
    #[command(after_help = "\
Examples:
  pliant bench step --mesh bar.vtu --integrator backward-euler --json
  pliant bench step --mesh bar.vtu --solver cg --preconditioner ic0 --newton 1")]
    Step(StepFlags),
    /// All orderings of a Cholesky factor: fill, operations, times
    #[command(after_help = "\
Examples:
  pliant bench orderings --mesh bar.vtu
  pliant bench orderings --mesh bar.vtu --draw factors.svg --json")]
    Orderings {
        /// The mesh; it is scaled to 1 m, and the first 1 % of its longest extent is fixed
        #[arg(long)]
        mesh: PathBuf,
        /// The material; density 1000 kg/m³
        #[command(flatten)]
        material: MaterialFlags,
        /// Draw the pattern of L for each (.svg)
        #[arg(long, value_name = "FILE")]
        draw: Option<PathBuf>,
    },
    /// Published tables on solvers, the paper's column beside ours
    #[command(arg_required_else_help = true)]
    Tables {
        /// Whose.
        #[command(subcommand)]
        command: TablesCommand,
    },
    /// Reading a mesh of a million tetrahedra, against reading and splitting its numbers
    MeshRead {
        /// How many tetrahedra, about
        #[arg(long, default_value_t = 1_000_000)]
        cells: usize,
        /// Time this file instead of generated ones
        #[arg(long)]
        file: Option<PathBuf>,
    },
    /// Filling a closed surface of about 70,000 triangles with about 100,000 tetrahedra
    Fill {
        /// Edge length of the tetrahedra; the surface is about 2 m wide
        #[arg(long)]
        size: Option<f64>,
    },
}

/// `pliant bench tables …`
#[derive(Debug, Subcommand)]
pub enum TablesCommand {
    /// Orderings of hexahedral blocks: Zhuang and Canny, Real-time Global Deformations, tables 1 and 2
    #[command(after_help = "\
Their matrices hold fewer entries than full 3x3 blocks, so ratios between orderings are compared, with modified \
nested dissection as 1.

Example:
  pliant bench tables zhuang-canny --threads 1")]
    ZhuangCanny {
        /// Leave out blocks with more unknowns
        #[arg(long, value_name = "UNKNOWNS", default_value_t = usize::MAX, hide_default_value = true)]
        largest: usize,
    },
    /// Direct and iterative solvers: Hauth, Visual Simulation of Deformable Models, tables 3.3, 3.4 and 3.5
    #[command(after_help = "\
Bodies of about his sizes; material and step of his systems are not known, so compare ratios within a table.

Example:
  pliant bench tables virtis --threads 1")]
    Virtis {
        /// Leave out bodies with more unknowns
        #[arg(long, value_name = "UNKNOWNS", default_value_t = usize::MAX, hide_default_value = true)]
        largest: usize,
        /// The material; density 1000 kg/m³
        #[command(flatten)]
        material: MaterialFlags,
        /// Time step H
        #[arg(long, value_parser = time, default_value = "10 ms", allow_negative_numbers = true)]
        step: f64,
    },
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

/// A density with or without a unit, for clap.
pub fn density(text: &str) -> Result<f64, String> {
    parse(text, Dimension::DENSITY).map_err(|e| e.to_string())
}

/// An angle with or without a unit, for clap.
pub fn angle(text: &str) -> Result<f64, String> {
    parse(text, Dimension::ANGLE).map_err(|e| e.to_string())
}

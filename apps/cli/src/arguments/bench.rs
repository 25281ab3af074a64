//! The command line of `pliant bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{pressure, time};

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
    /// The stiffness of a body, assembled and as compressed rows (CSR) in the numbering of its mesh
    #[command(after_help = "\
Examples:
  pliant mesh make bar --cells 50 50 25 bar.vtu
  pliant bench matrices --mesh bar.vtu --json")]
    Matrices {
        /// The mesh; it is scaled to 1 m
        #[arg(long)]
        mesh: PathBuf,
        /// The material
        #[command(flatten)]
        material: MaterialFlags,
        /// Element [default: the plain one for the cells], see 'pliant list elements'
        #[arg(long)]
        element: Option<String>,
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
    /// What solver 'auto' chooses, beside every solver that could be named
    #[command(after_help = "\
Thirty bodies that hang from one end under gravity, and ten that the choice was not tuned on: steps of 1 to 40 ms in a run of a hundred, \
and states of rest with all that they take.

Examples:
  pliant bench auto --only 1 --only 21
  pliant bench auto --held-out --json")]
    Auto(AutoBenchFlags),
    /// Whole steps of bodies that touch, as 'pliant run' and 'pliant view' take them
    #[command(after_help = "\
idle: what contact costs where nothing touches; piles: blocks on each other, on one thread and on all; page: two soft bodies; \
growth: two slabs on each other, with more and more triangles; table: iterations and time of each linear solver and of each barrier.

Examples:
  pliant bench contact --only piles
  pliant bench contact --only growth --triangles 16000 --json")]
    Contact(ContactBenchFlags),
    /// A body dragged on the page of 'pliant view': speed, latency, and how large it may be
    #[command(after_help = "\
Speed is that of steps with their frames, Newton's method to 1e-3, while a hand pulls; latency is from a move of the hand to the frame \
that shows it, through the page's socket; the search finds for each material how many tetrahedra make 25 steps of 40 ms a second.

Examples:
  pliant bench view --json
  pliant bench view --cells 5000 --step \"10 ms\" --search neo-hookean,corotational")]
    View(ViewBenchFlags),
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
    /// What a run costs beside its steps: set-up, frames, and runs side by side
    #[command(after_help = "\
Example:
  pliant bench run --json
  pliant bench run --only setup --setup-cells 1000000")]
    Run(BenchRunFlags),
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
    /// Let it remember by so many Maxwell branches
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub memory: u32,
}

/// Flags of `pliant bench auto`.
#[derive(Debug, Args)]
pub struct AutoBenchFlags {
    /// The ten cases that the choice was not tuned on
    #[arg(long)]
    pub held_out: bool,
    /// Only cases of these numbers; may be repeated
    #[arg(long, value_name = "NUMBER")]
    pub only: Vec<usize>,
    /// Only this solver beside it, such as 'stale-cholesky'; may be repeated, and 'none' leaves all out
    #[arg(long, value_name = "NAME", value_parser = ["stale-cholesky", "cholesky", "multigrid", "eisenstat", "block-diagonal", "none"])]
    pub beside: Vec<String>,
    /// Named solvers that take longer a step, by the clock on the wall, are left out
    #[arg(long, default_value_t = 20.0, allow_negative_numbers = true)]
    pub seconds: f64,
}

/// Flags of `pliant bench contact`.
#[derive(Debug, Args)]
pub struct ContactBenchFlags {
    /// Only some of them; may be repeated
    #[arg(long, value_name = "NAME", value_parser = ["idle", "piles", "page", "growth", "table"])]
    pub only: Vec<String>,
    /// Tetrahedra of the bar that touches nothing, about
    #[arg(long, default_value_t = 15_000)]
    pub cells: usize,
    /// Triangles of the largest surfaces of 'growth', about
    #[arg(long, default_value_t = 100_000)]
    pub triangles: usize,
}

/// Flags of `pliant bench run`.
#[derive(Debug, Args)]
pub struct BenchRunFlags {
    /// Tetrahedra of the bar that runs, about
    #[arg(long, default_value_t = 15_000)]
    pub cells: usize,
    /// How long it runs, by the clock on the wall
    #[arg(long, default_value_t = 10.0, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Tetrahedra of the bar that is only set up, about
    #[arg(long, default_value_t = 1_000_000)]
    pub setup_cells: usize,
    /// Only some of them; may be repeated
    #[arg(long, value_name = "NAME", value_parser = ["outside", "frames", "setup", "compare"])]
    pub only: Vec<String>,
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

/// Flags of `pliant bench view`.
#[derive(Debug, Args)]
pub struct ViewBenchFlags {
    /// About how many tetrahedra the dragged bar has
    #[arg(long, default_value_t = 15_000)]
    pub cells: usize,
    /// Its law, see 'pliant list materials'
    #[arg(long, value_name = "LAW", default_value = "neo-hookean")]
    pub material: String,
    /// Length of a step
    #[arg(long, value_parser = time, default_value = "20 ms", allow_negative_numbers = true)]
    pub step: f64,
    /// Laws to find the largest bodies of; "" for none
    #[arg(
        long,
        value_name = "LAW,LAW",
        value_delimiter = ',',
        default_value = "linear,corotational,st-venant-kirchhoff,neo-hookean,stable-neo-hookean,mooney-rivlin,mass-spring"
    )]
    pub search: Vec<String>,
    /// Instead of all that, take the steps of this scene as the page does, to its end
    #[arg(long, value_name = "SCENE")]
    pub scene: Option<String>,
}

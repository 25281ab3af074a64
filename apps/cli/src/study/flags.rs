//! Flags of `pliant compare`, `pliant converge` and `pliant study`.

use std::path::PathBuf;

use clap::Args;

/// Flags of `pliant compare`.
#[derive(Debug, Args)]
pub struct CompareFlags {
    /// A scene file, or the name of a built-in scene
    pub scene: String,
    /// Integrators, separated by commas [default: that of the scene]
    #[arg(long, value_name = "NAMES")]
    pub integrators: Option<String>,
    /// Steps, separated by commas, as in 0.1,0.05 or "10 ms,5 ms" [default: that of the scene]
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true)]
    pub steps: Option<String>,
    /// Linear solvers, separated by commas [default: that of the scene]
    #[arg(long, value_name = "NAMES")]
    pub solvers: Option<String>,
    /// Any other key and its values, as in body.bar.mesh.across=2,4,8; may be repeated
    #[arg(long, value_name = "KEY=VALUES")]
    pub vary: Vec<String>,
    /// What errors are measured against [default: dormand-prince-853 with a tight tolerance where it can
    /// serve, else the best implicit method with an eighth of the shortest step]
    #[arg(long, value_name = "METHOD[@STEP]")]
    pub reference: Option<String>,
    /// Override a key of the scene in all runs
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Folder for results; runs that are in it already are not made again [default: NAME-compare]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Make all runs again, also those that are in the folder (after a mesh file has changed, say)
    #[arg(long)]
    pub again: bool,
}

/// Flags of `pliant converge`.
#[derive(Debug, Args)]
pub struct ConvergeFlags {
    /// A scene file, or the name of a built-in scene
    pub scene: String,
    /// How many refinements, the scene as it is included
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub levels: usize,
    /// Refine the step only
    #[arg(long, conflicts_with = "mesh_only")]
    pub steps_only: bool,
    /// Refine the mesh only
    #[arg(long)]
    pub mesh_only: bool,
    /// Override a key of the scene
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Flags of `pliant study`.
#[derive(Debug, Args)]
pub struct StudyFlags {
    /// The study; without one, all are listed
    pub name: Option<String>,
}

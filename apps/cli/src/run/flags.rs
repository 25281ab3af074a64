//! Flags of `pliant run`.

use std::path::PathBuf;

use clap::Args;

/// Flags of `pliant run`.
#[derive(Debug, Args)]
pub struct RunFlags {
    /// A scene file, or the name of a built-in scene, see 'pliant list scenes' [default: creature]
    pub scene: Option<String>,
    /// Folder for report, frames, history, checkpoints and summary [default: NAME-out]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Override a key of the scene, as in time.step=0.01 or body.bar.material.young="3 kPa"
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Go on with a run that was stopped, from its last checkpoint
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scene", "out", "set", "force"])]
    pub resume: Option<PathBuf>,
    /// Write into a folder that other files are in
    #[arg(long)]
    pub force: bool,
    /// Write no report.html
    #[arg(long)]
    pub no_report: bool,
}

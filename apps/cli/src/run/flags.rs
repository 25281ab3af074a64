//! Flags of `pliant run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

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
    /// Go on with a run that was stopped, from its last checkpoint; --set time.end=… gives it a later end
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scene", "out"])]
    pub resume: Option<PathBuf>,
    /// Take the steps of a page again, with what hands did there: FILE is what 'Input' of the page saves, or pliant view
    /// --record-input. SCENE, if given, is where its scene lies now; --set comes on top
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub replay: Option<PathBuf>,
    /// Write into a folder that other files are in, or the results of another scene; go on (--resume) though meshes have changed
    #[arg(long)]
    pub force: bool,
    /// Write no report.html
    #[arg(long)]
    pub no_report: bool,
}

/// Flags of `pliant matrices`.
#[derive(Debug, Args)]
pub struct MatricesFlags {
    /// A scene file, or the name of a built-in scene [default: that of --state, or creature]
    pub scene: Option<String>,
    /// Folder for f, K, M, D, x, v, what is held, and forces by model
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// How they are written
    #[arg(long, value_enum, default_value_t = MatrixFormat::Mtx)]
    pub format: MatrixFormat,
    /// The state: a run's folder or its checkpoint.bin, a frame .vtu (one for each body), or positions x.npy, of shape (n, 3) [default: that at the start]
    #[arg(long, value_name = "DIR|FILE")]
    pub state: Vec<PathBuf>,
    /// Velocities that go with --state x.npy, of shape (n, 3) [default: none]
    #[arg(long, value_name = "FILE")]
    pub velocity: Option<PathBuf>,
    /// The time of a state by .npy or .vtu, s, for loads and motions that change [default: that of the frame, or 0]
    #[arg(long, value_name = "SECONDS")]
    pub time: Option<f64>,
    /// With the stiffness of a long time in place of that at an instant, of materials that remember
    #[arg(long)]
    pub long_term: bool,
    /// Override a key of the scene
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// How matrices are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MatrixFormat {
    /// Matrix Market, text: K.mtx, M.mtx, D.mtx, f.mtx
    Mtx,
    /// For scipy.sparse.load_npz, binary: K.npz, M.npz, D.npz, f.npy
    Npz,
}

//! `pliant run`: a scene to its end.

mod flags;
mod import;
mod matrices;
mod npz;
mod report;
pub(crate) mod scene;
mod text;

use std::path::PathBuf;

use pliant::scene::run::{Destination, Progress, run as run_scene};
use pliant::scene::{Folder, Origin, Simulation};

use crate::context::Context;
use crate::failure::Failure;

pub use flags::{MatricesFlags, MatrixFormat, RunFlags};
pub use import::import;
pub use matrices::matrices;
pub use report::report;

/// Runs a scene, or goes on with a run.
pub fn run(flags: RunFlags, context: &Context) -> Result<(), Failure> {
    let (origin, resumed) = match &flags.resume {
        Some(path) => {
            let (folder, origin) = Folder::open(path)?;
            (origin, Some(folder))
        }
        None => (scene::origin(flags.scene.as_deref(), flags.set), None),
    };
    let mut scene = scene::load(&origin)?;
    scene.output.report &= !flags.no_report;
    let mut simulation = Simulation::build(&scene)?;
    for warning in &simulation.warnings {
        context.warn(warning);
    }
    let told = simulation.warnings.len();
    let resume = resumed.is_some();
    let folder = if let Some(folder) = resumed {
        folder
    } else {
        let out = flags.out.unwrap_or_else(|| default_out(&origin));
        Folder::create(&out, &origin, flags.force)?
    };
    let bar = context.progress("running");
    let mut watch = |progress: &Progress| {
        bar.set_position(progress.step * 1000 / progress.steps.max(1));
        bar.set_message(text::progress(progress));
        !context.interrupted()
    };
    let place = Destination { folder: &folder, resume };
    let outcome = run_scene(&scene, &mut simulation, Some(&place), &mut watch);
    bar.finish_and_clear();
    let outcome = outcome?;
    // What the run itself has shown to be odd.
    for warning in simulation.warnings.iter().skip(told) {
        context.warn(warning);
    }
    let path = folder.path().display();
    if let Some(error) = outcome.failure {
        context.warn(&format!("what there is, up to the last good step, is in {path}"));
        return Err(error.into());
    }
    if outcome.stopped {
        let text = format!(
            "stopped at t = {} s; go on with: pliant run --resume {path}",
            simulation.state().time
        );
        return Err(Failure::Interrupted(text));
    }
    context.emit(&outcome.summary.to_json(), || text::summary(&outcome.summary, folder.path()))
}

/// Beside the user, named after the scene.
fn default_out(origin: &Origin) -> PathBuf {
    let stem = PathBuf::from(&origin.scene);
    let stem = stem.file_stem().map(|s| s.to_string_lossy().into_owned());
    PathBuf::from(format!("{}-out", stem.unwrap_or_else(|| "run".into())))
}

//! `pliant run`: a scene to its end.

mod flags;
mod given_state;
mod import;
mod matrices;
mod npz;
mod replay;
mod report;
pub(crate) mod scene;
mod text;

use std::path::{Path, PathBuf};

use pliant::scene::run::{Destination, Progress, run as run_scene};
use pliant::scene::{Folder, Kept, Origin, Scene, Simulation, Summary};

use crate::context::Context;
use crate::failure::Failure;

pub use flags::{MatricesFlags, MatrixFormat, RunFlags};
pub use import::import;
pub use matrices::matrices;
pub use report::report;

/// Runs a scene, or goes on with a run.
pub fn run(flags: RunFlags, context: &Context) -> Result<(), Failure> {
    if let Some(input) = &flags.replay {
        return replay::replay(&flags, input, context);
    }
    let extended = flags.resume.is_some() && !flags.set.is_empty();
    let (origin, mut scene, resumed) = if let Some(path) = &flags.resume {
        match resume(path, &flags.set, flags.force, context)? {
            Resumed::Finished(summary) => {
                context.warn(&format!(
                    "the run in {} is finished; --set time.end=… gives it a later end",
                    path.display()
                ));
                return context.emit(&summary.to_json(), || text::summary(&summary, path));
            }
            Resumed::GoesOn(origin, scene, folder) => (origin, *scene, Some(folder)),
        }
    } else {
        let origin = scene::origin(flags.scene.as_deref(), flags.set);
        let scene = scene::load(&origin)?;
        (origin, scene, None)
    };
    scene.output.report &= !flags.no_report;
    let mut simulation = Simulation::build(&scene)?;
    for warning in &simulation.warnings {
        context.warn(warning);
    }
    let told = simulation.warnings.len();
    let resume = resumed.is_some();
    let folder = if let Some(folder) = resumed {
        if extended {
            // Before the folder says so: an end that the run has passed already is refused.
            let checkpoint = folder.path().join("checkpoint.bin");
            if checkpoint.is_file() {
                simulation.load_checkpoint(&checkpoint, &scene)?;
            }
            folder.keep(&scene, &origin)?;
            folder.remove_summary();
        }
        folder
    } else {
        let out = flags.out.unwrap_or_else(|| default_out(&origin));
        let folder = Folder::create(&out, &origin, flags.force)?;
        folder.note().into_iter().for_each(|note| context.warn(note));
        folder.keep(&scene, &origin)?;
        folder
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

/// A run that is to go on.
enum Resumed {
    /// It has come to its end already.
    Finished(Box<Summary>),
    GoesOn(Origin, Box<Scene>, Folder),
}

/// Opens the folder of a run, with the scene that it keeps and what is set on top.
fn resume(
    path: &Path,
    sets: &[String],
    force: bool,
    context: &Context,
) -> Result<Resumed, Failure> {
    replay::refuse_to_resume(path)?;
    let (folder, _) = Folder::open(path)?;
    folder.note().into_iter().for_each(|note| context.warn(note));
    let mut kept = Kept::of(path)?;
    if sets.is_empty()
        && let Some(summary) = folder.summary().filter(|s| s.converged)
    {
        return Ok(Resumed::Finished(Box::new(summary)));
    }
    if !sets.is_empty() {
        kept.extend(sets)?;
    }
    match kept.check_files() {
        Err(error) if force => context.warn(&error.details().message),
        checked => checked?,
    }
    let scene = kept.load()?;
    kept.difference(&scene).into_iter().for_each(|text| context.warn(&text));
    Ok(Resumed::GoesOn(kept.origin, Box::new(scene), folder))
}

/// Beside the user, named after the scene.
fn default_out(origin: &Origin) -> PathBuf {
    let stem = PathBuf::from(&origin.scene);
    let stem = stem.file_stem().map(|s| s.to_string_lossy().into_owned());
    PathBuf::from(format!("{}-out", stem.unwrap_or_else(|| "run".into())))
}

//! `pliant run --replay`: the steps of a page again, with what hands did there.

use std::path::Path;

use pliant::scene::run::{Destination, Motion as _, Progress, run as run_scene};
use pliant::scene::{Folder, INPUT};
use pliant_viewer::{Input, Replay};

use super::{default_out, scene, text};
use crate::context::Context;
use crate::failure::Failure;
use crate::run::RunFlags;

/// Runs an input to its end, and writes what a run writes, but for checkpoints.
pub(super) fn replay(flags: &RunFlags, file: &Path, context: &Context) -> Result<(), Failure> {
    let name = file.display().to_string();
    let document = std::fs::read_to_string(file)
        .map_err(|e| Failure::Input(format!("{name} cannot be read: {e}")))?;
    let mut input = Input::from_text(&document, &name)?;
    if let Some(path) = &flags.scene {
        input.origin.scene = scene::origin(Some(path), Vec::new()).scene;
    }
    let mut replay = Replay::new(input, &flags.set)?;
    let mut scene = replay.scene();
    scene.output.report &= !flags.no_report;
    let tell = |replay: &mut Replay| replay.told().iter().for_each(|text| context.warn(text));
    tell(&mut replay);
    for warning in &replay.simulation().warnings {
        context.warn(warning);
    }
    let told = replay.simulation().warnings.len();
    let origin = replay.session().origin().clone();
    let out = flags.out.clone().unwrap_or_else(|| default_out(&origin));
    let folder = Folder::create(&out, &origin, flags.force)?;
    folder.note().into_iter().for_each(|note| context.warn(note));
    folder.keep(&scene, &origin)?;
    folder.write_text(INPUT, &document)?;
    let bar = context.progress("replaying");
    let mut watch = |progress: &Progress| {
        bar.set_position(progress.step * 1000 / progress.steps.max(1));
        bar.set_message(text::progress(progress));
        !context.interrupted()
    };
    let place = Destination { folder: &folder, resume: false };
    let outcome = run_scene(&scene, &mut replay, Some(&place), &mut watch);
    bar.finish_and_clear();
    tell(&mut replay);
    let outcome = outcome?;
    for warning in replay.simulation().warnings.iter().skip(told) {
        context.warn(warning);
    }
    if let Some(error) = outcome.failure {
        return Err(error.into());
    }
    if outcome.stopped {
        let time = replay.simulation().state().time;
        let text = format!("stopped at t = {time} s; a replay is not resumed: start it anew");
        return Err(Failure::Interrupted(text));
    }
    context.emit(&outcome.summary.to_json(), || text::summary(&outcome.summary, folder.path()))
}

/// What hands held is in no checkpoint, so that a replay can only be made anew.
pub(super) fn refuse_to_resume(folder: &Path) -> Result<(), Failure> {
    let kept = folder.join(INPUT);
    if !kept.is_file() {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{} holds a replay, which cannot be resumed: run it again, with --replay {} --out and another folder",
        folder.display(),
        kept.display()
    )))
}

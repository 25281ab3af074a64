//! `pliant compare`: errors and costs of methods, steps, solvers, meshes or any other key.

use std::path::{Path, PathBuf};

use pliant::scene::SceneError;
use pliant::study::{Axis, Comparison, Plan, Status, StudyFolder, compare as run};

use super::flags::CompareFlags;
use super::watch;
use crate::context::Context;
use crate::failure::Failure;
use crate::run::scene;

/// Makes the runs, and tables and a picture of them.
pub fn compare(flags: CompareFlags, context: &Context) -> Result<(), Failure> {
    let axes = axes(&flags)?;
    let origin = scene::origin(Some(&flags.scene), flags.set);
    let plan = Plan::new(&origin, &axes, flags.reference.as_deref())?;
    let path = flags.out.unwrap_or_else(|| default_out(&origin.scene));
    let folder = StudyFolder::open(&path, &origin, flags.again)?;
    let bar = context.progress("comparing");
    let threads = rayon::current_num_threads();
    let made = run(&plan, Some(&folder), threads, &watch(&bar, context));
    bar.finish_and_clear();
    let made = made?;
    for warning in made.warnings() {
        context.warn(warning);
    }
    write(&made, &folder, &command(&flags.scene))?;
    let path = path.display();
    if made.stopped() {
        let done = made.rows.iter().filter(|row| row.status() != Status::Missing).count();
        let text = format!(
            "stopped with {done} of {} runs; they are in {path}, and the same command goes on",
            made.rows.len()
        );
        return Err(Failure::Interrupted(text));
    }
    let mut result = made.json();
    result["output"] = path.to_string().into();
    context.emit(&result, || {
        format!(
            "{}results are in {path}: report.html, results.csv, results.json, work-precision.svg\n",
            made.text()
        )
    })?;
    if made.rows.iter().any(|row| row.status() == Status::Done) {
        Ok(())
    } else {
        Err(Failure::Negative)
    }
}

fn axes(flags: &CompareFlags) -> Result<Vec<Axis>, SceneError> {
    let mut axes = Vec::new();
    axes.extend(flags.integrators.as_deref().map(Axis::integrators).transpose()?);
    axes.extend(flags.solvers.as_deref().map(Axis::solvers).transpose()?);
    for text in &flags.vary {
        axes.push(Axis::parse(text)?);
    }
    // Last, so that the steps of a method stand below each other.
    axes.extend(flags.steps.as_deref().map(Axis::steps).transpose()?);
    if axes.is_empty() {
        let hint = "give --integrators, --steps, --solvers or --vary";
        return Err(SceneError::new("nothing varies").hint(hint));
    }
    Ok(axes)
}

/// As the user gave it.
fn command(scene: &str) -> String {
    let given: Vec<String> = std::env::args().skip(1).collect();
    if given.is_empty() {
        format!("pliant compare {scene} …")
    } else {
        format!("pliant {}", given.join(" "))
    }
}

fn write(made: &Comparison, folder: &StudyFolder, command: &str) -> Result<(), SceneError> {
    folder.write("report.html", made.page(command).as_bytes())?;
    folder.write("results.csv", made.csv().as_bytes())?;
    folder.write("results.json", format!("{:#}\n", made.json()).as_bytes())?;
    folder.write("work-precision.svg", made.plot().svg_with_labels(860.0, 560.0).as_bytes())
}

/// Beside the user, named after the scene.
fn default_out(scene: &str) -> PathBuf {
    let stem = Path::new(scene).file_stem().map(|s| s.to_string_lossy().into_owned());
    PathBuf::from(format!("{}-compare", stem.unwrap_or_else(|| "scene".into())))
}

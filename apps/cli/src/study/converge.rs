//! `pliant converge`: how far a scene is from its limit.

use pliant::study::{Refine, converge as run};

use super::flags::ConvergeFlags;
use super::watch;
use crate::context::Context;
use crate::failure::Failure;
use crate::run::scene;

/// Refines step and mesh.
pub fn converge(flags: ConvergeFlags, context: &Context) -> Result<(), Failure> {
    let scene = scene::load(&scene::origin(Some(&flags.scene), flags.set))?;
    let refine = match (flags.steps_only, flags.mesh_only) {
        (true, _) => Refine::Steps,
        (_, true) => Refine::Meshes,
        _ => Refine::Both,
    };
    let bar = context.progress("refining");
    let threads = rayon::current_num_threads();
    let made = run(&scene, flags.levels, refine, threads, &watch(&bar, context));
    bar.finish_and_clear();
    let Some(made) = made? else {
        return Err(Failure::Interrupted("stopped; nothing is kept".into()));
    };
    context.emit(&made.json(), || made.text())?;
    let failed = made.sequences.iter().flat_map(|s| &s.levels).any(|l| l.failure.is_some());
    if failed { Err(Failure::Negative) } else { Ok(()) }
}

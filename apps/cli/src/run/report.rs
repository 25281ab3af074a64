//! `pliant report`: the report of a run made anew, from what its folder holds.

use std::path::Path;

use pliant::scene::{Folder, Kept, Simulation, report as of_run};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;

/// Writes `report.html` of a folder.
pub fn report(folder: &Path, context: &Context) -> Result<(), Failure> {
    let kept = Kept::of(folder).map_err(|_| {
        let path = folder.display();
        Failure::Input(format!("{path} holds no run: give the folder that pliant run --out wrote"))
    })?;
    let (folder, scene) = (Folder::at(folder), kept.load()?);
    let simulation = Simulation::build(&scene)?;
    let path = of_run::write(&folder, &scene, &simulation)?;
    let result = json!({"output": path.display().to_string()});
    context.emit(&result, || format!("{} is the report\n", path.display()))
}

//! `pliant mesh refine`

use std::path::Path;

use pliant::mesh::refine::octasect;
use serde_json::json;

use super::load;
use crate::arguments::WriteFlags;
use crate::context::Context;
use crate::failure::Failure;

pub(super) fn run(
    input: &Path,
    output: &Path,
    levels: u32,
    write: &WriteFlags,
    context: &Context,
) -> Result<(), Failure> {
    let mut mesh = load::volume(input, context)?;
    let cells = mesh.cell_count() as f64 * 8_f64.powi(levels.min(1000) as i32);
    if cells > 4e8 {
        let text = format!("--levels {levels} makes {cells:.1e} cells: refine less");
        return Err(Failure::Input(text));
    }
    for level in 0..levels {
        if context.interrupted() {
            return Err(Failure::Interrupted(format!(
                "stopped after {level} levels; nothing was written"
            )));
        }
        mesh = octasect(&mesh)?.mesh;
    }
    let notes = load::save_volume(output, &mesh, write, context)?;
    let (vertices, cells) = (mesh.vertex_count(), mesh.cell_count());
    let result = json!({
        "output": output.display().to_string(),
        "vertices": vertices,
        "cells": cells,
        "notes": load::note_texts(&notes),
    });
    context.emit(&result, || format!("{}: {vertices} vertices, {cells} cells\n", output.display()))
}

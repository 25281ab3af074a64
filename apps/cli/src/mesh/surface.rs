//! `pliant mesh surface`

use std::path::Path;

use pliant::mesh::topology::boundary;
use serde_json::json;

use super::load;
use crate::arguments::WriteFlags;
use crate::context::Context;
use crate::failure::Failure;

pub(super) fn run(
    input: &Path,
    output: &Path,
    write: &WriteFlags,
    context: &Context,
) -> Result<(), Failure> {
    let mesh = load::volume(input, context)?;
    let surface = boundary(&mesh).surface;
    let notes = load::save_surface(output, &surface, write, context)?;
    let (vertices, triangles) = (surface.vertices.len(), surface.triangles.len());
    let result = json!({
        "output": output.display().to_string(),
        "vertices": vertices,
        "triangles": triangles,
        "area": surface.area(),
        "volume": surface.volume(),
        "notes": load::note_texts(&notes),
    });
    context.emit(&result, || {
        format!("{}: {vertices} vertices, {triangles} triangles\n", output.display())
    })
}

//! `pliant mesh embed`

use std::path::Path;

use pliant::mesh::embed::Embedding;
use pliant::mesh::io::{interp, write_file};
use serde_json::json;

use super::load;
use crate::context::Context;
use crate::failure::Failure;

pub(super) fn run(
    volume: &Path,
    surface: &Path,
    output: &Path,
    context: &Context,
) -> Result<(), Failure> {
    let volume = load::volume(volume, context)?;
    let surface = load::surface(surface, context)?;
    let embedding = Embedding::bind(&volume, &surface.vertices)?;
    write_file(output, |sink| interp::write(&embedding, sink))?;
    let (points, outside) = (surface.vertices.len(), embedding.outside);
    let result = json!({
        "output": output.display().to_string(),
        "points": points,
        "outside": outside.count,
        "largest_distance": outside.largest,
    });
    context.emit(&result, || {
        format!(
            "{}: {points} points bound, {} of them outside (at most {:.3e} m away)\n",
            output.display(),
            outside.count,
            outside.largest
        )
    })
}

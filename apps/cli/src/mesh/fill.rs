//! `pliant mesh fill`

use std::path::Path;

use pliant::mesh::fill::{FillOptions, fill};
use pliant::mesh::spatial::Aabb;
use serde_json::json;

use super::{info, load};
use crate::arguments::WriteFlags;
use crate::context::Context;
use crate::failure::Failure;

/// Without a size, the longest extent over this.
const DEFAULT_RESOLUTION: f64 = 30.0;

pub(super) fn run(
    surface: &Path,
    output: &Path,
    size: Option<f64>,
    grading: u32,
    write: &WriteFlags,
    context: &Context,
) -> Result<(), Failure> {
    let closed = load::surface(surface, context)?;
    let size = size.unwrap_or_else(|| {
        let extent = Aabb::of(&closed.vertices).extent();
        extent.iter().copied().fold(0.0, f64::max) / DEFAULT_RESOLUTION
    });
    let bar = context.progress("filling");
    let filled = fill(&closed, &FillOptions { size, grading, ..FillOptions::default() }, &|done| {
        bar.set_position((done * 1000.0) as u64);
        !context.interrupted()
    });
    bar.finish_and_clear();
    if context.interrupted() {
        return Err(Failure::Interrupted("stopped; nothing was written".into()));
    }
    let filled = filled.map_err(|e| e.in_file(surface.display().to_string()))?;
    context.warn_notes(surface, &filled.report.notes);
    let notes = load::save_volume(output, &filled.mesh, write, context)?;
    let report = &filled.report;
    let mut result = info::volume_json(&filled.mesh, &notes);
    let more = json!({
        "output": output.display().to_string(),
        "size": size,
        "hausdorff": report.hausdorff.symmetric(),
        "hausdorff_relative": report.hausdorff_relative,
        "volume_error": report.volume_error,
        "min_dihedral": report.min_dihedral,
        "max_dihedral": report.max_dihedral,
    });
    if let (Some(result), Some(more)) = (result.as_object_mut(), more.as_object()) {
        result.extend(more.clone());
    }
    context.emit(&result, || {
        format!(
            "{}\n{:<18}{:.1}° to {:.1}°\n{:<18}{:.3} %\n{:<18}{:.3e} m\n",
            info::volume_text(&filled.mesh).trim_end(),
            "dihedral angles",
            report.min_dihedral,
            report.max_dihedral,
            "volume error",
            100.0 * report.volume_error,
            "Hausdorff",
            report.hausdorff.symmetric(),
        )
    })
}

//! Shapes of modes as files.

use std::f64::consts::TAU;
use std::path::Path;

use pliant::algebra::vec3::{Vec3, add_scaled, norm};
use pliant::dynamics::Mode;
use pliant::mesh::VolumeMesh;
use pliant::mesh::io::{pvd, vtu, write_file};
use pliant::scene::file_names;

use super::{Drawn, Found};
use crate::failure::Failure;

/// Of the size of what swings: how large a shape is drawn.
const DRAWN: f64 = 0.1;

/// One `.vtu` a body and mode with its shape as the vector `shape`, its largest a tenth of the whole; a series of
/// all, the number of the mode as its time; and so many frames of a swing of those that swing.
pub(super) fn write(folder: &Path, found: &Found, frames: usize) -> Result<(), Failure> {
    let make = |folder: &Path| {
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::Input(format!("{} cannot be made: {e}", folder.display())))
    };
    make(folder)?;
    if frames > 0 {
        make(&folder.join("frames"))?;
    }
    let names = file_names(found.bodies.iter().map(|b| b.name.as_deref().unwrap_or_default()));
    for (body, name) in found.bodies.iter().zip(&names) {
        let prefix = if body.name.is_some() { format!("{name}-") } else { String::new() };
        let mut all = pvd::Series::new(folder.join(format!("{prefix}modes.pvd")));
        for (k, mode) in found.modes.modes.iter().enumerate() {
            let shape = shape(mode, body, found.size);
            let name = format!("{prefix}mode-{:03}", k + 1);
            let (file, time) = (format!("{name}.vtu"), (k + 1) as f64);
            frame(&folder.join(&file), &body.mesh, &shape, time)?;
            all.push(time, &file)?;
            if frames > 0 && !mode.rigid && mode.frequency() > 0.0 {
                swing(folder, &name, body, &shape, mode.frequency(), frames)?;
            }
        }
    }
    Ok(())
}

/// As the mesh numbers vertices.
fn shape(mode: &Mode, body: &Drawn, size: f64) -> Vec<Vec3> {
    let largest = mode.shape.iter().map(|&v| norm(v)).fold(f64::MIN_POSITIVE, f64::max);
    let of = |&v: &u32| mode.shape[v as usize].map(|c| c * DRAWN * size / largest);
    body.numbers.iter().map(of).collect()
}

/// One period from rest to rest, as a series that repeats.
fn swing(
    folder: &Path,
    name: &str,
    body: &Drawn,
    shape: &[Vec3],
    frequency: f64,
    frames: usize,
) -> Result<(), Failure> {
    let mut series = pvd::Series::new(folder.join(format!("{name}.pvd")));
    let mut mesh = body.mesh.clone();
    for k in 0..frames {
        let part = k as f64 / frames as f64;
        let now = (TAU * part).sin();
        for ((x, &rest), &way) in mesh.vertices.iter_mut().zip(&body.mesh.vertices).zip(shape) {
            *x = add_scaled(rest, way, now);
        }
        let (file, time) = (format!("frames/{name}_{k:03}.vtu"), part / frequency);
        frame(&folder.join(&file), &mesh, shape, time)?;
        series.push(time, &file)?;
    }
    Ok(())
}

fn frame(path: &Path, mesh: &VolumeMesh, shape: &[Vec3], time: f64) -> Result<(), Failure> {
    let values = vtu::DataValues::F64(shape.as_flattened());
    let data = vtu::DataArray { name: "shape", components: 3, values };
    write_file(path, |sink| {
        vtu::write_with_data(mesh, &[data], &[], Some(time), sink, &vtu::Options::default())
    })?;
    Ok(())
}

//! Frames as `.vtu`: a file for each body and time with all fields, and a `.pvd` for each body.

use std::fs;
use std::ops::Range;
use std::path::Path;

use pliant_algebra::vec3::{Vec3, sub};
use pliant_forces::stress::Stress;
use pliant_mesh::io::pvd::Series;
use pliant_mesh::io::vtu::{DataArray, DataValues, Options, write_with_data};
use pliant_mesh::io::write_file;
use pliant_mesh::{MeshError, VolumeMesh};
use pliant_model::{Body, StressModel};

use super::{FormatEntry, FrameWriter, Needs, Opening, Stage};
use crate::error::SceneError;
use crate::output::frames::{Frame, frame_name};

/// Its line in the list.
pub(super) const ENTRY: FormatEntry = FormatEntry {
    name: "vtu",
    about: ".vtu with all fields, and a .pvd, for ParaView",
    needs: Needs::State,
    in_folder: &["pvd"],
    in_frames: &["vtu"],
    warning: |_, _| None,
    open,
};

fn open(opening: &Opening<'_>) -> Result<Box<dyn FrameWriter>, SceneError> {
    let mut list = Vec::new();
    for (body, name) in opening.bodies.iter().zip(opening.names) {
        let stress = opening.scene.output.stress;
        list.push(Volume::open(opening.folder, body, name, stress, opening.first)?);
    }
    Ok(Box::new(Volumes(list)))
}

/// The frames of all bodies.
struct Volumes(Vec<Volume>);

impl FrameWriter for Volumes {
    fn push(&mut self, frame: &Frame, stage: &mut Stage<'_>) -> Result<(), MeshError> {
        self.0.iter_mut().try_for_each(|volume| volume.write(stage.folder, frame))
    }

    /// Nothing: every frame is whole.
    fn checkpoint(&mut self, _: &mut Stage<'_>) -> Result<(), MeshError> {
        Ok(())
    }

    fn finish(&mut self, _: &mut Stage<'_>) -> Result<(), MeshError> {
        Ok(())
    }
}

/// The frames of a body.
struct Volume {
    mesh: VolumeMesh,
    rest: Vec<Vec3>,
    to_system: Vec<u32>,
    range: Range<usize>,
    stress: Option<StressModel>,
    name: String,
    series: Series,
}

impl Volume {
    /// Of a body whose files are called `name`. Frames before `first` are there already, of a run that
    /// is resumed.
    fn open(
        folder: &Path,
        body: &Body,
        name: &str,
        stress: bool,
        first: u64,
    ) -> Result<Self, SceneError> {
        let path = folder.join(format!("{name}.pvd"));
        let mut old: Vec<(f64, String)> = Vec::new();
        for (index, time) in times(&path).into_iter().take(first as usize).enumerate() {
            old.push((time, frame_name(name, index as u64, "vtu")));
        }
        if (old.len() as u64) < first {
            let text = format!("{} has {} of {first} frames", path.display(), old.len());
            let hint = "the run cannot go on without it: start it anew";
            return Err(SceneError::new(text).hint(hint));
        }
        let series = Series::resume(&path, old.iter().map(|(time, file)| (*time, file.as_str())))?;
        Ok(Self {
            mesh: body.mesh.clone(),
            rest: body.mesh.vertices.clone(),
            to_system: body.partition.vertices().old_to_new().to_vec(),
            range: body.range.clone(),
            stress: if stress { StressModel::new(body) } else { None },
            name: name.to_owned(),
            series,
        })
    }

    /// Writes a frame.
    fn write(&mut self, folder: &Path, frame: &Frame) -> Result<(), MeshError> {
        let (x, v) = (&frame.x[self.range.clone()], &frame.v[self.range.clone()]);
        for (location, &s) in self.mesh.vertices.iter_mut().zip(&self.to_system) {
            *location = x[s as usize];
        }
        let velocity: Vec<Vec3> = self.to_system.iter().map(|&s| v[s as usize]).collect();
        let places = self.mesh.vertices.iter().zip(&self.rest);
        let displacement: Vec<Vec3> = places.map(|(&x, &rest)| sub(x, rest)).collect();
        let of = |s: &Stress| (s.von_mises(), s.energy_density, Stress::six(&s.cauchy));
        let missing = (f64::NAN, f64::NAN, [f64::NAN; 6]);
        let stresses =
            self.stress.as_ref().map(|model| model.values(x, &frame.memory, missing, &of));
        let all = || stresses.iter().flatten();
        let mises: Vec<f64> = all().map(|s| s.0).collect();
        let density: Vec<f64> = all().map(|s| s.1).collect();
        let cauchy: Vec<[f64; 6]> = all().map(|s| s.2).collect();
        let array = |name, components, values| DataArray {
            name,
            components,
            values: DataValues::F64(values),
        };
        // As one body has it, in the user's numbering.
        let own = |all: &[f64]| -> Vec<f64> {
            let own = all.get(self.range.clone()).unwrap_or_default();
            self.to_system.iter().filter_map(|&s| own.get(s as usize)).copied().collect()
        };
        let [pressure, gap] = [own(&frame.pressure), own(&frame.gap)];
        let mut points = vec![
            array("displacement", 3, displacement.as_flattened()),
            array("velocity", 3, velocity.as_flattened()),
        ];
        if !pressure.is_empty() {
            points.push(array("contact_pressure", 1, &pressure));
            points.push(array("contact_gap", 1, &gap));
        }
        let cells = [
            array("von_mises", 1, &mises),
            array("energy_density", 1, &density),
            array("stress", 6, cauchy.as_flattened()),
        ];
        let cells = if stresses.is_some() { &cells[..] } else { &[] };
        let file = frame_name(&self.name, frame.index, "vtu");
        let time = frame.time;
        write_file(&folder.join(&file), |sink| {
            write_with_data(&self.mesh, &points, cells, Some(time), sink, &Options::default())
        })?;
        self.series.push(time, &file)
    }
}

/// The times of a series on disk.
fn times(path: &Path) -> Vec<f64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split("timestep=\"")
        .skip(1)
        .map_while(|rest| rest.split('"').next().and_then(|t| t.parse().ok()))
        .collect()
}

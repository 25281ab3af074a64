//! Frames on disk: a `.vtu` for each body and time, and a `.pvd` for each body, written by a thread of
//! their own so that the simulation does not wait for the disk.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use pliant_algebra::vec3::{Vec3, sub};
use pliant_forces::stress::Stress;
use pliant_mesh::VolumeMesh;
use pliant_mesh::io::pvd::Series;
use pliant_mesh::io::vtu::{DataArray, DataValues, Options, write_with_data};
use pliant_mesh::io::write_file;

use crate::error::SceneError;
use crate::simulation::Simulation;
use crate::stress::StressModel;

/// Frames that may wait; the simulation waits beyond them.
const QUEUE: usize = 4;

enum Job {
    Frame {
        index: u64,
        time: f64,
        x: Vec<Vec3>,
        v: Vec<Vec3>,
    },
    /// Answered when all before it is on disk.
    Flush(SyncSender<()>),
}

/// The thread that writes.
pub(crate) struct Frames {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<Result<(), SceneError>>>,
}

/// What the thread knows of a body.
struct Shot {
    mesh: VolumeMesh,
    rest: Vec<Vec3>,
    to_system: Vec<u32>,
    range: Range<usize>,
    stress: Option<StressModel>,
    name: String,
    series: Series,
}

impl Frames {
    /// Starts it. Frames before `first` are there already, of a run that is resumed.
    pub(crate) fn start(
        folder: &Path,
        simulation: &Simulation,
        stress: bool,
        first: u64,
    ) -> Result<Self, SceneError> {
        let frames = folder.join("frames");
        fs::create_dir_all(&frames)
            .map_err(|e| SceneError::new(format!("cannot make {}: {e}", frames.display())))?;
        let mut shots = Vec::new();
        for body in &simulation.bodies {
            let name = file_name(&body.name);
            let path = folder.join(format!("{name}.pvd"));
            let mut series = Series::new(&path);
            for (index, time) in times(&path).into_iter().take(first as usize).enumerate() {
                series.push(time, &frame_name(&name, index as u64))?;
            }
            shots.push(Shot {
                mesh: body.mesh.clone(),
                rest: body.mesh.vertices.clone(),
                to_system: body.partition.vertices().old_to_new().to_vec(),
                range: body.range.clone(),
                stress: if stress { StressModel::new(body)? } else { None },
                name,
                series,
            });
        }
        let (jobs, queue) = sync_channel(QUEUE);
        let folder: PathBuf = folder.to_owned();
        let thread = std::thread::spawn(move || work(&folder, &mut shots, &queue));
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Hands over a frame.
    pub(crate) fn push(&mut self, index: u64, simulation: &Simulation) -> Result<(), SceneError> {
        let state = simulation.state();
        let (x, v) = (state.x.clone(), state.v.clone());
        self.send(Job::Frame { index, time: state.time, x, v })
    }

    /// Waits until all frames are on disk.
    pub(crate) fn flush(&mut self) -> Result<(), SceneError> {
        let (done, answer) = sync_channel(1);
        self.send(Job::Flush(done))?;
        match answer.recv() {
            Ok(()) => Ok(()),
            Err(_) => self.finish(),
        }
    }

    fn send(&mut self, job: Job) -> Result<(), SceneError> {
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        // A thread that does not listen any more has failed, and says why.
        if sent { Ok(()) } else { self.finish() }
    }

    /// Ends the thread when all is written.
    pub(crate) fn finish(&mut self) -> Result<(), SceneError> {
        self.jobs = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => Err(SceneError::computation("the writer of frames broke down")),
            None => Ok(()),
        }
    }
}

fn work(folder: &Path, shots: &mut [Shot], queue: &Receiver<Job>) -> Result<(), SceneError> {
    for job in queue {
        match job {
            Job::Frame { index, time, x, v } => {
                for shot in &mut *shots {
                    shot.write(folder, index, time, &x, &v)?;
                }
            }
            // Nobody waits any more: as good.
            Job::Flush(done) => drop(done.send(())),
        }
    }
    Ok(())
}

impl Shot {
    fn write(
        &mut self,
        folder: &Path,
        index: u64,
        time: f64,
        x: &[Vec3],
        v: &[Vec3],
    ) -> Result<(), SceneError> {
        let (x, v) = (&x[self.range.clone()], &v[self.range.clone()]);
        for (place, &s) in self.mesh.vertices.iter_mut().zip(&self.to_system) {
            *place = x[s as usize];
        }
        let velocity: Vec<Vec3> = self.to_system.iter().map(|&s| v[s as usize]).collect();
        let places = self.mesh.vertices.iter().zip(&self.rest);
        let displacement: Vec<Vec3> = places.map(|(&x, &rest)| sub(x, rest)).collect();
        let stresses = self.stress.as_ref().map(|model| model.stresses(x));
        let number = |of: &dyn Fn(&Stress) -> f64| -> Vec<f64> {
            let list = stresses.iter().flatten();
            list.map(|s| s.as_ref().map_or(f64::NAN, of)).collect()
        };
        let (mises, density) = (number(&Stress::von_mises), number(&|s| s.energy_density));
        let cauchy: Vec<[f64; 6]> = stresses
            .iter()
            .flatten()
            .map(|s| s.as_ref().map_or([f64::NAN; 6], |s| Stress::six(&s.cauchy)))
            .collect();
        let array = |name, components, values| DataArray {
            name,
            components,
            values: DataValues::F64(values),
        };
        let points = [
            array("displacement", 3, displacement.as_flattened()),
            array("velocity", 3, velocity.as_flattened()),
        ];
        let cells = [
            array("von_mises", 1, &mises),
            array("energy_density", 1, &density),
            array("stress", 6, cauchy.as_flattened()),
        ];
        let cells = if stresses.is_some() { &cells[..] } else { &[] };
        let file = frame_name(&self.name, index);
        write_file(&folder.join(&file), |sink| {
            write_with_data(&self.mesh, &points, cells, Some(time), sink, &Options::default())
        })?;
        Ok(self.series.push(time, &file)?)
    }
}

fn frame_name(body: &str, index: u64) -> String {
    format!("frames/{body}_{index:05}.vtu")
}

/// A body's name as part of a file's.
fn file_name(name: &str) -> String {
    let keep = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' };
    name.chars().map(keep).collect()
}

/// The times of a series on disk.
fn times(path: &Path) -> Vec<f64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split("timestep=\"")
        .skip(1)
        .map_while(|rest| rest.split('"').next().and_then(|t| t.parse().ok()))
        .collect()
}

//! [`Watcher`]: looks at a run for the report, in a thread of its own so that the run does not wait.
//!
//! Stress is computed at about a dozen moments, evenly apart, whatever the number of steps, and besides when the elastic
//! energy falls from a peak that is well above all that was seen: the moment of greatest stress is the one among
//! these. A run of ten thousand steps is not slowed by its report, and an impact between two moments is not missed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use pliant_algebra::vec3::Vec3;
use pliant_forces::Memory;
use pliant_forces::stress::Stress;
use pliant_model::StressModel;

use super::album::{Album, Moment};
use crate::build::simulation::Simulation;
use crate::error::SceneError;

/// Moments evenly apart, about.
const LOOKS: u64 = 12;
/// Peaks that are looked at besides, at most.
const PEAKS: usize = 20;
/// A peak is higher than all before by this factor, and no rounding error beside the other energies.
const HIGHER: f64 = 1.2;
const LEAST: f64 = 1e-4;
/// Moments that may wait; the simulation waits beyond them.
const QUEUE: usize = 3;

enum Job {
    Look {
        step: u64,
        time: f64,
        x: Vec<Vec3>,
        /// Of contact, Pa; empty where nothing can touch.
        pressure: Vec<f64>,
        /// What materials remember, where stresses hang on it.
        memory: Vec<Memory>,
        /// None where the run stops.
        elastic: Option<f64>,
    },
    /// Answered when it is on disk.
    Save(SyncSender<Result<(), SceneError>>),
}

/// What the thread knows of a body.
struct Sight {
    /// Of the vertices of the boundary, in the system.
    vertices: Vec<u32>,
    /// Its vertices, start..end in the numbering of the system.
    range: std::ops::Range<usize>,
    stress: Option<StressModel>,
    /// Vertices of the boundary with the cells around them.
    around: Vec<[u32; 2]>,
}

/// The thread that looks.
pub(crate) struct Watcher {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
    every: u64,
    steps: u64,
    /// The step that was looked at last.
    seen: Option<u64>,
    /// The highest elastic energy of all looks, and that of the step before, J.
    highest: f64,
    before: f64,
    /// How many peaks were looked at.
    peaks: usize,
    /// Whether stresses hang on what materials remember.
    remembers: bool,
}

impl Watcher {
    /// Starts it; a run that is resumed goes on with the album it has.
    pub(crate) fn start(
        path: &Path,
        simulation: &mut Simulation,
        steps: u64,
        resumed: Option<u64>,
    ) -> Result<Self, SceneError> {
        let mut sights = Vec::new();
        for body in &simulation.bodies {
            let map = &body.boundary().vertex_map;
            let stress = StressModel::new(body);
            let mut around = Vec::new();
            if stress.is_some() {
                let mut own = vec![u32::MAX; body.mesh.vertex_count()];
                map.iter().enumerate().for_each(|(k, &v)| own[v as usize] = k as u32);
                for (c, nodes) in body.mesh.cells().enumerate() {
                    let outer = nodes.iter().map(|&v| own[v as usize]).filter(|k| *k != u32::MAX);
                    around.extend(outer.map(|k| [k, c as u32]));
                }
            }
            let vertices = map.iter().map(|&v| body.system_vertex(v)).collect();
            sights.push(Sight { vertices, range: body.range.clone(), stress, around });
        }
        let every = steps.div_ceil(LOOKS).max(1);
        let mut album = Album::new(every);
        if let Some(step) = resumed
            && let Some(old) = Album::read(path)
        {
            album = old;
            album.go_back(step);
        }
        let (jobs, queue) = sync_channel(QUEUE);
        let on_time = |step: u64| step.is_multiple_of(every) || step == steps;
        let mut watcher = Self {
            jobs: Some(jobs),
            thread: None,
            every,
            steps,
            seen: None,
            highest: album.seen.iter().fold(f64::NEG_INFINITY, |m, look| m.max(look.elastic)),
            before: simulation.balance().energies.elastic,
            peaks: album.seen.iter().filter(|look| !on_time(look.step)).count(),
            remembers: sights.iter().any(|s| s.stress.as_ref().is_some_and(StressModel::remembers)),
        };
        let path: PathBuf = path.to_owned();
        watcher.thread = Some(std::thread::spawn(move || work(&path, &sights, album, &queue)));
        if resumed.is_none() {
            watcher.look(simulation)?;
        }
        Ok(watcher)
    }

    /// Looks, if it is time to. To be called after every step.
    pub(crate) fn look(&mut self, simulation: &mut Simulation) -> Result<(), SceneError> {
        let step = simulation.state().steps;
        let energies = simulation.balance().energies;
        let elastic = energies.elastic;
        let on_time = step.is_multiple_of(self.every) || step == self.steps;
        let least = LEAST * (energies.kinetic + energies.gravity.abs());
        let falls = elastic < self.before && self.before > (HIGHER * self.highest).max(least);
        let peak = falls && !on_time && self.peaks < PEAKS;
        if on_time || peak {
            self.highest = self.highest.max(elastic);
            self.peaks += usize::from(peak);
            self.send(simulation, Some(elastic))?;
        }
        self.before = elastic;
        Ok(())
    }

    fn send(
        &mut self,
        simulation: &mut Simulation,
        elastic: Option<f64>,
    ) -> Result<(), SceneError> {
        let fields = simulation.contact_fields()?;
        let pressure = fields.map_or(Vec::new(), |fields| fields.pressure().to_vec());
        let state = simulation.state();
        self.seen = Some(state.steps);
        let (step, time, x) = (state.steps, state.time, state.x.clone());
        let memory = if self.remembers { state.memory.clone() } else { Vec::new() };
        if let Some(jobs) = &self.jobs {
            // A thread that broke down costs the pictures, not the run.
            let _ = jobs.send(Job::Look { step, time, x, pressure, memory, elastic });
        }
        Ok(())
    }

    /// Puts the album on disk.
    pub(crate) fn save(&mut self) -> Result<(), SceneError> {
        let Some(jobs) = &self.jobs else { return Ok(()) };
        let (done, answer) = sync_channel(1);
        let _ = jobs.send(Job::Save(done));
        answer.recv().unwrap_or(Ok(()))
    }

    /// Looks a last time, wherever the run has come to, and ends with the album on disk.
    pub(crate) fn finish(&mut self, simulation: &mut Simulation) -> Result<(), SceneError> {
        if self.seen != Some(simulation.state().steps) {
            self.send(simulation, None)?;
        }
        let saved = self.save();
        self.jobs = None;
        let _ = self.thread.take().map(JoinHandle::join);
        saved
    }
}

fn work(path: &Path, sights: &[Sight], mut album: Album, queue: &Receiver<Job>) {
    for job in queue {
        match job {
            Job::Look { step, time, x, pressure, memory, elastic } => {
                album.add(see(sights, step, time, (&x, &memory), &pressure), elastic);
            }
            // The receiver is gone; dropping the answer is fine.
            Job::Save(done) => drop(done.send(album.write(path))),
        }
    }
}

fn see(
    sights: &[Sight],
    step: u64,
    time: f64,
    (x, memory): (&[Vec3], &[Memory]),
    pressure: &[f64],
) -> Moment {
    let mut moment = Moment { step, time, greatest: f64::NAN, ..Moment::default() };
    for (b, sight) in sights.iter().enumerate() {
        let places = sight.vertices.iter().map(|&v| x[v as usize].map(|c| c as f32));
        moment.x.extend(places);
        let pressed = sight.vertices.iter().filter_map(|&v| pressure.get(v as usize));
        moment.pressure.extend(pressed.map(|p| *p as f32));
        let own = &x[sight.range.clone()];
        let mises = sight
            .stress
            .as_ref()
            .map_or(Vec::new(), |model| model.values(own, memory, f64::NAN, &Stress::von_mises));
        for (c, &value) in mises.iter().enumerate() {
            if value > moment.greatest || (moment.greatest.is_nan() && !value.is_nan()) {
                (moment.greatest, moment.at) = (value, [b as u32, c as u32]);
            }
        }
        let mut sums = vec![(0.0, 0_u32); sight.vertices.len()];
        for &[vertex, cell] in &sight.around {
            let value = mises.get(cell as usize).copied().unwrap_or(f64::NAN);
            if value.is_finite() {
                let (sum, count) = &mut sums[vertex as usize];
                (*sum, *count) = (*sum + value, *count + 1);
            }
        }
        let mean =
            |(sum, n): (f64, u32)| if n > 0 { (sum / f64::from(n)) as f32 } else { f32::NAN };
        moment.mises.extend(sums.into_iter().map(mean));
    }
    moment
}

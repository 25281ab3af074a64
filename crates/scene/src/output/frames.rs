//! Frames on disk, written by a thread of their own so that the simulation does not wait for the disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use pliant_algebra::vec3::Vec3;
use pliant_forces::Memory;
use pliant_mesh::MeshError;

use crate::build::simulation::Simulation;
use crate::build::surface::Surface;
use crate::error::SceneError;
use crate::output::formats::{self, FrameFormat, FrameWriter, Opening, Spool, Stage};
use crate::run::checkpoint;
use crate::spec::scene::Scene;

/// Frames that may wait; the simulation waits beyond them.
const QUEUE: usize = 4;
/// Frames between two looks at how much the folder holds.
const WEIGH_EVERY: u64 = 16;

/// A state to be written.
#[derive(Default)]
pub(crate) struct Frame {
    pub(crate) index: u64,
    pub(crate) time: f64,
    /// As the system numbers vertices.
    pub(crate) x: Vec<Vec3>,
    pub(crate) v: Vec<Vec3>,
    /// Pressure (Pa) and gap (m) of contact at these vertices; empty where they are not asked for.
    pub(crate) pressure: Vec<f64>,
    pub(crate) gap: Vec<f64>,
    /// What materials remember, where stresses are written that hang on it.
    pub(crate) memory: Vec<Memory>,
}

enum Job {
    Frame(Frame),
    /// A file and what is in it.
    Checkpoint(PathBuf, Vec<u8>),
}

/// The thread that writes.
pub(crate) struct Frames {
    jobs: Option<SyncSender<Job>>,
    /// Frames that were written, to be filled again.
    empty: Receiver<Frame>,
    thread: Option<JoinHandle<Result<(), SceneError>>>,
    /// Whether frames have what materials remember.
    remembers: bool,
    bytes: Arc<AtomicU64>,
    /// Whether pressure and gap of contact are written.
    contact: bool,
}

/// What the thread writes.
struct Files {
    folder: PathBuf,
    names: Vec<String>,
    /// Of all bodies, at the last frame; none unless some format needs them.
    surfaces: Vec<Surface>,
    spool: Option<Spool>,
    writers: Vec<Box<dyn FrameWriter>>,
    /// What the folder held when it was last looked at.
    bytes: Arc<AtomicU64>,
}

impl Frames {
    /// Starts it. Frames before `first` are there already, of a run that is resumed. `endless` is what does not stop
    /// at the end of the scene.
    pub(crate) fn start(
        folder: &Path,
        scene: &Scene,
        simulation: &mut Simulation,
        first: u64,
        endless: bool,
    ) -> Result<Self, SceneError> {
        let frames = folder.join("frames");
        fs::create_dir_all(&frames).map_err(|e| {
            SceneError::output(format!("cannot make {}: {e}", frames.display())).because(e)
        })?;
        let formats =
            if scene.output.frame_every.is_some() { &scene.output.formats[..] } else { &[] };
        let obstacles = simulation.scenery.iter().map(|s| s.name.as_str());
        let names = file_names(simulation.bodies.iter().map(|b| b.name.as_str()).chain(obstacles));
        let needed = formats.iter().any(|format| format.needs_surfaces());
        let surfaces = if needed { simulation.surfaces().to_vec() } else { Vec::new() };
        let opening = Opening {
            folder,
            scene,
            bodies: &simulation.bodies,
            surfaces: &surfaces,
            names: &names,
            first,
            endless,
        };
        // Each once, in one order, whatever the scene says.
        let asked = FrameFormat::ALL.iter().filter(|format| formats.contains(format));
        let writers = asked.map(|format| format.open(&opening)).collect::<Result<_, _>>()?;
        let spool = formats::spool(formats, &opening)?;
        let bytes = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&bytes);
        let folder = folder.to_owned();
        let mut files = Files { folder, names, surfaces, spool, writers, bytes };
        let (jobs, queue) = sync_channel(QUEUE);
        let (written, empty) = channel();
        // Threads of its own: a simulation that waits for a part of its work must not be given a frame
        // to pack meanwhile.
        let threads = (rayon::current_num_threads() / 2).max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| {
            let text = format!("cannot start threads that write frames: {e}");
            SceneError::computation(text).because(e)
        })?;
        let thread = std::thread::spawn(move || pool.install(move || files.work(queue, &written)));
        let contact = scene.output.contact && scene.output.writes(FrameFormat::Vtu);
        let remembers = simulation.remembers() && scene.output.stress;
        let thread = Some(thread);
        Ok(Self { jobs: Some(jobs), empty, thread, remembers, bytes: seen, contact })
    }

    /// About how much is on disk, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Hands over a frame.
    pub(crate) fn push(
        &mut self,
        index: u64,
        simulation: &mut Simulation,
    ) -> Result<(), SceneError> {
        let mut frame = self.empty.try_recv().unwrap_or_default();
        if self.contact
            && let Some(fields) = simulation.contact_fields()?
        {
            frame.pressure.clear();
            frame.pressure.extend_from_slice(fields.pressure());
            frame.gap.clear();
            frame.gap.extend_from_slice(fields.gap());
        }
        let state = simulation.state();
        (frame.index, frame.time) = (index, state.time);
        frame.x.clone_from(&state.x);
        frame.v.clone_from(&state.v);
        if self.remembers {
            frame.memory.clone_from(&state.memory);
        }
        self.send(Job::Frame(frame))
    }

    /// Hands over a checkpoint, to be written when all frames before it are on disk.
    pub(crate) fn checkpoint(&mut self, path: PathBuf, bytes: Vec<u8>) -> Result<(), SceneError> {
        self.send(Job::Checkpoint(path, bytes))
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

impl Files {
    fn work(&mut self, queue: Receiver<Job>, written: &Sender<Frame>) -> Result<(), SceneError> {
        for job in queue {
            match job {
                Job::Frame(frame) => {
                    self.write(&frame).map_err(SceneError::unwritten)?;
                    if frame.index.is_multiple_of(WEIGH_EVERY) {
                        self.bytes.store(weight(&self.folder.join("frames")), Ordering::Relaxed);
                    }
                    // The receiver is gone; dropping the frame is fine.
                    let _ = written.send(frame);
                }
                Job::Checkpoint(path, bytes) => {
                    checkpoint::write(&path, &bytes)?;
                    self.each(|writer, stage| writer.checkpoint(stage))
                        .map_err(SceneError::unwritten)?;
                }
            }
        }
        self.each(|writer, stage| writer.finish(stage)).map_err(SceneError::unwritten)
    }

    /// Has every writer do the same.
    fn each(
        &mut self,
        mut act: impl FnMut(&mut dyn FrameWriter, &mut Stage<'_>) -> Result<(), MeshError>,
    ) -> Result<(), MeshError> {
        let Self { folder, names, surfaces, spool, writers, .. } = self;
        for writer in writers {
            let spool = spool.as_mut();
            act(&mut **writer, &mut Stage { folder, names, surfaces, spool })?;
        }
        Ok(())
    }

    fn write(&mut self, frame: &Frame) -> Result<(), MeshError> {
        for surface in &mut self.surfaces {
            surface.move_to(&frame.x);
        }
        if let Some(spool) = &mut self.spool {
            spool.push(&self.surfaces)?;
        }
        self.each(|writer, stage| writer.push(frame, stage))
    }
}

/// What the files of a folder hold, bytes.
fn weight(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

/// The file of a frame.
pub(crate) fn frame_name(body: &str, index: u64, extension: &str) -> String {
    format!("frames/{body}_{index:05}.{extension}")
}

/// Names of bodies as parts of names of files, no two alike, even where capitals do not count.
pub fn file_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for name in names {
        let keep = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' };
        let mut clean: String = name.chars().map(keep).collect();
        while list.iter().any(|n| n.to_lowercase() == clean.to_lowercase()) {
            clean.push('_');
        }
        list.push(clean);
    }
    list
}

//! The state that `pliant matrices` is asked for.

use std::path::{Path, PathBuf};

use pliant::mesh::io::{Source, vtu};
use pliant::scene::Simulation;

use super::flags::MatricesFlags;
use super::npz;
use crate::failure::Failure;

/// Where a state comes from.
pub(super) enum State {
    /// The scene begins with it.
    Start,
    /// A checkpoint, with the folder of its run.
    Checkpoint(PathBuf, PathBuf),
    /// A frame of each body, with the folder of their run if they are still in it.
    Frames(Option<PathBuf>),
    /// Positions, and velocities where they are given.
    Arrays,
}

type Vectors = Vec<[f64; 3]>;

impl State {
    /// What the flags ask for.
    pub(super) fn of(flags: &MatricesFlags) -> Result<Self, Failure> {
        let wrong = |text: &str| Err(Failure::Input(text.to_owned()));
        let is = |file: &PathBuf, extension: &str| {
            file.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
        };
        let [first, others @ ..] = &flags.state[..] else {
            return match (&flags.velocity, flags.time) {
                (None, None) => Ok(Self::Start),
                _ => wrong("--velocity and --time belong to a state: add --state x.npy"),
            };
        };
        if flags.velocity.is_some() && !is(first, "npy") {
            return wrong(
                "--velocity goes with --state x.npy; frames and checkpoints have their own velocities",
            );
        }
        if is(first, "vtu") {
            // frames/NAME_00001.vtu in the folder of the run.
            let run = first.parent().and_then(|frames| frames.join("..").canonicalize().ok());
            return Ok(Self::Frames(run.filter(|run| run.join("run.json").is_file())));
        }
        if !others.is_empty() {
            return wrong("--state: only frames are given one by one for each body");
        }
        if is(first, "npy") {
            return Ok(Self::Arrays);
        }
        if flags.time.is_some() {
            return wrong("--time: a checkpoint has a time of its own");
        }
        let file = if first.is_dir() { first.join("checkpoint.bin") } else { first.clone() };
        // The folder of a file that stands alone is "", which is here.
        let run = file.parent().filter(|run| !run.as_os_str().is_empty());
        Ok(Self::Checkpoint(run.unwrap_or(Path::new(".")).to_owned(), file))
    }

    /// Positions and velocities of all vertices, in the user's numbering, and the time, of frames and arrays.
    pub(super) fn read(
        &self,
        flags: &MatricesFlags,
        simulation: &Simulation,
    ) -> Result<(Vectors, Vectors, f64), Failure> {
        let (mut x, mut v, mut time) = (Vec::new(), Vec::new(), None);
        if let Self::Frames(_) = self {
            let bodies = &simulation.bodies;
            if flags.state.len() != bodies.len() {
                let names: Vec<&str> = bodies.iter().map(|b| b.name.as_str()).collect();
                return Err(Failure::Input(format!(
                    "--state: {} frames for {} bodies; give one frame for each, in the order of the scene: {}",
                    flags.state.len(),
                    bodies.len(),
                    names.join(", ")
                )));
            }
            for (file, body) in flags.state.iter().zip(bodies) {
                let frame = vtu::read_state(Source::open(file)?)?;
                let needed = body.mesh.vertex_count();
                check(file, frame.positions.len(), needed, &format!("body '{}'", body.name))?;
                x.extend(frame.positions);
                v.extend(frame.velocities);
                v.resize(x.len(), [0.0; 3]);
                time = time.or(frame.time);
            }
        } else {
            let needed = simulation.vertices();
            let read = |file: &PathBuf| -> Result<Vectors, Failure> {
                let bytes = std::fs::read(file)
                    .map_err(|e| Failure::Input(format!("cannot read {}: {e}", file.display())))?;
                let list = npz::read_vectors(&bytes).map_err(|why| {
                    Failure::Input(format!(
                        "{}: {why}; save it by numpy.save(\"x.npy\", numpy.ascontiguousarray(x, dtype=float)) with x of shape (n, 3)",
                        file.display()
                    ))
                })?;
                check(file, list.len(), needed, "the scene")?;
                Ok(list)
            };
            for file in &flags.state {
                x = read(file)?;
            }
            v = flags.velocity.as_ref().map(read).transpose()?.unwrap_or_default();
            v.resize(x.len(), [0.0; 3]);
        }
        Ok((x, v, flags.time.or(time).unwrap_or(0.0)))
    }
}

fn check(file: &Path, found: usize, needed: usize, whose: &str) -> Result<(), Failure> {
    if found == needed {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{}: {found} vertices, but {whose} has {needed}; give all vertices, body after body, as the meshes number them",
        file.display()
    )))
}

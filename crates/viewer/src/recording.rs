//! [`Recording`]: frames into the chosen folder, and nowhere else. What the disk does wrong is told, and the
//! simulation goes on.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use pliant_scene::{FrameFormat, Recorder, Scene, SceneError, Simulation};

use crate::tool::is_plain;

/// Simulated time between frames, s.
const INTERVAL: f64 = 1.0 / 30.0;
/// Frames of a recording.
const MOST_FRAMES: u64 = 9000;
/// What recordings of one session may take on disk, bytes.
const MOST_BYTES: u64 = 4 << 30;
/// Files that hold all frames are made of the frames at the end, and may be a few times as large.
const SPARE: u64 = 4;
/// Recordings of one session.
const MOST_RECORDINGS: u32 = 200;

/// How recordings stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The folder of the recording.
    pub path: String,
    /// Frames so far.
    pub frames: u64,
    /// About how much is on disk.
    pub bytes: u64,
    /// Whether it goes on, and is not being finished.
    pub runs: bool,
}

/// What is recorded, and where.
#[derive(Default)]
pub struct Recording {
    /// None where nothing may be written.
    folder: Option<PathBuf>,
    now: Option<Recorder>,
    /// Of one that ends: how it stood, and who waits for the disk.
    ends: Option<(Standing, JoinHandle<Result<(), SceneError>>)>,
    count: u32,
    /// Of those that are done.
    bytes: u64,
}

impl Recording {
    /// Into folders inside of this one.
    pub(crate) fn into_folder(folder: Option<PathBuf>) -> Self {
        Self { folder, now: None, ends: None, count: 0, bytes: 0 }
    }

    /// Begins one, in a folder that was not there.
    pub(crate) fn begin(
        &mut self,
        name: &str,
        format: FrameFormat,
        (scene, text): (&Scene, &str),
        simulation: &mut Simulation,
    ) -> Result<(), SceneError> {
        let Some(folder) = &self.folder else {
            return Err(SceneError::new("nothing can be recorded here: no folder was chosen"));
        };
        if self.now.is_some() || self.ends.is_some() {
            return Err(SceneError::new("a recording is under way: end it first"));
        }
        if self.count >= MOST_RECORDINGS || self.bytes >= MOST_BYTES {
            let text = "this session has recorded as much as it may: start pliant view anew";
            return Err(SceneError::new(text));
        }
        let path = free(folder, name)?;
        self.count += 1;
        self.now = Some(Recorder::start(&path, scene, text, simulation, format, INTERVAL)?);
        Ok(())
    }

    /// After a step. Something to tell if the recording had to end.
    pub(crate) fn stepped(
        &mut self,
        simulation: &mut Simulation,
    ) -> Option<Result<(), SceneError>> {
        let recorder = self.now.as_mut()?;
        let outcome = recorder.stepped(simulation);
        let (frames, bytes) = (recorder.frames(), recorder.bytes());
        if let Err(error) = outcome {
            self.end();
            return Some(Err(error));
        }
        if frames >= MOST_FRAMES || (self.bytes + SPARE * bytes) >= MOST_BYTES {
            self.end();
            let text = format!(
                "the recording ends at {frames} frames and {} MB: no more is written at a time",
                bytes >> 20
            );
            return Some(Err(SceneError::new(text)));
        }
        None
    }

    /// Ends it. The disk may take a while, and nobody waits for it.
    pub(crate) fn end(&mut self) {
        let Some(recorder) = self.now.take() else { return };
        let standing = Standing { runs: false, ..standing(&recorder) };
        self.bytes += SPARE * recorder.bytes();
        self.ends = Some((standing, std::thread::spawn(move || recorder.finish())));
    }

    /// How the one that was ended last came out, once it is on disk.
    pub(crate) fn outcome(&mut self) -> Option<Result<String, SceneError>> {
        let (standing, thread) = self.ends.take_if(|(_, thread)| thread.is_finished())?;
        let outcome = thread
            .join()
            .unwrap_or_else(|_| Err(SceneError::computation("the writer of frames broke down")));
        let frames = if standing.frames == 1 { "frame is" } else { "frames are" };
        Some(outcome.map(|()| format!("{} {frames} in {}", standing.frames, standing.path)))
    }

    /// How it stands; nothing if nothing is recorded.
    pub fn standing(&self) -> Option<Standing> {
        let now = self.now.as_ref().map(standing);
        now.or_else(|| self.ends.as_ref().map(|(standing, _)| standing.clone()))
    }

    /// The chosen folder.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

impl Drop for Recording {
    /// What was recorded is on disk before the program ends.
    fn drop(&mut self) {
        self.end();
        if let Some((_, thread)) = self.ends.take() {
            let _ = thread.join();
        }
    }
}

fn standing(recorder: &Recorder) -> Standing {
    Standing {
        path: recorder.path().display().to_string(),
        frames: recorder.frames(),
        bytes: recorder.bytes(),
        runs: true,
    }
}

/// NAME-001, or the first number that nothing has.
fn free(folder: &Path, name: &str) -> Result<PathBuf, SceneError> {
    if !is_plain(name) {
        return Err(SceneError::new("a recording is named by letters, digits, '-' and '_'"));
    }
    let taken = |path: &PathBuf| path.symlink_metadata().is_ok();
    let mut numbers = (1..=999).map(|n| folder.join(format!("{name}-{n:03}")));
    numbers.find(|path| !taken(path)).ok_or_else(|| {
        let text = format!("{} has 999 recordings called {name}", folder.display());
        SceneError::new(text)
    })
}

//! [`Recording`]: frames into the chosen folder, and nowhere else. What the disk does wrong is told, and the
//! simulation goes on.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use pliant_scene::{FrameFormat, Recorder, Scene, SceneError, Simulation};

use crate::tool::is_plain;

/// Simulated time between frames, s.
const INTERVAL: f64 = 1.0 / 30.0;
/// Files that hold all frames are made of the frames at the end, and may be a few times as large.
const SPARE: u64 = 4;

/// What is written at most.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Frames of a recording.
    frames: u64,
    /// Of all recordings of a session on disk.
    bytes: u64,
    /// Recordings of a session.
    recordings: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { frames: 9000, bytes: 4 << 30, recordings: 200 }
    }
}

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
    limits: Limits,
}

impl Recording {
    /// Into folders inside of this one.
    pub(crate) fn into_folder(folder: Option<PathBuf>) -> Self {
        let mut recording = Self::default();
        recording.folder = folder;
        recording
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
        if self.count >= self.limits.recordings || self.bytes >= self.limits.bytes {
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
        if frames >= self.limits.frames || (self.bytes + SPARE * bytes) >= self.limits.bytes {
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use pliant_scene::Origin;

    use super::*;

    /// A small body, a folder, and a recorder with these limits.
    struct Set {
        scene: Scene,
        simulation: Simulation,
        folder: PathBuf,
        recording: Recording,
    }

    impl Set {
        fn new(name: &str, limits: Limits) -> Self {
            let sets = ["body.bar.mesh.across=1", "time.step=0.02"].map(str::to_owned).to_vec();
            let scene = Origin { scene: "bar".into(), sets }.load().unwrap();
            let simulation = Simulation::build_with(&scene, Vec::new()).unwrap();
            let folder = format!("pliant-limits-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            let mut recording = Recording::into_folder(Some(folder.clone()));
            recording.limits = limits;
            Self { scene, simulation, folder, recording }
        }

        fn begin(&mut self) -> Result<(), SceneError> {
            let Self { scene, simulation, recording, .. } = self;
            recording.begin("bar", FrameFormat::Obj, (scene, ""), simulation)
        }

        /// Steps until the recording ends by itself; what it says, and what is said when it is on disk.
        fn run(&mut self) -> (String, String) {
            let told = (0..1000).find_map(|_| {
                self.simulation.step().unwrap();
                self.recording.stepped(&mut self.simulation)
            });
            let limit = Instant::now() + Duration::from_secs(20);
            loop {
                if let Some(outcome) = self.recording.outcome() {
                    return (told.unwrap().unwrap_err().to_string(), outcome.unwrap());
                }
                assert!(Instant::now() < limit);
                std::thread::sleep(Duration::from_millis(5));
            }
        }

        fn files(&self) -> usize {
            let frames = |path: PathBuf| -> usize {
                let list = std::fs::read_dir(path).unwrap().flatten();
                list.map(|e| match e.path() {
                    path if path.is_dir() => std::fs::read_dir(path).unwrap().count(),
                    path => usize::from(path.extension().is_some_and(|e| e == "obj")),
                })
                .sum()
            };
            std::fs::read_dir(&self.folder).unwrap().flatten().map(|e| frames(e.path())).sum()
        }
    }

    impl Drop for Set {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    #[test]
    fn a_recording_ends_at_its_last_frame_and_what_there_is_stays() {
        let mut set = Set::new("frames", Limits { frames: 3, ..Limits::default() });
        set.begin().unwrap();
        let (told, outcome) = set.run();
        assert!(told.contains("ends at 3 frames"), "{told}");
        assert!(outcome.starts_with("3 frames are in"), "{outcome}");
        assert_eq!(set.files(), 3);
        // Another one may follow.
        set.begin().unwrap();
    }

    #[test]
    fn the_disk_is_not_filled() {
        let mut set = Set::new("bytes", Limits { bytes: 100_000, ..Limits::default() });
        set.begin().unwrap();
        let (told, _) = set.run();
        assert!(told.contains("no more is written"), "{told}");
        assert!(set.files() > 1, "{}", set.files());
        let error = set.begin().unwrap_err();
        assert!(error.to_string().contains("as much as it may"), "{error}");
    }

    #[test]
    fn there_are_only_so_many_recordings() {
        let limits = Limits { frames: 2, recordings: 1, ..Limits::default() };
        let mut set = Set::new("count", limits);
        set.begin().unwrap();
        let error = set.begin().unwrap_err();
        assert!(error.to_string().contains("under way"), "{error}");
        set.run();
        let error = set.begin().unwrap_err();
        assert!(error.to_string().contains("as much as it may"), "{error}");
    }
}

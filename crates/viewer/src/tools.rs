//! [`Tools`]: what people have in their hands besides springs: pins, a probe, a recorder.

use std::path::PathBuf;

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::Role;
use pliant_forces::ForceModel;
use pliant_scene::{Scene, SceneError, Simulation, Surface};
use serde_json::{Value, json};

use crate::pins::Pins;
use crate::probe::Probe;
use crate::recording::Recording;
use crate::tool::Tool;

/// The tools of a session.
#[derive(Default)]
pub struct Tools {
    /// What is pinned.
    pub pins: Pins,
    /// What pushes.
    pub probe: Probe,
    /// What is written.
    pub recording: Recording,
}

/// A force model of a system and what it stands for.
pub(crate) type Acting = (Role, Box<dyn ForceModel>);

impl Tools {
    /// Recordings go into this folder.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { recording: Recording::into_folder(folder), ..Self::default() }
    }

    /// The force models of tools that nobody uses yet, for a system to be made with.
    pub(crate) fn models(&self) -> [Acting; 2] {
        [(Role::Load, Box::new(self.pins.model())), (Role::Load, Box::new(self.probe.model()))]
    }

    /// Does what a page asks for. `text` is the scene as a file.
    pub(crate) fn apply(
        &mut self,
        tool: Tool,
        scene: &Scene,
        text: &dyn Fn() -> Result<String, SceneError>,
        simulation: &mut Simulation,
        rest: &[Surface],
    ) -> Result<(), SceneError> {
        match tool {
            Tool::Pin { body, triangle, weights } => {
                self.pins.put(simulation, rest, (body, triangle, weights))?;
            }
            Tool::Unpin { id } => self.pins.remove(id),
            Tool::UnpinAll => self.pins.clear(),
            Tool::Probe { at, radius, stiffness } => self.probe.aim(at, radius, stiffness),
            Tool::ProbeOff => self.probe.lift(),
            Tool::Record { name, format } => {
                self.recording.begin(&name, format, (scene, &text()?), simulation)?;
            }
            Tool::RecordEnd => self.recording.end(),
        }
        Ok(())
    }

    /// These tools in a simulation whose force models are those of `fresh`. Where it is another scene, pins and
    /// probe are left behind. A recording is of one scene with its settings, and ends.
    pub(crate) fn move_into(
        &mut self,
        fresh: &Self,
        same: bool,
        simulation: &mut Simulation,
        rest: &[Surface],
    ) -> Result<(), SceneError> {
        self.recording.end();
        if !same {
            self.pins.clear();
            self.probe.lift();
        }
        self.probe.move_into(fresh.probe.model(), rest);
        self.pins.move_into(fresh.pins.model(), simulation)
    }

    /// As models and recordings as JSON, for pages.
    pub(crate) fn json(&self, x: &[Vec3]) -> Value {
        let pins: Vec<Value> =
            self.pins.list(x).iter().map(|p| json!([p.id, p.at, p.force, p.spot])).collect();
        let probe = self.probe.sphere().map(|(at, radius)| {
            let rows: Vec<Value> = self
                .probe
                .rows()
                .map(|r| json!([r.step, r.time, r.travel, r.along, r.at, r.force]))
                .collect();
            let proxy = self.probe.proxy().map(
                |p| json!({"point": p.point, "normal": p.normal, "velocity": p.velocity}),
            );
            json!({
                "at": at, "radius": radius, "force": self.probe.force(), "proxy": proxy, "rows": rows,
            })
        });
        let recording = self
            .recording
            .standing()
            .map(|s| json!({"path": s.path, "frames": s.frames, "bytes": s.bytes, "runs": s.runs}));
        let folder = self.recording.folder().map(|f| f.display().to_string());
        json!({
            "type": "tools", "pins": pins, "probe": probe, "recording": recording, "folder": folder,
        })
    }
}

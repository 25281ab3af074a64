//! [`Tools`]: what people have in their hands besides springs: pins, a probe, a recorder.

use std::path::PathBuf;

use pliant_scene::{Scene, SceneError, Simulation, Surface};
use serde_json::{Value, json};

use crate::pins::{self, Pins};
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

impl Tools {
    /// Recordings go into this folder.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { recording: Recording::into_folder(folder), ..Self::default() }
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
            Tool::Unpin { id } => self.pins.remove(simulation, id),
            Tool::UnpinAll => self.pins.clear(simulation),
            Tool::Probe { at, radius, stiffness } => self.probe.aim(at, radius, stiffness),
            Tool::ProbeOff => self.probe.lift(simulation),
            Tool::Record { name, format } => {
                self.recording.begin(&name, format, (scene, &text()?), simulation)?;
            }
            Tool::RecordEnd => self.recording.end(),
        }
        Ok(())
    }

    /// Takes up a simulation that was just made, in the place of `before`, where that was the same scene with
    /// other settings. Without it, pins and probe are left behind. A recording is of one scene with its settings,
    /// and ends.
    pub(crate) fn move_into(
        &mut self,
        before: Option<&Simulation>,
        simulation: &mut Simulation,
        rest: &[Surface],
    ) -> Result<(), SceneError> {
        if let Some(before) = before {
            pins::copy(before, simulation)?;
        } else {
            self.pins.begin(simulation);
            self.probe.lift(simulation);
        }
        self.recording.end();
        self.probe.measure(rest);
        Ok(())
    }

    /// As models and recordings as JSON, for pages.
    pub(crate) fn json(&self, simulation: &Simulation) -> Value {
        let pins: Vec<Value> = self
            .pins
            .list(simulation)
            .iter()
            .map(|p| json!([p.id, p.at, p.force, p.spot]))
            .collect();
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

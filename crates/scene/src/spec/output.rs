//! What a run writes, and how often.

use pliant_units::Dimension;

use crate::error::SceneError;
use crate::file::table::Table;
use crate::output::formats::FrameFormat;
use crate::spec::table::TableSpec;
use crate::spec::time::{Analysis, TimeSpec};

/// `[output]`
#[derive(Debug, Clone)]
pub struct OutputSpec {
    /// Steps between frames; none without frames.
    pub frame_every: Option<u64>,
    /// Steps between rows of the history.
    pub history_every: u64,
    /// Steps between checkpoints.
    pub checkpoint_every: u64,
    /// Whether frames hold stresses.
    pub stress: bool,
    /// Whether frames hold pressure and gap of contact.
    pub contact: bool,
    /// Whether there is a report.
    pub report: bool,
    /// What frames are written as.
    pub formats: Vec<FrameFormat>,
    /// Tables that are written besides.
    pub tables: Vec<TableSpec>,
}

impl OutputSpec {
    /// Reads the table. Without it there are about a hundred frames and ten checkpoints.
    pub(crate) fn read(root: &Table<'_>, time: &TimeSpec) -> Result<Self, SceneError> {
        let steps = time.steps();
        let mut spec = Self {
            frame_every: Some(steps.div_ceil(100)),
            history_every: steps.div_ceil(10_000),
            checkpoint_every: steps.div_ceil(10),
            stress: true,
            contact: true,
            formats: vec![FrameFormat::Vtu],
            report: true,
            tables: Vec::new(),
        };
        let Some(t) = root.table("output")? else { return Ok(spec) };
        if let Some(interval) = t.quantity("frames", Dimension::TIME)? {
            spec.frame_every = match interval {
                i if i > 0.0 && time.analysis == Analysis::Static => Some(1),
                i if i > 0.0 => Some(((i / time.step).round() as u64).max(1)),
                _ => None,
            };
        }
        let every = |key| match t.count(key)? {
            Some(0) => Err(t.error(key, "at least 1 step")),
            Some(n) => Ok(Some(n as u64)),
            None => Ok(None),
        };
        if let Some(n) = every("history_every")? {
            spec.history_every = n;
        }
        if let Some(n) = every("checkpoint_every")? {
            spec.checkpoint_every = n;
        }
        if let Some(stress) = t.switch("stress")? {
            spec.stress = stress;
        }
        if let Some(contact) = t.switch("contact")? {
            spec.contact = contact;
        }
        if t.has("formats") {
            let names: Vec<_> = FrameFormat::ALL.iter().map(|f| (f.name(), *f)).collect();
            spec.formats = t.choices("formats", &names)?;
            if spec.formats.is_empty() {
                let error = t.error("formats", "at least one format is needed");
                return Err(error.hint("for a run without frames, frames = 0"));
            }
        }
        if let Some(report) = t.switch("report")? {
            spec.report = report;
        }
        spec.tables = TableSpec::read_all(&t)?;
        t.finish()?;
        Ok(spec)
    }

    /// Whether frames are written as this.
    pub fn writes(&self, format: FrameFormat) -> bool {
        self.frame_every.is_some() && self.formats.contains(&format)
    }
}

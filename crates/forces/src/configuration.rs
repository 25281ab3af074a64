//! [`Configuration`]: positions and velocities at a moment, and the start of the step that led there.

use std::ops::Range;

use pliant_algebra::vec3::Vec3;

use crate::memory::Memory;

/// Positions and velocities at a moment, one entry a vertex, with what models of two configurations and models
/// with memory need besides.
#[derive(Debug, Clone, Copy)]
pub struct Configuration<'a> {
    /// Current positions, m.
    pub x: &'a [Vec3],
    /// Velocities, m/s.
    pub v: &'a [Vec3],
    /// Time, s, for loads that depend on it.
    pub time: f64,
    /// Where the step under way began; absent outside of a step, where no time has passed since the memory
    /// was committed.
    pub start: Option<StepStart<'a>>,
    /// Committed memory: one entry for each model of the system that has memory, in their order; at most one
    /// entry where a single model is asked.
    pub memory: &'a [Memory],
    /// Positions from which corotated models take their frames, instead of `x`; the frames then count as
    /// constants, in forces, energies and tangents alike.
    pub frames: Option<&'a [Vec3]>,
    /// The positions from which areas of contact are taken, instead of the start of the step. Within a step this is the search for
    /// a state of rest: normal forces of friction are those of there too, and it resists the slip x − x₀ since the start, whatever the
    /// velocities.
    pub settled: Option<&'a [Vec3]>,
}

/// The configuration in which a step began.
#[derive(Debug, Clone, Copy)]
pub struct StepStart<'a> {
    /// Positions, m.
    pub x: &'a [Vec3],
    /// Velocities, m/s.
    pub v: &'a [Vec3],
    /// Time, s.
    pub time: f64,
    /// Length of the whole step, s; infinite where the state after any time is looked for. The time that has passed so far is
    /// [`Configuration::elapsed`].
    pub step: f64,
}

impl<'a> Configuration<'a> {
    /// A moment outside of any step, without memory.
    pub fn new(x: &'a [Vec3], v: &'a [Vec3], time: f64) -> Self {
        Self { x, v, time, start: None, memory: &[], frames: None, settled: None }
    }

    /// The same moment with other velocities.
    #[must_use]
    pub fn with_velocities(self, v: &'a [Vec3]) -> Self {
        Self { v, ..self }
    }

    /// Positions from which areas of contact and normal forces of friction are taken, if they are lagged.
    pub fn lagged(&self) -> Option<&'a [Vec3]> {
        self.settled.or(self.start.map(|start| start.x))
    }

    /// Seconds since the start of the step; 0 outside of a step, infinite in one of infinite length.
    pub fn elapsed(&self) -> f64 {
        match self.start {
            None => 0.0,
            Some(start) if start.step == f64::INFINITY => f64::INFINITY,
            Some(start) => self.time - start.time,
        }
    }

    /// The part of it that concerns the vertices of a range and the model with the given memory; `None` where
    /// there are fewer vertices.
    pub fn part(&self, vertices: Range<usize>, memory: &'a [Memory]) -> Option<Self> {
        let start = match self.start {
            None => None,
            Some(s) => Some(StepStart {
                x: s.x.get(vertices.clone())?,
                v: s.v.get(vertices.clone())?,
                ..s
            }),
        };
        let frames = match self.frames {
            None => None,
            Some(x) => Some(x.get(vertices.clone())?),
        };
        let settled = match self.settled {
            None => None,
            Some(x) => Some(x.get(vertices.clone())?),
        };
        Some(Self {
            x: self.x.get(vertices.clone())?,
            v: self.v.get(vertices)?,
            time: self.time,
            start,
            memory,
            frames,
            settled,
        })
    }
}

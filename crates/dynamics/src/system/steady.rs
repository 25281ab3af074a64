//! Whether what acts on a system stays as it is for a while.

use pliant_forces::{ForceError, TimeDependence};

use super::System;
use crate::State;

impl System {
    /// Whether nothing that acts on the vertices where a state has them will have changed by a time, s: supports are still, and loads
    /// exert the same forces then.
    pub fn is_steady(&mut self, state: &State, until: f64) -> Result<bool, ForceError> {
        let unknown = self.entries.iter().any(|e| e.character.time == TimeDependence::Unknown);
        // What relaxes goes on to do so.
        let relaxes = |e: &super::Entry| {
            e.character.time != TimeDependence::None && !e.character.memory.is_none()
        };
        if unknown || self.constraints.moves() || self.entries.iter().any(relaxes) {
            return Ok(false);
        }
        let [mut now, mut then] = std::mem::take(&mut self.scratch);
        let now_at = state.configuration();
        let then_at = pliant_forces::Configuration { time: until, ..now_at };
        let mut look = |at, g: &mut Vec<_>| {
            g.fill([0.0; 3]);
            let in_time = |e: &super::Entry| e.character.time == TimeDependence::Known;
            self.add_forces_of(at, |e| in_time(e).then_some(1.0), g)
        };
        let looked = look(&now_at, &mut now).and_then(|()| look(&then_at, &mut then));
        let same = now == then;
        self.scratch = [now, then];
        looked.map(|()| same)
    }
}

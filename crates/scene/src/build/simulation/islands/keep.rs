//! Islands in checkpoints: which ones there are, and what each has besides its part of the state of the whole.

use pliant_dynamics::{DynamicsError, State, System};
use pliant_model::{Body, Scenery};
use pliant_sections::Sections;

use super::carry::Place;
use super::{Island, Islands};
use crate::spec::time::TimeSpec;

const NAME: &str = "islands";

impl Islands {
    /// Writes what the next step goes on from.
    pub(in super::super) fn save(&self, to: &mut Sections) {
        let mut inner: Vec<(&Island, Vec<u64>)> = Vec::new();
        for &k in &self.active {
            let island = &self.made[k];
            let mut own = Sections::new();
            island.state.save(&mut own);
            island.system.save(&mut own);
            island.integrator.save(&mut own);
            let bytes = own.to_bytes();
            let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
            inner.push((island, words.collect()));
        }
        let mut section = to.write(NAME);
        section.flag(self.apart).count(inner.len());
        for (island, words) in inner {
            section.indices(&island.chosen.iter().map(|&k| k as u32).collect::<Vec<_>>());
            section.word(island.calm).words(&words);
        }
    }

    /// Makes the islands there were, and brings them to where they were.
    pub(in super::super) fn load(
        &mut self,
        from: &Sections,
        (bodies, scenery, system): (&[Body], &[Scenery], &System),
        time: &TimeSpec,
    ) -> Result<(), DynamicsError> {
        let whole = Place { bodies, scenery, system };
        self.active.clear();
        let mut section = from.read(NAME)?;
        self.apart = section.flag()?;
        for _ in 0..section.count()? {
            let chosen: Vec<usize> = section.indices()?.iter().map(|&k| k as usize).collect();
            let ascending = chosen.windows(2).all(|pair| pair[0] < pair[1]);
            let known = chosen.last().is_some_and(|&last| last < self.joined.len());
            if !(ascending && known) {
                return Err(section.wrong("bodies that are not those of this scene").into());
            }
            let calm = section.word()?;
            let bytes: Vec<u8> = section.words()?.iter().flat_map(|w| w.to_le_bytes()).collect();
            let own = Sections::from_bytes(&bytes)?;
            let made = Island::make(&self.scene, whole, &chosen)
                .map_err(|e| DynamicsError::Unsupported(e.to_string()))?;
            let Some(mut island) = made else {
                return Err(section.wrong("an island that cannot be made").into());
            };
            island.go_on(&own, time)?;
            island.calm = calm;
            self.made.push(island);
            self.active.push(self.made.len() - 1);
        }
        section.finish()?;
        Ok(())
    }
}

impl Island {
    /// Goes on from what was written of it.
    fn go_on(&mut self, from: &Sections, time: &TimeSpec) -> Result<(), DynamicsError> {
        let state = State::load(from)?;
        state.check(self.system.vertices())?;
        if state.memory.len() != self.state.memory.len() {
            return Err(from.read("memory")?.wrong("that of other models").into());
        }
        self.system.load(from)?;
        self.integrator.load(from, &self.system)?;
        self.state = state;
        self.open_ledger(time)
    }
}

//! Where a simulation goes on: from a checkpoint, or from another state.

use pliant_dynamics::{Balance, DynamicsError, Ledger, State};
use pliant_sections::Sections;

use super::islands::Islands;
use super::make::stop;
use super::{Driver, Simulation, Tally, load_rule};
use crate::error::SceneError;
use crate::run::depth::Depths;

impl Simulation {
    /// Writes what methods keep from step to step besides the state.
    pub(crate) fn save_methods(&self, to: &mut Sections) {
        self.system.save(to);
        self.depths.save(to);
        match &self.driver {
            Driver::Steps(integrator) => integrator.save(to),
            Driver::Rest(statics) => statics.save(to),
        }
        if let Some(islands) = &self.islands {
            islands.save(to);
        }
    }

    /// Reads what [`Simulation::save_methods`] wrote.
    fn load_methods(&mut self, from: &Sections) -> Result<(), DynamicsError> {
        self.system.load(from)?;
        self.depths.load(from)?;
        match &mut self.driver {
            Driver::Steps(integrator) => integrator.load(from, &self.system)?,
            Driver::Rest(statics) => statics.load(from, &self.system)?,
        }
        let Self { islands, bodies, scenery, system, time, .. } = self;
        islands.as_mut().map_or(Ok(()), |all| all.load(from, (bodies, scenery, system), time))
    }

    /// Forgets what methods keep besides the state: the next step is that of a new simulation in this state.
    pub fn forget(&mut self) {
        match &mut self.driver {
            Driver::Steps(integrator) => integrator.forget(),
            Driver::Rest(statics) => statics.forget(),
        }
        self.islands.iter_mut().for_each(Islands::forget);
    }

    /// Goes on from a state that another run of the same scene had come to, with what its methods kept. On error the
    /// state is what it was, and methods have forgotten what they kept.
    pub(crate) fn resume(
        &mut self,
        state: State,
        (carried, balance): ([f64; 4], Balance),
        tally: Tally,
        methods: &Sections,
    ) -> Result<(), DynamicsError> {
        state.check(self.system.vertices())?;
        let loaded = self.load_methods(methods);
        let ledger =
            loaded.and_then(|()| Ledger::resume(&mut self.system, &state, carried, balance));
        match ledger {
            Ok(ledger) => self.ledger = ledger.with_rule(load_rule(&self.time)),
            Err(error) => {
                self.forget();
                return Err(error);
            }
        }
        self.depths.look(&self.system, &state.x, state.time);
        self.state = state;
        self.stability.told(None);
        // What it took to come here is no part of the run.
        (self.before, self.uncounted) = (tally, self.counted());
        self.retries = tally.retries;
        Ok(())
    }

    /// Goes on from any state, of which energies are counted anew.
    pub fn adopt(&mut self, mut state: State) -> Result<(), SceneError> {
        state.check(self.system.vertices())?;
        self.enter_stage_of(state.steps)?;
        state.restart();
        let constraints = self.system.constraints();
        constraints.impose_positions(state.time, &mut state.x);
        constraints.impose_velocities(state.time, &mut state.v);
        self.system.settle(&mut state);
        stop(&self.time, &mut state);
        self.system.start_memory(&mut state)?;
        self.ledger = Ledger::new(&mut self.system, &state)?.with_rule(load_rule(&self.time));
        let Depths { touching, meetings, .. } = std::mem::take(&mut self.depths);
        self.depths = Depths::new(&self.bodies, touching.mode(), meetings);
        self.depths.look(&self.system, &state.x, state.time);
        self.state = state;
        self.stability.told(None);
        self.forget();
        Ok(())
    }
}

//! [`Simulation`]: a scene with its meshes, ready to move.

use std::time::{Duration, Instant};

use pliant_algebra::vec3::{Vec3, sub};
use pliant_dynamics::newton::Phases;
use pliant_dynamics::{
    Balance, Counters, DynamicsError, Integrator, Ledger, ModeSettings, Modes, Role, State,
    StaticMethod, Statics, StepReport, System, critical_step,
};
use pliant_forces::ForceModel;
use pliant_model::{Body, Matrices, Numbering, Probe, Support, World, WorldBuilder, reactions};
use pliant_sections::Sections;

use crate::build::restriction;
use crate::build::surface::Surface;
use crate::build::warnings;
use crate::build::world;
use crate::error::SceneError;
use crate::output::formats;
use crate::run::retry::{Attempt, Failure, MOST_PARTS, Retries};
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};

enum Driver {
    Steps(Box<dyn Integrator>),
    Rest(Box<Statics>),
}

/// What a run has done besides the state.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Iterations of the linear solver.
    pub linear_iterations: u64,
    /// Factorisations, or preconditioners made.
    pub factorizations: u64,
    /// Evaluations of the forces.
    pub evaluations: u64,
    /// Steps that failed and were divided.
    pub retries: Retries,
}

/// A scene in motion.
pub struct Simulation {
    /// Its bodies.
    pub bodies: Vec<Body>,
    /// What is watched.
    pub probes: Vec<Probe>,
    /// What holds bodies, of those that are held in several places.
    pub supports: Vec<Support>,
    /// What is odd about the scene.
    pub warnings: Vec<String>,
    surfaces: Vec<Surface>,
    time: TimeSpec,
    system: System,
    state: State,
    driver: Driver,
    ledger: Ledger,
    /// What was done before a checkpoint that this goes on from.
    before: Tally,
    /// What was done since this was made to get to that checkpoint.
    uncounted: Tally,
    /// Steps that were divided since this was made.
    retries: Retries,
    /// Where the last step, or part of one, began.
    step_start: State,
    last: StepReport,
    last_linear: u64,
    setup: Duration,
}

impl Simulation {
    /// Makes meshes, models and methods of a scene.
    pub fn build(scene: &Scene) -> Result<Self, SceneError> {
        Self::build_with(scene, Vec::new())
    }

    /// The same with forces that the scene does not know of, as a hand that pulls.
    pub fn build_with(
        scene: &Scene,
        others: Vec<(Role, Box<dyn ForceModel>)>,
    ) -> Result<Self, SceneError> {
        let clock = Instant::now();
        let mut warnings = scene.notes.clone();
        warnings.extend(warnings::of_scene(scene));
        let mut builder = WorldBuilder::new();
        builder.gravity(scene.gravity);
        world::bodies(scene, &mut builder, &mut warnings)?;
        world::external(scene, &mut builder)?;
        for (role, model) in others {
            builder.act(role, model);
        }
        let mut surfaces = Vec::new();
        for (spec, body) in scene.bodies.iter().zip(builder.bodies()) {
            surfaces.push(Surface::new(spec, body, &mut warnings)?);
        }
        warnings.extend(formats::warnings(scene, &surfaces));
        world::probes(scene, &mut builder)?;
        let World { bodies, probes, supports, system, mut state } = builder.build()?;
        let mut system = restriction::restrict(scene, &bodies, system)?;
        system.settle(&mut state);
        system.start_memory(&mut state)?;
        let time = scene.time.clone();
        let driver = match time.analysis {
            Analysis::Static => {
                state.time = time.end;
                let method: StaticMethod = time.options.static_method;
                Driver::Rest(Box::new(method.statics(&time.static_options())?))
            }
            _ => Driver::Steps(time.integrator.build(&time.options)?),
        };
        if let Driver::Steps(_) = &driver
            && time.integrator.imaginary_interval().is_finite()
            && time.options.control.is_none()
        {
            let critical = critical_step(&mut system, &state, time.integrator)?;
            warnings.extend(critical.warning(time.step));
        }
        let ledger = Ledger::new(&mut system, &state)?;
        Ok(Self {
            bodies,
            probes,
            supports,
            warnings,
            surfaces,
            time,
            system,
            state,
            driver,
            ledger,
            before: Tally::default(),
            uncounted: Tally::default(),
            retries: Retries::default(),
            step_start: State::default(),
            last: StepReport::default(),
            last_linear: 0,
            setup: clock.elapsed(),
        })
    }

    /// The surfaces to draw, one for each body in their order, where they are in the present state.
    pub fn surfaces(&mut self) -> &[Surface] {
        for surface in &mut self.surfaces {
            surface.move_to(&self.state.x);
        }
        &self.surfaces
    }

    /// The same, where they were when they were last asked for.
    pub fn drawn(&self) -> &[Surface] {
        &self.surfaces
    }

    /// How the motion is computed.
    pub fn time(&self) -> &TimeSpec {
        &self.time
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The system.
    pub fn system(&mut self) -> &mut System {
        &mut self.system
    }

    /// The system, to look at.
    pub fn system_ref(&self) -> &System {
        &self.system
    }

    /// Vertices of all bodies.
    pub fn vertices(&self) -> usize {
        self.state.len()
    }

    /// Cells of all bodies.
    pub fn cells(&self) -> usize {
        self.bodies.iter().map(|b| b.mesh.cell_count()).sum()
    }

    /// Whether the last step was made.
    pub fn is_done(&self) -> bool {
        self.state.steps >= self.time.steps()
    }

    /// Takes one step, or finds the state of rest. A step that fails is divided where the scene wants that (`time.retry`);
    /// it counts as one step, and ends when it would have ended whole. On error nothing has changed.
    pub fn step(&mut self) -> Result<(), SceneError> {
        let before = self.tally().linear_iterations;
        let Self { driver, system, state, ledger, step_start: start, time, retries, .. } = self;
        match driver {
            Driver::Steps(integrator) => {
                let made = state.steps;
                let (begin, h) = (state.time, time.step_length(made));
                let retries = time.retry.then_some(retries);
                let mut attempt =
                    Attempt { integrator: &mut **integrator, system, state, ledger, start };
                self.last = attempt.step(h, retries).map_err(|failure| match failure {
                    Failure::Plain(cause) => cause.into(),
                    Failure::Divided(cause) => SceneError::computation(format!(
                        "the step at t = {begin:.6} s failed even when divided into {MOST_PARTS} parts: {cause}"
                    ))
                    .because(cause),
                })?;
                // Methods that choose their steps count each of those, as parts of a step are; a scene counts its own.
                self.state.steps = made + 1;
            }
            Driver::Rest(statics) => {
                start.copy_from(state);
                let solved = statics.solve(system, state);
                if let Err(error) = solved.and_then(|_| ledger.record(system, state)) {
                    state.copy_from(start);
                    return Err(error.into());
                }
            }
        }
        self.last_linear = self.tally().linear_iterations - before;
        Ok(())
    }

    /// Makes a step that fails an error, whatever the scene says: where runs are compared, all steps are equal.
    pub fn never_retry(&mut self) {
        self.time.retry = false;
    }

    /// Iterations of the linear solver in the last step.
    pub fn last_linear_iterations(&self) -> u64 {
        self.last_linear
    }

    /// The time it took to make this of a scene.
    pub fn setup(&self) -> Duration {
        self.setup
    }

    /// Where the time of nonlinear solves went since this was made, for methods that look at the clock.
    pub fn phases(&self) -> Phases {
        match &self.driver {
            Driver::Steps(integrator) => integrator.phases(),
            Driver::Rest(statics) => statics.solver().phases(),
        }
    }

    /// Newton iterations of the last step, of implicit methods.
    pub fn last_iterations(&self) -> Option<usize> {
        self.last.newton.map(|n| n.iterations)
    }

    /// Energies since the start.
    pub fn balance(&self) -> Balance {
        self.ledger.balance()
    }

    /// The energy at the start, J.
    pub fn start_energy(&self) -> f64 {
        self.ledger.start()
    }

    /// Whether all inner forces come from an energy, so that the balance means something.
    pub fn has_energy(&self) -> bool {
        self.bodies.iter().all(Body::stores_energy)
    }

    /// Linear (kg m/s) and angular momentum about the origin (kg m²/s).
    pub fn momenta(&mut self) -> (Vec3, Vec3) {
        self.system.momenta(&self.state)
    }

    /// The sum of the forces by which each body is held, and then that of each of the [`Simulation::supports`], N.
    pub fn reactions(&mut self) -> Result<Vec<Vec3>, SceneError> {
        let Self { system, state, bodies, supports, .. } = self;
        Ok(reactions(system, state, bodies, supports)?)
    }

    /// What was done since the start.
    pub fn tally(&self) -> Tally {
        let (before, now, less) = (self.before, self.counted(), self.uncounted);
        let sum =
            |of: fn(&Tally) -> u64| of(&before).saturating_add(of(&now).saturating_sub(of(&less)));
        Tally {
            newton_iterations: sum(|t| t.newton_iterations),
            linear_iterations: sum(|t| t.linear_iterations),
            factorizations: sum(|t| t.factorizations),
            evaluations: sum(|t| t.evaluations),
            retries: self.retries,
        }
    }

    /// What was done since this was made.
    fn counted(&self) -> Tally {
        let Counters { iterations, linear_iterations, jacobians, .. } = match &self.driver {
            Driver::Steps(integrator) => integrator.counters(),
            Driver::Rest(statics) => statics.solver().counters(),
        };
        Tally {
            newton_iterations: iterations as u64,
            linear_iterations: linear_iterations as u64,
            factorizations: jacobians as u64,
            evaluations: self.system.evaluations() as u64,
            retries: self.retries,
        }
    }

    /// Writes what methods keep from step to step besides the state.
    pub(crate) fn save_methods(&self, to: &mut Sections) {
        self.system.save(to);
        match &self.driver {
            Driver::Steps(integrator) => integrator.save(to),
            Driver::Rest(statics) => statics.save(to),
        }
    }

    /// Reads what [`Simulation::save_methods`] wrote.
    fn load_methods(&mut self, from: &Sections) -> Result<(), DynamicsError> {
        self.system.load(from)?;
        match &mut self.driver {
            Driver::Steps(integrator) => integrator.load(from, &self.system),
            Driver::Rest(statics) => statics.load(from, &self.system),
        }
    }

    /// Forgets what methods keep besides the state: the next step is that of a new simulation in this state.
    pub fn forget(&mut self) {
        match &mut self.driver {
            Driver::Steps(integrator) => integrator.forget(),
            Driver::Rest(statics) => statics.forget(),
        }
    }

    /// Goes on from a state that another run of the same scene had come to, with what its methods kept. On error the
    /// state is what it was, and methods have forgotten what they kept.
    pub(crate) fn resume(
        &mut self,
        state: State,
        (start, balance): (f64, Balance),
        tally: Tally,
        methods: &Sections,
    ) -> Result<(), DynamicsError> {
        state.check(self.system.vertices())?;
        let loaded = self.load_methods(methods);
        let ledger = loaded.and_then(|()| Ledger::resume(&mut self.system, &state, start, balance));
        match ledger {
            Ok(ledger) => self.ledger = ledger,
            Err(error) => {
                self.forget();
                return Err(error);
            }
        }
        self.state = state;
        // What it took to come here is no part of the run.
        (self.before, self.uncounted) = (tally, self.counted());
        self.retries = tally.retries;
        Ok(())
    }

    /// Goes on from any state, of which energies are counted anew.
    pub fn adopt(&mut self, mut state: State) -> Result<(), SceneError> {
        state.check(self.system.vertices())?;
        state.restart();
        let constraints = self.system.constraints();
        constraints.impose_positions(state.time, &mut state.x);
        constraints.impose_velocities(state.time, &mut state.v);
        self.system.settle(&mut state);
        self.system.start_memory(&mut state)?;
        self.ledger = Ledger::new(&mut self.system, &state)?;
        self.state = state;
        self.forget();
        Ok(())
    }

    /// The matrices of the state, in the user's numbering: body after body, each as its mesh counts.
    pub fn matrices(&mut self) -> Result<Matrices, SceneError> {
        let numbering = self.numbering();
        Ok(Matrices::of(&mut self.system, &self.state, &numbering)?)
    }

    /// The numbers of vertices in the user's meshes and in the system.
    pub fn numbering(&self) -> Numbering {
        Numbering::of(&self.bodies)
    }

    /// The lowest natural modes about the state of rest, with the masses that steps are made with. Shapes are
    /// in the numbering of the system.
    pub fn modes(&mut self, settings: &ModeSettings) -> Result<Modes, SceneError> {
        let rest: Vec<Vec3> = self.bodies.iter().flat_map(Body::rest).collect();
        let rest = State::at_rest(&rest);
        self.system.follow_couplings(&rest.configuration())?;
        Ok(self.system.modes(&rest, settings)?)
    }

    /// Displacement of a probe, m.
    pub fn displacement(&self, probe: &Probe) -> Vec3 {
        sub(probe.at(&self.state.x), probe.rest)
    }
}

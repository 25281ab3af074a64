//! [`Simulation`]: a scene with its meshes, ready to move.

use std::time::{Duration, Instant};

use pliant_algebra::vec3::{Vec3, sub};
use pliant_contact::resultants::Resultant;
use pliant_dynamics::newton::Phases;
use pliant_dynamics::{
    Balance, Counters, DynamicsError, Integrator, Ledger, LoadRule, ModeSettings, Modes, Role,
    State, Statics, StepReport, System,
};
use pliant_forces::{ForceModel, Inspection};
use pliant_model::{Body, ContactMode, Numbering, Probe, Scenery, Support, moments, reactions};
use pliant_sections::Sections;
use pliant_solvers::SolverUse;
use pliant_units::si;

use crate::build::norm::Norm;
use crate::build::probe_stress::ProbeStress;
use crate::build::stability::Stability;
use crate::build::surface::Surface;
use crate::error::SceneError;
use crate::run::depth::{Depth, Depths};
use crate::run::meetings::{Meetings, Met};
use crate::run::retry::{Attempt, Failure, MOST_PARTS, Retries};
use crate::run::told::{Names, tell};
use crate::run::touching::{ContactForces, ContactTally, MOST_PAIRS, PairForce};
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};
use fields::Fields;
use islands::{Islands, Whole};
use make::{Made, make, stop};
use stages::Stages;

mod fields;
mod islands;
mod make;
mod matrices;
mod stages;

pub use stages::Others;

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
    /// Obstacles that are surfaces of triangles.
    pub scenery: Vec<Scenery>,
    /// What is watched.
    pub probes: Vec<Probe>,
    /// What holds bodies, of those that are held in several places.
    pub supports: Vec<Support>,
    /// Norms of fields.
    pub norms: Vec<Norm>,
    /// Stresses at probes.
    pub(crate) stresses: Vec<ProbeStress>,
    /// What is odd about the scene.
    pub warnings: Vec<String>,
    surfaces: Vec<Surface>,
    time: TimeSpec,
    system: System,
    state: State,
    driver: Driver,
    /// Bodies that are stepped as systems of their own, where there may be some.
    islands: Option<Islands>,
    ledger: Ledger,
    /// What was done before a checkpoint that this goes on from.
    before: Tally,
    /// What was done since this was made to get to that checkpoint.
    uncounted: Tally,
    /// Steps that were divided since this was made.
    retries: Retries,
    /// How deep bodies have been inside obstacles.
    depths: Depths,
    /// Pressure and gap of contact.
    fields: Fields,
    /// Whether steps are never divided, whatever a stage says.
    never_divided: bool,
    /// Steps of all stages.
    steps: u64,
    stages: Option<Stages>,
    /// Where the last step, or part of one, began.
    step_start: State,
    last: StepReport,
    last_linear: u64,
    stability: Stability,
    setup: Duration,
    /// Whether block rows of matrices stand for vertices.
    rows_are_vertices: bool,
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
        let stages = Stages::of(scene);
        // A hand may pull at any body, and a model of someone's own may couple all.
        let alone = others.is_empty();
        let made = match &stages {
            Some(_) => make(&scene.stage(0), others)?,
            None => make(scene, others)?,
        };
        let Made { bodies, probes, supports, norms, stresses, warnings, surfaces, .. } = made;
        let Made { time, mut system, state, driver, .. } = made;
        let mode = scene.contact.as_ref().map_or(ContactMode::Off, |c| c.contact.mode);
        let mut depths = Depths::new(&bodies, mode, Meetings::new(scene, &bodies)?);
        depths.look(&system, &state.x, state.time);
        let rows_are_vertices =
            scene.constraints.is_empty() && scene.bodies.iter().all(|b| b.reduced.is_none());
        let names = Names { bodies: &bodies, scenery: &made.scenery, rows_are_vertices };
        let ledger = Ledger::new(&mut system, &state).map_err(|e| tell(e, "", &names))?;
        let ledger = ledger.with_rule(load_rule(&time));
        let first = stages.as_ref().map(|_| scene.stage(0));
        let islands = alone.then(|| Islands::of(first.as_ref().unwrap_or(scene), &system, &state));
        Ok(Self {
            islands: islands.transpose()?.flatten(),
            rows_are_vertices,
            bodies,
            scenery: made.scenery,
            probes,
            supports,
            norms,
            stresses,
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
            depths,
            fields: Fields::default(),
            never_divided: false,
            steps: scene.time.steps(),
            stages,
            step_start: State::default(),
            last: StepReport::default(),
            last_linear: 0,
            stability: Stability::default(),
            setup: clock.elapsed(),
        })
    }

    /// The surfaces to draw, one for each body in their order, and then one for each obstacle of triangles, where they are in the present state.
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

    /// How many steps there are, of all stages.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the last step was made.
    pub fn is_done(&self) -> bool {
        self.state.steps >= self.steps
    }

    /// Takes one step, or finds the state of rest. A step that fails is divided where the scene wants that (`time.retry`);
    /// it counts as one step, and ends when it would have ended whole. On error nothing has changed.
    pub fn step(&mut self) -> Result<(), SceneError> {
        self.next_stage()?;
        let before = self.tally().linear_iterations;
        let Self { driver, system, state, ledger, step_start: start, time, retries, .. } = self;
        let names = Names {
            bodies: &self.bodies,
            scenery: &self.scenery,
            rows_are_vertices: self.rows_are_vertices,
        };
        // As the solver of a state of rest tells.
        let definite = match driver {
            Driver::Steps(integrator) => {
                let made = state.steps;
                let (begin, h) = (state.time, time.step_length(made));
                let apart = match &mut self.islands {
                    Some(islands) => {
                        let (bodies, scenery) = (&self.bodies[..], &self.scenery[..]);
                        let integrator = &mut **integrator;
                        let whole = Whole {
                            bodies,
                            scenery,
                            system,
                            state,
                            start,
                            ledger,
                            integrator,
                            time,
                            retries,
                        };
                        islands.step(whole, h)?
                    }
                    None => None,
                };
                self.last = if let Some(report) = apart {
                    report
                } else {
                    let retries = time.retry.then_some(retries);
                    let (integrator, seen) = (&mut **integrator, &mut |_: &State| ());
                    let mut attempt = Attempt { integrator, system, state, ledger, start, seen };
                    let made = attempt.step(h, retries);
                    made.map_err(|failure| told(failure, begin, &names))?
                };
                // Methods that choose their steps count each of those, as parts of a step are; a scene counts its own.
                self.state.steps = made + 1;
                self.last.newton.and_then(|newton| newton.definite)
            }
            Driver::Rest(statics) => {
                start.copy_from(state);
                let solved = statics.solve(system, state);
                let recorded = solved.and_then(|report| {
                    ledger.record_rest(system, state)?;
                    Ok(report)
                });
                match recorded {
                    Ok(report) => report.definite,
                    Err(error) => {
                        state.copy_from(start);
                        return Err(tell(error, "", &names));
                    }
                }
            }
        };
        self.stability.told(definite);
        self.depths.look(&self.system, &self.state.x, self.state.time);
        self.depths.touching.count(self.last_iterations().unwrap_or(0));
        self.last_linear = self.tally().linear_iterations - before;
        Ok(())
    }

    /// Counts the inverted quadrature points of all elements and finds the smallest J, in the present state; none where
    /// no body has elements.
    pub fn inspect(&mut self) -> Result<Option<Inspection>, SceneError> {
        Ok(self.system.inspect(&self.state.x)?)
    }

    /// Says whether a state of rest is stable: true if its tangent is positive definite, false if it is not. None in
    /// motion, before the first step, and where it is not known: the tangent is not symmetric, bodies are reduced, or
    /// there are too many vertices to factor it where the solver does not.
    pub fn stable(&mut self) -> Option<bool> {
        if self.time.analysis == Analysis::Dynamic || self.state.steps == 0 {
            return None;
        }
        let at_end = self.is_done();
        self.stability.look(&mut self.system, &self.state, at_end)
    }

    /// Returns how many eigenvalues of the tangent are negative in a state of rest that is not stable. One factorisation, for
    /// ends of runs.
    pub fn negative_pivots(&mut self) -> Option<usize> {
        let unstable = self.stable() == Some(false);
        unstable.then(|| self.stability.negative_pivots(&mut self.system, &self.state)).flatten()
    }

    /// Makes a step that fails an error, whatever the scene says: where runs are compared, all steps are equal.
    pub fn never_retry(&mut self) {
        (self.time.retry, self.never_divided) = (false, true);
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
        let own = self.driver.phases();
        let now = self.islands.as_ref().map_or(own, |islands| stages::sum(own, islands.phases()));
        self.stages.as_ref().map_or(now, |stages| stages::sum(stages.phases, now))
    }

    /// The methods that have solved linear systems so far, and why these; none where the analysis solves none by a solver that can be chosen.
    pub fn linear_solver(&self) -> Option<SolverUse> {
        let chosen = match &self.driver {
            Driver::Steps(integrator) => integrator.chosen(),
            Driver::Rest(statics) => statics.solver().chosen(),
        };
        let chosen = self.islands.as_ref().and_then(Islands::chosen).or(chosen);
        let named = self.time.takes_linear_solver().then(|| self.time.options.solver.taken());
        chosen.or(named)
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

    /// What checkpoints hold of the balance besides itself.
    pub(crate) fn carried_balance(&self) -> [f64; 4] {
        self.ledger.carried()
    }

    /// Whether a material remembers, so that it relaxes with time.
    pub fn remembers(&self) -> bool {
        self.bodies.iter().any(|body| body.memories().iter().any(Option::is_some))
    }

    /// Whether all inner forces come from an energy, so that the balance means something.
    pub fn has_energy(&self) -> bool {
        self.bodies.iter().all(Body::stores_energy)
    }

    /// How deep each body has been inside obstacles since the start.
    pub fn depths(&self) -> &[Depth] {
        self.depths.bodies()
    }

    /// Contact between bodies since the start; none where the scene has none.
    pub fn contact(&self) -> Option<ContactTally> {
        let [islands, asleep] = self.islands().map(|count| count as u64);
        self.depths.touching.tally().map(|tally| ContactTally { islands, asleep, ..tally })
    }

    /// How many sets of bodies were stepped as systems of their own in the last step, and how many of these sleep.
    pub fn islands(&self) -> [usize; 2] {
        self.islands.as_ref().map_or([1, 0], Islands::count)
    }

    /// Pairs of bodies that have met without contact so far.
    pub(crate) fn meetings(&self) -> &[Met] {
        self.depths.meetings.met()
    }

    /// Looks at where bodies are now.
    pub(crate) fn look_for_meetings(&mut self) {
        self.depths.meetings.look_now(&self.state.x, self.state.time);
    }

    /// Whether areas of contact are those of the start of the last step: not where nothing has moved, nor at rest, where they are those
    /// of the state itself.
    fn lagged(&self) -> bool {
        self.time.analysis == Analysis::Dynamic
            && self.step_start.time < self.state.time
            && self.step_start.len() == self.state.len()
    }

    /// Forces of contact between bodies now, and what friction has taken since the start.
    pub fn contact_forces(&mut self) -> ContactForces {
        let lagged = self.lagged();
        let Self { depths, system, state, bodies, scenery, step_start, .. } = self;
        let start = lagged.then_some(&step_start.x[..]);
        let [friction_work, friction_stored] = depths.touching.friction(system, state);
        let names: Vec<&String> =
            bodies.iter().map(|b| &b.name).chain(scenery.iter().map(|s| &s.name)).collect();
        let name = |body: u32| names[body as usize].clone();
        let pair = |r: &Resultant| {
            let (force, torque) = (r.force, r.torque);
            PairForce { bodies: r.bodies.map(name), force, torque }
        };
        let pairs = depths.touching.forces(system, state, start).iter().map(pair).collect();
        ContactForces { friction_work, friction_stored, pairs }
    }

    /// The pairs of bodies whose forces are in the history: all, where there is contact and there are not too many.
    pub(crate) fn contact_pairs(&self) -> Vec<[u32; 2]> {
        let bodies = self.bodies.len() as u32;
        let all = bodies + self.scenery.len() as u32;
        let of = |a: u32| (a + 1..all).map(move |b| [a, b]);
        let pairs: Vec<[u32; 2]> = (0..bodies).flat_map(of).collect();
        let few = self.contact().is_some() && pairs.len() as u32 <= MOST_PAIRS;
        if few { pairs } else { Vec::new() }
    }

    /// The name of a body or, numbered after them, of an obstacle of triangles.
    pub(crate) fn touching_name(&self, number: u32) -> &str {
        let (number, bodies) = (number as usize, self.bodies.len());
        let body = self.bodies.get(number).map(|b| &b.name);
        let scenery = || self.scenery.get(number.wrapping_sub(bodies)).map(|s| &s.name);
        body.or_else(scenery).map_or("", |name| name)
    }

    /// Force of each of these pairs, on the first by the second, N, and its torque about the origin, N m.
    pub(crate) fn forces_of(&mut self, pairs: &[[u32; 2]]) -> Vec<[Vec3; 2]> {
        let lagged = self.lagged();
        let Self { depths, system, state, step_start, .. } = self;
        let start = lagged.then_some(&step_start.x[..]);
        let sums = depths.touching.forces(system, state, start);
        let both = |&pair| sums.get(pair).map_or([[0.0; 3]; 2], |r| [r.force, r.torque]);
        pairs.iter().map(both).collect()
    }

    /// What is to be said of bodies that have sunk in.
    pub(crate) fn depth_warnings(&self, scene: &Scene) -> Vec<String> {
        self.depths.warnings(scene)
    }

    /// Linear (kg m/s) and angular momentum about the origin (kg m²/s).
    pub fn momenta(&mut self) -> (Vec3, Vec3) {
        self.system.momenta(&self.state)
    }

    /// The sum of the forces by which each body is held, and then that of each of the [`Simulation::supports`], N.
    pub fn reactions(&mut self) -> Result<Vec<Vec3>, SceneError> {
        let lagged = self.lagged();
        let Self { system, state, bodies, supports, step_start, .. } = self;
        let lagged = lagged.then_some(&step_start.x[..]);
        Ok(reactions(system, (state, lagged), bodies, supports)?)
    }

    /// Moments of the forces of the [`Simulation::supports`] about the points they name, N m; zero for those that name none.
    pub fn moments(&mut self) -> Result<Vec<Vec3>, SceneError> {
        let lagged = self.lagged().then_some(&self.step_start.x[..]);
        Ok(moments(&mut self.system, (&self.state, lagged), &self.supports)?)
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

    /// What nonlinear solvers have done since this was made.
    pub fn counters(&self) -> Counters {
        let own = match &self.driver {
            Driver::Steps(integrator) => integrator.counters(),
            Driver::Rest(statics) => statics.solver().counters(),
        };
        self.islands.as_ref().map_or(own, |all| islands::add(own, all.counters()))
    }

    /// What was done since this was made.
    fn counted(&self) -> Tally {
        let Counters { iterations, linear_iterations, jacobians, .. } = self.counters();
        let islands = self.islands.as_ref();
        let evaluations = self.system.evaluations() + islands.map_or(0, Islands::evaluations);
        Tally {
            newton_iterations: iterations as u64,
            linear_iterations: linear_iterations as u64,
            factorizations: jacobians as u64,
            evaluations: evaluations as u64,
            retries: self.retries,
        }
    }

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

/// The error of a step that begins at a time, s.
fn told(failure: Failure, begin: f64, names: &Names<'_>) -> SceneError {
    match failure {
        Failure::Plain(cause) => tell(cause, "", names),
        Failure::Divided(cause) => {
            let text = format!(
                "the step at t = {} failed even when divided into {MOST_PARTS} parts: ",
                si(begin, "s")
            );
            tell(cause, &text, names)
        }
    }
}

/// How the work of loads is summed up.
fn load_rule(time: &TimeSpec) -> LoadRule {
    time.integrator.load_rule(&time.options)
}

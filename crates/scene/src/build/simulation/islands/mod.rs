//! [`Islands`]: bodies that nothing couples are stepped as systems of their own.
//!
//! Two bodies are coupled where an attachment joins them, and where there is contact and the boxes around their surfaces, on their way through
//! the step, come within reach of each other. A connected set of bodies is an island. It is made of the scene of these bodies alone ([`part`]),
//! with a numbering, forces, and an integrator of its own, so that nothing of it, not the last bit, depends on bodies elsewhere: neither sums over
//! unknowns, nor where a solve stops, nor a bound by a time of impact.
//!
//! Which bodies are coupled is predicted from the state at which a step begins. Where bodies of two islands have come within
//! reach of each other all the same, the step of these is taken again with both as one. So no step depends on the prediction, but for the work it
//! takes. While all bodies are in one island the system of the scene is stepped, as if there were no islands.
//!
//! With `contact.sleep` an island that has come to rest is not stepped until bodies come near ([`sleep`]). For that all bodies
//! are an island too.
//!
//! An island goes on with what its methods keep as long as it stays what it is. One that comes to be is that of a new simulation in
//! this state. All that is a part of the motion (states of before, what friction remembers) is in the state of the whole, which is gathered
//! after each step: everybody else sees that one.

mod carry;
mod island;
mod keep;
mod part;
mod sets;
mod sleep;

use pliant_algebra::vec3::{Vec3, add_scaled, norm};
use pliant_contact::hulls::Hulls;
use pliant_dynamics::newton::Phases;
use pliant_dynamics::{
    Counters, Integrator, Ledger, PartEntries, Solves, State, StepReport, System,
};
use pliant_model::{Body, ContactMode, Scenery};
use pliant_solvers::SolverUse;

use self::carry::{Gathering, Place};
use self::island::{Island, hulls};
use self::sets::Sets;
use super::stages::sum;
use crate::error::SceneError;
use crate::run::retry::{Failure, Retries};
use crate::run::told::Names;
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};

/// Islands that are not stepped now are kept for later, so many for each body.
const KEPT: usize = 3;

/// The islands of a scene, or of one of its stages.
pub(super) struct Islands {
    scene: Box<Scene>,
    /// For each body the lowest one that it is joined to for ever.
    joined: Vec<usize>,
    /// Boxes of all bodies, to predict which of them meet; none without contact.
    hulls: Option<Hulls>,
    ahead: Vec<Vec3>,
    sets: Sets,
    members: Vec<usize>,
    /// Those that were made, and which of them are stepped, by their lowest body; none while all is one.
    made: Vec<Island>,
    active: Vec<usize>,
    /// Whether those that have come to rest sleep.
    sleep: bool,
    /// Whether the system of the scene was not the last one to be stepped.
    apart: bool,
    gathering: Gathering,
    /// What islands have counted that are not kept any more.
    dropped: Counters,
    evaluations: usize,
}

/// All of a simulation that a step changes.
pub(super) struct Whole<'a> {
    pub(super) bodies: &'a [Body],
    pub(super) scenery: &'a [Scenery],
    pub(super) system: &'a mut System,
    pub(super) state: &'a mut State,
    pub(super) start: &'a mut State,
    pub(super) ledger: &'a mut Ledger,
    pub(super) integrator: &'a mut dyn Integrator,
    pub(super) time: &'a TimeSpec,
    pub(super) retries: &'a mut Retries,
}

impl Whole<'_> {
    fn place(&self) -> Place<'_> {
        Place { bodies: self.bodies, scenery: self.scenery, system: self.system }
    }
}

impl Islands {
    /// Those of a scene, or of one of its stages, as it was made. None where there can only be one: a single body, bodies that are all joined, and
    /// methods whose steps follow from all bodies.
    pub(super) fn of(
        scene: &Scene,
        system: &System,
        state: &State,
    ) -> Result<Option<Self>, SceneError> {
        let time = &scene.time;
        let implicit = time.analysis == Analysis::Dynamic
            && time.integrator.entry().solves == Solves::Newton
            && time.options.control.is_none();
        let sleep = scene.contact.as_ref().is_some_and(|spec| spec.sleep);
        if scene.bodies.len() < 2 && !sleep || !implicit {
            return Ok(None);
        }
        let mode = scene.contact.as_ref().map(|spec| spec.contact.mode);
        let hulls = hulls(system);
        // Bodies that meet in other ways than by a force are not found.
        if mode.is_some_and(|mode| mode != ContactMode::Off) && hulls.is_none() {
            return Ok(None);
        }
        let joined = part::joined(scene)?;
        let mut sets = Sets::default();
        sets.reset(&joined);
        if sets.count() < 2 && !sleep {
            return Ok(None);
        }
        Ok(Some(Self {
            scene: Box::new(scene.clone()),
            joined,
            hulls,
            ahead: Vec::with_capacity(state.len()),
            sets,
            members: Vec::new(),
            made: Vec::new(),
            active: Vec::new(),
            sleep,
            apart: false,
            gathering: Gathering::default(),
            dropped: Counters::default(),
            evaluations: 0,
        }))
    }

    /// How many there are now, and how many of them sleep.
    pub(super) fn count(&self) -> [usize; 2] {
        let asleep = self.active.iter().filter(|&&k| self.made[k].sleeps()).count();
        [self.active.len().max(1), asleep]
    }

    /// Forgets all that islands keep: the next step goes on from the state of the whole.
    pub(super) fn forget(&mut self) {
        self.active.clear();
    }

    /// Takes a step of h seconds. None where the system of the scene is to be stepped, as all bodies are coupled. On error nothing has
    /// changed, but for what methods keep.
    pub(super) fn step(
        &mut self,
        mut whole: Whole<'_>,
        h: f64,
    ) -> Result<Option<StepReport>, SceneError> {
        self.predict(whole.state, h);
        for &k in &self.active {
            self.made[k].stepped = None;
        }
        loop {
            let one = self.sets.count() == 1 && !self.sleep;
            if one || !self.activate(&whole)? {
                self.join_all(&mut whole)?;
                return Ok(None);
            }
            self.doze(h).inspect_err(|_| self.active.clear())?;
            if let Err((k, failure)) = self.advance(h, whole.time.retry) {
                let Island { bodies, scenery, .. } = &self.made[k];
                let rows_are_vertices = self.rows_are_vertices();
                let names = Names { bodies, scenery, rows_are_vertices };
                let error = super::told(failure, whole.state.time, &names);
                self.forget();
                return Err(error);
            }
            if !self.have_met() {
                return Ok(Some(self.gather(&mut whole)));
            }
        }
    }

    /// Whether block rows of matrices stand for vertices.
    fn rows_are_vertices(&self) -> bool {
        let scene = &self.scene;
        scene.constraints.is_empty() && scene.bodies.iter().all(|b| b.reduced.is_none())
    }

    /// Finds the sets of bodies that are coupled if all go on as they move now.
    fn predict(&mut self, state: &State, h: f64) {
        let Self { hulls, sets, ahead, joined, .. } = self;
        sets.reset(joined);
        let Some(hulls) = hulls else { return };
        ahead.clear();
        ahead.extend(state.x.iter().zip(&state.v).map(|(&x, &v)| add_scaled(x, v, h)));
        hulls.clear();
        hulls.cover(&state.x);
        hulls.cover(ahead);
        for a in 0..joined.len() {
            for b in a + 1..joined.len() {
                if Hulls::are_near([hulls.of(a), hulls.of(b)], hulls.reach()) {
                    sets.join(a, b);
                }
            }
        }
    }

    /// Makes the active islands those of the sets. False where there cannot be such islands.
    fn activate(&mut self, whole: &Whole<'_>) -> Result<bool, SceneError> {
        let Self { made: islands, active, sets, .. } = self;
        active.retain(|&k| sets.is_set(&islands[k].chosen));
        if active.len() == sets.count() {
            return Ok(true);
        }
        for lowest in sets.lowest_members() {
            if active.iter().any(|&k| islands[k].chosen[0] == lowest) {
                continue;
            }
            self.members.clear();
            self.members.extend(sets.members(lowest));
            let known = islands.iter().position(|island| island.chosen == self.members);
            let k = match known {
                Some(k) => k,
                None => match Island::make(&self.scene, whole.place(), &self.members)? {
                    Some(island) => {
                        islands.push(island);
                        islands.len() - 1
                    }
                    None => return Ok(false),
                },
            };
            islands[k].begin((whole.system, whole.state), whole.time)?;
            active.push(k);
        }
        active.sort_by_key(|&k| islands[k].chosen[0]);
        self.apart = true;
        self.drop_spare();
        Ok(true)
    }

    /// Gives up islands that were made first, where too many wait.
    fn drop_spare(&mut self) {
        let most = KEPT * self.joined.len();
        while self.made.len() > most.max(self.active.len()) {
            let waits = |k: &usize| !self.active.contains(k);
            let Some(k) = (0..self.made.len()).find(waits) else { return };
            let island = self.made.remove(k);
            self.dropped = add(self.dropped, island.integrator.counters());
            self.evaluations += island.system.evaluations();
            for active in &mut self.active {
                *active -= usize::from(*active > k);
            }
        }
    }

    /// Lets those that sleep skip the step, where the scene wants that.
    fn doze(&mut self, h: f64) -> Result<(), SceneError> {
        if self.sleep {
            for &k in &self.active {
                let island = &mut self.made[k];
                if island.stepped.is_none() {
                    island.doze(h)?;
                }
            }
        }
        Ok(())
    }

    /// Steps the islands that have not made the step yet.
    fn advance(&mut self, h: f64, divide: bool) -> Result<(), (usize, Failure)> {
        for &k in &self.active {
            let island = &mut self.made[k];
            if island.stepped.is_none() {
                island.step(h, divide).map_err(|failure| (k, failure))?;
            }
        }
        Ok(())
    }

    /// Joins the sets of bodies that have come within reach of each other on their way; returns whether there were any.
    fn have_met(&mut self) -> bool {
        let Some(reach) = self.hulls.as_ref().map(Hulls::reach) else { return false };
        let mut met = false;
        for (i, &first) in self.active.iter().enumerate() {
            for &second in &self.active[i + 1..] {
                let (first, second) = (&self.made[first], &self.made[second]);
                let (Some(one), Some(other)) = (&first.hulls, &second.hulls) else { continue };
                for (a, &p) in first.chosen.iter().enumerate() {
                    for (b, &q) in second.chosen.iter().enumerate() {
                        if Hulls::are_near([one.of(a), other.of(b)], reach) {
                            met |= self.sets.join(p, q);
                        }
                    }
                }
            }
        }
        met
    }

    /// Goes on with the system of the scene, from the state that islands have led to.
    fn join_all(&mut self, whole: &mut Whole<'_>) -> Result<(), SceneError> {
        self.active.clear();
        if std::mem::take(&mut self.apart) {
            whole.integrator.forget();
            whole.system.forget_couplings()?;
            whole.ledger.catch_up(whole.system, whole.state)?;
        }
        Ok(())
    }

    /// Brings the ends of all islands together.
    fn gather(&mut self, whole: &mut Whole<'_>) -> StepReport {
        let Self { made: islands, active, gathering, .. } = self;
        whole.start.copy_from(whole.state);
        gathering.gather((whole.system, whole.state), islands, active);
        let (mut entries, mut report) = (PartEntries::default(), StepReport::default());
        let mut divided = Retries::default();
        for &k in &*active {
            let Island { link, state, start, ledger, stepped, retries, .. } = &mut islands[k];
            link.copy_up(&mut whole.start.x, &start.x);
            (whole.state.time, whole.state.steps) = (state.time, state.steps);
            let (own, dissipated) = ledger.drain(state);
            entries = entries.and(&own);
            whole.state.dissipated += dissipated;
            report = both(report, stepped.take().unwrap_or_default());
            divided.join(retries);
        }
        if self.sleep {
            let gravity = norm(self.scene.gravity);
            for &k in &*active {
                islands[k].count_calm(gravity);
            }
        }
        whole.ledger.record_parts(&entries);
        whole.retries.take_in(&divided);
        report
    }

    /// What all have done since they were made.
    pub(super) fn counters(&self) -> Counters {
        self.made.iter().fold(self.dropped, |sum, i| add(sum, i.integrator.counters()))
    }

    /// How often they have evaluated forces.
    pub(super) fn evaluations(&self) -> usize {
        self.evaluations + self.made.iter().map(|i| i.system.evaluations()).sum::<usize>()
    }

    /// Where the time of their solves went.
    pub(super) fn phases(&self) -> Phases {
        self.made.iter().fold(Phases::default(), |all, i| sum(all, i.integrator.phases()))
    }

    /// The method that the largest of them has solved linear systems by, where one was chosen.
    pub(super) fn chosen(&self) -> Option<SolverUse> {
        let mut active: Vec<&Island> = self.active.iter().map(|&k| &self.made[k]).collect();
        active.sort_by_key(|island| std::cmp::Reverse(island.state.len()));
        active.first().and_then(|island| island.integrator.chosen())
    }
}

/// The report of two islands.
fn both(mut one: StepReport, other: StepReport) -> StepReport {
    match (&mut one.newton, other.newton) {
        (Some(sum), Some(other)) => {
            sum.iterations += other.iterations;
            sum.residual = sum.residual.max(other.residual);
            sum.scale = sum.scale.max(other.scale);
            sum.definite = sum.definite.zip(other.definite).map(|(a, b)| a && b);
        }
        (None, newton) => one.newton = newton,
        (Some(_), None) => {}
    }
    one
}

/// Sums of both.
pub(super) fn add(a: Counters, b: Counters) -> Counters {
    Counters {
        solves: a.solves + b.solves,
        iterations: a.iterations + b.iterations,
        residuals: a.residuals + b.residuals,
        jacobians: a.jacobians + b.jacobians,
        jacobians_first: a.jacobians_first + b.jacobians_first,
        jacobians_slow: a.jacobians_slow + b.jacobians_slow,
        jacobians_worse: a.jacobians_worse + b.jacobians_worse,
        jacobians_projected: a.jacobians_projected + b.jacobians_projected,
        jacobians_regularised: a.jacobians_regularised + b.jacobians_regularised,
        linear_iterations: a.linear_iterations + b.linear_iterations,
        shortened: a.shortened + b.shortened,
        inversions: a.inversions + b.inversions,
        patterns: a.patterns + b.patterns,
    }
}

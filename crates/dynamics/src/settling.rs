//! [`Settling`]: states of rest of bodies in contact.
//!
//! Areas of contact and normal forces of friction are lagged, in a step as here: with those of the present there would be
//! no energy to lower. So rest is looked for in rounds, each with what the one before has found, until a state
//! balances with what it says itself. Friction resists the slip since the start of the load step: its answer depends on the path
//! of the load.
//!
//! Bodies that only contact holds have a singular stiffness. In their rounds they are drawn back to where the round began by
//! σ M (u − u₀) (the proximal point method; Rockafellar, Monotone operators and the proximal point algorithm, 1976), which
//! vanishes where a state balances. A body that is in the air falls by a part of its size in the first round. σ becomes smaller from
//! round to round, and larger where Newton's method fails.

use pliant_algebra::vec3::{Vec3, sub};
use pliant_forces::Memory;
use pliant_solvers::sums;

use crate::equilibrium::{Anchor, Equilibrium};
use crate::newton::NewtonReport;
use crate::vector::{add_scaled, dot, norm, set_sum};
use crate::{DynamicsError, NonlinearSolver, Problem, State, System};

/// Rounds before it is an error.
const ROUNDS: usize = 100;
/// Rounds that are taken again with a stronger anchor.
const FAILURES: usize = 10;
/// The part of the size of a body that it falls by in the first round.
const FALL: f64 = 0.5;
/// A round that moves a body by this part of its size did not meet anything that holds it.
const FAR: f64 = 0.2;
/// σ of the next round over that of the last: where nothing was met, where something was, and where Newton's method failed.
const STRENGTH: [f64; 3] = [0.25, 0.1, 16.0];
/// The least σ over the first one.
const LEAST: f64 = 1e-4;
/// A body that has moved by so many sizes without meeting anything will not.
const FARTHEST: f64 = 100.0;
/// Rounds in which what lags follows the whole way.
const FREE: usize = 4;
/// Parts of the way by which it follows then: from this one on all of it, and at least.
const WHOLE: f64 = 0.7;
const SMALLEST: f64 = 0.05;
/// Moves of this part of the activation distance are none.
const STILL: f64 = 1e-7;

/// What a search for rest is about, but for what its rounds change.
pub(crate) struct Setting<'a> {
    pub(crate) system: &'a mut System,
    pub(crate) state: &'a State,
    pub(crate) start: &'a [Vec3],
    pub(crate) x: &'a mut [Vec3],
    pub(crate) still: &'a [Vec3],
    pub(crate) h: f64,
}

impl Setting<'_> {
    /// The problem of the present round.
    pub(crate) fn problem<'b>(&'b mut self, rounds: &'b mut Settling) -> Equilibrium<'b> {
        let Settling { settled, anchored, room, strength, contact, .. } = rounds;
        let anchor = strength.map(|strength| Anchor { strength, at: anchored, room });
        Equilibrium {
            system: self.system,
            state: self.state,
            start: self.start,
            x: self.x,
            still: self.still,
            h: self.h,
            settled: contact.then_some(&**settled),
            anchor,
        }
    }
}

/// The rounds of a search.
#[derive(Default)]
pub(crate) struct Settling {
    /// Whether there is contact; without it there is one round.
    contact: bool,
    /// Positions that lagged areas and forces are of, m.
    pub(crate) settled: Vec<Vec3>,
    /// u at the start of the round, m.
    anchored: Vec<Vec3>,
    room: [Vec<Vec3>; 2],
    /// How far the end of the last round was from what lagged in it, and the part of that by which what lags has followed.
    off: Vec<Vec3>,
    part: f64,
    /// σ of the present round, 1/s², where something floats, and of the first one.
    strength: Option<f64>,
    first: f64,
    /// Of the end of a search.
    pub(crate) memory: Vec<Memory>,
}

impl Settling {
    /// Begins a search; `floats` says whether only contact can hold some body.
    pub(crate) fn begin(&mut self, system: &System, floats: bool) {
        let n = system.vertices();
        self.contact = system.has_contact();
        let [way, force] = &mut self.room;
        for list in [&mut self.settled, &mut self.anchored, &mut self.off, way, force] {
            list.clear();
            list.resize(n, [0.0; 3]);
        }
        self.strength = floats.then_some(0.0);
        self.first = 0.0;
    }

    /// Returns true where a body floats.
    pub(crate) fn floats(&self) -> bool {
        self.strength.is_some()
    }

    /// Begins the rounds of a load step at u: what lags is that of there.
    pub(crate) fn begin_step(
        &mut self,
        setting: &mut Setting<'_>,
        u: &[Vec3],
    ) -> Result<(), DynamicsError> {
        if !self.contact {
            return Ok(());
        }
        self.anchored.copy_from_slice(u);
        set_sum(&mut self.settled, setting.start, u, 1.0);
        self.part = 1.0;
        if self.strength.is_none() {
            return Ok(());
        }
        // Bodies fall by a part of their size where forces are those at u.
        self.strength = Some(0.0);
        let (n, size) = (u.len(), setting.system.size());
        let mut r = vec![[0.0; 3]; n];
        setting.problem(self).residual(u.as_flattened(), r.as_flattened_mut())?;
        let [ones, masses] = &mut self.room;
        ones.fill([1.0, 0.0, 0.0]);
        setting.system.multiply_mass(ones, masses);
        let (force, mass) = (norm(&r), norm(masses));
        if mass == 0.0 {
            return Err(DynamicsError::Unsupported(
                "bodies that only contact holds need a density: give them one, or fix them".into(),
            ));
        }
        let acceleration = if force > 0.0 { force / mass } else { size };
        self.first = acceleration / (FALL * size);
        self.strength = Some(self.first);
        Ok(())
    }

    /// Lets what lags follow to the end of a round at u, the whole way or, where rounds throw it to and fro, a part of it (Aitken's
    /// relaxation; Irons and Tuck, A version of the Aitken accelerator for computer iteration, 1969). Returns how far it was from
    /// there at most, m.
    fn follow(&mut self, free: bool, start: &[Vec3], u: &[Vec3]) -> f64 {
        let Self { settled, off, part, room: [now, change], .. } = self;
        set_sum(now, start, u, 1.0);
        for (now, settled) in now.iter_mut().zip(&*settled) {
            *now = sub(*now, *settled);
        }
        set_sum(change, now, off, -1.0);
        let changed = dot(change, change);
        if free {
            *part = 1.0;
        } else if changed > 0.0 {
            let wanted = -*part * dot(off, change) / changed;
            *part = if wanted > WHOLE { 1.0 } else { wanted.max(SMALLEST) };
        }
        off.copy_from_slice(now);
        if *part == 1.0 {
            set_sum(settled, start, u, 1.0);
        } else {
            add_scaled(settled, off, *part);
        }
        sums::longest(off)
    }

    /// Solves for u in rounds.
    pub(crate) fn solve(
        &mut self,
        setting: &mut Setting<'_>,
        solver: &mut dyn NonlinearSolver,
        u: &mut [Vec3],
    ) -> Result<NewtonReport, DynamicsError> {
        if !self.contact {
            return setting.problem(self).solve(solver, u);
        }
        let still = STILL * setting.system.activation().unwrap_or(0.0);
        let (mut failures, mut iterations, mut definite) = (0, 0, None);
        let mut travelled = 0.0;
        let mut before = u.to_vec();
        let mut last =
            (0.0, 0, NewtonReport::unfactored(0, 0.0, 0.0, crate::newton::Converged::Force));
        for round in 1..=ROUNDS {
            before.copy_from_slice(u);
            let report = match setting.problem(self).solve(solver, u) {
                Ok(report) => report,
                Err(cause) => {
                    let strength = self.strength.filter(|_| failures < FAILURES);
                    let Some(strength) = strength.filter(|_| cause.shorter_step_may_help()) else {
                        return Err(cause);
                    };
                    failures += 1;
                    self.strength = Some(STRENGTH[2] * strength);
                    u.copy_from_slice(&before);
                    continue;
                }
            };
            iterations += report.iterations;
            // With an anchor the factor was that of another matrix.
            if report.iterations > 0 {
                definite = report.definite.filter(|_| self.strength.is_none());
            }
            let [way, _] = &mut self.room;
            set_sum(way, u, &before, -1.0);
            let moved = sums::longest(way);
            let farthest = (0..way.len()).max_by(|&a, &b| {
                let far = |i: usize| pliant_algebra::vec3::norm_squared(way[i]);
                far(a).total_cmp(&far(b))
            });
            let farthest = farthest.unwrap_or(0);
            last = (moved, farthest, report);
            let size = setting.system.size();
            travelled = if moved > FAR * size { travelled + moved } else { 0.0 };
            if self.strength.is_some() && travelled > FARTHEST * size {
                return Err(DynamicsError::Unheld {
                    vertex: farthest,
                    way: way[farthest],
                    rounds: round,
                });
            }
            self.anchored.copy_from_slice(u);
            // Where part of the way changes nothing all of it is tried.
            let free = round <= FREE || report.iterations == 0;
            let off = self.follow(free, setting.start, u);
            if off <= still {
                return Ok(NewtonReport { iterations, definite, ..report });
            }
            if let Some(strength) = &mut self.strength {
                let far = moved > FAR * setting.system.size();
                *strength *= STRENGTH[usize::from(!far)];
                if !far {
                    *strength = strength.max(LEAST * self.first);
                }
            }
        }
        let (moved, vertex, report) = last;
        if self.floats() && moved > FAR * setting.system.size() {
            let [way, _] = &self.room;
            return Err(DynamicsError::Unheld { vertex, way: way[vertex], rounds: ROUNDS });
        }
        let NewtonReport { residual, scale, .. } = report;
        Err(DynamicsError::Unsettled { rounds: ROUNDS, vertex, moved, residual, scale })
    }
}

//! [`Attempt`]: a step that fails is taken again as two half steps, each of which may be halved again.
//!
//! Halves end where the whole step would have ended, to the last bit, and the energy balance takes in each of them. Of
//! an attempt that fails nothing is left: the state and the balance are those of before, and the method forgets what it
//! keeps from step to step (a stale Jacobian, accelerations to extrapolate from), which the attempt may have changed. So the
//! parts of a step follow from the state alone, in a run that was resumed as in one that was not.

use pliant_dynamics::{DynamicsError, Integrator, Ledger, State, StepReport, System};
use pliant_units::{count, si};

/// How often a step is halved at most.
const DEEPEST: u32 = 6;
/// Into how many parts a step is divided at most.
pub const MOST_PARTS: u32 = 1 << DEEPEST;

/// Steps that failed and were divided, since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Retries {
    /// Attempts that failed and were divided into two halves. A step may need several.
    pub attempts: u64,
    /// Steps in which that happened.
    pub steps: u64,
    /// When the first of these steps began, s.
    pub first: f64,
    /// When the last of them began, s.
    pub last: f64,
    /// The shortest part that a step was divided into, s; 0 if none was.
    pub shortest: f64,
}

impl Retries {
    /// In one sentence; none if no step was divided.
    pub fn text(&self) -> Option<String> {
        let when = match self.steps {
            0 => return None,
            1 => format!("the step at t = {} failed", si(self.first, "s")),
            n => format!(
                "{} steps failed, the first at t = {} and the last at t = {},",
                count(n),
                si(self.first, "s"),
                si(self.last, "s")
            ),
        };
        let verb = if self.steps == 1 { "was" } else { "were" };
        Some(format!(
            "{when} and {verb} taken in shorter parts, down to {}: there the motion is resolved more finely than elsewhere; if that is not wanted, take a shorter time.step, or time.retry = false to stop instead",
            si(self.shortest, "s")
        ))
    }

    /// Takes in a step that began at `time` and succeeded in parts, after so many failed attempts.
    fn add(&mut self, time: f64, attempts: u64, shortest: f64) {
        (self.first, self.shortest) = match self.steps {
            0 => (time, shortest),
            _ => (self.first, self.shortest.min(shortest)),
        };
        self.last = time;
        self.attempts += attempts;
        self.steps += 1;
    }

    /// Takes in another part of the same step, which was divided for itself.
    pub(crate) fn join(&mut self, part: &Self) {
        if part.steps > 0 {
            let attempts = self.attempts + part.attempts;
            let shortest =
                if self.steps == 0 { part.shortest } else { self.shortest.min(part.shortest) };
            *self = Self { attempts, shortest, ..*part };
        }
    }

    /// Takes in the tally of one step.
    pub(crate) fn take_in(&mut self, step: &Self) {
        if step.steps > 0 {
            self.add(step.first, step.attempts, step.shortest);
        }
    }

    /// As checkpoints hold it.
    pub(crate) fn to_words(self) -> [u64; 5] {
        let Self { attempts, steps, first, last, shortest } = self;
        [attempts, steps, first.to_bits(), last.to_bits(), shortest.to_bits()]
    }

    /// From what [`Retries::to_words`] made.
    pub(crate) fn from_words([attempts, steps, first, last, shortest]: [u64; 5]) -> Self {
        let [first, last, shortest] = [first, last, shortest].map(f64::from_bits);
        Self { attempts, steps, first, last, shortest }
    }
}

/// Why a step could not be made.
pub(crate) enum Failure {
    /// At once.
    Plain(DynamicsError),
    /// Even its shortest parts failed.
    Divided(DynamicsError),
}

/// All that a step changes.
pub(crate) struct Attempt<'a> {
    pub(crate) integrator: &'a mut dyn Integrator,
    pub(crate) system: &'a mut System,
    pub(crate) state: &'a mut State,
    pub(crate) ledger: &'a mut Ledger,
    /// Where the part under way began; room that is kept from step to step.
    pub(crate) start: &'a mut State,
    /// Is shown the end of each part.
    pub(crate) seen: &'a mut dyn FnMut(&State),
}

impl Attempt<'_> {
    /// One step of h seconds, divided where it fails if there is a tally of such steps. On error nothing has changed.
    pub(crate) fn step(
        &mut self,
        h: f64,
        retries: Option<&mut Retries>,
    ) -> Result<StepReport, Failure> {
        let cause = match self.once(h) {
            Ok(report) => return Ok(report),
            Err(cause) => cause,
        };
        let retries = match retries {
            Some(retries) if cause.shorter_step_may_help() => retries,
            _ => return Err(Failure::Plain(cause)),
        };
        let (before, balance) = (self.state.clone(), self.ledger.clone());
        let mut parts = Parts { attempts: 0, shortest: h };
        let report = self.halves(h, before.time + h, 0, &mut parts).map_err(|cause| {
            self.integrator.forget();
            (*self.state, *self.ledger) = (before.clone(), balance);
            if cause.shorter_step_may_help() {
                Failure::Divided(cause)
            } else {
                Failure::Plain(cause)
            }
        })?;
        retries.add(before.time, parts.attempts, parts.shortest);
        Ok(report)
    }

    /// One step with its entry in the balance. On error state and balance are those of before: where the state has no
    /// energy, as an element is inverted at the end of it, the step has failed too.
    fn once(&mut self, h: f64) -> Result<StepReport, DynamicsError> {
        self.start.copy_from(self.state);
        let outcome = self.integrator.step(self.system, self.state, h).and_then(|report| {
            self.ledger.solved_to(report.newton.map_or(0.0, |newton| newton.residual));
            self.ledger.record(self.system, self.state)?;
            Ok(report)
        });
        match outcome {
            Ok(_) => (self.seen)(self.state),
            Err(_) => self.state.copy_from(self.start),
        }
        outcome
    }

    /// A step of h seconds to `end`, which has failed as a whole, in two halves. After an error the state is anywhere
    /// within the step.
    fn halves(
        &mut self,
        h: f64,
        end: f64,
        depth: u32,
        parts: &mut Parts,
    ) -> Result<StepReport, DynamicsError> {
        parts.attempts += 1;
        self.integrator.forget();
        let half = 0.5 * h;
        let middle = self.state.time + half;
        let first = self.part(half, middle, depth + 1, parts)?;
        // Exact, as the middle is at least half of the end (Sterbenz), and so is the sum that gives the end again.
        let second = self.part(end - middle, end, depth + 1, parts)?;
        Ok(joined(first, second))
    }

    fn part(
        &mut self,
        h: f64,
        end: f64,
        depth: u32,
        parts: &mut Parts,
    ) -> Result<StepReport, DynamicsError> {
        match self.once(h) {
            Ok(report) => {
                self.state.time = end;
                parts.shortest = parts.shortest.min(h);
                Ok(report)
            }
            Err(cause) if depth < DEEPEST && cause.shorter_step_may_help() => {
                self.halves(h, end, depth, parts)
            }
            Err(cause) => Err(cause),
        }
    }
}

/// What has become of a step that is divided.
struct Parts {
    attempts: u64,
    /// s
    shortest: f64,
}

/// The report of two parts, one after the other.
fn joined(first: StepReport, mut second: StepReport) -> StepReport {
    if let (Some(first), Some(second)) = (first.newton, &mut second.newton) {
        second.iterations += first.iterations;
    }
    second
}

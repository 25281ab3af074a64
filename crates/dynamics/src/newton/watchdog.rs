//! [`Watchdog`]: lets |r| rise for a while.
//!
//! Newton's full steps often lead over a hill of |r| to a solution: the first step that bends a thin or hardly
//! compressible body stretches it, and the next one takes that back. A search that wants |r| to fall in every step
//! creeps along the foot of the hill instead. So some full steps are taken whatever they give; if |r| is not below
//! its least by then, the iteration goes back to where it was least and takes one step that is shortened until it falls
//! (Chamberlain, Powell, Lemarechal and Pedersen 1982; a non-monotone search as that of Grippo, Lampariello and
//! Lucidi 1986, with a way back).

use crate::Evaluation;

/// Full steps for which |r| may stay above its least, at first; each failure halves the allowance.
const FREE: usize = 5;

/// Where |r| was least, and how long ago.
#[derive(Debug, Default)]
pub(super) struct Watchdog {
    y: Vec<f64>,
    r: Vec<f64>,
    least: Option<(Evaluation, f64)>,
    steps: usize,
    free: usize,
}

impl Watchdog {
    /// For another solve.
    pub(super) fn restart(&mut self) {
        self.least = None;
        self.steps = 0;
        self.free = FREE;
    }

    /// At the start of an iteration: remembers a y that is the best so far; goes back to that if it was too
    /// long ago.
    pub(super) fn look(
        &mut self,
        y: &mut [f64],
        r: &mut [f64],
        here: Evaluation,
        size: f64,
    ) -> (Evaluation, f64) {
        match self.least {
            Some((there, least)) if size >= least => {
                if self.steps < self.free {
                    return (here, size);
                }
                self.free /= 2;
                self.steps = self.free;
                y.copy_from_slice(&self.y);
                r.copy_from_slice(&self.r);
                (there, least)
            }
            _ => {
                self.y.resize(y.len(), 0.0);
                self.r.resize(r.len(), 0.0);
                self.y.copy_from_slice(y);
                self.r.copy_from_slice(r);
                self.least = Some((here, size));
                self.steps = 0;
                (here, size)
            }
        }
    }

    /// Whether the next step is free.
    pub(super) fn lets_go(&mut self) -> bool {
        self.steps += 1;
        self.steps <= self.free
    }

    /// Whether there is somewhere else to go back to.
    pub(super) fn call_back(&mut self) -> bool {
        let away = self.least.is_some() && (1..self.free).contains(&self.steps);
        if away {
            self.steps = self.free;
        }
        away
    }
}

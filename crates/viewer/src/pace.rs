//! [`Pace`]: when the next step is due, and how near to real time the simulation is.

use std::time::{Duration, Instant};

/// Later than this, what was missed is given up: the simulation goes on from now, slower than real time.
const MOST_LATE: Duration = Duration::from_millis(100);
/// Over how long the factor of real time is taken.
const WINDOW: Duration = Duration::from_secs(1);
/// States of rest have no rate of their own.
pub(crate) const STATIC_STEP: f64 = 1.0 / 30.0;

/// A clock for steps.
#[derive(Debug, Clone)]
pub(crate) struct Pace {
    due: Instant,
    /// Of the last step, in wall time.
    length: Duration,
    from: Instant,
    simulated: f64,
    real_time: f64,
    late: Option<Instant>,
}

impl Pace {
    /// A step is due now.
    pub(crate) fn new(now: Instant) -> Self {
        let length = Duration::ZERO;
        Self { due: now, length, from: now, simulated: 0.0, real_time: 0.0, late: None }
    }

    /// After a pause: nothing was missed.
    pub(crate) fn restart(&mut self, now: Instant) {
        let real_time = self.real_time;
        *self = Self { real_time, ..Self::new(now) };
    }

    /// How long until the next step. One that a hand waits for may be made ahead of its time, by as long as a step
    /// lasts: those after it wait, so that the simulation stays as fast as it was.
    pub(crate) fn wait(&self, now: Instant, hurry: bool) -> Duration {
        let wait = self.due.saturating_duration_since(now);
        if hurry { wait.saturating_sub(self.length) } else { wait }
    }

    /// A step of so much simulated time was made, at a speed.
    pub(crate) fn stepped(&mut self, now: Instant, step: f64, speed: f64) {
        self.length = Duration::from_secs_f64((step / speed).min(60.0));
        self.due += self.length;
        if now.saturating_duration_since(self.due) > MOST_LATE {
            self.due = now;
            self.late = Some(now);
        }
        self.simulated += step;
        let passed = now.saturating_duration_since(self.from);
        if passed >= WINDOW {
            self.real_time = self.simulated / passed.as_secs_f64();
            (self.from, self.simulated) = (now, 0.0);
        }
    }

    /// Simulated over wall time, of the last second.
    pub(crate) fn real_time(&self) -> f64 {
        self.real_time
    }

    /// Whether time was given up lately.
    pub(crate) fn is_behind(&self, now: Instant) -> bool {
        self.late.is_some_and(|late| now.saturating_duration_since(late) < 2 * WINDOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_machine_waits_and_shows_real_time() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        for k in 1..=200_u32 {
            // Each step of 10 ms is made as soon as it is due.
            pace.stepped(start + Duration::from_millis(10) * (k - 1), 0.01, 1.0);
            assert_eq!(
                pace.wait(start + Duration::from_millis(10) * (k - 1), false).as_millis(),
                10
            );
        }
        assert!((pace.real_time() - 1.0).abs() < 0.02, "{}", pace.real_time());
        assert!(!pace.is_behind(start + Duration::from_secs(2)));
    }

    #[test]
    fn a_slow_machine_says_how_slow_it_is_and_never_races_to_catch_up() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let mut now = start;
        for _ in 0..100 {
            // Steps of 10 ms that take 25.
            now += Duration::from_millis(25);
            pace.stepped(now, 0.01, 1.0);
        }
        assert!((pace.real_time() - 0.4).abs() < 0.01, "{}", pace.real_time());
        assert!(pace.is_behind(now));
        // Then it is fast again: at most a tenth of a second is made up for.
        let mut steps = 0;
        while pace.wait(now, false).is_zero() {
            pace.stepped(now, 0.01, 1.0);
            steps += 1;
        }
        assert!(steps <= 11, "{steps}");
    }

    #[test]
    fn slow_motion_waits_longer() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        pace.stepped(start, 0.01, 0.1);
        assert_eq!(pace.wait(start, false).as_millis(), 100);
    }

    #[test]
    fn a_hand_is_answered_at_once_and_time_does_not_run_away() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        pace.stepped(start, 0.02, 1.0);
        let at = |ms: u64| start + Duration::from_millis(ms);
        // A hand that moves every 5 ms for a second.
        let mut steps = 1;
        let mut early = Vec::new();
        for ms in (5..1000).step_by(5) {
            if pace.wait(at(ms), true).is_zero() {
                early.push(ms);
                pace.stepped(at(ms), 0.02, 1.0);
                steps += 1;
            }
        }
        assert_eq!(early[..3], [5, 20, 40], "the first at once, the others in their turn");
        assert!((50..=51).contains(&steps), "{steps}");
        assert!((pace.wait(at(1000), false).as_millis()) <= 40);
    }
}

//! [`Limit`]: how many messages a page may send.

use std::time::{Duration, Instant};

/// Messages a second, over a while.
const RATE: f64 = 300.0;
/// Messages at once.
const BURST: f64 = 600.0;

/// What piles up while nobody listens counts for so long at most, s.
const LONGEST: f64 = 60.0;

/// A bucket that fills at a rate; each message takes one.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    left: f64,
    at: Instant,
    /// For messages that came while nobody listened.
    piled: f64,
}

impl Limit {
    pub(crate) fn new(now: Instant) -> Self {
        Self { left: BURST, at: now, piled: 0.0 }
    }

    /// Whether one more message is fine.
    pub(crate) fn allows(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * RATE).min(BURST);
        self.at = now;
        if self.piled >= 1.0 {
            self.piled -= 1.0;
            return true;
        }
        let fine = self.left >= 1.0;
        self.left -= f64::from(u8::from(fine));
        fine
    }

    /// For so long nobody listened: what came meanwhile is no flood.
    pub(crate) fn was_deaf(&mut self, time: Duration) {
        self.piled = (self.piled + time.as_secs_f64() * RATE).min(LONGEST * RATE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_stopped_and_a_mouse_is_not() {
        let start = Instant::now();
        let mut limit = Limit::new(start);
        assert_eq!((0..1000).filter(|_| limit.allows(start)).count(), 600);
        let mut limit = Limit::new(start);
        let moves = (0..10_000_u64).map(|k| start + Duration::from_millis(4 * k));
        assert_eq!(moves.filter(|&now| limit.allows(now)).count(), 10_000);
    }

    #[test]
    fn what_piled_up_while_nobody_listened_is_no_flood() {
        let start = Instant::now();
        let mut limit = Limit::new(start);
        limit.was_deaf(Duration::from_secs(10));
        // Ten seconds of a mouse, and then a flood.
        assert_eq!((0..9000).filter(|_| limit.allows(start)).count(), 3600);
        limit.was_deaf(Duration::from_hours(1));
        assert_eq!((0..90_000).filter(|_| limit.allows(start)).count(), 18_000);
    }
}

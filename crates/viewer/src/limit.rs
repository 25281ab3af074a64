//! [`Limit`]: how many messages a page may send.

use std::time::Instant;

/// Messages a second, over a while.
const RATE: f64 = 300.0;
/// Messages at once.
const BURST: f64 = 600.0;

/// A bucket that fills at a rate; each message takes one.
#[derive(Debug, Clone)]
pub(crate) struct Limit {
    left: f64,
    at: Instant,
}

impl Limit {
    pub(crate) fn new(now: Instant) -> Self {
        Self { left: BURST, at: now }
    }

    /// Whether one more message is fine.
    pub(crate) fn allows(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * RATE).min(BURST);
        self.at = now;
        let fine = self.left >= 1.0;
        self.left -= f64::from(u8::from(fine));
        fine
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
}

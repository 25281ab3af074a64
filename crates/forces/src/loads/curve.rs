//! [`TimeCurve`]: a factor that depends on time, and its rate.

use crate::error::ForceError;
use crate::parameter::{finite, not_negative, positive};

/// A factor as a function of time. Loads are multiplied by it.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeCurve {
    /// The same at all times.
    Constant(f64),
    /// `from` until `start`, then straight to `to` at `end`, then `to`.
    Ramp {
        /// Begin of the change, s.
        start: f64,
        /// End of the change, s, after `start`.
        end: f64,
        /// The value before.
        from: f64,
        /// The value after.
        to: f64,
    },
    /// Zero, up to `height` within `rise`, that for `hold`, and down to zero within `rise`.
    Pulse {
        /// Begin, s.
        start: f64,
        /// Time of the flanks, s; 0 jumps.
        rise: f64,
        /// Time at full height, s.
        hold: f64,
        /// The value while it holds.
        height: f64,
    },
    /// Straight between points, constant before the first and after the last.
    Table {
        /// Times, s, ascending.
        times: Vec<f64>,
        /// The values at these times.
        values: Vec<f64>,
    },
}

impl Default for TimeCurve {
    fn default() -> Self {
        Self::Constant(1.0)
    }
}

impl TimeCurve {
    /// Checks that every number is finite and that time runs forward.
    pub fn check(&self) -> Result<(), ForceError> {
        match self {
            Self::Constant(value) => finite("constant curve: value", *value).map(drop),
            Self::Ramp { start, end, from, to } => {
                finite("ramp: start", *start)?;
                finite("ramp: end", *end)?;
                positive("ramp: end − start", end - start)?;
                finite("ramp: from", *from)?;
                finite("ramp: to", *to).map(drop)
            }
            Self::Pulse { start, rise, hold, height } => {
                finite("pulse: start", *start)?;
                not_negative("pulse: rise", *rise)?;
                not_negative("pulse: hold", *hold)?;
                finite("pulse: height", *height).map(drop)
            }
            Self::Table { times, values } => {
                positive("table: number of points", times.len() as f64)?;
                crate::parameter::length("values of the table", values.len(), times.len())?;
                for (i, (t, v)) in times.iter().zip(values).enumerate() {
                    finite(format_args!("table: time {i}"), *t)?;
                    finite(format_args!("table: value {i}"), *v)?;
                }
                for (i, pair) in times.windows(2).enumerate() {
                    positive(format_args!("table: time {} − time {i}", i + 1), pair[1] - pair[0])?;
                }
                Ok(())
            }
        }
    }

    /// The factor at time t.
    pub fn value(&self, t: f64) -> f64 {
        self.piece(t).0
    }

    /// Its derivative by time, 1/s; at a kink that of the time after it.
    pub fn rate(&self, t: f64) -> f64 {
        self.piece(t).1
    }

    fn piece(&self, t: f64) -> (f64, f64) {
        match self {
            Self::Constant(value) => (*value, 0.0),
            Self::Ramp { start, end, from, to } => line(t, (*start, *from), (*end, *to)),
            Self::Pulse { start, rise, hold, height } => {
                let top = start + rise;
                let down = top + hold;
                if t < down {
                    line(t, (*start, 0.0), (top, *height))
                } else {
                    line(t, (down, *height), (down + rise, 0.0))
                }
            }
            Self::Table { times, values } => {
                let after = times.partition_point(|&time| time <= t);
                match (after.checked_sub(1), times.get(after)) {
                    (Some(i), Some(&end)) => line(t, (times[i], values[i]), (end, values[after])),
                    (Some(i), None) => (values[i], 0.0),
                    (None, _) => (values[0], 0.0),
                }
            }
        }
    }
}

/// The factor of a load at a time; an error where time itself is not finite (without allocation
/// where it is).
pub(crate) fn curve_factor(load: &str, curve: &TimeCurve, time: f64) -> Result<f64, ForceError> {
    if time.is_finite() {
        return Ok(curve.value(time));
    }
    finite(format_args!("{load}: time"), time)
}

/// Value and slope of the line between two points, constant outside.
fn line(t: f64, (t0, v0): (f64, f64), (t1, v1): (f64, f64)) -> (f64, f64) {
    if t < t0 {
        (v0, 0.0)
    } else if t >= t1 {
        (v1, 0.0)
    } else {
        let slope = (v1 - v0) / (t1 - t0);
        (v0 + slope * (t - t0), slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_pass_through_their_points_and_rates_are_their_slopes() {
        let ramp = TimeCurve::Ramp { start: 1.0, end: 3.0, from: 2.0, to: 8.0 };
        let pulse = TimeCurve::Pulse { start: 1.0, rise: 0.5, hold: 2.0, height: 4.0 };
        let table = TimeCurve::Table { times: vec![0.0, 1.0, 4.0], values: vec![1.0, 3.0, -3.0] };
        for (curve, t, value, rate) in [
            (&TimeCurve::Constant(7.0), -3.0, 7.0, 0.0),
            (&ramp, 0.0, 2.0, 0.0),
            (&ramp, 2.0, 5.0, 3.0),
            (&ramp, 3.0, 8.0, 0.0),
            (&pulse, 0.9, 0.0, 0.0),
            (&pulse, 1.25, 2.0, 8.0),
            (&pulse, 2.0, 4.0, 0.0),
            (&pulse, 3.75, 2.0, -8.0),
            (&pulse, 9.0, 0.0, 0.0),
            (&table, -1.0, 1.0, 0.0),
            (&table, 0.5, 2.0, 2.0),
            (&table, 2.0, 1.0, -2.0),
            (&table, 5.0, -3.0, 0.0),
        ] {
            curve.check().unwrap();
            assert_eq!((curve.value(t), curve.rate(t)), (value, rate), "{curve:?} at {t}");
        }
    }

    #[test]
    fn a_pulse_without_flanks_jumps_and_stays_finite() {
        let pulse = TimeCurve::Pulse { start: 1.0, rise: 0.0, hold: 1.0, height: 4.0 };
        let at = |t| (pulse.value(t), pulse.rate(t));
        assert_eq!([at(0.9), at(1.0), at(1.9), at(2.0)].map(|p| p.0), [0.0, 4.0, 4.0, 0.0]);
        assert!([0.0, 1.0, 2.0].iter().all(|&t| at(t).1 == 0.0));
    }

    #[test]
    fn curves_that_run_backward_or_are_not_finite_are_refused() {
        let message = |curve: TimeCurve| curve.check().unwrap_err().to_string();
        let backward = TimeCurve::Ramp { start: 2.0, end: 1.0, from: 0.0, to: 1.0 };
        assert_eq!(message(backward), "ramp: end − start = -1: a finite number above 0 is needed");
        let table = |times, values| message(TimeCurve::Table { times, values });
        assert!(table(vec![0.0, 0.0], vec![1.0, 2.0]).contains("time 1 − time 0 = 0"));
        assert!(table(vec![], vec![]).contains("number of points = 0"));
        assert!(table(vec![0.0], vec![1.0, 2.0]).contains("values of the table = 2: 1 are needed"));
        assert!(message(TimeCurve::Constant(f64::NAN)).contains("value = NaN"));
    }
}

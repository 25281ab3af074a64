//! [`Extrapolation`]: accelerations as polynomials of time, the first guess of a step.

use pliant_algebra::vec3::{Vec3, norm_squared, sub};
use pliant_sections::{SectionError, Sections};
use pliant_solvers::sums;

/// Weights of the accelerations at the ends of the last steps, the latest first, for polynomials of degree 0, 1, 2
/// and 3 through equal steps, one step ahead.
const WEIGHTS: [[f64; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [2.0, -1.0, 0.0, 0.0], [3.0, -3.0, 1.0, 0.0], [4.0, -6.0, 4.0, -1.0]];

/// Accelerations at the ends of past steps. Motion that is smooth is told well by a high degree, and one of shocks and
/// noise by a low one: each step is started from the degree that would have been best for the step before.
#[derive(Debug, Default)]
pub(crate) struct Extrapolation {
    /// Before those of the state, the latest first.
    past: [Vec<Vec3>; 3],
    /// How many of them there are, of steps of the same length.
    known: usize,
    /// When the last step ended and how long it was, s.
    last: Option<(f64, f64)>,
    degree: usize,
    /// Whether the last step was hard to solve from what was told, or began with another guess.
    pub(crate) doubtful: bool,
}

impl Extrapolation {
    /// From here on nothing is known.
    pub(crate) fn forget(&mut self) {
        (self.known, self.last, self.doubtful) = (0, None, false);
    }

    /// Writes what is known.
    pub(crate) fn save(&self, to: &mut Sections) {
        let mut section = to.write("extrapolation");
        let (end, length) = self.last.unwrap_or_default();
        section.flag(self.last.is_some()).number(end).number(length).flag(self.doubtful);
        section.count(self.degree).count(self.known);
        for past in &self.past[..self.known] {
            section.vectors(past);
        }
    }

    /// Reads what was known, of so many vertices.
    pub(crate) fn load(&mut self, from: &Sections, vertices: usize) -> Result<(), SectionError> {
        let mut section = from.read("extrapolation")?;
        let (known, end, length) = (section.flag()?, section.number()?, section.number()?);
        let doubtful = section.flag()?;
        let (degree, count) = (section.count()?, section.count()?);
        if degree >= WEIGHTS.len() || count > self.past.len() {
            return Err(section.wrong(format!("degree {degree} of {count} accelerations")));
        }
        for past in &mut self.past[..count] {
            *past = section.vectors_of(vertices)?;
        }
        section.finish()?;
        (self.last, self.degree, self.known) = (known.then_some((end, length)), degree, count);
        self.doubtful = doubtful;
        Ok(())
    }

    /// Whether something is known at this time, of so many vertices.
    pub(crate) fn serves(&self, time: f64, vertices: usize) -> bool {
        let goes_on = self.last.is_some_and(|(end, _)| end == time);
        self.known > 0 && goes_on && self.past[0].len() == vertices
    }

    /// Weights of the accelerations now and before for a step of h seconds.
    fn weights(&self, h: f64) -> [f64; 4] {
        match self.last {
            Some((_, before)) if self.known > 0 && before != h => {
                let ratio = h / before;
                [1.0 + ratio, -ratio, 0.0, 0.0]
            }
            _ => WEIGHTS[self.degree.min(self.known)],
        }
    }

    /// The accelerations at the end of a step of h seconds, as far as can be told, from those at its start.
    pub(crate) fn ahead(&self, h: f64, now: &[Vec3], mut each: impl FnMut(usize, Vec3)) {
        let weights = self.weights(h);
        for (i, &a) in now.iter().enumerate() {
            each(i, self.blend(&weights, i, a));
        }
    }

    fn blend(&self, weights: &[f64; 4], i: usize, now: Vec3) -> Vec3 {
        let mut a = now.map(|a| weights[0] * a);
        for (past, weight) in self.past[..self.known].iter().zip(&weights[1..]) {
            a = std::array::from_fn(|k| a[k] + weight * past[i][k]);
        }
        a
    }

    /// Takes in a step of h seconds between two times, and which degree would have been best for it.
    pub(crate) fn record(&mut self, times: [f64; 2], h: f64, start: &[Vec3], end: &[Vec3]) {
        let same_length = self.last.is_some_and(|(_, before)| before == h);
        if !(same_length && self.serves(times[0], start.len())) {
            self.known = 0;
        }
        let error = |degree: usize| -> f64 {
            let weights = &WEIGHTS[degree];
            let [sum] = sums::over(start.len(), &|range| {
                let square = |i: usize| norm_squared(sub(end[i], self.blend(weights, i, start[i])));
                [range.map(square).sum()]
            });
            sum
        };
        self.degree = if self.known == 0 {
            1
        } else {
            let errors = (0..=self.known).map(|degree| (degree, error(degree)));
            errors.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1, |best| best.0)
        };
        self.past.rotate_right(1);
        self.past[0].clear();
        self.past[0].extend_from_slice(start);
        self.known = (self.known + 1).min(self.past.len());
        self.last = Some((times[1], h));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of the end of the next step, after five steps of 0.5 s.
    fn told(acceleration: impl Fn(f64) -> f64, next: f64) -> f64 {
        let at = |t: f64| [[acceleration(t), 0.0, 0.0]];
        let mut extrapolation = Extrapolation::default();
        for step in 0..5 {
            let t = 0.5 * f64::from(step);
            extrapolation.record([t, t + 0.5], 0.5, &at(t), &at(t + 0.5));
        }
        assert!(
            extrapolation.serves(2.5, 1)
                && !extrapolation.serves(2.0, 1)
                && !extrapolation.serves(2.5, 2)
        );
        let mut found = f64::NAN;
        extrapolation.ahead(next, &at(2.5), |_, a| found = a[0]);
        found
    }

    #[test]
    fn polynomials_up_to_cubes_are_told_exactly() {
        for (power, error) in [(1, 1e-15), (2, 1e-14), (3, 1e-13)] {
            let exact = 3.0_f64.powi(power);
            assert!((told(|t| t.powi(power), 0.5) / exact - 1.0).abs() < error, "{power}");
        }
        // With a step of another length, lines.
        assert!((told(|t| 2.0 * t, 0.25) - 5.5).abs() < 1e-14);
    }

    #[test]
    fn noise_is_not_carried_on() {
        // 1, −1, 1, …: every polynomial but the constant makes it worse.
        let noise = |t: f64| if (2.0 * t) as i32 % 2 == 0 { 1.0 } else { -1.0 };
        assert_eq!(told(noise, 0.5), noise(2.5));
    }
}

//! Backtracking along a direction of descent: a quadratic model first, then safeguarded cubic ones
//! (Dennis and Schnabel 1983, algorithm A6.3.1).

use pliant_forces::ForceError;

/// The part of the decrease that the slope promises which is enough.
const ENOUGH: f64 = 1e-4;
/// A trial is at most this part of the one before, and at least the other.
const SHORTER: (f64, f64) = (0.1, 0.5);
/// Trials before giving up.
const TRIALS: usize = 40;

/// How a search ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The step length; none if no trial was good enough.
    pub length: Option<f64>,
    /// Trials made.
    pub trials: usize,
    /// The last length tried.
    pub last: f64,
    /// Trials that inverted an element, and the last such element.
    pub inversions: usize,
    /// The element.
    pub inverted: Option<usize>,
}

/// Looks for α in (0, first] with φ(α) ≤ φ(0) + 10⁻⁴ α φ′(0) + noise. A trial at which an element inverts
/// is halved, one whose forces are beyond all numbers is cut to a tenth; any other failure ends the search.
///
/// `trial` gives φ(α); the last call is the one that was accepted.
pub fn search(
    start: f64,
    slope: f64,
    noise: f64,
    first: f64,
    mut trial: impl FnMut(f64) -> Result<f64, ForceError>,
) -> Result<Found, ForceError> {
    let mut found = Found { length: None, trials: 0, last: first, inversions: 0, inverted: None };
    let mut alpha = first;
    // The trial before, for the cubic.
    let mut before: Option<(f64, f64)> = None;
    while found.trials < TRIALS {
        found.trials += 1;
        found.last = alpha;
        let value = match trial(alpha) {
            Ok(value) => value,
            Err(ForceError::Inverted { element, .. }) => {
                found.inversions += 1;
                found.inverted = Some(element);
                before = None;
                alpha *= 0.5;
                continue;
            }
            Err(ForceError::NotFinite { .. }) => {
                before = None;
                alpha *= SHORTER.0;
                continue;
            }
            Err(other) => return Err(other),
        };
        // Where the decrease that is asked for is lost in rounding, there must be one at least.
        let enough = value <= start + ENOUGH * alpha * slope + noise;
        if enough && (noise > 0.0 || value < start) {
            found.length = Some(alpha);
            return Ok(found);
        }
        let model = match before {
            _ if !value.is_finite() => 0.0,
            None => -slope * alpha * alpha / (2.0 * (value - start - slope * alpha)),
            Some((other, its_value)) => cubic(start, slope, (alpha, value), (other, its_value)),
        };
        before = value.is_finite().then_some((alpha, value));
        alpha = model.clamp(SHORTER.0 * alpha, SHORTER.1 * alpha);
    }
    Ok(found)
}

/// The minimum of the cubic through φ(0), φ′(0) and two trials.
fn cubic(start: f64, slope: f64, (a, fa): (f64, f64), (b, fb): (f64, f64)) -> f64 {
    let (ra, rb) = (fa - start - slope * a, fb - start - slope * b);
    let c3 = (ra / (a * a) - rb / (b * b)) / (a - b);
    let c2 = (-b * ra / (a * a) + a * rb / (b * b)) / (a - b);
    let root = (c2 * c2 - 3.0 * c3 * slope).max(0.0).sqrt();
    let minimum = if c3 == 0.0 { -slope / (2.0 * c2) } else { (root - c2) / (3.0 * c3) };
    if minimum.is_finite() { minimum } else { SHORTER.1 * a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(f: impl Fn(f64) -> Result<f64, ForceError>, slope: f64) -> Found {
        search(f(0.0).unwrap(), slope, 0.0, 1.0, f).unwrap()
    }

    #[test]
    fn a_parabola_is_solved_by_its_own_model() {
        // φ = (α − 0.3)²: too long a step, then the minimum.
        let found = run(|a| Ok((a - 0.3) * (a - 0.3)), -0.6);
        assert_eq!(found.trials, 2);
        assert!((found.length.unwrap() - 0.3).abs() < 1e-15);
    }

    #[test]
    fn a_cubic_is_solved_by_its_own_model() {
        // The quadratic model through α = 1 is clamped to 0.1 and does not suffice.
        let f = |a: f64| -a + 100.0 * a * a + 500.0 * a * a * a;
        let found = run(|a| Ok(f(a)), -1.0);
        let exact = (-200.0 + (40000.0_f64 + 6000.0).sqrt()) / 3000.0;
        assert!(f(found.length.unwrap()) < 0.0 && found.trials <= 4, "{found:?} {exact}");
    }

    #[test]
    fn inverted_trials_are_halved_and_told() {
        let law = String::new();
        let inverted = ForceError::Inverted { element: 7, jacobian: -1.0, law, first_vertex: 0 };
        let f = |a: f64| if a > 0.2 { Err(inverted.clone()) } else { Ok(-a) };
        let found = run(f, -1.0);
        assert_eq!((found.length, found.inversions, found.inverted), (Some(0.125), 3, Some(7)));
    }

    #[test]
    fn trials_beyond_all_numbers_are_cut_to_a_tenth() {
        let far = ForceError::NotFinite { vertex: 3, position: [0.0; 3] };
        let f = |a: f64| if a > 0.05 { Err(far.clone()) } else { Ok(-a) };
        let found = run(f, -1.0);
        assert!((found.length.unwrap() - 0.01).abs() < 1e-15 && found.trials == 3, "{found:?}");
    }

    #[test]
    fn a_direction_that_only_rises_ends_without_a_length() {
        let found = run(Ok, -1.0);
        assert_eq!(found.length, None);
        assert!(found.last < 1e-10);
    }
}

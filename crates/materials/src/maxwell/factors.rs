//! [`Factors`]: what of a material's branches depends on the time that has passed alone.

use pliant_algebra::real::Real;

use super::{MOST_BRANCHES, Maxwell, lost};

/// φ(a) = (1 − e^(−a))/a: the part of a change of strain that is left at the end of a step in which it came about evenly.
pub(super) fn phi(a: f64) -> f64 {
    if a == 0.0 { 1.0 } else { -(-a).exp_m1() / a }
}

/// I_k = ∫₀¹ e^(−a(1−s)) sᵏ ds for k = 0, 1, 2: Σ_j (−a)ʲ k!/(k+j+1)!, and by recurrence where that does not cancel.
pub(super) fn moments(a: f64) -> [f64; 3] {
    if a.abs() < 1.0 {
        return [0, 1, 2].map(|k| {
            let (mut term, mut sum) = (1.0 / f64::from(k + 1), 0.0);
            for j in 1..26 {
                sum += term;
                term *= -a / f64::from(k + 1 + j);
            }
            sum
        });
    }
    let i0 = phi(a);
    let i1 = (1.0 - i0) / a;
    [i0, i1, (1.0 - 2.0 * i1) / a]
}

/// Weights at a time Δ after the last moment that was committed:
///
/// Σ g_i q_i = `change` (E − E₀) + `start_rate` Ė₀ + `rate` Ė + Σ `kept`_i q_i,₀.
///
/// Without [`Interpolation::Cubic`](super::Interpolation::Cubic) there are no rates. Times before that moment are served by the same formulas.
#[derive(Debug, Clone, Copy)]
pub struct Factors {
    pub(super) count: usize,
    pub(super) strengths: [f64; MOST_BRANCHES],
    /// e^(−Δ/τ_i)
    pub(super) decays: [f64; MOST_BRANCHES],
    /// Weights of E − E₀, Ė₀ and Ė in q_i.
    pub(super) changes: [[f64; 3]; MOST_BRANCHES],
    /// g_i times them, in all, and times `decays`.
    pub(super) change: f64,
    pub(super) start_rate: f64,
    pub(super) rate: f64,
    pub(super) kept: [f64; MOST_BRANCHES],
    pub(super) cubic: bool,
    pub(super) elapsed: f64,
}

impl Factors {
    const NONE: Self = Self {
        count: 0,
        strengths: [0.0; MOST_BRANCHES],
        decays: [0.0; MOST_BRANCHES],
        changes: [[0.0; 3]; MOST_BRANCHES],
        change: 0.0,
        start_rate: 0.0,
        rate: 0.0,
        kept: [0.0; MOST_BRANCHES],
        cubic: false,
        elapsed: 0.0,
    };

    /// Those of Δ seconds; infinite for the response after a long time.
    pub fn new(maxwell: &Maxwell, elapsed: f64) -> Self {
        Self::make(maxwell, elapsed, |a, _| {
            if a == f64::INFINITY {
                return (0.0, [0.0; 3]);
            }
            let decay = Real::exp(-a);
            if !maxwell.is_cubic() {
                return (decay, [phi(a), 0.0, 0.0]);
            }
            let [i0, i1, i2] = moments(a);
            let rates = [i0 - 4.0 * i1 + 3.0 * i2, 3.0 * i2 - 2.0 * i1];
            (decay, [6.0 * (i1 - i2), elapsed * rates[0], elapsed * rates[1]])
        })
    }

    /// Their derivatives by time, 1/s, for methods that need ∂g/∂t.
    pub fn by_time(maxwell: &Maxwell, elapsed: f64) -> Self {
        Self::make(maxwell, elapsed, |a, tau| {
            let decay = -Real::exp(-a) / tau;
            if !maxwell.is_cubic() {
                return (decay, [phi_slope(a) / tau, 0.0, 0.0]);
            }
            let (i, slope) = (moments(a), [0, 1, 2].map(|k| moment_slope(a, k)));
            // d(Δ w(Δ/τ))/dΔ = w + a w′
            let per = |w: [f64; 3]| -> f64 { (0..3).map(|k| w[k] * (i[k] + a * slope[k])).sum() };
            let change = 6.0 * (slope[1] - slope[2]) / tau;
            (decay, [change, per([1.0, -4.0, 3.0]), per([0.0, -2.0, 3.0])])
        })
    }

    fn make(maxwell: &Maxwell, elapsed: f64, of: impl Fn(f64, f64) -> (f64, [f64; 3])) -> Self {
        let mut factors = Self::NONE;
        factors.count = maxwell.branches().len().min(MOST_BRANCHES);
        factors.cubic = maxwell.is_cubic();
        factors.elapsed = elapsed;
        for (k, branch) in maxwell.branches().iter().take(MOST_BRANCHES).enumerate() {
            factors.strengths[k] = branch.strength;
            (factors.decays[k], factors.changes[k]) = of(elapsed / branch.time, branch.time);
        }
        factors.sum_up();
        factors
    }

    fn sum_up(&mut self) {
        let sum = |which: usize| -> f64 {
            (0..self.count).map(|k| self.strengths[k] * self.changes[k][which]).sum()
        };
        (self.change, self.start_rate, self.rate) = (sum(0), sum(1), sum(2));
        for k in 0..self.count {
            self.kept[k] = self.strengths[k] * self.decays[k];
        }
    }

    /// Σ g φ: by how much the tangent is more than that of the law alone.
    pub fn change(&self) -> f64 {
        self.change
    }

    /// The weight of the rate of strain, s; 0 but with cubic interpolation.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Whether nothing is left of any branch.
    pub fn is_relaxed(&self) -> bool {
        self.elapsed == f64::INFINITY
    }

    /// Weights of the loss of branch k with relaxation time τ, times its strength: of q₀:q₀, q₀:ΔE, ΔE:ΔE.
    pub(super) fn loss(&self, k: usize, time: f64) -> [f64; 3] {
        lost::linear(self.elapsed / time).map(|w| w * self.strengths[k])
    }

    /// The same for T = (q₀, ΔE, Δ Ė₀, Δ Ė).
    pub(super) fn cubic_loss(&self, k: usize, time: f64) -> [[f64; 4]; 4] {
        lost::cubic(self.elapsed / time).map(|row| row.map(|w| w * self.strengths[k]))
    }
}

/// φ′(a) = (e^(−a) − φ)/a.
fn phi_slope(a: f64) -> f64 {
    if a.abs() < 1e-3 {
        -0.5 + a * (1.0 / 3.0 - a * (0.125 - a / 30.0))
    } else {
        ((-a).exp() - phi(a)) / a
    }
}

/// I_k′(a) = −∫₀¹ (1−s) e^(−a(1−s)) sᵏ ds: Σ_j (−a)ʲ⁻¹ (−j) k!/(k+j+1)!.
fn moment_slope(a: f64, k: usize) -> f64 {
    if a.abs() < 1.0 {
        let n = k as u32;
        let (mut power, mut sum) = (1.0 / (f64::from(n + 1) * f64::from(n + 2)), 0.0);
        for j in 1..26_u32 {
            sum -= f64::from(j) * power;
            power *= -a / f64::from(n + j + 2);
        }
        return sum;
    }
    let i = moments(a)[k];
    if k == 0 {
        return ((-a).exp() - i) / a;
    }
    // I_k = (1 − k I_(k−1))/a
    (-(k as f64) * moment_slope(a, k - 1) - i) / a
}

#[cfg(test)]
mod tests {
    use super::super::{Branch, Interpolation, Maxwell};
    use super::{Factors, moment_slope, moments, phi, phi_slope};

    #[test]
    fn moments_are_integrals_and_do_not_jump() {
        for a in [1e-9, 1e-4, 0.3, 0.999, 1.001, 5.0, 60.0] {
            let steps = 20_000;
            for (k, found) in moments(a).into_iter().enumerate() {
                // Simpson's rule.
                let f = |s: f64| (-a * (1.0 - s)).exp() * s.powi(k as i32);
                let h = 1.0 / f64::from(steps);
                let sum: f64 = (0..steps)
                    .map(|j| f64::from(j) * h)
                    .map(|s| h / 6.0 * (f(s) + 4.0 * f(s + 0.5 * h) + f(s + h)))
                    .sum();
                assert!((found - sum).abs() < 1e-13, "I{k}({a}) = {found:e}, {sum:e}");
            }
            assert!((phi(a) - moments(a)[0]).abs() < 2e-13);
        }
    }

    #[test]
    fn slopes_are_those_of_differences() {
        for a in [0.0, 1e-5, 2e-3, 0.4, 0.9, 1.5, 8.0] {
            let h = 1e-5;
            let difference = (phi(a + h) - phi(a - h)) / (2.0 * h);
            assert!((phi_slope(a) - difference).abs() < 1e-9, "φ'({a})");
            for k in 0..3 {
                let difference = (moments(a + h)[k] - moments(a - h)[k]) / (2.0 * h);
                assert!((moment_slope(a, k) - difference).abs() < 1e-9, "I{k}'({a})");
            }
        }
    }

    #[test]
    fn derivatives_by_time_are_those_of_differences() {
        for interpolation in [Interpolation::Linear, Interpolation::Cubic] {
            let branches =
                [Branch { time: 0.02, strength: 0.7 }, Branch { time: 1.5, strength: 0.4 }];
            let maxwell = Maxwell::new(&branches).unwrap().with_interpolation(interpolation);
            for elapsed in [0.0, 1e-4, 0.01, 0.7] {
                let h = 1e-6;
                let [before, after] = [-h, h].map(|h| Factors::new(&maxwell, elapsed + h));
                let slope = Factors::by_time(&maxwell, elapsed);
                let check = |what: &str, found: f64, of: &dyn Fn(&Factors) -> f64| {
                    let expected = (of(&after) - of(&before)) / (2.0 * h);
                    let off = (found - expected).abs() / (1.0 + expected.abs());
                    assert!(off < 1e-6, "{what} at {elapsed}: {found} for {expected}");
                };
                check("change", slope.change, &|f| f.change);
                check("start rate", slope.start_rate, &|f| f.start_rate);
                check("rate", slope.rate, &|f| f.rate);
                for k in 0..2 {
                    check("kept", slope.kept[k], &|f| f.kept[k]);
                }
            }
        }
    }
}

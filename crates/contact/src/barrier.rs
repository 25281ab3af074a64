//! [`Barrier`]: potentials of the gap that keep bodies apart.
//!
//! All are functions b(g) in metres of the gap g = d − ξ in metres, zero from the activation distance d̂ on, so that with an area w
//! and a stiffness κ in pascal w κ b is an energy and κ P, with P = −b′, a pressure. P depends on δ = g/d̂ alone.

use pliant_algebra::real::Real;

/// A potential of the gap. C² at d̂ in all cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Barrier {
    /// −d̂ (δ−1)² ln δ: infinite at contact, P ≈ 1/δ.
    #[default]
    Log,
    /// −d̂ (δ²−1)² ln δ², the barrier of Li et al., Incremental potential contact (2020), of squared
    /// distances, divided by d̂³. It is 2 (1+δ)² times [`Barrier::Log`], not equal to it.
    Ipc,
    /// ⅔ d̂ (1−δ)³, with curvature 4/d̂ at most (Ando, A cubic barrier with elasticity-inclusive dynamic
    /// stiffness, 2024): finite at contact, so only the bound on steps keeps bodies apart.
    Cubic,
}

/// A potential and its derivatives by the gap.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Jet {
    /// b, m.
    pub value: f64,
    /// b′ ≤ 0.
    pub first: f64,
    /// b″ ≥ 0, 1/m.
    pub second: f64,
}

impl Barrier {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Log, Self::Ipc, Self::Cubic];

    /// `"log"`, `"ipc"` or `"cubic"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Ipc => "ipc",
            Self::Cubic => "cubic",
        }
    }

    /// Returns the barrier of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|b| b.name() == name)
    }

    /// Returns b, b′ and b″ at the gap `gap`, for the activation distance `activation` > 0, both in metres. Zero
    /// where the gap is larger; at a gap of zero or less an infinite energy and pressure, of
    /// [`Barrier::Cubic`] those of its polynomial.
    #[inline]
    pub fn jet(self, gap: f64, activation: f64) -> Jet {
        if gap >= activation {
            return Jet::default();
        }
        if gap <= 0.0 && self != Self::Cubic {
            return Jet { value: f64::INFINITY, first: f64::NEG_INFINITY, second: f64::INFINITY };
        }
        let [value, first, second] = self.scaled(gap / activation);
        Jet { value: activation * value, first, second: second / activation }
    }

    /// b/d̂, b′ and d̂ b″ as functions of δ in (0, 1).
    #[inline]
    fn scaled(self, delta: f64) -> [f64; 3] {
        let y = 1.0 - delta;
        match self {
            Self::Log => {
                // `Real::ln` has the same bits on every machine.
                let (ln, ratio) = (Real::ln(delta), y / delta);
                [-y * y * ln, 2.0 * y * ln - y * ratio, ratio * (ratio + 4.0) - 2.0 * ln]
            }
            Self::Ipc => {
                let (s, ln) = (delta * delta, 2.0 * Real::ln(delta));
                // 1 − s without cancellation.
                let z = y * (1.0 + delta);
                let by_s = z * (2.0 * ln - z / s);
                let by_ss = 1.0 / (s * s) + 2.0 / s - 2.0 * ln - 3.0;
                [-z * z * ln, 2.0 * delta * by_s, 4.0 * s * by_ss + 2.0 * by_s]
            }
            Self::Cubic => [2.0 / 3.0 * y * y * y, -2.0 * y * y, 4.0 * y],
        }
    }

    /// Returns P(δ) = −b′, the pressure over κ at the relative gap δ = g/d̂.
    pub fn pressure(self, delta: f64) -> f64 {
        -self.jet(delta, 1.0).first
    }

    /// Returns the relative gap δ at which the pressure over κ is `pressure`: 1 for none, 0 where it
    /// is infinite, or beyond what [`Barrier::Cubic`] can bear.
    ///
    /// ```
    /// use pliant_contact::barrier::Barrier;
    /// // A floor of κ = 10 kPa under a block that weighs 1 kPa, with d̂ = 1 mm: it floats 0.829 mm above it.
    /// assert!((Barrier::Log.relative_gap(0.1) - 0.82853).abs() < 1e-5);
    /// ```
    pub fn relative_gap(self, pressure: f64) -> f64 {
        if pressure <= 0.0 || pressure.is_nan() {
            return 1.0;
        }
        if self == Self::Cubic {
            return (1.0 - (0.5 * pressure).sqrt()).max(0.0);
        }
        if pressure == f64::INFINITY {
            return 0.0;
        }
        // P is convex and falls, so Newton's steps from the left never pass the root. P is above
        // (1−δ)²/δ, whose root is the start.
        let mut delta = 2.0 / (2.0 + pressure + (pressure * (4.0 + pressure)).sqrt());
        for _ in 0..100 {
            let [_, first, second] = self.scaled(delta);
            let next = delta + (-first - pressure) / second;
            if next <= delta || next.is_nan() {
                break;
            }
            delta = next.min(1.0);
        }
        delta
    }
}

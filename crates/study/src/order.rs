//! Orders of convergence, seen from errors or from values alone.

/// The order between two runs of steps h with errors e: e ∝ hᵖ. None where an error is 0 or not known.
pub fn observed(h: [f64; 2], e: [f64; 2]) -> Option<f64> {
    let p = (e[0] / e[1]).ln() / (h[0] / h[1]).ln();
    p.is_finite().then_some(p)
}

/// What a sequence of values says about its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Changes shrink by the same power of two each time, one that theory has: order and error mean something.
    Asymptotic,
    /// The same of three levels, which show one order and nothing that confirms it.
    Unconfirmed,
    /// Changes are below what the solver leaves over, or there is no motion at all.
    Settled,
    /// Values go to and fro.
    Oscillating,
    /// Changes do not get smaller, or hardly.
    NotShrinking,
    /// Changes shrink faster than any method does: they pass through zero.
    Accidental,
    /// The order is not the same from one triple of levels to the next.
    Unsteady,
    /// The order is not the one that the method has.
    Foreign,
    /// Fewer than three levels.
    TooFew,
}

impl Verdict {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Asymptotic => "in its asymptotic range",
            Self::Unconfirmed => {
                "one order of three levels, which nothing confirms: add a level (--levels 4)"
            }
            Self::Settled => "does not change any more",
            Self::Oscillating => "goes to and fro: not in its asymptotic range, refine further",
            Self::NotShrinking => {
                "changes do not shrink: not in its asymptotic range, refine further"
            }
            Self::Accidental => {
                "changes shrink faster than methods do: not in its asymptotic range, refine further"
            }
            Self::Unsteady => {
                "order changes from level to level: not in its asymptotic range, refine further"
            }
            Self::Foreign => {
                "order is none that theory has: not in its asymptotic range, refine further"
            }
            Self::TooFew => "three levels are needed for an order",
        }
    }
}

/// The order that theory has for a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theory {
    /// This one.
    Order(usize),
    /// This one for smooth solutions, less where there are singular edges and corners.
    AtMost(usize),
}

impl Theory {
    /// True if the order that was seen may be this one.
    fn has(self, seen: f64) -> bool {
        match self {
            Self::Order(p) => (seen - p as f64).abs() <= STEADY,
            Self::AtMost(p) => seen <= p as f64 + STEADY,
        }
    }
}

/// Richardson's extrapolation from values at h, h/2, h/4, …
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Richardson {
    /// p of the last three values; only of a sequence that is, or may be, in its asymptotic range.
    pub order: Option<f64>,
    /// The limit; only of such a sequence.
    pub limit: Option<f64>,
    /// What the last value is off by: |limit − last| where there is a limit, the last change of a sequence
    /// that has settled, nothing otherwise.
    pub error: Option<f64>,
    /// What the sequence says.
    pub verdict: Verdict,
}

/// Orders below and above are taken for accidents. Eight is the highest of the methods there are.
const RANGE: [f64; 2] = [0.4, 8.5];
/// How much orders of successive triples may differ, and from that of the method.
const STEADY: f64 = 0.5;

impl Richardson {
    /// Of values from coarse to fine; changes below `noise` mean nothing. An order that theory does not have is an accident. Four
    /// values show whether the order is steady; three do not.
    ///
    /// p = log₂ |f₂ − f₁| / |f₃ − f₂|, limit = f₃ + (f₃ − f₂)/(2ᵖ − 1) (Roache 1998, section 5.2).
    pub fn of(values: &[f64], noise: f64, theory: Theory) -> Self {
        let none = |verdict| Self { order: None, limit: None, error: None, verdict };
        let [.., f1, f2, f3] = *values else { return none(Verdict::TooFew) };
        let changes = [f2 - f1, f3 - f2];
        // A change at the level of noise has no sign.
        if changes[1].abs() <= noise {
            if changes[0].abs() > 100.0 * noise {
                return none(Verdict::Accidental);
            }
            return Self { error: Some(changes[1].abs()), ..none(Verdict::Settled) };
        }
        if changes[0] * changes[1] <= 0.0 {
            return none(Verdict::Oscillating);
        }
        let p = (changes[0] / changes[1]).log2();
        if p < RANGE[0] {
            return none(Verdict::NotShrinking);
        }
        if p > RANGE[1] {
            return none(Verdict::Accidental);
        }
        if let [.., f0, _, _, _] = *values {
            let before = ((f1 - f0) / changes[0]).log2();
            // Not so where changes have different signs, of which there is no logarithm.
            let is_steady = (before - p).abs() <= STEADY;
            if !is_steady {
                return none(Verdict::Unsteady);
            }
        }
        if !theory.has(p) {
            return none(Verdict::Foreign);
        }
        let limit = f3 + changes[1] / (p.exp2() - 1.0);
        Self {
            order: Some(p),
            limit: Some(limit),
            error: Some((limit - f3).abs()),
            verdict: if values.len() > 3 { Verdict::Asymptotic } else { Verdict::Unconfirmed },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_of_the_step_is_found_and_its_limit() {
        let values: Vec<f64> = (0..4).map(|k| 3.0 - 0.1 * 0.25_f64.powi(k)).collect();
        for n in 3..=4 {
            let r = Richardson::of(&values[..n], 1e-12, Theory::Order(2));
            assert!((r.order.unwrap() - 2.0).abs() < 1e-9, "{r:?}");
            let sure = if n == 3 { Verdict::Unconfirmed } else { Verdict::Asymptotic };
            assert_eq!(r.verdict, sure);
            assert!((r.limit.unwrap() - 3.0).abs() < 1e-12);
            assert!((r.error.unwrap() - 0.1 * 0.25_f64.powi(n as i32 - 1)).abs() < 1e-12);
        }
        assert!((observed([0.1, 0.05], [4e-3, 1e-3]).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(observed([0.1, 0.05], [1e-3, 0.0]), None);
    }

    #[test]
    fn what_has_no_order_gets_none() {
        for (values, verdict) in [
            (&[1.0, 2.0][..], Verdict::TooFew),
            (&[1.0, 2.0, 1.5], Verdict::Oscillating),
            (&[1.0, 2.0, 3.1], Verdict::NotShrinking),
            (&[1.0, 2.0, 2.9], Verdict::NotShrinking),
            (&[1.0, 2.0, 2.001], Verdict::Accidental),
            (&[1.0, 2.0, 2.0], Verdict::Accidental),
            (&[0.0, 0.8, 1.0, 1.1], Verdict::Unsteady),
            (&[1.0, 0.9, 1.0, 1.03], Verdict::Unsteady),
        ] {
            let r = Richardson::of(values, 1e-9, Theory::AtMost(8));
            assert_eq!(r.verdict, verdict, "{values:?}");
            assert_eq!((r.order, r.limit, r.error), (None, None, None), "{values:?}");
        }
        let quick = [0.0, 0.75, 0.9375];
        for (theory, verdict) in [
            (Theory::Order(1), Verdict::Foreign),
            (Theory::AtMost(1), Verdict::Foreign),
            (Theory::AtMost(2), Verdict::Unconfirmed),
            (Theory::AtMost(4), Verdict::Unconfirmed),
        ] {
            assert_eq!(Richardson::of(&quick, 1e-9, theory).verdict, verdict, "{theory:?}");
        }
        let settled = Richardson::of(&[1.0, 1.0 + 1e-10, 1.0], 1e-9, Theory::AtMost(8));
        assert_eq!(settled.verdict, Verdict::Settled);
        assert!(settled.error.unwrap() < 1e-9);
    }
}

//! [`Inspection`]: how far elements are from turning inside out, in two numbers.

/// What all elements of a model look like in a configuration. It costs a small part of an evaluation of the forces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inspection {
    /// The smallest J = det F of all quadrature points, of the plain F also where the law sees a mean dilatation;
    /// not a number where F is not finite.
    pub min_j: f64,
    /// Quadrature points with J ≤ 0, or J that is not a number.
    pub inverted: u64,
}

impl Default for Inspection {
    /// Of no elements.
    fn default() -> Self {
        Self { min_j: f64::INFINITY, inverted: 0 }
    }
}

impl Inspection {
    /// Takes in the J of a point.
    pub fn see(&mut self, j: f64) {
        // Not a number counts as inverted, and stays.
        self.inverted += u64::from(j.is_nan() || j <= 0.0);
        if j.is_nan() || j < self.min_j {
            self.min_j = j;
        }
    }

    /// Returns what is seen of two sets of elements.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        let Self { min_j, inverted } = other;
        let worse = min_j.is_nan() || min_j < self.min_j;
        Self { min_j: if worse { min_j } else { self.min_j }, inverted: self.inverted + inverted }
    }
}

#[cfg(test)]
mod tests {
    use super::Inspection;

    #[test]
    fn what_is_not_a_number_counts_as_inverted_and_is_not_forgotten() {
        let mut seen = Inspection::default();
        for j in [1.0, 0.5, 0.0, -2.0, -1.0] {
            seen.see(j);
        }
        assert_eq!(seen, Inspection { min_j: -2.0, inverted: 3 });
        assert_eq!(seen.with(Inspection { min_j: 0.1, inverted: 0 }), seen);
        assert_eq!(seen.with(Inspection { min_j: -3.0, inverted: 1 }).inverted, 4);
        for order in [[f64::NAN, -5.0], [-5.0, f64::NAN]] {
            let mut seen = Inspection::default();
            for j in order {
                seen.see(j);
            }
            assert!(seen.min_j.is_nan() && seen.inverted == 2);
            assert!(Inspection { min_j: -9.0, inverted: 1 }.with(seen).min_j.is_nan());
        }
    }
}

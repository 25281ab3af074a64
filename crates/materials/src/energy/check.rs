//! What is asked of an energy before anything is computed with it.

use pliant_algebra::mat3::Mat3;

use super::{Formula, MOST_CONSTANTS};
use crate::catalogue::Inversion;
use crate::error::MaterialError;
use crate::parameters::Lame;

impl Formula {
    /// Checks that this is the energy of an isotropic elastic body with these constants: zero and without stress at
    /// rest, stable there, and symmetric in the stretches. Returns the moduli of small strains.
    pub fn check(&self, constants: &[f64]) -> Result<Lame, MaterialError> {
        let mut p = [0.0; MOST_CONSTANTS];
        for (to, from) in p.iter_mut().zip(constants) {
            *to = *from;
        }
        let wrong = |text: String, hint| Err(MaterialError::NotAnEnergy { text, hint });
        let rest = self.of_stretches(&p, [1.0; 3]);
        let all = rest.first.iter().chain(&rest.second).chain(std::iter::once(&rest.value));
        if all.clone().any(|v| !v.is_finite()) {
            let hint = "logarithms, roots and powers have no value, or no slope, where their argument is 0";
            return wrong(
                "the energy or its derivatives are no finite numbers at rest".into(),
                hint,
            );
        }
        let scale = rest.second.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        if rest.value.abs() > 1e-10 * scale {
            let text = format!("the energy at rest is {} J/m³, not 0", rest.value);
            return wrong(
                text,
                "subtract its value where I1 = I2 = 3, J = 1 and all stretches are 1",
            );
        }
        if let Some((a, b)) = self.asymmetry(&p, scale) {
            let text = format!(
                "the energy is not symmetric in the stretches: it is {a} J/m³ for l1, l2, l3 = 1.2, 1.1, 0.9, and {b} J/m³ in another order"
            );
            return wrong(text, "an isotropic energy treats l1, l2 and l3 alike");
        }
        if rest.first[0].abs() > 1e-9 * scale {
            let text = format!("the stress at rest is {} Pa, not 0", rest.first[0]);
            return wrong(
                text,
                "add a term in log(J) or J that takes it away, as - mu*log(J) beside mu/2*(I1 - 3)",
            );
        }
        let lame = Lame { lambda: rest.second[3], mu: 0.5 * (rest.second[0] - rest.second[3]) };
        if lame.mu <= 1e-12 * scale || lame.bulk() <= 1e-12 * scale {
            let text = format!(
                "the body is not stable at rest: its shear modulus is {} Pa, its bulk modulus {} Pa",
                lame.mu,
                lame.bulk()
            );
            return wrong(text, "both must be above 0");
        }
        Ok(lame)
    }

    /// Two values that should be equal and are not.
    fn asymmetry(&self, p: &[f64], scale: f64) -> Option<(f64, f64)> {
        if !self.by_stretches {
            return None;
        }
        let [a, b, c] = [1.2, 1.1, 0.9];
        let first = self.value(p, [a, b, c]);
        let others = [[b, a, c], [a, c, b], [c, b, a]].map(|order| self.value(p, order));
        let other = others.into_iter().find(|w| (w - first).abs() > 1e-10 * scale)?;
        Some((first, other))
    }

    /// Checks that no inverted deformation has less energy than rest once the law is continued: terms that are concave where the
    /// continuation begins fall without bound.
    pub fn check_continued(
        &self,
        constants: &[f64],
        threshold: Option<f64>,
    ) -> Result<(), MaterialError> {
        let mut p = vec![0.0; MOST_CONSTANTS];
        p.iter_mut().zip(constants).for_each(|(to, from)| *to = *from);
        let law = self.law(Inversion::Continued(threshold));
        let scale = self.check(constants)?;
        let stretches = [-6.0, -1.5, -0.5, -0.05, 0.0, 0.05, 0.2, 0.4, 0.7, 1.0, 1.5, 3.0, 6.0];
        for a in stretches {
            for b in stretches {
                for c in stretches {
                    let w = law.energy(&p, &Mat3::diagonal([a, b, c]));
                    if w < -1e-9 * scale.mu {
                        let text = format!(
                            "continued to inverted elements the energy falls to {w} J/m³ at the stretches {a}, {b}, {c}, below that of rest"
                        );
                        let hint = "take (J - 1)^2 in place of log(J)^2, or leave invertible out";
                        return Err(MaterialError::NotAnEnergy { text, hint });
                    }
                }
            }
        }
        Ok(())
    }
}

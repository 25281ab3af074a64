//! The standard material tests: stress of a body that deforms alike everywhere.

use pliant_algebra::mat3::Mat3;

use crate::point::PointLaw;

/// A way to deform a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Experiment {
    /// Pulled along one axis, free across it.
    Uniaxial,
    /// Pulled alike along two axes, free along the third.
    Biaxial,
    /// Sheared: F₁₂ is the amount.
    Shear,
    /// Scaled alike along all axes.
    Volumetric,
}

impl Experiment {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Uniaxial, Self::Biaxial, Self::Shear, Self::Volumetric];

    /// As it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniaxial => "uniaxial",
            Self::Biaxial => "biaxial",
            Self::Shear => "shear",
            Self::Volumetric => "volumetric",
        }
    }

    /// Deformation gradient and first Piola-Kirchhoff stress (Pa) for a stretch, or an amount of shear.
    /// None where the law is not defined, or no width makes the free sides free of stress.
    pub fn response(
        self,
        law: &dyn PointLaw,
        p: &[f64],
        amount: f64,
    ) -> Option<(Mat3<f64>, Mat3<f64>)> {
        let f = match self {
            Self::Uniaxial => {
                let free = |t: f64| Mat3::diagonal([amount, t, t]);
                free(root(|t| stress(law, p, &free(t)).map(|s| s.0[1][1]))?)
            }
            Self::Biaxial => {
                let free = |t: f64| Mat3::diagonal([amount, amount, t]);
                free(root(|t| stress(law, p, &free(t)).map(|s| s.0[2][2]))?)
            }
            Self::Shear => Mat3([[1.0, amount, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            Self::Volumetric => Mat3::diagonal([amount; 3]),
        };
        Some((f, stress(law, p, &f)?))
    }

    /// The entry of P that the experiment measures.
    pub fn measured(self, stress: &Mat3<f64>) -> f64 {
        if self == Self::Shear { stress.0[0][1] } else { stress.0[0][0] }
    }
}

fn stress(law: &dyn PointLaw, p: &[f64], f: &Mat3<f64>) -> Option<Mat3<f64>> {
    if law.needs_positive_j() && f.determinant() <= 0.0 {
        return None;
    }
    let s = law.stress(p, f);
    s.norm_squared().is_finite().then_some(s)
}

/// The width nearest to 1 at which the stress across changes sign.
fn root(across: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    const GRID: i32 = 400;
    const FARTHEST: f64 = 20.0;
    let width = |k: i32| FARTHEST.powf(f64::from(k) / f64::from(GRID));
    let mut brackets = [1, -1].into_iter().flat_map(|side| {
        let across = &across;
        (0..GRID).map(move |k| {
            let (a, b) = (width(side * k), width(side * (k + 1)));
            let found = match (across(a), across(b)) {
                (Some(u), Some(v)) => (u == 0.0 || u.signum() != v.signum()).then_some((a, u, b)),
                _ => None,
            };
            (k, found)
        })
    });
    // The nearer of the first sign changes on either side.
    let mut best: Option<(i32, (f64, f64, f64))> = None;
    for (k, found) in &mut brackets {
        if let Some(found) = found
            && best.is_none_or(|(nearest, _)| k < nearest)
        {
            best = Some((k, found));
        }
    }
    let (_, (mut a, at_a, mut b)) = best?;
    if at_a == 0.0 {
        return Some(a);
    }
    for _ in 0..200 {
        let middle = 0.5 * (a + b);
        if middle == a || middle == b {
            break;
        }
        if across(middle)?.signum() == at_a.signum() { a = middle } else { b = middle }
    }
    Some(0.5 * (a + b))
}

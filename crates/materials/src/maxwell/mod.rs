//! Memory: generalised Maxwell branches around a law, which turn an elastic material into one that relaxes and creeps.
//!
//! The law is the response after a long time; branch i adds what relaxes with its time τ_i. At small strain the shear modulus after a
//! step of strain is
//!
//! G(t) = G∞ (1 + Σ g_i e^(−t/τ_i)).
//!
//! Everything is in the reference frame (E = ½ (FᵀF − I), second Piola-Kirchhoff S), so that rotations do not matter (Hauth 2.6 and
//! appendix C.2). Laws that are linear in the strain of Cauchy take that one, and stay linear.
//!
//! - [`Form::Strain`]: S = Sᵉ + Σ g_i 𝒞 : q_i with q̇_i = Ė − q_i/τ_i, and 𝒞 the tangent of the law at rest.
//! - [`Form::Stress`]: S = Sᵉ + Σ g_i H_i with Ḣ_i = Ṡᵉ − H_i/τ_i (Simo's quasi-linear form).
//!
//! The update is exact for E, or Sᵉ, that is linear in time within a step ([`Factors`]). Within a step the response is that of an
//! elastic law with other constants at each point, and has a potential ([`increase`]).

mod factors;
mod follow;
mod increase;
mod lost;
mod recall;
mod shear;
mod six;

pub use factors::Factors;
pub use follow::{Followed, begin, follow};
pub use increase::{Remembered, respond, strain_of, strain_rate};
pub use recall::{Layout, Packs, recall, reference};
pub use six::{Moduli, RestModuli, Six};

use crate::error::{MaterialError, ensure, positive};
use crate::point::PointLaw;

/// More branches than any material has.
pub const MOST_BRANCHES: usize = 16;

/// One branch: a spring and a damper in a row, beside the law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// Relaxation time τ, s.
    pub time: f64,
    /// g: the stiffness of its spring over that of the law at rest.
    pub strength: f64,
}

/// What branches remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Strains: the energy of the branches is exact, and inverted elements are served as far as the law does.
    #[default]
    Strain,
    /// Stresses of the law: branches follow its nonlinearity. It needs J > 0.
    Stress,
}

/// Which moduli relax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// All in the same proportion.
    #[default]
    All,
    /// That of shear alone; the resistance to changes of volume is elastic.
    Shear,
}

/// What is remembered of the time before the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// The body has been where it starts for ever.
    #[default]
    Relaxed,
    /// It was brought from rest to where it starts at an instant.
    Instant,
}

/// How strain runs within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Linearly: order 2 in time.
    #[default]
    Linear,
    /// As a cubic with the rates at both ends: order 4 in time. Branches then look at velocities too.
    Cubic,
}

/// Generalised Maxwell branches. See the [module](self).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Maxwell {
    branches: Vec<Branch>,
    /// Strains or stresses.
    pub form: Form,
    /// All moduli or that of shear.
    pub share: Share,
    /// Before the start.
    pub start: Start,
    /// Within a step.
    pub interpolation: Interpolation,
}

impl Maxwell {
    /// Branches of strains, with all else as it is by default. Those without strength are left out.
    ///
    /// ```
    /// use pliant_materials::maxwell::{Branch, Maxwell};
    ///
    /// let tissue = Maxwell::new(&[Branch { time: 0.1, strength: 0.3 }])?;
    /// assert_eq!(tissue.instant(), 1.3);
    /// assert!(Maxwell::new(&[Branch { time: 0.0, strength: 0.3 }]).is_err());
    /// # Ok::<(), pliant_materials::MaterialError>(())
    /// ```
    pub fn new(branches: &[Branch]) -> Result<Self, MaterialError> {
        let count = branches.len() as f64;
        ensure(branches.len() <= MOST_BRANCHES, "number of terms", count, "at most 16 are served")?;
        for branch in branches {
            positive("time", branch.time)?;
            let accepted = "must be a finite number of 0 or more";
            ensure(branch.strength >= 0.0, "strength", branch.strength, accepted)?;
        }
        let branches = branches.iter().copied().filter(|b| b.strength > 0.0).collect();
        Ok(Self { branches, ..Self::default() })
    }

    /// Branches whose strengths are parts of the instantaneous moduli, and the part of these that is left after a long time, by which the
    /// moduli of the law are to be multiplied.
    pub fn of_instant(parts: &[Branch]) -> Result<(Self, f64), MaterialError> {
        let checked = Self::new(parts)?;
        let sum: f64 = checked.branches.iter().map(|b| b.strength).sum();
        let accepted = "the parts of the instantaneous modulus that relax must be below 1 in all";
        ensure(sum < 1.0, "sum of strengths", sum, accepted)?;
        let left = 1.0 - sum;
        let branches: Vec<_> =
            parts.iter().map(|b| Branch { strength: b.strength / left, ..*b }).collect();
        Ok((Self::new(&branches)?, left))
    }

    /// With form, moduli that relax, start and interpolation as another one has them.
    #[must_use]
    pub fn like(self, kind: &Self) -> Self {
        Self { branches: self.branches, ..kind.clone() }
    }

    /// With another form.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// With other moduli that relax.
    #[must_use]
    pub fn with_share(self, share: Share) -> Self {
        Self { share, ..self }
    }

    /// With another start.
    #[must_use]
    pub fn with_start(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// With another interpolation within steps.
    #[must_use]
    pub fn with_interpolation(self, interpolation: Interpolation) -> Self {
        Self { interpolation, ..self }
    }

    /// The branches.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// 1 + Σ g: instantaneous over long-term moduli.
    pub fn instant(&self) -> f64 {
        1.0 + self.branches.iter().map(|b| b.strength).sum::<f64>()
    }

    /// Refuses laws with fibres that carry, unless branches follow all of their stress: fibres carry nothing at rest, so that neither the stiffness
    /// there nor the part of it that is that of shear knows of them.
    pub fn goes_with(&self, law: &dyn PointLaw, parameters: &[f64]) -> Result<(), MaterialError> {
        let what = match (self.form, self.share) {
            (Form::Stress, Share::All) => return Ok(()),
            (Form::Strain, _) => "form = \"strain\"",
            (Form::Stress, Share::Shear) => "on = \"shear\"",
        };
        if self.branches.is_empty() || !law.stiffens_in_tension(parameters) {
            return Ok(());
        }
        let hint = "fibres carry nothing at rest, whose stiffness that is about: take form = \"stress\" and on = \"all\", or give the fibres no k1";
        Err(MaterialError::NoMemory { what, hint })
    }

    /// The longest relaxation time, s; 0 without branches.
    pub fn longest(&self) -> f64 {
        self.branches.iter().map(|b| b.time).fold(0.0, f64::max)
    }

    /// Two branches whose times differ by less than 1 %, which one branch would serve as well.
    pub fn nearly_equal(&self) -> Option<[f64; 2]> {
        let mut times: Vec<f64> = self.branches.iter().map(|b| b.time).collect();
        times.sort_by(f64::total_cmp);
        times.windows(2).find(|t| t[1] - t[0] < 0.01 * t[1]).map(|t| [t[0], t[1]])
    }

    /// Tensors of six numbers that are remembered at a point: of the last moment, of its rate with [`Interpolation::Cubic`], and one a branch.
    pub fn tensors(&self) -> usize {
        self.first_branch() + self.branches.len()
    }

    /// Where the tensors of branches begin.
    pub(crate) fn first_branch(&self) -> usize {
        if self.is_cubic() { 2 } else { 1 }
    }

    /// Whether strains run as cubics.
    pub fn is_cubic(&self) -> bool {
        self.interpolation == Interpolation::Cubic
    }
}

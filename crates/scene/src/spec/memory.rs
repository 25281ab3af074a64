//! How a material remembers.

use pliant_materials::maxwell::{
    Branch, Form, Interpolation, MOST_BRANCHES, Maxwell, RestModuli, Share, Start,
};
use pliant_materials::{Material, MaterialError};
use pliant_memory_fit::{Band, ConstantQ, FitError, QFit};
use pliant_units::{Dimension, exact, number, si};

use crate::error::{Location, SceneError};
use crate::file::table::Table;

/// `material.memory`.
#[derive(Debug, Clone, PartialEq)]
pub struct MemorySpec {
    /// Where relaxation times and strengths come from.
    pub series: Series,
    /// What the moduli of the law are.
    pub moduli: Moduli,
    /// Form, moduli that relax, start, interpolation; branches are those of `series`.
    pub kind: Maxwell,
    /// dμ and dλ of a damper beside all branches, Pa·s.
    pub viscosity: [f64; 2],
    /// Where it stands in the scene.
    pub location: Location,
}

/// Where relaxation times and strengths come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Series {
    /// They are given one by one.
    Terms(Vec<Term>),
    /// They are fitted to a quality factor that does not depend on frequency.
    ConstantQ {
        /// What they are fitted to; its modulus is that of shear.
        material: ConstantQ,
        /// The fit, with the long-term shear modulus, which is that of the law.
        fit: Box<QFit>,
        /// Its terms.
        terms: Vec<Term>,
    },
}

impl Series {
    /// Its terms.
    pub fn terms(&self) -> &[Term] {
        match self {
            Self::Terms(terms) | Self::ConstantQ { terms, .. } => terms,
        }
    }

    fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        if t.has("q") {
            return Self::read_constant_q(t);
        }
        let terms = t.rows("terms", |_, _| None, |row| Term::read(&row))?;
        if terms.is_empty() {
            return Err(t.missing("terms", "[{ time = \"0.1 s\", strength = 0.5 }]"));
        }
        if terms.len() > MOST_BRANCHES {
            let text = format!("{} terms: at most {MOST_BRANCHES} are served", terms.len());
            return Err(t.error("terms", text));
        }
        Ok(Self::Terms(terms))
    }

    /// `{ q, modulus, at, from, to, terms }`
    fn read_constant_q(t: &Table<'_>) -> Result<Self, SceneError> {
        let needed =
            |value: Option<f64>, key, example: &str| value.ok_or_else(|| t.missing(key, example));
        let q = needed(t.positive("q", Dimension::NONE)?, "q", "4.8")?;
        let modulus =
            needed(t.positive("modulus", Dimension::PRESSURE)?, "modulus", "\"2.5 kPa\"")?;
        let at = needed(t.positive("at", Dimension::FREQUENCY)?, "at", "\"2 Hz\"")?;
        let from = t.positive("from", Dimension::FREQUENCY)?.unwrap_or(Band::DEFAULT.from);
        let to = t.positive("to", Dimension::FREQUENCY)?.unwrap_or(Band::DEFAULT.to);
        let band = Band { from, to };
        let count = t.count("terms")?.unwrap_or_else(|| ConstantQ::default_terms(band));
        let material = ConstantQ { q, modulus, at };
        let fit = material.fit(band, count).map_err(|e| match e {
            FitError::OutOfRange { name: "terms", .. } => t.error("terms", e.to_string()),
            FitError::OutOfRange { name: "to", .. } => t.error("to", e.to_string()),
            e => SceneError::new(format!("memory: {e}")).at(t.location()),
        })?;
        let long_term = fit.relaxation.long_term;
        let term = |term: &pliant_memory_fit::Term| Term {
            time: term.time,
            strength: Strength::Part(term.modulus / long_term),
        };
        let terms = fit.relaxation.terms.iter().map(term).collect();
        Ok(Self::ConstantQ { material, fit: Box::new(fit), terms })
    }
}

/// One term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// τ, s.
    pub time: f64,
    /// How strong it is.
    pub strength: Strength,
}

/// How strong a term is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Strength {
    /// As a part of the moduli of the law.
    Part(f64),
    /// By its shear modulus, Pa.
    Modulus(f64),
}

/// What the moduli of a law with memory are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Moduli {
    /// Those after a long time.
    #[default]
    LongTerm,
    /// Those at an instant, of which the terms are parts.
    Instant,
}

impl MemorySpec {
    /// Reads the table of a material, if it has one.
    pub(crate) fn read(t: &Table<'_>) -> Result<Option<Self>, SceneError> {
        let Some(t) = t.table("memory")? else { return Ok(None) };
        let series = Series::read(&t)?;
        let share = t.choice("on", &[("all", Share::All), ("shear", Share::Shear)])?;
        let form = t.choice("form", &[("strain", Form::Strain), ("stress", Form::Stress)])?;
        let moduli =
            t.choice("moduli", &[("long-term", Moduli::LongTerm), ("instant", Moduli::Instant)])?;
        let start =
            t.choice("start", &[("relaxed", Start::Relaxed), ("instant", Start::Instant)])?;
        let steps = [("linear", Interpolation::Linear), ("cubic", Interpolation::Cubic)];
        let interpolation = t.choice("interpolation", &steps)?;
        let mut viscosity = [0.0; 2];
        for (to, key) in viscosity.iter_mut().zip(["viscosity", "volume_viscosity"]) {
            *to = t.quantity(key, Dimension::VISCOSITY)?.unwrap_or(0.0);
            if *to < 0.0 {
                return Err(t.error(key, format!("{}: must be 0 or more", exact(*to))));
            }
        }
        if form == Some(Form::Stress) && interpolation == Some(Interpolation::Cubic) {
            let text = "cubic interpolation is one of strains: take form = \"strain\"";
            return Err(t.error("interpolation", text));
        }
        if matches!(series, Series::ConstantQ { .. }) && moduli == Some(Moduli::Instant) {
            let text =
                "the moduli of a constant quality factor follow from the fit: leave this out";
            return Err(t.error("moduli", text));
        }
        t.finish()?;
        let kind = Maxwell::default()
            .with_form(form.unwrap_or_default())
            .with_share(share.unwrap_or_default())
            .with_start(start.unwrap_or_default())
            .with_interpolation(interpolation.unwrap_or_default());
        let moduli = moduli.unwrap_or_default();
        let spec = Self { series, moduli, kind, viscosity, location: t.location().clone() };
        if moduli == Moduli::Instant && spec.sum_of_parts() >= 1.0 {
            let text = format!(
                "the strengths are {} in all: parts of the instantaneous modulus that relax must be below 1",
                exact(spec.sum_of_parts())
            );
            return Err(t.error("terms", text));
        }
        Ok(Some(spec))
    }

    /// In words, for reports.
    pub(crate) fn words(&self) -> String {
        let one = |term: &Term| match term.strength {
            Strength::Part(part) => format!("{} ({})", si(term.time, "s"), number(part)),
            Strength::Modulus(modulus) => {
                format!("{} ({})", si(term.time, "s"), si(modulus, "Pa"))
            }
        };
        let list = self.series.terms().iter().map(one).collect::<Vec<_>>().join(", ");
        let mut text = String::new();
        if let Series::ConstantQ { material, fit, .. } = &self.series {
            text = format!(
                "with a quality factor of {} and {} at {}, fitted from {} to {}, ",
                number(material.q),
                si(material.modulus, "Pa"),
                si(material.at, "Hz"),
                si(fit.band.from, "Hz"),
                si(fit.band.to, "Hz"),
            );
        }
        text += &format!("with relaxation times (strengths) {list}");
        if self.kind.share == Share::Shear {
            text += ", in shear alone";
        }
        if self.kind.form == Form::Stress {
            text += ", by stresses";
        }
        if self.moduli == Moduli::Instant {
            text += "; the moduli are those at an instant";
        }
        text
    }

    /// Constants of a law whose shear modulus follows from a quality factor, for a Poisson's ratio ν; none if terms are given. That of
    /// shear is the long-term modulus of the fit. ν is the ratio at the frequency of the measurement: where all moduli relax
    /// it does not change; where that of shear alone does, the bulk modulus is K = 2 M₀ (1 + ν)/(3 (1 − 2ν)).
    pub(crate) fn law_constants(&self, poisson: f64) -> Option<[(&'static str, f64); 2]> {
        let Series::ConstantQ { material, fit, .. } = &self.series else { return None };
        let mu = fit.relaxation.long_term;
        let shear = if self.kind.share == Share::Shear { material.modulus } else { mu };
        let bulk = 2.0 * shear * (1.0 + poisson) / (3.0 * (1.0 - 2.0 * poisson));
        Some([("lambda", bulk - 2.0 / 3.0 * mu), ("mu", mu)])
    }

    /// The longest time that a fit to a quality factor is good for, s: about twice its longest relaxation time. None if terms are given.
    pub(crate) fn fitted_until(&self) -> Option<f64> {
        match &self.series {
            Series::ConstantQ { fit, .. } => Some(2.0 * fit.relaxation.longest()),
            Series::Terms(_) => None,
        }
    }

    /// Times of two terms that differ by less than 1 %, s.
    pub(crate) fn nearly_equal(&self) -> Option<[f64; 2]> {
        let branch = |term: &Term| Branch { time: term.time, strength: 1.0 };
        let branches: Vec<_> = self.series.terms().iter().map(branch).collect();
        Maxwell::new(&branches).ok()?.nearly_equal()
    }

    /// The largest strength that is a part of long-term moduli.
    pub(crate) fn strongest_part(&self) -> Option<f64> {
        let part = |term: &Term| match term.strength {
            Strength::Part(part) if self.moduli == Moduli::LongTerm => Some(part),
            Strength::Part(_) | Strength::Modulus(_) => None,
        };
        self.series.terms().iter().filter_map(part).reduce(f64::max)
    }

    /// Σ of the strengths that are parts.
    fn sum_of_parts(&self) -> f64 {
        let part = |term: &Term| match term.strength {
            Strength::Part(part) => part,
            Strength::Modulus(_) => 0.0,
        };
        self.series.terms().iter().map(part).sum()
    }

    /// Whether a term is given by its modulus, so that those of the law must be known.
    pub(crate) fn needs_moduli(&self) -> bool {
        self.series.terms().iter().any(|term| matches!(term.strength, Strength::Modulus(_)))
    }

    /// The branches around a law with these parameters, and what its moduli are to be multiplied by. `parameters` are needed where
    /// [`MemorySpec::needs_moduli`].
    pub(crate) fn branches(
        &self,
        material: &Material,
        parameters: Option<&[f64]>,
    ) -> Result<(Maxwell, f64), SceneError> {
        let at = |e: SceneError| e.at(&self.location);
        let shear = match parameters.filter(|_| self.needs_moduli()) {
            None => None,
            Some(list) => {
                let rest = RestModuli::of(&*material.point(), list).map_err(|e| at(e.into()))?;
                rest.shear()
            }
        };
        let branch = |term: &Term| {
            let strength = match (term.strength, shear) {
                (Strength::Part(part), _) => part,
                (Strength::Modulus(modulus), Some(shear)) => modulus / shear,
                (Strength::Modulus(_), None) => {
                    let text = "memory: a term with a modulus needs a law that is the same in all directions, with constants that are the same in all cells";
                    let hint = "give the term a strength: its part of the moduli of the law";
                    return Err(at(SceneError::new(text).hint(hint)));
                }
            };
            Ok(Branch { time: term.time, strength })
        };
        let branches = self.series.terms().iter().map(branch).collect::<Result<Vec<_>, _>>()?;
        let made = match self.moduli {
            Moduli::LongTerm => Maxwell::new(&branches).map(|made| (made, 1.0)),
            Moduli::Instant => Maxwell::of_instant(&branches),
        };
        let (made, factor) = made.map_err(|e: MaterialError| {
            let message = format!("memory: {e}");
            at(SceneError::from(e).told(message))
        })?;
        Ok((made.like(&self.kind), factor))
    }
}

impl Term {
    fn read(t: &Table<'_>) -> Result<Self, SceneError> {
        let Some(time) = t.positive("time", Dimension::TIME)? else {
            return Err(t.missing("time", "\"0.1 s\""));
        };
        let strength = t.quantity("strength", Dimension::NONE)?;
        let modulus = t.quantity("modulus", Dimension::PRESSURE)?;
        for (key, value) in [("strength", strength), ("modulus", modulus)] {
            if let Some(value) = value.filter(|value| *value < 0.0) {
                return Err(t.error(key, format!("{}: must be 0 or more", exact(value))));
            }
        }
        let strength = match (strength, modulus) {
            (Some(part), None) => Strength::Part(part),
            (None, Some(modulus)) => Strength::Modulus(modulus),
            _ => {
                let hint = "a term has either strength (its part of the moduli of the law) or modulus (Pa, of shear)";
                return Err(t.missing_or("strength", hint));
            }
        };
        t.finish()?;
        Ok(Self { time, strength })
    }
}

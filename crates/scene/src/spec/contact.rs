//! `[contact]`: bodies that touch each other.

use pliant_dynamics::{IntegratorName, Solves};
use pliant_model::{Body, Contact};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::between::{BetweenSpec, friction};
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};

/// Contact of a scene.
#[derive(Debug, Clone)]
pub struct ContactSpec {
    /// How bodies touch, but for the pairs below.
    pub contact: Contact,
    /// Pairs that touch another way.
    pub between: Vec<BetweenSpec>,
    /// Where it stands in the scene.
    pub location: Location,
}

impl ContactSpec {
    /// Reads the table; none where there is none, or where contact is off.
    pub(crate) fn read(root: &Table<'_>) -> Result<Option<Self>, SceneError> {
        let Some(t) = root.table("contact")? else { return Ok(None) };
        let on = t.choice("mode", &[("barrier", true), ("off", false)])?;
        let on = on.ok_or_else(|| t.missing("mode", "\"barrier\""))?;
        let usual = Contact::default();
        let stiffness = if t.is_text("stiffness", "auto") {
            None
        } else {
            t.positive("stiffness", Dimension::PRESSURE)?
        };
        let contact = Contact {
            distance: t.positive("distance", Dimension::LENGTH)?,
            stiffness,
            with_themselves: t.switch("self")?.unwrap_or(usual.with_themselves),
            friction: friction(&t)?.unwrap_or(usual.friction),
            stick: t.positive("stick", Dimension::LENGTH)?,
            between: Vec::new(),
        };
        let between = t.rows("between", |_, _| None, |t| BetweenSpec::read(&t))?;
        BetweenSpec::refuse_twice(&between)?;
        // The one answer there is so far; others will be.
        t.choice("on_overlap", &[("refuse", ())])?;
        t.finish()?;
        Ok(on.then(|| Self { contact, between, location: t.location().clone() }))
    }

    /// The same for the bodies of a scene, all pairs included.
    pub(crate) fn of(&self, scene: &Scene, bodies: &[Body]) -> Result<Contact, SceneError> {
        let between = self.between.iter().map(|spec| spec.between(scene, bodies));
        Ok(Contact { between: between.collect::<Result<_, _>>()?, ..self.contact.clone() })
    }

    /// Whether some bodies rub.
    pub(crate) fn rubs(&self) -> bool {
        let all = self.between.iter().filter_map(|b| b.friction);
        all.chain([self.contact.friction]).any(|friction| friction > 0.0)
    }

    /// Whether contact serves that method with the options of a scene.
    pub fn serves(&self, integrator: IntegratorName, time: &TimeSpec) -> bool {
        self.check(&TimeSpec { integrator, ..time.clone() }).is_ok()
    }

    /// Refuses methods whose forces do not act on positions at the end of a step: the barrier could not keep bodies apart there.
    pub(crate) fn check(&self, time: &TimeSpec) -> Result<(), SceneError> {
        let name = time.integrator.name();
        let why = match time.analysis {
            Analysis::Dynamic => match (time.integrator.entry().solves, time.integrator) {
                (Solves::Nothing, _) => {
                    format!("{name} is explicit, and the stiffness of a barrier has no bound")
                }
                (Solves::Linear, _) => {
                    format!("{name} solves one linear system a step, which knows no barrier")
                }
                (Solves::Rest, _) => format!("{name} does not bound its steps by contact yet"),
                (Solves::Newton, IntegratorName::ImplicitMidpoint) => {
                    format!("forces of {name} act in the middle of a step, and do not see its end")
                }
                (Solves::Newton, IntegratorName::GeneralizedAlpha)
                    if time.options.spectral_radius != 0.0 =>
                {
                    format!(
                        "forces of {name} act before the end of a step unless spectral_radius is 0"
                    )
                }
                (Solves::Newton, _) => return Ok(()),
            },
            _ => "static analyses do not serve contact yet".to_owned(),
        };
        let hint = "take time.integrator = \"backward-euler\" or \"bdf2\" in a dynamic analysis, or contact.mode = \"off\"";
        let text = format!("contact.mode = \"barrier\" cannot serve here: {why}");
        Err(SceneError::new(text).at(&self.location).hint(hint))
    }
}

//! `[contact]`: bodies that touch each other.

use pliant_contact::barrier::Barrier;
use pliant_dynamics::{IntegratorName, Solves, StaticMethod};
use pliant_model::{Body, Contact, ContactMode};
use pliant_units::Dimension;

use crate::error::{Location, SceneError};
use crate::file::table::Table;
use crate::spec::between::{BetweenSpec, friction};
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};

/// The potentials of the gap by name.
const BARRIERS: [(&str, Barrier); 3] =
    [("log", Barrier::Log), ("ipc", Barrier::Ipc), ("cubic", Barrier::Cubic)];

/// What is done with bodies that overlap at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnOverlap {
    /// The scene is refused.
    #[default]
    Refuse,
    /// Bodies that nothing holds are moved until none overlaps another.
    PushApart,
    /// Bodies that overlap do not touch each other in this run.
    IgnorePairs,
}

/// Contact of a scene.
#[derive(Debug, Clone)]
pub struct ContactSpec {
    /// How bodies touch, but for the pairs below.
    pub contact: Contact,
    /// What is done where surfaces intersect at the start.
    pub on_overlap: OnOverlap,
    /// Pairs that touch another way.
    pub between: Vec<BetweenSpec>,
    /// Whether bodies that have come to rest are not stepped until something comes near.
    pub sleep: bool,
    /// Whether the mode is the usual one, as the scene names none.
    pub mode_is_usual: bool,
    /// Where it stands in the scene.
    pub location: Location,
}

impl ContactSpec {
    /// Reads the table; none where there is none.
    pub(crate) fn read(root: &Table<'_>) -> Result<Option<Self>, SceneError> {
        let Some(t) = root.table("contact")? else { return Ok(None) };
        let mode = t.choice("mode", &ContactMode::NAMES)?;
        let usual = Contact::default();
        let stiffness = if t.is_text("stiffness", "auto") {
            None
        } else {
            t.positive("stiffness", Dimension::PRESSURE)?
        };
        let contact = Contact {
            mode: mode.unwrap_or(usual.mode),
            distance: t.positive("distance", Dimension::LENGTH)?,
            stiffness,
            barrier: t.choice("barrier", &BARRIERS)?.unwrap_or_default(),
            with_themselves: t.switch("self")?.unwrap_or(usual.with_themselves),
            friction: friction(&t)?.unwrap_or(usual.friction),
            stick: t.positive("stick", Dimension::LENGTH)?,
            between: Vec::new(),
        };
        let on_overlap = t.choice(
            "on_overlap",
            &[
                ("refuse", OnOverlap::Refuse),
                ("push-apart", OnOverlap::PushApart),
                ("ignore-pairs", OnOverlap::IgnorePairs),
            ],
        )?;
        let sleep = t.switch("sleep")?.unwrap_or(false);
        let between = t.rows("between", |_, _| None, |t| BetweenSpec::read(&t))?;
        BetweenSpec::refuse_twice(&between)?;
        t.finish()?;
        let on_overlap = on_overlap.unwrap_or_default();
        let (mode_is_usual, location) = (mode.is_none(), t.location().clone());
        Ok(Some(Self { contact, on_overlap, between, sleep, mode_is_usual, location }))
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

    /// Whether contact in another mode serves the method of a scene.
    pub fn serves_in(&self, mode: ContactMode, time: &TimeSpec) -> bool {
        let contact = Contact { mode, ..self.contact.clone() };
        Self { contact, ..self.clone() }.check(time).is_ok()
    }

    /// Refuses methods that a mode does not serve, with the reason. The one place that says which modes and methods go together.
    pub(crate) fn check(&self, time: &TimeSpec) -> Result<(), SceneError> {
        let mode = self.contact.mode;
        let (why, take) = match mode {
            ContactMode::Off | ContactMode::Soft | ContactMode::Penalty => return Ok(()),
            ContactMode::Barrier => (barrier(time), BARRIER),
            ContactMode::Constraints => (constraints(time), CONSTRAINTS),
            ContactMode::TwoStep => (two_step(time), TWO_STEP),
        };
        let Some(why) = why else { return Ok(()) };
        let text = format!("contact.mode = \"{}\" cannot serve here: {why}", mode.name());
        Err(SceneError::new(text).at(&self.location).hint(take))
    }
}

const BARRIER: &str = "take time.integrator = \"backward-euler\" or \"bdf2\" in a dynamic analysis, solver.static_method = \"newton\" in one of rest, or contact.mode = \"soft\", \"penalty\" or \"off\"";
const CONSTRAINTS: &str = "take an implicit time.integrator such as \"backward-euler\" with steps of fixed length, or contact.mode = \"soft\" or \"penalty\"";
const TWO_STEP: &str = "take time.integrator = \"explicit-newmark\" or \"central-differences\" with steps of fixed length, or contact.mode = \"soft\" or \"penalty\"";

/// Why a barrier cannot serve: it keeps bodies apart only where forces act on positions at the end of a step.
fn barrier(time: &TimeSpec) -> Option<String> {
    let name = time.integrator.name();
    if time.analysis != Analysis::Dynamic {
        let method = time.options.static_method;
        return match method {
            StaticMethod::Newton => None,
            StaticMethod::TruncatedNewton | StaticMethod::NonlinearCg => Some(format!(
                "{} does not look again for pairs and areas of contact on its way",
                method.name()
            )),
            StaticMethod::DynamicRelaxation | StaticMethod::Robust => Some(format!(
                "the damped motions of {} are explicit, and the stiffness of a barrier has no bound",
                method.name()
            )),
        };
    }
    match (time.integrator.entry().solves, time.integrator) {
        (Solves::Nothing, _) => {
            Some(format!("{name} is explicit, and the stiffness of a barrier has no bound"))
        }
        (Solves::Linear, _) => {
            Some(format!("{name} solves one linear system a step, which knows no barrier"))
        }
        (Solves::Newton, IntegratorName::ImplicitMidpoint) => {
            Some(format!("forces of {name} act in the middle of a step, and do not see its end"))
        }
        (Solves::Newton, IntegratorName::GeneralizedAlpha)
            if time.options.spectral_radius != 0.0 =>
        {
            Some(format!(
                "forces of {name} act before the end of a step unless spectral_radius is 0"
            ))
        }
        (Solves::Newton | Solves::Rest, _) => None,
    }
}

/// Why directions in the linear system cannot serve: there has to be one, and steps that can be taken again with others.
fn constraints(time: &TimeSpec) -> Option<String> {
    let name = time.integrator.name();
    if time.analysis != Analysis::Dynamic {
        return Some("a state of rest does not tell which vertices are let go".to_owned());
    }
    match time.integrator.entry().solves {
        Solves::Newton if time.options.control.is_some() => Some(
            "where a vertex is stopped, the error of a step tells nothing about its length"
                .to_owned(),
        ),
        Solves::Newton => None,
        Solves::Nothing => Some(format!("{name} is explicit and solves no linear system")),
        Solves::Linear | Solves::Rest => {
            Some(format!("{name} does not solve for the end of a step by Newton's method"))
        }
    }
}

/// Why the collision integration cannot serve: it is one of accelerations that are carried from step to step.
fn two_step(time: &TimeSpec) -> Option<String> {
    let name = time.integrator.name();
    let serves = [IntegratorName::ExplicitNewmark, IntegratorName::CentralDifferences];
    if time.analysis != Analysis::Dynamic {
        return Some("a state of rest has no steps".to_owned());
    }
    if !serves.contains(&time.integrator) {
        return Some(format!(
            "{name} does not go on from the velocities and accelerations that it sets"
        ));
    }
    time.options.control.map(|_| "it sets what happens in two equal steps".to_owned())
}

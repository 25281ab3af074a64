//! [`Options`]: what integrators can be told, and the keys by which scenes say it.

use pliant_solvers::Choice;
use pliant_units::{Dimension, OptionKind, OptionSpec, OptionValue, Panel, Within};

use crate::adaptive::StepControl;
use crate::newton::{Forcing, Form, NewtonSettings, Projection};
use crate::{Start, StaticMethod};

/// Settings of all integrators. Which of them a method takes, its entry says: see
/// [`IntegratorName::options`](super::IntegratorName::options).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// For implicit methods.
    pub newton: NewtonSettings,
    /// Their linear solver.
    pub solver: Choice,
    /// What Newton starts from.
    pub start: Start,
    /// β and γ of `newmark`.
    pub newmark: (f64, f64),
    /// ρ∞ of `generalized-alpha`.
    pub spectral_radius: f64,
    /// Steps chosen by a tolerance, for methods that estimate their error: a step is then made of as many
    /// shorter ones as it needs.
    pub control: Option<StepControl>,
    /// Steps between factorisations of `central-differences` where damping changes.
    pub refactor_every: usize,
    /// How `quasi-static` comes to rest.
    pub static_method: StaticMethod,
    /// Load steps that a static analysis begins with.
    pub load_steps: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            newton: NewtonSettings::default(),
            solver: Choice::default(),
            start: Start::default(),
            newmark: (0.25, 0.5),
            spectral_radius: 0.8,
            control: None,
            refactor_every: 1,
            static_method: StaticMethod::default(),
            load_steps: 1,
        }
    }
}

impl Options {
    /// One linear system a step.
    pub fn semi_implicit() -> Self {
        let newton = NewtonSettings::semi_implicit();
        Self { newton, start: Start::Positions, ..Self::default() }
    }

    /// Every key of `[solver]` that some method takes beside its linear solver, in the order in which they are to be
    /// read: the form of Newton's method changes what others start from.
    pub const SOLVER: &'static [OptionSpec<Self>] = &[
        NEWTON,
        NEWTON_TOLERANCE,
        ABSOLUTE_TOLERANCE,
        SPEED_TOLERANCE,
        PROJECTION,
        NEWTON_ITERATIONS,
        STATIC_METHOD,
        LOAD_STEPS,
    ];
}

/// Every key of `[time]` that some method takes.
pub(super) const TIME: &[OptionSpec<Options>] =
    &[BETA, GAMMA, SPECTRAL_RADIUS, REFACTOR_EVERY, TOLERANCE];

const POSITIVE: Within = Within::Above(0.0, f64::INFINITY);

/// An option that is a number.
macro_rules! number {
    ($key:literal, $label:literal, $about:literal, $dimension:ident, $within:expr, $panel:expr, $($field:tt)+) => {
        OptionSpec {
            key: $key,
            label: $label,
            about: $about,
            kind: OptionKind::Number(Dimension::$dimension, $within),
            panel: $panel,
            get: |o| Some(OptionValue::Number(o.$($field)+)),
            set: |o, value| {
                if let Some(value) = value.number() {
                    o.$($field)+ = value;
                }
            },
        }
    };
}

/// An option that is a whole number, at least 1.
macro_rules! count {
    ($key:literal, $label:literal, $about:literal, $panel:expr, $($field:tt)+) => {
        OptionSpec {
            key: $key,
            label: $label,
            about: $about,
            kind: OptionKind::Count(1),
            panel: $panel,
            get: |o| Some(OptionValue::Count(o.$($field)+)),
            set: |o, value| {
                if let Some(value) = value.count() {
                    o.$($field)+ = value;
                }
            },
        }
    };
}

pub(super) const BETA: OptionSpec<Options> = number!(
    "beta",
    "β",
    "β of newmark; 1/4 unless said otherwise, and 0 would be central-differences",
    NONE,
    Within::Above(0.0, 1.0),
    Panel::Slider(0.01, 1.0),
    newmark.0
);

pub(super) const GAMMA: OptionSpec<Options> = number!(
    "gamma",
    "γ",
    "γ of newmark; 1/2 unless said otherwise, and more of it damps",
    NONE,
    Within::Closed(0.5, 1.0),
    Panel::Slider(0.5, 1.0),
    newmark.1
);

pub(super) const SPECTRAL_RADIUS: OptionSpec<Options> = number!(
    "spectral_radius",
    "Spectral radius",
    "Of generalized-alpha at high frequencies: 1 keeps them, 0 removes them; 0.8 unless said otherwise",
    NONE,
    Within::Closed(0.0, 1.0),
    Panel::Slider(0.0, 1.0),
    spectral_radius
);

pub(super) const REFACTOR_EVERY: OptionSpec<Options> = count!(
    "refactor_every",
    "Refactor every",
    "Steps of central-differences between factorisations where damping changes; 1 unless said otherwise",
    Panel::Hidden,
    refactor_every
);

pub(super) const TOLERANCE: OptionSpec<Options> = OptionSpec {
    key: "tolerance",
    label: "Step tolerance",
    about: "Steps are chosen so that their error stays below this part of the motion",
    kind: OptionKind::Number(Dimension::NONE, POSITIVE),
    panel: Panel::Hidden,
    get: |o| o.control.as_ref().map(|control| OptionValue::Number(control.relative)),
    set: |o, value| o.control = value.number().map(StepControl::with_tolerance),
};

pub(crate) const NEWTON: OptionSpec<Options> = OptionSpec {
    key: "newton",
    label: "Newton",
    about: "How Newton's method is done; semi-implicit: one linear system a step",
    kind: OptionKind::Name(|| {
        vec![
            ("full", "a new Jacobian in every iteration"),
            ("simplified", "a Jacobian is kept as long as it serves"),
            ("inexact", "linear systems are solved only as well as it is worth"),
            ("semi-implicit", "one linear system a step"),
        ]
    }),
    panel: Panel::List,
    get: |o| {
        Some(OptionValue::Name(match o.newton.form {
            _ if o.newton.accept_last => "semi-implicit",
            Form::Full => "full",
            Form::Simplified { .. } => "simplified",
            Form::Inexact(_) => "inexact",
        }))
    },
    set: |o, value| match value.name() {
        Some("full") => o.newton.form = Form::Full,
        Some("simplified") => o.newton.form = Form::KEPT,
        Some("inexact") => {
            o.newton.form = Form::Inexact(Forcing::EisenstatWalker { gamma: 0.9, largest: 0.1 });
        }
        Some("semi-implicit") => {
            o.newton = NewtonSettings::semi_implicit();
            o.start = Options::semi_implicit().start;
        }
        _ => {}
    },
};

pub(crate) const NEWTON_TOLERANCE: OptionSpec<Options> = number!(
    "newton_tolerance",
    "Newton tolerance",
    "Part of the largest force at which Newton's method stops; 1e-6 unless said otherwise",
    NONE,
    POSITIVE,
    Panel::Slider(1e-10, 0.1),
    newton.force_tolerance
);

pub(crate) const ABSOLUTE_TOLERANCE: OptionSpec<Options> = number!(
    "absolute_tolerance",
    "Absolute tolerance",
    "Force at which Newton's method stops, whatever the forces are; none unless said otherwise",
    FORCE,
    POSITIVE,
    Panel::Slider(1e-12, 1.0),
    newton.absolute_force
);

pub(crate) const SPEED_TOLERANCE: OptionSpec<Options> = number!(
    "speed_tolerance",
    "Speed tolerance",
    "Correction over the length of the step at which Newton's method stops; none unless said otherwise",
    VELOCITY,
    POSITIVE,
    Panel::Slider(1e-12, 1.0),
    newton.speed_tolerance
);

pub(crate) const NEWTON_ITERATIONS: OptionSpec<Options> = count!(
    "newton_iterations",
    "Newton iterations",
    "Most iterations of Newton's method; a step that needs more fails; 100 unless said otherwise",
    Panel::Slider(1.0, 1000.0),
    newton.max_iterations
);

pub(crate) const PROJECTION: OptionSpec<Options> = OptionSpec {
    key: "projection",
    label: "Projection",
    about: "Of the stiffness to positive semi-definite",
    kind: OptionKind::Name(|| {
        vec![
            ("when-needed", "where a direction does not descend, or cannot be found"),
            ("always", "in every iteration"),
            ("never", "not at all"),
        ]
    }),
    panel: Panel::Hidden,
    get: |o| {
        Some(OptionValue::Name(match o.newton.projection {
            Projection::WhenNeeded => "when-needed",
            Projection::Always => "always",
            Projection::Never => "never",
        }))
    },
    set: |o, value| {
        o.newton.projection = match value.name() {
            Some("always") => Projection::Always,
            Some("never") => Projection::Never,
            _ => Projection::WhenNeeded,
        }
    },
};

pub(crate) const STATIC_METHOD: OptionSpec<Options> = OptionSpec {
    key: "static_method",
    label: "Method",
    about: "How states of rest are found",
    kind: OptionKind::Name(|| StaticMethod::ALL.map(|m| (m.name(), m.about())).to_vec()),
    panel: Panel::List,
    get: |o| Some(OptionValue::Name(o.static_method.name())),
    set: |o, value| {
        if let Some(method) = value.name().and_then(|name| name.parse().ok()) {
            o.static_method = method;
        }
    },
};

pub(crate) const LOAD_STEPS: OptionSpec<Options> = count!(
    "load_steps",
    "Load steps",
    "Load steps that a static analysis begins with; more of them go where one would fail",
    Panel::Slider(1.0, 100.0),
    load_steps
);

//! Controls of the integrator and of solvers.

use pliant_scene::{Analysis, ContactMode, Scene};
use pliant_solvers::SolverName;
use pliant_units::{Dimension, OptionKind, OptionSpec, OptionValue, Panel};

use super::{AUTO, Control, Range, number};

/// Integrator and solvers: what their options say can be changed.
pub(super) fn of_methods(scene: &Scene, list: &mut Vec<Control>) {
    let mut add = |table: &str, key: &str, label, help, range| {
        let key = format!("{table}.{key}");
        list.push(Control { key, body: None, label, help, range });
    };
    let (time, options) = (&scene.time, &scene.time.options);
    if time.analysis == Analysis::Dynamic {
        for option in time.integrator.options() {
            if let Some(range) = range_of(option, options) {
                add("time", option.key, option.label, option.about, range);
            }
        }
    }
    let mut after = Vec::new();
    for option in time.solver_options() {
        let (key, label, about) = (option.key, option.label, option.about);
        match (key, range_of(option, options)) {
            // A barrier bounds the ways of Newton's method alone.
            ("static_method", _)
                if scene
                    .contact
                    .as_ref()
                    .is_some_and(|c| c.contact.mode == ContactMode::Barrier) => {}
            // What the linear solver is chosen by comes before it.
            ("static_method" | "load_steps", Some(range)) => {
                add("solver", key, label, about, range);
            }
            // A state of rest has no steps over which a factor could be kept.
            ("newton", _) if time.analysis != Analysis::Dynamic => {}
            ("newton", Some(Range::Name { value, mut choices })) => {
                choices.insert(0, (AUTO, "chosen by the size of the bodies"));
                let value = if value == "inexact" { AUTO.to_owned() } else { value };
                after.push((key, label, about, Range::Name { value, choices }));
            }
            (_, Some(range)) => after.push((key, label, about, range)),
            (_, None) => {}
        }
    }
    if time.takes_linear_solver() {
        let choices = SolverName::ALL.iter().map(|s| (s.name(), s.about())).collect();
        let solver = &options.solver;
        let value = solver.solver.name().to_owned();
        let help = "What solves the linear systems.";
        add("solver", "linear", "Linear solver", help, Range::Name { value, choices });
        for option in solver.options() {
            if let (OptionKind::Name(names), Panel::List) = (option.kind, option.panel) {
                let mut choices = vec![(AUTO, "the one that suits the solver")];
                choices.extend(names());
                let value = (option.get)(solver).and_then(OptionValue::name).unwrap_or(AUTO);
                let range = Range::Name { value: value.to_owned(), choices };
                add("solver", option.key, option.label, option.about, range);
            }
        }
    }
    for (key, label, about, range) in after {
        add("solver", key, label, about, range);
    }
}

/// How an option is shown; none of those that are not.
fn range_of<T>(option: &OptionSpec<T>, settings: &T) -> Option<Range> {
    let value = (option.get)(settings)?;
    match (option.kind, option.panel) {
        (OptionKind::Number(dimension, _), Panel::Slider(low, high)) => {
            let value = value.number()?;
            // Tolerances span decades; where there is none, the lower end stands for that.
            let logarithmic = low > 0.0 && high / low > 1e3;
            let value = if logarithmic { value.max(low) } else { value };
            let unit = match dimension {
                Dimension::FORCE => ("mN", 1e-3),
                Dimension::VELOCITY => ("mm/s", 1e-3),
                _ => ("", 1.0),
            };
            Some(number(value, (low, high), logarithmic, unit))
        }
        (OptionKind::Count(least), Panel::Slider(_, high)) => {
            let value = value.count()?;
            Some(Range::Count { value, bounds: (least, value.max(high as usize)) })
        }
        (OptionKind::Name(names), Panel::List) => {
            Some(Range::Name { value: value.name()?.to_owned(), choices: names() })
        }
        _ => None,
    }
}

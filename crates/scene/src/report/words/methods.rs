//! What a report says of methods, and of what they have done.

use pliant_dynamics::newton::Form;
use pliant_units::{OptionSpec, OptionValue, count, number, si, vector};

use super::{Facts, fact};
use crate::run::retry::MOST_PARTS;
use crate::run::summary::Summary;
use crate::spec::scene::Scene;
use crate::spec::time::{Analysis, TimeSpec};

/// How it is computed, stage after stage.
pub(in crate::report) fn method(scene: &Scene, newton_steps: bool) -> Facts {
    let mut list = Facts::new();
    for (k, stage) in scene.stages.iter().enumerate() {
        let mut text = format!("{}, from {}", stage.name, si(stage.time.start, "s"));
        if stage.gravity != scene.gravity {
            text += &format!(", under {}", vector(stage.gravity, "m/s²"));
        }
        if !stage.release.is_empty() {
            let names: Vec<&str> = stage.release.iter().map(|(name, _)| name.as_str()).collect();
            text += &format!(", without {}", names.join(", "));
        }
        fact(&mut list, &format!("Stage {}", k + 1), text);
        list.extend(method_of(scene.stage_time(k), newton_steps));
    }
    if scene.stages.is_empty() {
        list = method_of(&scene.time, newton_steps);
    }
    list
}

fn method_of(time: &TimeSpec, newton_steps: bool) -> Facts {
    let mut list = Facts::new();
    let newton = &time.options.newton;
    match time.analysis {
        Analysis::Static => {
            let method = time.options.static_method.name();
            fact(
                &mut list,
                "Analysis",
                format!("static: rest under the loads of the end, by {method}"),
            );
        }
        Analysis::QuasiStatic => fact(&mut list, "Analysis", "quasi-static: rest at every time"),
        Analysis::Dynamic => {
            fact(&mut list, "Analysis", "dynamic");
            let options = options(time.integrator.options().iter(), &time.options);
            fact(&mut list, "Integrator", time.integrator.name().to_owned() + &options);
        }
    }
    if time.analysis != Analysis::Static {
        let chosen = if time.options.control.is_some() { ", divided by error control" } else { "" };
        let text = format!(
            "{}{chosen}; {} to {}",
            si(time.step, "s"),
            count(time.steps()),
            si(time.end, "s")
        );
        fact(&mut list, "Step", text);
        if time.retry {
            let text = format!("taken again in halves, down to 1/{MOST_PARTS}");
            fact(&mut list, "Steps that fail", text);
        }
    }
    if newton_steps || time.analysis != Analysis::Dynamic {
        let form = match newton.form {
            _ if newton.accept_last && newton.max_iterations == 1 => "one linear system a step",
            Form::Full => "full",
            Form::Simplified { .. } => "simplified: Jacobians are kept while they serve",
            Form::Inexact(_) => "inexact: linear systems only as well as it is worth",
        };
        let mut text =
            format!("{form}; to {} of the largest force", number(newton.force_tolerance));
        if newton.absolute_force > 0.0 {
            text += &format!(" or {}", si(newton.absolute_force, "N"));
        }
        if newton.speed_tolerance > 0.0 {
            text += &format!(" or corrections of {}", si(newton.speed_tolerance, "m/s"));
        }
        fact(&mut list, "Newton", text);
    }
    if time.takes_linear_solver() {
        let solver = &time.options.solver;
        let text = solver.solver.name().to_owned() + &options(solver.options(), solver);
        fact(&mut list, "Linear solver", text);
    }
    list
}

/// What solved the linear systems, and which steps were divided.
pub(in crate::report) fn done(summary: &Summary) -> Facts {
    let mut list = Facts::new();
    if let Some(solver) = &summary.solver {
        fact(&mut list, "Linear systems solved by", solver.text());
    }
    if summary.divided_steps > 0 {
        let text = format!(
            "{} of {}, after {} failed attempts; the shortest part was {}",
            count(summary.divided_steps),
            count(summary.steps),
            count(summary.retries),
            si(summary.shortest_step.unwrap_or(f64::NAN), "s"),
        );
        fact(&mut list, "Steps that were divided", text);
    }
    list
}

/// ", key value" of each option that was chosen: names always, numbers where they are not the usual ones.
fn options<'a, T: Default + 'static>(
    list: impl Iterator<Item = &'a OptionSpec<T>>,
    settings: &T,
) -> String {
    let usual = T::default();
    let chosen = list.filter_map(|option| {
        let value = (option.get)(settings)?;
        let unusual = (option.get)(&usual) != Some(value);
        let text = match value {
            OptionValue::Name(name) => name.to_owned(),
            OptionValue::Number(_) | OptionValue::Count(_) => number(value.number()?),
        };
        unusual.then(|| format!(", {} {text}", option.key.replace('_', " ")))
    });
    chosen.collect()
}

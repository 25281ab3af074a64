//! `pliant material curve`: stress of one or several laws in the standard material tests, as a table and
//! as a picture.

use std::path::Path;

use pliant::draw::{Axis, Curve, Plot};
use pliant::materials::homogeneous::Experiment;
use pliant::materials::{Constants, Inversion, LawName, Material};
use serde_json::{Value, json};

use super::write;
use crate::arguments::CurveFlags;
use crate::context::Context;
use crate::failure::Failure;

/// Points of a curve.
const POINTS: usize = 61;

/// The stress of one law at all amounts; none where it has none.
struct Measured {
    name: String,
    stress: Vec<Option<f64>>,
}

/// Runs it.
pub(super) fn run(flags: &CurveFlags, context: &Context) -> Result<(), Failure> {
    let experiment = flags.test.experiment();
    let [from, to] = flags.range.clone().map_or_else(
        || if experiment == Experiment::Shear { [0.0, 1.0] } else { [0.6, 1.6] },
        |range| [range[0], range[1]],
    );
    let good = from.is_finite() && to.is_finite() && from < to;
    if !good || (experiment != Experiment::Shear && from <= 0.0) {
        let text =
            format!("--range {from} {to}: two growing numbers are needed, stretches above 0");
        return Err(Failure::Input(text));
    }
    let step = (to - from) / (POINTS - 1) as f64;
    let amounts: Vec<f64> = (0..POINTS).map(|k| from + step * k as f64).collect();
    let constants = Constants::YoungPoisson { young: flags.young, poisson: flags.poisson };
    let mut all = Vec::new();
    for name in &flags.materials {
        let law: LawName = name.parse()?;
        let mut material = Material::new(law);
        if flags.invertible {
            material = material.with_inversion(Inversion::Continued(None))?;
        }
        let p = constants.parameters(law)?;
        let point = material.point();
        let stress = |&amount: &f64| {
            experiment.response(&*point, &p, amount).map(|(_, s)| experiment.measured(&s))
        };
        all.push(Measured { name: name.clone(), stress: amounts.iter().map(stress).collect() });
    }
    if let Some(path) = &flags.out {
        write(path, &plot(experiment, &amounts, &all))?;
    }
    let document = json!({
        "test": experiment.name(),
        "young": flags.young,
        "poisson": flags.poisson,
        "amount": amounts,
        "stress": all.iter().map(|m| (m.name.clone(), json!(m.stress))).collect::<serde_json::Map<String, Value>>(),
    });
    context.emit(&document, || table(experiment, &amounts, &all, flags.out.as_deref()))
}

fn amount_label(experiment: Experiment) -> &'static str {
    if experiment == Experiment::Shear { "amount of shear" } else { "stretch" }
}

/// Every sixth point, in kPa.
fn table(experiment: Experiment, amounts: &[f64], all: &[Measured], out: Option<&Path>) -> String {
    let mut text =
        format!("{}, nominal stress in kPa\n{:>16}", experiment.name(), amount_label(experiment));
    for m in all {
        text += &format!("  {:>14}", m.name);
    }
    text += "\n";
    for k in (0..amounts.len()).step_by(6) {
        text += &format!("{:16.3}", amounts[k]);
        for m in all {
            let width = m.name.len().max(14);
            text += &match m.stress[k] {
                Some(s) => format!("  {:>width$.3}", s * 1e-3),
                None => format!("  {:>width$}", "-"),
            };
        }
        text += "\n";
    }
    if let Some(path) = out {
        text += &format!("{}: the curves\n", path.display());
    }
    text
}

fn plot(experiment: Experiment, amounts: &[f64], all: &[Measured]) -> String {
    let curve = |m: &Measured| Curve {
        name: m.name.clone(),
        points: amounts
            .iter()
            .zip(&m.stress)
            .map(|(&a, s)| [a, s.map_or(f64::NAN, |s| s * 1e-3)])
            .collect(),
        ..Curve::default()
    };
    Plot {
        title: format!("{} test", experiment.name()),
        x: Axis { label: amount_label(experiment).into(), ..Axis::default() },
        y: Axis { label: "nominal stress, kPa".into(), ..Axis::default() },
        curves: all.iter().map(curve).collect(),
    }
    .svg(760.0, 430.0)
}
